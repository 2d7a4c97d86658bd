// mottle/ir/lower/classify.h: what an expression depends on: uniform or varying over the domain, time, its neighbours
#pragma once
#include "mottle/model/model.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace mottle::ir {

class Classifier {
   public:
    explicit Classifier(const model::Model& model);

    /// Parameters, numbers, t and sums over all cells alone: no field, map, place, operator or noise of a cell.
    bool is_uniform(const model::Expr& expr) const;
    /// Uses an operator that reads neighbouring cells.
    bool needs_neighbours(const model::Expr& expr) const;
    /// It contains white().
    bool is_random(const model::Expr& expr) const;
    /// The index of a field, or -1.
    int field(const model::Expr& expr) const;
    /// The index of a parameter bound to a map, or -1.
    int map(const model::Expr& expr) const;
    /// The axes of a grid along which a map varies: those of the coordinates that it is made of; all, where pictures, shapes or noise are in it.
    std::array<bool, 3> axes(const model::Expr& map) const;
    /// The fields an expression reads, ascending, each once.
    std::vector<int> fields(const model::Expr& expr) const;

   private:
    enum class Kind { field, uniform, map };
    struct Symbol {
        Kind kind;
        int index;
    };
    const model::Model& model_;
    std::unordered_map<std::string, Symbol> symbols_;
    mutable std::unordered_map<int, std::array<bool, 3>> axes_;  ///< of maps, by parameter
};

/// mean(f) or integral(f).
bool is_sum(const model::Expr& expr);
/// Whether an equation contains white().
bool has_noise(const model::Model& model);
/// The first call of `callee` in the text of `expr`, or null.
const model::Expr* find_call(const model::Expr& expr, model::Callee callee);

}  // namespace mottle::ir
