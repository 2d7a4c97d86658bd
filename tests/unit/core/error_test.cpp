// tests/unit/core/error_test.cpp: the whole message of each kind of error: place, text, source line, caret
#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace error_test {

using namespace mottle::core;

Span at(int line, int column, int length) { return {"gray-scott.toml", line, column, length}; }

TEST(Error, PlaceSourceLineAndCaret) {
    const ModelError error("unknown name 'kil'; did you mean 'k'?", at(7, 8, 3), "v = \"-(kil)*v\"");
    EXPECT_STREQ(error.what(),
                 "gray-scott.toml:7:8: unknown name 'kil'; did you mean 'k'?\n"
                 "  v = \"-(kil)*v\"\n"
                 "         ^~~");
    EXPECT_EQ(error.message(), "unknown name 'kil'; did you mean 'k'?");
    ASSERT_TRUE(error.span().has_value());
    EXPECT_EQ(error.span()->line, 7);
}

TEST(Error, WithoutSourceLineOnlyThePlace) {
    EXPECT_STREQ(InputError("unknown key 'sise'", at(3, 1, 4)).what(), "gray-scott.toml:3:1: unknown key 'sise'");
    EXPECT_STREQ(InputError("no table", at(3, 0, 0), "[grid]").what(), "gray-scott.toml:3: no table");
}

TEST(Error, AFlagHasANameButNoLine) {
    EXPECT_STREQ(InputError("'x' is not a number", Span{"--set F", 0, 0, 0}, "x").what(), "--set F: 'x' is not a number");
    EXPECT_STREQ(InputError("plain").what(), "plain");
    EXPECT_FALSE(InputError("plain").span().has_value());
}

TEST(Error, TheCaretKeepsTabsAndCountsCharactersNotBytes) {
    const std::string line = "\tw = \"\xC3\xA9 + b\"";  // a two-byte letter before the name: b stands in byte column 12
    EXPECT_EQ(ModelError("unknown name 'b'", at(1, 12, 1), line).what(),
              "gray-scott.toml:1:12: unknown name 'b'\n  " + line + "\n  \t         ^");
}

TEST(Error, AColumnOrLengthBeyondTheLineStaysInIt) {
    EXPECT_STREQ(ModelError("m", at(1, 99, 5), "ab\r\n").what(), "gray-scott.toml:1:99: m\n  ab\n    ^");
    EXPECT_STREQ(ModelError("m", at(1, 2, 99), "abc").what(), "gray-scott.toml:1:2: m\n  abc\n   ^~");
    EXPECT_STREQ(ModelError("m", at(1, 1, -4), "abc").what(), "gray-scott.toml:1:1: m\n  abc\n  ^");
}

TEST(Error, KindsAndExitCodes) {
    const ModelError model("m", at(1, 1, 1));
    const InputError input("m");
    const DeviceError device("m");
    const OutputError output("m");
    const InternalError internal("m");
    const Error* errors[] = {&model, &input, &device, &output, &internal};
    const char* kinds[] = {"model", "input", "device", "output", "internal"};
    const int codes[] = {2, 3, 4, 6, 70};
    for (int i = 0; i < 5; ++i) {
        EXPECT_STREQ(errors[i]->kind(), kinds[i]);
        EXPECT_EQ(errors[i]->exit_code(), codes[i]);
    }
}

}  // namespace error_test
