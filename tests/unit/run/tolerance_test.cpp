// tests/unit/run/tolerance_test.cpp: steps by a tolerance: what their bits do not depend on, how they end, and what is refused
#include "mottle/run/settings/tolerance.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "unit/run/run_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tolerance_test {

using namespace mottle;

constexpr const char* kModel = R"(
equations = { u = 'lap(u) + 5*(u - u^3/3 - v) + 0.1*sin(t)*m', v = '0.2*(u + c - 0.5*v)' }
parameters = { c = 0.7, m = 'X' }
initial = { u = '2*tanh(4*cos(2*pi*X))', v = '0.8*tanh(4*cos(2*pi*(Y - X)))' }
grid.size = '24x20'
)";

class Tolerance : public RunFixture {
   protected:
    Tolerance() : folder_(std::filesystem::temp_directory_path() / ("mottle_tolerance_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~Tolerance() override { std::filesystem::remove_all(folder_); }

    std::string at(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }
    std::unique_ptr<run::Simulation> start(const std::string& flags, const std::string& model = kModel) { return start_run(model, flags); }
    std::string refusal(const std::string& flags, const std::string& model = kModel) { return refusal_of(model, flags); }
    std::vector<double> end_of(const std::string& flags) { return values_at_end(kModel, flags); }

    std::filesystem::path folder_;
};

const std::string kFlags = "tolerance = 1e-3\ntime = 4\n";

TEST_F(Tolerance, BitsDoNotDependOnWhoLooksOrComputes) {
    for (const char* precision : {"precision = 'f32'\n", "precision = 'f64'\n"}) {
        for (const char* method : {"", "method = 'euler'\n", "method = 'rkl1'\n", "method = 'rk4'\n"}) {
            const std::string flags = std::string("tolerance = 3e-2\ntime = 1\n") + precision + method;
            const std::vector<double> plain = end_of(flags);
            EXPECT_EQ(plain, end_of(flags + "device = 'reference'\n")) << flags;
            EXPECT_EQ(plain, values_at_end(kModel, flags, 2)) << flags;
            EXPECT_EQ(plain, end_of(flags + "frames = 37\noutput = [{ file = " + at("a-%03d.npy") + " }]\n")) << flags;
            const auto pieces = start(flags);
            const core::Index end = pieces->steps();
            for (core::Index step = 0; step < end; step = std::min(end, step + 1 + end / 53)) pieces->advance_to(step);
            pieces->advance_to(end);
            EXPECT_EQ(plain, values(*pieces)) << flags;
        }
    }
}

TEST_F(Tolerance, AResumedRunEndsInTheSameBits) {
    const std::vector<double> whole = end_of(kFlags);
    const std::string kept = kFlags + "checkpoint = " + at("a.state") + "\ncheckpoint_every = 1e-9\n";
    int looks = 0, stops = 0;
    bool resumes = false;
    for (bool ended = false; !ended; resumes = true) {
        const auto simulation = start(kept + (resumes ? "resume = " + at("a.state") + "\n" : std::string()));
        if (resumes) {
            EXPECT_GT(simulation->first_step(), 0);
        }
        // an end of the process in the midst of things: what was kept last is where the next begins
        const core::Index to = std::min(simulation->steps(), simulation->first_step() + 1031);
        ended = to == simulation->steps();
        observer_.go_on = [&](core::Moment now) { return ++looks > 0 && (ended || now.step < to); };
        const stepper::Outcome outcome = simulation->run_to_end();
        stops += outcome.verdict == stepper::Verdict::stopped ? 1 : 0;
        if (outcome.verdict == stepper::Verdict::reached) {
            EXPECT_EQ(whole, values(*simulation));
            break;
        }
        if (stops > 20) break;
    }
    EXPECT_NE(refusal("tolerance = 1e-2\ntime = 4\nresume = " + at("a.state")).find("another"), std::string::npos);
    EXPECT_NE(refusal("tolerance = 1e-3\ntime = 5\ndt = 'auto'\nresume = " + at("a.state")).find("give the same --time"),
              std::string::npos);
}

TEST_F(Tolerance, StatesOfAllMomentsGoOnToTheSameEnd) {
    const std::vector<double> whole = end_of(kFlags);
    for (const core::Index stop : {1, 700, 1024, 2500, 4095}) {
        const auto first = start(kFlags);
        first->advance_to(stop);
        const std::vector<double> here = values(*first);
        // the same numbers and fields in a stepper of its own
        stepper::Tolerance tolerance = run::tolerance_of(first->spec(), first->clock());
        field::Field one(const_cast<backend::Kernel&>(first->kernel()), first->spec().model, first->spec().initial, context_);
        field::Field two(const_cast<backend::Kernel&>(first->kernel()), first->spec().model, first->spec().initial, context_);
        std::vector<double> inputs(first->kernel().program().inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = first->kernel().program().inputs[i] == "c" ? 0.7 : 0;
        stepper::Adaptive before(one, inputs, first->dt(), tolerance, context_), after(two, inputs, first->dt(), tolerance, context_);
        before.advance_to(stop);
        one.kernel().copy_fields(after.saved_fields().first.state(), before.saved_fields().first.state());
        one.kernel().copy_fields(after.saved_fields().second->state(), before.saved_fields().second->state());
        ASSERT_TRUE(after.go_on(stop, 0, before.progress()));
        std::vector<double> shown;
        for (const std::string& name : two.names()) {
            const std::vector<double> own = two.values(two.find(name));
            shown.insert(shown.end(), own.begin(), own.end());
        }
        EXPECT_EQ(here, shown) << stop;
        after.advance_to(first->steps());
        std::vector<double> end;
        for (const std::string& name : two.names()) {
            const std::vector<double> own = two.values(two.find(name));
            end.insert(end.end(), own.begin(), own.end());
        }
        EXPECT_EQ(whole, end) << stop;
    }
}

// Nothing has asked for a moment before, and yet the work is not lost: neither where an observer stops the run, nor where a signal cancels what is under way.
TEST_F(Tolerance, AStoppedRunShowsAMomentThatItHasReached) {
    for (const bool cancels : {false, true}) {
        const std::string flags = "tolerance = 1e-4\ntime = 100\nsize = '64x48'\n";
        const auto simulation = start(flags);
        core::Cancellation cancellation;
        observer_.go_on = [&](core::Moment now) {  // some stretches are behind it, however slow the machine is
            if (cancels && now.step > 1) cancellation.ask();
            return cancels || now.step <= 1;
        };
        {
            const core::CancellationScope scope(&cancellation);
            EXPECT_EQ(simulation->advance_to(simulation->steps()).verdict, stepper::Verdict::stopped);
        }
        observer_.go_on = {};
        const core::Index reached = simulation->now().step;
        EXPECT_GT(reached, 1);
        EXPECT_LT(reached, simulation->steps());
        const auto other = start(flags);
        for (const core::Index step : {reached, reached + 300}) {
            simulation->advance_to(step);
            other->advance_to(step);
            EXPECT_EQ(values(*simulation), values(*other)) << cancels << ' ' << step;
        }
    }
}

// Moments may be far apart: a run that is stopped does not go on for long.
TEST_F(Tolerance, AStopDoesNotWaitForAFarMoment) {
    const auto simulation = start("tolerance = 1e-3\ntime = 1e13\nmethod = 'euler'\nsize = '8x8'\n",
                                  "equations.u = 'u - u^3'\ninitial.u = '0.1 + 0.1*X'\nfields.u.range = [-2, 2]\n");
    observer_.go_on = [&](core::Moment) { return false; };
    EXPECT_EQ(simulation->run_to_end().verdict, stepper::Verdict::stopped);
    EXPECT_EQ(simulation->now().step, 0);  // the next moment is some 15 billion steps away
    EXPECT_GT(simulation->accuracy()->evaluations, 0);
}

// A process that is killed leaves a state, though nothing asks for moments on the way.
TEST_F(Tolerance, StatesAreKeptOnTheWay) {
    struct Killed {};
    const std::string flags = "tolerance = 1e-3\ntime = 400\nsize = '64x64'\n";
    {
        const auto simulation = start(flags + "checkpoint_every = 1e-3\ncheckpoint = " + at("a.state") + "\n");
        observer_.go_on = [this](core::Moment) {
            if (std::filesystem::exists(folder_ / "a.state")) throw Killed();
            return true;
        };
        EXPECT_THROW(simulation->run_to_end(), Killed);
    }
    observer_.go_on = {};
    ASSERT_TRUE(std::filesystem::exists(folder_ / "a.state"));
    EXPECT_GT(start(flags + "resume = " + at("a.state") + "\n")->first_step(), 0);
}

TEST_F(Tolerance, AdvancesByNoMoreStepsThanAsked) {
    const auto simulation = start(kFlags);
    simulation->advance_to(1029, 5);
    EXPECT_EQ(simulation->now().step, 5);
    simulation->advance_to(7, 100);
    EXPECT_EQ(simulation->now().step, 7);
    const auto other = start(kFlags);
    other->advance_to(7);
    EXPECT_EQ(values(*simulation), values(*other));
}

TEST_F(Tolerance, StepsAreThoseOfTheLadder) {
    const auto simulation = start("tolerance = 1e-3\ntime = 3\n");
    simulation->run_to_end();
    const stepper::AccuracyRecord& record = *simulation->accuracy();
    for (const double dt : {record.shortest, record.longest}) {
        const double rung = 2 * std::log2(3 / dt);
        EXPECT_NEAR(rung, std::round(rung), 1e-9);
    }
    EXPECT_LT(record.shortest, record.longest);
    EXPECT_GT(record.evaluations, 2 * record.steps);
    EXPECT_LE(record.error, 1.01e-3);
}

TEST_F(Tolerance, FieldsAndParametersMayChangeOnTheWay) {
    const auto changed = start(kFlags), other = start(kFlags + "parameters.c = 0.2\n");
    changed->set_parameter("c", 0.2);
    changed->advance_to(changed->steps());
    other->advance_to(other->steps());
    EXPECT_EQ(values(*changed), values(*other));
    const auto flat = start(kFlags);
    flat->advance_to(1000);
    const std::vector<double> ones(24 * 20, 1.0);
    flat->field().write(0, std::span<const double>(ones), team_);
    EXPECT_EQ(values(*flat)[7], 1.0);
    flat->advance_to(1001);
    EXPECT_NEAR(values(*flat)[7], 1.0, 0.02) << "goes on from what was written";
    EXPECT_THROW(flat->set_time_step(0.1), core::InputError);
    EXPECT_THROW(flat->set_parameter("d", 1), core::InputError);
}

TEST_F(Tolerance, BlowUpIsDivergence) {
    const auto simulation =
        start("tolerance = 1e-3\ntime = 2\n", "equations.u = 'u^2 + lap(u)'\ninitial.u = '1 + 0.1*cos(2*pi*X)'\ngrid.size = '16x4'\n");
    const stepper::Outcome outcome = simulation->run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::diverged);
    EXPECT_NE(outcome.why.find("after t = 0.9"), std::string::npos) << outcome.why;
}

// Steps of any length make numbers that are none beside the largest ones; shorter and shorter ones would never end.
TEST_F(Tolerance, GrowthBeyondAllNumbersIsDivergence) {
    struct Case {
        const char *flags, *time;  ///< exp(82) is 4e35; exp(346) 3e150
    };
    for (const auto& [flags, time] : {Case{"time = 95\n", " at t = 8"}, Case{"time = 95\nmethod = 'rk4'\n", " at t = 8"},
                                      Case{"time = 800\nprecision = 'f64'\n", " at t = 34"}}) {
        const auto simulation = start(std::string("tolerance = 0.1\n") + flags,
                                      "equations.u = '0.1*lap(u) + u'\ninitial.u = '1 + 0.1*X'\n"
                                      "fields.u.range = [0, 10]\ngrid.size = '8x4'\n");
        const stepper::Outcome outcome = simulation->run_to_end();
        EXPECT_EQ(outcome.verdict, stepper::Verdict::diverged);
        EXPECT_NE(outcome.why.find("beyond all numbers: a cell comes to "), std::string::npos) << outcome.why;
        EXPECT_NE(outcome.why.find(time), std::string::npos) << outcome.why;
    }
}

// Of a field that fades away no digits are asked for, and steps become long again.
TEST_F(Tolerance, WhatFadesAwayCostsNoSteps) {
    const auto simulation =
        start("tolerance = 1e-2\ntime = 2000\n", "equations.u = 'lap(u) - u'\ninitial.u = 'cos(2*pi*X)'\ngrid.size = '16x4'\n");
    EXPECT_EQ(simulation->run_to_end().verdict, stepper::Verdict::reached);
    EXPECT_LT(simulation->accuracy()->steps, 2000);
}

TEST_F(Tolerance, WhatStandsStaysToTheLastBit) {
    const auto simulation = start(kFlags, "equations.u = 'lap(u) + u - u^3'\ninitial.u = '1'\ngrid.size = '8x8'\n");
    EXPECT_EQ(simulation->run_to_end().verdict, stepper::Verdict::reached);
    EXPECT_EQ(values(*simulation), std::vector<double>(64, 1.0));
}

TEST_F(Tolerance, WavesTakeTheirMethodAndOthersRkl2) {
    EXPECT_EQ(start(kFlags)->spec().method.name, "rkl2");
    EXPECT_EQ(start(kFlags + "method = 'heun'\n")->spec().method.name, "heun");
    EXPECT_EQ(start(kFlags, "equations = { u = 'w', w = 'lap(u)' }\ninitial = { u = 'cos(2*pi*X)', w = 0 }\ngrid.size = '16x4'\n")
                  ->spec()
                  .method.name,
              "rk4");
}

TEST_F(Tolerance, OfPresetsTheDtCountsTime) {
    const auto simulation = start("tolerance = 1e-2\n", std::string(kModel) + "time = { dt = 0.25, steps = 8 }\n");
    EXPECT_EQ(simulation->steps(), 8);
    EXPECT_EQ(simulation->dt(), 0.25);
    EXPECT_EQ(simulation->run_to_end().at.time, 2);
}

TEST_F(Tolerance, SaysWhatItCannotDo) {
    EXPECT_NE(refusal("tolerance = 1e-9\ntime = 4").find("the least is 9.5e-07; --precision f64 goes to"), std::string::npos);
    EXPECT_EQ(refusal("tolerance = 1e-9\ntime = 4\nprecision = 'f64'"), "(taken)");
    EXPECT_NE(refusal("tolerance = 1e-17\ntime = 4\nprecision = 'f64'").find("rounding of f64"), std::string::npos);
    EXPECT_NE(refusal("tolerance = 1e-3\nsteps = 100").find("give --time"), std::string::npos);
    EXPECT_NE(refusal("tolerance = 1e-3\ntime = 4\ndt = 0.1").find("give only one"), std::string::npos);
    EXPECT_NE(refusal("tolerance = 1e-3\ntime = 4\nmethod = 'rkl2'\nstages = 5").find("leave out --stages"), std::string::npos);
    EXPECT_NE(refusal(kFlags, "equations.u = 'lap(u) + white()'\ninitial.u = 'X'\n").find("white()"), std::string::npos);
    EXPECT_NE(refusal(kFlags + "method = 'euler'\n", "equations = { u = 'w', w = 'lap(u)' }\ninitial = { u = 'X', w = 0 }\n")
                  .find("no step of euler is stable"),
              std::string::npos);
}

// The floor of f32 is met on the way, and said at the end.
TEST_F(Tolerance, OfRoundingIsSaid) {
    const auto simulation = start("tolerance = 1e-6\ntime = 4\n");
    simulation->run_to_end();
    EXPECT_GT(simulation->accuracy()->rounding, 1e-6);
    EXPECT_NE(observer_.notices.find("warning: "), std::string::npos) << observer_.notices;
    const auto exact = start("tolerance = 1e-3\ntime = 4\nprecision = 'f64'\n");
    exact->run_to_end();
    EXPECT_EQ(observer_.notices.find("warning"), std::string::npos) << observer_.notices;
}

}  // namespace tolerance_test
