// mottle/core/toml_text.h: checks and conversions of text before and after the TOML parser
#pragma once
#include "mottle/core/span.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mottle::core {

/// Bytes of the UTF-8 character that begins with `lead`; 0 if none does.
std::size_t utf8_length(unsigned char lead);
/// Bytes of the UTF-8 character at `at`; 0 if there is none: a wrong or missing byte, a longer spelling than the shortest, half of a surrogate pair.
std::size_t utf8_character(std::string_view text, std::size_t at);

/// Refuses text that is not UTF-8, keys of so many parts that the trees of toml++ overflow the stack (they nest tables without a
/// bracket to count), characters beyond ASCII outside quotes and comments, and those that shielded() has a use for.
/// Throws: InputError with the place.
void check_toml_text(const std::string& file, const std::shared_ptr<const Source>& source);

/// Checked text as toml++ may see it: its tables of Unicode blanks are not total (it runs into __builtin_unreachable() for U+00B7,
/// say), so characters from U+0080 to U+FFFF stand 2^20 higher, where none is a blank. As many characters as before, none lost.
std::string shielded(std::string_view text);
/// What shielded() has done to texts, keys and messages taken back.
std::string unshielded(std::string_view text);

/// Text with a question mark for every byte that is no UTF-8: names of files may hold any.
std::string utf8_text(std::string text);

/// UTF-8 text for a terminal: characters that steer it or turn lines around are escapes (\u001b), but for line ends and tabs.
std::string printable_text(std::string_view text);

/// UTF-8 text in quotes, with what cannot stand there escaped.
std::string toml_string(std::string_view text);

}  // namespace mottle::core
