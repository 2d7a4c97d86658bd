// tests/unit/backend/cuda/mesh_rows_test.cpp: rows of a mesh in slices: nothing is lost, numbers are small where they can be
#include "mottle/backend/cuda/mesh/rows.h"

#include "mottle/core/error.h"
#include "mottle/domain/mesh/create.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace mottle::backend::cuda {
namespace mesh_rows_test {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

domain::Mesh mesh_of(const std::string& shape, core::ThreadTeam& team) {
    return domain::create_mesh(domain::load_surface({shape, {}}, {}, team), 1, team);
}

std::vector<std::int32_t> positions(const std::vector<Vertex>& order) {
    std::vector<std::int32_t> position(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) position[at(order[p])] = static_cast<std::int32_t>(p);
    return position;
}

TEST(MeshRows, HoldEveryNeighbourOfEveryVertexInItsOrder) {
    core::ThreadTeam team(2);
    for (const char* shape : {"sphere:3", "plane:31x23", "torus:1,0.4,16"}) {
        const domain::Mesh mesh = mesh_of(shape, team);
        const domain::MeshOperators& operators = *mesh.operators;
        for (const auto wanted : {VertexOrder::rings, VertexOrder::file, VertexOrder::morton}) {
            const std::vector<Vertex> order = device_order(mesh, wanted, team);
            std::vector<Vertex> sorted = order, all(at(mesh.vertex_count()));
            std::sort(sorted.begin(), sorted.end());
            std::iota(all.begin(), all.end(), 0);
            ASSERT_EQ(sorted, all) << shape;
            MeshRows rows;
            rows.add(operators, order, positions(order));
            ASSERT_TRUE(rows.shorten()) << shape;
            std::size_t entries = 0;
            for (std::size_t p = 0; p < order.size(); ++p) {
                const MeshRows::Slice& slice = rows.slices()[p / at(kSlice)];
                const Index first = operators.first[at(order[p])];
                ASSERT_EQ(rows.valences()[p], operators.first[at(order[p]) + 1] - first);
                for (Index k = 0; k < rows.valences()[p]; ++k, ++entries) {
                    const std::size_t entry = at(slice.first + kSlice * k) + p % at(kSlice);
                    ASSERT_EQ(rows.edges()[entry], first + k);
                    ASSERT_EQ(order[at(slice.base + rows.numbers()[entry])], operators.neighbour[at(first + k)]) << shape;
                    ASSERT_LE(rows.numbers()[entry], 65535);
                }
            }
            EXPECT_EQ(entries, operators.neighbour.size());
            EXPECT_EQ(rows.valences().size() % at(kSlice), 0u);
            EXPECT_LT(rows.edges().size(), operators.neighbour.size() * 5 / 4) << "slices are of one length, by and large: " << shape;
        }
    }
}

// Two rows of one slice, whose neighbours' numbers lie 65535 or 65536 apart.
TEST(MeshRows, TakeSixteenBitsAsFarAsTheyReach) {
    domain::MeshOperators operators;
    operators.first = {0, 1, 2};
    operators.neighbour = {1, 0};
    const std::vector<Vertex> vertices = {0, 1};
    for (const std::int32_t apart : {65535, 65536}) {
        const std::vector<std::int32_t> number = {100000, 100000 + apart};
        MeshRows rows;
        rows.add(operators, vertices, number);
        const std::vector<std::int32_t> before = rows.numbers();
        const bool fits = apart <= 65535;
        EXPECT_EQ(rows.shorten(), fits);
        EXPECT_EQ(rows.slices()[0].base, fits ? 100000 : 0);
        EXPECT_EQ(rows.numbers()[0], fits ? apart : 100000 + apart);
        EXPECT_EQ(rows.numbers()[1], fits ? 0 : 100000);
        EXPECT_EQ(rows.numbers() == before, !fits);
    }
}

TEST(MeshRows, RefuseAHubOfMoreThan255Neighbours) {
    domain::MeshOperators rows;
    rows.first = {0, 256};
    rows.neighbour.assign(256, 0);
    const std::vector<Vertex> vertices = {0};
    const std::vector<std::int32_t> number = {0};
    MeshRows sliced;
    EXPECT_THROW(sliced.add(rows, vertices, number), core::InputError);
}

}  // namespace mesh_rows_test
}  // namespace mottle::backend::cuda
