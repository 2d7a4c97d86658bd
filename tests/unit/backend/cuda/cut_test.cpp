// tests/unit/backend/cuda/cut_test.cpp: what the cost model of the CUDA backend chooses, and what a schedule says instead
#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/backend/cuda/emit/stream.h"
#include "mottle/backend/cuda/emit/volume.h"

#include <gtest/gtest.h>

#include <utility>

namespace mottle::backend::cuda {
namespace cut_test {

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
    ir::Program far = diffusion(1, false);
    far.step.stages[0].code[0].offset[0] = 2;
    EXPECT_EQ(choose_cut(far, grid_of(8192, 8192), {}, {}).steps, 1);
    EXPECT_NE(stream_obstacle(far, grid_of(64, 64)), "");
    EXPECT_EQ(stream_obstacle(diffusion(1, false), grid_of(64, 64)), "");
}

// Held stages are levels of a pass, too; there are no tiles where no rows beside are read.
TEST(CudaCut, FusesHeldStagesInStrips) {
    for (int stages : {2, 3, 5}) {
        for (bool f64 : {false, true}) {
            const ir::Program program = diffusion(stages, f64);
            EXPECT_EQ(fusing_obstacle(program, grid_of(8192, 8192)), "");
            const Cut cut = choose_cut(program, grid_of(8192, 8192), {}, {});
            EXPECT_TRUE(cut.fused);
            EXPECT_GE(cut.steps, stages > 3 ? 1 : 2) << stages;
            EXPECT_LE(stream_registers(program, cut.steps), kRegistersOfThree) << stages;
            EXPECT_GE(cut.chunk, 4 * cut.steps * stages) << "rows above and below a chunk are made twice";
            EXPECT_EQ(choose_cut(program, grid_of(1024, 1024), CardPlaneSchedule{.steps = 2, .tile = 4}, {}).tile.rows, 0);
            // as many steps as leave a column of a strip
            const int most = choose_cut(program, grid_of(8192, 8192), CardPlaneSchedule{.steps = 8}, {}).steps;
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
    EXPECT_GT(stream_registers(deep_diffusion(7, false), 2), kRegistersOfThree);
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
            const Cut cut =
                choose_cut(coupled, grid_of(1024, 1024), CardPlaneSchedule{.steps = 8, .tile = tile.rows, .warps = tile.warps}, {});
            EXPECT_EQ(cut.tile.rows, tile.rows);
            EXPECT_EQ(cut.tile.warps, tile.warps);
            EXPECT_EQ(cut.steps, 8);
        }
    }
    // strips that are asked for, and tiles that nothing can fill
    EXPECT_EQ(choose_cut(program, grid_of(1024, 1024), CardPlaneSchedule{.steps = 4, .strip = 32}, {}).tile.rows, 0);
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

/// `stages` times diffusion along all axes, all but the last into held arrays.
ir::Program deep_chain(int stages, bool f64) {
    ir::Program program = deep_diffusion(1, f64);
    const ir::Stage one = program.step.stages[0];
    program.step.stages.clear();
    for (int s = 0; s < stages; ++s) {
        ir::Stage stage = one;
        for (ir::Instruction& in : stage.code) {
            if (in.op == ir::Op::load) in.index = s;  // u, or what the stage before holds
        }
        stage.stores[0].first = s + 1 < stages ? s + 1 : 0;
        program.step.stages.push_back(stage);
        if (s > 0) program.arrays.push_back({"h" + std::to_string(s), ir::ArrayInfo::Kind::held, 0});
    }
    return program;
}

// The halo grows with every stage, and every stage keeps planes of what it reads beside.
TEST(CudaCut, FusesHeldStagesInVolumes) {
    for (const bool f64 : {false, true}) {
        for (const int stages : {2, 3}) {
            const ir::Program program = deep_chain(stages, f64);
            EXPECT_EQ(fusing_obstacle(program, grid_of(512, 512, 512)), "");
            const VolumeTile tile = volume_tile(program, 2);
            EXPECT_GT(tile.height(), 2 * 2 * stages);
            EXPECT_LE(volume_registers(program, 2, tile.rows) * tile.threads(), 1 << 16);
            EXPECT_EQ(volume_registers(program, 3, 1) - volume_registers(program, 2, 1), 2 * stages * 4) << "two planes of each array";
        }
        const Cut cut = choose_cut(deep_chain(2, f64), grid_of(512, 512, 512), {}, {}),
                  unfused = choose_cut(deep_chain(2, f64), grid_of(512, 512, 512), CardVolumeSchedule{.steps = 1}, {});
        EXPECT_EQ(cut.steps, 2);
        EXPECT_GE(cut.chunk, 4 * cut.steps * 2) << "planes before and behind a chunk are made twice";
        EXPECT_LT(cut.seconds, 0.75 * unfused.seconds) << "two fifths of the bytes";
    }
    // each stage reaches one cell more: beyond the rows of a tile, and beyond the columns of a warp
    EXPECT_NE(fusing_obstacle(deep_chain(16, false), grid_of(512, 512, 512)), "");
    EXPECT_NE(volume_obstacle(deep_chain(61, false), grid_of(512, 512, 512)), "");
}

Schedule asked_of(const domain::Grid& grid, const std::string& text) {
    return parse_schedule(text, grid.size[2] > 1 ? Family::card_volume : Family::card_plane);
}

// A single step of several stages is a pass where two steps take more registers or halo than they save, or where it is asked for.
TEST(CudaCut, FusesTheStagesOfOneStep) {
    for (const auto& grid : {grid_of(512, 512, 512), grid_of(2048, 2048)}) {
        for (const bool f64 : {false, true}) {
            const ir::Program two = deep_chain(2, f64), one = deep_chain(1, f64);
            EXPECT_FALSE(choose_cut(two, grid, asked_of(grid, "steps=1"), {}).fused);
            const Cut asked = choose_cut(two, grid, asked_of(grid, "steps=1 chunk=64"), {});
            EXPECT_TRUE(asked.fused);
            EXPECT_EQ(asked.steps, 1);
            EXPECT_EQ(asked.chunk, 64);
            EXPECT_FALSE(choose_cut(one, grid, asked_of(grid, "steps=1 chunk=64"), {}).fused);  // of one stage there is nothing to fuse
        }
    }
    const ir::Program four = deep_chain(4, false);
    EXPECT_EQ(volume_tile(four, 2).warps, 0);
    EXPECT_EQ(fusing_obstacle(four, grid_of(512, 512, 512)), "");
    const Cut cut = choose_cut(four, grid_of(512, 512, 512), {}, {});
    EXPECT_TRUE(cut.fused);
    EXPECT_EQ(cut.steps, 1);
}

// Whole planes and planes that stay: registers for what is held, a barrier and a halo for each stage.
TEST(CudaCut, HeldStagesTakeRegistersAndTimeOfWholePlanes) {
    for (const bool f64 : {false, true}) {
        const ir::Program one = deep_chain(1, f64);
        ir::Program two = deep_chain(2, f64);
        two.step.stages[1].code.push_back({ir::Op::load, {-1, -1, -1}, 0, {0, 0, 0}, 0});  // u is wanted again
        const WholePlane plane = whole_plane(two, grid_of(64, 64));
        ASSERT_GT(plane.warps, 0);
        EXPECT_GE(plane.warps * plane.rows, 64);
        EXPECT_GE(32 * plane.columns, 64);
        EXPECT_LE(whole_registers(two, plane.columns, plane.rows, plane.ring) * plane.threads() * plane.blocks, 1 << 16);
        const int words = f64 ? 2 : 1;
        EXPECT_EQ(whole_registers(two, 2, 9, true) - whole_registers(two, 2, 8, true), 2 * 2 * words);
        EXPECT_EQ(whole_registers(one, 2, 9, true) - whole_registers(one, 2, 8, true), 2 * words);
        EXPECT_GE(whole_seconds(two, plane, 132, {}), 2 * whole_seconds(one, plane, 132, {}));
        for (const int steps : {2, 4}) {
            const std::vector<PersistentCut> cuts = persistent_cuts(two, grid_of(256, 256), steps, 132);
            EXPECT_FALSE(cuts.empty());
            for (const PersistentCut& cut : cuts) {
                EXPECT_EQ(cut.tile.reach, 2 * steps);
                EXPECT_LE(cut.chunk_rows + 2 * 2 * steps, cut.tile.height());
                EXPECT_GE(cut.tile.halo() * cut.tile.columns, 2 * steps);
            }
        }
        const Cut stays = choose_cut(two, grid_of(256, 256), CardPlaneSchedule{.steps = 4, .strip = 0}, {}),
                  alone = choose_cut(one, grid_of(256, 256), CardPlaneSchedule{.steps = 4, .strip = 0}, {});
        EXPECT_GT(stays.persistent.tile.warps, 0);
        EXPECT_GT(stays.seconds, alone.seconds);
    }
}

TEST(CudaCut, VolumesThatCannotFuseTakeALaunchPerStep) {
    const auto steps = [](const ir::Program& program) {
        const CardVolumeSchedule schedule{.steps = 3};
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
    CardPlaneSchedule schedule{.steps = 3, .strip = 40};
    const Cut cut = choose_cut(diffusion(1, false), grid_of(100, 90), schedule, {});
    EXPECT_EQ(cut.steps, 3);
    EXPECT_EQ(cut.chunk, 40);
    schedule.strip = 1000;
    EXPECT_EQ(choose_cut(diffusion(1, false), grid_of(100, 90), schedule, {}).chunk, 90);
    schedule = {.steps = 1};
    EXPECT_EQ(choose_cut(diffusion(1, false), grid_of(8192, 8192), schedule, {}).steps, 1);
    schedule = {.steps = 500};
    EXPECT_LE(choose_cut(diffusion(1, false), grid_of(8192, 8192), schedule, {}).steps, 8);
}

TEST(CudaCut, PassesOfDoublesEndOnTheStepsThatFlush) {
    ir::Program program = diffusion(1, true);
    program.flush_step = program.step;
    const int steps = choose_cut(program, grid_of(8192, 8192), {}, {}).steps;
    EXPECT_GT(steps, 1);
    EXPECT_EQ(8 % steps, 0);
}

// The warps of a border come behind the others, few of them, with all the latency of their chunk.
TEST(CudaCut, ABorderTakesItsTime) {
    const ir::Program program = deep_diffusion(2, false);
    const domain::Grid whole = grid_of(4096, 4096), broken = grid_of(4098, 4096);
    domain::Grid closed = whole;
    for (domain::Boundary& side : closed.sides) side.rule = domain::Rule::no_flux;
    EXPECT_TRUE(has_no_border(program, whole));
    EXPECT_FALSE(has_no_border(program, broken));
    EXPECT_FALSE(has_no_border(program, closed));
    const CardPlaneSchedule schedule{.steps = 4, .strip = 128};
    const double alone = choose_cut(program, whole, schedule, {}).seconds;
    for (const domain::Grid& grid : {broken, closed}) EXPECT_GT(choose_cut(program, grid, schedule, {}).seconds, 1.1 * alone);
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

}  // namespace cut_test
}  // namespace mottle::backend::cuda
