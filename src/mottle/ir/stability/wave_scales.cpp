// mottle/ir/stability/wave_scales.cpp: what the operators of a domain make of its waves
#include "mottle/ir/stability/wave_scales.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mottle::ir {
namespace {

/// The largest decay of the weights w on a wave. Mirror-symmetric weights are linear in each of cos(kx), cos(ky): the extremes are corners.
double weights_scale(const std::array<double, 9>& w, bool x_used, bool y_used) {
    const bool symmetric = w[3] == w[5] && w[1] == w[7] && w[0] == w[2] && w[0] == w[6] && w[0] == w[8];
    if (!symmetric) {
        double sum = 0;
        for (double weight : w) sum += std::abs(weight);
        return sum;
    }
    double scale = 0;
    for (double cx : {1.0, -1.0}) {
        for (double cy : {1.0, -1.0}) {
            if ((cx < 0 && !x_used) || (cy < 0 && !y_used)) continue;
            scale = std::max(scale, -(w[4] + 2 * w[3] * cx + 2 * w[1] * cy + 4 * w[0] * cx * cy));
        }
    }
    return scale;
}

WaveScales scales_of(const domain::Grid& grid) {
    WaveScales scales;
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid.size[d] > 1) scales.pairs[d] = 4 / (grid.spacing[d] * grid.spacing[d]);
    }
    // the checkerboard, the stiffest wave of 2 neighbours per axis
    scales.divergence = scales.pairs[0] + scales.pairs[1] + scales.pairs[2];
    const bool x_used = grid.size[0] > 1, y_used = grid.size[1] > 1;
    const double h2 = grid.spacing[0] * grid.spacing[0];
    switch (grid.stencil.kind) {
        case domain::Stencil::Kind::five:
            scales.laplacian = scales.divergence;
            break;
        case domain::Stencil::Kind::nine: {
            const double c = 1 / (6 * h2);
            scales.laplacian = weights_scale({c, 4 * c, c, 4 * c, -20 * c, 4 * c, c, 4 * c, c}, x_used, y_used);
            break;
        }
        case domain::Stencil::Kind::custom:
            scales.laplacian = weights_scale(grid.stencil.weights, x_used, y_used);
            break;
    }
    double measure = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        scales.place[d] = {0, static_cast<double>(grid.size[d]) * grid.spacing[d]};
        if (grid.size[d] > 1) measure *= scales.place[d].hi;
    }
    scales.measure = point(measure);
    return scales;
}

WaveScales scales_of(const domain::Mesh& mesh) {
    WaveScales scales;
    // A flux between vertices takes the mean of their D: no stiffer than the largest D everywhere; nor is a tensor stiffer than its larger number.
    scales.laplacian = scales.divergence = mesh.spectrum.largest;
    scales.measure = point(std::accumulate(mesh.operators->mass.begin(), mesh.operators->mass.end(), 0.0));
    const domain::Box box = domain::bounds(mesh.surface->position);
    for (std::size_t d = 0; d < 3; ++d) scales.place[d] = {box.lo[d] * mesh.scale, box.hi[d] * mesh.scale};
    for (const domain::Attribute& attribute : mesh.surface->attributes) {
        const auto [low, high] = std::minmax_element(attribute.values.begin(), attribute.values.end());
        scales.attributes.emplace_back(attribute.name, Interval{*low, *high});
    }
    return scales;
}

}  // namespace

WaveScales wave_scales(const domain::Domain& domain) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    return mesh ? scales_of(*mesh) : scales_of(std::get<domain::Grid>(domain));
}

Drift drift_of(const Wave& wave, const WaveScales& scales) {
    Drift drift;
    for (std::size_t d = 0; d < wave.speed.size(); ++d) {
        const double speed = scales.pairs[d] > 0 ? wave.speed[d].magnitude() : 0;
        drift.speed = std::hypot(drift.speed, speed);
        drift.most += speed * std::sqrt(scales.pairs[d]) / 2;
    }
    return drift;
}

// The sum over axes is bounded by Cauchy and Schwarz, and by the mean of squares.
double turning(const Drift& drift, double s, const WaveScales& scales) {
    const double pairs = scales.pairs[0] + scales.pairs[1] + scales.pairs[2];
    return std::min(drift.most, drift.speed * std::sqrt(pairs * s * (1 - s)));
}

}  // namespace mottle::ir
