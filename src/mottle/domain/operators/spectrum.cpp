// mottle/domain/operators/spectrum.cpp: Lanczos and Gershgorin on the Laplacian of a mesh
#include "mottle/domain/operators/spectrum.h"

#include "mottle/core/cancellation.h"
#include "mottle/domain/mesh/incidence.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mottle::domain {

namespace {

constexpr int kMostSteps = 40, kFewestSteps = 12;
constexpr double kSettled = 1e-3;  // change of the eigenvalue over kFewestSteps/3 steps
constexpr double kMargin = 1.05;   // docs/numerics.md, "Triangle meshes"
constexpr Index kBlock = 4096;     // sums are taken block by block, so that threads do not change them

using core::at;

/// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the number of negative pivots.
double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& beside) {
    double lo = 0, hi = 0;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        hi = std::max(hi,
                      std::abs(diagonal[i]) + (i > 0 ? std::abs(beside[i - 1]) : 0) + (i + 1 < diagonal.size() ? std::abs(beside[i]) : 0));
        lo = std::max(lo, diagonal[i]);
    }
    for (int round = 0; round < 60; ++round) {
        const double middle = 0.5 * (lo + hi);
        double pivot = 1;
        bool above = false;  // an eigenvalue lies above `middle`
        for (std::size_t i = 0; i < diagonal.size() && !above; ++i) {
            pivot = diagonal[i] - middle - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0);
            above = !(pivot < 0);
        }
        (above ? lo : hi) = middle;
    }
    return hi;
}

class Lanczos {
   public:
    Lanczos(const MeshOperators& rows, core::ThreadTeam& team) : rows_(rows), team_(team), count_(static_cast<Index>(rows.mass.size())) {
        blocks_ = (count_ + kBlock - 1) / kBlock;
        partial_.resize(at(blocks_));
        root_.resize(at(count_));
        over_blocks([&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) root_[at(i)] = 1 / std::sqrt(rows_.mass[at(i)]);
            return 0.0;
        });
    }

    /// `enough`: from where on more steps change nothing.
    double run(const std::vector<double>& start, double enough) {
        std::vector<double> q = start, before(at(count_)), next(at(count_)), scaled(at(count_)), diagonal, beside, found;
        double length = std::sqrt(over_blocks([&](Index b, Index e) { return product(q, q, b, e); }));
        for (double& x : q) x /= length;
        for (int step = 0; step < kMostSteps; ++step) {
            over_blocks([&](Index b, Index e) {
                for (Index i = b; i < e; ++i) scaled[at(i)] = q[at(i)] * root_[at(i)];
                return 0.0;
            });
            const double last = beside.empty() ? 0 : beside.back();
            diagonal.push_back(over_blocks([&](Index b, Index e) {
                for (Index i = b; i < e; ++i) next[at(i)] = root_[at(i)] * stiffness(scaled, i) - last * before[at(i)];
                return product(next, q, b, e);
            }));
            const double alpha = diagonal.back();
            length = std::sqrt(over_blocks([&](Index b, Index e) {
                for (Index i = b; i < e; ++i) next[at(i)] -= alpha * q[at(i)];
                return product(next, next, b, e);
            }));
            found.push_back(largest_eigenvalue(diagonal, beside));
            if (!(length > 1e-12 * found.back())) break;  // the whole space is searched
            if (found.back() >= enough) break;
            if (step >= kFewestSteps && found.back() - found[found.size() - 1 - kFewestSteps / 3] < kSettled * found.back()) break;
            beside.push_back(length);
            std::swap(before, q);
            over_blocks([&](Index b, Index e) {
                for (Index i = b; i < e; ++i) q[at(i)] = next[at(i)] / length;
                return 0.0;
            });
        }
        return found.back();
    }

   private:
    static double product(const std::vector<double>& a, const std::vector<double>& b, Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) sum += a[at(i)] * b[at(i)];
        return sum;
    }

    double stiffness(const std::vector<double>& f, Index i) const {
        double sum = 0;
        for (Index e = rows_.first[at(i)]; e < rows_.first[at(i) + 1]; ++e)
            sum += rows_.cotangent[at(e)] * (f[at(i)] - f[at(rows_.neighbour[at(e)])]);
        return sum;
    }

    double over_blocks(const std::function<double(Index begin, Index end)>& work) {
        core::cancellation_point();
        share_out(team_, blocks_, [&](Index first, Index last, int) {
            for (Index b = first; b < last; ++b) partial_[at(b)] = work(b * kBlock, std::min(count_, (b + 1) * kBlock));
        });
        double sum = 0;
        for (double x : partial_) sum += x;
        return sum;
    }

    const MeshOperators& rows_;
    core::ThreadTeam& team_;
    Index count_, blocks_ = 0;
    std::vector<double> partial_, root_;
};

/// Gershgorin's bound, and the bound of each row with a sign drawn for it: where Lanczos starts, as stiff places weigh more.
Spectrum bound_of(const Surface& surface, const MeshOperators& operators, core::ThreadTeam& team, std::vector<double>& start) {
    const auto count = static_cast<Index>(operators.mass.size());
    Spectrum spectrum;
    start.resize(at(count));
    share_out(team, count, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            double own = 0, others = 0;
            for (Index e = operators.first[at(i)]; e < operators.first[at(i) + 1]; ++e) {
                own += operators.cotangent[at(e)];
                others += std::abs(operators.cotangent[at(e)]);
            }
            start[at(i)] = (std::abs(own) + others) / operators.mass[at(i)];
        }
    });
    std::uint64_t random = 0x9e3779b97f4a7c15u;
    auto visit = [&](Vertex v) {
        double& bound = start[at(v)];
        if (bound > spectrum.gershgorin) {
            spectrum.gershgorin = bound;
            spectrum.worst = v;
        }
        random = random * 6364136223846793005u + 1442695040888963407u;
        bound *= (random >> 63) != 0 ? 1.0 : -1.0;
    };
    if (surface.keeps_order()) {
        for (Vertex v = 0; v < count; ++v) visit(v);
    } else {  // signs and the first of equals go by the file
        for (const Vertex v : surface.in_file_order()) visit(v);
    }
    spectrum.largest = spectrum.gershgorin;
    return spectrum;
}

/// Of the sides of all faces, in the order of the faces.
std::vector<double> side_lengths(const Surface& surface) {
    std::vector<double> lengths;
    lengths.reserve(3 * surface.faces.size());
    for (const Triangle& face : surface.faces) {
        for (std::size_t c = 0; c < 3; ++c) {
            const Point &a = surface.position[at(face[c])], &b = surface.position[at(face[(c + 1) % 3])];
            double square = 0;
            for (std::size_t d = 0; d < 3; ++d) square += (a[d] - b[d]) * (a[d] - b[d]);
            lengths.push_back(std::sqrt(square));
        }
    }
    return lengths;
}

}  // namespace

Spectrum gershgorin_of(const Surface& surface, const MeshOperators& operators, core::ThreadTeam& team) {
    std::vector<double> start;
    return bound_of(surface, operators, team, start);
}

Spectrum spectrum_of(const Surface& surface, const MeshOperators& operators, core::ThreadTeam& team) {
    std::vector<double> start;
    Spectrum spectrum = bound_of(surface, operators, team, start);
    if (!(spectrum.gershgorin > 0)) return spectrum;
    for (double& x : start) x /= spectrum.gershgorin;
    // Once that with its margin reaches Gershgorin's bound, the bound it is.
    spectrum.lanczos = Lanczos(operators, team).run(start, spectrum.gershgorin / kMargin);
    spectrum.largest = std::min(spectrum.gershgorin, kMargin * spectrum.lanczos);
    return spectrum;
}

double mean_edge(const Surface& surface) {
    const std::vector<double> lengths = side_lengths(surface);
    double sum = 0;
    for (const double length : lengths) sum += length;
    return sum / static_cast<double>(lengths.size());
}

double long_edge(const Surface& surface) {
    constexpr std::size_t kOneIn = 20;
    std::vector<double> lengths = side_lengths(surface);
    const auto longer = static_cast<std::ptrdiff_t>(lengths.size() - 1 - lengths.size() / kOneIn);
    std::nth_element(lengths.begin(), lengths.begin() + longer, lengths.end());
    return lengths[at(longer)];
}

double smooth_waves(const Surface& surface) {
    constexpr double kEdges = 10;
    return longest_side(bounds(surface.position)) / long_edge(surface) / kEdges;
}

}  // namespace mottle::domain
