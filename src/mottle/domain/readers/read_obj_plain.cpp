// mottle/domain/readers/read_obj_plain.cpp: OBJ files of points and triangles alone, on all threads
#include "mottle/core/large_array.h"
#include "mottle/domain/mesh/incidence.h"
#include "mottle/domain/readers/read.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstring>

namespace mottle::domain {

namespace {

bool is_plain_blank(char c) { return c == ' ' || c == '\t'; }

/// One line without its end, read from left to right.
struct Line {
    const char *at, *end;

    void skip_blanks() {
        while (at < end && is_plain_blank(*at)) ++at;
    }
    bool is_empty() const { return at == end; }
    /// The letter before a blank: 'v' or 'f'; else 0.
    char statement() {
        skip_blanks();
        return end - at >= 2 && is_plain_blank(at[1]) ? *at : '\0';
    }
    /// A number and the blanks round it, in a face also "7//3", 3 being a normal, which nobody needs. False: something else, which the strict reader judges.
    template <class Number>
    bool read(Number& number, bool in_face) {
        skip_blanks();
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc()) return false;
        at = next;
        if (in_face && end - at > 2 && at[0] == '/' && at[1] == '/')
            at = std::find_if(at + 2, end, [](char c) { return c < '0' || c > '9'; });
        if (at < end && !is_plain_blank(*at)) return false;
        skip_blanks();
        return true;
    }
};

/// A share of the bytes that begins and ends with a line.
struct Share {
    const char *begin = nullptr, *end = nullptr;
    std::size_t points = 0, faces = 0;  ///< counted in it

    /// Calls line(Line) until it says false.
    template <class Visit>
    bool for_lines(Visit&& visit) const {
        for (const char* at = begin; at < end;) {
            const auto* next = static_cast<const char*>(std::memchr(at, '\n', core::at(end - at)));
            const char* stop = next ? next : end;
            Line line{at, stop > at && stop[-1] == '\r' ? stop - 1 : stop};
            if (!visit(line)) return false;
            at = next ? next + 1 : end;
        }
        return true;
    }

    void count() {
        for_lines([&](Line line) {
            const char statement = line.statement();
            points += statement == 'v';
            faces += statement == 'f';
            return true;
        });
    }

    bool read(Point* point, Triangle* face) const {
        return for_lines([&](Line line) {
            line.skip_blanks();
            if (line.is_empty()) return true;
            const char statement = line.statement();
            if (statement == 'v') {
                ++line.at;
                for (double& x : *point) {
                    if (!line.read(x, false) || !std::isfinite(x)) return false;
                }
                ++point;
                return line.is_empty();
            }
            if (statement == 'f') {
                ++line.at;
                for (Vertex& v : *face) {
                    Index index = 0;
                    if (!line.read(index, true) || index < 1 || index > kMostTriangles) return false;
                    v = static_cast<Vertex>(index - 1);
                }
                ++face;
                return line.is_empty();
            }
            // Comments, names of groups and normals; what goes on in the next line is for the strict reader.
            const auto length = core::at(line.end - line.at);
            const bool normal = length > 2 && line.at[0] == 'v' && line.at[1] == 'n' && is_plain_blank(line.at[2]);
            if (*line.at != '#' && !normal && statement != 'g' && statement != 'o' && statement != 's') return false;
            return std::memchr(line.at, '\\', length) == nullptr && std::memchr(line.at, '\r', length) == nullptr;
        });
    }
};

}  // namespace

std::optional<TriangleSoup> read_plain_obj(std::string_view bytes, core::ThreadTeam& team) {
    std::vector<Share> shares(core::at(team.size()));
    const char* const end = bytes.data() + bytes.size();
    const char* at = bytes.data();
    for (std::size_t w = 0; w < shares.size(); ++w) {
        shares[w].begin = at;
        const char* goal = std::max(at, bytes.data() + bytes.size() * (w + 1) / shares.size());
        const auto* line = goal < end ? static_cast<const char*>(std::memchr(goal, '\n', core::at(end - goal))) : nullptr;
        at = line ? line + 1 : end;
        shares[w].end = at;
    }
    team.run([&](int worker) { shares[core::at(worker)].count(); });
    std::size_t points = 0, faces = 0;
    for (const Share& share : shares) points += share.points, faces += share.faces;
    if (points == 0 || faces == 0 || points > core::at(kMostTriangles) || faces > core::at(kMostTriangles)) return std::nullopt;
    TriangleSoup soup;
    core::reserve_large(soup.position, points);
    core::reserve_large(soup.faces, faces);
    soup.position.resize(points);
    soup.faces.resize(faces);
    soup.polygons = static_cast<Index>(faces);
    std::atomic<bool> plain = true;
    team.run([&](int worker) {
        std::size_t point = 0, face = 0;
        for (int w = 0; w < worker; ++w) {
            point += shares[core::at(w)].points;
            face += shares[core::at(w)].faces;
        }
        const Share& share = shares[core::at(worker)];
        const bool good = share.read(soup.position.data() + point, soup.faces.data() + face) &&
                          std::all_of(soup.faces.begin() + static_cast<std::ptrdiff_t>(face),
                                      soup.faces.begin() + static_cast<std::ptrdiff_t>(face + share.faces), [&](const Triangle& f) {
                                          return core::at(std::max({f[0], f[1], f[2]})) < points;
                                      });
        if (!good) plain = false;
    });
    if (!plain) return std::nullopt;
    return soup;
}

}  // namespace mottle::domain
