// mottle/ir/lower/sums.h: sums over all cells in equations: their arguments, and the phases of a step in which they are computed
#pragma once
#include "mottle/ir/lower/system.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace mottle::ir {

/// Replaces the sums in expressions by the names of numbers.
class SumTaker {
   public:
    /// Appends every sum that it finds to `sums`: inner sums first, each once.
    explicit SumTaker(std::vector<SumOver>& sums) : sums_(sums) {}
    model::ExprPtr take(const model::ExprPtr& expr);

   private:
    std::vector<SumOver>& sums_;
    std::unordered_map<model::ExprPtr, model::ExprPtr> known_;  // owns its keys: trees are shared after [define]
};

/// How the phases of a step compute its sums.
struct SumPlan {
    /// What is summed. field: a field as it is. behind: formed by each phase of the fields that it leaves. within: what reads neighbours, other sums or the noise of the step, formed by a
    /// phase that leaves the fields as they are.
    enum class Made { field, behind, within };
    struct Place {
        Made made;
        int level = 0;  ///< phases that come before it in a stage of the method
        int array = 0;  ///< among `arrays`; of `field`: among the fields
    };
    std::vector<Place> sums;                ///< as System::sums
    std::vector<model::ExprPtr> arrays;     ///< what is formed, each once
    int levels = 0;                         ///< phases of a stage before the one that moves the fields
    bool starts = false, weighted = false;  ///< phases keep the fields at the start of the step, and their weighted sum
    bool switched = false;                  ///< some phases leave the fields as they are

    /// Names of the states that phases keep beside the fields: starts, weighted sums, then `arrays`.
    std::vector<std::string> names(const System& system) const;
};
SumPlan plan_sums(const System& system, const Scheme& scheme);

}  // namespace mottle::ir
