// tests/unit/domain/shapes_test.cpp: counts, closedness and messages of the built-in surfaces
#include "mottle/core/error.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/repair/topology.h"
#include "mottle/domain/shapes/shapes.h"

#include <gtest/gtest.h>

#include <set>

#include <cmath>
#include <numbers>

namespace shapes_test {

using namespace mottle;

domain::Surface surface(const std::string& text) {
    core::ThreadTeam team(2);
    return domain::repair(domain::make_shape({text, {}}), team);
}

/// Vertices - edges + faces: 2 for a closed surface without holes, 1 for a disk, 0 for a torus or an open tube.
core::Index euler(const domain::Surface& s) {
    return static_cast<core::Index>(s.position.size()) - domain::topology_of(s).edges + static_cast<core::Index>(s.faces.size());
}

/// Six times the volume that outward faces enclose.
double volume(const domain::Surface& s) {
    double sum = 0;
    for (const auto& f : s.faces) {
        const auto &a = s.position[static_cast<std::size_t>(f[0])], &b = s.position[static_cast<std::size_t>(f[1])],
                   &c = s.position[static_cast<std::size_t>(f[2])];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

void expect_clean(const domain::Surface& s, core::Index characteristic, std::size_t loops) {
    EXPECT_EQ(euler(s), characteristic) << s.name;
    EXPECT_EQ(s.loops.size(), loops) << s.name;
    EXPECT_EQ(domain::topology_of(s).components, 1) << s.name;
    EXPECT_EQ(s.report.welded + s.report.unreferenced + s.report.zero_area_faces + s.report.repeated_index_faces + s.report.duplicate_faces,
              0)
        << s.name;
    EXPECT_EQ(s.report.non_manifold_edges + s.report.non_manifold_vertices + s.report.inconsistent_edges, 0) << s.name;
}

TEST(Shapes, are_closed_or_open_as_they_should_be) {
    expect_clean(surface("sphere:4"), 2, 0);
    expect_clean(surface("torus:2,0.5,12"), 0, 0);
    expect_clean(surface("plane:30x20"), 1, 1);
    expect_clean(surface("plane:2x2,one"), 1, 1);
    expect_clean(surface("cylinder"), 0, 2);
    expect_clean(surface("ellipsoid:3,2,1,3"), 2, 0);
    expect_clean(surface("snake"), 2, 0);
}

TEST(Shapes, have_the_vertices_that_are_asked_for) {
    EXPECT_EQ(surface("sphere:4").position.size(), 10u * 256 + 2);
    EXPECT_EQ(surface("plane:30x20").position.size(), 600u);
    EXPECT_EQ(surface("plane:30x20").faces.size(), 2u * 29 * 19);
    EXPECT_EQ(surface("torus:1,0.5,20").position.size(), 20u * 40);
    EXPECT_NEAR(static_cast<double>(surface("snake:20000").position.size()), 20000, 400);
    EXPECT_NEAR(static_cast<double>(surface("snake:100000").position.size()), 100000, 2000);
}

TEST(Shapes, face_outwards_and_enclose_their_volume) {
    EXPECT_NEAR(volume(surface("sphere:5")), 4 * std::numbers::pi / 3, 0.01);
    EXPECT_NEAR(volume(surface("ellipsoid:3,2,1,5")), 4 * std::numbers::pi / 3 * 6, 0.06);
    EXPECT_NEAR(volume(surface("torus:2,0.5,64")), 2 * std::numbers::pi * std::numbers::pi * 2 * 0.25, 0.02);
    EXPECT_GT(volume(surface("snake")), 5);
}

// The counts of the surface paper's mesh, which is not to be had.
TEST(Shapes, kaa_is_as_irregular_as_the_papers_snake) {
    const domain::Surface s = surface("kaa");
    EXPECT_NEAR(static_cast<double>(s.position.size()), 47867, 500);
    EXPECT_NEAR(static_cast<double>(s.faces.size()), 94088, 1000);
    ASSERT_EQ(s.loops.size(), 1u);  // along the seam and round both ends
    EXPECT_GT(s.loops[0].size(), 1000u);
    EXPECT_EQ(s.report.non_manifold_edges + s.report.inconsistent_edges + s.report.zero_area_faces, 0);
    std::vector<std::set<int>> ring(s.position.size());
    double shortest = 1e9, longest = 0;
    for (const auto& f : s.faces) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto a = static_cast<std::size_t>(f[k]), b = static_cast<std::size_t>(f[(k + 1) % 3]);
            ring[a].insert(f[(k + 1) % 3]);
            ring[b].insert(f[k]);
            double square = 0;
            for (std::size_t d = 0; d < 3; ++d) square += (s.position[a][d] - s.position[b][d]) * (s.position[a][d] - s.position[b][d]);
            shortest = std::min(shortest, std::sqrt(square));
            longest = std::max(longest, std::sqrt(square));
        }
    }
    double sum = 0, squares = 0;
    for (const auto& neighbours : ring) {
        const auto count = static_cast<double>(neighbours.size());
        sum += count;
        squares += count * count;
    }
    const double mean = sum / static_cast<double>(ring.size());
    EXPECT_NEAR(squares / static_cast<double>(ring.size()) - mean * mean, 3.6, 0.3);
    EXPECT_GT(longest / shortest, 4);
}

TEST(Shapes, of_the_snake_has_triangles_of_even_size) {
    const domain::Surface s = surface("snake");
    double shortest = 1e9, longest = 0;
    for (const auto& f : s.faces) {
        for (std::size_t c = 0; c < 3; ++c) {
            const auto &a = s.position[static_cast<std::size_t>(f[c])], &b = s.position[static_cast<std::size_t>(f[(c + 1) % 3])];
            const double edge = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            shortest = std::min(shortest, edge);
            longest = std::max(longest, edge);
        }
    }
    EXPECT_LT(longest / shortest, 6);
}

TEST(Shapes, walk_the_border_of_a_plane_along_its_faces) {
    const domain::Surface s = surface("plane:4x3");
    const std::vector<domain::Vertex> round = {0, 1, 2, 3, 7, 11, 10, 9, 8, 4};
    ASSERT_EQ(s.loops.size(), 1u);
    EXPECT_EQ(s.loops.front(), round);
}

std::string message(const std::string& text) {
    try {
        domain::make_shape({text, {}});
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "no error";
}

TEST(Shapes, refuse_what_they_cannot_make) {
    const std::string list = "; shapes are sphere:K, torus:R,r,n, plane:WxH[,one], cylinder:r,L,n, ellipsoid:a,b,c,K, snake:N, kaa";
    EXPECT_EQ(message("sphere:11"), "the shape 'sphere:11': K must be a whole number between 0 and 10, not 11" + list);
    EXPECT_EQ(message("sphere:1.5"), "the shape 'sphere:1.5': K must be a whole number between 0 and 10, not 1.5" + list);
    EXPECT_EQ(message("sphere:nan"), "the shape 'sphere:nan': 'nan' is not a number" + list);
    EXPECT_EQ(message("sphere:1,2"), "the shape 'sphere:1,2': it takes up to 1 number" + list);
    EXPECT_EQ(message("plane:10"), "the shape 'plane:10': the size is written WxH" + list);
    EXPECT_EQ(message("plane:1x5"),
              "the shape 'plane:1x5': the number of vertices across must be a whole number between 2 and 1,073,741,824, not 1" + list);
    EXPECT_EQ(message("plane:100000x100000"),
              "the shape 'plane:100000x100000': it has more than 134,217,728 vertices, the most that fit into memory" + list);
    EXPECT_EQ(message("plane:5x5,two"), "the shape 'plane:5x5,two': after the size only 'one' (diagonal) can stand" + list);
    EXPECT_EQ(message("torus:1,2,8"), "the shape 'torus:1,2,8': the tube must be thinner than the ring is wide" + list);
    EXPECT_EQ(message("cylinder:0"), "the shape 'cylinder:0': the radius must be above 0, not 0" + list);
    EXPECT_EQ(message("spere:4"), "the shape 'spere:4': there is none named 'spere'; did you mean 'sphere'?" + list);
}

}  // namespace shapes_test
