// mottle/domain/operators/operators.cpp: the rows of a triangle mesh, formed in f64 about the centroid in a unit box and scaled back
#include "mottle/domain/operators/operators.h"

#include "mottle/core/error.h"
#include "mottle/core/large_array.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/incidence.h"
#include "mottle/domain/operators/unit_frame.h"
#include "mottle/domain/mesh/vector_algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mottle::domain {

namespace {

using core::at;

/// atan of 0..1: atan(x) = atan(k/8) + atan(t), |t| <= 1/16. Only +, *, /: no library whose bits may differ.
double unit_atan(double x) {
    constexpr double kAtan[9] = {0.0,
                                 0.1243549945467614350314,
                                 0.2449786631268641541721,
                                 0.3587706702705722203959,
                                 0.4636476090008061162143,
                                 0.5585993153435624359715,
                                 0.6435011087932843868028,
                                 0.7188299996216245054171,
                                 0.7853981633974483096157};
    const auto k = static_cast<int>(std::floor(8 * x + 0.5));
    const double c = 0.125 * k;
    const double t = (x - c) / (1 + x * c);
    const double s = t * t;
    const double tail = s * (-1.0 / 3 + s * (1.0 / 5 + s * (-1.0 / 7 + s * (1.0 / 9 + s * (-1.0 / 11 + s * (1.0 / 13))))));
    return kAtan[k] + (t + t * tail);
}

/// What one face gives to the row of one of its corners.
struct FaceShare {
    double half_cotangent;  ///< of the corner opposite the edge to the neighbour
    Point gradient;         ///< coefficient of f_neighbour - f_vertex in the face gradient
};

struct CornerGeometry {
    double twice_area, angle;
    FaceShare next, previous;  ///< to the vertex after this one in the face, and the one before
};

/// The area and the cotangents of a face come from its first corner, whichever corner asks: both rows of an edge then hold the same bits.
CornerGeometry corner_geometry(const std::array<Point, 3>& p, std::uint32_t place) {
    const std::array<Point, 3> edge = {minus(p[2], p[1]), minus(p[0], p[2]), minus(p[1], p[0])};  // opposite each corner
    const Point normal = cross(edge[2], {-edge[1][0], -edge[1][1], -edge[1][2]});
    const double twice_area = std::sqrt(dot(normal, normal));
    std::array<double, 3> cosine{};
    for (std::size_t c = 0; c < 3; ++c) cosine[c] = -dot(edge[(c + 1) % 3], edge[(c + 2) % 3]);
    const std::size_t next = (place + 1) % 3, previous = (place + 2) % 3;
    const Point unit = {normal[0] / twice_area, normal[1] / twice_area, normal[2] / twice_area};
    auto slope = [&](std::size_t corner) {
        Point g = cross(unit, edge[corner]);
        for (double& x : g) x /= twice_area;
        return g;
    };
    return {twice_area,
            corner_angle(twice_area, cosine[place]),
            {0.5 * (cosine[previous] / twice_area), slope(next)},
            {0.5 * (cosine[next] / twice_area), slope(previous)}};
}

class Assembly {
   public:
    Assembly(const Surface& surface, double scale, core::ThreadTeam& team)
        : original_(surface.original),
          team_(team),
          count_(static_cast<Index>(surface.position.size())),
          frame_(unit_frame(surface, team)),
          incidence_(incidence_of(surface.faces, at(count_), team)) {
        length_ = frame_.length * scale;
    }

    MeshOperators run() {
        count_neighbours();
        const std::size_t entries = at(rows_.first.back());
        rows_.neighbour.resize(entries);
        const std::array<std::vector<double>*, 5> weights = {&rows_.cotangent, &rows_.laplacian, &rows_.gradient[0], &rows_.gradient[1],
                                                             &rows_.gradient[2]};
        team_.run([&](int worker) {
            for (std::size_t w = at(worker); w < weights.size(); w += at(team_.size())) {
                core::reserve_large(*weights[w], entries);
                weights[w]->resize(entries);
            }
        });
        rows_.mass.resize(at(count_));
        share_out(team_, count_, [&](Index begin, Index end, int) {
            std::vector<Spoke> spokes;
            std::vector<CornerGeometry> corners;
            for (Index i = begin; i < end; ++i) fill_row(i, spokes, corners);
        });
        return std::move(rows_);
    }

   private:
    void count_neighbours() {
        rows_.first.assign(at(count_) + 1, 0);
        share_out(team_, count_, [&](Index begin, Index end, int) {
            std::vector<Spoke> spokes;
            for (Index i = begin; i < end; ++i) {
                rows_.first[at(i) + 1] = count_neighbours(incidence_.at(static_cast<Vertex>(i)), spokes);
            }
        });
        for (std::size_t i = 1; i < rows_.first.size(); ++i) rows_.first[i] += rows_.first[i - 1];
    }

    /// How many different vertices stand beside one. Few are compared with each other: that is faster than to sort them.
    Index count_neighbours(std::span<const Corner> corners, std::vector<Spoke>& spokes) const {
        constexpr std::size_t kFewCorners = 16;
        Index different = 0;
        if (corners.size() > kFewCorners) {
            spokes_of(corners, original_, spokes);
            for (std::size_t s = 0; s < spokes.size(); ++s) different += s == 0 || spokes[s].neighbour != spokes[s - 1].neighbour;
            return different;
        }
        std::array<Vertex, 2 * kFewCorners> ring;
        std::size_t count = 0;
        for (const Corner& corner : corners) {
            for (const Vertex v : {corner.next, corner.previous}) {
                int known = 0;
                for (std::size_t i = 0; i < count; ++i) known += ring[i] == v;
                different += known == 0;
                ring[count++] = v;
            }
        }
        return different;
    }

    void fill_row(Index i, std::vector<Spoke>& spokes, std::vector<CornerGeometry>& geometry) {
        const std::span<const Corner> corners = incidence_.at(static_cast<Vertex>(i));
        geometry.clear();
        double angles = 0, area = 0;
        for (const Corner& corner : corners) {
            const std::uint32_t place = corner.place % 3;
            std::array<Point, 3> face;
            face[place] = frame_.position[at(i)];
            face[(place + 1) % 3] = frame_.position[at(corner.next)];
            face[(place + 2) % 3] = frame_.position[at(corner.previous)];
            geometry.push_back(corner_geometry(face, place));
            angles += geometry.back().angle;
            area += geometry.back().twice_area;
        }
        const double mass = area / 6;
        const double squared = length_ * length_;
        rows_.mass[at(i)] = mass * squared;
        spokes_of(corners, original_, spokes);
        Index entry = rows_.first[at(i)] - 1;
        Vertex last = -1;
        for (const Spoke& spoke : spokes) {
            if (spoke.neighbour != last) {
                ++entry;
                rows_.neighbour[at(entry)] = last = spoke.neighbour;
            }
            const CornerGeometry& corner = geometry[spoke.corner];
            const FaceShare& share = spoke.leaving ? corner.next : corner.previous;
            const double weight = corner.angle / angles;
            rows_.cotangent[at(entry)] += share.half_cotangent;
            for (std::size_t d = 0; d < 3; ++d) rows_.gradient[d][at(entry)] += weight * share.gradient[d];
        }
        for (Index e = rows_.first[at(i)]; e <= entry; ++e) {
            rows_.laplacian[at(e)] = rows_.cotangent[at(e)] / mass / squared;
            for (std::vector<double>& component : rows_.gradient) component[at(e)] /= length_;
        }
    }

    const std::vector<Vertex>& original_;
    core::ThreadTeam& team_;
    Index count_;
    UnitFrame frame_;
    double length_ = 1;  ///< of the equations per unit of the frame
    Incidence incidence_;
    MeshOperators rows_;
};

double largest(const std::vector<double>& values) {
    double most = 0;
    for (double x : values) most = std::max(most, std::isnan(x) ? std::numeric_limits<double>::infinity() : std::abs(x));
    return most;
}

[[noreturn]] void refuse_range(const std::string& name, double value, const char* precision, const char* advice) {
    throw core::InputError(name + ": the weights of the surface reach " + core::number_text(value) + " per square of length, which " +
                           precision + " cannot hold; " + advice);
}

}  // namespace

double corner_angle(double sine, double cosine) {
    const double size = std::abs(cosine);
    const double acute = sine <= size ? (size > 0 ? unit_atan(sine / size) : 0) : std::numbers::pi / 2 - unit_atan(size / sine);
    return cosine < 0 ? std::numbers::pi - acute : acute;
}

MeshOperators assemble_operators(const Surface& surface, double scale, core::ThreadTeam& team) {
    MeshOperators rows = Assembly(surface, scale, team).run();
    const double weight = largest(rows.laplacian), mass = largest(rows.mass);
    constexpr const char* kAdvice = "choose another --scale or --across";
    if (!std::isfinite(weight) || weight < std::numeric_limits<double>::min()) refuse_range(surface.name, weight, "f64", kAdvice);
    if (!std::isfinite(mass) || mass < std::numeric_limits<double>::min()) {
        throw core::InputError(surface.name + ": the areas of the surface reach " + core::number_text(mass) + ", which f64 cannot hold; " +
                               kAdvice);
    }
    return rows;
}

void check_f32_range(const Mesh& mesh) {
    const double weight = largest(mesh.operators->laplacian);
    if (weight > std::numeric_limits<float>::max() || weight < std::numeric_limits<float>::min())
        refuse_range(mesh.surface->name, weight, "f32", "choose another --scale or --across, or --precision f64");
}

}  // namespace mottle::domain
