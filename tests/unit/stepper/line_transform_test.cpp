// tests/unit/stepper/line_transform_test.cpp: transforms of lines against the sums that define them, and back
#include "mottle/stepper/spectral/line_transform.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace mottle::stepper {
namespace line_transform_test {

using core::Index;
using Kind = LineTransform::Kind;
constexpr long double kPi = std::numbers::pi_v<long double>;

/// Lines of numbers of both signs, each different.
struct Lines {
    Lines(Index cells, Index width) : cells_(cells), memory_(core::at(8 * cells * width)) {
        const Index size = cells * width;
        block = {width, memory_.data(), memory_.data() + size, memory_.data() + 2 * size, memory_.data() + 3 * size};
        for (Index line = 0; line < 2 * width; ++line) {
            for (Index i = 0; i < cells; ++i) at(line, i) = start(line, i);
        }
    }
    static double start(Index line, Index i) { return std::sin(1.7 * static_cast<double>(i * i % 61) + static_cast<double>(line)); }
    double& at(Index line, Index i) {
        return line < block.width ? block.first[i * block.width + line] : block.second[i * block.width + line - block.width];
    }
    LineBlock block{};

   private:
    Index cells_;
    std::vector<double> memory_;
};

/// Coefficient i of line `line` by its definition, but for a factor.
double coefficient(Kind kind, Index n, Index line, Index i) {
    long double sum = 0;
    for (Index x = 0; x < n; ++x) {
        const auto value = static_cast<long double>(Lines::start(line, x));
        const auto wave = static_cast<long double>(i), place = static_cast<long double>(x), cells = static_cast<long double>(n);
        if (kind == Kind::cosine) {
            sum += value * std::cos(kPi * wave * (place + 0.5L) / cells);
        } else {
            sum += value * (2 * i <= n ? std::cos(2 * kPi * wave * place / cells) : std::sin(2 * kPi * wave * place / cells));
        }
    }
    return static_cast<double>(sum);
}

TEST(LineTransform, CoefficientsAreThoseOfTheDefinition) {
    for (const Kind kind : {Kind::fourier, Kind::cosine}) {
        for (const Index n : {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 25, 27, 30, 32, 48, 60, 64, 100, 125, 128}) {
            for (const Index width : {1, 3, 8}) {
                Lines lines(n, width);
                const LineTransform transform(n, kind);
                transform.forward(lines.block);
                for (Index line = 0; line < 2 * width; ++line) {
                    for (Index i = 0; i < n; ++i) {
                        const double expected = coefficient(kind, n, line, i), found = lines.at(line, i);
                        // the middle one of cosines is longer by the root of 2, and a sine may have the other sign
                        const double factor = kind == Kind::cosine && n % 2 == 0 && 2 * i == n ? std::numbers::sqrt2 : 1;
                        ASSERT_NEAR(std::abs(found), factor * std::abs(expected), 2e-15 * static_cast<double>(n))
                            << n << " " << line << " " << i;
                    }
                }
            }
        }
    }
}

TEST(LineTransform, BackAndForth) {
    for (const Kind kind : {Kind::fourier, Kind::cosine}) {
        for (const bool mixed : {false, true}) {
            for (const Index n : {1, 2, 3, 5, 12, 45, 96, 1000, 1024}) {
                Lines lines(n, 4);
                const LineTransform transform(n, kind);
                transform.forward(lines.block, mixed);
                transform.inverse(lines.block, mixed);
                for (Index line = 0; line < 8; ++line) {
                    for (Index i = 0; i < n; ++i)
                        ASSERT_NEAR(lines.at(line, i) / static_cast<double>(n), Lines::start(line, i), 4e-15)
                            << n << " " << line << " " << i;
                }
            }
        }
    }
}

// The difference to both neighbours multiplies each wave by 2 cos(theta) - 2.
TEST(LineTransform, WavesAreThoseOfTheLaplacian) {
    for (const Kind kind : {Kind::fourier, Kind::cosine}) {
        for (const bool mixed : {false, true}) {
            for (const Index n : {2, 3, 9, 20, 64}) {
                Lines lines(n, 3);
                const LineTransform transform(n, kind);
                transform.forward(lines.block, mixed);
                for (Index line = 0; line < 6; ++line) {
                    for (Index i = 0; i < n; ++i) {
                        const double theta =
                            (kind == Kind::fourier ? 2 : 1) * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
                        lines.at(line, i) *= 2 * std::cos(theta) - 2;
                    }
                }
                transform.inverse(lines.block, mixed);
                for (Index line = 0; line < 6; ++line) {
                    const auto cell = [&](Index i) {
                        if (kind == Kind::fourier) return Lines::start(line, (i + n) % n);
                        return Lines::start(line, i < 0 ? 0 : i == n ? n - 1 : i);
                    };
                    for (Index i = 0; i < n; ++i) {
                        const double expected = cell(i - 1) + cell(i + 1) - 2 * cell(i);
                        ASSERT_NEAR(lines.at(line, i) / static_cast<double>(n), expected, 1e-14) << n << " " << line << " " << i;
                    }
                }
            }
        }
    }
}

TEST(LineTransform, RootsOfUnity) {
    for (const Index n : {1, 2, 3, 5, 8, 24, 30, 1000}) {
        for (Index i = 0; i < 2 * n; ++i) {
            const long double angle = 2 * kPi * static_cast<long double>(i) / static_cast<long double>(n);
            const RootOfUnity root = root_of_unity(i, n);
            ASSERT_NEAR(root.cosine, static_cast<double>(std::cos(angle)), 2.3e-16) << i << " " << n;
            ASSERT_NEAR(root.sine, static_cast<double>(std::sin(angle)), 2.3e-16) << i << " " << n;
        }
    }
    EXPECT_EQ(root_of_unity(2, 8).cosine, 0);
    EXPECT_EQ(root_of_unity(4, 8).sine, 0);
}

TEST(LineTransform, TheSameBitsAtEveryLevel) {
    for (const Kind kind : {Kind::fourier, Kind::cosine}) {
        for (const Index n : {30, 48, 128}) {
            for (const Index width : {3, 8}) {
                Lines portable(n, width);
                const LineTransform definition(n, kind, core::VectorLevel::portable);
                definition.forward(portable.block);
                for (const core::VectorLevel level : {core::VectorLevel::avx2, core::VectorLevel::avx512}) {
                    if (level > core::widest_level()) continue;
                    Lines lines(n, width);
                    LineTransform(n, kind, level).forward(lines.block);
                    for (Index line = 0; line < 2 * width; ++line) {
                        for (Index i = 0; i < n; ++i) ASSERT_EQ(lines.at(line, i), portable.at(line, i)) << n << " " << line << " " << i;
                    }
                }
            }
        }
    }
}

TEST(LineTransform, OtherLengthsAreRefused) { EXPECT_THROW(LineTransform(7, Kind::fourier), core::InternalError); }

}  // namespace line_transform_test
}  // namespace mottle::stepper
