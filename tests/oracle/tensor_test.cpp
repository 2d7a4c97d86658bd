// tests/oracle/tensor_test.cpp: div(tensor(along, across, dir)*grad(f)) against 3x3 matrices on faces in plain loops, and what holds on every surface
#include "mottle/core/error.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/operators/tensor_weights.h"
#include "oracle/mesh_run.h"
#include "test_meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace oracle {
namespace tensor_test {

using mottle::domain::Mesh;
using mottle::domain::Point;
using mottle::domain::TensorField;

Mesh load(const std::string& source) {
    mottle::core::ThreadTeam team(2);
    return mottle::domain::create_mesh(mottle::domain::load_surface({source, {}}, {}, team), 1, team);
}

std::vector<double> weights(const Mesh& mesh, const TensorField& tensor, int threads = 2) {
    mottle::core::ThreadTeam team(threads);
    return mottle::domain::tensor_weights(mesh, tensor, team);
}

std::vector<double> apply(const Mesh& mesh, const std::vector<double>& weights, const std::vector<double>& f) {
    const mottle::domain::MeshOperators& rows = *mesh.operators;
    std::vector<double> result(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        for (auto e = static_cast<std::size_t>(rows.first[i]); e < static_cast<std::size_t>(rows.first[i + 1]); ++e)
            result[i] += weights[e] * (f[static_cast<std::size_t>(rows.neighbour[e])] - f[i]);
    }
    return result;
}

struct Draw {
    std::mt19937_64 random{11};
    std::uniform_real_distribution<double> uniform{-1, 1};
    double operator()() { return uniform(random); }
    std::vector<double> field(std::size_t count) {
        std::vector<double> f(count);
        for (double& x : f) x = (*this)();
        return f;
    }
};

TensorField random_tensor(std::size_t count) {
    Draw draw;
    TensorField tensor;
    for (std::size_t v = 0; v < count; ++v) {
        tensor.along.push_back(1.01 + draw());
        tensor.across.push_back(1.01 + draw());
        tensor.direction.push_back({draw(), draw(), draw()});
    }
    return tensor;
}

TensorField uniform_tensor(std::size_t count, double along, double across, const Point& direction) {
    return {std::vector<double>(count, along), std::vector<double>(count, across), std::vector<Point>(count, direction)};
}

double energy(const Mesh& mesh, const std::vector<double>& values, const std::vector<double>& f) {
    const std::vector<double> image = apply(mesh, values, f);
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum -= mesh.operators->mass[i] * image[i] * f[i];
    return sum;
}

/// By row, the largest weight: what the error of a row is measured by.
std::vector<double> row_scale(const Mesh& mesh) {
    std::vector<double> scale;
    for (std::size_t i = 0; i < mesh.operators->mass.size(); ++i) {
        double sum = 0;
        for (auto e = mesh.operators->first[i]; e < mesh.operators->first[i + 1]; ++e)
            sum += std::abs(mesh.operators->laplacian[static_cast<std::size_t>(e)]);
        scale.push_back(sum);
    }
    return scale;
}

class TensorRows : public testing::TestWithParam<std::string> {};

TEST_P(TensorRows, equal_matrices_on_faces) {
    const Mesh mesh = load(GetParam());
    const std::size_t count = mesh.surface->position.size();
    const TensorField tensor = random_tensor(count);
    const std::vector<double> f = Draw().field(count), scale = row_scale(mesh);
    const std::vector<double> expected = plain::tensor_divergence(plain_of(mesh), f, tensor.along, tensor.across, tensor.direction);
    const std::vector<double> actual = apply(mesh, weights(mesh, tensor), f);
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(actual[i] - expected[i]) / scale[i]);
    // A sliver's plane is known to as many digits fewer as it is thin: spot has corners of 0.1 degrees, the full dragon of 0.001.
    EXPECT_LE(most, GetParam().ends_with("dragon_871k.ply") ? 1e-8 : 1e-11);
}

TEST_P(TensorRows, keep_their_invariants_on_every_surface) {
    const Mesh mesh = load(GetParam());
    const mottle::domain::MeshOperators& rows = *mesh.operators;
    const std::size_t count = mesh.surface->position.size();
    const std::vector<double> values = weights(mesh, random_tensor(count));
    // Symmetric before the division by the mass; a constant stays; never negative.
    double asymmetry = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (auto e = static_cast<std::size_t>(rows.first[i]); e < static_cast<std::size_t>(rows.first[i + 1]); ++e) {
            const auto j = static_cast<std::size_t>(rows.neighbour[e]);
            const auto begin = rows.neighbour.begin() + rows.first[j], end = rows.neighbour.begin() + rows.first[j + 1];
            const auto back =
                static_cast<std::size_t>(std::lower_bound(begin, end, static_cast<mottle::domain::Vertex>(i)) - rows.neighbour.begin());
            const double here = values[e] * rows.mass[i], there = values[back] * rows.mass[j];
            asymmetry = std::max(asymmetry, std::abs(here - there) / std::max(std::abs(here), 1e-300));
        }
    }
    EXPECT_LE(asymmetry, 5e-16) << "one bit, from dividing by the mass";
    for (const double x : apply(mesh, values, std::vector<double>(count, 2.5))) ASSERT_EQ(x, 0);
    const std::vector<double> f = Draw().field(count);
    EXPECT_GE(energy(mesh, values, f), 0);
    // Of the coordinates: the trace of the tensor times the area.
    const std::vector<double> even = weights(mesh, uniform_tensor(count, 0.7, 0.2, {0.3, -0.5, 0.8}));
    double trace = 0, area = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        std::vector<double> x;
        for (const Point& p : mesh.surface->position) x.push_back(p[d] - mesh.surface->position[0][d]);
        trace += energy(mesh, even, x);
    }
    for (const double m : rows.mass) area += m;
    EXPECT_NEAR(trace / (0.9 * area), 1, 1e-9);
}

TEST_P(TensorRows, are_the_laplacian_where_along_is_across) {
    const Mesh mesh = load(GetParam());
    const std::size_t count = mesh.surface->position.size();
    TensorField tensor = random_tensor(count);
    tensor.along = tensor.across = std::vector<double>(count, 1);
    const std::vector<double> values = weights(mesh, tensor), scale = row_scale(mesh);
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (auto e = static_cast<std::size_t>(mesh.operators->first[i]); e < static_cast<std::size_t>(mesh.operators->first[i + 1]); ++e)
            most = std::max(most, std::abs(values[e] - mesh.operators->laplacian[e]) / scale[i]);
    }
    EXPECT_LE(most, GetParam().ends_with("dragon_871k.ply") ? 1e-8 : 1e-11);
}

INSTANTIATE_TEST_SUITE_P(surfaces, TensorRows, testing::ValuesIn(mottle::tests::surfaces()), mottle::tests::surface_test_name);

/// A turn about an axis that is none of the coordinates'.
Point turned(const Point& p) {
    const double c = std::cos(0.7), s = std::sin(0.7);
    const Point q = {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
    return {q[0], c * q[1] - s * q[2], s * q[1] + c * q[2]};
}

TEST(TensorOfATurnedSurface, HasTheSameRows) {
    mottle::domain::TriangleSoup soup = mottle::domain::make_shape({"snake", {}});
    mottle::domain::TriangleSoup other = soup;
    for (Point& p : other.position) p = turned(p);
    mottle::core::ThreadTeam team(2);
    auto mesh_of = [&](const mottle::domain::TriangleSoup& s) {
        return mottle::domain::create_mesh(std::make_shared<const mottle::domain::Surface>(mottle::domain::repair(s, team)), 1, team);
    };
    const Mesh here = mesh_of(soup), there = mesh_of(other);
    TensorField tensor = random_tensor(here.surface->position.size());
    const std::vector<double> expected = weights(here, tensor);
    for (Point& d : tensor.direction) d = turned(d);
    const std::vector<double> actual = weights(there, tensor), scale = row_scale(here);
    ASSERT_EQ(here.operators->neighbour, there.operators->neighbour);
    for (std::size_t i = 0; i < scale.size(); ++i) {
        for (auto e = static_cast<std::size_t>(here.operators->first[i]); e < static_cast<std::size_t>(here.operators->first[i + 1]); ++e)
            ASSERT_NEAR(actual[e], expected[e], 1e-11 * scale[i]);
    }
}

TEST(TensorRowsOfThreads, AreTheSameBits) {
    const Mesh mesh = load("torus:1,0.4,40");
    const TensorField tensor = random_tensor(mesh.surface->position.size());
    EXPECT_EQ(weights(mesh, tensor, 1), weights(mesh, tensor, 3));
}

TEST(TensorWithoutDirection, IsTheMeanOfBothNumbers) {
    const Mesh mesh = load("plane:9x8");
    const std::size_t count = mesh.surface->position.size();
    for (const Point& none : {Point{0, 0, 0}, Point{0, 0, 1}, Point{1e-200, 0, 1}, Point{0, 0, 1e200}}) {
        const std::vector<double> values = weights(mesh, uniform_tensor(count, 3, 1, none));
        for (std::size_t e = 0; e < values.size(); ++e) ASSERT_NEAR(values[e], 2 * mesh.operators->laplacian[e], 1e-13);
    }
    // Neither the length of a direction nor its sign counts.
    const std::vector<double> one = weights(mesh, uniform_tensor(count, 3, 1, {1, 2, 0}));
    for (const Point& same : {Point{-1, -2, 0}, Point{1e-250, 2e-250, 0}, Point{1e250, 2e250, 1e230}}) {
        const std::vector<double> values = weights(mesh, uniform_tensor(count, 3, 1, same));
        for (std::size_t e = 0; e < values.size(); ++e) ASSERT_NEAR(values[e], one[e], 1e-13);
    }
}

TEST(TensorWithoutDirection, RefusesWhatIsNotFinite) {
    const Mesh mesh = load("plane:3x3");
    TensorField tensor = uniform_tensor(9, 1, 1, {1, 0, 0});
    tensor.direction[4][1] = NAN;
    try {
        weights(mesh, tensor);
        FAIL();
    } catch (const mottle::core::InputError& error) {
        EXPECT_NE(std::string(error.what()).find("at vertex 4 holds nan"), std::string::npos) << error.what();
    }
}

/// What 50 Euler steps of the plain loop make of it.
void expect_like_the_plain_loop(const std::string& equation, const std::string& parameters, const Mesh& mesh, double dt,
                                const std::function<std::vector<double>(const std::vector<double>&)>& rate) {
    std::vector<double> f =
        sample(mesh, [](double x, double y, double z) { return 0.5 + 0.3 * std::sin(x + 2 * y) * std::cos(z - 0.5 * x); });
    const MeshFields start = {f};
    for (int step = 0; step < 50; ++step) {
        const std::vector<double> change = rate(f);
        for (std::size_t i = 0; i < f.size(); ++i) f[i] += dt * change[i];
    }
    for (const char* device : {"reference", "auto"}) {
        const MeshFields end = run_on_mesh(
            {"[equations]\nu = \"" + equation + "\"\n" + parameters + "[initial]\nu = \"0\"\n", mesh, dt, device, ""}, start, 50);
        double most = 0, moved = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            most = std::max(most, std::abs(end[0][i] - f[i]));
            moved = std::max(moved, std::abs(start[0][i] - f[i]));
        }
        EXPECT_LE(most, 1e-12) << device << ": " << equation;
        EXPECT_GT(moved, 1e-3) << equation;
    }
}

TEST(TensorEquations, FollowThePlainLoop) {
    const Mesh mesh = shape("torus:1,0.4,24", 6);
    const plain::PlainMesh plain = plain_of(mesh);
    const std::size_t count = plain.position.size();
    std::vector<plain::Vector> round;
    for (const plain::Vector& p : plain.position) round.push_back({-p[1], p[0], 0.3});
    auto constant = [&](double value) { return std::vector<double>(count, value); };
    auto scaled = [](double factor, std::vector<double> values) {
        for (double& x : values) x *= factor;
        return values;
    };
    const double dt = 0.004;
    expect_like_the_plain_loop("div(tensor(1, 0.2, -y, x, 0.3)*grad(u))", "", mesh, dt,
                               [&](const auto& u) { return plain::tensor_divergence(plain, u, constant(1), constant(0.2), round); });
    expect_like_the_plain_loop(
        "-2*div(-(a*tensor(a, b, -y, x, 0.3)/4)*grad(u)) - u", "[parameters]\na = 0.8\nb = 0\n", mesh, dt, [&](const auto& u) {
            std::vector<double> rate = scaled(0.4, plain::tensor_divergence(plain, u, constant(0.8), constant(0), round));
            for (std::size_t i = 0; i < count; ++i) rate[i] -= u[i];
            return rate;
        });
    // Numbers that differ from place to place are set into the faces; a power of the operator needs no coefficient outside.
    std::vector<double> map;
    for (const plain::Vector& p : plain.position) map.push_back(0.5 + 0.05 * p[0]);
    expect_like_the_plain_loop("u*div(tensor(m, 0.1, -y, x, 0.3)*grad(u))", "[parameters]\nm = \"0.5 + 0.05*x\"\n", mesh, dt,
                               [&](const auto& u) {
                                   std::vector<double> rate = plain::tensor_divergence(plain, u, map, constant(0.1), round);
                                   for (std::size_t i = 0; i < count; ++i) rate[i] *= u[i];
                                   return rate;
                               });
}

// On squares with one diagonal the weights of a constant tensor are those of the 7-point stencil: with s = 1 where the diagonal runs along (1, 1) and -1 along
// (1, -1), T11 - s T12 to the sides, T22 - s T12 up and down, s T12 along the diagonal. A wave cos(k.x) keeps its shape away from the border.
TEST(TensorOnASquareLattice, AWaveDecaysAtItsRate) {
    const Mesh mesh = shape("plane:61x51,one");
    const mottle::domain::Triangle& first = mesh.surface->faces[0];
    std::vector<int> corners(first.begin(), first.end());
    std::sort(corners.begin(), corners.end());
    const double s = corners[0] == 0 && corners[2] == 62 ? 1 : -1;
    const double along = 0.9, across = 0.25, kx = 0.31, ky = -0.47, dt = 0.1;
    const int steps = 8;
    for (const double angle : {0.0, 0.4, 0.75, 2.0}) {
        const double c = std::cos(angle), n = std::sin(angle);
        const double t11 = along * c * c + across * n * n, t22 = along * n * n + across * c * c, t12 = (along - across) * c * n;
        const double rate =
            2 * (t11 - s * t12) * (1 - std::cos(kx)) + 2 * (t22 - s * t12) * (1 - std::cos(ky)) + 2 * s * t12 * (1 - std::cos(kx + s * ky));
        const std::vector<double> start = sample(mesh, [&](double x, double y, double) { return std::cos(kx * x + ky * y); });
        const MeshFields end = run_on_mesh({"[equations]\nu = \"div(tensor(0.9, 0.25, cos(q), sin(q), 5)*grad(u))\"\n[parameters]\nq = " +
                                                std::to_string(angle) + "\n[initial]\nu = \"0\"\n",
                                            mesh, dt, "auto", ""},
                                           {start}, steps);
        const double factor = std::pow(1 - dt * rate, steps);
        EXPECT_LT(factor, 0.95);
        for (int y = steps; y < 51 - steps; ++y) {
            for (int x = steps; x < 61 - steps; ++x) {
                const auto i = static_cast<std::size_t>(y * 61 + x);
                ASSERT_NEAR(end[0][i], factor * start[i], 1e-12) << x << ", " << y << " at " << angle;
            }
        }
    }
}

}  // namespace tensor_test
}  // namespace oracle
