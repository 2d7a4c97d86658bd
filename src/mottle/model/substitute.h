// mottle/model/substitute.h: [define] names -> their expressions, shared and bounded in size
#pragma once
#include "mottle/model/ast.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace mottle::model {

/// All expressions of a model together, with every definition written out where it is used.
inline constexpr std::size_t kMostNodes = 100'000;

/// Puts definitions into expressions. Trees are shared, so the memory stays small whatever the text; what is written out is bounded.
class Definitions {
   public:
    void add(const std::string& name, ExprPtr expr);
    bool contains(const std::string& name) const { return entries_.count(name) != 0; }
    const std::vector<std::string>& names() const { return names_; }

    /// `expr` without names of definitions; counts towards kMostNodes.
    /// Throws: ModelError if definitions go in a circle, or the result is deeper than kDeepestTree or too large.
    ExprPtr expand(const ExprPtr& expr);
    /// The same for the definition `name`.
    ExprPtr expand_definition(const std::string& name);

   private:
    struct Sized {
        ExprPtr expr;
        std::size_t nodes = 1;  ///< of the tree written out, at most kMostNodes + 1
        int depth = 1;
    };
    struct Entry {
        ExprPtr raw;
        Sized expanded;  ///< set once it was needed
    };
    Sized substitute(const ExprPtr& expr, int above);
    const Sized& definition(Entry& entry, const Expr& use, int above);

    std::unordered_map<std::string, Entry> entries_;
    std::vector<std::string> names_;   ///< in the order of the file
    std::vector<std::string> active_;  ///< being expanded, outermost first
    std::size_t total_ = 0;
};

}  // namespace mottle::model
