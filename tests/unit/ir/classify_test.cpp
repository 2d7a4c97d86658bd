// tests/unit/ir/classify_test.cpp: the axes along which a map varies, by what it is made of
#include "mottle/ir/lower/classify.h"

#include "mottle/core/document.h"
#include "mottle/ir/program/program.h"
#include "mottle/ir/lower/system.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

namespace mottle::ir {
namespace classify_test {

using Axes = std::array<bool, 3>;

// Of the map m beside others.
Axes axes_of(const std::string& map, const std::string& size = "8x8") {
    const std::string text = "equations.u = 'lap(u) - m*u'\ninitial.u = 'X'\ntime.dt = 0.1\ngrid.size = '" + size +
                             "'\n[parameters]\nm = \"" + map + "\"\na = 2\nalong_x = 'a*X'\nalong_y = 'exp(-y)'\n";
    const run::Spec spec = run::read_spec(core::parse_document(text, "map.toml"), "map", "", core::parse_document("", "flags"));
    const Program program = lower(build(spec.model), spec.method, spec.domain);
    return program.arrays[static_cast<std::size_t>(program.find_array("m"))].varies;
}

TEST(Classifier, MapsVaryAlongTheAxesOfTheirCoordinates) {
    EXPECT_EQ(axes_of("0.1 + a*sin(pi*X)"), (Axes{true, false, false}));
    EXPECT_EQ(axes_of("where(y > 3, a, 0.5)"), (Axes{false, true, false}));
    EXPECT_EQ(axes_of("max(x, Y)"), (Axes{true, true, false}));
    EXPECT_EQ(axes_of("X*z", "4x4x4"), (Axes{true, false, true}));
}

TEST(Classifier, MapsVaryAsTheMapsThatTheyAreMadeOf) {
    EXPECT_EQ(axes_of("1 - along_x"), (Axes{true, false, false}));
    EXPECT_EQ(axes_of("along_y^2"), (Axes{false, true, false}));
    EXPECT_EQ(axes_of("along_x*along_y"), (Axes{true, true, false}));
}

// Looked at once each, by all who follow maps: else 2^60 times.
TEST(Classifier, MapsInChainsAreFollowedOnce) {
    std::string chain = "m59\"\nm0 = \"X\"\n";
    for (int i = 1; i < 60; ++i) {
        const std::string before = "m" + std::to_string(i - 1);
        chain += "m" + std::to_string(i) + " = \"" + before + "*" + before + "\"\n";
    }
    EXPECT_EQ(axes_of(chain + "last = \"X"), (Axes{true, false, false}));
}

TEST(Classifier, ShapesAndNoiseVaryAlongAll) {
    for (const char* map : {"noise(0, 1)", "0.1*disk(4, 4, 2)", "X + noise(0, 0.1)", "spots(3, 2)", "gauss(4, 4, 1)"})
        EXPECT_EQ(axes_of(map), (Axes{true, true, true})) << map;
}

}  // namespace classify_test
}  // namespace mottle::ir
