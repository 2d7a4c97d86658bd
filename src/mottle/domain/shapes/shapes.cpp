// mottle/domain/shapes/shapes.cpp: built-in surfaces: sphere, torus, plane, cylinder, ellipsoid
#include "mottle/domain/shapes/shapes.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/shapes/tubes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace mottle::domain {

const char* const kShapeList = "sphere:K, torus:R,r,n, plane:WxH[,one], cylinder:r,L,n, ellipsoid:a,b,c,K, snake:N, kaa";

namespace {

constexpr std::array<std::string_view, 7> kNames = {"sphere", "torus", "plane", "cylinder", "ellipsoid", "snake", "kaa"};
using std::numbers::pi;
constexpr Index kFinestSphere = 10;  // 10 million vertices

[[noreturn]] void refuse(const core::Text& text, const std::string& what) {
    throw core::InputError("the shape '" + text.text + "': " + what + "; shapes are " + kShapeList, text.span);
}

[[noreturn]] void refuse_size(const core::Text& text, Index most) {
    refuse(text, "it has more than " + core::grouped(most) + " vertices, the most that fit into memory");
}

/// The numbers after the colon; those left out have the value of `defaults`.
std::vector<double> numbers_of(const core::Text& text, std::vector<double> defaults) {
    const std::size_t colon = text.text.find(':');
    if (colon == std::string::npos) return defaults;
    const std::vector<std::string> words = core::split(std::string_view(text.text).substr(colon + 1), ',');
    if (words.empty() || words.size() > defaults.size())
        refuse(text, "it takes up to " + std::to_string(defaults.size()) + (defaults.size() == 1 ? " number" : " numbers"));
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!core::parse_number(words[i], defaults[i]) || !std::isfinite(defaults[i])) refuse(text, "'" + words[i] + "' is not a number");
    }
    return defaults;
}

Index count_of(const core::Text& text, double value, const char* what, Index lowest, Index highest) {
    if (value != std::floor(value) || value < static_cast<double>(lowest) || value > static_cast<double>(highest)) {
        refuse(text, std::string(what) + " must be a whole number between " + core::grouped(lowest) + " and " + core::grouped(highest) +
                         ", not " + core::number_text(value));
    }
    return static_cast<Index>(value);
}

void require_length(const core::Text& text, double value, const char* what) {
    if (!(value > 0)) refuse(text, std::string(what) + " must be above 0, not " + core::number_text(value));
}

// ---- sphere and ellipsoid

Point on_sphere(const Point& a, const Point& b) {
    Point p{};
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        p[d] = a[d] + b[d];
        square += p[d] * p[d];
    }
    for (double& x : p) x /= std::sqrt(square);
    return p;
}

TriangleSoup icosphere(const core::Text& text, Index level, Index most) {
    if ((Index{10} << (2 * level)) + 2 > most) refuse_size(text, most);
    TriangleSoup soup;
    const double t = std::numbers::phi, s = std::sqrt(1 + t * t);
    for (const Point& p : std::array<Point, 12>{{{-1, t, 0},
                                                 {1, t, 0},
                                                 {-1, -t, 0},
                                                 {1, -t, 0},
                                                 {0, -1, t},
                                                 {0, 1, t},
                                                 {0, -1, -t},
                                                 {0, 1, -t},
                                                 {t, 0, -1},
                                                 {t, 0, 1},
                                                 {-t, 0, -1},
                                                 {-t, 0, 1}}})
        soup.position.push_back({p[0] / s, p[1] / s, p[2] / s});
    soup.faces = {{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                  {3, 9, 4},  {3, 4, 2}, {3, 2, 6}, {3, 6, 8},  {3, 8, 9},   {4, 9, 5}, {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (Index k = 0; k < level; ++k) {
        std::unordered_map<std::uint64_t, Vertex> middles;
        middles.reserve(2 * soup.faces.size());
        auto middle = [&](Vertex a, Vertex b) {
            const auto key = (static_cast<std::uint64_t>(std::min(a, b)) << 32) | static_cast<std::uint64_t>(std::max(a, b));
            const auto [found, is_new] = middles.try_emplace(key, static_cast<Vertex>(soup.position.size()));
            if (is_new)
                soup.position.push_back(on_sphere(soup.position[core::at(std::min(a, b))], soup.position[core::at(std::max(a, b))]));
            return found->second;
        };
        std::vector<Triangle> finer;
        finer.reserve(4 * soup.faces.size());
        for (const auto& [a, b, c] : soup.faces) {
            const Vertex ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
        }
        soup.faces = std::move(finer);
    }
    return soup;
}

TriangleSoup sphere(const core::Text& text, Index most) {
    return icosphere(text, count_of(text, numbers_of(text, {5})[0], "K", 0, kFinestSphere), most);
}

TriangleSoup ellipsoid(const core::Text& text, Index most) {
    const std::vector<double> n = numbers_of(text, {1, 0.7, 0.5, 5});
    for (std::size_t d = 0; d < 3; ++d) require_length(text, n[d], "a half axis");
    TriangleSoup soup = icosphere(text, count_of(text, n[3], "K", 0, kFinestSphere), most);
    for (Point& p : soup.position) {
        for (std::size_t d = 0; d < 3; ++d) p[d] *= n[d];
    }
    return soup;
}

// ---- lattices of vertices: plane, cylinder, torus

/// Two triangles for each square of a lattice of columns x rows vertices, diagonals alternating; `wrap` closes it.
void add_squares(TriangleSoup& soup, Index columns, Index rows, bool wrap_columns, bool wrap_rows, bool one_diagonal) {
    auto vertex = [&](Index i, Index j) { return static_cast<Vertex>(j % rows * columns + i % columns); };
    for (Index j = 0; j < rows - (wrap_rows ? 0 : 1); ++j) {
        for (Index i = 0; i < columns - (wrap_columns ? 0 : 1); ++i) {
            const Vertex a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1), d = vertex(i, j + 1);
            if (one_diagonal || (i + j) % 2 == 0)
                soup.faces.insert(soup.faces.end(), {{a, b, c}, {a, c, d}});
            else
                soup.faces.insert(soup.faces.end(), {{a, b, d}, {b, c, d}});
        }
    }
}

TriangleSoup plane(const core::Text& text, Index most) {
    const std::size_t colon = text.text.find(':');
    std::string size = colon == std::string::npos ? "128x128" : text.text.substr(colon + 1);
    bool one = false;
    if (const std::size_t comma = size.find(','); comma != std::string::npos) {
        if (core::trim(std::string_view(size).substr(comma + 1)) != "one") refuse(text, "after the size only 'one' (diagonal) can stand");
        one = true;
        size.resize(comma);
    }
    const std::vector<std::string> words = core::split(size, 'x');
    std::array<double, 2> count{};
    if (words.size() != 2 || !core::parse_number(words[0], count[0]) || !core::parse_number(words[1], count[1]))
        refuse(text, "the size is written WxH");
    const Index w = count_of(text, count[0], "the number of vertices across", 2, kMostTriangles);
    const Index h = count_of(text, count[1], "the number of vertices down", 2, kMostTriangles);
    if (w > most / h) refuse_size(text, most);
    TriangleSoup soup;
    for (Index j = 0; j < h; ++j) {
        for (Index i = 0; i < w; ++i) soup.position.push_back({static_cast<double>(i), static_cast<double>(j), 0});
    }
    add_squares(soup, w, h, false, false, one);
    return soup;
}

TriangleSoup cylinder(const core::Text& text, Index most) {
    const std::vector<double> n = numbers_of(text, {1, 4, 96});
    require_length(text, n[0], "the radius");
    require_length(text, n[1], "the length");
    const Index around = count_of(text, n[2], "the number of vertices round", 4, 20000);
    if (around % 2 != 0) refuse(text, "the number of vertices round must be even, so that diagonals alternate");
    const double rows_wanted = std::round(n[1] / (2 * pi * n[0] / n[2])) + 1;
    if (rows_wanted * n[2] > static_cast<double>(most)) refuse_size(text, most);
    const Index rows = std::max<Index>(2, static_cast<Index>(rows_wanted));
    TriangleSoup soup;
    for (Index j = 0; j < rows; ++j) {
        for (Index i = 0; i < around; ++i) {
            const double angle = 2 * pi * static_cast<double>(i) / n[2];
            soup.position.push_back(
                {n[0] * std::cos(angle), n[0] * std::sin(angle), n[1] * static_cast<double>(j) / static_cast<double>(rows - 1)});
        }
    }
    add_squares(soup, around, rows, true, false, false);
    return soup;
}

TriangleSoup torus(const core::Text& text, Index most) {
    const std::vector<double> n = numbers_of(text, {1, 0.4, 64});
    require_length(text, n[0], "the radius of the ring");
    require_length(text, n[1], "the radius of the tube");
    if (n[1] >= n[0]) refuse(text, "the tube must be thinner than the ring is wide");
    const Index tube = count_of(text, n[2], "the number of vertices round the tube", 4, 20000);
    if (tube % 2 != 0) refuse(text, "the number of vertices round the tube must be even, so that diagonals alternate");
    const double ring_wanted = 2 * std::round(n[2] * n[0] / n[1] / 2);
    if (ring_wanted * n[2] > static_cast<double>(most)) refuse_size(text, most);
    const auto ring = static_cast<Index>(ring_wanted);
    TriangleSoup soup;
    for (Index j = 0; j < tube; ++j) {
        const double b = 2 * pi * static_cast<double>(j) / n[2];
        for (Index i = 0; i < ring; ++i) {
            const double a = 2 * pi * static_cast<double>(i) / ring_wanted;
            const double r = n[0] + n[1] * std::cos(b);
            soup.position.push_back({r * std::cos(a), r * std::sin(a), n[1] * std::sin(b)});
        }
    }
    add_squares(soup, ring, tube, true, true, false);
    return soup;
}

TriangleSoup snake(const core::Text& text, Index most) {
    const Index count = count_of(text, numbers_of(text, {20000})[0], "the number of vertices", 1000, 20000000);
    if (count > most) refuse_size(text, most);
    return snake_of(static_cast<double>(count));
}

TriangleSoup the_kaa(const core::Text& text, Index most) {
    if (text.text.find(':') != std::string::npos) refuse(text, "kaa is one mesh and takes no numbers");
    TriangleSoup soup = kaa();
    if (static_cast<Index>(soup.position.size()) > most) refuse_size(text, most);
    return soup;
}

}  // namespace

bool is_shape(std::string_view text) {
    const std::string_view word = text.substr(0, text.find(':'));
    return std::find(kNames.begin(), kNames.end(), word) != kNames.end();
}

TriangleSoup make_shape(const core::Text& text, Index most_vertices) {
    constexpr std::array kMakers = {sphere, torus, plane, cylinder, ellipsoid, snake, the_kaa};  // in the order of kNames
    const std::string word = text.text.substr(0, text.text.find(':'));
    const auto* found = std::find(kNames.begin(), kNames.end(), word);
    if (found == kNames.end()) {
        const std::vector<std::string> names(kNames.begin(), kNames.end());
        refuse(text, "there is none named '" + word + "'" + core::did_you_mean(word, names));
    }
    TriangleSoup soup = kMakers[core::at(found - kNames.begin())](text, most_vertices);
    soup.name = text.text;
    soup.polygons = static_cast<Index>(soup.faces.size());
    return soup;
}

}  // namespace mottle::domain
