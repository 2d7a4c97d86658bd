// tests/unit/backend/cuda/cut_test.cpp: what the cost model of the CUDA backend chooses, and what a schedule says instead
#include "mottle/backend/cuda/cut.h"
#include "mottle/backend/cuda/emit_stream.h"

#include <gtest/gtest.h>

namespace mottle::backend::cuda {
namespace {

/// u diffuses; `stages` of the same kind, all but the last into held arrays.
ir::Program diffusion(int stages, bool f64) {
    ir::Program program;
    program.f64 = f64;
    program.ghosts.resize(1);
    program.arrays.push_back({"u", ir::ArrayInfo::Kind::state, 0});
    for (int s = 1; s < stages; ++s) program.arrays.push_back({"h" + std::to_string(s), ir::ArrayInfo::Kind::held, 0});
    for (int s = 0; s < stages; ++s) {
        ir::Stage stage{"stage", {}, {{s + 1 < stages ? s + 1 : 0, 3}}};
        for (std::int8_t dx : std::initializer_list<std::int8_t>{-1, 0, 1})
            stage.code.push_back({ir::Op::load, {-1, -1, -1}, 0, {dx, 0, 0}, 0});
        stage.code.push_back({ir::Op::fma, {0, 1, 2}, 0, {0, 0, 0}, 0});
        program.step.stages.push_back(stage);
    }
    return program;
}

domain::Grid grid_of(domain::Index nx, domain::Index ny, domain::Index nz = 1) {
    domain::Grid grid;
    grid.size = {nx, ny, nz};
    return grid;
}

TEST(CudaCut, FusesLargePlanesWithinTheRegisters) {
    const ir::Program program = diffusion(1, false);
    const Cut cut = choose_cut(program, grid_of(8192, 8192), {}, {});
    EXPECT_GE(cut.steps, 4);
    EXPECT_LE(stream_registers(program, cut.steps), kRegistersOfThree);
    EXPECT_GE(cut.chunk, 4 * cut.steps) << "rows above and below a chunk are made twice";
}

TEST(CudaCut, LaunchesWhatCannotFuseStageByStage) {
    EXPECT_EQ(choose_cut(diffusion(2, false), grid_of(8192, 8192), {}, {}).steps, 1);
    EXPECT_EQ(choose_cut(diffusion(1, false), grid_of(256, 256, 256), {}, {}).steps, 1);
    EXPECT_NE(stream_obstacle(diffusion(2, false), grid_of(64, 64)), "");
    EXPECT_EQ(stream_obstacle(diffusion(1, false), grid_of(64, 64)), "");
}

TEST(CudaCut, DoesWhatTheScheduleSays) {
    Schedule schedule;
    schedule.steps = 3;
    schedule.chunk = 40;
    const Cut cut = choose_cut(diffusion(1, false), grid_of(100, 90), schedule, {});
    EXPECT_EQ(cut.steps, 3);
    EXPECT_EQ(cut.chunk, 40);
    schedule.chunk = 1000;
    EXPECT_EQ(choose_cut(diffusion(1, false), grid_of(100, 90), schedule, {}).chunk, 90);
    schedule.steps = 1;
    EXPECT_EQ(choose_cut(diffusion(1, false), grid_of(8192, 8192), schedule, {}).steps, 1);
    schedule.steps = 500;
    EXPECT_LE(choose_cut(diffusion(1, false), grid_of(8192, 8192), schedule, {}).steps, 8);
}

TEST(CudaCut, PassesOfDoublesEndOnTheStepsThatFlush) {
    ir::Program program = diffusion(1, true);
    program.flush_step = program.step;
    const int steps = choose_cut(program, grid_of(8192, 8192), {}, {}).steps;
    EXPECT_GT(steps, 1);
    EXPECT_EQ(8 % steps, 0);
}

// Every cell is made by one warp: inner ones by a rectangle of warps that touches no border.
TEST(CudaCut, InnerWarpsReadInsideTheGrid) {
    for (bool f64 : {false, true}) {
        for (int steps : {1, 3, 6, 8}) {
            for (domain::Index nx : {1, 112, 130, 500, 1000}) {
                const StreamShape shape = stream_shape(grid_of(nx, 100), f64, steps, 16, 1024);
                const int width = stream_width(f64, steps), halo = (32 * stream_columns(f64) - width) / 2;
                EXPECT_GE(shape.strips * width, nx);
                EXPECT_GE(shape.chunks * 16, 100);
                if (shape.inner_strips == 0) continue;
                EXPECT_GE(shape.first_strip * width - halo, 0);
                EXPECT_LE((shape.first_strip + shape.inner_strips) * width + halo, nx);
                EXPECT_GE(shape.first_chunk * 16 - steps, 0);
                EXPECT_LE((shape.first_chunk + shape.inner_chunks) * 16 + steps, 100);
            }
        }
    }
}

}  // namespace
}  // namespace mottle::backend::cuda
