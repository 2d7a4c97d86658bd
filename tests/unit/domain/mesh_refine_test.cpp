// tests/unit/domain/mesh_refine_test.cpp: Loop's masks by hand, borders and seams that stay, and what is refused
#include "mottle/domain/repair/refine.h"

#include "mottle/core/error.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/shapes/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace mesh_refine_test {

using namespace mottle;
using domain::Point;
using domain::Subdivision;
using domain::TriangleSoup;

core::ThreadTeam& team() {
    static core::ThreadTeam one(2);
    return one;
}

TriangleSoup refined(const TriangleSoup& soup, int times, Subdivision subdivision = Subdivision::loop) {
    return domain::refined(soup, times, subdivision, team(), 1'000'000);
}

TriangleSoup octahedron() {
    TriangleSoup soup;
    soup.name = "octahedron";
    soup.position = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    soup.faces = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    soup.polygons = 8;
    return soup;
}

void expect_point(const Point& p, const Point& q) {
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(p[d], q[d], 1e-15);
}

double area_of(const TriangleSoup& soup) {
    double area = 0;
    for (const domain::Triangle& face : soup.faces) {
        Point a, b;
        for (std::size_t d = 0; d < 3; ++d) {
            const double p = soup.position[static_cast<std::size_t>(face[0])][d];
            a[d] = soup.position[static_cast<std::size_t>(face[1])][d] - p;
            b[d] = soup.position[static_cast<std::size_t>(face[2])][d] - p;
        }
        area += 0.5 * std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
    }
    return area;
}

// Four neighbours count (5/8 - (3/8)^2)/4 = 31/256 each; those of a vertex of the octahedron add up to 0.
TEST(MeshRefine, LoopsMasksOnAnOctahedron) {
    const TriangleSoup fine = refined(octahedron(), 1);
    ASSERT_EQ(fine.position.size(), 6U + 12U);
    ASSERT_EQ(fine.faces.size(), 32U);
    expect_point(fine.position[0], {132.0 / 256, 0, 0});
    expect_point(fine.position[5], {0, 0, -132.0 / 256});
    std::set<std::array<int, 3>> found;
    for (std::size_t i = 6; i < 18; ++i) {
        std::array<int, 3> sign{};
        for (std::size_t d = 0; d < 3; ++d) {
            const double x = fine.position[i][d];
            EXPECT_TRUE(x == 0 || std::abs(x) == 0.375) << x;  // 3/8 of each end, 1/8 of two that cancel
            sign[d] = x > 0 ? 1 : x < 0 ? -1 : 0;
        }
        found.insert(sign);
    }
    EXPECT_EQ(found.size(), 12U);
    EXPECT_EQ(domain::repair(fine, team()).report.inconsistent_edges, 0);
}

// The smooth surface that an icosahedron comes to is no sphere, but nearly one, and its vertices of valence 5 lie at a known share of where they were:
// Loop's limit mask takes 1/(1 + n/(3/(8 share))) of each neighbour.
TEST(MeshRefine, VerticesComeToTheirLimit) {
    const TriangleSoup soup = domain::make_shape({"sphere:0", {}}, 100);
    ASSERT_EQ(soup.position.size(), 12U);
    const TriangleSoup fine = refined(soup, 6);
    const double five = 5, root = 3.0 / 8 + std::cos(2 * std::acos(-1.0) / 5) / 4, share = (5.0 / 8 - root * root) / five;
    const double of_each = 1 / (3 / (8 * share) + five), height = std::sqrt(0.2);  // of the ring of neighbours, on a sphere of 1
    const double limit = 1 - five * of_each + five * of_each * height;
    for (std::size_t v = 0; v < 12; ++v) {
        const Point &p = fine.position[v], &was = soup.position[v];
        EXPECT_NEAR(p[0] * was[0] + p[1] * was[1] + p[2] * was[2], limit, 2e-4);
        EXPECT_NEAR(std::hypot(p[0], p[1], p[2]), limit, 2e-4);
    }
}

TEST(MeshRefine, BordersAndMidpointsKeepTheirPlaces) {
    const TriangleSoup plane = domain::make_shape({"plane:6x4", {}}, 1000);
    for (const Subdivision subdivision : {Subdivision::loop, Subdivision::midpoint}) {
        const TriangleSoup fine = refined(plane, 2, subdivision);
        EXPECT_EQ(fine.faces.size(), 16 * plane.faces.size());
        EXPECT_NEAR(area_of(fine), area_of(plane), 1e-12 * area_of(plane)) << "a rectangle stays the rectangle that it is";
        const domain::Box box = domain::bounds(fine.position), was = domain::bounds(plane.position);
        EXPECT_EQ(box.lo, was.lo);
        EXPECT_EQ(box.hi, was.hi);
    }
    TriangleSoup rough = octahedron();
    rough.position[4] = {0.3, -0.2, 2};
    const TriangleSoup flat = refined(rough, 3, Subdivision::midpoint);
    for (std::size_t v = 0; v < 6; ++v) EXPECT_EQ(flat.position[v], rough.position[v]);
    EXPECT_NEAR(area_of(flat), area_of(rough), 1e-12);
}

// Two copies of the edge x to z, each with its own texture coordinates, as at a seam.
TEST(MeshRefine, SeamsStayClosedAndKeepTheirTexture) {
    TriangleSoup soup = octahedron();
    soup.attributes = {{"weight", {0, 1, 2, 3, 4, 5}}};
    for (std::size_t v = 0; v < 6; ++v) soup.texture.push_back({0.1 * static_cast<double>(v), 0});
    for (const int copied : {0, 4}) {
        const auto v = static_cast<std::size_t>(copied);
        soup.position.push_back(soup.position[v]);
        soup.texture.push_back({0.9, 1});
        soup.attributes[0].values.push_back(soup.attributes[0].values[v]);
    }
    soup.faces[0] = {6, 2, 7};
    const TriangleSoup fine = refined(soup, 2);
    EXPECT_EQ(fine.position.size(), fine.texture.size());
    EXPECT_EQ(fine.position.size(), fine.attributes[0].values.size());
    EXPECT_EQ(fine.position[0], fine.position[6]);
    const domain::Surface surface = domain::repair(fine, team()), plain = domain::repair(refined(octahedron(), 2), team());
    EXPECT_TRUE(surface.loops.empty());
    EXPECT_EQ(surface.position.size(), plain.position.size());
    EXPECT_GT(surface.report.welded, 2);
    std::map<Point, int> places;
    for (const Point& p : plain.position) ++places[p];
    for (const Point& p : surface.position) EXPECT_EQ(places.count(p), 1U) << "the same places as without the seam";
    // the new vertex between the copies 6 and 7, and that between 0 and 4, lie in one place and have textures of their own
    std::set<std::array<double, 2>> seen(fine.texture.begin(), fine.texture.end());
    EXPECT_TRUE(seen.contains({0.9, 1}));
    EXPECT_TRUE(seen.contains({0.2, 0})) << "between 0 and 0.4";
}

TEST(MeshRefine, EdgesOfManyFacesStayAndUnusedVerticesToo) {
    TriangleSoup fan = octahedron();
    fan.position.push_back({2, 2, 2});
    fan.position.push_back({9, 9, 9});  // of no face
    fan.faces.push_back({0, 2, 6});
    const TriangleSoup fine = refined(fan, 1);
    EXPECT_EQ(fine.position[7], (Point{9, 9, 9}));
    EXPECT_EQ(fine.position[0], (Point{1, 0, 0})) << "on an edge of three faces";
    EXPECT_EQ(fine.faces.size(), 36U);
    EXPECT_EQ(domain::repair(fine, team()).report.non_manifold_edges, 2);
}

TEST(MeshRefine, TooManyVerticesAreRefusedBeforeTheyAreMade) {
    try {
        domain::refined(octahedron(), 8, Subdivision::loop, team(), 1000);
        FAIL();
    } catch (const core::InputError& error) {
        EXPECT_EQ(error.message(),
                  "octahedron refined 8 times has 262,146 vertices, and 1,000 are the most that fit; refine it fewer times");
    }
    TriangleSoup flat = octahedron();
    flat.faces = {{0, 0, 1}};
    EXPECT_THROW(refined(flat, 1), core::InputError) << "no usable face";
}

}  // namespace mesh_refine_test
