// tests/oracle/mesh_rows_test.cpp: the rows of a mesh against the two-phase formulas in plain loops, and the invariants that hold on every surface
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/repair/repair.h"
#include "plain_mesh.h"
#include "test_meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace mesh_rows_test {

using namespace mottle;

class MeshRows : public testing::TestWithParam<std::string> {};

domain::Mesh load(const std::string& source, double scale = 1, int threads = 2) {
    core::ThreadTeam team(threads);
    return domain::create_mesh(domain::load_surface({source, {}}, {}, team), scale, team);
}

std::size_t at(core::Index i) { return static_cast<std::size_t>(i); }

/// The sum of row values times differences of f.
std::vector<double> apply(const domain::Mesh& mesh, const std::vector<double>& weights, const std::vector<double>& f) {
    const domain::MeshOperators& rows = *mesh.operators;
    std::vector<double> result(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        for (core::Index e = rows.first[i]; e < rows.first[i + 1]; ++e)
            result[i] += weights[at(e)] * (f[static_cast<std::size_t>(rows.neighbour[at(e)])] - f[i]);
    }
    return result;
}

std::vector<double> random_field(std::size_t count) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> f(count);
    for (double& x : f) x = uniform(random);
    return f;
}

/// Largest of |a - b| over the largest of the row's own terms, so that slivers with huge weights count like others.
double row_difference(const domain::Mesh& mesh, const std::vector<double>& weights, const std::vector<double>& a,
                      const std::vector<double>& b) {
    const domain::MeshOperators& rows = *mesh.operators;
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double scale = 0;
        for (core::Index e = rows.first[i]; e < rows.first[i + 1]; ++e) scale += std::abs(weights[at(e)]);
        most = std::max(most, std::abs(a[i] - b[i]) / scale);
    }
    return most;
}

/// The surface about its centroid and divided by the power of two above its longest side: the frame in which docs/numerics.md defines the rows.
plain::PlainMesh plain_of(const domain::Surface& surface, double& length) {
    plain::PlainMesh mesh;
    const domain::Box box = domain::bounds(surface.position);
    length = 1;
    const double longest = std::max({box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]});
    while (length <= longest) length *= 2;
    while (length > 2 * longest) length /= 2;
    plain::Vector centroid{};
    for (const domain::Point& p : surface.position) {
        for (std::size_t d = 0; d < 3; ++d) centroid[d] += p[d] / length;
    }
    for (double& x : centroid) x /= static_cast<double>(surface.position.size());
    for (const domain::Point& p : surface.position) {
        plain::Vector v{};
        for (std::size_t d = 0; d < 3; ++d) v[d] = p[d] / length - centroid[d];
        mesh.position.push_back(v);
    }
    for (const domain::Triangle& f : surface.faces) mesh.faces.push_back({f[0], f[1], f[2]});
    return mesh;
}

TEST_P(MeshRows, equal_the_two_phase_formulas) {
    const domain::Mesh mesh = load(GetParam());
    double length = 1;
    const plain::PlainMesh plain_mesh = plain_of(*mesh.surface, length);
    const std::vector<double> f = random_field(plain_mesh.position.size());
    // The full dragon has angles of 0.001 degrees, where the area of a face depends on the corner that it is formed at.
    const double tolerance = GetParam().ends_with("dragon_871k.ply") ? 1e-12 : 1e-13;
    std::vector<double> laplacian = plain::laplacian(plain_mesh, f);
    for (double& x : laplacian) x /= length * length;
    EXPECT_LE(row_difference(mesh, mesh.operators->laplacian, apply(mesh, mesh.operators->laplacian, f), laplacian), tolerance);
    const std::vector<plain::Vector> gradient = plain::gradient(plain_mesh, f);
    for (std::size_t d = 0; d < 3; ++d) {
        std::vector<double> expected;
        for (const plain::Vector& g : gradient) expected.push_back(g[d] / length);
        // The components of one row have one scale.
        std::vector<double> largest(mesh.operators->cotangent.size());
        for (const auto& component : mesh.operators->gradient) {
            for (std::size_t e = 0; e < largest.size(); ++e) largest[e] = std::max(largest[e], std::abs(component[e]));
        }
        EXPECT_LE(row_difference(mesh, largest, apply(mesh, mesh.operators->gradient[d], f), expected), tolerance) << "component " << d;
    }
}

TEST_P(MeshRows, keep_the_invariants_of_every_surface) {
    const domain::Mesh mesh = load(GetParam());
    const domain::MeshOperators& rows = *mesh.operators;
    const auto count = mesh.surface->position.size();
    ASSERT_EQ(rows.first.size(), count + 1);
    core::Index asymmetric = 0, descending = 0, alone = 0;
    for (std::size_t i = 0; i < count; ++i) {
        alone += rows.first[i] == rows.first[i + 1];
        for (core::Index e = rows.first[i]; e < rows.first[i + 1]; ++e) {
            descending += e > rows.first[i] && rows.neighbour[at(e)] <= rows.neighbour[at(e - 1)];
            const auto j = static_cast<std::size_t>(rows.neighbour[at(e)]);
            const auto begin = rows.neighbour.begin() + rows.first[j], end = rows.neighbour.begin() + rows.first[j + 1];
            const auto back = std::lower_bound(begin, end, static_cast<domain::Vertex>(i));
            asymmetric += back == end || *back != static_cast<domain::Vertex>(i) ||
                          rows.cotangent[static_cast<std::size_t>(back - rows.neighbour.begin())] != rows.cotangent[at(e)];
        }
    }
    EXPECT_EQ(asymmetric, 0) << "L must be symmetric to the last bit";
    EXPECT_EQ(descending, 0);
    EXPECT_EQ(alone, 0);

    double area = 0, mass = 0;
    for (const domain::Triangle& face : mesh.surface->faces) {
        auto p = [&](std::size_t c) { return mesh.surface->position[static_cast<std::size_t>(face[c])]; };
        area += 0.5 * plain::length(plain::cross(plain::minus(p(1), p(0)), plain::minus(p(2), p(0))));
    }
    for (double m : rows.mass) {
        EXPECT_GT(m, 0);
        mass += m;
    }
    EXPECT_NEAR(mass / area, 1, 1e-13);

    // x^T L x of the coordinates is twice the area; of anything it is not negative; of a constant it is 0.
    auto energy = [&](const std::vector<double>& f) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            for (core::Index e = rows.first[i]; e < rows.first[i + 1]; ++e) {
                const double off = f[i] - f[static_cast<std::size_t>(rows.neighbour[at(e)])];
                sum += 0.5 * rows.cotangent[at(e)] * off * off;
            }
        }
        return sum;
    };
    double coordinates = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        std::vector<double> x;
        for (const domain::Point& p : mesh.surface->position) x.push_back(p[d]);
        coordinates += energy(x);
    }
    EXPECT_NEAR(coordinates / (2 * area), 1, 1e-13);
    EXPECT_GE(energy(random_field(count)), 0);
    for (double x : apply(mesh, rows.laplacian, std::vector<double>(count, 3.7))) ASSERT_EQ(x, 0);
}

TEST_P(MeshRows, are_the_same_bits_for_any_number_of_threads) {
    const domain::Mesh one = load(GetParam(), 1, 1), three = load(GetParam(), 1, 3);
    EXPECT_EQ(one.operators->neighbour, three.operators->neighbour);
    EXPECT_EQ(one.operators->cotangent, three.operators->cotangent);
    EXPECT_EQ(one.operators->laplacian, three.operators->laplacian);
    EXPECT_EQ(one.operators->gradient, three.operators->gradient);
    EXPECT_EQ(one.operators->mass, three.operators->mass);
}

INSTANTIATE_TEST_SUITE_P(surfaces, MeshRows, testing::ValuesIn(mottle::tests::surfaces()), mottle::tests::surface_test_name);

TEST(MeshRowsOnAFlatPatch, leave_linear_functions_alone_inside) {
    for (const char* shape : {"plane:17x11", "plane:17x11,one"}) {
        const domain::Mesh mesh = load(shape, 0.25);
        std::vector<double> f;
        for (const domain::Point& p : mesh.surface->position) f.push_back(2 * p[0] - 3 * p[1] + 1);
        const std::vector<double> lap = apply(mesh, mesh.operators->laplacian, f);
        const std::vector<double> dx = apply(mesh, mesh.operators->gradient[0], f), dy = apply(mesh, mesh.operators->gradient[1], f);
        for (std::size_t i = 0; i < f.size(); ++i) {
            const domain::Point& p = mesh.surface->position[i];
            EXPECT_NEAR(dx[i], 2 / 0.25, 1e-12);
            EXPECT_NEAR(dy[i], -3 / 0.25, 1e-12);
            const bool inside = p[0] > 0 && p[0] < 16 && p[1] > 0 && p[1] < 10;
            EXPECT_NEAR(inside ? lap[i] : 0, 0, 1e-11);
        }
    }
}

TEST(MeshRowsOnASquareLattice, are_the_five_point_stencil) {
    // With one diagonal the cotangents opposite the diagonals vanish, and what is left is the 5-point Laplacian with spacing 1.
    const domain::Mesh mesh = load("plane:9x8,one");
    const domain::MeshOperators& rows = *mesh.operators;
    const std::size_t middle = 4 * 9 + 4;
    for (core::Index e = rows.first[middle]; e < rows.first[middle + 1]; ++e) {
        const auto off = std::abs(rows.neighbour[at(e)] - static_cast<domain::Vertex>(middle));
        EXPECT_NEAR(rows.laplacian[at(e)], off == 1 || off == 9 ? 1 : 0, 1e-15);
    }
    EXPECT_NEAR(rows.mass[middle], 1, 1e-15);
}

TEST(MeshRowsInRandomOrder, have_the_bits_of_rows_in_order_when_faces_keep_theirs) {
    // Large enough to be numbered along a Morton curve; the same surface with shuffled vertices has the same rows, renamed, up to the order of neighbours.
    domain::TriangleSoup soup = domain::make_shape({"plane:350x300", {}});
    std::vector<domain::Vertex> place(soup.position.size());
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), std::mt19937_64(5));
    domain::TriangleSoup shuffled = soup;
    for (std::size_t v = 0; v < place.size(); ++v) shuffled.position[at(place[v])] = soup.position[v];
    for (domain::Triangle& face : shuffled.faces) {
        for (domain::Vertex& v : face) v = place[at(v)];
    }
    core::ThreadTeam team(2);
    const domain::MeshOperators plain = domain::assemble_operators(domain::repair(soup, team), 1, team);
    const domain::Surface curved = domain::repair(shuffled, team);
    EXPECT_FALSE(curved.keeps_order());
    const domain::MeshOperators other = domain::assemble_operators(curved, 1, team);
    core::Index different = 0;
    for (std::size_t v = 0; v < place.size(); ++v) {
        const std::size_t w = at(curved.vertex_of[at(place[v])]);
        ASSERT_EQ(plain.first[v + 1] - plain.first[v], other.first[w + 1] - other.first[w]);
        different += plain.mass[v] != other.mass[w];
        for (core::Index e = plain.first[v]; e < plain.first[v + 1]; ++e) {
            const domain::Vertex named = place[at(plain.neighbour[at(e)])];
            const auto begin = other.neighbour.begin() + other.first[w], end = other.neighbour.begin() + other.first[w + 1];
            auto before = [&](domain::Vertex a, domain::Vertex b) { return curved.original[at(a)] < b; };
            const auto found = std::lower_bound(begin, end, named, before);  // neighbours ascend by their numbers in the file
            ASSERT_TRUE(found != end && curved.original[at(*found)] == named);
            const auto o = static_cast<std::size_t>(found - other.neighbour.begin());
            different += plain.cotangent[at(e)] != other.cotangent[o] || plain.laplacian[at(e)] != other.laplacian[o] ||
                         plain.gradient[0][at(e)] != other.gradient[0][o] || plain.gradient[1][at(e)] != other.gradient[1][o];
        }
    }
    EXPECT_EQ(different, 0);
}

TEST_P(MeshRows, do_not_depend_on_the_numbers_of_vertices) {
    core::ThreadTeam team(2);
    const std::string source = GetParam();
    const bool shape = domain::is_shape(source);
    auto mesh = [&](domain::Numbering numbering) {
        domain::TriangleSoup soup = shape ? domain::make_shape({source, {}}) : domain::read_mesh(source);
        return domain::create_mesh(std::make_shared<const domain::Surface>(domain::repair(soup, team, numbering)), 1, team);
    };
    const domain::Mesh plain = mesh(domain::Numbering::file), curved = mesh(domain::Numbering::curve);
    const domain::Surface &from = *plain.surface, &to = *curved.surface;
    EXPECT_TRUE(from.keeps_order());
    const domain::MeshOperators &a = *plain.operators, &b = *curved.operators;
    auto named = [&](domain::Vertex v) { return to.vertex_of[at(from.original[at(v)])]; };
    ASSERT_EQ(a.neighbour.size(), b.neighbour.size());
    core::Index different = 0;
    for (std::size_t v = 0; v < from.position.size(); ++v) {
        const std::size_t w = at(named(static_cast<domain::Vertex>(v)));
        ASSERT_EQ(to.original[w], from.original[v]);
        ASSERT_EQ(to.position[w], from.position[v]);
        ASSERT_EQ(a.first[v + 1] - a.first[v], b.first[w + 1] - b.first[w]);
        different += a.mass[v] != b.mass[w];
        for (std::size_t e = at(a.first[v]), o = at(b.first[w]); e < at(a.first[v + 1]); ++e, ++o) {
            ASSERT_EQ(named(a.neighbour[e]), b.neighbour[o]);
            different += a.cotangent[e] != b.cotangent[o] || a.laplacian[e] != b.laplacian[o];
            for (std::size_t d = 0; d < 3; ++d) different += a.gradient[d][e] != b.gradient[d][o];
        }
    }
    EXPECT_EQ(different, 0);
    std::vector<std::vector<domain::Vertex>> loops = from.loops;
    for (auto& loop : loops) std::transform(loop.begin(), loop.end(), loop.begin(), named);
    EXPECT_EQ(loops, to.loops);
    EXPECT_EQ(from.vertex_of.size(), to.vertex_of.size());
    EXPECT_EQ(curved.spectrum.gershgorin, plain.spectrum.gershgorin);
    EXPECT_EQ(curved.spectrum.worst, named(plain.spectrum.worst));
    EXPECT_NEAR(curved.spectrum.lanczos / plain.spectrum.lanczos, 1, 1e-9);
}

TEST(MeshRowsOfAScaledSurface, follow_the_scale) {
    const domain::Mesh one = load("sphere:2"), twice = load("sphere:2", 2);
    for (std::size_t e = 0; e < one.operators->laplacian.size(); ++e) {
        EXPECT_EQ(twice.operators->cotangent[e], one.operators->cotangent[e]);
        EXPECT_EQ(twice.operators->laplacian[e], one.operators->laplacian[e] / 4);
        EXPECT_EQ(twice.operators->gradient[1][e], one.operators->gradient[1][e] / 2);
    }
    EXPECT_EQ(twice.operators->mass[5], one.operators->mass[5] * 4);
}

}  // namespace mesh_rows_test
