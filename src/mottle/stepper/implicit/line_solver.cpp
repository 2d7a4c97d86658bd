// mottle/stepper/implicit/line_solver.cpp: implicit diffusion on a grid, line by line along each axis, many lines side by side
#include "mottle/stepper/implicit/diffusion_solver.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/core/vector_level.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mottle::stepper {
namespace {

using core::Index;

constexpr Index kSide = 32;  // lines solved side by side: their cells are neighbours in memory

/// Lines of one matrix: line j has its cells at cells[j], cells[j + stride], ...
struct Lines {
    Index cells, stride, width;
    double a;
    const double *scale, *carry;  ///< one per cell
};
using SweepLines = void (*)(const Lines& lines, double* cells);

template <bool kFull>
[[gnu::always_inline]] inline void sweep_width(const Lines& lines, double* cells) {
    const Index width = kFull ? kSide : lines.width;
    for (Index j = 0; j < width; ++j) cells[j] *= lines.scale[0];
    for (Index i = 1; i < lines.cells; ++i) {
        const double scale = lines.scale[i], a = lines.a;
        double* __restrict const row = cells + i * lines.stride;
        const double* __restrict const before = row - lines.stride;
        for (Index j = 0; j < width; ++j) row[j] = (row[j] + a * before[j]) * scale;
    }
    for (Index i = lines.cells - 2; i >= 0; --i) {
        const double carry = lines.carry[i];
        double* __restrict const row = cells + i * lines.stride;
        const double* __restrict const behind = row + lines.stride;
        for (Index j = 0; j < width; ++j) row[j] += carry * behind[j];
    }
}

[[gnu::always_inline]] inline void sweep_lines(const Lines& lines, double* cells) {
    lines.width == kSide ? sweep_width<true>(lines, cells) : sweep_width<false>(lines, cells);
}

void sweep_portable(const Lines& lines, double* cells) { sweep_lines(lines, cells); }
MOTTLE_TARGET("avx2") void sweep_avx2(const Lines& lines, double* cells) { sweep_lines(lines, cells); }
MOTTLE_TARGET("avx512f") void sweep_avx512(const Lines& lines, double* cells) { sweep_lines(lines, cells); }

/// The factor of the matrix of one axis: -a beside the diagonal, 1 + 2a on it, at the ends 1 + 2a - a beta. Thomas's algorithm, written with what each pivot
/// exceeds a by: 1 + a (1 - carry) is summed from positive numbers, while 1 + 2a - a carry loses the 1 where a is large, and with it the sum of the cells.
class Line {
   public:
    void factor(Index cells, double a, const AxisEnds& ends) {
        cells_ = cells;
        a_ = a;
        wraps_ = ends.wraps;
        // The last cell of a ring is solved for by itself; the others see the value 0 in its place.
        const std::array<double, 2> alpha = wraps_ ? std::array{0.0, 0.0} : ends.alpha, beta = wraps_ ? std::array{0.0, 0.0} : ends.beta;
        from_ends_ = {a * alpha[0], a * alpha[1]};
        const Index open = open_cells();
        scale_.resize(core::at(open));
        carry_.resize(core::at(open));
        double above = 1 + a * (1 - beta[0]);  // the pivot less a
        for (Index i = 0; i < open; ++i) {
            if (i > 0) above = 1 + carry_[core::at(i - 1)] * above;
            const double scale = 1 / (i + 1 < open ? above + a : above + a * (1 - beta[1]));
            if (!(scale > 0 && std::isfinite(scale))) {
                throw core::InputError(
                    "the matrix of diffusion along a line of cells cannot be factored: a border rule lets the field grow by more than a "
                    "step can follow (robin(a, b, c) with a and b of opposite signs); use a shorter --dt, or --method rkl1");
            }
            scale_[core::at(i)] = scale;
            carry_[core::at(i)] = a * scale;
        }
        if (!wraps_) return;
        shares_.assign(core::at(open), 0);
        shares_.front() += a;
        shares_.back() += a;
        sweep(shares_.data(), 1, 1);
        std::vector<double> missing(core::at(open), 1);  // 1 less each share, summed from positive numbers, too
        sweep(missing.data(), 1, 1);
        last_scale_ = 1 / (1 + a * (missing.front() + missing.back()));
    }

    /// `width` <= kSide lines: line j has its cells at cells[j], cells[j + stride], ...
    void solve(double* cells, Index stride, Index width) const {
        double* const last = cells + (open_cells() - 1) * stride;
        for (Index j = 0; j < width; ++j) cells[j] += from_ends_[0];
        for (Index j = 0; j < width; ++j) last[j] += from_ends_[1];
        sweep(cells, stride, width);
        if (!wraps_) return;
        double* const closing = last + stride;
        for (Index j = 0; j < width; ++j) closing[j] = (closing[j] + a_ * (cells[j] + last[j])) * last_scale_;
        for (Index i = 0; i < open_cells(); ++i) {
            const double share = shares_[core::at(i)];
            double* const row = cells + i * stride;
            for (Index j = 0; j < width; ++j) row[j] += share * closing[j];
        }
    }

   private:
    /// Cells of the line that a sweep goes through: all, but of a ring all but the last.
    Index open_cells() const { return wraps_ ? cells_ - 1 : cells_; }

    void sweep(double* cells, Index stride, Index width) const {
        static const SweepLines sweep_chosen = core::code_for(core::widest_level(), sweep_portable, sweep_avx2, sweep_avx512);
        sweep_chosen({open_cells(), stride, width, a_, scale_.data(), carry_.data()}, cells);
    }

    Index cells_ = 0;
    double a_ = 0;
    bool wraps_ = false;
    std::array<double, 2> from_ends_{};  ///< added to the first and the last cell
    std::vector<double> scale_, carry_;
    std::vector<double> shares_;  ///< of a ring: what each cell gets of the last one
    double last_scale_ = 0;
};

constexpr Index kTile = 8;  // cells of a row that fill a cache line

class LineSolver final : public DiffusionSolver {
   public:
    explicit LineSolver(const domain::Grid& grid) : grid_(grid) {}

    void factor(double k, const std::array<AxisEnds, 3>& ends) override {
        const bool known = k == k_ && std::equal(ends.begin(), ends.end(), ends_.begin(), [](const AxisEnds& a, const AxisEnds& b) {
                               return a.wraps == b.wraps && a.alpha == b.alpha && a.beta == b.beta;
                           });
        if (known) return;
        k_ = -1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double h = grid_.spacing[axis];
            if (grid_.size[axis] == 1) continue;
            const double a = k / (h * h);
            if (!std::isfinite(4 * a)) {
                throw core::InputError("dt times the diffusion, " + core::number_text(k) + ", by the square of the spacing along " +
                                       std::string(1, "xyz"[axis]) + " is too large for f64");
            }
            lines_[axis].factor(grid_.size[axis], a, ends[axis]);
        }
        k_ = k;
        ends_ = ends;
    }

    // x, y and z; the rows of a share are lines of the first pass.
    int passes() const override { return grid_.size[2] > 1 ? 3 : grid_.size[1] > 1 ? 2 : 1; }

    void run(int pass, std::span<double> cells, Index part, Index parts) override {
        const auto [nx, ny, nz] = grid_.size;
        if (grid_.size[core::at(pass)] == 1) return;
        if (pass == 0) return solve_rows(cells, core::share_of(ny * nz, part, parts));
        const Index pieces = (nx + kSide - 1) / kSide, across = pass == 1 ? nz : ny;
        const auto [first, end] = core::share_of(across * pieces, part, parts);
        for (Index block = first; block < end; ++block) {
            const Index x = block % pieces * kSide, begin = block / pieces * (pass == 1 ? nx * ny : nx);
            lines_[core::at(pass)].solve(cells.data() + begin + x, pass == 1 ? nx : nx * ny, std::min(kSide, nx - x));
        }
    }

   private:
    /// Rows are turned such that the cells of a column are neighbours.
    void solve_rows(std::span<double> cells, core::Share share) const {
        const Index nx = grid_.size[0];
        std::vector<double> turned(core::at(nx * kSide));
        for (Index first = share.first; first < share.end; first += kSide) {
            double* const rows = cells.data() + first * nx;
            const Index count = std::min(kSide, share.end - first);
            const auto each_tile = [&](const auto& move) {
                for (Index begin = 0; begin < nx; begin += kTile) {
                    for (Index j = 0; j < count; ++j) {
                        for (Index x = begin; x < std::min(begin + kTile, nx); ++x) move(rows[j * nx + x], turned[core::at(x * kSide + j)]);
                    }
                }
            };
            each_tile([](const double& cell, double& place) { place = cell; });
            lines_[0].solve(turned.data(), kSide, count);
            each_tile([](double& cell, const double& place) { cell = place; });
        }
    }

    const domain::Grid grid_;
    double k_ = -1;
    std::array<AxisEnds, 3> ends_;
    std::array<Line, 3> lines_;
};

}  // namespace

std::unique_ptr<DiffusionSolver> create_line_solver(const domain::Grid& grid) { return std::make_unique<LineSolver>(grid); }

}  // namespace mottle::stepper
