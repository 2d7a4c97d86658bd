// tests/unit/core/thread_team_test.cpp: every worker runs once, barriers order the work, failures reach the caller
#include "mottle/core/thread_team.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#endif

namespace thread_team_test {

using namespace mottle::core;

class TeamOf : public testing::TestWithParam<int> {};

TEST_P(TeamOf, EveryWorkerRunsOnceAndTheCallerIsWorkerZero) {
    ThreadTeam team(GetParam());
    EXPECT_EQ(team.size(), GetParam());
    for (int round = 0; round < 50; ++round) {
        std::vector<int> calls(static_cast<std::size_t>(GetParam()));
        std::thread::id zero;
        team.run([&](int worker) {
            ++calls[static_cast<std::size_t>(worker)];
            if (worker == 0) zero = std::this_thread::get_id();
        });
        for (const int count : calls) EXPECT_EQ(count, 1);
        EXPECT_EQ(zero, std::this_thread::get_id());
    }
}

TEST_P(TeamOf, NoWorkerPassesABarrierBeforeAllHaveArrived) {
    ThreadTeam team(GetParam());
    const auto size = static_cast<std::size_t>(GetParam());
    // Plain ints on purpose: the thread sanitizer sees whether the barrier orders them.
    std::vector<int> steps(size);
    std::atomic<int> mistakes{0};
    for (int round = 0; round < 3; ++round) {
        team.run([&](int worker) {
            const auto own = static_cast<std::size_t>(worker);
            for (int step = 1; step <= 100; ++step) {
                steps[own] = step;
                team.barrier();
                if (steps[(own + 1) % size] != step) ++mistakes;
                team.barrier();
            }
        });
    }
    EXPECT_EQ(mistakes, 0);
}

// Each worker does its part of a round when the one before it has done its own: a chain round the team, with nobody else to wait for.
TEST_P(TeamOf, WorkersFollowEachOthersMilestones) {
    ThreadTeam team(GetParam());
    const auto size = static_cast<std::size_t>(GetParam());
    constexpr std::uint64_t kRounds = 200;
    std::vector<Milestone> milestones(size);
    std::vector<std::uint64_t> values(size);  // plain on purpose: the thread sanitizer sees whether milestones order them
    for (int run = 0; run < 2; ++run) {
        for (Milestone& milestone : milestones) milestone.reset();
        std::fill(values.begin(), values.end(), 0);
        std::atomic<int> mistakes{0};
        team.run([&](int worker) {
            const auto own = static_cast<std::size_t>(worker), before = (own + size - 1) % size;
            for (std::uint64_t round = 1; round <= kRounds; ++round) {
                const std::uint64_t due = own == 0 ? round - 1 : round;
                team.wait_for(milestones[before], due);
                if (!milestones[before].has_come_to(due) || values[before] != due) ++mistakes;
                values[own] = round;
                team.raise(milestones[own], round);
            }
        });
        EXPECT_EQ(mistakes, 0);
        EXPECT_EQ(values, std::vector<std::uint64_t>(size, kRounds));
    }
}

TEST_P(TeamOf, AFailureWakesThoseWhoWaitForAMilestone) {
    ThreadTeam team(GetParam());
    for (int round = 0; round < 20; ++round) {
        Milestone never;
        try {
            team.run([&](int worker) {
                if (worker == round % GetParam()) throw std::runtime_error("failed");
                team.wait_for(never, 1);
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "failed");
        }
    }
}

TEST_P(TeamOf, TheLowestFailingWorkersExceptionReachesTheCallerAndTheTeamLivesOn) {
    ThreadTeam team(GetParam());
    for (int round = 0; round < 20; ++round) {
        const int thrower = round % GetParam();
        try {
            team.run([&](int worker) {
                team.barrier();
                if (worker == thrower) throw std::runtime_error(std::to_string(worker));
                team.barrier();
                team.barrier();
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_EQ(error.what(), std::to_string(thrower));
        }
        std::atomic<int> calls{0};
        team.run([&](int) {
            team.barrier();
            ++calls;
        });
        EXPECT_EQ(calls, GetParam());
    }
}

// 1; 2; more than the cores, where nobody may spin.
INSTANTIATE_TEST_SUITE_P(Sizes, TeamOf, testing::Values(1, 2, 3, 7, 16));

TEST(ThreadTeam, AllThrowTheFirstWorkersWins) {
    ThreadTeam team(3);
    try {
        team.run([](int worker) { throw std::runtime_error(std::to_string(worker)); });
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "0");
    }
}

TEST(ThreadTeam, RunsAfterItsWorkersHaveGoneToSleep) {
    ThreadTeam team(2);
    std::atomic<int> calls{0};
    for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        team.run([&](int worker) {
            if (worker == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            team.barrier();
            if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            ++calls;
        });
    }
    EXPECT_EQ(calls, 6);
}

#if defined(__linux__)
std::vector<int> allowed_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
    return cores;
}

// A sleeper is woken on another core than the caller's, and may then run on all that it was allowed before: also on fewer, set meanwhile.
TEST(ThreadTeam, WorkersKeepTheCoresTheyAreAllowed) {
    const std::vector<int> all = allowed_cores();
    constexpr int kSize = 2;  // no more than the cores: the caller spins, or it would leave its workers where they are
    ThreadTeam team(kSize);
    std::vector<std::vector<int>> seen(kSize);
    const auto look = [&](int worker) { seen[static_cast<std::size_t>(worker)] = allowed_cores(); };
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        team.run(look);
        for (const auto& cores : seen) EXPECT_EQ(cores, all);
    }
    team.run([&](int worker) {
        cpu_set_t last;
        CPU_ZERO(&last);
        CPU_SET(all.back(), &last);
        const int failed = worker > 0 ? sched_setaffinity(0, sizeof last, &last) : 0;
        EXPECT_EQ(failed, 0);
    });
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        team.run(look);
        EXPECT_EQ(seen[0], all);
        EXPECT_EQ(seen[1], std::vector<int>{all.back()});
    }
}
#endif

TEST(ThreadTeam, OtherThreadsOnlyChangeHowItWaits) {
    ThreadTeam team(2);
    for (const int others : {0, 1000, -5}) {
        team.set_other_threads(others);
        std::atomic<int> calls{0};
        team.run([&](int) {
            for (int i = 0; i < 50; ++i) team.barrier();
            ++calls;
        });
        EXPECT_EQ(calls, 2);
    }
}

TEST(ThreadTeam, TwoTeamsDoNotKnowOfEachOther) {
    ThreadTeam outer(2);
    std::atomic<int> calls{0};
    outer.run([&](int) {
        ThreadTeam inner(2);
        inner.run([&](int) {
            inner.barrier();
            ++calls;
        });
    });
    EXPECT_EQ(calls, 4);
}

TEST(ThreadTeam, RefusesNoWorkersAndARunInsideARun) {
    EXPECT_THROW(ThreadTeam(0), InputError);
    EXPECT_THROW(ThreadTeam(-3), InputError);
    ThreadTeam team(1);
    EXPECT_THROW(team.run([&](int) { team.run([](int) {}); }), InternalError);
    int calls = 0;
    team.run([&](int) { ++calls; });
    EXPECT_EQ(calls, 1);
}

TEST(ThreadTeam, ThereIsAtLeastOneCore) {
    EXPECT_GE(available_cores(), 1);
    EXPECT_LE(available_cores(), static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

}  // namespace thread_team_test
