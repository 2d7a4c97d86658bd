// tests/conformance/cuda/held_compile_test.cpp: NVRTC on steps with held stages: registers, spills, and that nothing is made twice; no card needed
#include "conformance/cuda/compiled.h"
#include "conformance/cuda/held_cases.h"
#include "conformance/cuda/machine_code.h"
#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/backend/cuda/emit/stream.h"
#include "mottle/backend/cuda/emit/volume.h"

#include <gtest/gtest.h>

#include <optional>

namespace conformance {
namespace held_compile_test {

using namespace mottle;
using backend::cuda::Compiled;

class CudaCompileHeld : public NvrtcTest {};

constexpr const char* kLibrary[] = {"swift-hohenberg", "cahn-hilliard", "kuramoto-sivashinsky"};

/// Fused sums of a cell and step; `flush`: and of the stage that is another one where a step flushes.
std::size_t fused_sums(const ir::Program& program, bool flush = false) {
    std::size_t count = 0;
    auto add = [&](const ir::Stage& stage) {
        for (const ir::Instruction& in : stage.code) count += in.op == ir::Op::fma ? 1 : 0;
    };
    for (const ir::Stage& stage : program.step.stages) add(stage);
    if (flush && program.flush_step) add(program.flush_step->stages.back());
    return count;
}

std::string fused(bool f64) { return f64 ? "fma.rn.f64" : "fma.rn.ftz.f32"; }

/// What is held never leaves the registers: a kernel gets no address but u's.
void expect_u_alone(const backend::cuda::ModuleText& module, const std::string& what) {
    using Kind = backend::cuda::Argument::Kind;
    for (const backend::cuda::KernelText& kernel : module.kernels) {
        for (const backend::cuda::Argument& argument : kernel.arguments)
            EXPECT_TRUE(argument.index == 0 || (argument.kind != Kind::load && argument.kind != Kind::store)) << what;
    }
}

// Registers of `inner` by steps, as recorded in docs/notes/cuda.md, with what another ptxas may add.
TEST_P(CudaCompileHeld, RegistersOfHeldStages) {
    struct Limit {
        const char* model;
        int steps, registers;  ///< of `inner`
        bool f64;
    };
    for (const Limit& limit :
         {Limit{"swift-hohenberg", 2, 96, false}, Limit{"swift-hohenberg", 4, 148, false}, Limit{"swift-hohenberg", 6, 168, false},
          Limit{"swift-hohenberg", 8, 240, false}, Limit{"swift-hohenberg", 4, 168, true}, Limit{"cahn-hilliard", 2, 96, false},
          Limit{"cahn-hilliard", 6, 168, false}, Limit{"kuramoto-sivashinsky", 4, 168, false}}) {
        const Lowered it = lowered(limit.model, "4096x4096", limit.f64);
        ASSERT_EQ(it.program.step.stages.size(), 2u);
        const backend::cuda::ModuleText module = backend::cuda::emit_stream(it.program, it.grid(), limit.steps, false);
        const std::string what = std::string(limit.model) + ", " + std::to_string(limit.steps) + " steps" + (limit.f64 ? ", f64" : "");
        expect_u_alone(module, what);
        const Compiled compiled = backend::cuda::compile_text(module.text, GetParam());
        expect_exact(module.text, compiled.ptx, what, static_cast<std::size_t>(2 * limit.steps));
        const auto costs = costs_of(compiled);
        RecordProperty(what, costs.at("inner").registers);
        EXPECT_EQ(costs.at("inner").spills, 0) << what;
        EXPECT_LE(costs.at("inner").registers, limit.registers) << what;
        // every operation once for each of the columns, steps and two rows of the loop: nothing is made twice
        EXPECT_EQ(count(compiled.ptx, fused(limit.f64)),
                  fused_sums(it.program) * static_cast<std::size_t>(2 * limit.steps * backend::cuda::stream_columns(limit.f64)))
            << what;
        // one row of u is stored for each that comes in: 16 bytes of a lane at once
        EXPECT_EQ(count(compiled.ptx, "st.global"), 2u) << what;
        const Lowered closed = lowered(limit.model, "4096x4096", limit.f64, "no-flux");
        const auto beside = costs_of(
            backend::cuda::compile_text(backend::cuda::emit_stream(closed.program, closed.grid(), limit.steps, false).text, GetParam()));
        RecordProperty(what + ", border", beside.at("border").registers);
        EXPECT_EQ(beside.at("inner").spills, 0) << what;
        EXPECT_LE(beside.at("border").registers, 255) << what;
        EXPECT_LE(beside.at("border").spills, limit.steps > 6 ? 4 * kSpills : kSpills) << what;  // nobody takes 8 unasked
    }
}

// What the cost model takes of models typed in, with two fields, one held stage or two, and maps: two warps on a scheduler where three do not hold it.
TEST_P(CudaCompileHeld, HeldStagesOfTwoFields) {
    for (const char* model : {kHeld, kHeldTwice, kTripleLaplacian}) {
        for (const char* boundary : {"periodic", "no-flux"}) {
            for (const bool f64 : {false, true}) {
                const Lowered it = lowered(model, "4096x4096", f64, boundary);
                const backend::cuda::Cut cut = backend::cuda::choose_cut(it.program, it.grid(), {}, {});
                const std::string what = std::string(model).substr(0, 60) + boundary + (f64 ? ", f64" : ", f32");
                ASSERT_GE(cut.steps, 2) << what;
                const std::string text = backend::cuda::emit_pass(it.program, it.grid(), cut, cut.steps, f64).text;
                const auto costs = costs_of(backend::cuda::compile_text(text, GetParam()));
                if (cut.tile.rows > 0) {
                    EXPECT_LE(costs.at("tile").registers * cut.tile.threads() * cut.tile.blocks, 1 << 16) << what;
                    EXPECT_LE(costs.at("tile").spills, kTileSpills) << what;
                    continue;
                }
                const bool three = backend::cuda::stream_registers(it.program, cut.steps) <= backend::cuda::kRegistersOfThree;
                EXPECT_LE(costs.at("inner").registers, three ? backend::cuda::kRegistersOfThree : 255) << what;
                for (const auto& [kernel, cost] : costs) {
                    RecordProperty(what + kernel, cost.registers);
                    // ghosts come on top at a border, where few warps are
                    EXPECT_LE(cost.spills, kernel == "inner" ? kSpills : 3 * kSpills) << what << ", " << kernel;
                }
            }
        }
    }
}

TEST_P(CudaCompileHeld, RegistersOfTiles) {
    for (const char* model : kLibrary) {
        for (const auto& [f64, boundary] : {std::pair{false, "periodic"}, {false, "no-flux"}, {true, "periodic"}}) {
            const Lowered it = lowered(model, "1024x1024", f64, boundary);
            const std::vector<backend::cuda::PlaneTile> tiles = backend::cuda::plane_tiles(it.program);
            EXPECT_EQ(tiles.size(), 4u) << model;
            for (const backend::cuda::PlaneTile& tile : tiles) {
                const backend::cuda::ModuleText module = backend::cuda::emit_tile(it.program, it.grid(), 3, false, tile);
                const Compiled compiled = backend::cuda::compile_text(module.text, GetParam());
                const std::string what =
                    std::string(model) + ", " + std::to_string(tile.height()) + " rows, " + boundary + (f64 ? ", f64" : ", f32");
                expect_u_alone(module, what);
                const auto costs = costs_of(compiled);
                const Cost& cost = costs.at("tile");
                RecordProperty(what, cost.registers);
                EXPECT_LE(cost.registers * tile.threads() * tile.blocks, 1 << 16) << what;
                // ghosts come on top at a border
                EXPECT_LE(cost.spills, boundary == std::string("periodic") ? 0 : 2 * kSpills) << what;
                const auto cells = static_cast<std::size_t>(tile.rows * backend::cuda::stream_columns(f64));
                EXPECT_EQ(count(compiled.ptx, fused(f64)), fused_sums(it.program) * cells * (boundary == std::string("periodic") ? 1 : 2))
                    << what;
            }
        }
    }
}

// Whole planes: those of a multiprocessor are all there are for its blocks.
TEST_P(CudaCompileHeld, RegistersOfWholePlanes) {
    struct Limit {
        const char *model, *size, *boundary;
        bool f64;
        int registers;
    };
    for (const Limit& limit :
         {Limit{"swift-hohenberg", "64x64", "periodic", false, 72}, Limit{"swift-hohenberg", "64x64", "no-flux", false, 80},
          Limit{"swift-hohenberg", "128x128", "periodic", false, 224}, Limit{"swift-hohenberg", "128x128", "no-flux", false, 255},
          Limit{"swift-hohenberg", "64x64", "periodic", true, 240}, Limit{"cahn-hilliard", "64x64", "periodic", false, 64},
          Limit{"cahn-hilliard", "128x128", "periodic", false, 208}, Limit{"kuramoto-sivashinsky", "128x128", "periodic", false, 255}}) {
        const Lowered it = lowered(limit.model, limit.size, limit.f64, limit.boundary);
        const std::string what = std::string(limit.model) + ", " + limit.size + ", " + limit.boundary + (limit.f64 ? ", f64" : ", f32");
        const backend::cuda::WholePlane plane = backend::cuda::whole_plane(it.program, it.grid());
        ASSERT_GT(plane.warps, 0) << what;
        EXPECT_EQ(backend::cuda::member_layout(it.program).arrays.size(), 1u) << what;  // u alone
        const Compiled compiled = backend::cuda::compile_text(backend::cuda::emit_whole(it.program, it.grid(), plane).text, GetParam());
        const Cost cost = costs_of(compiled).at("whole");
        RecordProperty(what, cost.registers);
        EXPECT_LE(cost.registers, limit.registers) << what;
        EXPECT_LE(cost.registers * plane.threads() * plane.blocks, 1 << 16) << what;
        EXPECT_EQ(cost.spills, 0) << what;
        EXPECT_EQ(count(compiled.ptx, fused(limit.f64)),
                  fused_sums(it.program, true) * static_cast<std::size_t>(plane.rows * plane.columns))
            << what;
    }
}

// Planes that stay: one block has a multiprocessor for itself. Packets are of u.
TEST_P(CudaCompileHeld, RegistersOfPersistentKernels) {
    struct Limit {
        const char *model, *size, *boundary;
        bool f64;
        int registers;
    };
    for (const Limit& limit :
         {Limit{"swift-hohenberg", "256x256", "periodic", false, 104}, Limit{"swift-hohenberg", "512x512", "periodic", false, 112},
          Limit{"swift-hohenberg", "1024x1024", "periodic", false, 168}, Limit{"swift-hohenberg", "1024x1024", "no-flux", false, 168},
          Limit{"swift-hohenberg", "512x512", "periodic", true, 184}, Limit{"cahn-hilliard", "512x512", "periodic", false, 112},
          Limit{"kuramoto-sivashinsky", "1024x1024", "periodic", false, 255}}) {
        const Lowered it = lowered(limit.model, limit.size, limit.f64, limit.boundary);
        const std::string what = std::string(limit.model) + ", " + limit.size + ", " + limit.boundary + (limit.f64 ? ", f64" : ", f32");
        const backend::cuda::Cut cut =
            backend::cuda::choose_cut(it.program, it.grid(), backend::parse_schedule("chunk=0", backend::Family::card_plane), {});
        const backend::cuda::PersistentTile tile = cut.persistent.tile;
        ASSERT_GT(tile.warps, 0) << what;
        const backend::cuda::ModuleText module = backend::cuda::emit_persistent(it.program, it.grid(), tile);
        expect_u_alone(module, what);
        const Compiled compiled = backend::cuda::compile_text(module.text, GetParam());
        const Cost cost = costs_of(compiled).at("persistent");
        RecordProperty(what, cost.registers);
        EXPECT_LE(cost.registers, limit.registers) << what;
        EXPECT_LE(cost.registers * tile.threads(), 1 << 16) << what;
        EXPECT_EQ(cost.spills, 0) << what;
        const auto cells = static_cast<std::size_t>(tile.rows * tile.columns);
        EXPECT_EQ(count(compiled.ptx, fused(limit.f64)), fused_sums(it.program, true) * cells) << what;
        EXPECT_EQ(count(compiled.ptx, "st.relaxed.gpu.global.v2.b64"), cells) << what;
    }
}

// Volumes, by steps: the tile takes the registers that there are for a thread, so spills are what is limited.
TEST_P(CudaCompileHeld, RegistersOfVolumes) {
    struct Limit {
        const char* model;
        int steps, rows, warps;
    };
    for (const Limit& limit :
         {Limit{"swift-hohenberg", 2, 4, 8}, Limit{"swift-hohenberg", 3, 2, 12}, Limit{"cahn-hilliard", 2, 2, 16},
          Limit{"cahn-hilliard", 3, 2, 12}, Limit{"kuramoto-sivashinsky", 1, 3, 12}, Limit{"kuramoto-sivashinsky", 2, 2, 12}}) {
        for (const auto& [f64, boundary] : {std::pair{false, "periodic"}, {false, "no-flux"}, {true, "periodic"}}) {
            const Lowered it = lowered(limit.model, "256x256x256", f64, boundary);
            const std::string where =
                std::string(limit.model) + ", " + std::to_string(limit.steps) + " steps, " + boundary + (f64 ? ", f64" : ", f32");
            const backend::cuda::VolumeTile tile = backend::cuda::volume_tile(it.program, limit.steps);
            EXPECT_EQ(tile.rows, limit.rows) << where;
            EXPECT_EQ(tile.warps, limit.warps) << where;
            const backend::cuda::ModuleText module = backend::cuda::emit_volume(it.program, it.grid(), limit.steps, false, tile);
            expect_u_alone(module, where);
            const Compiled compiled = backend::cuda::compile_text(module.text, GetParam());
            const auto costs = costs_of(compiled);
            for (const auto& [kernel, cost] : costs) {
                const std::string what = where + ", " + kernel;
                RecordProperty(what, cost.registers);
                EXPECT_LE(cost.registers * tile.threads(), 1 << 16) << what;
                // rows beside a border come on top
                EXPECT_LE(cost.spills, boundary == std::string("periodic") ? 0 : 2 * kSpills) << what;
            }
            const auto cells = static_cast<std::size_t>(2 * limit.steps * tile.rows * backend::cuda::stream_columns(f64));
            EXPECT_EQ(count(compiled.ptx, fused(f64)), fused_sums(it.program) * cells * costs.size()) << where;
            const std::optional<int> loop = shuffling_loop(compiled.cubin, "inner", GetParam().major);
            ASSERT_TRUE(loop) << where;
            RecordProperty(where + ", instructions", *loop);
            if (!f64 && boundary == std::string("periodic")) {
                EXPECT_LE(static_cast<double>(*loop) / static_cast<double>(cells), 41) << where;
            }
        }
    }
}

// Models typed in, with two fields or three stages, a map and coordinates, and methods of several stages: what is offered of them spills a few words at
// most.
TEST_P(CudaCompileHeld, ModelsTypedIn) {
    int offered = 0;
    for (const std::string& model : {std::string(kHeld), std::string(kHeldPair), std::string(kTripleLaplacian),
                                     by_method(kGrayScott, "midpoint"), by_method(kGrayScott, "rk4")}) {
        for (const auto& [f64, boundary] : {std::pair{false, "periodic"}, {false, "no-flux"}, {true, "periodic"}}) {
            const std::string what = model.substr(13, 50) + boundary + (f64 ? ", f64" : ", f32");
            auto expect = [&](const std::string& kind, const std::string& text) {
                ++offered;
                for (const auto& [kernel, cost] : costs_of(backend::cuda::compile_text(text, GetParam()))) {
                    RecordProperty(what + kind + kernel, cost.registers);
                    EXPECT_LE(cost.spills, 3 * kSpills) << what << ", " << kind << ", " << kernel;
                }
            };
            const Lowered small = lowered(model, "64x64", f64, boundary), medium = lowered(model, "256x256", f64, boundary);
            const backend::cuda::WholePlane plane = backend::cuda::whole_plane(small.program, small.grid());
            if (plane.warps > 0) expect("whole", backend::cuda::emit_whole(small.program, small.grid(), plane).text);
            const backend::cuda::PersistentTile tile =
                backend::cuda::choose_cut(medium.program, medium.grid(), backend::parse_schedule("chunk=0", backend::Family::card_plane),
                                          {})
                    .persistent.tile;
            if (tile.warps > 0) expect("stays", backend::cuda::emit_persistent(medium.program, medium.grid(), tile).text);
            for (const char* size : {"4096x4096", "512x512x512"}) {
                const Lowered large = lowered(model, size, f64, boundary);
                const backend::cuda::Cut cut = backend::cuda::choose_cut(large.program, large.grid(), {}, {});
                if (!cut.fused || (large.grid().size[2] == 1 && model.find("[method]") == std::string::npos)) continue;
                RecordProperty(what + size + " steps", cut.steps);
                expect(size, backend::cuda::emit_pass(large.program, large.grid(), cut, cut.steps, false).text);
            }
        }
    }
    EXPECT_GE(offered, 35);
}

INSTANTIATE_TEST_SUITE_P(Nvrtc, CudaCompileHeld, testing::Values(backend::cuda::Architecture{8, 0}, backend::cuda::Architecture{9, 0}),
                         [](const auto& each) { return each.param.name(); });

}  // namespace held_compile_test
}  // namespace conformance
