// tests/unit/sweep/shortening_test.cpp: members for which an automatic dt is too long halve it as their own runs do, and no frame shows what it was before
#include "kernel_cache.h"
#include "mottle/core/files.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/sweep/sweep.h"

#include "unit/run/listener.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

namespace shortening_test {

using namespace mottle;
using core::Index;

// Without ranges the reaction counts as nothing, and dt is 0.225 for all r. At u = 1 it decays at r beside 8 of diffusion: 2/(8 + r) is the limit.
const std::string kFisher = "equations.u = 'lap(u) + r*u*(1 - u)'\nparameters.r = 1\ninitial.u = '0.1 + 0.05*X'\ngrid.size = '12x6'\n";
const std::string kBlowUp = "equations.u = 'lap(u) + r*u^2 - u'\nparameters.r = 0\ninitial.u = '2 + X'\ngrid.size = '12x6'\n";

struct Bench {
    explicit Bench(int threads) : team(threads) { std::filesystem::create_directories(folder); }
    ~Bench() { std::filesystem::remove_all(folder); }

    core::ThreadTeam team;
    Listener observer;
    core::Context context{team, observer, kernel_cache()};
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mottle_sweep_dt_" + std::to_string(::getpid()));

    std::string bytes(const std::string& name) const { return core::read_file(folder / name).value_or("none"); }
    std::string output(const std::string& name) const { return "[[output]]\nfile = '" + (folder / name).string() + "'\n"; }
    static core::Node flags(const std::string& text) { return core::parse_document("device = 'cpu'\nprecision = 'f64'\n" + text, "flags"); }
    std::vector<sweep::Result> sweep(const std::string& model, const std::string& over, const std::string& more) {
        sweep::Sweep sweep(sweep::read_spec(core::parse_document(model, "test.toml"), "test", "", flags(more), {over}), context);
        EXPECT_TRUE(sweep.run_to_end());
        return sweep.results();
    }
    stepper::Outcome single(const std::string& model, const std::string& more, int* halvings = nullptr) {
        run::Simulation run(run::read_spec(core::parse_document(model, "test.toml"), "test", "", flags(more)), context);
        stepper::Outcome outcome = run.run_to_end();
        if (halvings) *halvings = run.clock().halvings;
        return outcome;
    }
};

std::string body(const std::string& npy) { return npy.size() < 10 ? "" : npy.substr(npy.find('\n') + 1); }

class SweepShortening : public testing::TestWithParam<int> {
   protected:
    Bench bench_{GetParam()};
};

TEST_P(SweepShortening, MembersAreTheirOwnRuns) {
    const std::string time = "end = 90\n";
    const auto results = bench_.sweep(kFisher, "r=0.5,3,8,20", time + bench_.output("all.npy"));
    std::string all;
    const std::vector<int> expected = {0, 1, 1, 2};
    for (std::size_t i = 0; i < 4; ++i) {
        int halvings = -1;
        const stepper::Outcome own = bench_.single(
            kFisher, time + "parameters.r = " + std::vector<std::string>{"0.5", "3", "8", "20"}[i] + "\n" + bench_.output("one.npy"),
            &halvings);
        EXPECT_EQ(halvings, expected[i]) << i;
        EXPECT_EQ(results[i].outcome.at.step, own.at.step) << i;
        EXPECT_EQ(results[i].outcome.at.time, own.at.time) << i;
        all += body(bench_.bytes("one.npy"));
    }
    EXPECT_EQ(body(bench_.bytes("all.npy")), all);
    EXPECT_NE(bench_.observer.notices.find("dt 0.225 was too long for 3 runs of 4, which restarted with shorter steps"), std::string::npos)
        << bench_.observer.notices;
}

// Waves as long as the whole are what the frames of an own run show, too: those of one member are compared, pixel by pixel.
TEST_P(SweepShortening, NoFrameShowsTheLongerStep) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without PNG";
    const std::string look = "end = 90\nframes = 6\nrange = '0:1'\nscale = 1\n";
    bench_.sweep(kFisher, "r=8", look + bench_.output("s-%d.png"));
    bench_.single(kFisher, look + "parameters.r = 8\n" + bench_.output("o-%d.png"));
    for (const char* number : {"1", "2", "3", "6"}) {
        EXPECT_NE(bench_.bytes("s-" + std::string(number) + ".png"), "none");
        EXPECT_EQ(bench_.bytes("s-" + std::string(number) + ".png"), bench_.bytes("o-" + std::string(number) + ".png")) << number;
    }
}

TEST_P(SweepShortening, RestIsFoundAsByOwnRuns) {
    const std::string until = "steps = 9000\nuntil = 'steady=1e-8'\n";
    const auto results = bench_.sweep(kFisher, "r=0.5,8", until);
    for (std::size_t i = 0; i < 2; ++i) {
        const stepper::Outcome own = bench_.single(kFisher, until + "parameters.r = " + (i == 0 ? "0.5" : "8") + "\n");
        EXPECT_EQ(results[i].outcome.verdict, own.verdict) << i;
        EXPECT_EQ(results[i].outcome.at.step, own.at.step) << i;
    }
}

// u' = u^2 - u from above 1 ends at a time of its own; no step helps, and the other member goes on.
TEST_P(SweepShortening, EquationsThatBlowUpAreLost) {
    const auto results = bench_.sweep(kBlowUp, "r=0,1", "end = 40\n");
    EXPECT_EQ(results[0].outcome.verdict, stepper::Verdict::reached);
    EXPECT_EQ(results[1].outcome.verdict, stepper::Verdict::diverged);
    EXPECT_EQ(bench_.single(kBlowUp, "end = 40\nparameters.r = 1\n").verdict, stepper::Verdict::diverged);
}

INSTANTIATE_TEST_SUITE_P(Threads, SweepShortening, testing::Values(1, 2, 3));

}  // namespace shortening_test
