// tests/unit/run/trial_schedules_test.cpp: which schedules a search tries, by device and domain, and in which order
#include "mottle/run/tune/trial_schedules.h"

#include "mottle/domain/mesh/create.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace mottle::run {
namespace trial_schedules_test {

using backend::Schedule;

constexpr bool kCard = true, kCpu = false;

domain::Domain grid_of(domain::Index nx, domain::Index ny, domain::Index nz = 1) {
    domain::Grid grid;
    grid.size = {nx, ny, nz};
    return grid;
}

domain::Domain sphere() {
    core::ThreadTeam team(1);
    return domain::create_mesh(domain::load_surface({"sphere:1", {}}, {}, team), 1, team);
}

std::size_t count(const std::vector<Schedule>& list, const std::function<bool(const Schedule&)>& is) {
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), is));
}

TEST(TrialSchedules, AreWritableAndTriedOnce) {
    for (const bool card : {kCpu, kCard}) {
        for (const domain::Domain& domain : {grid_of(64, 64), grid_of(8192, 100), grid_of(64, 64, 64), sphere()}) {
            const Schedule chosen{.steps = 4, .chunk = 256};
            const std::vector<Schedule> list = trial_schedules(chosen, domain, card, 2);
            ASSERT_GE(list.size(), 10u) << (card ? "card" : "cpu") << " " << domain::describe(domain);
            EXPECT_EQ(list.front().steps, chosen.steps) << "what is near the cost model's comes first";
            std::set<std::string> texts;
            for (const Schedule& schedule : list) {
                const std::string text = backend::print(schedule);
                EXPECT_TRUE(texts.insert(text).second) << (card ? "card" : "cpu") << ": " << text;
                EXPECT_EQ(backend::print(backend::parse_schedule(text)), text);
            }
            EXPECT_GE(count(list, [](const Schedule& each) { return each.steps == 1; }), 1u) << (card ? "card" : "cpu");
        }
    }
}

TEST(TrialSchedules, OfAMeshOnACardArePatchesAndOrders) {
    const Schedule chosen{.steps = 4, .chunk = 512};
    const std::vector<Schedule> list = trial_schedules(chosen, sphere(), kCard, 8);
    for (const int steps : {1, 2, 4, 8}) {
        for (const int threads : {128, 256, 512, 1024}) {
            EXPECT_EQ(count(list, [&](const Schedule& each) { return each.steps == steps && each.chunk == threads; }), 1u)
                << steps << " steps, blocks of " << threads;
        }
    }
    for (const auto order : {Schedule::Order::file, Schedule::Order::morton})
        EXPECT_EQ(count(list, [&](const Schedule& each) { return each.order == order && each.steps == 1; }), 1u);
    // what a card has no use for
    EXPECT_EQ(count(list, [](const Schedule& each) { return each.rows > 0 || each.parts > 0 || each.gather != Schedule::Gather::chosen; }),
              0u);
    auto place = [&](int steps, int threads) {
        return std::find_if(list.begin(), list.end(), [&](const Schedule& each) { return each.steps == steps && each.chunk == threads; });
    };
    EXPECT_LT(place(4, 512), place(4, 128));
    EXPECT_LT(place(4, 512), place(8, 512));
}

TEST(TrialSchedules, OfAGridOnACardAreStripsAndTiles) {
    const auto tiles = [](const Schedule& each) { return each.rows > 0 || each.parts > 0; };
    const auto strips = [](const Schedule& each) { return each.chunk > 0; };
    const std::vector<Schedule> plane = trial_schedules({.steps = 6, .rows = 8, .parts = 8}, grid_of(1024, 1024), kCard, 8);
    EXPECT_GE(count(plane, tiles), 10u);
    EXPECT_GE(count(plane, strips), 10u);
    EXPECT_EQ(count(plane, [](const Schedule& each) { return each.steps > 8; }), 0u) << "no pass makes more";
    const auto stays = [](const Schedule& each) { return each.chunk == 0; };
    EXPECT_GE(count(plane, stays), 3u);
    EXPECT_EQ(count(trial_schedules({.steps = 6, .chunk = 64}, grid_of(8192, 8192), kCard, 8), stays), 0u) << "no registers hold that";
    const std::vector<Schedule> volume = trial_schedules({.steps = 3, .chunk = 64}, grid_of(256, 256, 256), kCard, 8);
    EXPECT_EQ(count(volume, tiles), 0u);
    EXPECT_EQ(count(volume, stays), 0u);
    EXPECT_GE(count(volume, strips), 10u);
}

TEST(TrialSchedules, OfWideRowsOnTheCpuAreCut) {
    const auto cut = [](const Schedule& each) { return each.chunk >= 0; };
    EXPECT_EQ(count(trial_schedules({.steps = 8}, grid_of(512, 512), kCpu, 2), cut), 0u);
    EXPECT_GT(count(trial_schedules({.steps = 8}, grid_of(4096, 512), kCpu, 2), cut), 0u);
}

}  // namespace trial_schedules_test
}  // namespace mottle::run
