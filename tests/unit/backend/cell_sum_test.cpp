// tests/unit/backend/cell_sum_test.cpp: sums in one pass have the bits of those in two
#include "mottle/backend/cell_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <random>

namespace mottle::backend {
namespace cell_sum_test {

/// From 1e-30 to 1e3 of both signs, zeros among them: more than one part of the sum holds.
template <class Real>
std::vector<Real> wide_cells(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(-30, 3), sign(-1, 1);
    std::vector<Real> cells;
    for (std::size_t i = 0; i < count; ++i)
        cells.push_back(i % 17 == 0 ? Real{0} : static_cast<Real>(std::copysign(std::pow(10.0, exponent(random)), sign(random))));
    return cells;
}

template <class Real>
double in_two_passes(const std::vector<Real>& cells, core::ThreadTeam& team, std::span<const double> weights = {}) {
    std::vector<double> terms(cells.begin(), cells.end());
    double largest = 0;
    for (const double term : terms) largest = std::max(largest, std::abs(term));
    if (!weights.empty()) {
        largest *= *std::max_element(weights.begin(), weights.end());
        std::transform(terms.begin(), terms.end(), weights.begin(), terms.begin(), std::multiplies<>());
    }
    ExactSum sum(largest, std::ssize(cells));
    sum.add(terms);
    const RowReader<Real> read = [&](Index, std::span<Real> row) { std::ranges::copy(cells, row.begin()); };
    EXPECT_EQ(statistics_of_rows<Real>(1, std::ssize(cells), read, team, weights).sum, sum.value());
    return sum.value();
}

/// Each worker takes a share, in pieces of odd lengths, of each of which none, some or many cells are taken as the few that stand elsewhere.
template <class Real>
double in_one_pass(CellSums& sums, const std::vector<Real>& cells, core::ThreadTeam& team) {
    return sums.sum(3, std::ssize(cells), 1, team, [&](int worker, CellSum& sum) {
        const std::size_t workers = static_cast<std::size_t>(team.size()), w = static_cast<std::size_t>(worker);
        const std::size_t end = cells.size() * (w + 1) / workers;
        std::size_t few = 0;
        for (std::size_t first = cells.size() * w / workers; first < end; first += 1237) {
            const auto piece = std::span<const Real>(cells).subspan(first, std::min<std::size_t>(1237, end - first));
            few = std::min(few, piece.size());
            sum.add(piece.subspan(few), piece.first(few));
            few = (few + 7) % 45;
        }
    });
}

template <class Real>
void expect_same_sums() {
    for (const int threads : {1, 2, 3}) {
        core::ThreadTeam team(threads);
        CellSums sums;
        for (const std::size_t count : std::initializer_list<std::size_t>{1, 5, 31, 32, 33, 1000, 5000, 40'000}) {
            std::vector<Real> cells = wide_cells<Real>(count, static_cast<unsigned>(count));
            // as they are, larger, smaller, then as before: the guess is right, too small, too large
            for (const Real scale : {Real(1), Real(1000), Real(0.001), Real(1)}) {
                for (Real& cell : cells) cell *= scale;
                EXPECT_EQ(in_one_pass(sums, cells, team), in_two_passes(cells, team)) << count << " cells, " << threads << " threads";
            }
        }
    }
}

TEST(CellSums, HaveTheBitsOfTheStatistics) {
    expect_same_sums<float>();
    expect_same_sums<double>();
}

TEST(CellSums, AreExact) {
    core::ThreadTeam team(2);
    CellSums sums;
    std::vector<double> cells(3000, 1);
    cells[7] = 0x1p70;
    cells[2000] = -0x1p70;
    EXPECT_EQ(in_one_pass(sums, cells, team), 2998);
}

// What is left where large cells cancel is exact, too: three parts hold it.
template <class Real>
void expect_what_is_left() {
    core::ThreadTeam team(2);
    for (const double small : {0x1p-20, 0x1p-60, 0x1p-110}) {
        CellSums sums;
        std::vector<Real> cells(4096);
        double left = 0;
        for (std::size_t i = 0; i < cells.size(); i += 4) {
            const double odd = static_cast<double>(2 * (i % 1000) + 1) * small;
            cells[i] = Real(0.75);
            cells[i + 1] = static_cast<Real>(odd);
            cells[i + 2] = Real(-0.75);
            cells[i + 3] = static_cast<Real>(i % 8 == 0 ? 0x1.8p-45 : -0x1.8p-45);
            left += odd;
        }
        EXPECT_EQ(in_one_pass(sums, cells, team), left) << small;
    }
}

TEST(CellSums, KeepWhatIsLeftOfCellsThatCancel) {
    expect_what_is_left<float>();
    expect_what_is_left<double>();
}

TEST(CellSums, OfZerosAreZeroAndOfWhatIsNotFiniteNaN) {
    core::ThreadTeam team(2);
    CellSums sums;
    std::vector<float> cells(100, -0.0F);
    const double zero = in_one_pass(sums, cells, team);
    EXPECT_EQ(zero, 0);
    EXPECT_FALSE(std::signbit(zero));
    for (const float bad : {INFINITY, -INFINITY, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
        cells[63] = bad;
        EXPECT_TRUE(std::isnan(in_one_pass(sums, cells, team)));
    }
    cells[63] = 2;
    EXPECT_EQ(in_one_pass(sums, cells, team), 2);
}

TEST(CellSums, TakeWeights) {
    core::ThreadTeam team(1);
    const std::vector<double> cells = wide_cells<double>(3001, 1);
    std::vector<double> weights;
    for (std::size_t i = 0; i < cells.size(); ++i) weights.push_back(0.1 + static_cast<double>(i % 13));
    CellSums sums;
    const double sum = sums.sum(0, std::ssize(cells), 12.1, team, [&](int, CellSum& one) {
        one.add_weighted(std::span(cells).first(1000), std::span(weights).first(1000));
        one.add_weighted(std::span(cells).subspan(1000), std::span(weights).subspan(1000));
    });
    EXPECT_EQ(sum, in_two_passes(cells, team, weights));
}

}  // namespace cell_sum_test
}  // namespace mottle::backend
