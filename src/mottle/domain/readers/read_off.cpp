// mottle/domain/readers/read_off.cpp: OFF, the Object File Format of Geomview
#include "mottle/core/text.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/readers/read_text.h"

namespace mottle::domain {

namespace {

/// Reads "x y z" lines, "n i j k" lines; what follows in a line (colours, normals) is not looked at.
class OffReader {
   public:
    OffReader(std::string_view bytes, const std::string& file) : lines_(bytes, file), file_(file), size_(bytes.size()) {}

    TriangleSoup read() {
        if (!lines_.next_line_of_words()) lines_.fail("an OFF file begins with the word OFF; this one is empty");
        const std::string_view word = lines_.next_word();
        if (word != "OFF" && word != "COFF" && word != "NOFF" && word != "CNOFF" && word != "STOFF")
            lines_.fail("an OFF file begins with the word OFF (or COFF, NOFF, STOFF)", word);
        std::string_view count = lines_.next_word();  // the counts may stand in the first line
        if (count == "BINARY") lines_.fail("binary OFF files are not read; write it as text", count);
        if (count.empty()) {
            if (!lines_.next_line_of_words()) lines_.fail("the counts of vertices and faces are missing");
            count = lines_.next_word();
        }
        const Index vertices = bounded(lines_.integer_of(count, "the number of vertices"), "vertices");
        const Index faces = bounded(lines_.integer("the number of faces"), "faces");
        polygons_.soup.position.reserve(core::at(vertices));
        for (Index i = 0; i < vertices; ++i) {
            next("vertices", i, vertices);
            Point& p = polygons_.soup.position.emplace_back();
            for (double& x : p) x = lines_.number("a coordinate");
        }
        std::vector<Index> face;
        for (Index i = 0; i < faces; ++i) {
            next("faces", i, faces);
            const Index corners = lines_.integer("the number of corners");
            if (corners < 3 || corners > static_cast<Index>(size_))
                lines_.fail("a face of " + std::to_string(corners) + " corners; it needs 3 or more");
            face.clear();
            for (Index c = 0; c < corners; ++c) face.push_back(lines_.integer("the index of a vertex"));
            polygons_.add(face, lines_.line());
        }
        return polygons_.triangulate(file_, 0);
    }

   private:
    /// A line takes at least two bytes, so a count beyond the size of the file is a lie.
    Index bounded(Index count, const char* what) const {
        if (count < 0) lines_.fail("the number of " + std::string(what) + " is negative: " + std::to_string(count));
        if (count > static_cast<Index>(size_ / 2))
            lines_.fail("the file says that it has " + core::grouped(count) + " " + what + ", but it has only " +
                        core::grouped(static_cast<Index>(size_)) + " bytes");
        return count;
    }

    void next(const char* what, Index have, Index want) {
        if (!lines_.next_line_of_words())
            lines_.fail("the file ends after " + core::grouped(have) + " of " + core::grouped(want) + " " + what);
    }

    LineReader lines_;
    const std::string& file_;
    std::size_t size_;
    PolygonSoup polygons_;
};

}  // namespace

TriangleSoup read_off(std::string_view bytes, const std::string& file) { return OffReader(bytes, file).read(); }

}  // namespace mottle::domain
