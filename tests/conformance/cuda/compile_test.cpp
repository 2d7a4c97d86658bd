// tests/conformance/cuda/compile_test.cpp: NVRTC on every kind of text: registers, spills, and the arithmetic that PTX spells out; no card needed
#include "conformance/cuda/cases.h"
#include "conformance/cuda/compiled.h"
#include "conformance/cuda/machine_code.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/backend/cuda/device/compile.h"
#include "mottle/backend/cuda/read_out/emit_draw.h"
#include "mottle/backend/cuda/mesh/emit_mesh.h"
#include "mottle/backend/cuda/mesh/emit_patches.h"
#include "mottle/backend/cuda/emit/persistent.h"
#include "mottle/backend/cuda/read_out/emit_statistics.h"
#include "mottle/backend/cuda/emit/stream.h"
#include "mottle/backend/cuda/read_out/emit_surface.h"
#include "mottle/backend/cuda/emit/unfused.h"
#include "mottle/backend/cuda/emit/volume.h"
#include "mottle/backend/cuda/emit/whole.h"
#include "mottle/backend/cuda/grid/kernel.h"
#include "mottle/core/error.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/field/tensors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>
#include <algorithm>

namespace conformance {
namespace compile_test {

using namespace mottle;
using backend::cuda::Architecture;
using backend::cuda::Compiled;

std::vector<std::pair<std::string, std::string>> models_and_sizes() {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& model : library()) {
        for (const char* size : {"1024x1024", "4096x4096"}) pairs.emplace_back(model, size);
    }
    return pairs;
}

class CudaCompile : public NvrtcTest {};
/// All models of the library, for the newer architecture alone: both have as many registers, and what the older one lacks the other tests show.
class CudaCompileLibrary : public NvrtcTest {};

TEST_P(CudaCompileLibrary, UnfusedKernelsOfTheLibrary) {
    for (const std::string& model : library()) {
        for (bool f64 : {false, true}) {
            const Lowered it = lowered(model, "512x512", f64);
            const std::string text = backend::cuda::emit_unfused(it.program, it.grid()).text;
            const Compiled compiled = backend::cuda::compile_text(text, GetParam());
            expect_exact(text, compiled.ptx, model, backend::cuda::kUnfusedRows);
            const auto costs = costs_of(compiled);
            EXPECT_EQ(costs.size(), it.program.step.stages.size() + (it.program.flush_step ? it.program.flush_step->stages.size() : 0))
                << model << compiled.log;
            for (const auto& [kernel, cost] : costs) {
                RecordProperty(model + "_" + kernel + (f64 ? "_f64" : "_f32"), cost.registers);
                EXPECT_EQ(cost.spills, 0) << model << " " << kernel;
                EXPECT_GT(cost.registers, 0) << model << " " << kernel;
                EXPECT_LE(cost.registers, 64) << model << " " << kernel << (f64 ? " f64" : "");
            }
        }
    }
}

// Registers of `inner` for Gray-Scott by steps, as recorded in docs/notes/cuda.md, with what another ptxas may add.
TEST_P(CudaCompile, RegistersOfGrayScott) {
    struct Limit {
        int steps, registers;
        bool f64;
    };
    for (const Limit& limit :
         {Limit{2, 112, false}, Limit{4, 168, false}, Limit{6, 168, false}, Limit{8, 255, false}, Limit{4, 168, true}}) {
        const Lowered it = lowered("gray-scott", "4096x4096", limit.f64);
        const std::string text = backend::cuda::emit_stream(it.program, it.grid(), limit.steps, false).text;
        const Compiled compiled = backend::cuda::compile_text(text, GetParam());
        const auto costs = costs_of(compiled);
        RecordProperty("steps" + std::to_string(limit.steps) + (limit.f64 ? "_f64" : ""), costs.at("inner").registers);
        EXPECT_LE(costs.at("inner").registers, limit.registers) << limit.steps << " steps";
        EXPECT_LE(costs.at("inner").spills, kSpills) << limit.steps << " steps";
        // sides that wrap, and rows that end with the columns of a lane: there is no border
        EXPECT_EQ(costs.size(), 1u);
        const Lowered closed = lowered("gray-scott", "4096x4096", limit.f64, "no-flux");
        const auto beside = costs_of(
            backend::cuda::compile_text(backend::cuda::emit_stream(closed.program, closed.grid(), limit.steps, false).text, GetParam()));
        RecordProperty("steps" + std::to_string(limit.steps) + (limit.f64 ? "_f64" : "") + "_border", beside.at("border").registers);
        EXPECT_LE(beside.at("border").registers, 255) << limit.steps << " steps";
        // 14 operations for each of the columns, levels and two rows of the loop
        const std::string word = limit.f64 ? "f64" : "f32";
        const std::size_t inner_fma = count(compiled.ptx, std::string("fma.rn") + (limit.f64 ? "." : ".ftz.") + word);
        EXPECT_EQ(inner_fma, static_cast<std::size_t>(2 * limit.steps * backend::cuda::stream_columns(limit.f64) * 5));
    }
}

// Machine instructions of the loop of `inner` for each of its cells and steps, as recorded in docs/notes/cuda.md, with what another ptxas may add.
// With every turn two rows come in, of a lane's columns.
TEST_P(CudaCompile, InstructionsOfTheLoop) {
    struct Limit {
        const char* model;
        int steps, arithmetic;
        double most;
        bool f64;
    };
    for (const Limit& limit :
         {Limit{"gray-scott", 4, 14, 22, false}, Limit{"gray-scott", 6, 14, 20.5, false}, Limit{"gray-scott", 8, 14, 20, false},
          Limit{"gray-scott", 4, 14, 32, true}, Limit{"swift-hohenberg", 3, 18, 24, false}, Limit{"swift-hohenberg", 6, 18, 22, false}}) {
        const std::string what = std::string(limit.model) + ", " + std::to_string(limit.steps) + " steps" + (limit.f64 ? ", f64" : "");
        const Lowered it = lowered(limit.model, "4096x4096", limit.f64);
        const std::string text = backend::cuda::emit_stream(it.program, it.grid(), limit.steps, false).text;
        const std::optional<int> loop = shuffling_loop(backend::cuda::compile_text(text, GetParam()).cubin, "inner", GetParam().major);
        ASSERT_TRUE(loop) << what;
        const double each = static_cast<double>(*loop) / (2 * limit.steps * backend::cuda::stream_columns(limit.f64));
        RecordProperty(what, *loop);
        EXPECT_GE(each, limit.arithmetic) << what;
        EXPECT_LE(each, limit.most) << what;
    }
}

// The same of tiles, whole planes, volumes and planes that stay: one turn is a level of all rows and columns of a thread, in a volume of two planes of all levels.
TEST_P(CudaCompile, InstructionsOfLevels) {
    const auto expect = [](const std::string& what, const std::string& text, const char* kernel, int cells, int arithmetic, double most) {
        const std::optional<int> loop = shuffling_loop(backend::cuda::compile_text(text, GetParam()).cubin, kernel, GetParam().major);
        ASSERT_TRUE(loop) << what;
        RecordProperty(what, *loop);
        EXPECT_GE(static_cast<double>(*loop) / cells, arithmetic) << what;
        EXPECT_LE(static_cast<double>(*loop) / cells, most) << what;
    };
    const int columns = backend::cuda::stream_columns(false);
    const Lowered plane = lowered("gray-scott", "1024x1024", false);
    for (const backend::cuda::PlaneTile& tile : backend::cuda::plane_tiles(plane.program))
        expect("tile of " + std::to_string(tile.height()) + " rows",
               backend::cuda::emit_tile(plane.program, plane.grid(), 8, false, tile).text, "tile", tile.rows * columns, 14, 22);
    for (const char* size : {"64x64", "128x128"}) {
        const Lowered small = lowered("gray-scott", size, false);
        const backend::cuda::WholePlane whole = backend::cuda::whole_plane(small.program, small.grid());
        expect(std::string("whole plane of ") + size, backend::cuda::emit_whole(small.program, small.grid(), whole).text, "whole",
               whole.rows * whole.columns, 14, 26);
    }
    for (const char* size : {"256x256", "512x512", "1024x1024"}) {
        const Lowered stays = lowered("gray-scott", size, false);
        const backend::cuda::PersistentTile tile =
            backend::cuda::choose_cut(stays.program, stays.grid(), backend::parse_schedule("chunk=0", backend::Family::card_plane), {})
                .persistent.tile;
        expect(std::string("plane that stays, ") + size, backend::cuda::emit_persistent(stays.program, stays.grid(), tile).text,
               "persistent", tile.rows * tile.columns, 14, 29);
    }
    const Lowered volume = lowered("gray-scott", "256x256x256", false);
    for (const int steps : {2, 3, 4}) {
        const backend::cuda::VolumeTile tile = backend::cuda::volume_tile(volume.program, steps);
        expect("volume, " + std::to_string(steps) + " steps",
               backend::cuda::emit_volume(volume.program, volume.grid(), steps, false, tile).text, "inner", 2 * steps * tile.rows * columns,
               18, 30);
    }
}

// What the cost model takes: tiles for planes of medium size, strips for large ones.
TEST_P(CudaCompileLibrary, PlanesOfTheLibrary) {
    int tiles = 0, strips = 0;
    for (const auto& [model, size] : models_and_sizes()) {
        for (bool f64 : {false, true}) {
            if (f64 && model != "gray-scott" && model != "cyclic-competition") continue;
            const Lowered it = lowered(model, size, f64);
            const backend::cuda::Cut cut = backend::cuda::choose_cut(it.program, it.grid(), {}, {});
            if (cut.steps < 2) continue;
            (cut.tile.rows > 0 ? tiles : strips) += 1;
            const std::string text = backend::cuda::emit_pass(it.program, it.grid(), cut, cut.steps, f64).text;
            const Compiled compiled = backend::cuda::compile_text(text, GetParam());
            for (const auto& [kernel, cost] : costs_of(compiled)) {
                RecordProperty(model + "_" + kernel + (f64 ? "_f64" : "_f32"), cost.registers);
                const std::string what = model + " " + kernel + " at " + std::to_string(cut.steps) + " steps" + (f64 ? " f64" : "");
                const bool tile = kernel == "tile";
                EXPECT_LE(cost.spills, tile ? kTileSpills : kSpills) << what;
                EXPECT_LE(cost.registers, tile                ? (1 << 16) / (cut.tile.threads() * cut.tile.blocks)
                                          : kernel == "inner" ? backend::cuda::kRegistersOfThree
                                                              : 255)
                    << what;
            }
        }
    }
    EXPECT_GE(std::min(tiles, strips), 5);
}

// Registers of tiles for Gray-Scott: those that the blocks of a multiprocessor share are all there are for a thread.
TEST_P(CudaCompile, RegistersOfTiles) {
    const std::vector<backend::cuda::PlaneTile> tiles = backend::cuda::plane_tiles(lowered("gray-scott", "1024x1024", false).program);
    EXPECT_EQ(tiles.size(), 4u);
    for (const bool f64 : {false, true}) {
        for (const char* boundary : {"periodic", "no-flux"}) {
            const Lowered it = lowered("gray-scott", "1024x1024", f64, boundary);
            for (const backend::cuda::PlaneTile& tile : backend::cuda::plane_tiles(it.program)) {
                for (const int steps : {4, 8}) {
                    const std::string text = backend::cuda::emit_tile(it.program, it.grid(), steps, false, tile).text;
                    const Compiled compiled = backend::cuda::compile_text(text, GetParam());
                    const std::string what = std::to_string(steps) + " steps, " + std::to_string(tile.height()) + " rows, " + boundary +
                                             (f64 ? ", f64" : ", f32");
                    const auto costs = costs_of(compiled);
                    const Cost& cost = costs.at("tile");
                    RecordProperty(what, cost.registers);
                    EXPECT_LE(cost.registers * tile.threads() * tile.blocks, 1 << 16) << what;
                    EXPECT_LE(cost.spills, tile.rows < 8 || tile.blocks == 1 ? kSpills : kTileSpills) << what;
                    // five for each of the columns and rows; a text for borders has them twice
                    const std::size_t cells = static_cast<std::size_t>(tile.rows * backend::cuda::stream_columns(f64));
                    EXPECT_EQ(count(compiled.ptx, f64 ? "fma.rn.f64" : "fma.rn.ftz.f32"),
                              5 * cells * (boundary == std::string("periodic") ? 1 : 2))
                        << what;
                }
            }
        }
    }
}

// Registers of whole planes for Gray-Scott: those of a multiprocessor are all there are for its blocks.
TEST_P(CudaCompile, RegistersOfWholePlanes) {
    struct Limit {
        const char* size;
        const char* boundary;
        bool f64;
        int warps, rows, columns;
    };
    for (const Limit& limit : {Limit{"32x32", "periodic", false, 16, 2, 1}, Limit{"64x64", "periodic", false, 16, 4, 2},
                               Limit{"64x64", "no-flux", false, 16, 4, 3}, Limit{"100x100", "periodic", false, 8, 13, 4},
                               Limit{"128x128", "periodic", false, 8, 16, 4}, Limit{"128x128", "no-flux", false, 8, 16, 5},
                               Limit{"64x64", "periodic", true, 8, 8, 2}, Limit{"64x64", "no-flux", true, 8, 8, 3}}) {
        const Lowered it = lowered("gray-scott", limit.size, limit.f64, limit.boundary);
        const std::string what = std::string(limit.size) + ", " + limit.boundary + (limit.f64 ? ", f64" : ", f32");
        const backend::cuda::WholePlane plane = backend::cuda::whole_plane(it.program, it.grid());
        ASSERT_EQ(plane.warps, limit.warps) << what;
        ASSERT_EQ(plane.rows, limit.rows) << what;
        ASSERT_EQ(plane.columns, limit.columns) << what;
        const std::string text = backend::cuda::emit_whole(it.program, it.grid(), plane).text;
        const Compiled compiled = backend::cuda::compile_text(text, GetParam());
        const auto costs = costs_of(compiled);
        const Cost& cost = costs.at("whole");
        RecordProperty(what, cost.registers);
        EXPECT_LE(cost.registers * plane.threads() * plane.blocks, 1 << 16) << what;
        EXPECT_LE(cost.spills, kWholeSpills) << what;
        // five for each of the columns and rows, and again where the eighth step flushes; ghosts of no-flux are copies
        const std::size_t cells = static_cast<std::size_t>(plane.rows * plane.columns), steps = it.program.flush_step ? 2 : 1;
        EXPECT_EQ(count(compiled.ptx, limit.f64 ? "fma.rn.f64" : "fma.rn.ftz.f32"), 5 * cells * steps) << what;
    }
}

// Every model of the library whose step is one stage: no estimate is so far off that registers go to memory in every tenth instruction.
TEST_P(CudaCompileLibrary, WholePlanesOfTheLibrary) {
    int held = 0;
    for (const std::string& model : library()) {
        for (const char* size : {"64x64", "128x128"}) {
            const Lowered it = lowered(model, size, false);
            const backend::cuda::WholePlane plane = backend::cuda::whole_plane(it.program, it.grid());
            if (plane.warps == 0) continue;
            ++held;
            const std::string text = backend::cuda::emit_whole(it.program, it.grid(), plane).text;
            const Cost cost = costs_of(backend::cuda::compile_text(text, GetParam())).at("whole");
            RecordProperty(model + "_" + size, cost.registers);
            EXPECT_LE(cost.registers * plane.threads() * plane.blocks, 1 << 16) << model << " " << size;
            EXPECT_LE(cost.spills, size == std::string("64x64") ? 0 : 2 * kWholeSpills) << model << " " << size;
        }
    }
    EXPECT_GE(held, 20);
}

// Registers of persistent kernels for Gray-Scott: one block has a multiprocessor for itself.
TEST_P(CudaCompile, RegistersOfPersistentKernels) {
    struct Limit {
        const char* size;
        const char* boundary;
        bool f64;
        int columns, rows, warps, steps, registers;  ///< the last: as in docs/notes/cuda.md, with what another ptxas may add
    };
    for (const Limit& limit : {Limit{"256x256", "periodic", false, 1, 6, 8, 8, 128}, Limit{"512x512", "periodic", false, 2, 5, 12, 8, 152},
                               Limit{"1024x1024", "periodic", false, 4, 11, 8, 4, 255}, Limit{"512x512", "no-flux", false, 2, 6, 8, 4, 176},
                               Limit{"256x256", "periodic", true, 1, 5, 8, 6, 160}, Limit{"512x512", "periodic", true, 2, 6, 8, 4, 255}}) {
        const Lowered it = lowered("gray-scott", limit.size, limit.f64, limit.boundary);
        const std::string what = std::string(limit.size) + ", " + limit.boundary + (limit.f64 ? ", f64" : ", f32");
        const backend::cuda::Cut cut =
            backend::cuda::choose_cut(it.program, it.grid(), backend::parse_schedule("chunk=0", backend::Family::card_plane), {});
        const backend::cuda::PersistentTile tile = cut.persistent.tile;
        RecordProperty(what + ", predicted steps/s", static_cast<int>(1 / cut.persistent_seconds));
        EXPECT_EQ(tile.columns, limit.columns) << what;
        EXPECT_EQ(tile.rows, limit.rows) << what;
        EXPECT_EQ(tile.warps, limit.warps) << what;
        EXPECT_EQ(tile.steps, limit.steps) << what;
        if (HasFailure()) continue;
        const std::string text = backend::cuda::emit_persistent(it.program, it.grid(), tile).text;
        const Compiled compiled = backend::cuda::compile_text(text, GetParam());
        const auto costs = costs_of(compiled);
        const Cost& cost = costs.at("persistent");
        RecordProperty(what, cost.registers);
        EXPECT_LE(cost.registers, limit.registers) << what;
        EXPECT_EQ(cost.spills, 0) << what;
        // five for each of the columns and rows, and again where the eighth step flushes
        const auto cells = static_cast<std::size_t>(tile.rows * tile.columns), steps = std::size_t{it.program.flush_step ? 2u : 1u};
        EXPECT_EQ(count(compiled.ptx, limit.f64 ? "fma.rn.f64" : "fma.rn.ftz.f32"), 5 * cells * steps) << what;
        // words that are whole, past the first-level cache: a packet of each cell given, and of each slot taken
        const auto parts = static_cast<std::size_t>(backend::cuda::packets_of_cell(it.program));
        EXPECT_EQ(count(compiled.ptx, "st.relaxed.gpu.global.v2.b64"), cells * parts) << what;
        EXPECT_EQ(count(compiled.ptx, "ld.relaxed.gpu.global.v2.b64"), static_cast<std::size_t>(tile.slots()) * parts) << what;
    }
}

// What is offered of the library is held without spills.
TEST_P(CudaCompileLibrary, PersistentKernelsOfTheLibrary) {
    int offered = 0;
    for (const std::string& model : library()) {
        const Lowered it = lowered(model, "256x256", false);
        const backend::cuda::Cut cut =
            backend::cuda::choose_cut(it.program, it.grid(), backend::parse_schedule("steps=4 chunk=0", backend::Family::card_plane), {});
        if (cut.persistent.tile.warps == 0) continue;
        ++offered;
        const std::string text = backend::cuda::emit_persistent(it.program, it.grid(), cut.persistent.tile).text;
        const Cost cost = costs_of(backend::cuda::compile_text(text, GetParam())).at("persistent");
        RecordProperty(model, cost.registers);
        EXPECT_LE(cost.registers * cut.persistent.tile.threads(), 1 << 16) << model;
        EXPECT_EQ(cost.spills, 0) << model;
    }
    EXPECT_GE(offered, 10);
}

// Registers of volumes' kernels for Gray-Scott by steps: those of the tile are all there are for a thread, so spills are what is limited.
TEST_P(CudaCompile, RegistersOfVolumes) {
    struct Limit {
        int steps, rows, warps;
        bool f64;
        int spills;  ///< bytes, of `inner`
    };
    for (const Limit& limit : {Limit{2, 4, 8, false, 0}, Limit{3, 2, 12, false, 0}, Limit{4, 1, 16, false, 0}, Limit{2, 4, 8, true, 160},
                               Limit{4, 1, 16, true, 0}}) {
        for (const char* boundary : {"periodic", "no-flux"}) {
            const Lowered it = lowered("gray-scott", "256x256x256", limit.f64, boundary);
            const backend::cuda::VolumeTile tile = backend::cuda::volume_tile(it.program, limit.steps);
            EXPECT_EQ(tile.rows, limit.rows) << limit.steps;
            EXPECT_EQ(tile.warps, limit.warps) << limit.steps;
            const std::string text = backend::cuda::emit_volume(it.program, it.grid(), limit.steps, false, tile).text;
            const Compiled compiled = backend::cuda::compile_text(text, GetParam());
            for (const auto& [kernel, cost] : costs_of(compiled)) {
                const std::string what =
                    std::to_string(limit.steps) + (limit.f64 ? " steps, f64, " : " steps, ") + boundary + ", " + kernel;
                RecordProperty("volume" + std::to_string(limit.steps) + (limit.f64 ? "_f64_" : "_") + kernel, cost.registers);
                EXPECT_LE(cost.registers * tile.threads(), 1 << 16) << what;
                EXPECT_LE(cost.spills, kernel == "inner" ? limit.spills : 320) << what;
            }
            // 18 operations of each of the columns, rows, levels and two planes of the loop; nothing is made twice
            const std::string fma = limit.f64 ? "fma.rn.f64" : "fma.rn.ftz.f32";
            const std::size_t cells = static_cast<std::size_t>(2 * limit.steps * limit.rows * backend::cuda::stream_columns(limit.f64));
            EXPECT_EQ(count(compiled.ptx, fma), 5 * cells * costs_of(compiled).size());
        }
    }
}

/// A model on a mesh of few vertices: the text does not depend on it.
ir::Program lowered_on_mesh(const std::string& model, bool f64) {
    core::ThreadTeam team(1);
    domain::Mesh sphere = domain::create_mesh(domain::load_surface({"sphere:1", {}}, {}, team), 1, team);
    const std::string precision = std::string("[method]\nprecision = \"") + (f64 ? "f64" : "f32") + "\"\n";
    const core::Node document =
        model.find('\n') == std::string::npos ? model::load_document(model) : core::parse_document(model, "compile.toml");
    const run::Spec spec = run::read_spec(document, "compile", "", core::parse_document(precision, "flags"));
    field::add_tensors(sphere, spec.model, spec.initial, team);
    return ir::lower(ir::build(spec.model), spec.method, sphere);
}

TEST_P(CudaCompile, KernelsOnMeshes) {
    struct Limit {
        const char* model;
        int f32, f64;  ///< registers, as in docs/notes/cuda.md, with what another ptxas may add
    };
    for (const auto& [model, single, twice] : {Limit{kGrayScott, 36, 44}, {kFunctions, 36, 56}, {kEverythingOnMeshes, 68, 104}}) {
        for (bool f64 : {false, true}) {
            const std::string text = backend::cuda::emit_mesh(lowered_on_mesh(model, f64), 256, false).text;
            const Compiled compiled = backend::cuda::compile_text(text, GetParam());
            expect_exact(text, compiled.ptx, "a mesh, unrolled loops aside", 8);
            // a vertex, and what a neighbour weighs, come in one load each; numbers of neighbours take 16 bits
            const std::string pair = f64 ? "ld.global.nc.v2.f64" : "ld.global.nc.v2.f32";
            EXPECT_GE(count(compiled.ptx, model == kEverythingOnMeshes && !f64 ? "ld.global.nc.v4.f32" : pair), 2u) << model;
            EXPECT_GT(count(compiled.ptx, "ld.global.nc.u16"), 0u);
            for (const auto& [kernel, cost] : costs_of(compiled)) {
                RecordProperty("mesh_" + kernel + (f64 ? "_f64" : "_f32"), cost.registers);
                EXPECT_EQ(cost.spills, 0) << kernel << " of " << model;
                EXPECT_LE(cost.registers, f64 ? twice : single) << kernel << (f64 ? " f64 of " : " of ") << model;
            }
        }
    }
}

TEST_P(CudaCompile, PatchesOfMeshes) {
    struct Limit {
        const char* model;
        int f32, f64;  ///< registers, as in docs/notes/cuda.md, with what another ptxas may add
    };
    for (const auto& [model, single, twice] : {Limit{kGrayScott, 60, 88}, {kFunctions, 60, 96}, {kBesideOnMeshes, 64, 116}}) {
        for (bool f64 : {false, true}) {
            const ir::Program program = lowered_on_mesh(model, f64);
            for (int threads : {256, 512, 1024}) {
                const backend::cuda::PatchShape shape = backend::cuda::patch_shape(program, 4, threads);
                if (shape.threads < threads) continue;
                const std::string text = backend::cuda::emit_patches(program, shape).text;
                const Compiled compiled = backend::cuda::compile_text(text, GetParam());
                expect_exact(text, compiled.ptx, "patches, unrolled loops aside", 16);
                // a neighbour in one load, its numbers and weights before the first step if there are registers for them
                EXPECT_GE(count(compiled.ptx, std::string("ld.shared.v") + (f64                        ? "2.f64"
                                                                            : model == kBesideOnMeshes ? "4.f32"
                                                                                                       : "2.f32")),
                          2u);
                EXPECT_EQ(shape.kept, model == kBesideOnMeshes ? 0 : 8);
                for (const auto& [kernel, cost] : costs_of(compiled)) {
                    RecordProperty("patches_" + kernel + (f64 ? "_f64" : "_f32"), cost.registers);
                    EXPECT_EQ(cost.spills, 0) << kernel << " of " << model;
                    EXPECT_LE(cost.registers, f64 ? twice : single) << kernel << (f64 ? " f64 of " : " of ") << model;
                }
            }
        }
    }
}

TEST_P(CudaCompileLibrary, PatchesOfTheLibrary) {
    int compiled_models = 0;
    for (const std::string& model : library()) {
        ir::Program program;
        try {
            program = lowered_on_mesh(model, false);
        } catch (const core::Error&) {
            continue;  // it is for grids
        }
        if (!backend::cuda::patch_obstacle(program).empty()) continue;
        ++compiled_models;
        const Compiled compiled =
            backend::cuda::compile_text(backend::cuda::emit_patches(program, backend::cuda::patch_shape(program, 3, 512)).text, GetParam());
        for (const auto& [kernel, cost] : costs_of(compiled)) EXPECT_EQ(cost.spills, 0) << model << " " << kernel;
    }
    EXPECT_GE(compiled_models, 10);
}

TEST_P(CudaCompile, PicturesAndRanges) {
    for (bool f64 : {false, true}) {
        for (const std::string& text :
             {backend::cuda::emit_draw(f64).text, backend::cuda::emit_surface(f64).text, backend::cuda::emit_statistics(f64).text}) {
            const Compiled compiled = backend::cuda::compile_text(text, GetParam());
            expect_exact(text, compiled.ptx, text.substr(0, 60));
            EXPECT_EQ(count(compiled.ptx, "fma.rn"), 0u);
            for (const auto& [kernel, cost] : costs_of(compiled)) {
                RecordProperty(kernel + (f64 ? "_f64" : "_f32"), cost.registers);
                EXPECT_EQ(cost.spills, 0) << kernel;
                EXPECT_LE(cost.registers, 56) << kernel << (f64 ? " f64" : "");
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Nvrtc, CudaCompile, testing::Values(Architecture{8, 0}, Architecture{9, 0}),
                         [](const auto& each) { return each.param.name(); });
INSTANTIATE_TEST_SUITE_P(Nvrtc, CudaCompileLibrary, testing::Values(Architecture{9, 0}),
                         [](const auto& each) { return each.param.name(); });

}  // namespace compile_test
}  // namespace conformance
