// tests/unit/backend/step_plan_test.cpp: what stages read and make, how far the stages of a step reach, what goes from one to the next, and what registers keep
#include "mottle/backend/step_plan.h"
#include "mottle/backend/cuda/emit/stream.h"

#include <gtest/gtest.h>

namespace mottle::backend {
namespace step_plan_test {

ir::Instruction load(ir::Array array, std::int8_t dx, std::int8_t dy, std::int8_t dz = 0) {
    return {ir::Op::load, {-1, -1, -1}, array, {dx, dy, dz}, 0};
}

/// What a stage stores, of which value is of no interest, and what it reads: an array and its column and row.
ir::Stage stage(std::vector<ir::Array> stored, ir::Code code) {
    ir::Stage made{"stage", std::move(code), {}};
    for (const ir::Array array : stored) made.stores.emplace_back(array, 0);
    return made;
}

constexpr ir::Array kU = 0, kV = 1, kMap = 2, kSquare = 3, kLaplacian = 4;

/// u and v; v^2 m is held, then the Laplacian of that; u is made of the Laplacian of the Laplacian, of itself and of v, v of v alone.
ir::Program program() {
    using Kind = ir::ArrayInfo::Kind;
    ir::Program made;
    made.ghosts.resize(1);
    made.arrays = {{"u", Kind::state}, {"v", Kind::state}, {"m", Kind::input}, {"square", Kind::held}, {"laplacian", Kind::held}};
    made.step.stages = {stage({kSquare}, {load(kV, 0, 0), load(kMap, 0, 0)}),
                        stage({kLaplacian}, {load(kSquare, 0, -1), load(kSquare, 0, 0), load(kSquare, 0, 1)}),
                        stage({kU, kV}, {load(kLaplacian, 0, -1), load(kLaplacian, 0, 1), load(kU, -1, 0), load(kV, 0, 0)})};
    return made;
}

TEST(StepPlan, ReachAsFarAsTheyRead) {
    const ir::Program it = program();
    EXPECT_EQ(StepPlan(it).reach(0), 0);
    EXPECT_EQ(StepPlan(it).reach(1), 1);
    EXPECT_EQ(StepPlan(it).reach(2), 1);
    EXPECT_EQ(StepPlan(it).reach(), 2);
    ir::Program still = it;
    still.step.stages = {stage({kU, kV}, {load(kU, 0, 0), load(kV, 0, 0)})};
    EXPECT_EQ(StepPlan(still).reach(), 1);  // what is made of a row takes its place a row later
    still.step.stages = {stage({kSquare}, {load(kMap, 1, 0)}), still.step.stages[0]};
    EXPECT_EQ(StepPlan(still).reach(), 2);  // a map's neighbours come from the lanes beside, too
}

TEST(StepPlan, SaysWhatStagesReadAndMake) {
    const ir::Program it = program();
    const StepPlan plan(it);
    EXPECT_EQ(plan.states, 2);
    EXPECT_EQ(plan.maps, std::set<ir::Array>{kMap});
    const StageUse& last = plan.stages[2];
    EXPECT_EQ(last.makes, (std::set<ir::Array>{kU, kV}));
    EXPECT_TRUE(last.reads(kV));
    EXPECT_FALSE(last.reads(kSquare));
    EXPECT_EQ(last.loads.at(kLaplacian).low[1], -1);
    EXPECT_EQ(last.loads.at(kLaplacian).high[1], 1);
    EXPECT_EQ(last.loads.at(kU).low[0], -1);
    EXPECT_EQ(last.loads.at(kU).high[0], -1) << "the cell to the left alone";
    EXPECT_EQ(last.reach(0), 1);
    EXPECT_EQ(last.reach(kLaplacian, 0), 0);
    EXPECT_EQ(plan.exchanged(2), std::vector<ir::Array>{kLaplacian});
    EXPECT_EQ(plan.exchanging_stages(), 2);
    EXPECT_FALSE(last.turns);
    EXPECT_TRUE(StageUse(stage({kU}, {load(kU, 1, -1)})).turns);
    EXPECT_FALSE(plan.stages[0].looks_around);
}

// Both at rows and at vertices of a mesh.
TEST(StepPlan, CollectsTablesAndWeights) {
    ir::Program it = program();
    it.step.stages[0].code.push_back({ir::Op::axis, {-1, -1, -1}, ir::kUnitX, {0, 1, 0}, 0});
    it.step.stages[1].code.push_back({ir::Op::neighbour, {-1, -1, -1}, kU, {0, 0, 0}, 0});
    it.step.stages[2].code.push_back({ir::Op::edge, {-1, -1, -1}, ir::kEdgeLaplacian, {0, 0, 0}, 0});
    it.step.stages[2].code.push_back({ir::Op::add, {0, 1, -1}, 0, {0, 0, 0}, 0});
    const StepPlan plan(it);
    EXPECT_EQ(plan.tables, std::set<int>{ir::kUnitX});
    EXPECT_EQ(plan.neighbours, std::set<ir::Array>{kU});
    EXPECT_EQ(plan.edges, std::set<int>{ir::kEdgeLaplacian});
    EXPECT_TRUE(plan.stages[0].looks_around) << "a table in the next row";
    EXPECT_EQ(plan.operations, 1);
    EXPECT_EQ(plan.most_operations(), 1);
}

TEST(StepPlan, KnowsWhichStagesAStepThatFlushesReplaces) {
    ir::Program it = program();
    EXPECT_EQ(StepPlan(it).flushes, (std::vector<bool>{false, false, false}));
    it.flush_step = it.step;
    it.flush_step->stages[2].stores[0].second = 1;
    EXPECT_EQ(StepPlan(it).flushes, (std::vector<bool>{false, false, true}));
}

TEST(StepPlan, HandOnWhatLaterOnesRead) {
    const ir::Program it = program();
    EXPECT_EQ(StepPlan(it).cells, (std::vector<ir::Array>{kU, kV, kSquare, kLaplacian}));
    EXPECT_EQ(StepPlan(it).carried(0), (std::vector<ir::Array>{kU, kV}));
    EXPECT_EQ(StepPlan(it).carried(1), (std::vector<ir::Array>{kU, kV}));  // nobody reads the square again
    EXPECT_EQ(StepPlan(it).carried(2), std::vector<ir::Array>{});
}

// With row y coming in the second stage makes row y - 1 and the third y - 2. When row y + 1 comes, they want of the square y - 1 and y, of the
// Laplacian y - 2 and y - 1, of u and v y - 1 and then y.
TEST(StepPlan, KeepTheRowsThatAreWantedAgain) {
    const ir::Program it = program();
    EXPECT_EQ(StepPlan(it).kept_rows(), 2 + 2 + 2 + 2);
    ir::Program plain = it;
    plain.step.stages = {stage({kU, kV}, {load(kU, 0, -1), load(kU, 0, 0), load(kU, 0, 1), load(kV, 0, 0)})};
    EXPECT_EQ(StepPlan(plain).kept_rows(), 2 + 1);
    EXPECT_EQ(cuda::stream_registers(plain, 4) - cuda::stream_registers(plain, 3), (2 + 1) * 4);
    plain.f64 = true;
    EXPECT_EQ(cuda::stream_registers(plain, 4) - cuda::stream_registers(plain, 3), (2 + 1) * 2 * 2);
}

// In a volume planes go through; a field that nobody reads beside along z is wanted in one of them.
TEST(StepPlan, KeepThePlanesThatAreWantedAgain) {
    ir::Program it = program();
    EXPECT_EQ(StepPlan(it).kept_rows(2), 2 + 2 + 1 + 1);  // the square and the Laplacian are read where the next stage stands
    it.step.stages[1].code.push_back(load(kSquare, 0, 0, 1));
    it.step.stages[2].code.push_back(load(kLaplacian, 0, 0, -1));
    EXPECT_EQ(StepPlan(it).kept_rows(2), 2 + 2 + 2 + 2);
}

TEST(StepPlan, FollowEachOtherStepByStep) {
    const ir::Program it = program();
    const std::vector<Level> levels = StepPlan(it).levels(2);
    ASSERT_EQ(levels.size(), 6u);
    for (std::size_t l = 0; l < levels.size(); ++l) {
        EXPECT_EQ(levels[l].step, l < 3 ? 0 : 1);
        EXPECT_EQ(levels[l].stage, l % 3);
        EXPECT_EQ(levels[l].reach, l % 3 == 0 ? 0 : 1);
    }
}

// In place: u and v with the square, then with the Laplacian of it, which takes its room.
TEST(StepPlan, LetGoOfWhatNobodyReadsAgain) {
    ir::Program it = program();
    EXPECT_EQ(StepPlan(it).most_alive(), 3);
    it.step.stages[2].code.push_back(load(kSquare, 0, 0));
    EXPECT_EQ(StepPlan(it).most_alive(), 4);
    it.step.stages = {it.step.stages[0]};
    it.step.stages[0].stores = {{kU, 0}, {kV, 0}};
    EXPECT_EQ(StepPlan(it).most_alive(), 2);
}

TEST(StepPlan, MakeGhostsOfWhatIsNew) {
    const ir::Program it = program();
    EXPECT_EQ(StepPlan(it).ghosted(0), (std::vector<ir::Array>{kU, kV}));
    EXPECT_EQ(StepPlan(it).ghosted(1), std::vector<ir::Array>{kSquare});
    EXPECT_EQ(StepPlan(it).ghosted(2), std::vector<ir::Array>{kLaplacian});
}

TEST(StepPlan, AStepThatReachesTooFarIsNotFused) {
    ir::Program far = program();
    domain::Grid grid;
    grid.size = {512, 512, 1};
    EXPECT_EQ(cuda::stream_obstacle(far, grid), "");
    const ir::Stage again = far.step.stages[1];
    while (cuda::stream_width(false, StepPlan(far).reach()) > 0) far.step.stages.insert(far.step.stages.begin() + 1, again);
    EXPECT_EQ(StepPlan(far).reach(), 61);  // 16 lanes of 4 columns on each side are all
    EXPECT_NE(cuda::stream_obstacle(far, grid), "");
}

}  // namespace step_plan_test
}  // namespace mottle::backend
