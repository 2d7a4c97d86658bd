// mottle/domain/readers/read_stl.cpp: STL, ascii and binary; every triangle has vertices of its own, which repair() welds
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/readers/read_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mottle::domain {

namespace {

constexpr std::size_t kHeader = 84, kRecord = 50;

std::uint32_t little(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

TriangleSoup read_binary(std::string_view bytes, const std::string& file) {
    if (bytes.size() < kHeader)
        throw core::InputError(file + ": byte " + std::to_string(bytes.size()) +
                               ": the file ends inside the 84 bytes that a binary STL file begins with");
    const std::size_t count = little(bytes, 80), wanted = kHeader + kRecord * count;
    if (bytes.size() < wanted) {
        throw core::InputError(file + ": byte 80: the file says that it has " + core::grouped(static_cast<Index>(count)) +
                               " triangles, which take " + core::grouped(static_cast<Index>(wanted)) + " bytes, but it has only " +
                               core::grouped(static_cast<Index>(bytes.size())));
    }
    if (static_cast<Index>(3 * count) > kMostTriangles) throw core::InputError(file + ": byte 80: more triangles than a mesh can have");
    TriangleSoup soup;
    soup.position.reserve(3 * count);
    for (std::size_t f = 0; f < count; ++f) {
        for (std::size_t c = 0; c < 3; ++c) {
            Point& p = soup.position.emplace_back();
            for (std::size_t d = 0; d < 3; ++d) {
                const std::size_t at = kHeader + kRecord * f + 12 + 12 * c + 4 * d;
                p[d] = static_cast<double>(std::bit_cast<float>(little(bytes, at)));
                if (!std::isfinite(p[d]))
                    throw core::InputError(file + ": byte " + std::to_string(at) + ": a coordinate is " + core::number_text(p[d]) +
                                           "; it must be finite");
            }
        }
    }
    return soup;
}

/// The words of the format in capitals or not: programs write both.
bool is_word(std::string_view word, std::string_view known) {
    return std::equal(word.begin(), word.end(), known.begin(), known.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

class AsciiReader {
   public:
    AsciiReader(std::string_view bytes, const std::string& file) : lines_(bytes, file) {}

    TriangleSoup read() {
        TriangleSoup soup;
        int corners = -1;  // outside a loop
        bool open = false;
        while (lines_.next_line_of_words()) {
            const std::string_view word = lines_.next_word();
            if (is_word(word, "solid")) {
                open = true;
            } else if (is_word(word, "endsolid")) {
                open = false;
            } else if (is_word(word, "outer")) {
                corners = 0;
            } else if (is_word(word, "vertex")) {
                if (corners < 0 || corners == 3) lines_.fail("a vertex outside 'outer loop', or a fourth one in it", word);
                Point& p = soup.position.emplace_back();
                for (double& x : p) x = lines_.number("a coordinate");
                ++corners;
            } else if (is_word(word, "endloop")) {
                if (corners != 3) lines_.fail("a loop of " + std::to_string(std::max(corners, 0)) + " vertices; it must have 3", word);
                corners = -1;
            } else if (!is_word(word, "facet") && !is_word(word, "endfacet")) {
                lines_.fail("unknown word; an ascii STL file has solid, facet, outer loop, vertex, endloop, endfacet, endsolid", word);
            }
        }
        if (corners >= 0 || open) lines_.fail("the file ends before 'endsolid'");
        return soup;
    }

   private:
    LineReader lines_;
};

/// Programs write "solid" into the headers of binary files too: the size decides, then the words.
bool is_ascii(std::string_view bytes) {
    const std::string_view text = bytes.substr(bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0, 4096);
    if (!is_word(text.substr(0, 5), "solid")) return false;
    if (bytes.size() >= kHeader && bytes.size() == kHeader + kRecord * little(bytes, 80)) return false;
    return text.find("facet") != std::string_view::npos || text.find("FACET") != std::string_view::npos ||
           text.find("endsolid") != std::string_view::npos || text.find("ENDSOLID") != std::string_view::npos;
}

}  // namespace

TriangleSoup read_stl(std::string_view bytes, const std::string& file) {
    TriangleSoup soup = is_ascii(bytes) ? AsciiReader(bytes, file).read() : read_binary(bytes, file);
    for (std::size_t v = 0; v + 2 < soup.position.size(); v += 3)
        soup.faces.push_back({static_cast<Vertex>(v), static_cast<Vertex>(v + 1), static_cast<Vertex>(v + 2)});
    soup.polygons = static_cast<Index>(soup.faces.size());
    return soup;
}

}  // namespace mottle::domain
