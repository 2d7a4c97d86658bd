// mottle/core/text.h: formatting, numbers as text, and the nearest name for "did you mean"
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::core {

/// The name of `known` nearest to `name` by edit distance (at most max(1, length/3); case ignored, a swap of neighbours is one; of several the
/// one that begins most alike, then the first), else the longest that `name` continues by one or two letters ("kil" for "k") or begins ("diff"
/// for "diffusion"), else "".
std::string nearest_name(std::string_view name, std::span<const std::string> known);
/// "; did you mean 'x'?" or "" (for the end of a message).
std::string did_you_mean(std::string_view name, std::span<const std::string> known);
/// The same before one more part of the message: "; did you mean 'x'? There are x, y", or "; there are x, y".
std::string did_you_mean(std::string_view name, std::span<const std::string> known, const std::string& rest);

inline std::string str(long long value) { return std::to_string(value); }
/// The shortest text that reads back as the same double; of any NaN "nan".
std::string number_text(double value);
/// So many digits at most, for a reader: (1234.56, 3) -> "1.23e+03", (0.5, 3) -> "0.5".
std::string rounded_text(double value, int digits);
/// The same, without an exponent where possible: (1234.56, 3) -> "1230".
std::string plain_text(double value, int digits = 3);
/// 1234567 -> "1,234,567".
std::string grouped(long long value);
/// The number with the noun that goes with it: 1 copy, 1,234 copies.
std::string counted(long long count, std::string_view one, std::string_view many);
/// "a", "a and b", "a, b and c", `last` being the word before the last.
std::string listed(std::span<const std::string> words, std::string_view last);
/// "a, b and c"; of more than 8 words the first 6 and how many others there are.
std::string listed_briefly(std::span<const std::string> words);
/// A quantity with an SI prefix and three digits: (9.71e9, "cells/s") -> "9.71 Gcells/s".
std::string si_text(double value, std::string_view unit);

/// Splits at `separator`, trimming blanks; "" gives {}.
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// Converts ASCII letters to lower case.
std::string lower_case(std::string text);
/// `text` with every `part` cut out.
std::string without(std::string text, std::string_view part);
/// Parses the whole of `text` as a double (no trailing characters). False if it is none.
bool parse_number(std::string_view text, double& value);
bool parse_integer(std::string_view text, long long& value);

}  // namespace mottle::core
