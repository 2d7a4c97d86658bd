// mottle/core/span.h: places in source text, and text that remembers its place
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::core {

/// The whole text of a document, kept so that an error can show the line it speaks of.
struct Source {
    std::string text;
    std::vector<std::size_t> line_starts;  ///< offset of each line's first byte

    /// Line `number` (from 1) without its line ending; "" if there is none.
    std::string_view line(int number) const;
};
std::shared_ptr<const Source> make_source(std::string text);

/// A place in a source file. Lines and columns count from 1, columns in bytes; line 0 means "no line": a file as a whole, or a flag.
struct Span {
    std::string file;
    int line = 0;
    int column = 0;
    int length = 0;
    std::shared_ptr<const Source> source = nullptr;  ///< the document, where known

    /// The line the span begins in, or "" if the source is not known. The text of a flag counts as its one line.
    std::string_view source_line() const;
};

/// Text with the place of its first character.
struct Text {
    std::string text;
    Span span;
};

}  // namespace mottle::core
