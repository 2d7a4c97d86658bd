// tests/unit/sweep/crew_test.cpp: how members take turns at threads
#include "kernel_cache.h"
#include "mottle/sweep/crew.h"

#include "mottle/ir/lower/system.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/preparation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace crew_test {

using namespace mottle;
using sweep::Crew;
using sweep::Homes;
using sweep::Turns;
using sweep::Worker;

struct Bench {
    explicit Bench(int threads) : team(threads) {}
    core::ThreadTeam team;
    core::Observer observer;
    core::Context context{team, observer, kernel_cache()};
};

std::vector<std::size_t> upto(std::size_t count) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(i);
    return all;
}

TEST(Turns, TheOneThatHasWaitedLongestIsNext) {
    const Homes homes{std::vector<int>(10, 0)};
    Turns turns({4, 7, 9}, homes);
    EXPECT_EQ(turns.take(0), 4U);
    EXPECT_EQ(turns.take(0), 7U);
    turns.give_back(7);
    EXPECT_EQ(turns.take(0), 9U);
    EXPECT_EQ(turns.take(0), 7U);
    EXPECT_EQ(turns.take(0), std::nullopt);
    turns.give_back(4);
    turns.give_back(9);
    EXPECT_EQ(turns.take(0), 4U);
    EXPECT_EQ(turns.take(0), 9U);
    EXPECT_EQ(turns.take(0), std::nullopt);
    EXPECT_EQ(Turns({}, homes).take(0), std::nullopt);
}

TEST(Turns, ARankTakesItsOwnFirstThenThoseOfOthers) {
    Homes homes{{0, 1, 1, 0}};
    Turns turns(upto(4), homes);
    EXPECT_EQ(turns.take(1), 1U);
    EXPECT_EQ(turns.take(1), 2U);
    EXPECT_EQ(turns.take(1), 0U) << "it has none of its own any more";
    turns.give_back(2);
    EXPECT_EQ(turns.take(0), 3U);
    homes.fixed = true;
    EXPECT_EQ(turns.take(0), std::nullopt);
    EXPECT_EQ(turns.take(1), 2U);
}

TEST(Crew, EveryMemberComesUntilItIsDone) {
    for (const int threads : {1, 2, 5}) {
        Bench bench(threads);
        Crew crew(7, "reference", bench.context);
        EXPECT_EQ(crew.workers().size(), static_cast<std::size_t>(threads));
        std::vector<int> turns(7);  // of one member in one thread at a time
        crew.each(upto(7), [&](Worker&, std::size_t i) { return ++turns[i] == static_cast<int>(i) * 100 + 1; });
        for (std::size_t i = 0; i < turns.size(); ++i) EXPECT_EQ(turns[i], static_cast<int>(i) * 100 + 1);
    }
}

// The first member waits in its turn until all others are done: nobody stands behind it.
TEST(Crew, ASlowMemberHoldsNobodyUp) {
    Bench bench(2);
    Crew crew(9, "reference", bench.context);
    std::atomic<int> done = 0;
    bool waited_for_all = false;
    crew.each(upto(9), [&](Worker&, std::size_t i) {
        if (i > 0) {
            ++done;
            return true;
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (done < 8 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        waited_for_all = done == 8;
        return true;
    });
    EXPECT_TRUE(waited_for_all);
}

TEST(Crew, WhatATurnThrowsComesOut) {
    Bench bench(3);
    Crew crew(5, "reference", bench.context);
    EXPECT_THROW(crew.each(upto(5),
                           [](Worker&, std::size_t i) -> bool {
                               if (i == 3) throw std::runtime_error("three");
                               return true;
                           }),
                 std::runtime_error);
}

/// How many workers a sweep of `members` on a grid of `size` has.
std::size_t workers(std::size_t members, int threads, const std::string& size, const std::string& device = "cpu") {
    Bench bench(threads);
    run::Spec spec =
        run::read_spec(core::parse_document("equations.u = 'lap(u)'\ninitial.u = 'X'\ntime = { steps = 1, dt = 0.1 }\n", "test.toml"),
                       "test", "", core::parse_document("device = '" + device + "'\nsize = '" + size + "'", "flags"));
    Crew crew(members, spec.device, bench.context);
    crew.compile(run::prepare(spec, bench.team).program, spec);
    for (const auto& worker : crew.workers()) EXPECT_NE(worker->kernel, nullptr);
    return crew.workers().size();
}

TEST(Crew, AsManyWorkersAsThereIsWorkFor) {
    EXPECT_EQ(workers(5, 3, "16x16", "reference"), 3U);
    EXPECT_EQ(workers(3, 4, "16x16", "reference"), 3U) << "the interpreter has one thread";
    EXPECT_EQ(workers(1, 4, "16x16", "reference"), 1U);
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    EXPECT_EQ(workers(3, 4, "32x32"), 3U) << "a small grid is for one thread";
    EXPECT_EQ(workers(3, 4, "2048x2048"), 1U) << "a large one is for all";
    EXPECT_EQ(workers(4, 4, "2048x2048"), 4U);
}

}  // namespace crew_test
