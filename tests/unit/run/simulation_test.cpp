// tests/unit/run/simulation_test.cpp: the pipeline from text to files, on the reference device
#include "kernel_cache.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include "unit/run/reference_bench.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include <unistd.h>

namespace simulation_test {

using namespace mottle;
using core::Index;
using Bench = ReferenceBench;

std::string decay(const std::string& more = "") {
    return "equations.u = 'r*u'\nparameters.r = -1\ninitial.u = '1 + X'\ngrid.size = '4x3'\ntime.dt = 0.125\n" + more;
}

double mean(run::Simulation& simulation) { return simulation.field().statistics(0).mean; }

TEST(Simulation, AdvancesToTheStepsAskedFor) {
    Bench bench;
    run::Simulation simulation(bench.spec(decay(), "steps = 10"), bench.context);
    const double start = mean(simulation);
    EXPECT_EQ(simulation.advance_to(3).at.step, 3);
    EXPECT_EQ(simulation.now().time, 0.375);
    EXPECT_NEAR(mean(simulation), start * std::pow(0.875, 3), 1e-15);
    const stepper::Outcome outcome = simulation.run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::reached);
    EXPECT_EQ(outcome.at.step, 10);
    EXPECT_NEAR(mean(simulation), start * std::pow(0.875, 10), 1e-15);
}

/// Keeps the steps at which it got frames.
class StepsOfFrames : public output::Sink {
   public:
    explicit StepsOfFrames(std::string& steps) : steps_(steps) {}
    void write(core::Moment at, field::Field&) override { steps_ += std::to_string(at.step) + " "; }
    void end(core::Moment at, field::Field&) override { steps_ += "end " + std::to_string(at.step) + " "; }
    void finish() override { steps_ += "finish"; }
    std::vector<std::filesystem::path> files() const override { return {}; }

   private:
    std::string& steps_;
};

run::Output own_output(std::string& steps, Index frames) {
    run::Output output;
    output.times.frames = frames;
    output.make = [&steps](const output::SinkSpec& spec, const field::Field&, core::Context&) {
        steps = std::to_string(spec.frame_count) + " frames: ";
        return std::make_unique<StepsOfFrames>(steps);
    };
    return output;
}

TEST(Simulation, GivesFramesToSinksOfTheCaller) {
    Bench bench;
    const std::string file = (bench.folder / "a-%02d.npy").string();
    run::Spec spec = bench.spec(decay("output = [{ file = '" + file + "', frames = 2 }]\n"), "steps = 10");
    std::string steps;
    spec.outputs.push_back(own_output(steps, 5));
    run::Simulation simulation(spec, bench.context);
    simulation.run_to_end();
    EXPECT_EQ(steps, "5 frames: 2 4 6 8 10 end 10 finish");
    EXPECT_EQ(simulation.files().size(), 2U) << "its own output is drawn as before";

    bench.observer.go_on = [](core::Moment now) { return now.step < 5; };
    run::Spec stopped = bench.spec(decay(), "steps = 1000000000");
    stopped.outputs.push_back(own_output(steps, 5));
    const Index at = run::Simulation(stopped, bench.context).run_to_end().at.step;
    EXPECT_LT(at, 1000000000);
    EXPECT_TRUE(steps.ends_with("end " + std::to_string(at) + " finish")) << steps;

    bench.observer.go_on = nullptr;
    run::Spec greedy = bench.spec(decay(), "steps = 10");
    greedy.outputs.push_back(own_output(steps, 11));
    EXPECT_THROW(run::Simulation(greedy, bench.context), core::InputError);

    run::Spec wild = bench.spec("equations.u = '5*u^2'\ninitial.u = '1'\ngrid.size = '4x3'\n", "steps = 1000\ndt = 1.0");
    wild.outputs.push_back(own_output(steps, 1));
    EXPECT_EQ(run::Simulation(wild, bench.context).run_to_end().verdict, stepper::Verdict::diverged);
    EXPECT_EQ(steps, "1 frames: finish");
}

TEST(Simulation, AChangedParameterActsFromTheNextStepOn) {
    Bench bench;
    run::Simulation simulation(bench.spec(decay()), bench.context);
    const double start = mean(simulation);
    simulation.advance_to(2);
    simulation.set_parameter("r", -2);
    simulation.advance_to(3);
    EXPECT_NEAR(mean(simulation), start * 0.875 * 0.875 * 0.75, 1e-15);
    EXPECT_THROW(simulation.set_parameter("q", 1), core::InputError);
}

TEST(Simulation, OutputsGetTheirOwnFramesAndAStillTheEnd) {
    Bench bench;
    const std::string a = (bench.folder / "a-%02d.npy").string(), b = (bench.folder / "b-%02d.npy").string(),
                      c = (bench.folder / "c.npy").string();
    run::Simulation simulation(bench.spec(decay("output = [{ file = '" + a + "', frames = 3 }, { file = '" + b +
                                                "', every = 4 }, { file = '" + c + "', frames = 2 }]"),
                                          "steps = 9"),
                               bench.context);
    simulation.run_to_end();
    int count[3] = {0, 0, 0};
    for (const auto& entry : std::filesystem::directory_iterator(bench.folder)) ++count[entry.path().filename().string()[0] - 'a'];
    EXPECT_EQ(count[0], 3);
    EXPECT_EQ(count[1], 3) << "steps 4, 8 and 9";
    EXPECT_EQ(count[2], 1);
    EXPECT_EQ(simulation.files().size(), 5u) << "first and last of a series, and the one";
}

TEST(Simulation, StopsCleanlyAndWritesTheStill) {
    Bench bench;
    bench.observer.go_on = [](core::Moment now) { return now.step < 2000; };
    const std::string file = (bench.folder / "last.npy").string();
    run::Simulation simulation(
        bench.spec("equations.u = '-u + X'\ninitial.u = '1'\ngrid.size = '300x200'\ntime.dt = 0.001\noutput = [{ file = '" + file + "' }]",
                   "steps = 1000000000\nevery = 1000000"),
        bench.context);
    const stepper::Outcome outcome = simulation.run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::stopped);
    EXPECT_GE(outcome.at.step, 2000);
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(Simulation, DivergenceEndsTheRun) {
    Bench bench;
    run::Simulation simulation(
        bench.spec("equations.u = 'lap(u) + u^3'\ninitial.u = '3 + noise(-1, 1)'\ngrid.size = '8x8'", "dt = 1\nsteps = 5000"),
        bench.context);
    EXPECT_NE(bench.observer.notices.find("warning: dt 1"), std::string::npos) << bench.observer.notices;
    const stepper::Outcome outcome = simulation.run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::diverged);
    EXPECT_LE(outcome.at.step, 1024);
    EXPECT_LT(simulation.clock().stable_dt, 0.25);
}

// Modes decay at 1 to 9 and turn at 8: a step of 0.15 multiplies them by up to |1 - 0.15 (1 + 8i)| = 1.4705, and the longest stable one is 2/65.
TEST(Simulation, AStepTooLongForModesThatTurnIsTold) {
    Bench bench;
    const std::string text =
        "equations.u = 'lap(u) - u + 8*v'\nequations.v = 'lap(v) - v - 8*u'\ninitial.u = '0.01*X'\ninitial.v = '0'\ngrid.size = '8x8'\n";
    run::Simulation simulation(bench.spec(text, "steps = 8\ndt = 0.15\nmethod = 'euler'"), bench.context);
    simulation.run_to_end();
    const std::string& told = bench.observer.notices;
    EXPECT_NE(told.find("dt 0.15 is too long for the state of the fields at step 0 in 100 % of the cells"), std::string::npos) << told;
    EXPECT_NE(told.find("grow there by a factor of up to 1.47 in a step"), std::string::npos) << told;
    EXPECT_NE(told.find("try --dt 0.028"), std::string::npos) << told << "0.9*2/65 is 0.0277";
}

// No range, so the reaction counts as nothing: at u = 1 its decay is 3 beside 8 of diffusion, and 0.225 is more than 2/11. The checkerboard that grows is held by the clamp.
TEST(Simulation, AStepTooLongForTheStateIsTold) {
    const std::string text = "equations.u = 'lap(u) - u^3 + 1'\nclamp.u = [0, 2]\ninitial.u = '1 + 0.01*X'\ngrid.size = '8x8'\n";
    const auto notices = [&](const std::string& model, const std::string& flags) {
        Bench bench;
        run::Simulation simulation(bench.spec(model, flags), bench.context);
        EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
        return bench.observer.notices;
    };
    const std::string told = notices(text, "steps = 2000\ndt = 0.225");
    EXPECT_NE(told.find("dt 0.225 is too long for the state of the fields at step 0 in 100 % of the cells"), std::string::npos) << told;
    EXPECT_NE(told.find("grow there by a factor of up to 1.4"), std::string::npos)
        << told << "0.225*11 - 1 is 1.475, and a bit more where u is above 1";
    EXPECT_NE(told.find("try --dt 0.16"), std::string::npos) << told << "0.9*2/11 is 0.164";
    // by 1.05 in a step at u = 1, and 1.06 at 1.01: slowly, but without turning
    const std::string slow = notices(text, "steps = 2000\ndt = 0.1864");
    EXPECT_NE(slow.find("dt 0.1864 is too long for the state of the fields at step 0"), std::string::npos) << slow;
    EXPECT_NE(slow.find("grow there by a factor of up to 1.06 in a step"), std::string::npos) << slow;
    EXPECT_EQ(notices(text, "steps = 2000\ndt = 0.15").find("too long"), std::string::npos);
    EXPECT_EQ(notices(text, "steps = 2000\nreaction_rate = 3").find("too long"), std::string::npos);
    // where it comes to that later: from 0, where nothing decays
    const std::string later = notices("equations.u = 'lap(u) - u^3 + 1'\nclamp.u = [0, 2]\ninitial.u = '0.01*X'\ngrid.size = '8x8'\n",
                                      "steps = 2000\ndt = 0.225");
    EXPECT_NE(later.find("at step 1,024"), std::string::npos) << later;
    // a centre turns, and grows a little with every step of Euler's; that is not a wave that is damped
    const std::string turns =
        "equations = {u = 'v - 0.01*u', v = '-u - 0.01*v'}\ninitial = {u = 'X', v = 0}\ngrid.size = '8x8'\ntime.dt = 0.1\n";
    EXPECT_EQ(notices(turns, "steps = 2000").find("too long"), std::string::npos);
}

// A dt within the bound of Gershgorin's takes no Lanczos: then the stiffness is no more than bounded, and nobody is blamed by it. At u = 1 this reaction decays at 3 R.
TEST(Simulation, AMeshThatIsOnlyBoundedBlamesNoStep) {
    Bench bench;
    const auto text = [](double dt, double rate) {
        return "equations.u = 'lap(u) - R*u^3 + R'\nparameters.R = " + core::number_text(rate) +
               "\ninitial.u = '1 + 0.01*X'\nmesh.shape = 'sphere:3'\ntime.dt = " + core::number_text(dt) + "\n";
    };
    const run::Spec first = bench.spec(text(1e-4, 1), "steps = 200");
    const double bound = std::get<domain::Mesh>(first.domain).spectrum.largest, dt = 1.7 / bound;
    ASSERT_GT(bound, 0);
    run::Simulation simulation(bench.spec(text(dt, 0.45 / dt / 3), "steps = 200"), bench.context);
    EXPECT_GT(dt * (bound + 0.45 / dt), 2.1) << "what the bound would blame";
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    EXPECT_EQ(bench.observer.notices.find("too long"), std::string::npos) << bench.observer.notices;
    EXPECT_LT(simulation.field().statistics(0).std, 1e-3) << "and it does come to rest";
}

// Which limit dt is above decides what helps: a shorter step, or another reaction.
// No shorter step would help, so none is tried.
TEST(Simulation, DiffusionThatRunsBackwardsIsSaidAtOnceAndAtTheEnd) {
    for (const char* flags : {"precision = 'f32'\nsteps = 3000", "precision = 'f32'\ntime = 2000\ntolerance = 1e-3"}) {
        Bench bench;
        run::Simulation simulation(bench.spec("equations.u = '-0.1*lap(u)'\ninitial.u = '1 + noise(0, 0.1)'\ngrid.size = '32x32'", flags),
                                   bench.context);
        EXPECT_NE(bench.observer.notices.find("runs backwards"), std::string::npos) << flags << bench.observer.notices;
        EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::diverged) << flags;
        EXPECT_TRUE(simulation.shortenings().empty()) << flags;
        EXPECT_NE(run::advice_on_divergence(simulation.clock()).find("runs backwards"), std::string::npos) << flags;
    }
}

TEST(Simulation, TheAdviceAfterADivergenceKnowsTheReaction) {
    Bench bench;
    auto advice = [&](const std::string& text, const std::string& flags) {
        run::Simulation simulation(bench.spec(text + "\ninitial.u = '1 + X'\ngrid.size = '8x8'", flags), bench.context);
        EXPECT_EQ(simulation.advance_to(5000).verdict, stepper::Verdict::diverged) << text << flags;
        return run::advice_on_divergence(simulation.clock());
    };
    const std::string open = "equations.u = 'lap(u) + u^2'", ranged = open + "\nfields.u.range = [0, 3]";
    EXPECT_EQ(advice(open, "dt = 0.3"), "dt is 0.3, above 0.25, the limit of explicit diffusion: try --dt 0.225");
    EXPECT_EQ(
        advice(open, "dt = 0.1"),
        "dt 0.1 is within the limit of explicit diffusion, 0.25; the reaction of u counts as 0, as [fields] gives no range to bound it and "
        "[method] no reaction_rate: give [fields] ranges, or try --dt 0.05 or other parameters");
    // 2 / (8 + 6), and 0.9 of it rounded down
    EXPECT_EQ(advice(ranged, "dt = 0.2"),
              "dt 0.2 is within the limit of explicit diffusion, 0.25, but with the reaction the limit is 0.1428: try --dt 0.1285");
    EXPECT_EQ(advice(ranged, "dt = 0.1"),
              "dt 0.1 is within the limit of explicit diffusion, 0.25, with the reaction too: a field has left its declared range or grows "
              "by its "
              "reaction, which a smaller step does not prevent; look at the terms that make it grow, or try --dt 0.05 or other "
              "parameters");
    EXPECT_EQ(advice("equations.u = 'lap(u) - 8*u'\nfields.u.range = [0, 1]", "dt = 0.24"),
              "dt 0.24 is within the limit of explicit diffusion, 0.25, but with the reaction the limit is 0.125: try --dt 0.1125");
    EXPECT_EQ(advice("equations.u = '-8*u'\nfields.u.range = [0, 1]", "dt = 0.4"),
              "dt is 0.4, above 0.25, the limit of the reaction: try --dt 0.225");
    for (const char* method : {"euler", "etdrk4"})
        EXPECT_NE(advice("equations.u = '-0.5*lap(u)'", "dt = 0.5\nmethod = '" + std::string(method) + "'").find("runs backwards"),
                  std::string::npos);
    EXPECT_EQ(advice("equations.u = 'lap(u^2)'", "dt = 1"),
              "no limit of dt 1 is known: the diffusion of u has no bound, as [fields] gives no range, and is ignored: give [fields] "
              "ranges, or try "
              "--dt 0.5 or other parameters");
}

TEST(Simulation, TheStartNeedsNoTimeStep) {
    Bench bench;
    for (const char* flags : {"steps = 0", "time = 0"}) {
        run::Simulation simulation(bench.spec("equations.u = '0'\ninitial.u = 'X'\ngrid.size = '4x3'", flags), bench.context);
        EXPECT_EQ(simulation.run_to_end().at.step, 0);
        EXPECT_EQ(mean(simulation), 0.5);
        EXPECT_EQ(bench.observer.notices.find("explicit limit"), std::string::npos) << bench.observer.notices;
    }
    EXPECT_THROW(run::Simulation(bench.spec("equations.u = '0'\ninitial.u = 'X'\ngrid.size = '4x3'", "steps = 1"), bench.context),
                 core::InputError);
}

TEST(Simulation, TheAutomaticStepIsToldAndShort) {
    Bench bench;
    run::Simulation simulation(bench.spec("equations.u = '3*lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'"), bench.context);
    EXPECT_EQ(simulation.dt(), 0.075);  // 0.9 / (4 * 3)
    EXPECT_NE(bench.observer.notices.find("dt 0.075, 0.9 of the explicit limit"), std::string::npos) << bench.observer.notices;
    run::Simulation odd(bench.spec("equations.u = '7*lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'"), bench.context);
    EXPECT_EQ(odd.dt(), 0.03214) << "four digits, rounded down";
}

// 0.9 of the limit leaves Euler's stiffest waves 2/(2 - 1.8) times their variance.
TEST(Simulation, TellsWhatTheStepMakesOfNoise) {
    Bench bench;
    const std::string model = "equations.h = 'lap(h) + white()'\ninitial.h = '0'\ngrid.size = '8x8'\n";
    const auto told = [&](const std::string& text, const char* flags) {
        bench.observer.notices.clear();
        run::Simulation simulation(bench.spec(text, flags), bench.context);
        return bench.observer.notices;
    };
    EXPECT_NE(told(model, "dt = 0.225")
                  .find("with dt 0.225 white() gives the stiffest modes about 10 times the variance that they have with short steps; "
                        "with --dt 0.05 1.25 times"),
              std::string::npos)
        << bench.observer.notices;
    EXPECT_NE(told(model, "dt = 0.31\nmethod = 'rk4'").find("about 0.184 times"), std::string::npos) << bench.observer.notices;
    EXPECT_EQ(told(model, "dt = 0.05").find("white()"), std::string::npos);
    EXPECT_EQ(told(model, "steps = 0").find("variance"), std::string::npos);
    EXPECT_NE(told(model, "").find("dt 0.015, 0.06 of the explicit limit, as white() asks for short steps"), std::string::npos)
        << bench.observer.notices;
    EXPECT_EQ(bench.observer.notices.find("variance"), std::string::npos);
    EXPECT_EQ(run::Simulation(bench.spec(model, "dt = 0.05"), bench.context).clock().automatic_dt, 0.015);
    EXPECT_EQ(told("equations.h = 'lap(h)'\ninitial.h = '0'\ngrid.size = '8x8'\n", "").find("white()"), std::string::npos);
}

TEST(Simulation, AnAutomaticStepDividesTheTime) {
    Bench bench;
    for (const double time : {100.0, 0.1, 7.3, 1e-3, 12345.678, 0.3}) {
        for (const std::string rate : {"3", "7", "0.013"}) {
            const std::string model = "equations.u = '" + rate + "*lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'\n";
            const double longest = run::Simulation(bench.spec(model), bench.context).dt();
            run::Simulation simulation(bench.spec(model, "method = 'euler'\ntime = " + std::to_string(time)), bench.context);
            const auto steps = static_cast<double>(simulation.steps());
            EXPECT_NEAR(steps * simulation.dt() / time, 1, 3e-16) << time << " " << rate;
            EXPECT_LE(simulation.dt(), longest * (1 + 2e-12));
            EXPECT_GT(time, longest * (steps - 1) * (1 - 1e-9)) << "no more steps than it takes";
        }
    }
    run::Simulation whole(bench.spec("equations.u = '3*lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'", "time = 1.5"), bench.context);
    EXPECT_EQ(whole.dt(), 0.075) << "20 of the longest steps";
    EXPECT_EQ(whole.steps(), 20);
    bench.observer.notices.clear();
    run::Simulation part(bench.spec("equations.u = '3*lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'", "time = 100"), bench.context);
    EXPECT_EQ(part.advance_to(part.steps()).at.time, 100);
    EXPECT_NE(bench.observer.notices.find("dt 0.07496 (100/1334), within 0.9 of the explicit limit"), std::string::npos)
        << bench.observer.notices;
}

TEST(Simulation, ChemotaxisBelowItsOnsetRestsOnACoarseMeshToo) {
    Bench bench;
    // 6 edges in a wavelength: cells and attractant drive each other nearly as fast as the attractant spreads. By the spread alone the step was a tenth
    // too long, the uniform state blew up, and the cells ended at the lower limit of their clamp.
    const std::string model =
        "equations.n = '0.25*lap(n) - 11*(n*lap(c) + dot(grad(n), grad(c))) + 1.522*n*(1 - n)'\nequations.c = 'lap(c) + n/(1 + n) - c'\n"
        "initial.n = '1 + noise(-0.1, 0.1)'\ninitial.c = '0.5'\nfields.n.range = [0, 4]\nfields.c.range = [0, 1]\nclamp.n = [0, 100]\n"
        "mesh = { shape = 'sphere:2', scale = 2.23 }\n";
    run::Simulation simulation(bench.spec(model, "time = 100"), bench.context);
    EXPECT_NE(bench.observer.notices.find("fields n and c are coupled"), std::string::npos) << bench.observer.notices;
    simulation.run_to_end();
    EXPECT_LT(simulation.field().statistics(0).std, 1e-3);
    EXPECT_NEAR(simulation.field().statistics(0).mean, 1, 1e-3);
    run::Simulation longer(bench.spec(model, "time = 200\ndt = 0.1025"), bench.context);
    longer.run_to_end();
    EXPECT_GT(longer.field().statistics(0).std, 0.1) << "the step it had";
}

TEST(Simulation, TellsWhenNothingIsLeftToSee) {
    Bench bench;
    const std::string output = "output = [{ file = '" + (bench.folder / "a.ply").string() + "' }]\n";
    const std::string on = "mesh.shape = 'sphere:1'\ntime.dt = 0.05\n" + output;
    auto notices = [&](const std::string& text, const std::string& flags) {
        bench.observer.notices.clear();
        run::Simulation(bench.spec(text, flags), bench.context).run_to_end();
        return bench.observer.notices;
    };
    const std::string fades = "equations.u = '2 - u'\nequations.v = '-0.01*v'\ninitial.u = 'X'\ninitial.v = 'X'\n" + on;
    EXPECT_NE(notices(fades, "steps = 1000\nfield = 'u'").find("the picture is uniform: u is 2 everywhere"), std::string::npos);
    EXPECT_EQ(notices(fades, "steps = 10\nfield = 'u'").find("left to see"), std::string::npos);
    EXPECT_EQ(notices(fades, "steps = 1000\nfield = 'v'").find("left to see"), std::string::npos) << "v is drawn, and varies";
}

TEST(Simulation, TimeBecomesSteps) {
    Bench bench;
    run::Simulation simulation(bench.spec(decay(), "time = 1.3"), bench.context);
    EXPECT_EQ(simulation.steps(), 10);  // 10.4 rounded
    EXPECT_THROW(run::Simulation(bench.spec(decay(), "time = 0.01"), bench.context), core::InputError);
    EXPECT_THROW(run::Simulation(bench.spec(decay(), "time = 1e300"), bench.context), core::InputError);
}

TEST(Simulation, WithoutAnyLimitAStepMustBeGiven) {
    Bench bench;
    EXPECT_THROW(run::Simulation(bench.spec("equations.u = '1'\ninitial.u = 'X'\ngrid.size = '8x8'"), bench.context), core::InputError);
}

TEST(Simulation, FramesThatDoNotFitAreRefusedBeforeTheFirstStep) {
    Bench bench;
    const std::string file = (bench.folder / "a-%02d.png").string();
    EXPECT_THROW(run::Simulation(bench.spec(decay("output = [{ file = '" + file + "' }]"), "steps = 5\nframes = 6"), bench.context),
                 core::InputError);
    EXPECT_TRUE(std::filesystem::is_empty(bench.folder));
}

}  // namespace simulation_test
