// mottle/backend/cell_sum.cpp: exact sums of many cells in one pass
#include "mottle/backend/cell_sum.h"

#include "mottle/core/vector_level.h"

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

constexpr Index kAlone = 1 << 15;                    // cells that one thread has added up before it could wake the others
constexpr std::size_t kBlock = 2048;                 // cells that are split alike
constexpr std::size_t kWhole = 4 * CellSum::kLanes;  // cells of which a block is a multiple, or is filled up to be

template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// Cells of a block: `whole` in memory, of which vectors are full, and at most kWhole others, `rest` behind these and `few` elsewhere, which are copied; behind
/// the copies something stands that changes nothing.
template <class Real>
struct Block {
    const Real* cells;
    std::size_t whole, rest;
    std::span<const Real> few;

    std::size_t filled() const { return rest + few.size() == 0 ? 0 : kWhole; }
    [[gnu::always_inline]] void copy_others(Real* to, Real filling) const {
        if (filled() == 0) return;
        std::fill(to, to + kWhole, filling);
        for (std::size_t i = 0; i < rest; ++i) to[i] = cells[whole + i];
        for (std::size_t i = 0; i < few.size(); ++i) to[rest + i] = few[i];
    }
    /// Calls use(cells) for each `step` cells.
    template <class Use>
    [[gnu::always_inline]] void each(std::size_t step, const Real* copies, const Use& use) const {
        for (std::size_t i = 0; i < whole; i += step) use(cells + i);
        for (std::size_t i = 0; i < filled(); i += step) use(copies + i);
    }
};

template <class Word, class Words>
[[gnu::always_inline]] inline Word largest_in(const Words& words) {
    constexpr std::size_t kHalf = sizeof(Words) / 2;
    using Half [[gnu::vector_size(kHalf)]] = Word;
    Half low, high;
    std::memcpy(&low, &words, kHalf);
    std::memcpy(&high, reinterpret_cast<const std::byte*>(&words) + kHalf, kHalf);
    low = high > low ? high : low;
    if constexpr (kHalf == sizeof(Word))
        return low[0];
    else
        return largest_in<Word>(low);
}

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

/// What is written once and compiled for several instruction sets. Sums of parts are exact, so all give the same bits.
template <std::size_t kDoubles, class Real>
struct Vectors {
    using Doubles [[gnu::vector_size(kDoubles * sizeof(double))]] = double;
    static constexpr std::size_t kReals = kDoubles * sizeof(double) / sizeof(Real);
    using Word = BitsOf<Real>;
    using Words [[gnu::vector_size(kReals * sizeof(Real))]] = Word;
    static constexpr std::size_t kChains = 4;  // hide the latency

    [[gnu::always_inline]] static void load(const Real* cells, Words& bits) { std::memcpy(&bits, cells, sizeof bits); }
    /// The bits of the largest cell less `from`, which of a cell below that, of one of value 0 and of a negative one are more than of any finite cell.
    [[gnu::always_inline]] static Word largest_above(const Block<Real>& block, Word from) {
        Words first{}, second{};
        Real copies[kWhole];
        block.copy_others(copies, std::bit_cast<Real>(from));
        block.each(
            2 * kReals, copies, [&](const Real* cells) __attribute__((always_inline)) {
                Words one, other;
                load(cells, one);
                load(cells + kReals, other);
                one -= from;
                other -= from;
                first = one > first ? one : first;
                second = other > second ? other : second;
            });
        return largest_in<Word>(first > second ? first : second);
    }

    struct Magnitudes {
        Word largest, smallest;  ///< bits; the smallest but 0
    };
    [[gnu::always_inline]] static Magnitudes magnitudes(const Block<Real>& block) {
        Words largest{}, rest{};
        Real copies[kWhole];
        block.copy_others(copies, 0);
        block.each(
            kReals, copies, [&](const Real* cells) __attribute__((always_inline)) {
                Words bits;
                load(cells, bits);
                bits &= std::numeric_limits<Word>::max() >> 1;  // all but the sign
                largest = bits > largest ? bits : largest;
                const Words less = -bits;  // the larger the smaller, of 0 least
                rest = less > rest ? less : rest;
            });
        const Word least = largest_in<Word>(rest);
        return {largest_in<Word>(largest), least == 0 ? std::numeric_limits<Word>::max() : static_cast<Word>(-least)};
    }

    /// Adds cells of which at most kParts parts are not 0.
    template <int kParts>
    [[gnu::always_inline]] static void add(const Block<Real>& block, CellSum::Parts& parts) {
        const Doubles magic[3] = {Doubles{} + parts.magic[0], Doubles{} + parts.magic[1], Doubles{} + parts.magic[2]};
        Doubles sums[kParts][kChains] = {};
        Real copies[kWhole];
        block.copy_others(copies, 0);
        block.each(
            kChains * kDoubles, copies, [&](const Real* cells) __attribute__((always_inline)) {
                for (std::size_t k = 0; k < kChains; ++k) {
                    Doubles x;
                    widen(cells + k * kDoubles, x);
                    for (int part = 0; part < kParts; ++part) {
                        const bool rest = part + 1 == kParts && kParts < 3;
                        const Doubles own = rest ? x : (x + magic[part]) - magic[part];
                        sums[part][k] += own;
                        if (!rest) x -= own;
                    }
                }
            });
        for (int part = 0; part < kParts; ++part) {
            const Doubles all = (sums[part][0] + sums[part][1]) + (sums[part][2] + sums[part][3]);
            Doubles lanes;
            std::memcpy(&lanes, parts.sums[part], sizeof lanes);
            lanes += all;
            std::memcpy(parts.sums[part], &lanes, sizeof lanes);
        }
    }

    [[gnu::always_inline]] static void add_block(const Block<Real>& block, CellSum::Parts& parts) {
        constexpr Word kInfinity = std::bit_cast<Word>(std::numeric_limits<Real>::infinity());
        if (parts.plain) {  // the usual case, with fewer operations
            const Word from = static_cast<Word>(parts.whole_from[0]), above = largest_above(block, from);
            parts.plain = from < kInfinity && above < kInfinity - from;
            if (parts.plain) {
                parts.largest = std::max<std::uint64_t>(parts.largest, above + from);
                return add<1>(block, parts);
            }
        }
        const auto [largest, smallest] = magnitudes(block);
        parts.largest = std::max<std::uint64_t>(parts.largest, largest);
        if (smallest >= parts.whole_from[0]) return add<1>(block, parts);
        if (smallest >= parts.whole_from[1]) return add<2>(block, parts);
        add<3>(block, parts);
    }
};

template <class Real>
using AddBlock = void (*)(const Block<Real>&, CellSum::Parts&);

template <class Real>
void add_portable(const Block<Real>& block, CellSum::Parts& parts) {
    Vectors<2, Real>::add_block(block, parts);
}
#if defined(__x86_64__)
template <class Real>
[[gnu::target("avx2")]] void add_avx2(const Block<Real>& block, CellSum::Parts& parts) {
    Vectors<4, Real>::add_block(block, parts);
}
template <class Real>
[[gnu::target("avx512f,avx512dq")]] void add_avx512(const Block<Real>& block, CellSum::Parts& parts) {
    Vectors<8, Real>::add_block(block, parts);
}
#endif

template <class Real>
AddBlock<Real> choose_add() {
#if defined(__x86_64__)
    return core::code_for(core::widest_level(), add_portable<Real>, add_avx2<Real>, add_avx512<Real>);
#else
    return add_portable<Real>;
#endif
}

template <class Real>
void add_cells(std::span<const Real> cells, std::span<const Real> few, CellSum::Parts& parts) {
    static const AddBlock<Real> add = choose_add<Real>();
    for (std::size_t first = 0; first < cells.size(); first += kBlock) {
        const std::size_t count = std::min(kBlock, cells.size() - first), rest = count % kWhole;
        const bool takes_few = first + count == cells.size() && rest + few.size() <= kWhole;
        add({cells.data() + first, count - rest, rest, takes_few ? few : std::span<const Real>()}, parts);
        if (takes_few) few = {};
    }
    if (!few.empty()) add_cells(few, {}, parts);
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

void CellSum::add(std::span<const float> cells, std::span<const float> few) { add_cells(cells, few, narrow_); }
void CellSum::add(std::span<const double> cells, std::span<const double> few) { add_cells(cells, few, wide_); }

void CellSum::add_weighted(std::span<const double> cells, std::span<const double> weights) {
    std::array<double, 256> terms;
    std::uint64_t largest = wide_.largest;  // of the cells: that of the terms is a bound of them times the largest weight
    for (std::size_t first = 0; first < cells.size(); first += terms.size()) {
        const std::size_t count = std::min(terms.size(), cells.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            largest = std::max(largest, std::bit_cast<std::uint64_t>(cells[first + i]) & ~(std::uint64_t{1} << 63));
            terms[i] = cells[first + i] * weights[first + i];
        }
        add_cells(std::span<const double>(terms.data(), count), {}, wide_);
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

int& CellSums::exponent(std::size_t array) {
    if (exponents_.size() <= array) exponents_.resize(array + 1);
    return exponents_[array];
}

SumSplit CellSums::guess(std::size_t array, Index count) {
    const int expected = exponent(array);
    return {array, expected, ExactSum(std::ldexp(1, expected - 1), count)};
}

std::optional<double> CellSums::sum_of(const SumSplit& split, Index count, double heaviest, std::span<const CellSum> shares) {
    double largest = 0;
    ExactSum whole = split.sum;
    for (const CellSum& share : shares) {
        if (!(share.largest() <= largest)) largest = std::isnan(largest) ? largest : share.largest();
        share.add_to(whole);
    }
    return sum_of(split, count, heaviest, largest, whole.parts());
}

std::optional<double> CellSums::sum_of(const SumSplit& split, Index count, double heaviest, double largest,
                                       std::span<const double, 3> parts) {
    if (!(largest <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
    const double bound = largest * heaviest;
    if (bound == 0 || !std::isfinite(bound)) return ExactSum(bound, count).value();
    int needed = 0;
    std::frexp(bound, &needed);
    exponent(split.array) = needed;
    if (needed != split.exponent) return std::nullopt;
    ExactSum whole = split.sum;
    whole.add_parts(parts);
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
