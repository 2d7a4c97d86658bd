// tests/unit/run/shortening_test.cpp: an automatic time step that turns out to be too long is halved, and the run begins anew
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "unit/run/reference_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

#include <unistd.h>

namespace shortening_test {

using namespace mottle;
using core::Index;
using Bench = ReferenceBench;

std::vector<double> cells_of(const run::Simulation& simulation) {
    const field::Field& field = simulation.field();
    const domain::Domain& domain = field.kernel().domain();
    const auto length = static_cast<std::size_t>(domain::row_length(domain));
    std::vector<double> cells(length * static_cast<std::size_t>(domain::row_count(domain)));
    for (Index y = 0; y < domain::row_count(domain); ++y)
        field.kernel().read_row(field.state(), 0, y, std::span(cells).subspan(static_cast<std::size_t>(y) * length, length));
    return cells;
}

// Without ranges the reaction counts as nothing, and 0.225 is allowed; at u = 1 it decays at 3 beside 8 of diffusion, and 2/11 is the limit.
const std::string kFisher = "equations.u = 'lap(u) + 3*u*(1 - u)'\ninitial.u = '0.1 + 0.05*X'\ngrid.size = '12x6'\n";

/// The definition, in plain loops.
std::vector<double> plain_fisher(double dt, int steps) {
    constexpr int nx = 12, ny = 6;
    std::vector<double> u(nx * ny);
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) u[static_cast<std::size_t>(j * nx + i)] = 0.1 + 0.05 * (i + 0.5) / nx;
    }
    for (int step = 0; step < steps; ++step) {
        const std::vector<double> old = u;
        const auto at = [&](int i, int j) { return old[static_cast<std::size_t>((j + ny) % ny * nx + (i + nx) % nx)]; };
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const double lap = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j);
                u[static_cast<std::size_t>(j * nx + i)] += dt * (lap + 3 * at(i, j) * (1 - at(i, j)));
            }
        }
    }
    return u;
}

/// Keeps the times of its frames.
class TimesOfFrames : public output::Sink {
   public:
    explicit TimesOfFrames(std::vector<double>& times) : times_(times) { times_.clear(); }
    void write(core::Moment at, field::Field&) override { times_.push_back(at.time); }
    void finish() override {}
    std::vector<std::filesystem::path> files() const override { return {}; }

   private:
    std::vector<double>& times_;
};

TEST(Shortening, AStepTooLongForTheStateIsHalved) {
    Bench bench;
    run::Simulation simulation(bench.spec(kFisher, "time = 12.5"), bench.context);
    const double planned = simulation.dt();
    EXPECT_NEAR(planned, 12.5 / 56, 1e-12);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    ASSERT_EQ(simulation.shortenings().size(), 1u) << "at the end of 56 steps";

    run::Simulation longer(bench.spec(kFisher, "time = 50"), bench.context);
    const Index long_steps = longer.steps();
    const stepper::Outcome outcome = longer.run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::reached);
    ASSERT_EQ(longer.shortenings().size(), 1u);
    EXPECT_EQ(longer.shortenings()[0].at.step, long_steps);
    EXPECT_EQ(longer.dt(), longer.shortenings()[0].dt / 2);
    EXPECT_EQ(longer.steps(), 2 * long_steps);
    EXPECT_DOUBLE_EQ(outcome.at.time, 50);
    const std::vector<double> mine = cells_of(longer), plain = plain_fisher(longer.dt(), static_cast<int>(longer.steps()));
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], plain[i], 1e-12);
    EXPECT_NEAR(plain[0], 1, 1e-9) << "the stable state, and no checkerboard";
}

TEST(Shortening, FramesStayAtTheirTimesAndChangeNoBit) {
    Bench bench;
    run::Spec spec = bench.spec(kFisher, "steps = 1500");
    std::vector<double> times;
    run::Output every;
    every.times.every = 100;
    every.make = [&times](const output::SinkSpec&, const field::Field&, core::Context&) { return std::make_unique<TimesOfFrames>(times); };
    spec.outputs.push_back(every);
    run::Simulation drawn(std::move(spec), bench.context), plain(bench.spec(kFisher, "steps = 1500"), bench.context);
    const double planned = plain.dt();
    drawn.run_to_end();
    plain.run_to_end();
    ASSERT_EQ(drawn.shortenings().size(), 1u);
    EXPECT_EQ(drawn.shortenings()[0].at.step, 1024);
    ASSERT_EQ(times.size(), 15u);
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_DOUBLE_EQ(times[i], 100 * planned * static_cast<double>(i + 1));
    EXPECT_EQ(cells_of(drawn), cells_of(plain));
    EXPECT_EQ(drawn.dt(), plain.dt());
}

TEST(Shortening, WhatDivergesBeginsAnew) {
    Bench bench;
    // decays at 40 beside 8 of diffusion: 0.225 is far too long, and nothing is left to look at
    run::Simulation simulation(
        bench.spec("equations.u = 'lap(u) - 40*u^3 + 40*u'\ninitial.u = '1.2 + 0.1*X'\ngrid.size = '8x8'\n", "steps = 400"), bench.context);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    EXPECT_GE(simulation.shortenings().size(), 2u);
    EXPECT_LT(simulation.dt(), 2.0 / (80 + 8));
    for (const double u : cells_of(simulation)) EXPECT_NEAR(u, 1, 1e-6);
}

// du/dt = u^2 from 1 ends at t = 1, whatever the step.
TEST(Shortening, EquationsThatBlowUpAreTold) {
    Bench bench;
    run::Simulation simulation(bench.spec("equations.u = 'u^2 + lap(u)'\ninitial.u = '1'\ngrid.size = '8x8'\n", "time = 5"), bench.context);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::diverged);
    EXPECT_NE(simulation.blow_up().find("the equations blow up"), std::string::npos) << simulation.blow_up();
    ASSERT_GE(simulation.shortenings().size(), 2u);
    EXPECT_NEAR(simulation.shortenings().back().dt, simulation.dt() * 2, 1e-15);
    EXPECT_LT(simulation.dt(), 0.03) << "steps that tell the time of the end within 5 %";
}

/// Schnakenberg's model with a fast inhibitor, whose spikes grow as if they blew up until v is used up. Where nothing changes any more, the mean of u' + v', g (a + b - mean(u)), is 0.
std::string fast_inhibitor(double g, double a, double b, double diffusion) {
    const auto text = [](double x) { return std::to_string(x); };
    return "equations.u = 'lap(u) + " + text(g) + "*(" + text(a) + " - u + u^2*v)'\nequations.v = '" + text(diffusion) + "*lap(v) + " +
           text(g) + "*(" + text(b) + " - u^2*v)'\ninitial.u = '" + text(a + b) +
           " + noise(-0.05, 0.05)'\ninitial.v = '0.9 + noise(-0.05, 0.05)'\ngrid.size = '48x40'\n";
}

double mean_of(const run::Simulation& simulation) {
    const std::vector<double> cells = cells_of(simulation);
    return std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
}

TEST(Shortening, SpikesThatStopGrowingAreNoBlowUp) {
    Bench bench;
    run::Simulation simulation(bench.spec(fast_inhibitor(0.666024, 0.069576, 0.977072, 245.788), "time = 120\nspacing = 2.980975"),
                               bench.context);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached) << simulation.blow_up();
    EXPECT_NEAR(mean_of(simulation), 0.069576 + 0.977072, 2e-3);
    EXPECT_GE(simulation.shortenings().size(), 3u) << "the first three diverge at times that agree";
}

// One cell of 64 is ahead: at u it grows at a rate of 2 u - 3 u^2/20, which is 1.85 at its start, 0.02 in the others, and no more than 20/3.
TEST(Shortening, WhatGrowsIsSeenWhereFieldsAreLargest) {
    Bench bench;
    run::Simulation simulation(
        bench.spec("equations.u = '0.01*lap(u) + u^2*(1 - u/20)'\ninitial.u = 'where(abs(x - 33.5) < 0.6, 1, 0.01)'\ngrid.size = '64'\n",
                   "time = 4\nmethod = 'sts2'"),
        bench.context);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    ASSERT_FALSE(simulation.shortenings().empty());
    EXPECT_NE(simulation.shortenings().front().why.find("which change by up to 1.85 of themselves"), std::string::npos)
        << simulation.shortenings().front().why;
    EXPECT_NEAR(cells_of(simulation)[33], 20, 0.5);
}

// All cells go through a cycle together, in which many predators make the prey vanish fast, while nothing grows. How many there are tells rk4, of the equations without space.
TEST(Shortening, WhatDecaysEverywhereIsFollowed) {
    const auto rates = [](double u, double v) { return std::array{4 * u * (1 - u / 10) - 3 * u * v / (1 + u), 3 * u * v / (1 + u) - v}; };
    Bench bench;
    run::Simulation simulation(
        bench.spec("equations.u = 'lap(u) + 4*u*(1 - u/10) - 3*u*v/(1 + u)'\nequations.v = '20*lap(v) + 3*u*v/(1 + u) - v'\n"
                   "initial = { u = '5', v = '0.3' }\ngrid.size = '64'\n",
                   "time = 250\nmethod = 'sts2'"),
        bench.context);
    ASSERT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    const double h = 1e-3;
    double u = 5, v = 0.3, largest = 0;
    for (int step = 0; step < 250'000; ++step) {
        const auto a = rates(u, v), b = rates(u + h / 2 * a[0], v + h / 2 * a[1]);
        const auto c = rates(u + h / 2 * b[0], v + h / 2 * b[1]), d = rates(u + h * c[0], v + h * c[1]);
        u += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]);
        v += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]);
        largest = std::max(largest, v);
    }
    EXPECT_LT(simulation.dt(), 0.75 / largest) << "u decays by 3 v";
}

// Logistic growth with diffusion that depends on the field: no range bounds any of it.
TEST(Shortening, TheStartGivesAStepWhereNothingElseDoes) {
    Bench bench;
    run::Simulation simulation(
        bench.spec("equations.u = 'div((0.5 + u^2)*grad(u)) + 3*u*(1 - u)'\ninitial.u = 'noise(0.05, 0.3)'\ngrid.size = '32x32'\n",
                   "time = 6\nspacing = 0.5"),
        bench.context);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    for (const double u : cells_of(simulation)) EXPECT_NEAR(u, 1, 1e-4);
    EXPECT_LT(simulation.dt(), 0.25 / 4 / 1.5) << "h^2/(4 D) at u = 1";
}

// du/dt = u^2 from 2 ends at t = 1/2. Stages make dt 5 stable beside diffusion, and a polynomial in dt u of one such step is finite.
TEST(Shortening, StepsOfManyStagesFollowAReactionThatNothingBounds) {
    for (const char* method : {"rkl1", "rkl2", "sts1", "sts2"}) {
        for (const char* time : {"1", "5"}) {
            SCOPED_TRACE(std::string(method) + " to t = " + time);
            Bench bench;
            run::Simulation simulation(bench.spec("equations.u = 'u^2 + lap(u)'\ninitial.u = '2'\ngrid.size = '8x8'\n",
                                                  std::string("time = ") + time + "\nmethod = '" + method + "'"),
                                       bench.context);
            EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::diverged);
            EXPECT_NE(simulation.blow_up().find("the equations blow up"), std::string::npos) << simulation.blow_up();
        }
    }
}

// du/dt = 3 u (1 - u) from 0.1 everywhere: u = 1/(1 + 9 exp(-3 t)), at t = 1 in the middle of its rise. Within 5 %.
TEST(Shortening, StepsOfManyStagesShowGrowthOnItsWay) {
    for (const char* method : {"rkl2", "sts2"}) {
        Bench bench;
        run::Simulation simulation(bench.spec("equations.u = 'lap(u) + 3*u*(1 - u)'\ninitial.u = '0.1'\ngrid.size = '8x8'\n",
                                              std::string("time = 1\nmethod = '") + method + "'"),
                                   bench.context);
        EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
        for (const double u : cells_of(simulation)) EXPECT_NEAR(u, 1 / (1 + 9 * std::exp(-3.0)), 0.035) << method;
    }
}

TEST(Shortening, AStepThatIsGivenStays) {
    Bench bench;
    run::Simulation simulation(bench.spec(kFisher, "steps = 1500\ndt = 0.2"), bench.context);
    simulation.run_to_end();
    EXPECT_TRUE(simulation.shortenings().empty());
    EXPECT_EQ(simulation.dt(), 0.2);
    EXPECT_NE(bench.observer.notices.find("warning: dt 0.2 is too long"), std::string::npos) << bench.observer.notices;
}

TEST(Shortening, FieldsThatSomebodyElseHasChangedAreNotThrownAway) {
    Bench bench;
    run::Simulation simulation(bench.spec(kFisher, "steps = 1500"), bench.context);
    const std::vector<double> ones(12, 1.0);
    for (Index y = 0; y < 6; ++y) simulation.field().kernel().write_row(simulation.field().state(), 0, y, ones);
    simulation.run_to_end();
    EXPECT_TRUE(simulation.shortenings().empty());
    EXPECT_NE(bench.observer.notices.find("warning: dt 0.225 is too long"), std::string::npos) << bench.observer.notices;
}

TEST(Shortening, AStateGoesOnWithTheStepItsRunCameTo) {
    Bench bench;
    const std::string state = "'" + (bench.folder / "run.state").string() + "'";
    run::Simulation first(bench.spec(kFisher, "steps = 1200\ncheckpoint = " + state), bench.context);
    first.run_to_end();
    ASSERT_EQ(first.shortenings().size(), 1u);
    run::Simulation rest(bench.spec(kFisher, "steps = 3000\nresume = " + state), bench.context);
    EXPECT_EQ(rest.dt(), first.dt());
    EXPECT_EQ(rest.first_step(), 2400);
    rest.run_to_end();
    run::Simulation whole(bench.spec(kFisher, "steps = 3000"), bench.context);
    whole.run_to_end();
    EXPECT_EQ(rest.steps(), 6000);
    EXPECT_EQ(cells_of(rest), cells_of(whole));
}

}  // namespace shortening_test
