// mottle/backend/cpu/plane/transpose.cpp: segments of a row into vectors, one lane each, and back
#include "mottle/backend/cpu/plane/transpose.h"

#include <array>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

namespace mottle::backend::cpu {

using core::Index;

namespace {

/// kSide vectors of kSide numbers.
template <class Real, int kSide>
struct Tile {
    using Vector [[gnu::vector_size(kSide * sizeof(Real))]] = Real;
    Vector row[kSide];

    /// Exchanges the squares of kStep beside the diagonal in all squares of twice that side.
    template <int kStep, int... kLane>
    [[gnu::always_inline]] void exchange(std::integer_sequence<int, kLane...>) {
#pragma GCC unroll 16
        for (int i = 0; i < kSide; ++i) {
            if ((i & kStep) != 0) continue;
            const Vector a = row[i], b = row[i + kStep];
            row[i] = __builtin_shufflevector(a, b, (kLane & kStep ? kSide + kLane - kStep : kLane)...);
            row[i + kStep] = __builtin_shufflevector(a, b, (kLane & kStep ? kSide + kLane : kLane + kStep)...);
        }
    }
    /// Transposes all squares of four: exchanges of two and of one, as the shuffles of floats that are one instruction each.
    template <int... kLane>
    [[gnu::always_inline]] void transpose_fours(std::integer_sequence<int, kLane...>) {
#pragma GCC unroll 16
        for (int i = 0; i < kSide; i += 4) {
            Vector pairs[4];  // columns 0 and 1, 2 and 3 of rows 0 and 1; then of rows 2 and 3
            for (int half = 0; half < 2; ++half) {
                const Vector a = row[i + 2 * half], b = row[i + 2 * half + 1];
                pairs[2 * half] = __builtin_shufflevector(a, b, (kLane / 4 * 4 + kLane % 4 / 2 + kLane % 2 * kSide)...);
                pairs[2 * half + 1] = __builtin_shufflevector(a, b, (kLane / 4 * 4 + 2 + kLane % 4 / 2 + kLane % 2 * kSide)...);
            }
            for (int half = 0; half < 2; ++half) {
                const Vector a = pairs[half], b = pairs[2 + half];
                row[i + 2 * half] = __builtin_shufflevector(a, b, (kLane / 4 * 4 + kLane % 2 + kLane % 4 / 2 * kSide)...);
                row[i + 2 * half + 1] = __builtin_shufflevector(a, b, (kLane / 4 * 4 + 2 + kLane % 2 + kLane % 4 / 2 * kSide)...);
            }
        }
    }
    [[gnu::always_inline]] void transpose() {
        constexpr auto kLanes = std::make_integer_sequence<int, kSide>();
        if constexpr (sizeof(Real) == 4 && kSide >= 4) {
            transpose_fours(kLanes);
        } else {
            exchange<1>(kLanes);
            if constexpr (kSide >= 4) exchange<2>(kLanes);
        }
        if constexpr (kSide >= 8) exchange<4>(kLanes);
    }
};

/// A tile of `kSide` lanes and columns each way. One of `cells` and `vectors` is const: where the numbers come from.
template <int kSide, class Cells, class Vectors>
[[gnu::always_inline]] inline void move_tile(const std::array<Cells*, kSide>& segments, Vectors* vectors, Index lanes, Index column) {
    using Real = std::remove_const_t<Cells>;
    constexpr bool kToLanes = std::is_const_v<Cells>;
    Tile<Real, kSide> tile;
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
        const Real* from = nullptr;
        if constexpr (kToLanes)
            from = segments[core::at(i)] + column;
        else
            from = vectors + (column + i) * lanes;
        std::memcpy(&tile.row[i], from, sizeof tile.row[i]);
    }
    tile.transpose();
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
        Real* to = nullptr;
        if constexpr (kToLanes)
            to = vectors + (column + i) * lanes;
        else
            to = segments[core::at(i)] + column;
        std::memcpy(to, &tile.row[i], sizeof tile.row[i]);
    }
}

/// All columns of all lanes, whose number is a multiple of kSide. A last tile that would not be full begins before the end of the one before it: what is
/// moved twice is the same.
template <int kSide, class Cells, class Vectors>
[[gnu::always_inline]] inline void move_tiles(Cells* cells, Vectors* vectors, std::span<const Index> starts, Index columns) {
    const Index lanes = std::ssize(starts);
    for (Index lane = 0; lane < lanes; lane += kSide) {
        std::array<Cells*, kSide> segments;
        for (int i = 0; i < kSide; ++i) segments[core::at(i)] = cells + starts[core::at(lane + i)];
        Index column = 0;
        for (; column + kSide <= columns; column += kSide) move_tile<kSide>(segments, vectors + lane, lanes, column);
        if (column < columns) move_tile<kSide>(segments, vectors + lane, lanes, columns - kSide);
    }
}

/// By tiles of at most kMost lanes and columns.
template <int kMost, class Cells, class Vectors>
[[gnu::always_inline]] inline void move(Cells* cells, Vectors* vectors, std::span<const Index> starts, Index columns) {
    const Index lanes = std::ssize(starts);
    if constexpr (kMost > 1) {
        if (lanes % kMost != 0 || columns < kMost) return move<kMost / 2>(cells, vectors, starts, columns);
        move_tiles<kMost>(cells, vectors, starts, columns);
    } else {
        for (Index j = 0; j < columns; ++j) {
            for (Index lane = 0; lane < lanes; ++lane) {
                if constexpr (std::is_const_v<Cells>)
                    vectors[j * lanes + lane] = cells[starts[core::at(lane)] + j];
                else
                    cells[starts[core::at(lane)] + j] = vectors[j * lanes + lane];
            }
        }
    }
}

// Of 32 bytes, also where vectors have 64: shuffles of those take longer than what they save.
#if defined(__x86_64__)
template <class Cells, class Vectors>
[[gnu::target("avx2")]] void move_avx2(Cells* cells, Vectors* vectors, std::span<const Index> starts, Index columns) {
    move<32 / sizeof(Cells)>(cells, vectors, starts, columns);
}
#endif

template <class Cells, class Vectors>
void move_by_widest(Cells* cells, Vectors* vectors, std::span<const Index> starts, Index columns) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return move_avx2(cells, vectors, starts, columns);
#endif
    move<16 / sizeof(Cells)>(cells, vectors, starts, columns);
}

}  // namespace

template <class Real>
void to_lanes(const Real* cells, std::span<const Index> starts, Index columns, Real* vectors) {
    move_by_widest(cells, vectors, starts, columns);
}

template <class Real>
void from_lanes(const Real* vectors, std::span<const Index> starts, Index columns, Real* cells) {
    move_by_widest(cells, vectors, starts, columns);
}

template void to_lanes<float>(const float*, std::span<const Index>, Index, float*);
template void to_lanes<double>(const double*, std::span<const Index>, Index, double*);
template void from_lanes<float>(const float*, std::span<const Index>, Index, float*);
template void from_lanes<double>(const double*, std::span<const Index>, Index, double*);

}  // namespace mottle::backend::cpu
