// tests/unit/backend/cuda/cut_test.cpp: what the cost model of the CUDA backend chooses, and what a schedule says instead
#include "mottle/backend/cuda/cut.h"
#include "mottle/backend/cuda/emit_stream.h"
#include "mottle/backend/cuda/emit_volume.h"

#include <gtest/gtest.h>

#include <utility>

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
    EXPECT_EQ(choose_cut(diffusion(2, false), grid_of(256, 256, 256), {}, {}).steps, 1);
    EXPECT_NE(fusing_obstacle(diffusion(2, false), grid_of(256, 256, 256)), "");
    ir::Program far = diffusion(1, false);
    far.step.stages[0].code[0].offset[0] = 2;
    EXPECT_EQ(choose_cut(far, grid_of(8192, 8192), {}, {}).steps, 1);
    EXPECT_NE(stream_obstacle(far, grid_of(64, 64)), "");
    EXPECT_EQ(stream_obstacle(diffusion(1, false), grid_of(64, 64)), "");
}

// Held stages are levels of a pass, too; tiles know nothing of them.
TEST(CudaCut, FusesHeldStagesInStrips) {
    for (int stages : {2, 3, 5}) {
        for (bool f64 : {false, true}) {
            const ir::Program program = diffusion(stages, f64);
            EXPECT_EQ(fusing_obstacle(program, grid_of(8192, 8192)), "");
            const Cut cut = choose_cut(program, grid_of(8192, 8192), {}, {});
            EXPECT_GE(cut.steps, 2) << stages;
            EXPECT_LE(stream_registers(program, cut.steps), kRegistersOfThree) << stages;
            EXPECT_GE(cut.chunk, 4 * cut.steps * stages) << "rows above and below a chunk are made twice";
            EXPECT_EQ(choose_cut(program, grid_of(1024, 1024), {.steps = 2, .rows = 4}, {}).tile.rows, 0);
            // as many steps as leave a column of a strip
            const int most = choose_cut(program, grid_of(8192, 8192), {.steps = 8}, {}).steps;
            EXPECT_GT(stream_width(f64, stages * most), 0);
            EXPECT_TRUE(most == 8 || stream_width(f64, stages * (most + 1)) <= 0) << most;
        }
    }
}

/// Diffusion along all axes of `fields` fields; `diagonal`: one of the neighbours is one along x and z.
ir::Program deep_diffusion(int fields, bool f64, bool diagonal = false) {
    ir::Program program;
    program.f64 = f64;
    program.ghosts.resize(1);
    ir::Stage stage{"stage", {}, {}};
    for (int f = 0; f < fields; ++f) {
        program.arrays.push_back({"u" + std::to_string(f), ir::ArrayInfo::Kind::state, 0});
        const auto first = static_cast<ir::Value>(stage.code.size());
        for (std::size_t d = 0; d < 3; ++d) {
            for (std::int8_t side : std::initializer_list<std::int8_t>{-1, 1}) {
                ir::Instruction load{ir::Op::load, {-1, -1, -1}, f, {0, 0, 0}, 0};
                load.offset[d] = side;
                if (diagonal && d == 0) load.offset[2] = 1;
                stage.code.push_back(load);
            }
        }
        stage.code.push_back({ir::Op::fma, {first, first + 1, first + 2}, 0, {0, 0, 0}, 0});
        stage.code.push_back({ir::Op::fma, {first + 3, first + 4, first + 6}, 0, {0, 0, 0}, 0});
        stage.code.push_back({ir::Op::add, {first + 5, first + 7, -1}, 0, {0, 0, 0}, 0});
        stage.stores.emplace_back(f, first + 8);
    }
    program.step.stages.push_back(stage);
    return program;
}

// Two steps with two warps on a scheduler rather than a launch per stage; more only with three.
TEST(CudaCut, TakesRegistersOfAWarpForTwoStepsOfManyFields) {
    for (int fields = 4; fields <= 9; ++fields) {  // too many for tiles
        const ir::Program program = deep_diffusion(fields, false);
        const int registers = stream_registers(program, 2), steps = choose_cut(program, grid_of(8192, 8192), {}, {}).steps;
        EXPECT_EQ(steps == 1, registers > kRegistersOfTwo) << fields;
        EXPECT_TRUE(steps <= 2 || stream_registers(program, steps) <= kRegistersOfThree) << fields;
    }
    EXPECT_GT(stream_registers(deep_diffusion(9, false), 2), kRegistersOfTwo);
    EXPECT_GT(stream_registers(deep_diffusion(6, false), 2), kRegistersOfThree);
}

TEST(CudaCut, TakesTilesForPlanesOfMediumSize) {
    const ir::Program program = deep_diffusion(2, false);
    EXPECT_GT(choose_cut(program, grid_of(1024, 1024), {}, {}).tile.rows, 0);
    EXPECT_EQ(choose_cut(program, grid_of(16384, 16384), {}, {}).tile.rows, 0);
    EXPECT_EQ(choose_cut(program, grid_of(16384, 16384), {}, {}).chunk % 8, 0);
    for (int fields : {1, 2, 3, 4, 9}) {
        const ir::Program coupled = deep_diffusion(fields, false);
        const std::vector<PlaneTile> tiles = plane_tiles(coupled);
        EXPECT_EQ(tiles.empty(), fields > 3) << "the rows that warps exchange take all of the shared memory";
        int height = 0;
        for (const PlaneTile& tile : tiles) {
            EXPECT_GT(tile.height(), std::exchange(height, tile.height()));
            EXPECT_LE(tile_registers(coupled, tile.rows) * tile.threads() * tile.blocks, 1 << 16) << fields;
            EXPECT_LE(exchange_bytes(coupled, tile.rows, tile.warps), 48 * 1024) << fields;
            const Cut cut = choose_cut(coupled, grid_of(1024, 1024), {.steps = 8, .rows = tile.rows, .parts = tile.warps}, {});
            EXPECT_EQ(cut.tile.rows, tile.rows);
            EXPECT_EQ(cut.tile.warps, tile.warps);
            EXPECT_EQ(cut.steps, 8);
        }
    }
    // strips that are asked for, and tiles that nothing can fill
    EXPECT_EQ(choose_cut(program, grid_of(1024, 1024), {.steps = 4, .chunk = 32}, {}).tile.rows, 0);
    ir::Program alone = program;
    for (ir::Instruction& in : alone.step.stages[0].code) in.offset = {0, 0, 0};
    EXPECT_TRUE(plane_tiles(alone).empty());
}

TEST(CudaCut, FusesVolumesWithinTheRegisters) {
    for (int fields : {1, 2, 3}) {
        const ir::Program program = deep_diffusion(fields, false);
        EXPECT_EQ(fusing_obstacle(program, grid_of(512, 512, 512)), "");
        const Cut cut = choose_cut(program, grid_of(512, 512, 512), {}, {});
        EXPECT_GE(cut.steps, 2) << fields;
        EXPECT_GE(cut.chunk, 4 * cut.steps) << "planes before and behind a chunk are made twice";
        const VolumeTile tile = volume_tile(program, cut.steps);
        EXPECT_LE(volume_registers(program, cut.steps, tile.rows) * tile.threads(), 1 << 16) << fields;
        EXPECT_LE(exchange_bytes(program, tile.rows, tile.warps), 48 * 1024) << fields;
        EXPECT_GT(tile.height(), 2 * cut.steps) << fields;
    }
    const int steps = choose_cut(deep_diffusion(2, true), grid_of(256, 256, 256), {}, {}).steps;
    EXPECT_EQ(8 % steps, 0) << steps;
}

TEST(CudaCut, VolumesThatCannotFuseTakeALaunchPerStep) {
    const auto steps = [](const ir::Program& program) {
        Schedule schedule;
        schedule.steps = 3;
        return choose_cut(program, grid_of(512, 512, 512), schedule, {}).steps;
    };
    EXPECT_EQ(steps(deep_diffusion(1, false)), 3);
    EXPECT_EQ(steps(deep_diffusion(1, false, true)), 1);  // two axes at once
    EXPECT_EQ(steps(deep_diffusion(9, false)), 1);        // nine fields in registers
    EXPECT_NE(fusing_obstacle(deep_diffusion(9, false), grid_of(512, 512, 512)), "");
    EXPECT_NE(fusing_obstacle(deep_diffusion(1, false), grid_of(65536, 65536, 2)), "");
    EXPECT_EQ(choose_cut(deep_diffusion(1, false), grid_of(512, 512, 1), {}, {}).steps > 1, true);
}

// Every cell is stored by one block, and inner strips read whole vectors inside the grid.
TEST(CudaCut, StripsAndTilesCoverAVolume) {
    for (bool wraps : {false, true}) {
        for (bool f64 : {false, true}) {
            for (int steps : {1, 2, 3, 4}) {
                for (domain::Index nx : {1, 4, 120, 250, 512, 1001}) {
                    domain::Grid grid = grid_of(nx, 77, 31);
                    if (!wraps) {
                        for (auto& side : grid.sides) side.rule = domain::Rule::no_flux;
                    }
                    const VolumeTile tile{2, 12};
                    const VolumeShape shape = volume_shape(grid, f64, steps, tile, 8, 1024);
                    const int width = stream_width(f64, steps), halo = (32 * stream_columns(f64) - width) / 2;
                    EXPECT_GE(shape.strips * width, nx);
                    EXPECT_GE(shape.tiles * (tile.height() - 2 * steps), 77);
                    EXPECT_GE(shape.chunks * 8, 31);
                    const bool whole = wraps && nx % stream_columns(f64) == 0;
                    if (whole) {
                        EXPECT_EQ(shape.inner_strips, shape.strips);
                    }
                    if (whole || shape.inner_strips == 0) continue;
                    EXPECT_GE(shape.first_strip * width - halo, 0);
                    EXPECT_LE((shape.first_strip + shape.inner_strips) * width + halo, nx);
                }
            }
        }
    }
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
