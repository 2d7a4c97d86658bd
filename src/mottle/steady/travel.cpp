// mottle/steady/travel.cpp: the velocity of a pattern by least squares
#include "mottle/steady/travel.h"

#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::steady {
namespace {

constexpr Index kFewestCells = 5;    // along an axis: the differences reach two cells to each side
constexpr double kSingular = 1e-12;  // of the largest pivot
constexpr double kSame = 1e-3;       // of a speed: a smaller component is not worth telling

/// Whether a rate depends on the place along `axis`, by a map or a coordinate.
bool varies(const ir::Program& program, std::size_t axis) {
    const auto map_varies = [axis](const ir::ArrayInfo& array) { return array.kind == ir::ArrayInfo::Kind::input && array.varies[axis]; };
    const auto reads_place = [axis](const ir::Stage& stage) {
        return std::any_of(stage.code.begin(), stage.code.end(), [axis](const ir::Instruction& instruction) {
            return instruction.op == ir::Op::axis && core::at(instruction.index) % 3 == axis;
        });
    };
    return std::any_of(program.arrays.begin(), program.arrays.end(), map_varies) ||
           std::any_of(program.step.stages.begin(), program.step.stages.end(), reads_place);
}

/// The axes along which a pattern can move.
std::vector<std::size_t> free_axes(const domain::Grid& grid, const ir::Program& program) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (grid.size[axis] >= kFewestCells && domain::wraps(grid, 2 * axis) && !varies(program, axis)) axes.push_back(axis);
    }
    return axes;
}

/// The derivative along `axis` of each of `fields` fields, by central differences of fourth order around the wrapped axis.
class Slope {
   public:
    Slope(const domain::Grid& grid, std::size_t axis, std::span<const double> y, std::size_t fields)
        : y_(y), fields_(fields), size_(grid.size[axis]), by_(12 * grid.spacing[axis]) {
        for (std::size_t before = 0; before < axis; ++before) stride_ *= grid.size[before];
    }
    double at(Index cell, std::size_t field) const {
        const Index place = cell / stride_ % size_, start = cell - place * stride_;
        const auto value = [&](Index offset) { return y_[core::at(start + (place + offset + size_) % size_ * stride_) * fields_ + field]; };
        return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / by_;
    }

   private:
    std::span<const double> y_;
    std::size_t fields_;
    Index size_, stride_ = 1;
    double by_;
};

/// Solves the symmetric system of `n` equations by elimination. An unknown that no equation tells more of than rounding is 0; false where that is all of them.
bool solve(std::array<std::array<double, 4>, 3>& rows, std::size_t n) {
    double largest = 0;
    for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, rows[k][k]);
    if (!(largest > 0)) return false;
    for (std::size_t k = 0; k < n; ++k) {
        if (!(rows[k][k] > kSingular * largest)) {
            rows[k] = {};
            for (std::size_t i = 0; i < n; ++i) rows[i][k] = 0;
            rows[k][k] = largest;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = rows[i][k] / rows[k][k];
            for (std::size_t j = k; j <= 3; ++j) rows[i][j] -= factor * rows[k][j];
        }
    }
    for (std::size_t k = 0; k < n; ++k) rows[k][3] /= rows[k][k];
    return true;
}

}  // namespace

std::optional<Travel> find_travel(const domain::Domain& domain, const ir::Program& program, std::span<const double> y,
                                  std::span<const double> rates, std::span<const double> sizes) {
    const auto* grid = std::get_if<domain::Grid>(&domain);
    if (grid == nullptr) return std::nullopt;
    const std::vector<std::size_t> axes = free_axes(*grid, program);
    if (axes.empty()) return std::nullopt;
    std::vector<Slope> slopes;
    for (const std::size_t axis : axes) slopes.emplace_back(*grid, axis, y, sizes.size());

    std::array<std::array<double, 4>, 3> rows{};  // of the normal equations, and their right sides
    double all = 0;
    const auto each_unknown = [&](const auto& work) {
        for (Index cell = 0; cell < domain::cell_count(domain); ++cell) {
            for (std::size_t f = 0; f < sizes.size(); ++f) {
                const double by = sizes[f] > 0 ? sizes[f] : 1;
                std::array<double, 3> slope{};
                for (std::size_t k = 0; k < axes.size(); ++k) slope[k] = slopes[k].at(cell, f) / by;
                work(slope, rates[core::at(cell) * sizes.size() + f] / by);
            }
        }
    };
    each_unknown([&](const std::array<double, 3>& slope, double rate) {
        all += rate * rate;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            for (std::size_t j = 0; j < axes.size(); ++j) rows[i][j] += slope[i] * slope[j];
            rows[i][3] -= slope[i] * rate;
        }
    });
    if (!(all > 0) || !solve(rows, axes.size())) return std::nullopt;
    Travel travel;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        travel.velocity[axes[k]] = rows[k][3];
        travel.cells = std::hypot(travel.cells, rows[k][3] / grid->spacing[axes[k]]);
    }
    double left = 0;
    each_unknown([&](const std::array<double, 3>& slope, double rate) {
        for (std::size_t k = 0; k < axes.size(); ++k) rate += rows[k][3] * slope[k];
        left += rate * rate;
    });
    travel.rest = std::sqrt(left / all);
    return travel;
}

std::string describe(const Travel& travel) {
    const auto [x, y, z] = travel.velocity;
    const double speed = std::hypot(x, y, z);
    std::string along;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (std::abs(travel.velocity[axis]) < kSame * speed) continue;
        along += (along.empty() ? "" : ", ") + std::string(1, "xyz"[axis]) + " " + core::rounded_text(travel.velocity[axis], 2);
    }
    return "the pattern moves along as a whole, by " + core::rounded_text(speed, 2) + " per unit of time (" + along + ")";
}

}  // namespace mottle::steady
