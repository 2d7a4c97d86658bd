// mottle/core/span.h: places in source text, and text that remembers its place
#pragma once
#include <string>

namespace mottle::core {

/// A place in a source file. Lines and columns count from 1, columns in bytes; line 0 means "no place".
struct Span {
    std::string file;
    int line = 0;
    int column = 0;
    int length = 0;
};

/// Text with the place of its first character.
struct Text {
    std::string text;
    Span span;
};

}  // namespace mottle::core
