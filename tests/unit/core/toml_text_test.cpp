// tests/unit/core/toml_text_test.cpp: characters of UTF-8, and text that may hold any bytes
#include "mottle/core/toml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace toml_text_test {

using namespace mottle::core;

TEST(Utf8, characters_are_one_to_four_bytes) {
    EXPECT_EQ(utf8_character("a", 0), 1u);
    EXPECT_EQ(utf8_character("\xC3\xA9", 0), 2u);
    EXPECT_EQ(utf8_character("x\xE2\x82\xAC", 1), 3u);
    EXPECT_EQ(utf8_character("\xF0\x9F\x90\x8D", 0), 4u);
    EXPECT_EQ(utf8_character("\xED\x9F\xBF", 0), 3u);      // U+D7FF, the last before the surrogates
    EXPECT_EQ(utf8_character("\xF4\x8F\xBF\xBF", 0), 4u);  // U+10FFFF, the last of all
}

// RFC 3629, sections 3 and 4.
TEST(Utf8, what_no_encoder_writes_is_no_character) {
    EXPECT_EQ(utf8_character("", 0), 0u);
    EXPECT_EQ(utf8_character("\xA9", 0), 0u);      // begins in the middle
    EXPECT_EQ(utf8_character("\xE2\x82", 0), 0u);  // breaks off
    EXPECT_EQ(utf8_character("\xC0\xAF", 0), 0u);  // longer than it needs to be, in 2, 3 and 4 bytes
    EXPECT_EQ(utf8_character("\xE0\x9F\xBF", 0), 0u);
    EXPECT_EQ(utf8_character("\xF0\x8F\xBF\xBF", 0), 0u);
    EXPECT_EQ(utf8_character("\xED\xA0\x80", 0), 0u);      // half of a surrogate pair
    EXPECT_EQ(utf8_character("\xF4\x90\x80\x80", 0), 0u);  // beyond U+10FFFF
    EXPECT_EQ(utf8_character("\xF8\x88\x80\x80\x80", 0), 0u);
}

TEST(Utf8, printable_text_steers_no_terminal) {
    EXPECT_EQ(printable_text("a\x1b[31m\tb\n\x7f\u0085\u009b\u202e\u2066"), "a\\u001b[31m\tb\n\\u007f\\u0085\\u009b\\u202e\\u2066");
    EXPECT_EQ(printable_text("\u00a0\u00e9\u20ac\u2029\U0001F40D"), "\u00a0\u00e9\u20ac\u2029\U0001F40D");
    EXPECT_EQ(printable_text(std::string("\0x", 2)), "\\u0000x");
}

TEST(Utf8, text_of_any_bytes_keeps_its_characters) {
    EXPECT_EQ(utf8_text("caf\xC3\xA9.ply"), "caf\xC3\xA9.ply");
    EXPECT_EQ(utf8_text("caf\xE9.ply"), "caf?.ply");
    EXPECT_EQ(utf8_text("\xED\xA0\x80"), "???");
    EXPECT_EQ(utf8_text(std::string(100000, '\xFF')), std::string(100000, '?'));
}

}  // namespace toml_text_test
