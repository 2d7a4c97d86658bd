// tests/physics/slopes_test.cpp: flux and Robin borders beside a conductivity that varies with the place are of second order, on every side
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace oracle {
namespace slopes_test {

struct Case {
    int dimensions, axis;
    bool backwards;  ///< flux on the far side, Robin on the near one
    bool map;        ///< D is a parameter; else it stands in the equation
};

/// The greatest error of a steady state with u = sin(1 + 2s) along an axis of length 1 that is cut into n cells. D = (1 + 3s)(1 + a part across), and
/// a source that makes u stand still.
double error_of(const Case& test, int n) {
    const std::string s = std::string(1, static_cast<char>('X' + test.axis));
    const std::string across =
        test.dimensions == 1 ? "" : std::string("*(1 + 0.5*") + static_cast<char>('X' + (test.axis + 1) % test.dimensions) + ")";
    const std::string d = "(1 + 3*" + s + ")" + across;
    const std::string source = " - (6*cos(1 + 2*" + s + ") - 4*(1 + 3*" + s + ")*sin(1 + 2*" + s + "))" + across;
    const std::string text = std::string("[equations]\nu = \"div(") + (test.map ? "D" : d) + "*grad(u))" + source + "\"\n" +
                             (test.map ? "[parameters]\nD = \"" + d + "\"\n" : "") +
                             "[initial]\nu = 0.5\n[fields]\nu = { range = [-1, 1] }\n";
    const auto u = [](double at) { return std::sin(1 + 2 * at); };
    const auto slope = [](double at) { return 2 * std::cos(1 + 2 * at); };
    const double at_flux = test.backwards ? 1 : 0, at_robin = 1 - at_flux;
    const double out_flux = test.backwards ? 1 : -1;  // the outward normal along the axis
    const auto number = [](double x) { return std::to_string(x) + ")"; };
    const std::string flux = "\"flux(" + number(out_flux * slope(at_flux)) + "\"";
    const std::string robin = "\"robin(1,0.5," + number(u(at_robin) - 0.5 * out_flux * slope(at_robin)) + "\"";
    const std::array<std::array<const char*, 2>, 3> names = {{{"left", "right"}, {"top", "bottom"}, {"front", "back"}}};
    std::string size, spacing, boundary;
    for (int axis = 0; axis < test.dimensions; ++axis) {
        const bool along = axis == test.axis;
        size += (axis > 0 ? "x" : "") + std::to_string(along ? n : 3);
        spacing += (axis > 0 ? "," : "") + std::to_string(along ? 1.0 / n : 1.0);
        const auto [near, far] = names[static_cast<std::size_t>(axis)];
        boundary += std::string(axis > 0 ? ", " : "") + near + " = " +
                    (!along           ? "\"no-flux\""
                     : test.backwards ? robin
                                      : flux) +
                    ", " + far + " = " +
                    (!along           ? "\"no-flux\""
                     : test.backwards ? flux
                                      : robin);
    }
    if (test.dimensions == 1) size += "x1";
    const double dt = 0.2 / (4.0 * 1.5 * n * n);
    const std::string settings =
        "size = \"" + size + "\"\nspacing = \"" + spacing + "\"\nboundary = { " + boundary + " }\ndt = " + std::to_string(dt) + "\n";
    const Outcome outcome = run_mottle(text, "", settings, static_cast<int>(12 / dt), "auto");
    double worst = 0;
    std::size_t stride = 1;
    for (int axis = 0; axis < test.axis; ++axis) stride *= 3;
    for (std::size_t c = 0; c < outcome.end[0].size(); ++c) {
        const auto i = static_cast<double>((c / stride) % static_cast<std::size_t>(n));
        worst = std::max(worst, std::abs(outcome.end[0][c] - u((i + 0.5) / n)));
    }
    return worst;
}

class Slopes : public testing::TestWithParam<Case> {};

TEST_P(Slopes, AreOfSecondOrder) {
    const double coarse = error_of(GetParam(), 8), fine = error_of(GetParam(), 16);
    EXPECT_LT(fine, 0.01);
    EXPECT_GT(std::log2(coarse / fine), 1.7) << coarse << ", " << fine;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    return std::string(c.map ? "Map" : "Place") + "AlongAxis" + std::to_string(c.axis) + (c.backwards ? "Backwards" : "") + "In" +
           std::to_string(c.dimensions);
}

INSTANTIATE_TEST_SUITE_P(Sides, Slopes,
                         testing::Values(Case{1, 0, false, false}, Case{1, 0, true, true}, Case{2, 0, true, false},
                                         Case{2, 1, false, false}, Case{2, 1, true, true}, Case{3, 0, false, true}, Case{3, 1, true, false},
                                         Case{3, 2, false, false}, Case{3, 2, true, true}),
                         name_of);

}  // namespace slopes_test
}  // namespace oracle
