// mottle/backend/cpu/plane/row_layout.cpp: lane-transposed rows
#include "mottle/backend/cpu/plane/row_layout.h"

#include "mottle/backend/cpu/plane/transpose.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

/// ir::round_to of a row, without branches.
[[gnu::always_inline]] inline void round_cells(const double* cells, float* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = ir::round_to<float>(cells[i]);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void round_cells_avx2(const double* cells, float* out, std::size_t count) { round_cells(cells, out, count); }
#endif

}  // namespace

void round_row(std::span<const double> cells, std::span<float> out) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return round_cells_avx2(cells.data(), out.data(), cells.size());
#endif
    round_cells(cells.data(), out.data(), cells.size());
}

RowLayout::RowLayout(Index width, int register_lanes, std::size_t scalar_bytes) : width_(width), scalar_bytes_(scalar_bytes) {
    // an overlapping segment takes its neighbour from the vector before the last, so it needs two
    lanes_ = register_lanes;
    while (lanes_ > 1 && (width < lanes_ || (width % lanes_ != 0 && width < lanes_ + 1))) lanes_ /= 2;
    columns_ = (width + lanes_ - 1) / lanes_;
    overlap_ = width % lanes_ != 0;
    for (Index lane = 0; lane < lanes_; ++lane) starts_.push_back(lanes_ == 1 ? 0 : lane * (width - columns_) / (lanes_ - 1));
    for (int lane = 0; lane < lanes_; ++lane) {
        auto offset = core::at(lane) * scalar_bytes_;
        if (lane > 0 && start(lane) - start(lane - 1) == columns_ - 1)
            std::memset(masks_.data() + offset, 0xff, scalar_bytes_);
        else
            new_at_start_.push_back(lane);
        if (lane + 1 < lanes_ && start(lane + 1) - start(lane) == columns_ - 1)
            std::memset(masks_.data() + kMaskBytes + offset, 0xff, scalar_bytes_);
    }
}

// Where segments overlap, the first cell of one is the last of the one before it.
template <class Real>
void RowLayout::sum(const void* row, CellSum& sum) const {
    const auto* cells = static_cast<const Real*>(row);
    const auto lanes = core::at(lanes_), all = core::at(columns_) * lanes;
    if (!overlap_) return sum.add(std::span<const Real>(cells, all));
    std::array<Real, kMaskBytes / sizeof(Real)> first;
    std::size_t count = 0;
    for (const int lane : new_at_start_) first[count++] = cells[lane];
    sum.add(std::span<const Real>(cells + lanes, all - lanes), std::span<const Real>(first).first(count));
}

template void RowLayout::sum<float>(const void*, CellSum&) const;
template void RowLayout::sum<double>(const void*, CellSum&) const;

std::vector<std::uint32_t> RowLayout::places(Index first, Index count) const {
    std::vector<std::uint32_t> places;
    for (Index cell = first; cell < first + count; ++cell)
        places.push_back(static_cast<std::uint32_t>(cell % columns_ * lanes_ + cell / columns_));
    return places;
}

// Where segments do not overlap: one goes on where the next lane's begins, so the ghosts are the vectors at the ends, moved by one lane.
template <class Real>
void RowLayout::fill_ghosts(Real left, Real right, Real* row) const {
    const std::size_t moved = core::at(lanes_ - 1) * sizeof(Real);
    std::memcpy(row - lanes_ + 1, row + (columns_ - 1) * lanes_, moved);
    std::memcpy(row + columns_ * lanes_, row + 1, moved);
    left_ghost<Real>(row) = left;
    right_ghost<Real>(row) = right;
}

template <class Real>
void RowLayout::place(std::span<const Real> numbers, bool wraps, void* row) const {
    auto* out = static_cast<Real*>(row);
    std::memcpy(out, numbers.data(), numbers.size_bytes());
    const Real first = numbers.front(), last = numbers.back();
    fill_ghosts(wraps ? last : first, wraps ? first : last, out);
}

template <class Real>
void RowLayout::scatter(std::span<const Real> cells, Real left, Real right, void* row) const {
    auto* out = static_cast<Real*>(row);
    if (!overlap_) {
        to_lanes<Real>(cells.data(), starts_, columns_, out);
        return fill_ghosts(left, right, out);
    }
    for (int lane = 0; lane < lanes_; ++lane) {
        const Real* segment = cells.data() + start(lane);
        out[-lanes_ + lane] = lane == 0 ? left : segment[-1];
        out[columns_ * lanes_ + lane] = lane + 1 == lanes_ ? right : segment[columns_];
    }
    to_lanes<Real>(cells.data(), starts_, columns_, out);
}

template <class Real>
void RowLayout::gather(const void* row, std::span<Real> cells) const {
    from_lanes<Real>(static_cast<const Real*>(row), starts_, columns_, cells.data());
}

template void RowLayout::scatter<float>(std::span<const float>, float, float, void*) const;
template void RowLayout::scatter<double>(std::span<const double>, double, double, void*) const;
template void RowLayout::place<float>(std::span<const float>, bool, void*) const;
template void RowLayout::place<double>(std::span<const double>, bool, void*) const;
template void RowLayout::gather<float>(const void*, std::span<float>) const;
template void RowLayout::gather<double>(const void*, std::span<double>) const;

}  // namespace mottle::backend::cpu
