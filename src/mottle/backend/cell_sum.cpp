// mottle/backend/cell_sum.cpp: exact sums of many cells in one pass
#include "mottle/backend/cell_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace mottle::backend {
namespace {

constexpr Index kAlone = 1 << 15;     // cells that one thread has added up before it could wake the others
constexpr std::size_t kBlock = 1024;  // cells; a block that one part holds to the last bit has no others

template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

/// Written once and compiled for several instruction sets. The sums are exact, so all give the same bits. `count` is a multiple of 4 vectors of kDoubles.
template <std::size_t kDoubles, class Real>
[[gnu::always_inline]] inline void add_block(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    using Doubles [[gnu::vector_size(kDoubles * sizeof(double))]] = double;
    using Words [[gnu::vector_size(kDoubles * sizeof(double))]] = std::int64_t;
    using Cells [[gnu::vector_size(kDoubles * sizeof(Real))]] = Real;
    using Bits [[gnu::vector_size(kDoubles * sizeof(Real))]] = BitsOf<Real>;
    constexpr std::size_t kChains = 4;  // hide the latency
    const Doubles magic0 = Doubles{} + parts.magic[0], magic1 = Doubles{} + parts.magic[1], magic2 = Doubles{} + parts.magic[2];
    Doubles sum[kChains] = {};
    Words rest[kChains] = {};
    Bits largest[kChains] = {};
    for (std::size_t i = 0; i < count; i += kChains * kDoubles) {
        for (std::size_t k = 0; k < kChains; ++k) {
            Cells own;
            std::memcpy(&own, cells + i + k * kDoubles, sizeof own);
            Bits bits;
            std::memcpy(&bits, &own, sizeof bits);
            bits &= std::numeric_limits<BitsOf<Real>>::max();  // all but the sign
            largest[k] = bits > largest[k] ? bits : largest[k];
            const Doubles x = __builtin_convertvector(own, Doubles), part = (x + magic0) - magic0, left = x - part;
            sum[k] += part;
            Words words;
            std::memcpy(&words, &left, sizeof words);
            rest[k] |= words;
        }
    }
    const auto keep = [&](std::size_t part, const Doubles* chains) {
        const Doubles all = (chains[0] + chains[1]) + (chains[2] + chains[3]);
        double lanes[kDoubles];
        std::memcpy(lanes, &all, sizeof lanes);
        for (std::size_t lane = 0; lane < kDoubles; ++lane) parts.sums[part][lane] += lanes[lane];
    };
    keep(0, sum);
    std::int64_t any = 0, words[kDoubles];
    const Words left_over = (rest[0] | rest[1]) | (rest[2] | rest[3]);
    std::memcpy(words, &left_over, sizeof words);
    for (const std::int64_t word : words) any |= word;
    for (std::size_t k = 1; k < kChains; ++k) largest[0] = largest[k] > largest[0] ? largest[k] : largest[0];
    BitsOf<Real> highest[kDoubles];
    std::memcpy(highest, &largest[0], sizeof highest);
    for (const auto bits : highest) parts.largest = std::max(parts.largest, static_cast<std::uint64_t>(bits));
    if (any == 0) return;
    Doubles sum1[kChains] = {}, sum2[kChains] = {};
    for (std::size_t i = 0; i < count; i += kChains * kDoubles) {
        for (std::size_t k = 0; k < kChains; ++k) {
            Cells own;
            std::memcpy(&own, cells + i + k * kDoubles, sizeof own);
            Doubles x = __builtin_convertvector(own, Doubles);
            x -= (x + magic0) - magic0;
            const Doubles part = (x + magic1) - magic1;
            sum1[k] += part;
            x -= part;
            sum2[k] += (x + magic2) - magic2;
        }
    }
    keep(1, sum1);
    keep(2, sum2);
}

template <class Real>
using AddBlock = void (*)(const Real*, std::size_t, CellSum::Parts&);

template <class Real>
void add_portable(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    add_block<2>(cells, count, parts);
}
#if defined(__x86_64__)
template <class Real>
[[gnu::target("avx2")]] void add_avx2(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    add_block<4>(cells, count, parts);
}
template <class Real>
[[gnu::target("avx512f,avx512dq")]] void add_avx512(const Real* cells, std::size_t count, CellSum::Parts& parts) {
    add_block<8>(cells, count, parts);
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

CellSum::CellSum(const ExactSum& sum) : narrow_{}, wide_{} {
    std::copy_n(sum.magic().begin(), 3, narrow_.magic);
    std::copy_n(sum.magic().begin(), 3, wide_.magic);
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

double CellSums::sum(std::size_t array, Index count, double heaviest, core::ThreadTeam& team,
                     const std::function<void(int worker, CellSum& sum)>& add) {
    if (exponents_.size() <= array) exponents_.resize(array + 1);
    while (true) {
        int& exponent = exponents_[array];
        ExactSum whole(std::ldexp(1, exponent - 1), count);
        std::vector<CellSum> sums(core::at(team.size()), CellSum(whole));
        const auto work = [&](int worker) {
            CellSum own(whole);  // its own cache line
            add(worker, own);
            sums[core::at(worker)] = own;
        };
        if (count <= kAlone) {
            for (int worker = 0; worker < team.size(); ++worker) work(worker);
        } else {
            team.run(work);
        }
        double largest = 0;
        for (const CellSum& sum : sums) {
            if (!(sum.largest() <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
            largest = std::max(largest, sum.largest());
        }
        const double bound = largest * heaviest;
        if (bound == 0 || !std::isfinite(bound)) return ExactSum(bound, count).value();
        int needed = 0;
        std::frexp(bound, &needed);
        if (needed == exponent) {
            for (const CellSum& sum : sums) sum.add_to(whole);
            return whole.value();
        }
        exponent = needed;
    }
}

}  // namespace mottle::backend
