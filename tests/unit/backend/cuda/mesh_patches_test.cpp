// tests/unit/backend/cuda/mesh_patches_test.cpp: patches own every vertex once and hold all that their steps read; their cost model
#include "mottle/backend/cuda/mesh/emit_patches.h"
#include "mottle/backend/cuda/mesh/cut.h"
#include "mottle/backend/cuda/mesh/patches.h"
#include "mottle/domain/mesh/create.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace mottle::backend::cuda {
namespace mesh_patches_test {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

domain::Mesh mesh_of(const std::string& shape, core::ThreadTeam& team) {
    return domain::create_mesh(domain::load_surface({shape, {}}, {}, team), 1, team);
}

/// A patch as a block sees it.
struct Seen {
    std::vector<Vertex> vertices;      // by slot
    std::vector<std::int32_t> within;  // by hop
    std::int32_t slice;
};
Seen seen(const MeshPatches& patches, Index patch, int steps) {
    const std::size_t record = at(patch) * at(steps + 4);
    const std::int32_t* from = &patches.records()[record];
    Seen it{{}, {from + 3, from + 4 + steps}, from[2]};
    for (std::int32_t slot = 0; slot < it.within.back(); ++slot) {
        const std::int32_t position = slot < it.within[0] ? from[0] + slot : patches.ghosts()[at(from[1] + slot - it.within[0])];
        it.vertices.push_back(patches.order()[at(position)]);
    }
    return it;
}

/// Vertices up to `hops` edges away from those of `from`, from the rows alone.
std::set<Vertex> reached(const domain::MeshOperators& rows, std::set<Vertex> from, int hops) {
    for (int hop = 0; hop < hops; ++hop) {
        const std::set<Vertex> last = from;
        for (const Vertex v : last) from.insert(rows.neighbour.begin() + rows.first[at(v)], rows.neighbour.begin() + rows.first[at(v) + 1]);
    }
    return from;
}

TEST(MeshPatches, OwnEveryVertexOnceAndHoldWhatTheirStepsRead) {
    core::ThreadTeam team(2);
    for (const char* shape : {"sphere:3", "plane:41x33", "plane:3x161,one", "sphere:0"}) {
        const domain::Mesh mesh = mesh_of(shape, team);
        const domain::MeshOperators& rows = *mesh.operators;
        for (const int steps : {2, 4}) {
            const PatchLimits limits{steps, 256, 400};
            const MeshPatches patches(mesh, limits, 100, team);
            ASSERT_FALSE(patches.impossible()) << shape;
            EXPECT_GE(patches.count(), mesh.vertex_count() / 100) << shape;
            std::vector<Vertex> sorted = patches.order(), all(at(mesh.vertex_count()));
            std::sort(sorted.begin(), sorted.end());
            std::iota(all.begin(), all.end(), 0);
            ASSERT_EQ(sorted, all) << shape;
            for (Index p = 0; p < patches.count(); ++p) {
                const Seen patch = seen(patches, p, steps);
                EXPECT_LE(patch.within[at(steps) - 1], limits.rows);
                EXPECT_LE(patch.within[at(steps)], limits.slots);
                const std::set<Vertex> owned(patch.vertices.begin(), patch.vertices.begin() + patch.within[0]);
                for (int hop = 0; hop <= steps; ++hop) {
                    const std::set<Vertex> held(patch.vertices.begin(), patch.vertices.begin() + patch.within[at(hop)]);
                    ASSERT_EQ(held.size(), at(patch.within[at(hop)])) << "a vertex in two slots";
                    ASSERT_EQ(held, reached(rows, owned, hop)) << shape << ", patch " << p << ", hop " << hop;
                }
                for (std::int32_t row = 0; row < patch.within[at(steps) - 1]; ++row) {
                    const Vertex v = patch.vertices[at(row)];
                    const long long first = patches.rows().slices()[at(patch.slice + row / 32)].first + row % 32;
                    const Index valence = rows.first[at(v) + 1] - rows.first[at(v)];
                    ASSERT_EQ(patches.rows().valences()[at(32 * patch.slice + row)], valence);
                    for (Index k = 0; k < valence; ++k) {
                        const std::size_t entry = at(first + 32 * k);
                        ASSERT_EQ(patches.rows().edges()[entry], rows.first[at(v)] + k);
                        ASSERT_EQ(patch.vertices[at(patches.rows().numbers()[entry])], rows.neighbour[at(rows.first[at(v)] + k)]);
                    }
                }
            }
        }
    }
}

TEST(MeshPatches, AreImpossibleWhereAVertexAloneIsTooMuch) {
    core::ThreadTeam team(1);
    const domain::Mesh mesh = mesh_of("plane:13x9", team);
    EXPECT_FALSE(MeshPatches(mesh, {2, 32, 64}, 1000, team).impossible()) << "halved until they fit";
    EXPECT_TRUE(MeshPatches(mesh, {2, 4, 64}, 1000, team).impossible());
}

/// `fields` that diffuse by `weights` each, in `stages`.
ir::Program diffusion(int fields, int weights, int stages, bool f64) {
    ir::Program program;
    program.f64 = f64;
    for (int f = 0; f < fields; ++f) program.arrays.push_back({"u" + std::to_string(f), ir::ArrayInfo::Kind::state, 0});
    for (int s = 0; s < stages; ++s) {
        ir::Stage stage{"update", {}, {}};
        auto add = [&](ir::Op op, std::array<ir::Value, 3> args, int index) {
            stage.code.push_back({op, args, index, {0, 0, 0}, 0});
            return static_cast<ir::Value>(stage.code.size() - 1);
        };
        for (int f = 0; f < fields; ++f) {
            ir::Value value = add(ir::Op::load, {-1, -1, -1}, f);
            const ir::Value beside = add(ir::Op::neighbour, {-1, -1, -1}, f);
            for (int w = 0; w < weights; ++w) {
                const ir::Value edge = add(ir::Op::edge, {-1, -1, -1}, w);
                value = add(ir::Op::add, {value, add(ir::Op::row_sum, {edge, beside, -1}, 0), -1}, 0);
            }
            stage.stores.emplace_back(f, value);
        }
        program.step.stages.push_back(stage);
    }
    return program;
}

/// The prediction of the cost model holds for most patches of a large mesh: few are halved, and blocks are full.
TEST(MeshPatches, FillTheirBlocks) {
    core::ThreadTeam team(2);
    const ir::Program program = diffusion(2, 1, 1, false);
    for (const char* shape : {"sphere:6", "plane:200x200"}) {
        const domain::Mesh mesh = mesh_of(shape, team);
        for (const auto& [steps, threads] : {std::pair{2, 256}, {3, 512}, {4, 512}, {4, 1024}}) {
            const PatchShape room = patch_shape(program, steps, threads);
            const Index owned = owned_by_patch(program, steps, threads);
            const MeshPatches patches(mesh, {steps, room.threads, room.slots}, owned, team);
            ASSERT_FALSE(patches.impossible());
            Index filled = 0;
            for (Index p = 0; p < patches.count(); ++p) filled += patches.records()[at(p) * at(steps + 4) + at(steps) + 2];
            EXPECT_LE(patches.count(), mesh.vertex_count() * 4 / (owned * 3)) << shape << ", " << steps << " steps, " << threads;
            EXPECT_GE(filled, patches.count() * threads * 3 / 4) << shape << ", " << steps << " steps, " << threads;
        }
    }
}

TEST(CudaMeshCut, TakesWhatAScheduleSays) {
    core::ThreadTeam team(1);
    const domain::Mesh mesh = mesh_of("sphere:3", team);
    const ir::Program program = diffusion(2, 1, 1, false);
    auto cut = [&](const char* schedule) {
        return choose_mesh_cut(program, mesh, std::get<CardMeshSchedule>(parse_schedule(schedule, Family::card_mesh)), {});
    };
    EXPECT_EQ(cut("steps=3 chunk=500").steps, 3);
    EXPECT_EQ(cut("steps=3 chunk=500").threads, 512) << "whole warps";
    EXPECT_EQ(cut("steps=100").steps, kPatchSteps);
    EXPECT_EQ(cut("steps=1").threads, 256);
    EXPECT_EQ(cut("steps=1 threads=1024").threads, 1024);
    EXPECT_EQ(cut("order=morton").steps, 1) << "an order of its own is for a launch per stage";
    EXPECT_EQ(cut("order=rings steps=2").steps, 2);
    EXPECT_EQ(choose_mesh_cut(diffusion(2, 1, 2, false), mesh, std::get<CardMeshSchedule>(parse_schedule("steps=4", Family::card_mesh)), {})
                  .steps,
              1)
        << "a launch for each of several stages";
    const ir::Program twice = diffusion(2, 1, 1, true);
    EXPECT_LE(choose_mesh_cut(twice, mesh, std::get<CardMeshSchedule>(parse_schedule("steps=2 chunk=1024", Family::card_mesh)), {}).threads,
              512)
        << "64 registers are too few for f64";
    EXPECT_EQ(8 % choose_mesh_cut(twice, mesh, {}, {}).steps, 0) << "passes end on multiples of 8 steps";
}

TEST(CudaMeshCut, SavesLaunchesWhereTheMeshIsSmallAndBytesWhereRowsAreLong) {
    core::ThreadTeam team(2);
    const domain::Mesh small = mesh_of("sphere:3", team), large = mesh_of("plane:600x600", team);
    EXPECT_GE(choose_mesh_cut(diffusion(2, 1, 1, false), small, {}, {}).steps, 2);
    EXPECT_GE(choose_mesh_cut(diffusion(2, 4, 1, false), large, {}, {}).steps, 2) << "four weights per neighbour";
}

}  // namespace mesh_patches_test
}  // namespace mottle::backend::cuda
