// tests/unit/run/parameter_change_test.cpp: what follows a parameter that changes during a run, against sums and products by hand
#include "unit/run/run_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace parameter_change_test {

using namespace mottle;

class ParameterChanges : public RunFixture {
   protected:
    std::unique_ptr<run::Simulation> start(const std::string& model, const std::string& flags = "dt = 0.01\n") {
        const bool plain = model.find("[mesh]") == std::string::npos && model.find("grid") == std::string::npos;
        return start_run(model, (plain ? "size = '8x1'\n" : "") + ("precision = 'f64'\n" + flags));
    }
    static void advance(run::Simulation& simulation, core::Index steps) { simulation.advance_to(simulation.now().step + steps); }
    static void set_map(run::Simulation& simulation, const std::string& name, std::vector<double> values) {
        simulation.set_map(name, std::make_shared<const std::vector<double>>(std::move(values)));
    }
    static std::string refusal(const std::function<void()>& call) {
        try {
            call();
        } catch (const core::Error& error) {
            return error.what();
        }
        return "";
    }
};

const std::string kDecay = "equations.u = '-k*u'\nparameters = { k = '2*b', b = 'a/1', a = 1 }\ninitial.u = 1\n";

TEST_F(ParameterChanges, NumbersThatAreComputedFromItFollow) {
    const auto simulation = start(kDecay);
    advance(*simulation, 10);
    simulation->set_parameter("a", 5);
    advance(*simulation, 10);
    EXPECT_NEAR(values(*simulation)[3], std::pow(0.98, 10) * std::pow(0.9, 10), 1e-15);
    simulation->set_parameter("k", 3);  // by hand: it follows nothing from here on
    simulation->set_parameter("a", 50);
    advance(*simulation, 1);
    EXPECT_NEAR(values(*simulation)[3], std::pow(0.98, 10) * std::pow(0.9, 10) * 0.97, 1e-15);
    EXPECT_EQ(simulation->spec().model.parameters[1].value, 50);
}

TEST_F(ParameterChanges, WhatWouldNotBeFiniteChangesNothing) {
    const auto simulation = start("equations.u = '-k*u + g'\nparameters = { a = 1, k = '1/a', g = '0*X/a' }\ninitial.u = 1\n");
    EXPECT_NE(refusal([&] { simulation->set_parameter("a", 0); }).find("the parameter 'k' is inf"), std::string::npos);
    const auto map = start("equations.u = '-a*u + g'\nparameters = { a = 1, g = 'X/a' }\ninitial.u = 1\n");
    EXPECT_NE(refusal([&] { map->set_parameter("a", 0); }).find("the map of 'g' is inf"), std::string::npos);
    for (const auto& each : {simulation.get(), map.get()}) {
        EXPECT_THROW(each->set_parameter("a", std::nan("")), core::InputError);
        EXPECT_EQ(each->spec().model.parameters[0].value, 1);
        advance(*each, 1);
    }
    EXPECT_EQ(values(*simulation)[5], 0.99);
    EXPECT_NEAR(values(*map)[5], 0.99 + 0.01 * 5.5 / 8, 1e-15);
}

TEST_F(ParameterChanges, BordersFollow) {
    const auto simulation = start(
        "equations.u = 'lap(u)'\nparameters = { c = 1, d = 'c^2' }\ninitial.u = 0\nboundary = { left = 'flux(d*t)', right = 'no-flux' }\n");
    advance(*simulation, 10);
    simulation->set_parameter("c", 5);
    advance(*simulation, 10);
    double sum = 0, expected = 0;
    for (const double value : values(*simulation)) sum += value;
    for (int i = 0; i < 20; ++i) expected += 0.01 * (i < 10 ? 1 : 25) * i * 0.01;  // what has come in, h = 1
    EXPECT_NEAR(sum, expected, 1e-14);
    EXPECT_THROW(start("equations.u = 'lap(u)'\nparameters.c = 1\ninitial.u = 0\nboundary = { left = 'value(1/c)', right = 'no-flux' }\n")
                     ->set_parameter("c", 0),
                 core::InputError);
}

const std::string kMaps = "equations.u = 'g'\nparameters = { c = 1, g = 'c*m', m = 'X' }\ninitial.u = 0\n";

class ChangesOfMaps : public ParameterChanges, public testing::WithParamInterface<const char*> {};

// Under a tolerance fields have companions, with maps of their own; a rate that is constant is exact for steps of any length.
INSTANTIATE_TEST_SUITE_P(Steps, ChangesOfMaps, testing::Values("dt = 0.01\n", "tolerance = 1e-6\ntime = 1\n"));

constexpr core::Index kMany = 200;  // moments, beyond the first stretches of a run by a tolerance

TEST_P(ChangesOfMaps, MapsFollowNumbersAndOtherMaps) {
    const auto simulation = start(kMaps, GetParam());
    const double dt = simulation->dt();
    advance(*simulation, kMany);
    simulation->set_parameter("c", 5);
    advance(*simulation, kMany);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(values(*simulation)[core::at(i)], dt * kMany * 6 * (i + 0.5) / 8, 1e-12) << i;
    set_map(*simulation, "m", {0, 1, 2, 3, 4, 5, 6, 7});
    advance(*simulation, kMany);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(values(*simulation)[core::at(i)], dt * kMany * (6 * (i + 0.5) / 8 + 5 * i), 1e-12) << i;
    const auto plane = start("grid.size = '8x2'\n" + kMaps, GetParam());
    EXPECT_NE(refusal([&] { set_map(*plane, "m", std::vector<double>(16, 1.0)); }).find("the map m does not vary along y"),
              std::string::npos);
    plane->set_parameter("c", 2);
    advance(*plane, 10);
    EXPECT_NEAR(values(*plane)[15], plane->dt() * 10 * 2 * 7.5 / 8, 1e-13);
}

TEST_P(ChangesOfMaps, AMapThatIsReplacedTakesOthersAlong) {
    run::Given given;
    given.arrays["m"] = std::make_shared<const std::vector<double>>(8, 1.0);
    const core::Node document = core::parse_document(kMaps, "test.toml");
    const std::string flags = "size = '8x1'\nprecision = 'f64'\nparameters.m = 'given(\"m\", 1, 1)'\n";
    run::Simulation simulation(run::read_spec(document, "test", "", core::parse_document(flags + GetParam(), "flags"), given), context_);
    const double dt = simulation.dt();
    advance(simulation, kMany);
    set_map(simulation, "m", {0, 1, 2, 3, 4, 5, 6, 7});
    advance(simulation, kMany);
    simulation.set_parameter("c", 3);
    advance(simulation, kMany);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(values(simulation)[core::at(i)], dt * kMany * (1 + 4 * i), 1e-12) << i;
    EXPECT_NE(refusal([&] {
                  set_map(simulation, "m", {0, 1, 2, 3, 4, 5, 6, HUGE_VAL});
              }).find("cannot be inf at cell (7, 0)"),
              std::string::npos);
    EXPECT_NE(refusal([&] { set_map(simulation, "m", {0, 1}); }).find("has 8 values, not 2"), std::string::npos);
    advance(simulation, 1);
    EXPECT_NEAR(values(simulation)[7], dt * (kMany * 29 + 21), 1e-12);
}

// Steps of 16 times the explicit limit: as many stages as they need, before and after.
TEST_F(ParameterChanges, StagesThatWereChosenFollow) {
    const auto simulation = start("equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'noise(0, 1)'\n", "dt = 0.5\nmethod = 'rkl2'\n");
    const int before = simulation->spec().method.stages;
    simulation->set_parameter("D", 30);
    EXPECT_GT(simulation->spec().method.stages, 3 * before);
    EXPECT_EQ(simulation->now().step, 0);
    advance(*simulation, 1000);
    const backend::Statistics end = simulation->field().statistics(0);
    EXPECT_LT(end.std, 1e-12);
    EXPECT_GT(end.mean, 0.1);
}

TEST_F(ParameterChanges, ADtThatIsTooLongNowHasAWarning) {
    const auto simulation = start("equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 1\n", "");
    EXPECT_TRUE(simulation->clock_now().notices.empty());
    simulation->set_parameter("D", 30);
    const run::Clock clock = simulation->clock_now();
    ASSERT_EQ(clock.notices.size(), 1U);
    EXPECT_TRUE(clock.notices[0].starts_with("warning: dt ")) << clock.notices[0];
    EXPECT_NEAR(clock.stable_dt, 0.9 / (2 * 30), 1e-3) << "of a line: h^2/(2 D)";
}

TEST_F(ParameterChanges, WhatASurfaceWasMadeOfStays) {
    const auto region = start(
        "[equations]\nu = 'lap(u) + a'\n[parameters]\na = 0.5\nb = '2*a'\n[initial]\nu = 1\n[mesh]\nshape = 'sphere:3'\n"
        "region = 'z < b'\n",
        "dt = 1e-3\n");
    EXPECT_NE(refusal([&] { region->set_parameter("a", 2); }).find("the region of the surface"), std::string::npos);
    const auto tensor = start(
        "[equations]\nu = 'div(tensor(e, 0.1, c, 0, 1)*grad(u))'\n[parameters]\nc = 0.5\ne = 1\n[initial]\nu = 1\n[mesh]\n"
        "shape = 'sphere:3'\n",
        "dt = 1e-4\n");
    EXPECT_NE(refusal([&] { tensor->set_parameter("c", 2); }).find("tensor()"), std::string::npos);
    tensor->set_parameter("e", 2);
    EXPECT_EQ(tensor->spec().model.parameters[0].value, 0.5);
}

// A run that restarts with shorter steps begins from the same start, by the parameters as they are.
TEST_F(ParameterChanges, ARestartKeepsThemAndTheStart) {
    const std::string model =
        "equations.u = 's*lap(u) - u^3 - q*u'\nparameters = { s = 0.01, q = 1 }\ninitial.u = 'q + 2'\nfields.u.range = [0, 1]\n";
    const auto changed = start(model, "steps = 40\n");
    changed->set_parameter("q", 2);
    changed->run_to_end();
    EXPECT_FALSE(changed->shortenings().empty());
    const double dt = changed->dt();
    double u = 3;
    for (core::Index i = 0; i < changed->steps(); ++i) u += dt * (-u * u * u - 2 * u);
    EXPECT_NEAR(values(*changed)[2], u, 1e-12);
}

}  // namespace parameter_change_test
