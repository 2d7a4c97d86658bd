// mottle/model/names.h: the vocabulary of the model language: functions, operators, coordinates and reserved names
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace mottle::model {

/// What a function is made of decides where it may stand.
enum class Use {
    arithmetic,  ///< "+" ... "!=" and "neg": operators, as the parser names them
    pointwise,   ///< everywhere
    derivative,  ///< reads neighbouring cells: in equations
    source,      ///< a start or a map: in initial expressions and parameters
    stochastic,  ///< changes with every step: in equations
    sum,         ///< one number of all cells: in equations
};

struct Function {
    std::string_view name;
    std::size_t least, most;  ///< numbers of arguments
    Use use;
    std::string_view usage;  ///< how it is written
};

/// All functions; the arithmetic ones first.
std::span<const Function> functions();
/// The function of that name, or nullptr.
const Function* find_function(std::string_view name);

/// x y z X Y Z.
bool is_coordinate(std::string_view name);
/// What to write for a name that other languages use ("ln" -> "log(a)"), or "".
std::string_view foreign_name_hint(std::string_view name);

/// Letters, digits and _, not beginning with a digit, at most kLongestName characters.
inline constexpr std::size_t kLongestName = 64;
bool is_name(std::string_view text);
constexpr bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

}  // namespace mottle::model
