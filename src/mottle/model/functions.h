// mottle/model/functions.h: the functions and operators of the model language; functions.def holds the table
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mottle::model {

/// What a call calls: "+" is add, "lap" is lap. none: a name that the language does not know.
enum class Callee : std::uint8_t {
    none,
#define MOTTLE_POINTWISE(id, ...) id,
#define MOTTLE_OPERATOR(id, ...) id,
#define MOTTLE_SOURCE(id, ...) id,
#include "mottle/model/functions.def"
};

/// What a function is made of decides where it may stand.
enum class Use : std::uint8_t {
    arithmetic,  ///< "+" ... "!=" and "neg": operators, as the parser names them
    pointwise,   ///< everywhere
    derivative,  ///< reads neighbouring cells: in equations
    source,      ///< a start or a map: in initial expressions and parameters
    stochastic,  ///< changes with every step: in equations
    sum,         ///< one number of all cells: in equations
    internal,    ///< made when equations are brought to their normal form; nobody can type it
};

/// What an operator makes of the fields in its arguments.
enum class Shape : std::uint8_t {
    none,       ///< it reads no neighbours
    stencil,    ///< a number for each cell, linear in the field
    gradients,  ///< a number for each cell, a product of two gradients
    vector,
    tensor,
};

struct Function {
    Callee callee;
    std::string_view name;
    std::size_t least, most;  ///< numbers of arguments
    Use use;
    Shape shape;
    unsigned draws;          ///< random numbers that it takes for each cell, at the start or, if stochastic, in each step
    int ulps;                ///< the largest error of its value, in units of the last place; 0: exact, or rounded once
    std::string_view usage;  ///< how it is written
    std::string_view meaning;
};

/// All functions that can be typed; the arithmetic ones first.
std::span<const Function> functions();
/// The function of that name, or nullptr.
const Function* find_function(std::string_view name);
/// `callee`: not none.
const Function& function_of(Callee callee);

}  // namespace mottle::model
