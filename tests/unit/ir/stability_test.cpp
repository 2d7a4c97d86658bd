// tests/unit/ir/stability_test.cpp: the explicit limit of dt against closed forms
#include "mottle/ir/stability/stability.h"

#include "mottle/core/document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <utility>

namespace stability_test {

using namespace mottle;

ir::StableStep limit(const std::string& text, const std::string& size = "64x64", const std::string& stencil = "5", double spacing = 1,
                     const char* method = "euler") {
    const model::Model model = model::check(core::parse_document(text, "test.toml"), "test");
    domain::Grid grid;
    grid.size = domain::parse_size({size, {}});
    grid.stencil = domain::parse_stencil({stencil, {}});
    grid.spacing = {spacing, spacing, spacing};
    return ir::stable_step(ir::build(model), {method, false}, grid);
}

std::string one(const std::string& rate, const std::string& more = "") {
    return "[equations]\nu = '" + rate + "'\n[initial]\nu = 'X'\n" + more;
}
std::string two(const std::string& u, const std::string& v, const std::string& more = "") {
    return "[equations]\nu = '" + u + "'\nv = '" + v + "'\n[initial]\nu = 'X'\nv = 'X'\n" + more;
}

TEST(Stability, FivePoint) {
    EXPECT_DOUBLE_EQ(limit(one("0.5*lap(u)")).diffusion_limit, 1.0 / (4 * 0.5));
    EXPECT_DOUBLE_EQ(limit(one("0.5*lap(u)"), "64x64", "5", 0.1).diffusion_limit, 0.01 / (4 * 0.5));
    EXPECT_DOUBLE_EQ(limit(one("2*lap(u)"), "64x1").diffusion_limit, 1.0 / (2 * 2)) << "one axis";
    EXPECT_DOUBLE_EQ(limit(one("2*lap(u)"), "8x8x8").diffusion_limit, 1.0 / (6 * 2));
}

TEST(Stability, NinePoint) {
    EXPECT_NEAR(limit(one("0.5*lap(u)"), "64x64", "9").diffusion_limit, 3 / (8 * 0.5), 1e-14);
    EXPECT_NEAR(limit(one("0.5*lap(u)"), "64x64", "9", 0.5).diffusion_limit, 0.25 * 3 / (8 * 0.5), 1e-14);
}

TEST(Stability, CustomWeights) {
    // The kernel of 0.05, 0.2, -1 is 0.3 times the nine-point Laplacian.
    EXPECT_NEAR(limit(one("lap(u)"), "64x64", "0.05,0.2,0.05,0.2,-1,0.2,0.05,0.2,0.05").diffusion_limit, 3 / (8 * 0.3), 1e-14);
    EXPECT_NEAR(limit(one("lap(u)"), "64x64", "0,1,0,1,-4,1,0,1,0").diffusion_limit, 0.25, 1e-14);
    // A lopsided kernel is bounded by the sum of its weights.
    EXPECT_NEAR(limit(one("lap(u)"), "64x64", "0,0,0,0,-1,1,0,0,0").diffusion_limit, 1, 1e-14);
}

TEST(Stability, SeveralTermsAndParameters) {
    EXPECT_DOUBLE_EQ(limit(one("D*lap(u) + lap(D*u)", "[parameters]\nD = 0.25")).diffusion_limit, 1.0 / (4 * 0.5));
    EXPECT_DOUBLE_EQ(limit(two("lap(u)", "3*lap(v)")).diffusion_limit, 1.0 / 12);
}

// What a method bears, over the decay of the stiffest wave; 2.785 is the real root of 1 + z/2 + z^2/6 + z^3/24.
TEST(Stability, Methods) {
    const std::string reaction = "[method]\nreaction_rate = 3\n";
    const std::pair<const char*, double> borne[] = {{"euler", 2}, {"midpoint", 2}, {"heun", 2}, {"rk4", 2.785293563405282}};
    for (const auto& [name, most] : borne) {
        const ir::StableStep alone = limit(one("0.5*lap(u)"), "64x64", "5", 1, name);
        EXPECT_NEAR(alone.diffusion_limit, most / (8 * 0.5), 1e-12) << name;
        EXPECT_NE(alone.reason.find("decays at up to 4 per"), std::string::npos) << alone.reason;
        EXPECT_NEAR(limit(one("0.5*lap(u)", reaction), "64x64", "5", 1, name).limit, most / (8 * 0.5 + 3), 1e-12) << name;
    }
}

// Fields that turn each other's waves: mu = 8 (1 +- i). Euler bears 2 Re(mu)/|mu|^2 = 1/8; the limits of the others are where 1 - dt mu + ... reaches 1.
TEST(Stability, MethodsBearTurningWaves) {
    for (const char* name : {"euler", "midpoint", "heun", "rk4"}) {
        const double dt = limit(two("lap(u) - lap(v)", "lap(u) + lap(v)"), "64x64", "5", 1, name).diffusion_limit;
        const std::complex<double> z = -dt * std::complex<double>(8, 8);
        std::complex<double> growth = 1.0 + z;
        if (name != std::string("euler")) growth += z * z / 2.0;
        if (name == std::string("rk4")) growth += z * z * z / 6.0 + z * z * z * z / 24.0;
        EXPECT_NEAR(std::abs(growth), 1, 1e-10) << name;
        EXPECT_GE(dt, 1.0 / 8 - 1e-12) << name;
    }
}

/// The longest dt of Euler's method by every wave of a row of n cells, h = 1: f' = D lap(f) - c dx(f) - r f.
double longest_for_drift(double D, double c, double r, int n) {
    double longest = INFINITY;
    for (int j = 1; j < n; ++j) {
        const double k = 2 * std::numbers::pi * j / n;
        const std::complex<double> rate(D * 2 * (1 - std::cos(k)) + r, c * std::sin(k));
        longest = std::min(longest, 2 * rate.real() / std::norm(rate));
    }
    return longest;
}

// Of long waves Euler bears 2 D/c^2, of the stiffest h^2/(2 D); reaction damps all of them.
TEST(Stability, Drift) {
    const auto drift = [](const std::string& rate, const std::string& more = "") { return limit(one(rate, more), "512x1"); };
    EXPECT_NEAR(drift("lap(u) - 3*dx(u)").limit, longest_for_drift(1, 3, 0, 512), 1e-3);
    EXPECT_NEAR(drift("lap(u) - 3*dx(u)").limit, 2.0 / 9, 1e-3);
    EXPECT_NEAR(drift("lap(u) + 0.5*dx(u)").limit, longest_for_drift(1, 0.5, 0, 512), 1e-12) << "diffusion sets it";
    EXPECT_NEAR(drift("0.1*lap(u) + dx(u) - 0.3*u").limit, longest_for_drift(0.1, 1, 0.3, 512), 5e-3);
    EXPECT_NEAR(drift("7*dx(u) - u").limit, 2 / (1 + 49.0), 1e-3);
    EXPECT_EQ(drift("7*dx(u)").limit, 0);
    EXPECT_NE(drift("7*dx(u)").reason.find("nothing damps"), std::string::npos);
    EXPECT_NE(drift("lap(u) - 20*dx(u)").reason.find("--method rk4"), std::string::npos) << "28 times as long a step";
    EXPECT_NE(limit(two("lap(u) - 20*dx(u)", "lap(v) - 21*dx(v)"), "512x1").reason.find("--method rk4"), std::string::npos);
    EXPECT_EQ(drift("lap(u) - 3*dx(u)").reason.find("rk4"), std::string::npos) << "which would take longer";
    EXPECT_EQ(limit(one("lap(u) - 20*dx(u)"), "512x1", "5", 1, "rk4").reason.find("rk4"), std::string::npos);
    EXPECT_EQ(limit(one("7*dx(u)"), "512x1", "5", 1, "heun").limit, 0);
    EXPECT_NEAR(limit(one("7*dx(u)"), "512x1", "5", 1, "rk4").limit, std::sqrt(8) / 7, 1e-3)
        << "rk4 bears 2 sqrt 2 along the imaginary axis";
    EXPECT_NEAR(limit(one("7*dx(u) + 7*dy(u)"), "64x64", "5", 0.5, "rk4").limit, std::sqrt(8) / 28, 1e-3);
    EXPECT_TRUE(std::isinf(limit(one("lap(u) + 7*dy(u)"), "64x1").drift_limit)) << "an axis of one cell";
    // u of u*dx(u) is the speed; one way only, v does not drift
    EXPECT_NEAR(drift("lap(u) - u*dx(u)", "[fields]\nu = { range = [-1, 4] }").drift_limit, 2.0 / 16, 2e-3);
    EXPECT_NE(drift("lap(u) - u*dx(u)").unknown.find("the drift of u has no bound"), std::string::npos);
    EXPECT_TRUE(std::isinf(limit(two("lap(u) - 9*dx(v)", "lap(v)")).drift_limit));
    // u' = 3 dx(v), v' = 3 dx(u) are waves that run both ways at speed 3
    EXPECT_NEAR(limit(two("3*dx(v)", "3*dx(u)"), "512x1", "5", 1, "rk4").limit, std::sqrt(8) / 3, 1e-3);
}

TEST(Stability, DiffusionThatRunsBackwardsIsNamed) {
    EXPECT_EQ(limit(one("-lap(u)")).backwards, std::vector<std::string>{"u"});
    EXPECT_EQ(limit(two("0.1*lap(u)", "-D*lap(v)", "[parameters]\nD = 2\n")).backwards, std::vector<std::string>{"v"});
    EXPECT_TRUE(limit(one("-lap(u) - bilap(u)")).backwards.empty()) << "the stiffest wave decays";
    EXPECT_TRUE(limit(one("lap(u^3 - u)", "[fields]\nu = { range = [-1, 1] }")).backwards.empty()) << "only in some states";
}

// By imex 1 - i dt c s over 1 + dt D k^2 is at most 1 in size. With what does not diffuse nothing has changed.
TEST(Stability, DriftBesideDiffusionThatIsSolvedFor) {
    const auto longest = [](double D, double c, int n) {
        double least = INFINITY;
        for (int j = 1; j < n; ++j) {
            const double k = 2 * std::numbers::pi * j / n, d = D * 2 * (1 - std::cos(k)), turn = c * std::sin(k);
            if (turn * turn > d * d) least = std::min(least, 2 * d / (turn * turn - d * d));
        }
        return least;
    };
    const auto imex = [](const std::string& u) { return limit(two(u, "lap(v)"), "512x1", "5", 1, "imex"); };
    EXPECT_NEAR(imex("lap(u) - 3*dx(u)").limit, longest(1, 3, 512), 1e-3);
    EXPECT_NEAR(imex("lap(u) - 0.3*dx(u)").limit / longest(1, 0.3, 512), 1, 0.02)
        << "long waves limit it, and they are shorter here than the longest of all";
    EXPECT_NEAR(imex("lap(u) - 0.3*dx(u)").accurate / longest(1, 0.3, 512), 0.1, 0.002);
    EXPECT_EQ(imex("1 - 0.3*dx(u)").limit, 0);
    EXPECT_NE(imex("1 - 0.3*dx(u)").reason.find("nothing damps"), std::string::npos);
    EXPECT_EQ(imex("lap(u) - 20*dx(u)").reason.find("rk4"), std::string::npos) << "whose steps diffusion limits";
}

// A bound of a quotient by one interval counts each u by itself: 250 times too much for the Oregonator.
TEST(Stability, ReactionBoundsAreTight) {
    const auto rate = [](double u, double v) { return (1 - 2 * u - 1.4 * v * 2 * 0.002 / ((u + 0.002) * (u + 0.002))) / 0.03; };
    double most = 0;
    for (int i = 0; i <= 1000; ++i) {
        for (int j = 0; j <= 30; ++j) most = std::max(most, std::abs(rate(i * 1e-3, j * 0.01)));
    }
    const std::string text =
        two("(u*(1 - u) - 1.4*v*(u - 0.002)/(u + 0.002))/0.03", "u - v", "[fields]\nu = { range = [0, 1] }\nv = { range = [0, 0.3] }");
    const double bound = 2 / limit(text).limit;
    EXPECT_GE(bound, most * (1 - 1e-12));
    EXPECT_LE(bound, 1.05 * most);
}

// What has no bound is left out by itself: the sixth order of a phase-field crystal is known.
TEST(Stability, OneUnboundedTermLeavesTheOthers) {
    const ir::StableStep step = limit(one("lap(0.7*u + 2*lap(u) + bilap(u) + u^3)"));
    EXPECT_NEAR(step.limit, 2 / (8.0 * (64 - 16)), 1e-12) << "0.7 + 3 u^2 is what has no bound";
    EXPECT_NE(step.unknown.find("the diffusion of u has no bound"), std::string::npos);
}

TEST(Stability, BilapIsTheSquareOfLap) {
    EXPECT_DOUBLE_EQ(limit(one("-bilap(u)")).diffusion_limit, 2.0 / 64);
    EXPECT_DOUBLE_EQ(limit(one("-lap(lap(u))")).diffusion_limit, 2.0 / 64);
    // Anti-diffusion takes decay away: s^2 64 - s 8 is 56 at the stiffest wave.
    EXPECT_DOUBLE_EQ(limit(one("-lap(u) - bilap(u)")).diffusion_limit, 2.0 / 56);
}

TEST(Stability, HeldStageTakesTheSlopeOfItsExpression) {
    // lap(u^3 - u) with u in -1..1: slope 3 u^2 - 1 is at most 2.
    EXPECT_DOUBLE_EQ(limit(one("lap(u^3 - u)", "[fields]\nu = { range = [-1, 1] }")).diffusion_limit, 1.0 / (4 * 2));
}

TEST(Stability, VaryingDiffusivity) {
    const std::string range = "[fields]\nu = { range = [0, 3] }\nv = { range = [0, 1] }";
    EXPECT_DOUBLE_EQ(limit(two("div((1 + v)*grad(u))", "0", range)).diffusion_limit, 1.0 / (4 * 2));
    EXPECT_DOUBLE_EQ(limit(one("div(u*grad(u))", "[fields]\nu = { range = [0, 3] }")).diffusion_limit, 1.0 / (4 * 3));
    EXPECT_DOUBLE_EQ(limit(one("D*lap(u)", "[parameters]\nD = '0.5 + 0.5*X'")).diffusion_limit, 1.0 / 4);
    EXPECT_NE(limit(one("div(u*grad(u)) + lap(u)")).reason.find("no bound"), std::string::npos);
    // Always two neighbours per axis, whatever the stencil.
    EXPECT_DOUBLE_EQ(limit(one("div((1 + X)*grad(u))"), "64x64", "9").diffusion_limit, 1.0 / (4 * 2));
}

TEST(Stability, CrossDiffusionTakesEigenvalues) {
    // (1 -c; c 1): eigenvalues 1 +- i c, so dt < 2/(8 (1 + c^2)).
    const std::string range = "[fields]\nu = { range = [0, 1] }\nv = { range = [0, 1] }";
    EXPECT_NEAR(limit(two("lap(u) - 2*lap(v)", "lap(v) + 2*lap(u)", range)).diffusion_limit, 2.0 / (8 * 5), 1e-9);
    EXPECT_NEAR(limit(two("lap(u) + 0.5*lap(v)", "lap(v) + 0.5*lap(u)", range)).diffusion_limit, 2.0 / (8 * 1.5), 1e-9);
    EXPECT_DOUBLE_EQ(limit(two("lap(u) - 9*lap(v)", "lap(v)", range)).diffusion_limit, 0.25) << "one way only: each decays by its own";
}

TEST(Stability, AWaveThatComesBackByReactionCounts) {
    // u' = lap(u) - 4 lap(v), v' = lap(v) + 9 u on the stiffest wave, 8: (8 -32; -9 8) decays at 8 +- sqrt(32*9).
    const std::string range = "[fields]\nu = { range = [0, 1] }\nv = { range = [0, 1] }";
    EXPECT_NEAR(limit(two("lap(u) - 4*lap(v)", "lap(v) + 9*u", range)).limit, 2 / (8 + std::sqrt(32.0 * 9)), 1e-12);
    EXPECT_DOUBLE_EQ(limit(two("lap(u) - 4*lap(v)", "lap(v)", range)).limit, 0.25) << "nothing comes back";
    EXPECT_DOUBLE_EQ(limit(two("lap(u) + 9*v", "lap(v) + 9*u", range)).limit, 0.25) << "nothing spreads by the other";
    // At a state, not at the worst of each factor: v/(1 + v)^2 is at most 1/4 though v reaches 4 and 1/(1 + v)^2 is 1 at 0.
    const std::string chemotaxis = two("0.25*lap(u) - 12*(u*lap(v) + dot(grad(u), grad(v)))", "lap(v) + u/(1 + u)",
                                       "[fields]\nu = { range = [0, 4] }\nv = { range = [0, 1] }");
    EXPECT_NEAR(limit(chemotaxis).limit, 2 / (5 + std::sqrt(9 + 96 * 0.25)), 1e-3);
}

TEST(Stability, ReactionFromDeclaredRanges) {
    // d/du (-u^3) = -3 u^2, at most 12 for u in 0..2; diffusion 8.
    EXPECT_DOUBLE_EQ(limit(one("lap(u) - u^3", "[fields]\nu = { range = [0, 2] }")).limit, 2.0 / (8 + 12));
    const std::string gray_scott = two("0.2*lap(u) - u*v^2 + F*(1 - u)", "0.1*lap(v) + u*v^2 - (F + k)*v",
                                       "[parameters]\nF = 0.04\nk = 0.06\n[fields]\nu = { range = [0, 1] }\nv = { range = [0, 0.5] }");
    EXPECT_NEAR(limit(gray_scott).limit, 2 / std::max(1.6 + 0.25 + 0.04, 0.8 + 1.0), 1e-12);
}

TEST(Stability, LinearReactionNeedsNoRange) { EXPECT_DOUBLE_EQ(limit(one("lap(u) - 4*u")).limit, 2.0 / (8 + 4)); }

TEST(Stability, UnboundedReactionCountsAsNothingAndSaysSo) {
    const ir::StableStep step = limit(one("lap(u) - u^3"));
    EXPECT_DOUBLE_EQ(step.limit, 0.25);
    EXPECT_NE(step.reason.find("counts as 0"), std::string::npos) << step.reason;
}

TEST(Stability, DeclaredReactionRateWins) {
    const ir::StableStep step = limit(one("lap(u) - u^3", "[method]\nreaction_rate = 2"));
    EXPECT_DOUBLE_EQ(step.limit, 2.0 / 10);
    EXPECT_EQ(step.reason.find("counts as 0"), std::string::npos) << step.reason;
}

TEST(Stability, WithoutAnythingNothingLimits) { EXPECT_TRUE(std::isinf(limit(one("1")).limit)); }

TEST(Stability, ElementaryFunctionsHaveTheirSlopes) {
    const auto rate = [](const std::string& text) { return 2 / limit(one(text, "[fields]\nu = { range = [0.5, 2] }")).limit; };
    EXPECT_NEAR(rate("-exp(u)"), std::exp(2), 1e-12);
    EXPECT_NEAR(rate("-log(u)"), 2, 1e-12);
    EXPECT_NEAR(rate("-sqrt(u)"), 0.5 / std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(rate("-tanh(u)"), 1 - std::pow(std::tanh(0.5), 2), 1e-12);
    EXPECT_NEAR(rate("-1/u"), 4, 1e-12);
    EXPECT_NEAR(rate("-u^-2"), 16, 1e-12);
    EXPECT_NEAR(rate("-u^1.5"), 1.5 * std::sqrt(2), 1e-12);
    EXPECT_NEAR(rate("-abs(u)*3"), 3, 1e-12);
    EXPECT_NEAR(rate("-max(u, 5)"), 0, 1e-12);
    EXPECT_NEAR(rate("-min(2*u, 1)"), 2, 1e-12);
    EXPECT_NEAR(rate("-where(u > 1, 7*u, u)"), 7, 1e-12);
    EXPECT_NEAR(rate("-u*(3 - u)"), 2, 1e-12) << "u - (3 - u) with 3 - u in 1..2.5 and u in 0.5..2, each by itself";
    EXPECT_NEAR(rate("-sin(u)"), 1, 1e-12);
    EXPECT_NEAR(rate("-2^u"), 4 * std::log(2), 1e-12);
}

}  // namespace stability_test
