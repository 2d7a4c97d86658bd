// tests/physics/surface_test.cpp: diffusion on the sphere, growth of a chemotactic pattern, a manufactured solution, conserved mass
#include "mottle/domain/repair/repair.h"
#include "oracle/mesh_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace oracle {
namespace surface_test {

constexpr double kPi = std::numbers::pi;

double norm(const mottle::domain::Mesh& mesh, const std::vector<double>& f) {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += mesh.operators->mass[i] * f[i] * f[i];
    return std::sqrt(sum);
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
    return result;
}

// u = Y_l decays as exp(-l(l+1) t); at t = 1/(l(l+1)) the relative error in L2 falls with h^2.
TEST(SphereHeat, HarmonicsDecayAtTheirRateWithSecondOrder) {
    struct Harmonic {
        int degree;
        double (*value)(double, double, double);
        double coarsest;  ///< error on 642 vertices
    };
    const Harmonic harmonics[] = {{2, [](double, double, double z) { return 3 * z * z - 1; }, 5.8e-3},
                                  {4, [](double x, double y, double z) { return x * y * (7 * z * z - 1); }, 2.7e-2}};
    for (const Harmonic& h : harmonics) {
        double before = 0;
        for (const int level : {3, 4, 5}) {
            const mottle::domain::Mesh mesh = shape("sphere:" + std::to_string(level));
            const double rate = h.degree * (h.degree + 1), end = 1 / rate;
            const int steps = 40 << (2 * (level - 2));
            const std::vector<double> start = sample(mesh, h.value);
            const MeshFields result =
                run_on_mesh({"[equations]\nu = \"lap(u)\"\n[initial]\nu = \"0\"\n", mesh, end / steps, "auto", ""}, {start}, steps);
            std::vector<double> exact = start;
            for (double& u : exact) u *= std::pow(1 - rate * end / steps, steps);  // what Euler's steps make of exp(-1) at that rate
            const double error = norm(mesh, difference(result[0], exact)) / norm(mesh, exact);
            if (level == 3) {
                EXPECT_NEAR(error, h.coarsest, 0.1 * h.coarsest);
            } else {
                EXPECT_NEAR(std::log2(before / error), 2.0, 0.1) << "degree " << h.degree << ", level " << level;
            }
            before = error;
        }
    }
}

// Round the z axis `along` moves only what changes with longitude: a zonal harmonic decays as exp(-l(l+1) across t).
TEST(SphereHeat, ZonalHarmonicsDecayByWhatCrossesTheParallels) {
    double before = 0;
    for (const int level : {3, 4, 5}) {
        const mottle::domain::Mesh mesh = shape("sphere:" + std::to_string(level));
        const double across = 0.2, rate = 6 * across, end = 1 / rate;
        const int steps = 200 << (2 * (level - 2));
        const std::vector<double> start = sample(mesh, [](double, double, double z) { return 3 * z * z - 1; });
        const MeshFields result = run_on_mesh(
            {"[equations]\nu = \"div(tensor(1, 0.2, -y, x, 0)*grad(u))\"\n[initial]\nu = \"0\"\n", mesh, end / steps, "auto", ""}, {start},
            steps);
        std::vector<double> exact = start;
        for (double& u : exact) u *= std::pow(1 - rate * end / steps, steps);
        const double error = norm(mesh, difference(result[0], exact)) / norm(mesh, exact);
        if (level == 3) {
            EXPECT_LT(error, 0.03);
        } else {
            EXPECT_NEAR(std::log2(before / error), 2.0, 0.2) << "level " << level;
        }
        before = error;
    }
}

const char* const kChemotaxis = R"toml(
[equations]
n = "D*lap(n) - alpha*(n*lap(c) + dot(grad(n), grad(c))) + r*n*(1 - n)"
c = "lap(c) + n/(1 + n) - c"
[parameters]
D = 0.25
alpha = 13
r = 1.522
[initial]
n = "1"
c = "1"
)toml";

// About (1, 1/2): sigma^2 - tr sigma + det = 0 with tr = -(D q + r) - (q + 1), det = (D q + r)(q + 1) - alpha q/4.
double growth(double alpha, double q) {
    const double a = 0.25 * q + 1.522, b = q + 1;
    return (-(a + b) + std::sqrt((a - b) * (a - b) + alpha * q)) / 2;
}

TEST(ChemotaxisGrowth, AFlatMeshGrowsItsOwnModeAtItsOwnRate) {
    EXPECT_NEAR(growth(13, kPi * kPi / 4), 0.1055364, 1e-7);
    EXPECT_NEAR(growth(15, kPi * kPi / 4), 0.3103958, 1e-7);
    struct Mesh {
        int width;
        double measured;  ///< published for alpha = 13
    };
    for (const Mesh& m : {Mesh{16, .1053683}, Mesh{32, .1054956}, Mesh{64, .1055266}}) {
        const double h = 2.0 / m.width, k = kPi / 2, q = (2 - 2 * std::cos(k * h)) / (h * h);
        const mottle::domain::Mesh mesh = shape("plane:" + std::to_string(m.width + 1) + "x" + std::to_string(m.width / 2 + 1) + ",one", h);
        const double sigma = growth(13, q), ratio = 0.25 / (q + 1 + sigma);  // c of the eigenvector, n = 1
        const double dt = 0.1 * h * h, amplitude = 1e-6;
        const int steps = static_cast<int>(std::lround(4 / dt));
        const MeshFields start = {sample(mesh, [&](double x, double, double) { return 1 + amplitude * std::cos(k * x); }),
                                  sample(mesh, [&](double x, double, double) { return 0.5 + amplitude * ratio * std::cos(k * x); })};
        const MeshFields end = run_on_mesh({kChemotaxis, mesh, dt, "auto", ""}, start, steps);
        // The share of the mode itself: what the nonlinear terms make of it stands at right angles to it.
        const std::vector<double> mode = sample(mesh, [&](double x, double, double) { return std::cos(k * x); });
        auto share = [&](const std::vector<double>& f) {
            double sum = 0;
            for (std::size_t i = 0; i < f.size(); ++i) sum += mesh.operators->mass[i] * (f[i] - 1) * mode[i];
            return sum;
        };
        const double measured = std::log(share(end[0]) / share(start[0])) / (steps * dt);
        // the mesh's own rate, but for its corners, whose masses are a sixth and a third of a cell
        EXPECT_NEAR(measured, std::log1p(sigma * dt) / dt, 1e-5 * 16 * 16 / m.width / m.width);
        EXPECT_NEAR(measured, m.measured, 1e-5);
    }
}

mottle::domain::Mesh jittered(int cells) {
    mottle::domain::TriangleSoup soup;
    soup.name = "jittered";
    const double h = 2.0 / cells;
    std::uint32_t state = 12345;
    auto random = [&] {
        state = state * 1664525u + 1013904223u;
        return (static_cast<double>(state >> 8) / (1 << 24) - 0.5) * 2;
    };
    for (int y = 0; y <= cells; ++y) {
        for (int x = 0; x <= cells; ++x) {
            const double dx = random(), dy = random();
            const bool inner_x = x > 0 && x<cells, inner_y = y> 0 && y < cells;
            soup.position.push_back({(x + (inner_x ? 0.25 * dx : 0)) * h, (y + (inner_y ? 0.25 * dy : 0)) * h, 0});
        }
    }
    for (int y = 0; y < cells; ++y) {
        for (int x = 0; x < cells; ++x) {
            const int a = y * (cells + 1) + x, b = a + 1, d = a + cells + 1, e = d + 1;
            soup.faces.push_back({a, b, e});
            soup.faces.push_back({a, e, d});
        }
    }
    mottle::core::ThreadTeam team(1);
    return mottle::domain::create_mesh(std::make_shared<const mottle::domain::Surface>(mottle::domain::repair(soup, team)), 1, team);
}

// Linear growth cannot see the gradient term; this solution can. Sources make n and c exact for the continuous equations.
TEST(ManufacturedChemotaxis, TheErrorFallsWithTheSquareOfTheEdge) {
    const char* model = R"toml(
[equations]
n = "D*lap(n) - alpha*(n*lap(c) + dot(grad(n), grad(c))) + r*n*(1 - n) - an - (-D*(5*pi^2/4)*an - alpha*((1 + an)*(-(5*pi^2/4))*bc + gx + gy) + r*(1 + an)*(1 - (1 + an)))"
c = "lap(c) + n/(1 + n) - c - bc - (-(5*pi^2/4)*bc + (1 + an)/(1 + (1 + an)) - (0.5 + bc))"
[define]
an = "0.3*exp(-t)*cos(pi*x/2)*cos(pi*y)"
bc = "0.2*exp(-t)*cos(pi*x)*cos(pi*y/2)"
gx = "0.3*0.2*exp(-2*t)*(pi/2*sin(pi*x/2)*cos(pi*y))*(pi*sin(pi*x)*cos(pi*y/2))"
gy = "0.3*0.2*exp(-2*t)*(pi*cos(pi*x/2)*sin(pi*y))*(pi/2*cos(pi*x)*sin(pi*y/2))"
[parameters]
D = 0.25
alpha = 12.02
r = 1.522
[initial]
n = "1"
c = "1"
)toml";
    const double end = 0.1, published[] = {1.25e-2, 2.92e-3, 7.19e-4};  // root mean square, for another draw of the jitter
    double before = 0;
    int row = 0;
    for (const int cells : {16, 32, 64}) {
        const mottle::domain::Mesh mesh = jittered(cells);
        const double h = 2.0 / cells;
        const int steps = static_cast<int>(std::lround(end / (0.04 * h * h)));
        auto n = [](double t) {
            return [t](double x, double y, double) { return 1 + .3 * std::exp(-t) * std::cos(kPi * x / 2) * std::cos(kPi * y); };
        };
        auto c = [](double t) {
            return [t](double x, double y, double) { return .5 + .2 * std::exp(-t) * std::cos(kPi * x) * std::cos(kPi * y / 2); };
        };
        const MeshFields result = run_on_mesh({model, mesh, end / steps, "auto", ""}, {sample(mesh, n(0)), sample(mesh, c(0))}, steps);
        const double error = norm(mesh, difference(result[0], sample(mesh, n(end)))) / 2;  // the area is 4
        EXPECT_NEAR(error, published[row], 0.25 * published[row]) << cells;
        if (row == 2) {
            EXPECT_NEAR(std::log2(before / error), 2.0, 0.1);
        }
        before = error;
        ++row;
    }
}

// A Gaussian stays one: its covariance grows by 2 T t. The mesh is irregular, the axes of T lie along none of its edges.
TEST(AnisotropicGaussian, TheErrorFallsWithTheSquareOfTheEdge) {
    const double along = 0.02, across = 0.004, angle = 0.5, end = 0.5, s0 = 0.03;
    const double c = std::cos(angle), s = std::sin(angle);
    auto gaussian = [&](double t) {
        const double p = s0 + 2 * along * t, q = s0 + 2 * across * t;
        return [=](double x, double y, double) {
            const double a = c * (x - 1) + s * (y - 1), b = c * (y - 1) - s * (x - 1);
            return s0 / std::sqrt(p * q) * std::exp(-0.5 * (a * a / p + b * b / q));
        };
    };
    std::vector<double> errors;
    for (const int cells : {32, 64, 128}) {
        const mottle::domain::Mesh mesh = jittered(cells);
        const double h = 2.0 / cells;
        const int steps = static_cast<int>(std::lround(end / (2 * h * h)));
        const MeshFields result =
            run_on_mesh({"[equations]\nu = \"div(tensor(0.02, 0.004, cos(0.5), sin(0.5), 0)*grad(u))\"\n[initial]\nu = \"0\"\n", mesh,
                         end / steps, "auto", ""},
                        {sample(mesh, gaussian(0))}, steps);
        const double error = norm(mesh, difference(result[0], sample(mesh, gaussian(end)))) / norm(mesh, sample(mesh, gaussian(end)));
        errors.push_back(error);
    }
    EXPECT_LT(errors[0], 0.03);
    EXPECT_NEAR(std::log2(errors[0] / errors[2]) / 2, 2.0,
                0.15);  // every mesh is another draw of the jitter, so one halving alone tells less
}

// What leaves a vertex through an edge enters its neighbour: without growth the cells are conserved, on a closed surface and with a border.
TEST(SurfaceBudget, FluxesConserveTheCells) {
    const char* model =
        "[equations]\nn = \"0.25*lap(n) - 3*div(n*tensor(1, 0.3, z, x, y)*grad(c))\"\nc = \"lap(c)\"\n[initial]\nn = \"1\"\nc = \"1\"\n";
    for (const auto& [name, scale] : {std::pair("sphere:3", 6.0), std::pair("plane:30x22", 1.0), std::pair("torus:1,0.4,20", 6.0)}) {
        const mottle::domain::Mesh mesh = shape(name, scale);
        const MeshFields start = {sample(mesh, [](double x, double y, double z) { return 1 + 0.4 * std::sin(x + 0.5 * y + z); }),
                                  sample(mesh, [](double x, double y, double z) { return 1 + 0.4 * std::cos(0.8 * x - y + 0.3 * z); })};
        const MeshFields end = run_on_mesh({model, mesh, 0.005, "auto", "steps=4 parts=2"}, start, 400);
        double first = 0, last = 0, moved = 0;
        for (std::size_t i = 0; i < start[0].size(); ++i) {
            first += mesh.operators->mass[i] * start[0][i];
            last += mesh.operators->mass[i] * end[0][i];
            moved = std::max(moved, std::abs(end[0][i] - start[0][i]));
        }
        EXPECT_NEAR(last, first, 1e-12 * first) << name;
        EXPECT_GT(moved, 0.05) << name;
    }
}

}  // namespace surface_test
}  // namespace oracle
