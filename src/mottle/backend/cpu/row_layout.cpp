// mottle/backend/cpu/row_layout.cpp: lane-transposed rows
#include "mottle/backend/cpu/row_layout.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cpu {

RowLayout::RowLayout(Index width, int register_lanes, std::size_t scalar_bytes) : width_(width), scalar_bytes_(scalar_bytes) {
    // an overlapping segment takes its neighbour from the vector before the last, so it needs two
    lanes_ = register_lanes;
    while (lanes_ > 1 && (width < lanes_ || (width % lanes_ != 0 && width < lanes_ + 1))) lanes_ /= 2;
    columns_ = (width + lanes_ - 1) / lanes_;
    overlap_ = width % lanes_ != 0;
    for (Index lane = 0; lane < lanes_; ++lane) starts_.push_back(lanes_ == 1 ? 0 : lane * (width - columns_) / (lanes_ - 1));
    for (int lane = 0; lane < lanes_; ++lane) {
        auto offset = static_cast<std::size_t>(lane) * scalar_bytes_;
        if (lane > 0 && start(lane) - start(lane - 1) == columns_ - 1) std::memset(masks_.data() + offset, 0xff, scalar_bytes_);
        if (lane + 1 < lanes_ && start(lane + 1) - start(lane) == columns_ - 1)
            std::memset(masks_.data() + kMaskBytes + offset, 0xff, scalar_bytes_);
    }
}

// Calls piece(offset, lane, column, count) for each lane that holds some of the `count` cells from `first` on. Lanes must not overlap.
template <class Piece>
void RowLayout::for_segments(Index first, Index count, Piece&& piece) const {
    for (Index at = 0; at < count;) {
        const Index lane = (first + at) / columns_, column = (first + at) % columns_, here = std::min(columns_ - column, count - at);
        piece(at, lane, column, here);
        at += here;
    }
}

/// Four cells of four lanes at a time, as four vectors each way.
template <class Real>
struct Tile {
    using Four [[gnu::vector_size(4 * sizeof(Real))]] = Real;
    Four row[4];

    void transpose() {
        const Four a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
        const Four c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7), d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
        row[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
        row[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
        row[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
        row[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    }
    void load(int i, const Real* from) { std::memcpy(&row[i], from, sizeof row[i]); }
    void store(int i, Real* to) const { std::memcpy(to, &row[i], sizeof row[i]); }
};

template <class Real>
void RowLayout::scatter(std::span<const Real> cells, Real left, Real right, void* row) const {
    auto* out = static_cast<Real*>(row);
    for (int lane = 0; lane < lanes_; ++lane) {
        const Real* segment = cells.data() + start(lane);
        out[-lanes_ + lane] = lane == 0 ? left : segment[-1];
        out[columns_ * lanes_ + lane] = lane + 1 == lanes_ ? right : segment[columns_];
    }
    Index j = 0;
    for (; lanes_ >= 4 && j + 4 <= columns_; j += 4) {
        for (int lane = 0; lane < lanes_; lane += 4) {
            Tile<Real> tile;
            for (int i = 0; i < 4; ++i) tile.load(i, cells.data() + start(lane + i) + j);
            tile.transpose();
            for (int i = 0; i < 4; ++i) tile.store(i, out + (j + i) * lanes_ + lane);
        }
    }
    for (; j < columns_; ++j) {
        for (int lane = 0; lane < lanes_; ++lane) out[j * lanes_ + lane] = cells[static_cast<std::size_t>(start(lane) + j)];
    }
}

template <class Real>
void RowLayout::gather(const void* row, std::span<Real> cells) const {
    const auto* in = static_cast<const Real*>(row);
    // vector by vector: reads stay in order, and the lanes' segments are written as so many streams
    Index j = 0;
    for (; lanes_ >= 4 && j + 4 <= columns_; j += 4) {
        for (int lane = 0; lane < lanes_; lane += 4) {
            Tile<Real> tile;
            for (int i = 0; i < 4; ++i) tile.load(i, in + (j + i) * lanes_ + lane);
            tile.transpose();
            for (int i = 0; i < 4; ++i) tile.store(i, cells.data() + start(lane + i) + j);
        }
    }
    for (; j < columns_; ++j) {
        for (int lane = 0; lane < lanes_; ++lane) cells[static_cast<std::size_t>(start(lane) + j)] = in[j * lanes_ + lane];
    }
}

template <class Real>
void RowLayout::get(const void* row, Index first, std::span<Real> cells) const {
    const auto* in = static_cast<const Real*>(row);
    for_segments(first, static_cast<Index>(cells.size()), [&](Index at, Index lane, Index j, Index count) {
        for (Index i = 0; i < count; ++i) cells[static_cast<std::size_t>(at + i)] = in[(j + i) * lanes_ + lane];
    });
}

template <class Real>
void RowLayout::put(std::span<const Real> cells, Index first, void* row) const {
    auto* out = static_cast<Real*>(row);
    for_segments(first, static_cast<Index>(cells.size()), [&](Index at, Index lane, Index j, Index count) {
        for (Index i = 0; i < count; ++i) out[(j + i) * lanes_ + lane] = cells[static_cast<std::size_t>(at + i)];
    });
}

template void RowLayout::get<float>(const void*, Index, std::span<float>) const;
template void RowLayout::get<double>(const void*, Index, std::span<double>) const;
template void RowLayout::put<float>(std::span<const float>, Index, void*) const;
template void RowLayout::put<double>(std::span<const double>, Index, void*) const;
template void RowLayout::scatter<float>(std::span<const float>, float, float, void*) const;
template void RowLayout::scatter<double>(std::span<const double>, double, double, void*) const;
template void RowLayout::gather<float>(const void*, std::span<float>) const;
template void RowLayout::gather<double>(const void*, std::span<double>) const;

}  // namespace mottle::backend::cpu
