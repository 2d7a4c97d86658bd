// tests/oracle/volume_test.cpp: the operators on grids of three dimensions against plain loops
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace oracle {
namespace volume_test {

constexpr std::array<int, 3> kSize = {19, 13, 11};
constexpr std::array<double, 3> kSpacing = {0.8, 1.1, 0.9};

/// The rule of each side in the order left, right, top, bottom, front, back, and its number.
using SixSides = std::array<Side, 6>;

class Volume {
   public:
    Volume(const Cells& cells, const SixSides& sides) : cells_(cells), sides_(sides) {}

    /// The value at a cell, or one step beyond a border along one axis.
    double at(std::array<int, 3> p) const {
        for (std::size_t d = 0; d < 3; ++d) {
            if (p[d] >= 0 && p[d] < kSize[d]) continue;
            const Side& side = sides_[2 * d + (p[d] < 0 ? 0 : 1)];
            std::array<int, 3> inside = p;
            inside[d] = side.rule == Rule::periodic ? (p[d] + kSize[d]) % kSize[d] : p[d] < 0 ? 0 : kSize[d] - 1;
            const double mirror = at(inside);
            return side.rule == Rule::value ? 2 * side.c - mirror : side.rule == Rule::outside ? side.c : mirror;
        }
        const auto index = static_cast<std::size_t>((p[2] * kSize[1] + p[1]) * kSize[0] + p[0]);
        return cells_[index];
    }
    double moved(std::array<int, 3> p, std::size_t axis, int by) const {
        p[axis] += by;
        return at(p);
    }
    double derivative(const std::array<int, 3>& p, std::size_t axis) const {
        return (moved(p, axis, 1) - moved(p, axis, -1)) / (2 * kSpacing[axis]);
    }
    double laplacian(const std::array<int, 3>& p) const {
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) sum += (moved(p, d, 1) - 2 * at(p) + moved(p, d, -1)) / (kSpacing[d] * kSpacing[d]);
        return sum;
    }

   private:
    const Cells& cells_;
    const SixSides& sides_;
};

double dot_of_gradients(const Volume& a, const Volume& b, const std::array<int, 3>& p) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += a.derivative(p, d) * b.derivative(p, d);
    return sum;
}

/// Conductivities on faces are means of the cells beside.
double divergence(const Volume& conductivity, const Volume& potential, const std::array<int, 3>& p) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (const int by : {-1, 1}) {
            sum += (conductivity.at(p) + conductivity.moved(p, d, by)) / 2 * (potential.moved(p, d, by) - potential.at(p)) /
                   (kSpacing[d] * kSpacing[d]);
        }
    }
    return sum;
}

class Volumes : public testing::TestWithParam<const char*> {
   protected:
    static void check(const std::string& sides_text, const SixSides& sides) {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
        const std::string model = R"toml(
[equations]
u = "0.3*lap(u) + 0.4*dz(v) - 0.2*dx(u) + div(u*grad(v)) - 0.1*u*z"
v = "0.2*lap(v) + 0.3*dot(grad(u), grad(v)) + 0.25*dy(u)*Z - 0.1*v"
[initial]
u = "noise(0.5, 1.5)"
v = "noise(0.2, 1.2)"
)toml";
        const std::string settings = "size = \"19x13x11\"\nspacing = [0.8, 1.1, 0.9]\ndt = 0.01\n" + sides_text;
        const Outcome outcome = run_mottle(model, "", settings, 30, GetParam());
        const Fields expected = advance(outcome.start, 0.01, 30, [&](const Fields& f, double) {
            const Volume u(f[0], sides), v(f[1], sides);
            Fields rates = f;
            std::size_t i = 0;
            for (int z = 0; z < kSize[2]; ++z) {
                for (int y = 0; y < kSize[1]; ++y) {
                    for (int x = 0; x < kSize[0]; ++x, ++i) {
                        const std::array<int, 3> p = {x, y, z};
                        const double height = (z + 0.5) * kSpacing[2], unit = (z + 0.5) / kSize[2];
                        rates[0][i] = 0.3 * u.laplacian(p) + 0.4 * v.derivative(p, 2) - 0.2 * u.derivative(p, 0) + divergence(u, v, p) -
                                      0.1 * u.at(p) * height;
                        rates[1][i] =
                            0.2 * v.laplacian(p) + 0.3 * dot_of_gradients(u, v, p) + 0.25 * u.derivative(p, 1) * unit - 0.1 * v.at(p);
                    }
                }
            }
            return rates;
        });
        expect_agreement(outcome, expected);
    }
};

TEST_P(Volumes, Periodic) {
    SixSides sides;
    sides.fill({Rule::periodic, 0});
    check("", sides);
}

TEST_P(Volumes, NoFlux) {
    SixSides sides;
    sides.fill({Rule::no_flux, 0});
    check("boundary = \"no-flux\"\n", sides);
}

TEST_P(Volumes, EachSideByItself) {
    check(
        "boundary = { left = \"value(0.6)\", right = \"no-flux\", top = \"periodic\", bottom = \"periodic\", front = \"outside(0.9)\", "
        "back = "
        "\"value(1.1)\" }\n",
        {Side{Rule::value, 0.6}, Side{Rule::no_flux, 0}, Side{Rule::periodic, 0}, Side{Rule::periodic, 0}, Side{Rule::outside, 0.9},
         Side{Rule::value, 1.1}});
}

INSTANTIATE_TEST_SUITE_P(, Volumes, testing::Values("reference", "cpu"), [](const auto& device) { return std::string(device.param); });

}  // namespace volume_test
}  // namespace oracle
