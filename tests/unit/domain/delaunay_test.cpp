// tests/unit/domain/delaunay_test.cpp: intrinsic Delaunay weights: none negative, symmetric, exact where the answer is known, on every surface there is
#include "mottle/domain/operators/delaunay.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/mesh/quality.h"
#include "mottle/domain/repair/repair.h"
#include "test_meshes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace delaunay_test {

using namespace mottle;

std::shared_ptr<const domain::Surface> load(const std::string& source) {
    core::ThreadTeam team(2);
    return domain::load_surface({source, {}}, {}, team);
}

domain::MeshOperators rows_of(const domain::Surface& surface, bool delaunay, int threads = 2) {
    core::ThreadTeam team(threads);
    domain::MeshOperators rows = domain::assemble_operators(surface, 1, team);
    if (delaunay) domain::make_delaunay(rows, surface, team);
    return rows;
}

domain::Surface surface_of(std::vector<domain::Point> position, std::vector<domain::Triangle> faces) {
    domain::TriangleSoup soup;
    soup.name = "test";
    soup.position = std::move(position);
    soup.faces = std::move(faces);
    soup.polygons = static_cast<core::Index>(soup.faces.size());
    core::ThreadTeam team(1);
    return domain::repair(soup, team);
}

std::size_t at(core::Index i) { return static_cast<std::size_t>(i); }

double weight(const domain::MeshOperators& rows, domain::Vertex i, domain::Vertex j) {
    for (core::Index e = rows.first[at(i)]; e < rows.first[at(i) + 1]; ++e) {
        if (rows.neighbour[at(e)] == j) return rows.cotangent[at(e)];
    }
    return NAN;
}

double energy(const domain::MeshOperators& rows, const std::vector<double>& f) {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        for (core::Index e = rows.first[i]; e < rows.first[i + 1]; ++e) {
            const double off = f[i] - f[at(rows.neighbour[at(e)])];
            sum += 0.5 * rows.cotangent[at(e)] * off * off;
        }
    }
    return sum;
}

class Delaunay : public testing::TestWithParam<std::string> {};

TEST_P(Delaunay, LeavesNoNegativeWeightOnAnySurface) {
    const auto surface = load(GetParam());
    const domain::MeshOperators before = rows_of(*surface, false), rows = rows_of(*surface, true);
    EXPECT_EQ(domain::negative_weights(rows), 0) << "of " << domain::negative_weights(before);
    EXPECT_GE(rows.flips, 0);
    if (domain::negative_weights(before) == 0) {
        EXPECT_EQ(rows.flips, 0);
    }
    EXPECT_EQ(rows.mass, before.mass);
    core::Index asymmetric = 0, descending = 0, lost = 0;
    for (std::size_t i = 0; i < rows.mass.size(); ++i) {
        core::Index old = before.first[i];
        for (core::Index e = rows.first[i]; e < rows.first[i + 1]; ++e) {
            const domain::Vertex j = rows.neighbour[at(e)];
            descending += e > rows.first[i] && surface->original[at(j)] <= surface->original[at(rows.neighbour[at(e - 1)])];
            asymmetric += weight(rows, j, static_cast<domain::Vertex>(i)) != rows.cotangent[at(e)];
            const bool known = old < before.first[i + 1] && before.neighbour[at(old)] == j;
            for (std::size_t d = 0; d < 3; ++d) lost += rows.gradient[d][at(e)] != (known ? before.gradient[d][at(old)] : 0);
            old += known;
        }
        lost += old != before.first[i + 1];
    }
    EXPECT_EQ(asymmetric, 0);
    EXPECT_EQ(descending, 0);
    EXPECT_EQ(lost, 0) << "gradients and their one-rings stay";
    // Of all triangulations of the same vertices Delaunay's has the least energy (Rippa 1990), and flips only lower it.
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> f(rows.mass.size());
    for (double& x : f) x = uniform(random);
    const double least = energy(rows, f), given = energy(before, f);
    EXPECT_GE(least, 0);
    EXPECT_LE(least, given * (1 + 1e-12));
}

INSTANTIATE_TEST_SUITE_P(surfaces, Delaunay, testing::ValuesIn(mottle::tests::surfaces()), mottle::tests::surface_test_name);

// Two triangles over the long diagonal of a kite. The other diagonal is Delaunay, and its weights follow from the angles alone.
TEST(DelaunayOfAKite, IsTheOtherDiagonal) {
    const double h = 0.4;
    const domain::Surface surface = surface_of({{0, 0, 0}, {2, 0, 0}, {1, h, 0}, {1, -h, 0}}, {{0, 1, 2}, {1, 0, 3}});
    const domain::MeshOperators before = rows_of(surface, false), rows = rows_of(surface, true);
    EXPECT_LT(weight(before, 0, 1), 0);
    EXPECT_EQ(rows.flips, 1) << "of either sheet";
    // angles of the triangles (0, 3, 2) and (1, 2, 3): at 0 and 1 the cotangent is (1 - h^2)/2h, at the others h
    EXPECT_NEAR(weight(rows, 2, 3), (1 - h * h) / (2 * h), 1e-14);
    for (const domain::Vertex tip : {0, 1}) {
        EXPECT_NEAR(weight(rows, tip, 2), h / 2, 1e-14);
        EXPECT_NEAR(weight(rows, tip, 3), h / 2, 1e-14);
    }
    EXPECT_EQ(weight(rows, 0, 1), 0) << "an edge of the gradients alone";
}

// One triangle with an obtuse corner, as a sheet of two sides: its long side is flipped through the back, from the obtuse corner to itself.
TEST(DelaunayOfABorder, ATriangleIsFlippedThroughItsBack) {
    const domain::Surface surface = surface_of({{0, 0, 0}, {2, 0, 0}, {1, 0.4, 0}}, {{0, 1, 2}});
    const domain::MeshOperators before = rows_of(surface, false), rows = rows_of(surface, true);
    EXPECT_LT(weight(before, 0, 1), 0);
    EXPECT_EQ(weight(rows, 0, 1), 0);
    // Cut along the height, each half doubled is an isosceles triangle whose weight to either tip is h, and half of it counts for this sheet.
    EXPECT_NEAR(weight(rows, 0, 2), 0.4 / 2, 1e-14);
    EXPECT_NEAR(weight(rows, 1, 2), 0.4 / 2, 1e-14);
}

// On a flat patch in general position the triangulation is unique: however bad the start, the weights are those of the good one.
TEST(DelaunayOfAPatch, DoesNotDependOnTheTriangulationItStartsFrom) {
    std::vector<domain::Point> position;
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-0.2, 0.2);
    constexpr int kSide = 12;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const bool inner = x > 0 && y > 0 && x < kSide - 1 && y < kSide - 1;
            position.push_back({x + (inner ? uniform(random) : 0), y + (inner ? uniform(random) : 0), 0});
        }
    }
    std::vector<domain::Triangle> one, other;
    for (int y = 0; y + 1 < kSide; ++y) {
        for (int x = 0; x + 1 < kSide; ++x) {
            const domain::Vertex a = y * kSide + x, b = a + 1, c = a + kSide, d = c + 1;
            one.push_back({a, b, d}), one.push_back({a, d, c});
            other.push_back({b, d, c}), other.push_back({b, c, a});
        }
    }
    const domain::MeshOperators first = rows_of(surface_of(position, one), true), second = rows_of(surface_of(position, other), true);
    EXPECT_GT(first.flips, 10);
    EXPECT_GT(second.flips, 10);
    std::vector<double> f(position.size());
    for (double& x : f) x = uniform(random);
    EXPECT_NEAR(energy(first, f), energy(second, f), 1e-12);
    // Linear functions have no Laplacian inside.
    for (int y = 1; y + 1 < kSide; ++y) {
        for (int x = 1; x + 1 < kSide; ++x) {
            const auto i = static_cast<std::size_t>(y * kSide + x);
            double sum = 0;
            for (core::Index e = first.first[i]; e < first.first[i + 1]; ++e) {
                const domain::Point& p = position[at(first.neighbour[at(e)])];
                sum += first.laplacian[at(e)] * (2 * (p[0] - position[i][0]) - 3 * (p[1] - position[i][1]));
            }
            EXPECT_NEAR(sum, 0, 1e-11);
        }
    }
}

// Vertices may be numbered along a curve: the rows hold the same bits under other names.
TEST(DelaunayRows, DoNotDependOnTheNumbersOfVertices) {
    core::ThreadTeam team(2);
    for (const char* shape : {"snake:3000", "plane:20x13"}) {
        domain::TriangleSoup soup = domain::make_shape({shape, {}});
        soup.faces.push_back({0, 1, 40});  // an edge of three faces, or of two in one direction
        const domain::Surface file = domain::repair(soup, team, domain::Numbering::file),
                              curve = domain::repair(soup, team, domain::Numbering::curve);
        const domain::MeshOperators first = rows_of(file, true), second = rows_of(curve, true);
        ASSERT_NE(file.original, curve.original);
        EXPECT_EQ(first.flips, second.flips);
        core::Index different = 0;
        for (std::size_t v = 0; v < file.original.size(); ++v) {
            const auto w = at(curve.vertex_of[at(file.original[v])]);
            ASSERT_EQ(first.first[v + 1] - first.first[v], second.first[w + 1] - second.first[w]);
            for (core::Index e = first.first[v], f = second.first[w]; e < first.first[v + 1]; ++e, ++f) {
                different += first.laplacian[at(e)] != second.laplacian[at(f)];
                different += file.original[at(first.neighbour[at(e)])] != curve.original[at(second.neighbour[at(f)])];
            }
        }
        EXPECT_EQ(different, 0) << shape;
    }
}

TEST(DelaunayRows, AreTheSameBitsForAnyNumberOfThreads) {
    const auto surface = load("snake:3000");
    const domain::MeshOperators one = rows_of(*surface, true, 1), three = rows_of(*surface, true, 3);
    EXPECT_EQ(one.neighbour, three.neighbour);
    EXPECT_EQ(one.laplacian, three.laplacian);
    EXPECT_EQ(one.flips, three.flips);
}

}  // namespace delaunay_test
