// tests/physics/noise_test.cpp: white noise has the statistics that it should: normal, independent, stationary fluctuations, Ito and Stratonovich
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace oracle {
namespace noise_test {

/// The mean of cell by cell products.
double product(const Cells& a, const Cells& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum / static_cast<double>(a.size());
}

// A million numbers: moments and classes within four or five standard errors of those of the normal distribution.
TEST(Noise, IsNormal) {
    for (const char* precision : {"f32", "f64"}) {
        const Cells cells =
            run_mottle("[equations]\nu = 'white()'\n[initial]\nu = 0\n", "", "size = \"1024x1024\"\ndt = 1\n", 1, "auto", precision).end[0];
        const double n = static_cast<double>(cells.size());
        double moment[5] = {};
        std::array<double, 12> classes{};
        for (const double x : cells) {
            for (int k = 1; k <= 4; ++k) moment[k] += std::pow(x, k) / n;
            ++classes[static_cast<std::size_t>(std::clamp(std::floor(2 * x) + 6, 0.0, 11.0))];
        }
        EXPECT_NEAR(moment[1], 0, 4 / std::sqrt(n)) << precision;
        EXPECT_NEAR(moment[2], 1, 4 * std::sqrt(2 / n)) << precision;
        EXPECT_NEAR(moment[3], 0, 4 * std::sqrt(15 / n)) << precision;
        EXPECT_NEAR(moment[4], 3, 4 * std::sqrt(96 / n)) << precision;
        double chi_squared = 0;
        for (int k = 0; k < 12; ++k) {
            const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
            const double low = k == 0 ? 0 : below(k / 2.0 - 3), high = k == 11 ? 1 : below((k + 1) / 2.0 - 3);
            const double expected = n * (high - low);
            chi_squared += std::pow(classes[static_cast<std::size_t>(k)] - expected, 2) / expected;
        }
        EXPECT_LT(chi_squared, 31.3) << precision;  // 11 degrees of freedom: one in a thousand is beyond
    }
}

// Neighbouring cells, steps, calls and seeds know nothing of each other.
TEST(Noise, IsIndependent) {
    const std::string text =
        "[equations]\na = 'white()'\nb = 'white()'\nc = 'white()'\nd = 'white()'\ne = 'white()'\n"
        "[initial]\na = 0\nb = 0\nc = 0\nd = 0\ne = 0\n";
    const std::string settings = "size = \"512x512\"\ndt = 1\n";
    const Outcome first = run_mottle(text, "", settings, 1), second = run_mottle(text, "", settings, 2),
                  other = run_mottle(text, "", settings + "seed = 1\n", 1);
    const double bound = 4.5 / 512;
    Fields all = first.end;
    for (std::size_t k = 0; k < first.end.size(); ++k) {
        Cells next = second.end[k];
        for (std::size_t i = 0; i < next.size(); ++i) next[i] -= first.end[k][i];
        all.push_back(std::move(next));
        all.push_back(other.end[k]);
    }
    for (std::size_t a = 0; a < all.size(); ++a) {
        EXPECT_NEAR(product(all[a], all[a]), 1, 4.5 * std::sqrt(2) / 512) << a;
        for (std::size_t b = 0; b < a; ++b) EXPECT_NEAR(product(all[a], all[b]), 0, bound) << a << ", " << b;
        for (const std::ptrdiff_t shift : {1, 2, 511, 512, 513}) {
            Cells moved = all[a];
            std::rotate(moved.begin(), moved.begin() + shift, moved.end());
            EXPECT_NEAR(product(all[a], moved), 0, bound) << a << " by " << shift;
        }
    }
}

// Edwards and Wilkinson 1982: h' = nu lap h + sqrt(2T) white(). Each wave of the grid is an Ornstein-Uhlenbeck process in Euler's steps, with variance
// (2T dt/h^d)/(1 - (1 - dt nu lambda)^2): exact for the scheme, T/(nu lambda h^d) as dt goes to 0.
TEST(Noise, FluctuationsAreThoseOfEdwardsAndWilkinson) {
    constexpr int kSize = 64;
    constexpr double kNu = 0.8, kT = 0.3, kDt = 0.05, kSpacing = 0.7, kDamping = 0.5;
    const std::string text = "[equations]\nh = '0.8*lap(h) - 0.5*h + sqrt(0.6)*white()'\n[initial]\nh = 0\n";
    double expected = 0;
    for (int m = 0; m < kSize; ++m) {
        for (int n = 0; n < kSize; ++n) {
            const auto wave = [](int k) { return 2 * (1 - std::cos(2 * std::numbers::pi * k / kSize)) / (kSpacing * kSpacing); };
            const double kept = 1 - kDt * (kNu * (wave(m) + wave(n)) + kDamping);
            expected += 2 * kT * kDt / (kSpacing * kSpacing) / (1 - kept * kept) / (kSize * kSize);
        }
    }
    double found = 0;
    constexpr int kRuns = 24;
    for (int run = 0; run < kRuns; ++run) {
        const Outcome outcome =
            run_mottle(text, "", "size = \"64x64\"\nspacing = 0.7\ndt = 0.05\nseed = " + std::to_string(run) + "\n", 400, "auto", "f32");
        found += product(outcome.end[0], outcome.end[0]) / kRuns;
    }
    EXPECT_NEAR(found, expected, 0.02 * expected);  // four standard errors of about 4,096*24/4 independent places
    EXPECT_GT(std::abs(expected - kT / kNu), 0.1 * expected);
}

// The mean square slope of the same surface without damping is (1 - 1/n) T/(nu h^d) in continuous time, since -<h lap h> weighs each wave's variance by its
// rate; Euler's steps close to their limit double it and more. Those of a chosen dt are 3.2 % above it.
TEST(Noise, AChosenStepHasTheSlopesOfContinuousTime) {
    constexpr int kSize = 64;
    constexpr double kNu = 0.8, kT = 0.3, kSpacing = 0.7;
    const std::string text = "[equations]\nh = '0.8*lap(h) + sqrt(0.6)*white()'\n[initial]\nh = 0\n";
    const double expected = (1 - 1.0 / (kSize * kSize)) * kT / (kNu * kSpacing * kSpacing);
    double found = 0;
    constexpr int kRuns = 8;
    for (int run = 0; run < kRuns; ++run) {
        const std::string settings = "size = \"64x64\"\nspacing = 0.7\nseed = " + std::to_string(run) + "\n";
        const Cells h = run_mottle(text, "", settings, 16000, "auto", "f32").end[0];
        for (std::size_t y = 0; y < kSize; ++y) {
            for (std::size_t x = 0; x < kSize; ++x) {
                const double here = h[y * kSize + x], right = h[y * kSize + (x + 1) % kSize], up = h[(y + 1) % kSize * kSize + x];
                found += (std::pow(right - here, 2) + std::pow(up - here, 2)) / (kSpacing * kSpacing) / (kSize * kSize * kRuns);
            }
        }
    }
    EXPECT_NEAR(found, expected, 0.06 * expected);
}

// Kardar, Parisi and Zhang's surface moves by the square of its slopes: at 0.9 of the limit it diverges.
TEST(Noise, AChosenStepGrowsAsFastAsShortOnes) {
    const auto grown = [](const std::string& dt, int steps) {
        const std::string text = "[equations]\nh = '0.522*lap(h) - 1.623/2*norm2(grad(h)) + sqrt(2*0.6269)*white()'\n[initial]\nh = 0\n";
        return run_mottle(text, "", "size = \"64x64\"\nspacing = 0.5\n" + dt, steps, "auto", "f32");
    };
    const auto mean = [](const Cells& h) { return std::accumulate(h.begin(), h.end(), 0.0) / static_cast<double>(h.size()); };
    const Outcome chosen = grown("", 2000);
    const double fine = mean(grown("dt = " + std::to_string(chosen.dt / 10) + "\n", 20000).end[0]);
    EXPECT_LT(fine, -20);
    EXPECT_NEAR(mean(chosen.end[0]), fine, 0.05 * std::abs(fine));
}

// u' = lap u + s div of a random current that passes no border: cosines of wave numbers k, l fluctuate independently, driven by s^2 (sin^2 k + sin^2 l),
// as central differences see a current.
TEST(Noise, ACurrentBetweenBordersConserves) {
    constexpr int kSize = 32;
    constexpr double kStrength = 0.7, kDt = 0.1;
    const std::string text =
        "boundary = 'no-flux'\n[equations]\nu = 'lap(u) + 0.7*(div(white()*grad(x)) + div(white()*grad(y)))'\n[initial]\nu = 0\n";
    double expected = 0;
    for (int m = 0; m < kSize; ++m) {
        for (int n = 0; n < kSize; ++n) {
            if (m == 0 && n == 0) continue;
            const double k = std::numbers::pi * m / kSize, l = std::numbers::pi * n / kSize;
            const double kept = 1 - kDt * (4 - 2 * std::cos(k) - 2 * std::cos(l));
            const double driven = kStrength * kStrength * (std::pow(std::sin(k), 2) + std::pow(std::sin(l), 2));
            expected += driven * kDt / (1 - kept * kept) / (kSize * kSize);
        }
    }
    double found = 0;
    constexpr int kRuns = 48;
    for (int run = 0; run < kRuns; ++run) {
        const Cells u = run_mottle(text, "", "size = \"32x32\"\ndt = 0.1\nseed = " + std::to_string(run) + "\n", 2000).end[0];
        double sum = 0;
        for (const double value : u) sum += value;
        EXPECT_NEAR(sum, 0, 1e-9) << run;
        found += product(u, u) / kRuns;
    }
    EXPECT_NEAR(found, expected, 0.03 * expected);  // four standard errors of some 1,024*48*2/3 independent places
}

// The width of a line grows as t^(1/4) by Edwards and Wilkinson's equation, and as t^(1/3) by that of Kardar, Parisi and Zhang: exact exponents, which the
// latter reaches slowly.
TEST(Noise, RoughnessGrowsWithTheExponentsOfItsClass) {
    const auto width = [](const std::string& lambda, int steps) {
        double variance = 0;
        constexpr int kRuns = 16;
        for (int run = 0; run < kRuns; ++run) {
            const Cells h = run_mottle("library:kardar-parisi-zhang", "profile",
                                       "size = \"4096\"\nseed = " + std::to_string(run) + "\n[parameters]\nlambda = " + lambda + "\n",
                                       steps, "auto", "f32")
                                .end[0];
            double mean = 0;
            for (const double x : h) mean += x / static_cast<double>(h.size());
            for (const double x : h) variance += (x - mean) * (x - mean) / static_cast<double>(h.size() * kRuns);
        }
        return std::sqrt(variance);
    };
    const auto exponent = [&](const std::string& lambda) { return std::log(width(lambda, 6400) / width(lambda, 400)) / std::log(16.0); };
    EXPECT_NEAR(exponent("0"), 0.25, 0.015);
    EXPECT_NEAR(exponent("3"), 1.0 / 3, 0.03);
}

// u' = s u white(): Euler's steps are those of Ito, whose mean stays; two evaluations of one number are those of Stratonovich, whose mean grows as
// exp(s^2 t/2).
TEST(Noise, EulerIsItoAndHeunIsStratonovich) {
    const std::string text = "[equations]\nu = 's*u*white()'\n[parameters]\ns = 0.5\n[initial]\nu = 1\n";
    for (const char* method : {"euler", "midpoint", "heun", "rk4"}) {
        const Cells end = run_mottle(text, "", "size = \"512x512\"\ndt = 0.01\nmethod = \"" + std::string(method) + "\"\n", 100).end[0];
        double mean = 0;
        for (const double u : end) mean += u / static_cast<double>(end.size());
        const double expected = std::string(method) == "euler" ? 1 : std::exp(0.125);
        EXPECT_NEAR(mean, expected, 4 * 0.7 / 512 + 0.001) << method;
    }
}

}  // namespace noise_test
}  // namespace oracle
