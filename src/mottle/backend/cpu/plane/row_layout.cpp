// mottle/backend/cpu/plane/row_layout.cpp: lane-transposed rows
#include "mottle/backend/cpu/plane/row_layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace mottle::backend::cpu {

RowLayout::RowLayout(Index width, int register_lanes, std::size_t scalar_bytes) : width_(width), scalar_bytes_(scalar_bytes) {
    // an overlapping segment takes its neighbour from the vector before the last, so it needs two
    lanes_ = register_lanes;
    while (lanes_ > 1 && (width < lanes_ || (width % lanes_ != 0 && width < lanes_ + 1))) lanes_ /= 2;
    columns_ = (width + lanes_ - 1) / lanes_;
    overlap_ = width % lanes_ != 0;
    for (Index lane = 0; lane < lanes_; ++lane) starts_.push_back(lanes_ == 1 ? 0 : lane * (width - columns_) / (lanes_ - 1));
    for (int lane = 0; lane < lanes_; ++lane) {
        auto offset = core::at(lane) * scalar_bytes_;
        if (lane > 0 && start(lane) - start(lane - 1) == columns_ - 1) std::memset(masks_.data() + offset, 0xff, scalar_bytes_);
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
    std::array<Real, kMaskBytes / sizeof(Real)> first{};
    for (int lane = 0; lane < lanes_; ++lane) {
        const bool twice = lane > 0 && start(lane) - start(lane - 1) == columns_ - 1;
        if (!twice) first[core::at(lane)] = cells[lane];
    }
    sum.add(std::span<const Real>(first));
    sum.add(std::span<const Real>(cells + lanes, all - lanes));
}

template void RowLayout::sum<float>(const void*, CellSum&) const;
template void RowLayout::sum<double>(const void*, CellSum&) const;

std::vector<std::uint32_t> RowLayout::places(Index first, Index count) const {
    std::vector<std::uint32_t> places;
    for (Index cell = first; cell < first + count; ++cell)
        places.push_back(static_cast<std::uint32_t>(cell % columns_ * lanes_ + cell / columns_));
    return places;
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

/// Uses vectors that every machine has: halves of wider ones would be passed through memory.
template <>
struct Tile<double> {
    using Two [[gnu::vector_size(2 * sizeof(double))]] = double;
    Two row[4][2];

    void transpose() {
        Two turned[4][2];
        for (int half = 0; half < 2; ++half) {
            for (int pair = 0; pair < 2; ++pair) {
                const Two a = row[2 * pair][half], b = row[2 * pair + 1][half];
                turned[2 * half][pair] = __builtin_shufflevector(a, b, 0, 2);
                turned[2 * half + 1][pair] = __builtin_shufflevector(a, b, 1, 3);
            }
        }
        std::memcpy(row, turned, sizeof row);
    }
    void load(int i, const double* from) { std::memcpy(row[i], from, sizeof row[i]); }
    void store(int i, double* to) const { std::memcpy(to, row[i], sizeof row[i]); }
};

// Vector by vector: the row stays in order, and the lanes' segments are so many streams. One of the two is const: where the other comes from.
template <bool kScatter, class Cells, class Row>
void RowLayout::move(Cells* cells, Row* row) const {
    Index j = 0;
    for (; lanes_ >= 4 && j + 4 <= columns_; j += 4) {
        for (int lane = 0; lane < lanes_; lane += 4) {
            Tile<std::remove_const_t<Cells>> tile;
            auto segment = [&](int i) { return cells + start(lane + i) + j; };
            auto vector = [&](int i) { return row + (j + i) * lanes_ + lane; };
            for (int i = 0; i < 4; ++i) {
                if constexpr (kScatter)
                    tile.load(i, segment(i));
                else
                    tile.load(i, vector(i));
            }
            tile.transpose();
            for (int i = 0; i < 4; ++i) {
                if constexpr (kScatter)
                    tile.store(i, vector(i));
                else
                    tile.store(i, segment(i));
            }
        }
    }
    for (; j < columns_; ++j) {
        for (int lane = 0; lane < lanes_; ++lane) {
            if constexpr (kScatter)
                row[j * lanes_ + lane] = cells[start(lane) + j];
            else
                cells[start(lane) + j] = row[j * lanes_ + lane];
        }
    }
}

template <class Real>
void RowLayout::scatter(std::span<const Real> cells, Real left, Real right, void* row) const {
    auto* out = static_cast<Real*>(row);
    for (int lane = 0; lane < lanes_; ++lane) {
        const Real* segment = cells.data() + start(lane);
        out[-lanes_ + lane] = lane == 0 ? left : segment[-1];
        out[columns_ * lanes_ + lane] = lane + 1 == lanes_ ? right : segment[columns_];
    }
    move<true>(cells.data(), out);
}

template <class Real>
void RowLayout::gather(const void* row, std::span<Real> cells) const {
    move<false>(cells.data(), static_cast<const Real*>(row));
}

template void RowLayout::scatter<float>(std::span<const float>, float, float, void*) const;
template void RowLayout::scatter<double>(std::span<const double>, double, double, void*) const;
template void RowLayout::gather<float>(const void*, std::span<float>) const;
template void RowLayout::gather<double>(const void*, std::span<double>) const;

}  // namespace mottle::backend::cpu
