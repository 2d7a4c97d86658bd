// mottle/stepper/spectral/spectral_field.cpp: transforms of one field from rows to waves and back, with a stage of ETDRK4 behind the last axis
#include "mottle/stepper/spectral/spectral_field.h"

#include "mottle/core/thread_team.h"
#include "mottle/stepper/spectral/etd_stage.h"

#include <algorithm>

namespace mottle::stepper {
namespace {

using core::Index;

constexpr Index kBlockWidth = 8;                  // of a block: two lines for each lane of a vector
constexpr Index kLinesOfBlock = 2 * kBlockWidth;  // side by side
constexpr Index kBlockTile = 8;                   // cells of a row that fill a cache line
constexpr Index kTablePadding = kLinesOfBlock;    // of tables, beyond which a block with an odd number of lines reads

/// The four arrays of a block.
class BlockMemory {
   public:
    explicit BlockMemory(Index cells) : cells_(cells), memory_(core::at(4 * cells * kBlockWidth + kBlockTile)) {}
    LineBlock block(Index width) {
        // a vector within one cache line each
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        double* const begin = memory_.data() + (64 - address % 64) % 64 / sizeof(double);
        const Index size = cells_ * kBlockWidth;
        return {width, begin, begin + size, begin + 2 * size, begin + 3 * size};
    }

   private:
    Index cells_;
    std::vector<double> memory_;
};

/// Moves between `count` lines of a grid, of which the first begins at `line`, and a block.
template <class Move>
[[gnu::always_inline]] inline void each_cell_of_lines(Index cells, Index stride, Index count, double* line, const LineBlock& block,
                                                      const Move& move) {
    const Index width = block.width;
    if (stride == 1) {  // rows: tiles, so that cache lines are used as a whole
        for (Index begin = 0; begin < cells; begin += kBlockTile) {
            for (Index j = 0; j < count; ++j) {
                double* const lane = j < width ? block.first + j : block.second + (j - width);
                for (Index i = begin; i < std::min(begin + kBlockTile, cells); ++i) move(line[j * cells + i], lane[i * width]);
            }
        }
        return;
    }
    for (Index i = 0; i < cells; ++i) {
        double* const from = line + i * stride;
        for (Index j = 0; j < width; ++j) move(from[j], block.first[i * width + j]);
        for (Index j = width; j < count; ++j) move(from[j], block.second[i * width + (j - width)]);
    }
}

void gather_lines(Index cells, Index stride, Index count, double* line, const LineBlock& block) {
    each_cell_of_lines(cells, stride, count, line, block, [](const double& cell, double& place) { place = cell; });
    if (count % 2 == 0) return;
    for (Index i = 0; i < cells; ++i) block.second[(i + 1) * block.width - 1] = 0;
}

void scatter_lines(Index cells, Index stride, Index count, double* line, const LineBlock& block) {
    each_cell_of_lines(cells, stride, count, line, block, [](double& cell, const double& place) { cell = place; });
}

}  // namespace

Index SpectralField::AxisLines::wave_of(Index coefficient) const {
    return transform.kind() == LineTransform::Kind::fourier ? std::min(coefficient, transform.cells() - coefficient) : coefficient;
}

Index SpectralField::AxisLines::blocks() const { return (lines + kLinesOfBlock - 1) / kLinesOfBlock * across; }

SpectralField::SpectralField(const domain::Grid& grid, const domain::Sides& sides, const ir::LaplacianShape& shape)
    : grid_(grid), shape_(shape), taps_(ir::taps_of(shape)) {
    const auto [nx, ny, nz] = grid.size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index cells = grid.size[axis];
        const bool wraps = sides[2 * axis].rule == domain::Rule::periodic;
        const Index reduced = wraps ? cells / 2 + 1 : cells;
        for (Index wave = 0; wave < reduced; ++wave) {
            const double sine = root_of_unity(wave, (wraps ? 2 : 4) * cells).sine;  // of theta/2
            less_[axis].push_back(2 * (sine * sine));
        }
        if (cells == 1) continue;
        scale_ /= static_cast<double>(cells);
        LineTransform transform(cells, wraps ? LineTransform::Kind::fourier : LineTransform::Kind::cosine);
        if (axis == 0) axes_.push_back({std::move(transform), 1, ny * nz, 1, 0, reduced});
        if (axis == 1) axes_.push_back({std::move(transform), nx, nx, nz, nx * ny, reduced});
        if (axis == 2) axes_.push_back({std::move(transform), nx * ny, nx, ny, nx, reduced});
    }
    state_.resize(core::at(nx * ny * nz));
    rates_.resize(state_.size());
}

// lap of a wave, by differences to the cell itself: of prod cos(o_a theta_a) - 1 no digits are lost, and a uniform field has 0 exactly.
double SpectralField::symbol(const std::array<Index, 3>& waves) const {
    double sum = 0;
    for (const ir::StencilTap& tap : taps_) {
        double difference = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double less = less_[axis][core::at(waves[axis])];
            if (tap.shift[axis] != 0) difference = (difference - less) - difference * less;
        }
        sum += tap.weight * difference;
    }
    return sum + shape_.residual;
}

void SpectralField::set_linear_part(std::span<const double> powers, double h) {
    if (h == h_ && std::equal(powers.begin(), powers.end(), powers_.begin(), powers_.end())) return;
    powers_.assign(powers.begin(), powers.end());
    h_ = h;
    is_cellwise_ = axes_.empty() || std::all_of(powers.begin() + (powers.empty() ? 0 : 1), powers.end(), [](double c) { return c == 0; });
    const auto z_of = [&](double laplacian) {
        double sum = 0;
        for (std::size_t m = powers.size(); m-- > 0;) sum = sum * laplacian + powers[m];
        return h * sum;
    };
    const std::size_t kept =
        is_cellwise_ ? state_.size() : core::at(axes_.back().blocks() * kLinesOfBlock * axes_.back().transform.cells());
    for (std::vector<double>* array : {&start_, &first_, &predicted_}) array->resize(kept);
    if (is_cellwise_) {
        tables_.fill(std::vector<double>(core::at(grid_.size[0]), z_of(0)), h, kTablePadding);
        return;
    }
    // waves of the last axis, then of the one between, and whole rows of coefficients along x
    std::vector<double> z;
    const AxisLines& last = axes_.back();
    const bool volume = grid_.size[2] > 1 && grid_.size[1] > 1;
    const AxisLines* const middle = volume ? &axes_[axes_.size() - 2] : nullptr;
    for (Index a = 0; a < last.reduced; ++a) {
        for (Index b = 0; b < (middle ? middle->reduced : 1); ++b) {
            std::array<Index, 3> waves{};
            const std::size_t axis = grid_.size[2] > 1 ? 2 : grid_.size[1] > 1 ? 1 : 0;
            waves[axis] = a;
            if (middle) waves[1] = b;
            for (Index x = 0; x < (axis == 0 ? 1 : grid_.size[0]); ++x) {
                if (axis > 0 && grid_.size[0] > 1) waves[0] = axes_.front().wave_of(x);
                z.push_back(z_of(symbol(waves)));
            }
        }
    }
    tables_.fill(z, h, kTablePadding);
}

std::span<double> SpectralField::row_of_state(Index row) {
    std::vector<double>& rows = is_cellwise_ ? start_ : state_;
    return std::span(rows).subspan(core::at(row * grid_.size[0]), core::at(grid_.size[0]));
}

std::span<double> SpectralField::row_of_rates(Index row) {
    return std::span(rates_).subspan(core::at(row * grid_.size[0]), core::at(grid_.size[0]));
}

void SpectralField::transform_lines(const AxisLines& axis, double* cells, bool backwards, Index part, Index parts) {
    const Index n = axis.transform.cells(), pieces = (axis.lines + kLinesOfBlock - 1) / kLinesOfBlock;
    BlockMemory memory(n);
    const auto [first, end] = core::share_of(axis.blocks(), part, parts);
    for (Index number = first; number < end; ++number) {
        const Index line = number % pieces * kLinesOfBlock, count = std::min(kLinesOfBlock, axis.lines - line);
        double* const begin = cells + number / pieces * axis.step + line * (axis.stride == 1 ? n : 1);
        LineBlock block = memory.block((count + 1) / 2);
        gather_lines(n, axis.stride, count, begin, block);
        backwards ? axis.transform.inverse(block) : axis.transform.forward(block);
        scatter_lines(n, axis.stride, count, begin, block);
    }
}

void SpectralField::combine_lines(int stage, Index part, Index parts) {
    const AxisLines& axis = axes_.back();
    const Index n = axis.transform.cells(), pieces = (axis.lines + kLinesOfBlock - 1) / kLinesOfBlock;
    const bool volume = grid_.size[2] > 1 && grid_.size[1] > 1;
    const Index across = volume ? axes_[axes_.size() - 2].reduced : 1, columns = axis.stride == 1 ? 1 : grid_.size[0];
    const bool alone = axis.lines == 1;  // lines side by side have other coefficients each
    BlockMemory memory(n), memory_of_state(n);
    const auto [first, end] = core::share_of(axis.blocks(), part, parts);
    for (Index number = first; number < end; ++number) {
        const Index line = number % pieces * kLinesOfBlock, count = std::min(kLinesOfBlock, axis.lines - line), width = (count + 1) / 2;
        const Index begin = number / pieces * axis.step + line * (axis.stride == 1 ? n : 1), kept = number * kLinesOfBlock * n;
        LineBlock block = memory.block(width);
        gather_lines(n, axis.stride, count, rates_.data() + begin, block);
        axis.transform.forward(block, alone);
        if (stage == 0) {
            LineBlock state = memory_of_state.block(width);
            gather_lines(n, axis.stride, count, state_.data() + begin, state);
            axis.transform.forward(state, alone);
            for (Index i = 0; i < n; ++i) {
                std::copy_n(state.first + i * width, width, start_.data() + kept + 2 * i * width);
                std::copy_n(state.second + i * width, width, start_.data() + kept + (2 * i + 1) * width);
            }
        }
        const Index middle = volume ? axes_[axes_.size() - 2].wave_of(number / pieces) : 0;
        for (const bool second : {false, true}) {
            const Index table = middle * columns + (axis.stride == 1 ? 0 : line + (second ? width : 0));
            const Index place = kept + (second ? width : 0);
            const auto of = [&](EtdCoefficient which) { return tables_.of(which) + table; };
            const EtdWaves waves = {
                of(EtdCoefficient::half),   of(EtdCoefficient::reach), of(EtdCoefficient::whole),           of(EtdCoefficient::first),
                of(EtdCoefficient::middle), of(EtdCoefficient::last),  second ? block.second : block.first, start_.data() + place,
                first_.data() + place,      predicted_.data() + place};
            run_etd_stage(stage, {waves, width, n, across * columns, axis.transform.kind() == LineTransform::Kind::fourier});
        }
        axis.transform.inverse(block, alone);
        scatter_lines(n, axis.stride, count, rates_.data() + begin, block);
    }
}

void SpectralField::combine_cells(int stage, Index part, Index parts) {
    const Index nx = grid_.size[0];
    const auto [first, end] = core::share_of(std::ssize(rates_) / nx, part, parts);
    for (Index row = first; row < end; ++row) {
        const Index place = row * nx;
        const auto of = [&](EtdCoefficient which) { return tables_.of(which); };
        run_etd_stage(stage,
                      {of(EtdCoefficient::half), of(EtdCoefficient::reach), of(EtdCoefficient::whole), of(EtdCoefficient::first),
                       of(EtdCoefficient::middle), of(EtdCoefficient::last), rates_.data() + place, start_.data() + place,
                       first_.data() + place, predicted_.data() + place},
                      nx);
    }
}

void SpectralField::transform_state(int pass, Index part, Index parts) {
    transform_lines(axes_[core::at(pass)], state_.data(), false, part, parts);
}

void SpectralField::run(int stage, int pass, Index part, Index parts) {
    if (is_cellwise_) return combine_cells(stage, part, parts);
    const int last = static_cast<int>(axes_.size()) - 1;
    if (pass == last) return combine_lines(stage, part, parts);
    transform_lines(axes_[core::at(pass < last ? pass : 2 * last - pass)], rates_.data(), pass > last, part, parts);
}

}  // namespace mottle::stepper
