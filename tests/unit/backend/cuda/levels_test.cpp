// tests/unit/backend/cuda/levels_test.cpp: how far the stages of a step reach, what goes from one to the next, and what registers keep
#include "mottle/backend/cuda/grid/levels.h"
#include "mottle/backend/cuda/emit/stream.h"

#include <gtest/gtest.h>

namespace mottle::backend::cuda {
namespace levels_test {

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

TEST(CudaLevels, ReachAsFarAsTheyRead) {
    const ir::Program it = program();
    EXPECT_EQ(stage_reach(it, 0), 0);
    EXPECT_EQ(stage_reach(it, 1), 1);
    EXPECT_EQ(stage_reach(it, 2), 1);
    EXPECT_EQ(step_reach(it), 2);
    ir::Program still = it;
    still.step.stages = {stage({kU, kV}, {load(kU, 0, 0), load(kV, 0, 0)})};
    EXPECT_EQ(step_reach(still), 1);  // what is made of a row takes its place a row later
    still.step.stages = {stage({kSquare}, {load(kMap, 1, 0)}), still.step.stages[0]};
    EXPECT_EQ(step_reach(still), 2);  // a map's neighbours come from the lanes beside, too
}

TEST(CudaLevels, HandOnWhatLaterOnesRead) {
    const ir::Program it = program();
    EXPECT_EQ(cell_arrays(it), (std::vector<ir::Array>{kU, kV, kSquare, kLaplacian}));
    EXPECT_EQ(carried_arrays(it, it.step, 0), (std::vector<ir::Array>{kU, kV}));
    EXPECT_EQ(carried_arrays(it, it.step, 1), (std::vector<ir::Array>{kU, kV}));  // nobody reads the square again
    EXPECT_EQ(carried_arrays(it, it.step, 2), std::vector<ir::Array>{});
}

// With row y coming in the second stage makes row y - 1 and the third y - 2. When row y + 1 comes, they want of the square y - 1 and y, of the
// Laplacian y - 2 and y - 1, of u and v y - 1 and then y.
TEST(CudaLevels, KeepTheRowsThatAreWantedAgain) {
    const ir::Program it = program();
    EXPECT_EQ(kept_rows(it), 2 + 2 + 2 + 2);
    ir::Program plain = it;
    plain.step.stages = {stage({kU, kV}, {load(kU, 0, -1), load(kU, 0, 0), load(kU, 0, 1), load(kV, 0, 0)})};
    EXPECT_EQ(kept_rows(plain), 2 + 1);
    EXPECT_EQ(stream_registers(plain, 4) - stream_registers(plain, 3), (2 + 1) * 4);
    plain.f64 = true;
    EXPECT_EQ(stream_registers(plain, 4) - stream_registers(plain, 3), (2 + 1) * 2 * 2);
}

// In a volume planes go through; a field that nobody reads beside along z is wanted in one of them.
TEST(CudaLevels, KeepThePlanesThatAreWantedAgain) {
    ir::Program it = program();
    EXPECT_EQ(kept_rows(it, 2), 2 + 2 + 1 + 1);  // the square and the Laplacian are read where the next stage stands
    it.step.stages[1].code.push_back(load(kSquare, 0, 0, 1));
    it.step.stages[2].code.push_back(load(kLaplacian, 0, 0, -1));
    EXPECT_EQ(kept_rows(it, 2), 2 + 2 + 2 + 2);
}

TEST(CudaLevels, FollowEachOtherStepByStep) {
    const std::vector<Level> levels = levels_of(program(), 2);
    ASSERT_EQ(levels.size(), 6u);
    for (std::size_t l = 0; l < levels.size(); ++l) {
        EXPECT_EQ(levels[l].step, l < 3 ? 0 : 1);
        EXPECT_EQ(levels[l].stage, l % 3);
        EXPECT_EQ(levels[l].reach, l % 3 == 0 ? 0 : 1);
    }
}

// In place: u and v with the square, then with the Laplacian of it, which takes its room.
TEST(CudaLevels, LetGoOfWhatNobodyReadsAgain) {
    ir::Program it = program();
    EXPECT_EQ(most_alive(it), 3);
    it.step.stages[2].code.push_back(load(kSquare, 0, 0));
    EXPECT_EQ(most_alive(it), 4);
    it.step.stages = {it.step.stages[0]};
    it.step.stages[0].stores = {{kU, 0}, {kV, 0}};
    EXPECT_EQ(most_alive(it), 2);
}

TEST(CudaLevels, MakeGhostsOfWhatIsNew) {
    const ir::Program it = program();
    EXPECT_EQ(ghosted_arrays(it, 0), (std::vector<ir::Array>{kU, kV}));
    EXPECT_EQ(ghosted_arrays(it, 1), std::vector<ir::Array>{kSquare});
    EXPECT_EQ(ghosted_arrays(it, 2), std::vector<ir::Array>{kLaplacian});
}

TEST(CudaLevels, AStepThatReachesTooFarIsNotFused) {
    ir::Program far = program();
    domain::Grid grid;
    grid.size = {512, 512, 1};
    EXPECT_EQ(stream_obstacle(far, grid), "");
    const ir::Stage again = far.step.stages[1];
    while (stream_width(false, step_reach(far)) > 0) far.step.stages.insert(far.step.stages.begin() + 1, again);
    EXPECT_EQ(step_reach(far), 61);  // 16 lanes of 4 columns on each side are all
    EXPECT_NE(stream_obstacle(far, grid), "");
}

}  // namespace levels_test
}  // namespace mottle::backend::cuda
