// tests/oracle/surface_models_test.cpp: models on surfaces against plain loops over faces
#include "oracle/mesh_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace oracle {
namespace surface_models_test {

using Rates = std::function<MeshFields(const MeshFields&, double t)>;

MeshFields euler(MeshFields fields, double dt, int steps, const Rates& rates) {
    for (int step = 0; step < steps; ++step) {
        const MeshFields rate = rates(fields, step * dt);
        for (std::size_t k = 0; k < fields.size(); ++k) {
            for (std::size_t i = 0; i < fields[k].size(); ++i) fields[k][i] += dt * rate[k][i];
        }
    }
    return fields;
}

void expect_close(const MeshFields& mine, const MeshFields& expected, const MeshFields& start) {
    for (std::size_t k = 0; k < mine.size(); ++k) {
        double largest = 0, difference = 0, change = 0;
        for (std::size_t i = 0; i < mine[k].size(); ++i) {
            ASSERT_TRUE(std::isfinite(mine[k][i]));
            largest = std::max(largest, std::abs(expected[k][i]));
            difference = std::max(difference, std::abs(mine[k][i] - expected[k][i]));
            change = std::max(change, std::abs(mine[k][i] - start[k][i]));
        }
        EXPECT_LE(difference, 1e-12 * largest) << "field " << k;
        EXPECT_GT(change, 1e-3 * largest) << "field " << k << " stood still";
    }
}

std::vector<double> each(const MeshFields& f, const std::function<double(std::size_t)>& formula) {
    std::vector<double> values(f[0].size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = formula(i);
    return values;
}

struct Surface {
    const char* name;
    double scale;
};
class Surfaces : public testing::TestWithParam<Surface> {};

MeshFields wavy(const mottle::domain::Mesh& mesh) {
    return {sample(mesh, [](double x, double y, double z) { return 1 + 0.3 * std::sin(0.7 * x + 0.4 * y + 0.2 * z); }),
            sample(mesh, [](double x, double y, double z) { return 0.5 + 0.2 * std::cos(0.5 * x - 0.3 * y + 0.6 * z); })};
}

TEST_P(Surfaces, ChemotaxisFollowsThePlainLoop) {
    const mottle::domain::Mesh mesh = shape(GetParam().name, GetParam().scale);
    const plain::PlainMesh geometry = plain_of(mesh);
    const double D = 0.25, alpha = 13, s = 0.8, r = 1.522, N = 1.1, dt = 0.002;
    const MeshFields start = wavy(mesh);
    const MeshFields expected = euler(start, dt, 50, [&](const MeshFields& f, double) {
        const auto ln = plain::laplacian(geometry, f[0]), lc = plain::laplacian(geometry, f[1]);
        const auto gn = plain::gradient(geometry, f[0]), gc = plain::gradient(geometry, f[1]);
        return MeshFields{each(f,
                               [&](std::size_t i) {
                                   const double n = f[0][i];
                                   return D * ln[i] - alpha * (n * lc[i] + plain::dot(gn[i], gc[i])) + s * r * n * (N - n);
                               }),
                          each(f, [&](std::size_t i) { return lc[i] + s * (f[0][i] / (1 + f[0][i]) - f[1][i]); })};
    });
    const char* model = R"toml(
[equations]
n = "D*lap(n) - alpha*(n*lap(c) + dot(grad(n), grad(c))) + s*r*n*(N - n)"
c = "lap(c) + s*(n/(1 + n) - c)"
[parameters]
D = 0.25
alpha = 13
s = 0.8
r = 1.522
N = 1.1
[initial]
n = "1"
c = "1"
)toml";
    for (const char* device : {"reference", "auto"})
        expect_close(run_on_mesh({model, mesh, dt, device, "steps=4 parts=2"}, start, 50), expected, start);
}

// (1/m_i) sum over j of w_ij (u_i + u_j)/2 (v_j - v_i) = half of lap(u v) + u lap(v) - v lap(u), by the product rule of the same weights.
TEST_P(Surfaces, FluxesFollowTheProductRule) {
    const mottle::domain::Mesh mesh = shape(GetParam().name, GetParam().scale);
    const plain::PlainMesh geometry = plain_of(mesh);
    const double dt = 0.002;
    const MeshFields start = wavy(mesh);
    const MeshFields expected = euler(start, dt, 50, [&](const MeshFields& f, double) {
        const auto flux = [&](const std::vector<double>& u, const std::vector<double>& v) {
            const auto product = plain::laplacian(geometry, each(f, [&](std::size_t i) { return u[i] * v[i]; }));
            const auto lu = plain::laplacian(geometry, u), lv = plain::laplacian(geometry, v);
            return each(f, [&](std::size_t i) { return 0.5 * (product[i] + u[i] * lv[i] - v[i] * lu[i]); });
        };
        const auto attraction = flux(f[0], f[1]);
        const auto spread = flux(each(f, [&](std::size_t i) { return 0.2 + 0.1 * f[0][i] * f[0][i]; }), f[1]);
        const auto ln = plain::laplacian(geometry, f[0]);
        const auto bilaplacian = plain::laplacian(geometry, ln);
        const auto g = plain::gradient(geometry, f[1]);
        return MeshFields{each(f, [&](std::size_t i) { return 0.25 * ln[i] - 3 * attraction[i] - 0.01 * bilaplacian[i]; }),
                          each(f, [&](std::size_t i) { return spread[i] + f[0][i] - f[1][i] - 0.1 * plain::dot(g[i], g[i]); })};
    });
    const char* model = R"toml(
[equations]
n = "0.25*lap(n) - 3*div(n*grad(c)) - 0.01*bilap(n)"
c = "div((0.2 + 0.1*n^2)*grad(c)) + n - c - 0.1*norm2(grad(c))"
[initial]
n = "1"
c = "1"
)toml";
    for (const char* device : {"reference", "auto"})
        expect_close(run_on_mesh({model, mesh, dt, device, "steps=3 parts=3"}, start, 50), expected, start);
}

std::string name_of(const testing::TestParamInfo<Surface>& info) {
    std::string name = info.param.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
}

// closed and smooth, open with a border, a hole through it
INSTANTIATE_TEST_SUITE_P(Shapes, Surfaces,
                         testing::Values(Surface{"sphere:3", 6}, Surface{"plane:24x17", 0.7}, Surface{"torus:1,0.4,20", 6}), name_of);

TEST(SurfaceBorder, AValueIsKeptOnItsLoopAndSpreadsFromThere) {
    mottle::domain::Mesh mesh = shape("plane:20x15", 1);
    ASSERT_EQ(mesh.loops.size(), 1u);
    mesh.loops[0] = mottle::domain::parse_boundary({"value(0.5 + 0.25*t)", {}});
    const plain::PlainMesh geometry = plain_of(mesh);
    const double dt = 0.05;
    const MeshFields start = {sample(mesh, [](double x, double y, double) { return std::sin(0.3 * x) * std::cos(0.4 * y); })};
    MeshFields expected = start;
    for (int step = 0; step < 50; ++step) {
        const auto rate = plain::laplacian(geometry, expected[0]);
        for (std::size_t i = 0; i < rate.size(); ++i) {
            const auto& p = geometry.position[i];
            const bool border = p[0] == 0 || p[0] == 19 || p[1] == 0 || p[1] == 14;
            // the time at which the next step reads it, as on a grid
            expected[0][i] = border ? 0.5 + 0.25 * ((step + 1) * dt) : expected[0][i] + dt * rate[i];
        }
    }
    const char* model = "[equations]\nu = \"lap(u)\"\n[initial]\nu = \"0\"\n";
    for (const char* device : {"reference", "auto"}) expect_close(run_on_mesh({model, mesh, dt, device, ""}, start, 50), expected, start);
}

}  // namespace surface_models_test
}  // namespace oracle
