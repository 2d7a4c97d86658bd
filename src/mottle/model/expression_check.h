// mottle/model/expression_check.h: names, arguments and kinds of one expression, against what its place in the file allows
#pragma once
#include "mottle/model/ast.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mottle::model {

/// What a name of the file stands for.
enum class Symbol { field, number, map, definition };

/// The names of a model in the order of the file.
class Symbols {
   public:
    void add(const std::string& name, Symbol symbol);
    std::optional<Symbol> find(const std::string& name) const;
    const std::vector<std::string>& names() const { return names_; }

   private:
    std::unordered_map<std::string, Symbol> symbols_;
    std::vector<std::string> names_;
};

/// Where an expression stands.
enum class Place {
    rate,        ///< fields, parameters, coordinates, t, operators
    position,    ///< an initial value or a map: coordinates, parameters, noise(), disk() ...
    uniform,     ///< a boundary value: parameters and t
    frame,       ///< the step of frame n: n alone
    definition,  ///< wherever the definition is used: its names must exist
};

struct Scope {
    Place place = Place::rate;
    std::string what;    ///< for messages: "du/dt", "the initial value of u"
    bool depth = false;  ///< the domain has a third axis
    std::string own{};   ///< the parameter or definition that the expression is of: it cannot be used in itself
};

/// Checks an expression whose definitions are written out. Throws: ModelError with the place of the first fault.
void check_expression(const Expr& expr, const Symbols& symbols, const Scope& scope);

}  // namespace mottle::model
