// mottle/model/names.h: names of the model language other than functions: coordinates, reserved words, names from other languages
#pragma once
#include <cstddef>
#include <string_view>

namespace mottle::model {

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
