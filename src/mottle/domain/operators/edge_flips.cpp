// mottle/domain/operators/edge_flips.cpp: random edge flips on an oriented manifold
#include "mottle/domain/operators/edge_flips.h"

#include "mottle/core/cancellation.h"
#include "mottle/domain/mesh/vector_algebra.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace mottle::domain {
namespace {

constexpr double kLargestCosine = 0.9945;  // of 6 degrees
constexpr int kFewestNeighbours = 3;
constexpr int kRounds = 40;  // of as many tries as there are faces

using core::at;

class Flipper {
   public:
    explicit Flipper(TriangleSoup& soup) : soup_(soup), valence_(soup.position.size(), 0) {
        for (std::size_t f = 0; f < soup.faces.size(); ++f) link(static_cast<Index>(f));
        for (const auto& [edge, face] : face_of_) {
            (void)face;
            const auto a = static_cast<Vertex>(edge >> 32), b = static_cast<Vertex>(edge & 0xffffffffu);
            ++valence_[at(a)];
            if (!face_of_.contains(key(b, a))) ++valence_[at(b)];  // a border edge has one direction
        }
        for (const int v : valence_) sum_ += v, squares_ += static_cast<double>(v) * v;
    }

    double variance() const {
        const auto count = static_cast<double>(valence_.size());
        return squares_ / count - sum_ / count * (sum_ / count);
    }

    void run(double wanted) {
        const std::uint64_t tries = kRounds * soup_.faces.size();
        for (std::uint64_t i = 0; i < tries && variance() < wanted; ++i) {
            core::cancellation_point();
            state_ = state_ * 6364136223846793005u + 1442695040888963407u;
            const std::uint64_t draw = state_ >> 33;
            try_flip(static_cast<Index>(draw / 3 % soup_.faces.size()), static_cast<std::size_t>(draw % 3));
        }
    }

   private:
    static std::uint64_t key(Vertex a, Vertex b) { return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b); }

    void link(Index face) {
        const Triangle& f = soup_.faces[at(face)];
        for (std::size_t k = 0; k < 3; ++k) face_of_[key(f[k], f[(k + 1) % 3])] = face;
    }

    /// Every angle above 6 degrees.
    bool is_good(const Triangle& f) const {
        for (std::size_t k = 0; k < 3; ++k) {
            const Point &p = soup_.position[at(f[k])], &q = soup_.position[at(f[(k + 1) % 3])], &r = soup_.position[at(f[(k + 2) % 3])];
            const Point a = minus(q, p), b = minus(r, p);
            if (dot(a, b) > kLargestCosine * std::sqrt(dot(a, a) * dot(b, b))) return false;
        }
        return true;
    }

    Point normal(const Triangle& f) const {
        return cross(minus(soup_.position[at(f[1])], soup_.position[at(f[0])]), minus(soup_.position[at(f[2])], soup_.position[at(f[0])]));
    }

    void try_flip(Index face, std::size_t side) {
        const Triangle f = soup_.faces[at(face)];
        const Vertex a = f[side], b = f[(side + 1) % 3], c = f[(side + 2) % 3];
        const auto other = face_of_.find(key(b, a));
        if (other == face_of_.end()) return;
        const Index beyond = other->second;
        const Triangle g = soup_.faces[at(beyond)];
        const Vertex d = g[0] != a && g[0] != b ? g[0] : g[1] != a && g[1] != b ? g[1] : g[2];
        if (valence_[at(a)] <= kFewestNeighbours || valence_[at(b)] <= kFewestNeighbours) return;
        if (face_of_.contains(key(c, d)) || face_of_.contains(key(d, c))) return;
        const Triangle first{a, d, c}, second{d, b, c};
        if (!is_good(first) || !is_good(second)) return;
        const Point old_normal = normal(f);
        if (dot(normal(first), old_normal) <= 0 || dot(normal(second), old_normal) <= 0 || dot(normal(first), normal(second)) <= 0) return;
        face_of_.erase(key(a, b));
        face_of_.erase(key(b, a));
        soup_.faces[at(face)] = first;
        soup_.faces[at(beyond)] = second;
        link(face);
        link(beyond);
        change(a, -1), change(b, -1), change(c, 1), change(d, 1);
    }

    void change(Vertex v, int by) {
        int& valence = valence_[at(v)];
        squares_ -= static_cast<double>(valence) * valence;
        valence += by;
        sum_ += by;
        squares_ += static_cast<double>(valence) * valence;
    }

    TriangleSoup& soup_;
    std::unordered_map<std::uint64_t, Index> face_of_;  ///< by directed edge
    std::vector<int> valence_;
    double sum_ = 0, squares_ = 0;
    std::uint64_t state_ = 20131;
};

}  // namespace

void flip_edges(TriangleSoup& soup, double variance) { Flipper(soup).run(variance); }

}  // namespace mottle::domain
