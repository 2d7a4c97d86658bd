// tests/unit/ir/reaction_bound_test.cpp: the bound of a reaction's slope holds everywhere in the box, and is close
#include "mottle/ir/stability/reaction_bound.h"

#include "mottle/core/document.h"
#include "mottle/ir/lower/system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace reaction_bound_test {

using namespace mottle;

struct Case {
    const char* rate;
    double lo, hi;
    std::function<double(double)> slope;  ///< by hand
    double close = 1.06;                  ///< the bound may be larger by this; sin has no intervals of its own
};

// Slopes that are steepest at the lower end, at the upper one, and between: the steep part is another one each time.
TEST(ReactionBound, HoldsWhereverTheSlopeIsSteepest) {
    const std::vector<Case> cases = {
        {"0 - u^4", 0, 2, [](double u) { return -4 * u * u * u; }},
        {"0 - u^4", -2, 0, [](double u) { return -4 * u * u * u; }},
        {"u^2*(1 - u)^3", -0.5, 1.5, [](double u) { return 2 * u * std::pow(1 - u, 3) - 3 * u * u * std::pow(1 - u, 2); }},
        {"u*(1 - u)*(u - 0.3)", -1, 2, [](double u) { return -3 * u * u + 2.6 * u - 0.3; }},
        {"sin(3*u)*u", -3, 3, [](double u) { return 3 * std::cos(3 * u) * u + std::sin(3 * u); }, 1.3},
        {"exp(-u^2)*u^3", -2.5, 2.2, [](double u) { return std::exp(-u * u) * (3 * u * u - 2 * std::pow(u, 4)); }},
        {"u^3 - u^5", -1.3, 1.2, [](double u) { return 3 * u * u - 5 * std::pow(u, 4); }},
    };
    for (const Case& test : cases) {
        const std::string text = std::string("equations.u = '") + test.rate + "'\ninitial.u = '0'\nfields.u.range = [" +
                                 std::to_string(test.lo) + ", " + std::to_string(test.hi) + "]\n";
        const model::Model model = model::check(core::parse_document(text, "test.toml"), "test");
        const ir::System system = ir::build(model);
        const ir::Interval bound = ir::reaction_bound(system.model, 0, {}, ir::declared_box(system.model));
        double least = 0, most = 0;
        constexpr int kSamples = 20000;
        for (int i = 0; i <= kSamples; ++i) {
            const double slope = test.slope(test.lo + (test.hi - test.lo) * i / kSamples);
            least = std::min(least, slope);
            most = std::max(most, slope);
        }
        EXPECT_LE(bound.lo, least + 1e-9) << test.rate;
        EXPECT_GE(bound.hi, most - 1e-9) << test.rate;
        EXPECT_LE(bound.magnitude(), test.close * std::max(-least, most)) << test.rate;
    }
}

}  // namespace reaction_bound_test
