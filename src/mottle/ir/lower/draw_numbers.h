// mottle/ir/lower/draw_numbers.h: numbers the random draws of a model by the place of each call in its file
#pragma once
#include "mottle/model/model.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mottle::ir {

/// Random numbers that a call takes in each cell: noise one, spots three, any other expression by itself none.
std::uint32_t draws_of(const model::Expr& expr);
/// Whether there is a call of noise() or spots() in `expr`.
bool draws_numbers(const model::Expr& expr);
/// Normal numbers that a call takes in each cell and step: white one, any other expression by itself none.
std::uint32_t steps_draws_of(const model::Expr& expr);

/// Every call of a model that `count` counts has draws of its own: numbered by file, line and column, so that neither the order in which
/// expressions are lowered nor a second use of a [define] name changes a number. Calls given by flags come after those of the files; files come in the
/// order in which the model's expressions meet them, whatever they are called.
/// Needs texts that know their document (core::Span::source), as every text of a model file or flag does.
class DrawNumbers {
   public:
    using Count = std::uint32_t (*)(const model::Expr& expr);

    explicit DrawNumbers(const model::Model& model, Count count = draws_of);
    /// The first draw of `call`. Throws: ModelError (too many draws), InternalError (no random call of the model).
    std::uint32_t first(const model::Expr& call) const;

   private:
    using Place = std::tuple<bool, std::size_t, int, int>;
    Place place_of(const core::Span& span) const;
    Count count_;
    std::vector<std::string> files_;
    std::map<Place, std::uint32_t> first_;
};

}  // namespace mottle::ir
