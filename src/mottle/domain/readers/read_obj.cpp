// mottle/domain/readers/read_obj.cpp: Wavefront OBJ
#include "mottle/core/text.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/readers/read_text.h"

#include <algorithm>

namespace mottle::domain {

namespace {

constexpr std::size_t kMostCorners = 1000000;
/// Statements of the format that say nothing about the surface.
constexpr std::array<std::string_view, 29> kSkipped = {
    "vn",    "vp",       "o",        "g",    "s",          "mg",        "usemtl", "mtllib", "l",      "p",
    "bevel", "c_interp", "d_interp", "lod",  "shadow_obj", "trace_obj", "usemap", "maplib", "cstype", "deg",
    "curv",  "curv2",    "surf",     "parm", "trim",       "hole",      "scrv",   "sp",     "end"};

class ObjReader {
   public:
    ObjReader(std::string_view bytes, const std::string& file) : lines_(bytes, file), file_(file) {}

    TriangleSoup read() {
        while (lines_.next_line(true)) {
            const std::string_view word = lines_.next_word();
            if (word.empty()) continue;
            if (word == "v")
                read_vertex();
            else if (word == "vt")
                read_texture();
            else if (word == "f")
                read_face();
            else if (std::find(kSkipped.begin(), kSkipped.end(), word) == kSkipped.end())
                lines_.fail("unknown statement at the start of a line; an OBJ file has v, vt, vn, f, ...", word);
        }
        TriangleSoup& soup = polygons_.soup;
        if (!textures_.empty() && !texture_of_.empty()) {
            texture_of_.resize(soup.position.size(), -1);
            for (const Index i : texture_of_)
                soup.texture.push_back(i < 0 || i >= static_cast<Index>(textures_.size()) ? std::array<double, 2>{}
                                                                                          : textures_[core::at(i)]);
        }
        if (!colours_.empty() && colours_.size() == soup.position.size()) {
            constexpr std::array kNames = {"red", "green", "blue"};
            for (std::size_t c = 0; c < 3; ++c) {
                Attribute& attribute = soup.attributes.emplace_back(Attribute{kNames[c], {}});
                for (const auto& colour : colours_) attribute.values.push_back(colour[c]);
            }
        }
        return polygons_.triangulate(file_, 1);
    }

   private:
    void read_vertex() {
        Point& p = polygons_.soup.position.emplace_back();
        for (double& x : p) x = lines_.number("a coordinate");
        std::array<double, 4> further{};  // w, or r g b, or w r g b
        std::size_t count = 0;
        for (std::string_view word = lines_.next_word(); !word.empty(); word = lines_.next_word()) {
            if (count == further.size()) lines_.fail("a vertex has at most 7 numbers: x y z w r g b", word);
            further[count++] = lines_.number_of(word, "a number of a vertex");
        }
        if (count >= 3) colours_.push_back({further[count - 3], further[count - 2], further[count - 1]});
    }

    void read_texture() {
        std::array<double, 2>& t = textures_.emplace_back();
        t[0] = lines_.number("a texture coordinate");
        const std::string_view second = lines_.next_word();
        if (!second.empty()) t[1] = lines_.number_of(second, "a texture coordinate");
    }

    /// 1, 2, ... from the start of the file, -1, -2, ... from here back; 0 to count - 1 as result, which may lie ahead if positive.
    Index resolve(std::string_view word, const char* what, std::size_t count) const {
        const Index index = lines_.integer_of(word, what);
        if (index == 0) lines_.fail(std::string(what) + " is 0; OBJ counts from 1", word);
        if (index > 0) return index - 1;
        if (index < -static_cast<Index>(count))
            lines_.fail(std::string(what) + " goes back to " + std::to_string(index) + ", but only " +
                            core::grouped(static_cast<Index>(count)) + " come before it",
                        word);
        return index + static_cast<Index>(count);
    }

    void read_face() {
        face_.clear();
        for (std::string_view word = lines_.next_word(); !word.empty(); word = lines_.next_word()) {
            const std::size_t slash = word.find('/');
            const Index vertex = resolve(word.substr(0, slash), "the index of a vertex", polygons_.soup.position.size());
            if (vertex >= static_cast<Index>(polygons_.soup.position.size()) && vertex >= kMostTriangles)
                lines_.fail("the index of a vertex is beyond what a mesh can have", word);
            face_.push_back(vertex);
            if (slash != std::string_view::npos) read_corner_texture(word.substr(slash + 1), vertex);
            if (face_.size() > kMostCorners) lines_.fail("a face of more than 1,000,000 corners", word);
        }
        if (face_.size() < 3) lines_.fail("a face needs at least 3 vertices, this one has " + std::to_string(face_.size()));
        polygons_.add(face_, lines_.line());
    }

    /// A vertex on a seam has several texture coordinates: the first one counts. Those that the file does not have are passed over.
    void read_corner_texture(std::string_view word, Index vertex) {
        const std::string_view first = word.substr(0, word.find('/'));
        if (first.empty()) return;
        const Index texture = resolve(first, "the index of a texture coordinate", textures_.size());
        if (vertex >= static_cast<Index>(polygons_.soup.position.size())) return;
        texture_of_.resize(std::max(texture_of_.size(), polygons_.soup.position.size()), -1);
        Index& mine = texture_of_[core::at(vertex)];
        if (mine < 0) mine = texture;
    }

    LineReader lines_;
    const std::string& file_;
    PolygonSoup polygons_;
    std::vector<std::array<double, 2>> textures_;
    std::vector<Index> texture_of_, face_;
    std::vector<std::array<double, 3>> colours_;
};

}  // namespace

TriangleSoup read_obj(std::string_view bytes, const std::string& file) { return ObjReader(bytes, file).read(); }

}  // namespace mottle::domain
