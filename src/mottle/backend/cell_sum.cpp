// mottle/backend/cell_sum.cpp: exact sums of many cells in one pass
#include "mottle/backend/cell_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mottle::backend {
namespace {

constexpr Index kAlone = 1 << 15;     // cells that one thread has added up before it could wake the others
constexpr std::size_t kBlock = 2048;  // cells that are split alike

template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

template <class Doubles>
inline void widen(const double* cells, Doubles& to) {
    std::memcpy(&to, cells, sizeof to);
}
using TwoDoubles [[gnu::vector_size(16)]] = double;
inline void widen(const float* cells, TwoDoubles& to) { to = TwoDoubles{static_cast<double>(cells[0]), static_cast<double>(cells[1])}; }
#if defined(__x86_64__)
// One instruction each, where g++ 12 makes four of __builtin_convertvector.
[[gnu::target("avx2")]] inline void widen(const float* cells, __m256d& to) { to = _mm256_cvtps_pd(_mm_loadu_ps(cells)); }
[[gnu::target("avx512f")]] inline void widen(const float* cells, __m512d& to) { to = _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(cells)); }
#endif

/// How many of the three parts of a number can be anything but 0, if no number of a block but 0 is smaller than it.
template <class Real>
int parts_of(std::uint64_t smallest, const CellSum::Parts& parts) {
    return smallest >= parts.whole_from[0] ? 1 : smallest >= parts.whole_from[1] ? 2 : 3;
}

/// Adds a block to the first kParts parts, and returns the bits of its smallest magnitude that is not 0. If that has more parts, nothing was added.
/// Written once and compiled for several instruction sets. The sums are exact, so all give the same bits. `count` is a multiple of 4 vectors of kDoubles.
template <int kParts, std::size_t kDoubles, class Real>
[[gnu::always_inline]] inline std::uint64_t add_block(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    using Doubles [[gnu::vector_size(kDoubles * sizeof(double))]] = double;
    constexpr std::size_t kReals = kDoubles * sizeof(double) / sizeof(Real), kHalves = kReals / kDoubles;
    using Bits [[gnu::vector_size(kReals * sizeof(Real))]] = BitsOf<Real>;
    constexpr std::size_t kChains = 4, kLooks = kChains / kHalves;  // several hide the latency
    const Doubles magic[3] = {Doubles{} + parts.magic[0], Doubles{} + parts.magic[1], Doubles{} + parts.magic[2]};
    Doubles sums[kParts][kChains] = {};
    Bits largest[kLooks] = {}, smallest[kLooks];
    for (Bits& bits : smallest) bits = ~Bits{};
    for (std::size_t i = 0; i < count; i += kChains * kDoubles) {
        for (std::size_t k = 0; k < kLooks; ++k) {
            Bits bits;
            std::memcpy(&bits, cells + i + k * kReals, sizeof bits);
            bits &= std::numeric_limits<BitsOf<Real>>::max() >> 1;  // all but the sign
            largest[k] = bits > largest[k] ? bits : largest[k];
            const Bits less = bits - 1;  // of 0 the largest number
            smallest[k] = less < smallest[k] ? less : smallest[k];
        }
        for (std::size_t k = 0; k < kChains; ++k) {
            Doubles x;
            widen(cells + i + k * kDoubles, x);
            for (int part = 0; part < kParts; ++part) {
                const bool all = part + 1 == kParts && kParts < 3;
                const Doubles own_part = all ? x : (x + magic[part]) - magic[part];
                sums[part][k] += own_part;
                if (!all) x -= own_part;
            }
        }
    }
    BitsOf<Real> highest = 0, lowest = std::numeric_limits<BitsOf<Real>>::max();
    for (std::size_t k = 1; k < kLooks; ++k) {
        largest[0] = largest[k] > largest[0] ? largest[k] : largest[0];
        smallest[0] = smallest[k] < smallest[0] ? smallest[k] : smallest[0];
    }
    BitsOf<Real> large[kReals], small[kReals];
    std::memcpy(large, &largest[0], sizeof large);
    std::memcpy(small, &smallest[0], sizeof small);
    for (std::size_t lane = 0; lane < kReals; ++lane) {
        highest = std::max(highest, large[lane]);
        lowest = std::min(lowest, small[lane]);
    }
    const std::uint64_t least = std::uint64_t{lowest} + (lowest != std::numeric_limits<BitsOf<Real>>::max() ? 1 : 0);
    parts.largest = std::max<std::uint64_t>(parts.largest, highest);
    if (parts_of<Real>(least, parts) > kParts) return least;
    for (int part = 0; part < kParts; ++part) {
        const Doubles all = (sums[part][0] + sums[part][1]) + (sums[part][2] + sums[part][3]);
        double lanes[kDoubles];
        std::memcpy(lanes, &all, sizeof lanes);
        for (std::size_t lane = 0; lane < kDoubles; ++lane) parts.sums[part][lane] += lanes[lane];
    }
    return least;
}

/// The blocks before this one tell how many parts to try first.
template <std::size_t kDoubles, class Real>
[[gnu::always_inline]] inline void add_split(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    const auto add = [&](int split) __attribute__((always_inline)) {
        return split == 1   ? add_block<1, kDoubles>(cells, count, parts)
               : split == 2 ? add_block<2, kDoubles>(cells, count, parts)
                            : add_block<3, kDoubles>(cells, count, parts);
    };
    const int needed = parts_of<Real>(add(parts.split), parts);
    if (needed > parts.split) add(needed);
    parts.split = needed;
}

template <class Real>
using AddBlock = void (*)(const Real*, std::size_t, CellSum::Parts&);

template <class Real>
void add_portable(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    add_split<2>(cells, count, parts);
}
#if defined(__x86_64__)
template <class Real>
[[gnu::target("avx2")]] void add_avx2(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    add_split<4>(cells, count, parts);
}
template <class Real>
[[gnu::target("avx512f,avx512dq")]] void add_avx512(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    add_split<8>(cells, count, parts);
}
#endif

template <class Real>
AddBlock<Real> choose_add() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return add_avx512<Real>;
    if (__builtin_cpu_supports("avx2")) return add_avx2<Real>;
#endif
    return add_portable<Real>;
}

template <class Real>
void add_cells(std::span<const Real> cells, CellSum::Parts& parts) {
    static const AddBlock<Real> add = choose_add<Real>();
    constexpr std::size_t kWhole = 4 * CellSum::kLanes;
    const std::size_t whole = cells.size() / kWhole * kWhole;
    for (std::size_t first = 0; first < whole; first += kBlock) add(cells.data() + first, std::min(kBlock, whole - first), parts);
    if (whole == cells.size()) return;
    std::array<Real, kWhole> rest{};
    std::copy(cells.begin() + static_cast<std::ptrdiff_t>(whole), cells.end(), rest.begin());
    add(rest.data(), rest.size(), parts);
}

}  // namespace

// Numbers of `digits` binary digits whose exponent is that of 2^(q + digits - 1) or more are multiples of 2^q, with which the parts of magic number 1.5 * 2^(q + 52) count.
template <class Real>
void split_by(std::span<const double, 3> magic, CellSum::Parts& parts) {
    std::copy_n(magic.begin(), 3, parts.magic);
    for (std::size_t part = 0; part < 2; ++part) {
        const double from = std::ldexp(magic[part] / 1.5, std::numeric_limits<Real>::digits - 53);
        const bool known = from > 0 && from <= std::numeric_limits<Real>::max();
        const Real least =
            known ? std::max(static_cast<Real>(from), std::numeric_limits<Real>::min()) : std::numeric_limits<Real>::infinity();
        parts.whole_from[part] = std::bit_cast<BitsOf<Real>>(least);
    }
}

CellSum::CellSum(const ExactSum& sum) : narrow_{}, wide_{} {
    split_by<float>(sum.magic(), narrow_);
    split_by<double>(sum.magic(), wide_);
}

void CellSum::add(std::span<const float> cells) { add_cells(cells, narrow_); }
void CellSum::add(std::span<const double> cells) { add_cells(cells, wide_); }

void CellSum::add(std::span<const double> cells, std::span<const double> weights) {
    std::array<double, 256> terms;
    std::uint64_t largest = wide_.largest;  // of the cells: that of the terms is a bound of them times the largest weight
    for (std::size_t first = 0; first < cells.size(); first += terms.size()) {
        const std::size_t count = std::min(terms.size(), cells.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            largest = std::max(largest, std::bit_cast<std::uint64_t>(cells[first + i]) & ~(std::uint64_t{1} << 63));
            terms[i] = cells[first + i] * weights[first + i];
        }
        add_cells(std::span<const double>(terms.data(), count), wide_);
    }
    wide_.largest = largest;
}

double CellSum::largest() const {
    const auto narrow = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(narrow_.largest)));
    const double wide = std::bit_cast<double>(wide_.largest);
    return narrow > wide || std::isnan(narrow) ? narrow : wide;
}

void CellSum::add_to(ExactSum& sum) const {
    for (const Parts* parts : {&narrow_, &wide_}) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sum.add_parts(std::array<double, 3>{parts->sums[0][lane], parts->sums[1][lane], parts->sums[2][lane]});
    }
}

SumSplit CellSums::guess(std::size_t array, Index count) {
    if (exponents_.size() <= array) exponents_.resize(array + 1);
    return {array, exponents_[array], ExactSum(std::ldexp(1, exponents_[array] - 1), count)};
}

std::optional<double> CellSums::sum_of(const SumSplit& split, Index count, double heaviest, std::span<const CellSum> shares) {
    double largest = 0;
    for (const CellSum& share : shares) {
        if (!(share.largest() <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
        largest = std::max(largest, share.largest());
    }
    const double bound = largest * heaviest;
    if (bound == 0 || !std::isfinite(bound)) return ExactSum(bound, count).value();
    int needed = 0;
    std::frexp(bound, &needed);
    exponents_[split.array] = needed;
    if (needed != split.exponent) return std::nullopt;
    ExactSum whole = split.sum;
    for (const CellSum& share : shares) share.add_to(whole);
    return whole.value();
}

double CellSums::sum(std::size_t array, Index count, double heaviest, core::ThreadTeam& team,
                     const std::function<void(int worker, CellSum& sum)>& add) {
    while (true) {
        const SumSplit split = guess(array, count);
        std::vector<CellSum> shares(core::at(team.size()), CellSum(split.sum));
        const auto work = [&](int worker) {
            CellSum own(split.sum);  // its own cache line
            add(worker, own);
            shares[core::at(worker)] = own;
        };
        if (count <= kAlone) {
            for (int worker = 0; worker < team.size(); ++worker) work(worker);
        } else {
            team.run(work);
        }
        if (const auto sum = sum_of(split, count, heaviest, shares)) return *sum;
    }
}

}  // namespace mottle::backend
