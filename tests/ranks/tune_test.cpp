// tests/ranks/tune_test.cpp: mottle tune on several ranks: what it tries, and which runs use what it has found
#include "mpirun.h"

#include "mottle/device/registry.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/threads.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/run/tune/tune.h"

#include <regex>
#include <set>

#include <unistd.h>

namespace ranks_tune_test {

using namespace mottle;
using mpirun::count_of;
using mpirun::on;
using mpirun::Result;

/// Ranks of this process while it lives.
class Ranks {
   public:
    explicit Ranks(int count) : ranks_(count), link_(ranks_.first()) {}
    ~Ranks() { link_.end(0); }
    std::unique_ptr<backend::Backend> backend() { return ranks::create_ranks_backend(device::create_backend("cpu"), {"cpu"}, 1, link_); }

   private:
    ranks::ServingRanks ranks_;
    ranks::Link link_;
};

struct Bench {
    std::filesystem::path cache = std::filesystem::temp_directory_path() / ("mottle_ranks_tune_" + std::to_string(::getpid()));
    core::ThreadTeam team{1};
    core::Observer observer;
    core::Context context{team, observer, cache};
    Bench() { std::filesystem::remove_all(cache); }
    ~Bench() { std::filesystem::remove_all(cache); }

    static run::Spec spec(const std::string& model, const std::string& domain) {
        const core::Node flags = core::parse_document(domain + "\ndevice = 'cpu'\n", "flags");
        return run::read_spec(model::load_document(model), model, "", flags);
    }
};

// What is too thin is left out: two rows cannot be cut into three, nor five where a step reads two cells beyond a block.
TEST(TuneOnRanks, TriesCutsAndHalosAndOneProcess) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    for (const auto& [model, domain] : {std::pair("gray-scott", "size = '60x60'"),
                                        {"gray-scott", "size = '60x2'"},
                                        {"swift-hohenberg", "size = '60x5'"},
                                        {"gray-scott", "mesh = 'sphere:3'\nacross = 2"}}) {
        Bench bench;
        Ranks ranks(3);
        run::TuneRequest request{.spec = Bench::spec(model, domain), .seconds = 0.5};
        request.backend = [&] { return ranks.backend(); };
        request.threads_alone = 1;
        const run::Tuning tuning = run::tune(request, bench.context);
        ASSERT_GE(tuning.trials.size(), 2u) << domain;
        std::set<std::string> used;
        for (const run::Trial& trial : tuning.trials) {
            used.insert(backend::print(trial.used));
            const backend::Spread spread = backend::spread_of(trial.used);
            EXPECT_GE(spread.halo.value_or(0), 1) << domain;
            if (!spread.blocks) continue;
            EXPECT_EQ((*spread.blocks)[0] * (*spread.blocks)[1] * (*spread.blocks)[2], 3) << domain;
        }
        EXPECT_EQ(used.size(), tuning.trials.size()) << domain << ": none is tried twice";
        EXPECT_FALSE(tuning.stopped);
        ASSERT_TRUE(tuning.alone) << domain;
        EXPECT_GT(tuning.alone->seconds_per_step, 0);
        EXPECT_GT(tuning.alone->ranks_seconds_per_step, 0);
        EXPECT_GE(tuning.alone->pairs.rounds, 3u);
    }
}

TEST(TuneOnRanks, TheBookKnowsTheNumberOfRanks) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    Bench bench;
    Ranks two(2), three(3);
    const run::Spec spec = Bench::spec("gray-scott", "size = '60x60'");
    const auto schedule_of = [&](std::unique_ptr<backend::Backend> backend) {
        return backend::print(run::Simulation(spec, bench.context, std::move(backend)).kernel().schedule());
    };
    const std::string usual = schedule_of(two.backend()), on_three = schedule_of(three.backend()), alone = schedule_of(nullptr);
    const std::string stored = "steps=3 halo=6 blocks=2x1";
    const std::string key = run::schedule_key(ir::lower(ir::build(spec.model), spec.method, spec.domain), spec.domain,
                                              run::device_text(spec, *two.backend()), bench.team.size());
    ASSERT_TRUE(run::ScheduleBook(bench.cache).remember(key, backend::parse_schedule(stored, backend::Family::plane)));
    const std::string used = schedule_of(two.backend());
    EXPECT_NE(used, usual);
    EXPECT_TRUE(used.starts_with("steps=3 ") && used.ends_with(" halo=6 blocks=2x1")) << used;
    EXPECT_EQ(schedule_of(three.backend()), on_three);
    EXPECT_EQ(schedule_of(nullptr), alone);
}

class MpirunTune : public mpirun::Test {};

TEST_F(MpirunTune, KeepsWhatItFindsForSoManyRanks) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    for (const int count : {2, 4}) {
        const std::string cache = "export XDG_CACHE_HOME=$PWD/cache" + std::to_string(count) + "; ";
        const std::string what = " gray-scott --size 64x64 --device cpu --threads 1 ";
        const Result tuned = folder.run(cache + on(count) + "timeout 60 mottle tune" + what + "--seconds 1 --json");
        ASSERT_EQ(tuned.code, 0) << tuned.err;
        EXPECT_EQ(count_of(tuned, "\"ranks\": " + std::to_string(count)), 1) << tuned.out;
        EXPECT_EQ(count_of(tuned, "\"one_process\": {\"threads\": "), 1) << tuned.out;
        EXPECT_EQ(count_of(tuned, "\"interrupted\": false"), 1) << tuned.out;
        const std::string run = "mottle run" + what + "--steps 3";
        const Result here = folder.run(cache + on(count) + run), fewer = folder.run(cache + on(3) + run), alone = folder.run(cache + run);
        std::smatch best;
        ASSERT_TRUE(std::regex_search(tuned.out, best, std::regex(R"re("best": "([^"]*)")re"))) << tuned.out;
        const bool remembered = count_of(tuned, "\"remembered\": true") == 1;
        EXPECT_TRUE(!remembered || count_of(here, best[1].str()) == 1) << here.out << here.err;
        EXPECT_EQ(here.code, 0) << here.err;
        EXPECT_EQ(fewer.code, 0) << fewer.err;
        EXPECT_EQ(count_of(alone, "blocks="), 0) << alone.out;
        EXPECT_EQ(alone.code, 0) << alone.err;
    }
}

TEST_F(MpirunTune, SaysWhetherOneProcessIsFaster) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const std::string tune =
        "export XDG_CACHE_HOME=$PWD/cache; " + on(2) + "timeout 60 mottle tune heat --device cpu --threads 1 --seconds 1 ";
    for (const char* domain : {"--size 64x64", "--mesh sphere:3"}) {
        const Result result = folder.run(tune + domain);
        ASSERT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(count_of(result, "2 ranks, Open MPI"), 1) << result.out;
        EXPECT_EQ(count_of(result, "1 thread on each\n"), 1) << result.out;
        EXPECT_EQ(count_of(result, "\nthreads  one process with "), 1) << result.out;
    }
}

TEST_F(MpirunTune, IsInterrupted) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const std::string tune = "mottle tune gray-scott --size 64x64 --device cpu --threads 1 --seconds 600 --json > said";
    const Result result =
        folder.run("export XDG_CACHE_HOME=$PWD/cache; " + mpirun::signalled(on(2) + tune, "TERM", 0, 0.5, "cache/mottle"));
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_NE(folder.read("said").find("\"interrupted\": true"), std::string::npos) << folder.read("said") << result.err;
}

}  // namespace ranks_tune_test
