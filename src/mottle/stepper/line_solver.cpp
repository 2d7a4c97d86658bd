// mottle/stepper/line_solver.cpp: implicit diffusion on a grid, line by line along each axis, many lines side by side
#include "mottle/stepper/diffusion_solver.h"

#include "mottle/core/error.h"

#include <algorithm>
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
#if defined(__x86_64__)
[[gnu::target("avx2")]] void sweep_avx2(const Lines& lines, double* cells) { sweep_lines(lines, cells); }
[[gnu::target("avx512f")]] void sweep_avx512(const Lines& lines, double* cells) { sweep_lines(lines, cells); }
#endif

/// The same bits each: nothing is contracted.
SweepLines choose_sweep() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return sweep_avx512;
    if (__builtin_cpu_supports("avx2")) return sweep_avx2;
#endif
    return sweep_portable;
}

/// The factor of the tridiagonal matrix of one axis: -a beside the diagonal, 1 + 2a on it, at the ends 1 + 2a - a beta.
class Line {
   public:
    void factor(Index cells, double a, const AxisEnds& ends) {
        cells_ = cells;
        a_ = a;
        wraps_ = ends.wraps;
        from_ends_ = {a * ends.alpha[0], a * ends.alpha[1]};
        const double middle = 1 + 2 * a;
        double first = middle - a * ends.beta[0], last = middle - a * ends.beta[1];
        if (wraps_) {  // what wraps becomes a matrix of rank 1 beside a tridiagonal one
            from_ends_ = {0, 0};
            first = 2 * middle;
            last = middle + a * a / middle;
        }
        scale_.resize(core::at(cells));
        carry_.resize(core::at(cells));
        double before = 0;
        for (Index i = 0; i < cells; ++i) {
            double own = i == 0 ? first : i + 1 == cells ? last : middle;
            if (cells == 1) own = 1 + a * (2 - ends.beta[0] - ends.beta[1]);
            const double scale = 1 / (own - a * before);
            scale_[core::at(i)] = scale;
            before = carry_[core::at(i)] = a * scale;
        }
        if (!wraps_) return;
        corner_ = -a / -middle;
        correction_.assign(core::at(cells), 0);
        correction_.front() = -middle;
        correction_.back() = -a;
        sweep(correction_.data(), 1, 1);
        share_ = 1 / (1 + (correction_.front() + corner_ * correction_.back()));
    }

    /// `width` <= kSide lines: line j has its cells at cells[j], cells[j + stride], ...
    void solve(double* cells, Index stride, Index width) const {
        for (Index j = 0; j < width; ++j) cells[j] += from_ends_[0];
        double* const last = cells + (cells_ - 1) * stride;
        for (Index j = 0; j < width; ++j) last[j] += from_ends_[1];
        sweep(cells, stride, width);
        if (!wraps_) return;
        double by[kSide];
        for (Index j = 0; j < width; ++j) by[j] = (cells[j] + corner_ * last[j]) * share_;
        for (Index i = 0; i < cells_; ++i) {
            const double z = correction_[core::at(i)];
            double* const row = cells + i * stride;
            for (Index j = 0; j < width; ++j) row[j] -= by[j] * z;
        }
    }

   private:
    void sweep(double* cells, Index stride, Index width) const {
        static const SweepLines sweep_chosen = choose_sweep();
        sweep_chosen({cells_, stride, width, a_, scale_.data(), carry_.data()}, cells);
    }

    Index cells_ = 0;
    double a_ = 0;
    bool wraps_ = false;
    std::array<double, 2> from_ends_{};  ///< added to the first and the last cell
    std::vector<double> scale_, carry_;
    std::vector<double> correction_;  ///< of a line that wraps: Sherman and Morrison's z
    double corner_ = 0, share_ = 0;
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
        k_ = k;
        ends_ = ends;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double h = grid_.spacing[axis];
            if (grid_.size[axis] > 1) lines_[axis].factor(grid_.size[axis], k / (h * h), ends[axis]);
        }
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
