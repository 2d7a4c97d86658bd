// mottle/domain/readers/read_text.h: lines and words of a mesh file, with errors that name the place
#pragma once
#include "mottle/core/span.h"
#include "mottle/domain/repair/triangle_soup.h"

#include <span>
#include <string_view>

namespace mottle::domain {

/// What some programs write before a text to say that it is UTF-8.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Walks through the lines of a text and the words of a line. Ends of lines are \n, \r\n or \r; a byte order mark is passed over.
class LineReader {
   public:
    LineReader(std::string_view bytes, const std::string& file)
        : bytes_(bytes), file_(file), next_(bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

    /// Moves to the next line; false at the end. With `continued`, a line that ends in a backslash goes on in the next one.
    bool next_line(bool continued = false);
    /// Moves on to the next line that holds a word before a '#'; false at the end.
    bool next_line_of_words();
    /// The next word of the line, or "". A word that begins with `comment` ends the line.
    std::string_view next_word();
    /// The offset of the line after this one.
    std::size_t next_offset() const { return next_; }
    int line() const { return line_; }

    /// The next word as a finite number. `what`: "a coordinate" for the message.
    double number(const char* what);
    /// The next word as a whole number.
    Index integer(const char* what);
    double number_of(std::string_view word, const char* what) const;
    Index integer_of(std::string_view word, const char* what) const;

    /// Throws: InputError at `word` of this line, or at the line if it is "".
    [[noreturn]] void fail(const std::string& message, std::string_view word = {}) const;

   private:
    std::string_view bytes_;
    const std::string& file_;
    std::size_t begin_ = 0, line_end_ = 0, next_, word_end_ = 0;
    bool continued_ = false;
    int line_ = 0, following_ = 1;
};

/// Polygons as they come, before they are cut into triangles.
class PolygonSoup {
   public:
    TriangleSoup soup;

    /// `line` is told if the polygon turns out to be bad; of binary files it is 0.
    void add(std::span<const Index> corners, int line);
    /// Checks indices and cuts. Throws: InputError (index out of range, too many vertices, a concave polygon of very many corners).
    /// `counted_from`: the number that the format gives to the first vertex.
    TriangleSoup triangulate(const std::string& file, Index counted_from);

   private:
    std::vector<Index> corners_;
    std::vector<std::uint32_t> sizes_;
    std::vector<int> lines_;
};

}  // namespace mottle::domain
