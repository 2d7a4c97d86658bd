// tests/physics/stabilised_test.cpp: rkl1, rkl2, sts1 and sts2 on stiff diffusion: errors against plain loops, orders in time, the maximum principle, conserved mass
#include "oracle/fine_steps.h"
#include "oracle/mesh_run.h"
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <tuple>

namespace oracle::stabilised_test {

constexpr double kPi = std::numbers::pi;

// ---- Schnakenberg's model, diffusion 1 and 40, in plain loops

constexpr int kCells = 64;
constexpr double kEnd = 30;

Fields rates(const Fields& f) {
    Fields k = f;
    for (int y = 0; y < kCells; ++y) {
        for (int x = 0; x < kCells; ++x) {
            const auto at = [&](int i, int j) { return static_cast<std::size_t>((j + kCells) % kCells * kCells + (i + kCells) % kCells); };
            const std::size_t c = at(x, y);
            const auto lap = [&](const Cells& u) {
                return u[at(x + 1, y)] + u[at(x - 1, y)] + u[at(x, y + 1)] + u[at(x, y - 1)] - 4 * u[c];
            };
            const double u = f[0][c], v = f[1][c], made = u * u * v;
            k[0][c] = lap(f[0]) + 0.1 - u + made;
            k[1][c] = 40 * lap(f[1]) + 0.9 - made;
        }
    }
    return k;
}

double root_mean_square(const Cells& a, const Cells& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

// The errors are those of a program of plain loops in C, rkl1 by the recursion of Meyer, Balsara & Aslam 2014 (docs/command-line.md, "Stiff diffusion").
TEST(Stabilised, ErrorsOfSchnakenbergsModel) {
    const std::string waves = "0.05*(cos(2*pi*(3*X + Y)) + cos(2*pi*(2*Y - X + 0.2)) + cos(2*pi*(4*X - 3*Y)))";
    const std::string model = "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '40*lap(v) + 0.9 - u^2*v'\n[initial]\nu = '1 + " + waves +
                              "'\nv = '0.9 + " + waves + "'\n";
    struct Row {
        const char* method;
        int stages, steps;
        double error;
    };
    const Row table[] = {{"euler", 0, 5100, 1.52e-4}, {"rkl1", 5, 340, 1.21e-3},  {"rkl1", 9, 114, 3.46e-3}, {"rkl1", 19, 27, 1.42e-2},
                         {"rkl2", 9, 232, 1.08e-4},   {"rkl2", 13, 114, 4.48e-4}, {"rkl2", 19, 54, 1.76e-3}};
    Fields exact;
    for (const Row& row : table) {
        for (const char* precision : {"f64", "f32"}) {
            const std::string stages = row.stages > 0 ? "stages = " + std::to_string(row.stages) + "\n" : "";
            const std::string settings = "size = \"64x64\"\nmethod = \"" + std::string(row.method) + "\"\n" + stages +
                                         "dt = " + std::to_string(kEnd / row.steps) + "\n";
            const Outcome outcome = run_mottle(model, "", settings, row.steps, "auto", precision);
            if (exact.empty()) exact = fine_steps(outcome.start, rates, kEnd, 6400);
            const double mean = std::accumulate(exact[0].begin(), exact[0].end(), 0.0) / static_cast<double>(exact[0].size());
            const double deviation = root_mean_square(exact[0], Cells(exact[0].size(), mean));
            const double error = root_mean_square(outcome.end[0], exact[0]) / deviation;
            const bool f32 = std::string(precision) == "f32";
            EXPECT_NEAR(error, row.error, f32 ? 0.1 * row.error + 1e-4 : 0.02 * row.error)
                << row.method << " " << row.stages << " " << precision;
        }
    }
}

// To 1 % by an eighth of the evaluations of Euler's method, and less, in f32 as in f64: the order of the lengths bears rounding.
TEST(Stabilised, StepsOfEulersMethodComeToOnePerCent) {
    const std::string waves = "0.05*(cos(2*pi*(3*X + Y)) + cos(2*pi*(2*Y - X + 0.2)) + cos(2*pi*(4*X - 3*Y)))";
    const std::string model = "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '40*lap(v) + 0.9 - u^2*v'\n[initial]\nu = '1 + " + waves +
                              "'\nv = '0.9 + " + waves + "'\n";
    Fields exact;
    for (const auto& [method, stages, steps] : {std::tuple("sts1", 18, 34), std::tuple("sts2", 27, 20), std::tuple("sts2", 18, 43)}) {
        double errors[2];
        for (const int wide : {0, 1}) {
            const std::string settings = "size = \"64x64\"\nmethod = \"" + std::string(method) + "\"\nstages = " + std::to_string(stages) +
                                         "\ndt = " + std::to_string(kEnd / steps) + "\n";
            const Outcome outcome = run_mottle(model, "", settings, steps, "auto", wide == 1 ? "f64" : "f32");
            if (exact.empty()) exact = fine_steps(outcome.start, rates, kEnd, 6400);
            const double mean = std::accumulate(exact[0].begin(), exact[0].end(), 0.0) / static_cast<double>(exact[0].size());
            errors[wide] = root_mean_square(outcome.end[0], exact[0]) / root_mean_square(exact[0], Cells(exact[0].size(), mean));
        }
        EXPECT_LT(errors[1], 0.01) << method << " " << stages;
        EXPECT_NEAR(errors[0], errors[1], 1e-4) << method << " " << stages;
        if (steps == 43) {
            EXPECT_LT(errors[1], 0.003) << "of second order";
        }
    }
}

// ---- orders

// u = cos(t) w with w = cos(2 pi 3 X), an eigenvector of lap on the grid, solves u' = 0.7 lap(u) - u^2 + q(x, t).
TEST(Stabilised, OrderInTimeOnAGrid) {
    const int n = 48;
    const double lambda = 2 * (1 - std::cos(2 * kPi * 3 / n)), end = 2;
    const std::string model =
        "[equations]\nu = '0.7*lap(u) - u^2 + w*(a*cos(t) - sin(t)) + w^2*cos(t)^2'\n[parameters]\na = " + std::to_string(0.7 * lambda) +
        "\n[define]\nw = 'cos(2*pi*3*X)'\n[initial]\nu = 'w'\n";
    for (const auto& [method, order] : {std::pair("rkl1", 1.0), std::pair("rkl2", 2.0), std::pair("sts1", 1.0), std::pair("sts2", 2.0)}) {
        for (const int stages : {4, 7}) {
            double before = 0;
            for (const int steps : {8, 16, 32, 64}) {
                const std::string settings = "size = \"48x4\"\nmethod = \"" + std::string(method) +
                                             "\"\nstages = " + std::to_string(stages) + "\ndt = " + std::to_string(end / steps) + "\n";
                const Outcome outcome = run_mottle(model, "", settings, steps);
                double error = 0;
                for (int i = 0; i < n; ++i)
                    error = std::max(error, std::abs(outcome.end[0][static_cast<std::size_t>(i)] -
                                                     std::cos(end) * std::cos(2 * kPi * 3 * (i + 0.5) / n)));
                if (before > 0 && steps > 16) {
                    EXPECT_NEAR(std::log2(before / error), order, 0.2) << method << " " << stages << " " << steps;
                }
                before = error;
            }
        }
    }
}

// Against short steps of rk4 in plain loops over the faces.
TEST(Stabilised, OrderInTimeOnASphere) {
    const mottle::domain::Mesh mesh = shape("sphere:2", 4);
    const plain::PlainMesh geometry = plain_of(mesh);
    const auto rate = [&](const MeshFields& f) {
        const auto lu = plain::laplacian(geometry, f[0]), lv = plain::laplacian(geometry, f[1]);
        MeshFields k = f;
        for (std::size_t i = 0; i < f[0].size(); ++i) {
            const double made = f[0][i] * f[0][i] * f[1][i];
            k[0][i] = lu[i] + 0.1 - f[0][i] + made;
            k[1][i] = 10 * lv[i] + 0.9 - made;
        }
        return k;
    };
    const MeshFields start = {sample(mesh, [](double x, double y, double) { return 1 + 0.2 * std::sin(x) * std::cos(0.5 * y); }),
                              sample(mesh, [](double, double y, double z) { return 0.9 + 0.1 * std::cos(y + 0.3 * z); })};
    const double end = 1;
    const MeshFields exact = fine_steps(start, rate, end, 400);
    for (const auto& [method, order] : {std::pair("rkl1", 1.0), std::pair("rkl2", 2.0), std::pair("sts1", 1.0), std::pair("sts2", 2.0)}) {
        double before = 0;
        for (const int steps : {5, 10, 20, 40}) {
            const std::string model =
                "method.name = '" + std::string(method) + "'\nmethod.stages = 12\n" +
                "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '10*lap(v) + 0.9 - u^2*v'\n[initial]\nu = '1'\nv = '1'\n";
            const MeshFields found = run_on_mesh({model, mesh, end / steps, "auto", ""}, start, steps);
            const double error = root_mean_square(found[0], exact[0]);
            if (before > 0 && steps > 10) {
                EXPECT_NEAR(std::log2(before / error), order, 0.25) << method << " " << steps;
            }
            before = error;
        }
    }
}

// ---- the maximum principle, and what stays

// On a row the polynomial of rkl1 of 1 + w lap has no negative coefficient (the addition theorem of Legendre's polynomials), so a step takes means.
TEST(Stabilised, StepsOfRkl1TakeMeansOnARow) {
    for (const int stages : {1, 2, 3, 4, 5, 8, 13, 34}) {
        const double dt = (stages * stages + stages) / 4.0 * 0.999;
        const std::string settings =
            "size = \"101\"\nmethod = \"rkl1\"\nstages = " + std::to_string(stages) + "\ndt = " + std::to_string(dt) + "\n";
        const Outcome outcome =
            run_mottle("[equations]\nu = 'lap(u)'\n[initial]\nu = 'where(abs(X - 0.5) < 0.005, 1, 0)'\n", "", settings, 1);
        const auto [low, high] = std::minmax_element(outcome.end[0].begin(), outcome.end[0].end());
        EXPECT_GE(*low, -1e-15) << stages;
        EXPECT_LE(*high, 1) << stages;
        EXPECT_GT(*high, 0) << stages;
        const Outcome later = run_mottle("[equations]\nu = 'lap(u)'\n[initial]\nu = 'noise(0, 1)'\n", "", settings, 7);
        const auto [start_low, start_high] = std::minmax_element(later.start[0].begin(), later.start[0].end());
        const auto [end_low, end_high] = std::minmax_element(later.end[0].begin(), later.end[0].end());
        EXPECT_GE(*end_low, *start_low) << stages;
        EXPECT_LE(*end_high, *start_high) << stages;
    }
}

TEST(Stabilised, MassStays) {
    for (const char* method : {"rkl1", "rkl2", "sts1", "sts2"}) {
        for (const char* rule : {"periodic", "no-flux"}) {
            std::string boundary = "[boundary]\n";
            for (const char* side : {"left", "right", "top", "bottom"}) boundary += std::string(side) + " = '" + rule + "'\n";
            const std::string model = "[equations]\nu = 'div((0.2 + u^2)*grad(u)) + 3*lap(u)'\n[initial]\nu = 'noise(0, 1)'\n" + boundary;
            const std::string settings = "size = \"40x30\"\nstages = 9\nmethod = \"" + std::string(method) + "\"\ndt = 1\n";
            const Outcome outcome = run_mottle(model, "", settings, 200);
            const auto mass = [](const Cells& cells) {
                return std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
            };
            EXPECT_NEAR(mass(outcome.end[0]), mass(outcome.start[0]), 2e-14) << method << " " << rule;
            EXPECT_GT(root_mean_square(outcome.end[0], outcome.start[0]), 0.1);
        }
    }
}

/// How far the end in f32 is from that in f64, of one field.
double rounding_of(const std::string& model, const std::string& settings, int steps, std::size_t field) {
    const Fields narrow = run_mottle(model, "", settings, steps, "auto", "f32").end;
    const Fields wide = run_mottle(model, "", settings, steps, "auto", "f64").end;
    return root_mean_square(narrow[field], wide[field]);
}

// 16 bonds a thousand times as stiff as the others, as slivers of a mesh are: 92 stages, and f32 has the error of f64 (a sum of weights would lose it).
TEST(Stabilised, ManyStagesKeepTheirDigitsInSinglePrecision) {
    const std::string model = R"toml(
[equations]
u = "div(D*grad(u)) - 0.5*u + 0.5*sin(2*pi*X)*cos(2*pi*Y)"
[parameters]
D = "where(abs(X - 0.5) < 0.03, where(abs(Y - 0.5) < 0.03, 1000, 1), 1)"
[initial]
u = "1 + cos(2*pi*2*X)"
)toml";
    for (const auto& [method, error] : {std::pair("rkl1", 3e-5), std::pair("sts1", 2e-4)}) {
        const std::string settings = "size = \"64x64\"\nmethod = \"" + std::string(method) + "\"\nstages = 92\ndt = 0.9\n";
        EXPECT_LT(rounding_of(model, settings, 30, 0), error) << method;
    }
}

// A field that is stiff in every cell, with the longest steps that each number of stages bears, or 1: rounding grows with the stages of sts2, and --method auto takes no more than 64 of them.
TEST(Stabilised, RoundingOfAStiffField) {
    const std::string model = R"toml(
[equations]
u = "lap(u) + 0.1 - u + u^2*v"
v = "400*lap(v) + 0.9 - u^2*v"
[initial]
u = "1 + 0.1*cos(2*pi*2*X)*cos(2*pi*3*Y)"
v = "0.9"
)toml";
    struct {
        const char* method;
        int stages;
        double dt, error;
    } const cases[] = {{"rkl2", 80, 0.95, 1e-6}, {"sts1", 64, 1, 1e-4}, {"sts2", 40, 0.36, 1e-4}, {"sts2", 64, 0.92, 6e-4}};
    for (const auto& each : cases) {
        const std::string settings = "size = \"64x64\"\nmethod = \"" + std::string(each.method) +
                                     "\"\nstages = " + std::to_string(each.stages) + "\ndt = " + std::to_string(each.dt) + "\n";
        const int steps = static_cast<int>(64 / each.dt);
        const double found = rounding_of(model, settings, steps, 1);
        EXPECT_LT(found, each.error) << each.method << " " << each.stages;
        if (std::string(each.method) == "sts2") {
            EXPECT_GT(found, each.error / 20) << "there is rounding to be bounded";
        }
    }
}

}  // namespace oracle::stabilised_test
