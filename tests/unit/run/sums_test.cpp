// tests/unit/run/sums_test.cpp: runs whose equations sum over all cells
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include <unistd.h>

namespace sums_test {

using namespace mottle;

class SumRuns : public testing::Test {
   protected:
    std::unique_ptr<run::Simulation> start(const std::string& equations, const std::string& flags = "") {
        const std::string model = "parameters = { k = 0.3, m = 0 }\ninitial = { u = 'noise(0, 1)', v = 'X' }\n" + equations;
        const core::Node document = core::parse_document(model, "test.toml");
        return std::make_unique<run::Simulation>(
            run::read_spec(document, "test", "", core::parse_document("size = '45x31'\ndt = 0.1\n" + flags, "flags")), context_);
    }
    static std::vector<double> values(run::Simulation& simulation) {
        std::vector<double> all = simulation.field().values(0), second = simulation.field().values(1);
        all.insert(all.end(), second.begin(), second.end());
        return all;
    }
    void expect_the_mean_of_statistics(const std::function<void(field::Field& field, int step)>& change);

    core::ThreadTeam team_{2};
    core::Observer observer_;
    core::Context context_{team_, observer_, kernel_cache()};
};

const std::string kPlain = "equations.v = '0.1*lap(v) - v*u'\n";

// A mean stands for a parameter that is set to the number which statistics tell, to the last bit. `change` is done to both runs before each step.
void SumRuns::expect_the_mean_of_statistics(const std::function<void(field::Field& field, int step)>& change) {
    for (const char* precision : {"f32", "f64"}) {
        const std::string flags = std::string("precision = '") + precision + "'\n";
        const auto summed = start("equations.u = '0.1*lap(u) + u*(1 - u) - k*u*(mean(u) - 0.2)'\n" + kPlain, flags);
        const auto given = start("equations.u = '0.1*lap(u) + u*(1 - u) - k*u*(m - 0.2)'\n" + kPlain, flags);
        for (int step = 1; step <= 20; ++step) {
            change(summed->field(), step);
            change(given->field(), step);
            given->set_parameter("m", given->field().statistics(0).mean);
            given->advance_to(step);
            summed->advance_to(step);
            ASSERT_EQ(values(*summed), values(*given)) << precision << ", step " << step;
        }
    }
}

TEST_F(SumRuns, AMeanIsTheNumberOfTheStatistics) {
    expect_the_mean_of_statistics([](field::Field&, int) {});
}

// A step forms the sums that the next one reads; cells that are written between them count all the same, also where they make the largest cell another.
TEST_F(SumRuns, CellsThatAreWrittenBetweenStepsCount) {
    expect_the_mean_of_statistics([this](field::Field& field, int step) {
        if (step % 2 != 0) return;
        std::vector<double> cells = field.values(0);
        for (double& cell : cells) cell *= step % 4 == 0 ? 0.2 : 5;
        field.write(0, std::span<const double>(cells), team_);
    });
}

const std::string kEach = "equations.u = '0.1*lap(u) + u*(1 - u) - 0.1*k*mean(k*u^2*v + sin(t)) - 0.1*mean(norm2(grad(u)))'\n" + kPlain;

TEST_F(SumRuns, HowLaunchesAreCutMakesNoDifference) {
    for (const char* method : {"euler", "heun", "rk4"}) {
        const std::string flags = std::string("method = '") + method + "'\n";
        const auto whole = start(kEach, flags), cut = start(kEach, flags);
        whole->advance_to(30);
        for (const int step : {1, 2, 7, 30}) cut->advance_to(step);
        EXPECT_EQ(values(*whole), values(*cut)) << method;
    }
}

TEST_F(SumRuns, AParameterInsideASumCountsFromTheNextStepOn) {
    const auto changed = start(kEach), other = start(kEach);
    for (const auto& simulation : {changed.get(), other.get()}) {
        simulation->advance_to(10);
        simulation->set_parameter("k", 0.7);
    }
    changed->advance_to(11);
    // the rate of u at step 10 by hand: the difference to k = 0.3 is 0.1*k*mean(k*u^2*v + sin(t)) alone
    const std::vector<double> u = other->field().values(0), v = other->field().values(1);
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * u[i] * v[i];
    const auto feedback = [&](double k) { return k * (k * sum / static_cast<double>(u.size()) + std::sin(1.0)); };
    other->set_parameter("k", 0.3);
    other->advance_to(11);
    EXPECT_NEAR(changed->field().values(0)[7] - other->field().values(0)[7], -0.01 * (feedback(0.7) - feedback(0.3)), 1e-6);
}

TEST_F(SumRuns, ARunThatGoesOnEndsInTheSameBits) {
    const auto file = std::filesystem::temp_directory_path() / ("mottle_sums_" + std::to_string(getpid()) + ".state");
    for (const char* method : {"euler", "rk4"}) {
        const std::string flags = std::string("method = '") + method + "'\n", state = "'" + file.string() + "'\n";
        const auto whole = start(kEach, flags + "steps = 40\n");
        whole->run_to_end();
        start(kEach, flags + "steps = 13\ncheckpoint = " + state)->run_to_end();
        const auto rest = start(kEach, flags + "steps = 40\nresume = " + state);
        EXPECT_EQ(rest->now().step, 13);
        rest->run_to_end();
        EXPECT_EQ(values(*whole), values(*rest)) << method;
    }
    std::filesystem::remove(file);
}

TEST_F(SumRuns, FieldsAreThoseOfTheModel) {
    const auto simulation = start(kEach, "method = 'rk4'\n");
    EXPECT_EQ(simulation->field().names(), (std::vector<std::string>{"u", "v"}));
    EXPECT_EQ(backend::steps_of(simulation->kernel().schedule()), 1);
    EXPECT_THROW(simulation->set_parameter("mean(norm2(grad(u)))", 1), core::InputError);
}

TEST_F(SumRuns, DivergenceIsAVerdict) {
    const auto simulation = start("equations.u = 'u^3*integral(u^2)'\n" + kPlain, "initial.u = '2 + X'\n");
    EXPECT_EQ(simulation->advance_to(1024).verdict, stepper::Verdict::diverged);
}

// A number for all cells: it takes no part in how fast a wave decays, but scales what it stands before.
TEST_F(SumRuns, TheLimitOfDtTakesAMeanForANumber) {
    const std::string ranges = "fields = { u = { range = [0, 1] }, v = { range = [0, 1] } }\n";
    const auto limit = [&](const std::string& rate) {
        return start("equations.u = '" + rate + "'\n" + kPlain + ranges)->clock().limits.limit;
    };
    EXPECT_EQ(limit("lap(u) - 50*mean(u)"), limit("lap(u)"));
    EXPECT_EQ(limit("lap(u) - 3*u*mean(u + v)"), limit("lap(u) - 6*u"));
    EXPECT_EQ(limit("div(mean(2*u)*grad(u))"), limit("2*lap(u)"));
}

}  // namespace sums_test
