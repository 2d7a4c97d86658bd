// tests/unit/backend/reduce_test.cpp: sums that are exact in any order; ranges and statistics of rows on any number of threads
#include "mottle/backend/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace mottle::backend {
namespace reduce_test {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

double exact_sum(const std::vector<double>& values) {
    double bound = 0;
    for (double x : values) bound = std::max(bound, std::abs(x));
    ExactSum sum(bound, static_cast<Index>(values.size()));
    sum.add(values);
    return sum.value();
}

// The definition in docs/numerics.md, "Exact sums", written once more without vectors.
double sum_by_definition(const std::vector<double>& values) {
    double m = 0;
    for (double x : values) m = std::max(m, std::abs(x));
    if (m == 0) return 0;
    int e = 0, b = 1;
    while (std::ldexp(1.0, e) > m) --e;
    while (std::ldexp(1.0, e) <= m) ++e;
    while (std::ldexp(1.0, b) < static_cast<double>(values.size())) ++b;
    const int q0 = e + b - 52, q1 = q0 + b - 53, q2 = q1 + b - 53;
    const int q[3] = {q0, q1, q2};
    double parts[3] = {0, 0, 0};
    for (double x : values) {
        for (int k = 0; k < 3; ++k) {
            const double magic = std::ldexp(1.5, q[k] + 52);
            const double part = (x + magic) - magic;
            parts[k] += part;
            x -= part;
        }
    }
    return (parts[2] + parts[1]) + parts[0];
}

std::vector<double> wild_numbers(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<double> values(count);
    for (double& x : values) x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 60) - 90);
    return values;
}

TEST(ExactSum, EqualsItsDefinition) {
    for (std::size_t count : {1u, 2u, 3u, 7u, 64u, 1000u, 4097u}) {
        const auto values = wild_numbers(count, static_cast<unsigned>(count));
        EXPECT_EQ(bits(exact_sum(values)), bits(sum_by_definition(values))) << count;
    }
}

TEST(ExactSum, OrderAndGroupingChangeNothing) {
    auto values = wild_numbers(10007, 5);
    const double expected = exact_sum(values);
    double bound = 0;
    for (double x : values) bound = std::max(bound, std::abs(x));
    std::mt19937 random(9);
    for (int round = 0; round < 200; ++round) {
        std::shuffle(values.begin(), values.end(), random);
        ExactSum total(bound, static_cast<Index>(values.size()));
        for (std::size_t first = 0; first < values.size();) {
            const std::size_t count = std::min<std::size_t>(1 + random() % 700, values.size() - first);
            ExactSum part(bound, static_cast<Index>(values.size()));
            part.add({&values[first], count});
            total.merge(part);
            first += count;
        }
        ASSERT_EQ(bits(total.value()), bits(expected)) << "round " << round;
    }
}

TEST(ExactSum, CancellationLosesNothing) {
    EXPECT_EQ(exact_sum({1e16, 1, -1e16}), 1.0);
    EXPECT_EQ(exact_sum({0.1, 0.2, -0.3}), 0x1p-55);  // 0.1 + 0.2 - 0.3 of the doubles, exactly
    EXPECT_EQ(exact_sum({3, -3, 4, -4}), 0.0);
    // e = 1, b = 2: the three parts resolve 2^-49, 2^-100 and 2^-151
    EXPECT_EQ(exact_sum({1, 0x1p-60, -1}), 0x1p-60);
    EXPECT_EQ(exact_sum({1, 0x1p-120, -1}), 0x1p-120);
    EXPECT_EQ(exact_sum({1, 0x1p-151, -1}), 0x1p-151);
    EXPECT_EQ(exact_sum({1, 0x1p-153, -1}), 0.0);
}

TEST(ExactSum, Edges) {
    EXPECT_EQ(bits(exact_sum({-0.0, 0.0})), bits(0.0));
    EXPECT_EQ(exact_sum({5e-324, 5e-324, 1e-310}), 1e-310 + 1e-323);
    EXPECT_EQ(exact_sum({1e300, 1e300}), 2e300);
    EXPECT_TRUE(std::isnan(exact_sum({std::ldexp(1.0, 1021), 1})));  // e + b = 1023
    EXPECT_EQ(exact_sum({std::ldexp(1.0, 1020), std::ldexp(1.0, 1020)}), std::ldexp(1.0, 1021));
    EXPECT_TRUE(std::isnan(exact_sum({std::numeric_limits<double>::infinity()})));
    EXPECT_TRUE(std::isnan(ExactSum(std::nan(""), 3).value()));
}

template <class Real>
class Reductions : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Reductions, Reals);

template <class Real>
RowReader<Real> rows_of(const std::vector<Real>& cells, Index length) {
    return [&cells, length](Index row, std::span<Real> out) { std::copy_n(cells.begin() + row * length, length, out.begin()); };
}

TYPED_TEST(Reductions, EqualALoopInLongDouble) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal(0.25, 1.5);
    for (auto [rows, length] : {std::pair<Index, Index>{1, 1}, {1, 7}, {5, 1}, {3, 5}, {17, 511}, {37, 64}, {2, 1000}}) {
        std::vector<TypeParam> cells(static_cast<std::size_t>(rows * length));
        for (auto& x : cells) x = static_cast<TypeParam>(normal(random));
        core::ThreadTeam team(2);
        const auto s = statistics_of_rows<TypeParam>(rows, length, rows_of(cells, length), team);
        long double sum = 0, squares = 0;
        for (auto x : cells) sum += x;
        const long double mean = sum / static_cast<long double>(cells.size());
        for (auto x : cells) squares += (x - mean) * (x - mean);
        EXPECT_EQ(s.min, *std::min_element(cells.begin(), cells.end()));
        EXPECT_EQ(s.max, *std::max_element(cells.begin(), cells.end()));
        EXPECT_NEAR(s.sum, static_cast<double>(sum), 1e-14 * static_cast<double>(cells.size()));
        EXPECT_NEAR(s.mean, static_cast<double>(mean), 1e-14);
        EXPECT_NEAR(s.std, static_cast<double>(std::sqrt(squares / static_cast<long double>(cells.size()))), 1e-14);
        EXPECT_EQ(s.count, rows * length);
        EXPECT_EQ(s.first_bad, -1);
    }
}

TYPED_TEST(Reductions, AnyNumberOfThreadsGivesTheSameBits) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const Index rows = 61, length = 131;
    std::vector<TypeParam> cells(static_cast<std::size_t>(rows * length));
    for (auto& x : cells) x = static_cast<TypeParam>(uniform(random));
    core::ThreadTeam one(1);
    const auto expected = statistics_of_rows<TypeParam>(rows, length, rows_of(cells, length), one);
    for (int threads : {2, 3, 7, 16}) {
        core::ThreadTeam team(threads);
        const auto s = statistics_of_rows<TypeParam>(rows, length, rows_of(cells, length), team);
        EXPECT_EQ(bits(s.sum), bits(expected.sum)) << threads;
        EXPECT_EQ(bits(s.mean), bits(expected.mean)) << threads;
        EXPECT_EQ(bits(s.std), bits(expected.std)) << threads;
        EXPECT_EQ(bits(s.min), bits(expected.min)) << threads;
        EXPECT_EQ(bits(s.max), bits(expected.max)) << threads;
    }
}

// Which zero comes first depends on the threads; the result must not.
TYPED_TEST(Reductions, ZerosHaveNoSign) {
    std::vector<TypeParam> cells = {TypeParam{-0.0}, TypeParam{0.0}, TypeParam{-0.0}, TypeParam{0.0}};
    for (int threads : {1, 2}) {
        core::ThreadTeam team(threads);
        const Range range = range_of_rows<TypeParam>(4, 1, rows_of(cells, 1), team);
        EXPECT_EQ(bits(range.min), bits(0.0));
        EXPECT_EQ(bits(range.max), bits(0.0));
    }
}

TYPED_TEST(Reductions, TheLowestBadCellIsFound) {
    const Index rows = 9, length = 37;
    const auto inf = std::numeric_limits<TypeParam>::infinity();
    for (TypeParam bad : {inf, -inf, std::numeric_limits<TypeParam>::quiet_NaN()}) {
        for (Index at : {Index{0}, Index{5}, Index{36}, Index{37}, Index{300}, rows * length - 1}) {
            std::vector<TypeParam> cells(static_cast<std::size_t>(rows * length), TypeParam{2});
            cells[static_cast<std::size_t>(at)] = bad;
            cells[cells.size() - 1] = inf;
            for (int threads : {1, 2, 5}) {
                core::ThreadTeam team(threads);
                EXPECT_EQ(range_of_rows<TypeParam>(rows, length, rows_of(cells, length), team).first_bad, at);
                const auto s = statistics_of_rows<TypeParam>(rows, length, rows_of(cells, length), team);
                EXPECT_EQ(s.first_bad, at);
                EXPECT_TRUE(std::isnan(s.min) && std::isnan(s.max) && std::isnan(s.mean) && std::isnan(s.std) && std::isnan(s.sum));
            }
        }
    }
}

TYPED_TEST(Reductions, AConstantFieldHasNoDeviation) {
    std::vector<TypeParam> cells(600, TypeParam{0.1f});
    core::ThreadTeam team(2);
    const auto s = statistics_of_rows<TypeParam>(20, 30, rows_of(cells, 30), team);
    EXPECT_EQ(s.mean, static_cast<double>(TypeParam{0.1f}));
    EXPECT_EQ(bits(s.std), bits(0.0));
}

}  // namespace reduce_test
}  // namespace mottle::backend
