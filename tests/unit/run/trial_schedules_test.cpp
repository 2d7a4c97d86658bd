// tests/unit/run/trial_schedules_test.cpp: which schedules a search tries, by family, and in which order
#include "mottle/run/tune/trial_schedules.h"

#include "mottle/domain/mesh/create.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace mottle::run {
namespace trial_schedules_test {

using backend::CardMeshSchedule, backend::CardPlaneSchedule, backend::CardVolumeSchedule, backend::MeshSchedule, backend::PlaneSchedule,
    backend::Schedule, backend::VertexOrder, backend::VolumeSchedule;

domain::Domain grid_of(domain::Index nx, domain::Index ny, domain::Index nz = 1) {
    domain::Grid grid;
    grid.size = {nx, ny, nz};
    return grid;
}

domain::Domain sphere() {
    core::ThreadTeam team(1);
    return domain::create_mesh(domain::load_surface({"sphere:1", {}}, {}, team), 1, team);
}

template <class S>
std::vector<S> trials_of(const S& chosen, const domain::Domain& domain, int threads = 8) {
    std::vector<S> list;
    for (const Schedule& each : trial_schedules(chosen, domain, threads)) list.push_back(std::get<S>(each));
    return list;
}

std::size_t count(const auto& list, const auto& is) { return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), is)); }

TEST(TrialSchedules, AreWritableAndTriedOnce) {
    const std::pair<Schedule, domain::Domain> cases[] = {{PlaneSchedule{.steps = 4, .strip = 256}, grid_of(64, 64)},
                                                         {PlaneSchedule{.steps = 4, .strip = 256}, grid_of(8192, 100)},
                                                         {VolumeSchedule{.steps = 4, .tile = 30}, grid_of(64, 64, 64)},
                                                         {MeshSchedule{.steps = 4, .parts = 2}, sphere()},
                                                         {CardPlaneSchedule{.steps = 4, .strip = 256}, grid_of(64, 64)},
                                                         {CardVolumeSchedule{.steps = 4, .planes = 64}, grid_of(64, 64, 64)},
                                                         {CardMeshSchedule{.steps = 4, .threads = 256}, sphere()},
                                                         {PlaneSchedule{.steps = 4, .halo = 16, .blocks = {{2, 2, 1}}}, grid_of(64, 64)},
                                                         {MeshSchedule{.steps = 4, .parts = 2, .halo = 4}, sphere()}};
    for (const auto& [chosen, domain] : cases) {
        const auto family = static_cast<backend::Family>(chosen.index());
        const std::vector<Schedule> list = trial_schedules(chosen, domain, 2);
        ASSERT_GE(list.size(), 10u) << backend::describe(family);
        EXPECT_EQ(backend::steps_of(list.front()).value_or(4), 4) << "what is near the cost model's comes first";
        std::set<std::string> texts;
        for (const Schedule& schedule : list) {
            const std::string text = backend::print(schedule);
            EXPECT_EQ(schedule.index(), chosen.index());
            EXPECT_TRUE(texts.insert(text).second) << backend::describe(family) << ": " << text;
            EXPECT_EQ(backend::print(backend::parse_schedule(text, family)), text);
        }
        EXPECT_GE(count(list, [](const Schedule& each) { return backend::steps_of(each) == 1; }), 1u) << backend::describe(family);
    }
    EXPECT_TRUE(trial_schedules({}, grid_of(64, 64), 2).empty()) << "an interpreter has none";
}

TEST(TrialSchedules, OfAMeshOnACardArePatchesAndOrders) {
    const auto list = trials_of(CardMeshSchedule{.steps = 4, .threads = 512}, sphere());
    const auto is = [](int steps, int threads) {
        return [=](const CardMeshSchedule& each) { return each.steps == steps && each.threads == threads; };
    };
    for (const int steps : {1, 2, 4, 8}) {
        for (const int threads : {128, 256, 512, 1024})
            EXPECT_EQ(count(list, is(steps, threads)), 1u) << steps << " steps, blocks of " << threads;
    }
    for (const auto order : {VertexOrder::file, VertexOrder::morton})
        EXPECT_EQ(count(list, [&](const CardMeshSchedule& each) { return each.order == order && each.steps == 1; }), 1u);
    const auto place = [&](int steps, int threads) { return std::find_if(list.begin(), list.end(), is(steps, threads)); };
    EXPECT_LT(place(4, 512), place(4, 128));
    EXPECT_LT(place(4, 512), place(8, 512));
}

TEST(TrialSchedules, OfAGridOnACardAreStripsAndTiles) {
    const auto plane = trials_of(CardPlaneSchedule{.steps = 6, .tile = 8, .warps = 8}, grid_of(1024, 1024));
    EXPECT_GE(count(plane, [](const CardPlaneSchedule& each) { return each.tile || each.warps; }), 10u);
    EXPECT_GE(count(plane, [](const CardPlaneSchedule& each) { return each.strip.value_or(0) > 0; }), 10u);
    EXPECT_EQ(count(plane, [](const CardPlaneSchedule& each) { return each.steps > 8; }), 0u) << "no pass makes more";
    const auto stays = [](const CardPlaneSchedule& each) { return each.strip == 0; };
    EXPECT_GE(count(plane, stays), 3u);
    EXPECT_EQ(count(trials_of(CardPlaneSchedule{.steps = 6, .strip = 64}, grid_of(8192, 8192)), stays), 0u) << "no registers hold that";
    const auto volume = trials_of(CardVolumeSchedule{.steps = 3, .planes = 64}, grid_of(256, 256, 256));
    EXPECT_GE(count(volume, [](const CardVolumeSchedule& each) { return each.planes.has_value(); }), 10u);
}

TEST(TrialSchedules, OfWideRowsOnTheCpuAreCut) {
    const auto cut = [](const PlaneSchedule& each) { return each.strip.has_value(); };
    EXPECT_EQ(count(trials_of(PlaneSchedule{.steps = 8}, grid_of(512, 512), 2), cut), 0u);
    EXPECT_GT(count(trials_of(PlaneSchedule{.steps = 8}, grid_of(4096, 512), 2), cut), 0u);
}

TEST(TrialSchedules, OnSeveralRanksCutTheGridInAllWays) {
    const VolumeSchedule chosen{.steps = 4, .halo = 8, .blocks = {{1, 4, 1}}};
    const auto blocks_in = [](const auto& list) {
        std::set<backend::BlockCounts> blocks;
        for (const auto& each : list) blocks.insert(each.blocks.value());
        return blocks;
    };
    using Cuts = std::set<backend::BlockCounts>;
    EXPECT_EQ(blocks_in(trials_of(chosen, grid_of(64, 64, 64))), (Cuts{{4, 1, 1}, {2, 2, 1}, {1, 4, 1}, {2, 1, 2}, {1, 2, 2}, {1, 1, 4}}));
    EXPECT_EQ(blocks_in(trials_of(chosen, grid_of(3, 64, 64))), (Cuts{{2, 2, 1}, {1, 4, 1}, {2, 1, 2}, {1, 2, 2}, {1, 1, 4}}));
    domain::Grid mixed = std::get<domain::Grid>(grid_of(64, 64, 64));  // some fields wrap along x, and others do not
    domain::Sides other = mixed.sides;
    for (const auto side : {domain::kLeft, domain::kRight}) {
        mixed.sides[side].rule = domain::Rule::periodic;
        other[side].rule = domain::Rule::no_flux;
    }
    mixed.field_sides = {{"u", other}};
    EXPECT_EQ(blocks_in(trials_of(chosen, mixed)), (Cuts{{1, 4, 1}, {1, 2, 2}, {1, 1, 4}}));
    const auto plane = trials_of(PlaneSchedule{.steps = 8, .halo = 16, .blocks = {{1, 2, 1}}}, grid_of(64, 64));
    EXPECT_EQ(blocks_in(plane), (Cuts{{2, 1, 1}, {1, 2, 1}}));
    std::set<int> halos;
    for (const PlaneSchedule& each : plane) halos.insert(each.halo.value());
    EXPECT_TRUE(halos.contains(8) && halos.contains(16) && halos.contains(32));
}

}  // namespace trial_schedules_test
}  // namespace mottle::run
