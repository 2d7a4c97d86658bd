// tests/unit/stepper/stepper_test.cpp: launches, events, divergence, progress and parameters
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/ir/program/builder.h"
#include "mottle/model/parse.h"
#include "mottle/stepper/together.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

namespace mottle::stepper {
namespace stepper_test {

class Listener : public core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(core::Moment now, double rate) override {
        reports.push_back(now.step);
        times.push_back(std::chrono::steady_clock::now());
        rates.push_back(rate);
        return static_cast<int>(reports.size()) < stop_after;
    }
    std::vector<Index> reports;
    std::vector<std::chrono::steady_clock::time_point> times;
    std::vector<double> rates;
    int stop_after = std::numeric_limits<int>::max();
};

/// A kernel of two fields of 4 x 3 cells that does what a test tells it, and records its launches.
class ScriptedKernel : public backend::Kernel {
   public:
    struct Launch {
        Index first, count;
        std::vector<double> uniforms;
        friend bool operator==(const Launch&, const Launch&) = default;
    };

    ScriptedKernel(core::Context& context, ir::Program program, int fused) : Kernel(context), program_(std::move(program)) {
        schedule_ = backend::PlaneSchedule{.steps = fused};
        domain::Grid grid;
        grid.size = {4, 3, 1};
        domain_ = grid;
    }
    const ir::Program& program() const override { return program_; }
    const domain::Domain& domain() const override { return domain_; }
    const backend::Schedule& schedule() const override { return schedule_; }
    std::unique_ptr<backend::State> create_state() override { return std::make_unique<backend::State>(); }
    void advance(backend::State&, Index first, Index count, backend::UniformTable uniforms) override {
        launches.push_back({first, count, {uniforms.values.begin(), uniforms.values.end()}});
        if (on_step) {
            for (Index step = first + 1; step <= first + count; ++step) on_step(step);
        }
        if (seconds_per_step > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds_per_step * static_cast<double>(count)));
    }
    void read_row(const backend::State&, ir::Array array, Index row, std::span<float> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(cell(array, row, i));
    }
    void read_row(const backend::State&, ir::Array array, Index row, std::span<double> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = cell(array, row, i);
    }
    void write_row(backend::State&, ir::Array, Index, std::span<const double>) override {}

    std::vector<Launch> launches;
    std::function<void(Index step)> on_step;
    double seconds_per_step = 0;
    std::vector<double> u = std::vector<double>(12, 1), v = std::vector<double>(12, 1);

   private:
    double cell(ir::Array array, Index row, std::size_t i) const { return (array == 0 ? u : v)[static_cast<std::size_t>(row) * 4 + i]; }
    ir::Program program_;
    domain::Domain domain_;
    backend::Schedule schedule_;
};

/// Uniforms "dt*F" and, if `timed`, "F + t".
ir::Program program_of(bool timed) {
    ir::Program program;
    program.f64 = true;
    program.arrays = {{"u", ir::ArrayInfo::Kind::state, 0}, {"v", ir::ArrayInfo::Kind::state, 0}};
    program.ghosts.emplace_back();
    program.inputs = {"dt", "t", "F"};
    ir::Builder product(true), sum(true);
    product.mul(product.uniform(0), product.uniform(2));
    program.uniforms.push_back({"dt*F", product.code(), false});
    if (timed) {
        sum.add(sum.uniform(2), sum.uniform(1));
        program.uniforms.push_back({"F + t", sum.code(), true});
    }
    return program;
}

struct Trial {
    explicit Trial(bool timed = false, int fused = 0, double start = 0) : kernel(context, program_of(timed), fused) {
        for (const char* name : {"u", "v"}) {
            model::Equation equation;
            equation.field = name;
            equation.initial = model::parse({"1", {}});
            model.equations.push_back(equation);
        }
        field.emplace(kernel, model, field::InitialSpec{}, context);
        stepper.emplace(*field, std::vector<double>{-1, start, 3}, 0.5, context);
    }
    Index advanced() const {
        Index steps = 0;
        for (const auto& launch : kernel.launches) {
            EXPECT_EQ(launch.first, steps);
            steps += launch.count;
        }
        return steps;
    }

    core::ThreadTeam team{1};
    Listener listener;
    core::Context context{team, listener, kernel_cache()};
    ScriptedKernel kernel;
    model::Model model;
    std::optional<field::Field> field;
    std::optional<Stepper> stepper;
};

TEST(Stepper, AdvancesToEveryMomentExactly) {
    Trial run;
    for (Index step : {Index{0}, Index{1}, Index{33}, Index{33}, Index{1024}, Index{5000}}) {
        const Outcome outcome = run.stepper->advance_to(step);
        EXPECT_EQ(outcome.verdict, Verdict::reached);
        EXPECT_EQ(outcome.at.step, step);
        EXPECT_EQ(outcome.at.time, 0.5 * static_cast<double>(step));
        EXPECT_EQ(run.advanced(), step);
    }
    EXPECT_THROW(run.stepper->advance_to(4999), core::InternalError);
}

TEST(Stepper, FastKernelsRunInOneLaunchBetweenTests) {
    Trial run(false, 32);
    run.stepper->advance_to(4096);
    for (const auto& launch : run.kernel.launches)
        EXPECT_EQ((launch.first + launch.count - 1) / 1024, launch.first / 1024) << "a test was passed over";
    EXPECT_LE(run.kernel.launches.size(), 12u);  // 5; more where the machine stalls in the first, which measures
    EXPECT_EQ(run.kernel.launches.back().count, 1024);
}

TEST(Stepper, SlowKernelsAreCutByTimeInMultiplesOfTheFusedSteps) {
    Trial run(false, 8);
    run.kernel.seconds_per_step = 0.004;  // 200 ms: 50 steps, cut to 48
    run.stepper->advance_to(150);
    ASSERT_GE(run.kernel.launches.size(), 4u);
    EXPECT_EQ(run.kernel.launches[0].count, 8);
    for (std::size_t i = 1; i + 1 < run.kernel.launches.size(); ++i) {
        EXPECT_TRUE(run.kernel.launches[i].count % 8 == 0 || run.kernel.launches[i].count < 8) << run.kernel.launches[i].count;
        EXPECT_LE(run.kernel.launches[i].count, 48);
    }
    EXPECT_GT(run.stepper->seconds(), 0.59);
    // progress: not more often than every 100 ms
    ASSERT_GE(run.listener.times.size(), 2u);
    for (std::size_t i = 1; i < run.listener.times.size(); ++i) {
        EXPECT_GE(std::chrono::duration<double>(run.listener.times[i] - run.listener.times[i - 1]).count(), 0.099);
    }
    for (double rate : run.listener.rates) {
        EXPECT_GT(rate, 0);
        EXPECT_LE(rate, 12 / 0.004);  // sleeping takes its time at least
    }
}

TEST(Stepper, TheObserverStopsTheRun) {
    Trial run;
    run.kernel.seconds_per_step = 0.02;
    run.listener.stop_after = 2;
    const Outcome outcome = run.stepper->advance_to(100000);
    EXPECT_EQ(outcome.verdict, Verdict::stopped);
    EXPECT_EQ(outcome.at.step, run.advanced());
    EXPECT_EQ(run.listener.reports.size(), 2u);
    EXPECT_LT(outcome.at.step, 200);
}

TEST(Stepper, DivergenceIsFoundWithin1024Steps) {
    Trial run;
    run.kernel.on_step = [&](Index step) {
        if (step == 3000) run.kernel.v[6] = std::nan("");
        if (step == 3001) run.kernel.u[7] = HUGE_VAL;
    };
    EXPECT_EQ(run.stepper->advance_to(2500).verdict, Verdict::reached);
    const Outcome outcome = run.stepper->advance_to(10000);
    EXPECT_EQ(outcome.verdict, Verdict::diverged);
    EXPECT_EQ(outcome.at.step, 3072);
    EXPECT_EQ(outcome.why,
              "the field 'v' stopped being finite between step 2,500 (t = 1250) and step 3,072 (t = 1536), first in cell (2, 1)");
}

TEST(Stepper, DivergenceIsFoundWhereAnAdvanceEnds) {
    Trial run;
    run.kernel.on_step = [&](Index step) {
        if (step == 70) run.kernel.u[0] = run.kernel.v[0] = -HUGE_VAL;
    };
    EXPECT_EQ(run.stepper->advance_to(69).verdict, Verdict::reached);
    const Outcome outcome = run.stepper->advance_to(71);
    EXPECT_EQ(outcome.verdict, Verdict::diverged);
    EXPECT_NE(outcome.why.find("'u'"), std::string::npos) << "in one cell the first field is named: " << outcome.why;
    EXPECT_NE(outcome.why.find("cell (0, 0)"), std::string::npos);
}

// Stretches are for the caller to turn to other things: what is found, and where, is the same.
TEST(Stepper, StretchesLookForDivergenceWhereOneGoWould) {
    Trial run;
    run.kernel.on_step = [&](Index step) {
        if (step == 70) run.kernel.u[0] = HUGE_VAL;
    };
    Outcome outcome = run.stepper->advance_to(3000, 100);
    EXPECT_EQ(outcome.verdict, Verdict::reached);
    EXPECT_EQ(outcome.at.step, 100);
    outcome = run.stepper->advance_to(3000, 923);
    EXPECT_EQ(outcome.verdict, Verdict::reached);
    EXPECT_EQ(outcome.at.step, 1023);
    outcome = run.stepper->advance_to(3000, 100);
    EXPECT_EQ(outcome.verdict, Verdict::diverged);
    EXPECT_EQ(outcome.at.step, 1024);
    EXPECT_NE(outcome.why.find("between step 0 (t = 0) and step 1,024 (t = 512)"), std::string::npos) << outcome.why;
    Trial other;
    EXPECT_EQ(other.stepper->advance_to(50, 100).at.step, 50);
}

TEST(Stepper, OneRowOfUniformsWhereNothingDependsOnTime) {
    Trial run;
    run.stepper->advance_to(10);
    for (const auto& launch : run.kernel.launches) EXPECT_EQ(launch.uniforms, (std::vector<double>{1.5}));
}

TEST(Stepper, ARowPerStepWhereSomethingDependsOnTime) {
    Trial run(true, 40, 100);
    run.stepper->advance_to(95);
    Index step = 0;
    for (const auto& launch : run.kernel.launches) {
        ASSERT_EQ(launch.uniforms.size(), static_cast<std::size_t>(2 * launch.count));
        for (std::size_t i = 0; i < launch.uniforms.size(); i += 2, ++step) {
            EXPECT_EQ(launch.uniforms[i], 1.5);
            EXPECT_EQ(launch.uniforms[i + 1], 3 + (100 + static_cast<double>(step) * 0.5));
        }
    }
    EXPECT_EQ(step, 95);
    EXPECT_EQ(run.stepper->now().time, 147.5);
}

TEST(Stepper, ParametersChangeFromTheNextStepOn) {
    Trial run;
    run.stepper->advance_to(5);
    run.stepper->set_parameter("F", 7);
    run.stepper->advance_to(6);
    EXPECT_EQ(run.kernel.launches.back(), (ScriptedKernel::Launch{5, 1, {3.5}}));
}

TEST(Stepper, RefusesParametersItDoesNotHave) {
    Trial run;
    for (const char* name : {"f", "dt", "t", "feed"}) EXPECT_THROW(run.stepper->set_parameter(name, 1), core::InputError) << name;
    EXPECT_THROW(run.stepper->set_parameter("F", std::nan("")), core::InputError);
    try {
        run.stepper->set_parameter("f", 1);
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("did you mean 'F'?"), std::string::npos);
    }
}

/// Three fields of one kernel.
struct Trio {
    Trio() {
        for (int i = 0; i < 3; ++i) {
            fields.push_back(std::make_unique<field::Field>(one.kernel, one.model, field::InitialSpec{}, one.context));
            steppers.push_back(std::make_unique<Stepper>(*fields.back(), std::vector<double>{-1, 0, 3.0 + i}, 0.5, one.context));
            list.push_back(steppers.back().get());
        }
    }
    Trial one;
    std::vector<std::unique_ptr<field::Field>> fields;
    std::vector<std::unique_ptr<Stepper>> steppers;
    std::vector<Stepper*> list;
};

TEST(Together, FieldsOfOneKernelTakeTurnsWithNumbersOfTheirOwn) {
    Trio trio;
    const std::vector<Outcome> outcomes = advance_together(trio.list, 1500);
    ASSERT_EQ(outcomes.size(), 3U);
    for (const Outcome& outcome : outcomes) {
        EXPECT_EQ(outcome.verdict, Verdict::reached);
        EXPECT_EQ(outcome.at.step, 1500);
    }
    const auto& launches = trio.one.kernel.launches;
    ASSERT_EQ(launches.size() % 3, 0U);
    Index steps = 0;
    for (std::size_t i = 0; i < launches.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(launches[i + k].first, steps);
            EXPECT_EQ(launches[i + k].count, launches[i].count);
            EXPECT_EQ(launches[i + k].uniforms, std::vector<double>{0.5 * (3.0 + static_cast<double>(k))});
        }
        steps += launches[i].count;
    }
    EXPECT_EQ(steps, 1500);
}

TEST(Together, StepsFromWhereTheyAreAndNeverBack) {
    Trio trio;
    advance_together(trio.list, 10);
    EXPECT_EQ(advance_together(trio.list, 10)[2].at.step, 10);
    EXPECT_THROW(advance_together(trio.list, 9), core::InternalError);
    trio.steppers[1]->advance_to(11);
    EXPECT_THROW(advance_together(trio.list, 12), core::InternalError);
}

TEST(Together, AStopEndsAll) {
    Trio trio;
    trio.one.kernel.seconds_per_step = 1e-3;
    trio.one.listener.stop_after = 1;
    for (const Outcome& outcome : advance_together(trio.list, 100000)) {
        EXPECT_EQ(outcome.verdict, Verdict::stopped);
        EXPECT_EQ(outcome.at.step, trio.steppers[0]->now().step);
    }
}

/// A kernel whose states know when they stop being finite.
class MortalKernel final : public ScriptedKernel {
   public:
    struct Mortal final : backend::State {
        Index step = 0, end = 0;
    };
    using ScriptedKernel::ScriptedKernel;
    std::unique_ptr<backend::State> create_state() override {
        auto state = std::make_unique<Mortal>();
        state->end = ends.empty() ? 0 : ends[made++ % ends.size()];
        return state;
    }
    void advance(backend::State& state, Index first, Index count, backend::UniformTable uniforms) override {
        ScriptedKernel::advance(state, first, count, uniforms);
        static_cast<Mortal&>(state).step = first + count;
    }
    void read_row(const backend::State& state, ir::Array, Index, std::span<double> out) const override {
        const auto& mortal = static_cast<const Mortal&>(state);
        std::fill(out.begin(), out.end(), mortal.step >= mortal.end ? std::numeric_limits<double>::quiet_NaN() : 1.0);
    }
    std::vector<Index> ends;
    std::size_t made = 0;
};

TEST(Together, OneThatDivergesStaysWhereItDidAndTheOthersGoOn) {
    Trial one;  // for its model and context
    MortalKernel kernel(one.context, program_of(false), 0);
    kernel.ends = {100000, 1500, 100000};
    std::vector<std::unique_ptr<field::Field>> fields;
    std::vector<std::unique_ptr<Stepper>> steppers;
    std::vector<Stepper*> list;
    for (int i = 0; i < 3; ++i) {
        fields.push_back(std::make_unique<field::Field>(kernel, one.model, field::InitialSpec{}, one.context));
        steppers.push_back(std::make_unique<Stepper>(*fields.back(), std::vector<double>{-1, 0, 3}, 0.5, one.context));
        list.push_back(steppers.back().get());
    }
    const std::vector<Outcome> outcomes = advance_together(list, 5000);
    EXPECT_EQ(outcomes[0].verdict, Verdict::reached);
    EXPECT_EQ(outcomes[0].at.step, 5000);
    EXPECT_EQ(outcomes[1].verdict, Verdict::diverged);
    EXPECT_EQ(outcomes[1].at.step, 2048);
    EXPECT_NE(outcomes[1].why.find("between step 1,024"), std::string::npos) << outcomes[1].why;
    EXPECT_EQ(outcomes[2].at.step, 5000);
    EXPECT_EQ(kernel.launches.back().first + kernel.launches.back().count, 5000);
}

}  // namespace stepper_test
}  // namespace mottle::stepper
