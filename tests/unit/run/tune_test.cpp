// tests/unit/run/tune_test.cpp: a search in little time: what it tries, keeps and leaves alone
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/tune/tune.h"

#include "mottle/device/registry.h"
#include "mottle/core/error.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <set>

#include <unistd.h>

namespace tune_test {

using namespace mottle;

struct Bench {
    std::filesystem::path cache = std::filesystem::temp_directory_path() / ("mottle_tune_" + std::to_string(::getpid()));
    core::ThreadTeam team{2};
    core::Observer observer;
    core::Context context{team, observer, cache};
    Bench() { std::filesystem::remove_all(cache); }
    ~Bench() { std::filesystem::remove_all(cache); }

    static run::TuneRequest request(const std::string& flags, double seconds = 0.5) {
        run::TuneRequest request;
        request.spec = run::read_spec(model::load_document("gray-scott"), "gray-scott", "", core::parse_document(flags, "flags"));
        request.seconds = seconds;
        return request;
    }
    std::string key(const run::Spec& spec) const {
        return run::schedule_key(ir::lower(ir::build(spec.model), spec.method, spec.domain), spec.domain,
                                 run::device_text(spec, *device::create_backend(spec.device)), team.size());
    }
};

TEST(Tune, TriesSeveralSchedulesAndKeepsOneThatGains) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    Bench bench;
    for (const char* flags : {"size = '64x64'\ndevice = 'cpu'\n", "mesh = 'sphere:3'\nacross = 2\ndevice = 'cpu'\n"}) {
        const run::TuneRequest request = Bench::request(flags);
        const run::Tuning tuning = run::tune(request, bench.context);
        ASSERT_GE(tuning.trials.size(), 2u) << flags;
        ASSERT_LT(tuning.winner, tuning.trials.size());
        EXPECT_EQ(backend::print(tuning.trials[0].request), "") << "the cost model comes first";
        std::set<std::string> used;
        for (const run::Trial& trial : tuning.trials) {
            used.insert(backend::print(trial.used));
            EXPECT_GE(trial.launches, 1u);
            EXPECT_GT(trial.seconds_per_step, 0);
            EXPECT_GE(trial.seconds_per_step, tuning.trials[tuning.winner].seconds_per_step);
        }
        EXPECT_EQ(used.size(), tuning.trials.size()) << "none is tried twice";
        EXPECT_FALSE(tuning.stopped);
        EXPECT_EQ(tuning.remembered, tuning.winner != 0 && tuning.pairs.gains(run::kTuneGain));
        const auto kept =
            run::ScheduleBook(bench.cache).find(bench.key(request.spec), static_cast<backend::Family>(tuning.trials[0].used.index()));
        ASSERT_EQ(kept.has_value(), tuning.remembered);
        if (kept) {
            EXPECT_EQ(backend::print(*kept), backend::print(tuning.trials[tuning.winner].request));
            const run::Simulation simulation(request.spec, bench.context);
            EXPECT_EQ(backend::print(simulation.kernel().schedule()), backend::print(tuning.trials[tuning.winner].used));
        }
    }
}

TEST(Tune, DisturbedLaunchesMakeNoGain) {
    // The same schedule twice, while another program slows down five launches of the first and three of the second.
    const std::vector<double> first = {1, 1, 1, 1, 9, 9, 9, 9, 9}, second = {1, 1, 1, 1, 9, 9, 9, 1, 1};
    const run::Pairs disturbed = run::pairs_of(first, second);
    EXPECT_EQ(disturbed.rounds, 9u);
    EXPECT_EQ(disturbed.won, 2u);
    EXPECT_EQ(disturbed.gain, 0) << "although the medians of the launches are 9 and 1";
    EXPECT_FALSE(disturbed.gains(run::kTuneGain));
    const run::Pairs faster = run::pairs_of(std::vector<double>{1.1, 2.2, 9.9, 1.1, 1}, std::vector<double>{1, 2, 9, 1, 7});
    EXPECT_NEAR(faster.gain, 0.1, 1e-12) << "whatever all of them lose alike";
    EXPECT_EQ(faster.won, 4u);
    EXPECT_TRUE(faster.gains(run::kTuneGain));
    EXPECT_FALSE(faster.gains(0.2));
    const run::Pairs even = run::pairs_of(std::vector<double>{1, 1, 2, 2}, std::vector<double>{1, 1, 1, 1});
    EXPECT_EQ(even.gain, 0.5);
    EXPECT_FALSE(even.gains(run::kTuneGain)) << "two of four are not most";
    EXPECT_FALSE(run::pairs_of({}, second).gains(run::kTuneGain));
}

TEST(Tune, StopsWhenItIsAskedToAndKeepsAnOlderEntry) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    Bench bench;
    run::TuneRequest request = Bench::request("size = '64x64'\ndevice = 'cpu'\n", 20);
    run::ScheduleBook book(bench.cache);
    ASSERT_TRUE(book.remember(bench.key(request.spec), backend::parse_schedule("steps=3", backend::Family::plane)));
    int calls = 0;
    request.progress = [&](const std::string&) { return ++calls < 4; };
    const run::Tuning tuning = run::tune(request, bench.context);
    EXPECT_TRUE(tuning.stopped);
    EXPECT_FALSE(tuning.remembered);
    const auto kept = book.find(bench.key(request.spec), backend::Family::plane);
    ASSERT_TRUE(kept);
    EXPECT_EQ(backend::steps_of(*kept), 3);
}

TEST(Tune, RefusesWhatHasNoSchedulesOrDoesNotLast) {
    Bench bench;
    EXPECT_THROW(run::tune(Bench::request("size = '16x16'\ndevice = 'reference'\n"), bench.context), core::InputError);
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    EXPECT_THROW(run::tune(Bench::request("size = '64x64'\ndevice = 'cpu'\ndt = 40\n"), bench.context), core::InputError);
}

}  // namespace tune_test
