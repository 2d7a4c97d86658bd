// tests/physics/implicit_second_test.cpp: imex2, diffusion solved for in both stages: against plain eliminations, order, decay, resuming, threads
#include "kernel_cache.h"
#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/ir/stability/stability.h"
#include "oracle/eliminated_lines.h"
#include "oracle/mesh_run.h"
#include "oracle/runge_kutta.h"
#include "oracle/started_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace oracle::implicit_second_test {

constexpr double kPi = std::numbers::pi;
const double kShare = 1 - std::sqrt(0.5);

using Rates = std::function<Fields(const Fields&, double t)>;
/// Solves (1 - share dt D lap) k = rates for every field.
using Solve = std::function<Fields(const Fields&, double t)>;

/// A step as the article has it.
Fields plain_step(const Fields& u, double t, double dt, const Rates& rates, const Solve& solve) {
    const Fields k = solve(rates(u, t), t);
    const Fields l = solve(moved(rates(moved(u, dt, k), t + dt), -2, k), t);
    return moved(moved(u, 1.5 * dt, k), 0.5 * dt, l);
}

const std::string kSchnakenberg =
    "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = 'D*lap(v) + 0.9 - u^2*v'\n[parameters]\nD = 400\n"
    "[initial]\nu = '1 + 0.1*cos(2*pi*(3*X + Y)) + 0.05*sin(5*X*Y)'\nv = '0.9 + 0.1*cos(2*pi*(2*Y - X))'\n";

Fields reacted(const Fields& f, const Cells& lap_u, const Cells& lap_v, double diffusion) {
    Fields rates = f;
    for (std::size_t i = 0; i < f[0].size(); ++i) {
        const double made = f[0][i] * f[0][i] * f[1][i];
        rates[0][i] = lap_u[i] + 0.1 - f[0][i] + made;
        rates[1][i] = diffusion * lap_v[i] + 0.9 - made;
    }
    return rates;
}

TEST(ImplicitSecond, GridsAgainstEliminationOfEachLine) {
    struct Border {
        const char* rule;
        Sides (*sides)(double t);
    };
    const Border borders[] = {{"periodic", [](double) { return all_sides(Rule::periodic); }},
                              {"no-flux", [](double) { return all_sides(Rule::no_flux); }},
                              {"value(1 + 0.2*sin(t))", [](double t) { return all_sides(Rule::value, 1 + 0.2 * std::sin(t)); }},
                              {"outside(0.7)", [](double) { return all_sides(Rule::outside, 0.7); }},
                              {"flux(0.0002)", [](double) { return all_sides(Rule::flux, 0.0002); }},
                              {"robin(1, 2, 0.9)", [](double) {
                                   const Side side{Rule::robin, 0.9, 1, 2};
                                   return Sides{side, side, side, side};
                               }}};
    const double dt = 0.25;
    for (const Border& border : borders) {
        for (const char* size : {"37x21", "2x35", "1x40", "33x1"}) {
            SCOPED_TRACE(std::string(border.rule) + " " + size);
            const Outcome outcome = run_mottle(
                kSchnakenberg, "",
                std::string("size = \"") + size + "\"\nspacing = 0.5\nmethod = \"imex2\"\ndt = 0.25\nboundary = \"" + border.rule + "\"\n",
                5);
            const Grid& g = outcome.grid;
            const auto lap = [&](const Cells& f, const Sides& sides) {
                const Ghosted cells(f, g.nx, g.ny, sides, g.hx, g.hy);
                return g.cells([&](int i, int j) {
                    double sum = 0;
                    if (g.nx > 1) sum += (cells.at(i - 1, j) + cells.at(i + 1, j) - 2 * cells.at(i, j)) / (g.hx * g.hx);
                    if (g.ny > 1) sum += (cells.at(i, j - 1) + cells.at(i, j + 1) - 2 * cells.at(i, j)) / (g.hy * g.hy);
                    return sum;
                });
            };
            const Rates rates = [&](const Fields& f, double t) {
                return reacted(f, lap(f[0], border.sides(t)), lap(f[1], border.sides(t)), 400);
            };
            const Solve solve = [&](const Fields& f, double t) {
                const Sides sides = homogeneous(border.sides(t));
                return Fields{solved(g, f[0], kShare * dt, sides), solved(g, f[1], kShare * dt * 400, sides)};
            };
            Fields f = outcome.start;
            for (int step = 0; step < 5; ++step) f = plain_step(f, step * dt, dt, rates, solve);
            expect_agreement(outcome, f, 1e-11);
        }
    }
}

/// All its digits.
std::string digits_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

// u = cos(t) w with w an eigenvector of lap on the grid solves u' = 0.7 lap(u) - u^2 + q(x, t); w varies along both axes, so lines are solved in turn.
TEST(ImplicitSecond, OrderInTime) {
    const int n = 48;
    const double lambda = 2 * (1 - std::cos(2 * kPi * 3 / n)) + 2 * (1 - std::cos(2 * kPi / 8)), end = 2;
    const std::string model =
        "[equations]\nu = '0.7*lap(u) - u^2 + w*(a*cos(t) - sin(t)) + w^2*cos(t)^2'\n[parameters]\na = " + digits_of(0.7 * lambda) +
        "\n[define]\nw = 'cos(2*pi*3*X)*cos(2*pi*Y)'\n[initial]\nu = 'w'\n";
    double before = 0;
    for (const int steps : {32, 64, 128, 256}) {
        const Outcome outcome = run_mottle(model, "", "size = \"48x8\"\nmethod = \"imex2\"\ndt = " + digits_of(end / steps) + "\n", steps);
        double error = 0;
        for (std::size_t i = 0; i < outcome.end[0].size(); ++i)
            error = std::max(error, std::abs(outcome.end[0][i] - std::cos(end) * outcome.start[0][i]));
        if (before > 0) {
            EXPECT_NEAR(std::log2(before / error), 2, 0.1) << steps;
        }
        before = error;
    }
    EXPECT_LT(before, 1e-4);
}

// A wave of the grid is multiplied by 1 + 2 z/p + (z^2/2 - z)/p^2 in each step: z = -dt D times the sum of its eigenvalues, p the product of 1 + g dt D times each.
TEST(ImplicitSecond, AWaveInAVolume) {
    for (const double diffusion : {0.05, 2.0, 300.0}) {
        const std::string model = "[equations]\nu = 'D*lap(u)'\n[parameters]\nD = " + std::to_string(diffusion) +
                                  "\n[initial]\nu = 'cos(2*pi*X)*cos(4*pi*Y)*cos(2*pi*Z)'\n";
        mottle::core::ThreadTeam team(1);
        Silent observer;
        mottle::core::Context context{team, observer, kernel_cache()};
        const auto flags = mottle::core::parse_document(
            "precision = \"f64\"\nsize = \"12x16x8\"\nmethod = \"imex2\"\ndt = 3\nsteps = 5\nthreads = 2\n", "settings");
        mottle::run::Simulation simulation(mottle::run::read_spec(mottle::core::parse_document(model, "m.toml"), "m", "", flags), context);
        const Fields start = read_fields(simulation);
        simulation.advance_to(5);
        const Fields end = read_fields(simulation);
        double z = 0, p = 1;
        for (const auto& [n, waves] : {std::pair(12, 1), std::pair(16, 2), std::pair(8, 1)}) {
            const double decay = 3 * diffusion * 2 * (1 - std::cos(2 * kPi * waves / n));
            z -= decay;
            p *= 1 + kShare * decay;
        }
        const double factor = std::pow(1 + 2 * z / p + (z * z / 2 - z) / (p * p), 5);
        EXPECT_LT(std::abs(factor), 1);
        for (std::size_t i = 0; i < end[0].size(); ++i) ASSERT_NEAR(end[0][i], factor * start[0][i], 1e-13);
    }
}

// ---- surfaces

StartAndEnd run_shape(const std::string& model, const std::string& settings, int steps, int threads,
                      const std::filesystem::path& state = {}, bool resume = false) {
    return run_by("imex2", model, settings, steps, threads, state, resume);
}

// By the full matrix of plain loops over the faces.
TEST(ImplicitSecond, ASphereAgainstElimination) {
    const std::string model =
        "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '40*lap(v) + 0.9 - u^2*v'\n[initial]\nu = '1 + 0.3*X*Y'\nv = '0.9 + 0.2*Z'\n";
    const StartAndEnd run = run_shape(model, "mesh = { shape = \"sphere:2\", scale = 4 }\ndt = 0.2\nsteps = 4\n", 4, 2);
    const plain::PlainMesh geometry = plain_of(shape("sphere:2", 4));
    const std::size_t n = run.start[0].size();
    FullMatrix columns;
    for (std::size_t i = 0; i < n; ++i) {
        Cells one(n);
        one[i] = 1;
        columns.push_back(plain::laplacian(geometry, one));
    }
    const auto solved_by = [&](const Cells& f, double k) {
        FullMatrix matrix(n, std::vector<double>(n));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) matrix[i][j] = (i == j ? 1 : 0) - k * columns[j][i];
        }
        return eliminated(matrix, f);
    };
    const Rates rates = [&](const Fields& f, double) {
        return reacted(f, plain::laplacian(geometry, f[0]), plain::laplacian(geometry, f[1]), 40);
    };
    const Solve solve = [&](const Fields& f, double) { return Fields{solved_by(f[0], kShare * 0.2), solved_by(f[1], kShare * 8)}; };
    Fields expected = run.start;
    for (int step = 0; step < 4; ++step) expected = plain_step(expected, 0.2 * step, 0.2, rates, solve);
    for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(run.end[k][i], expected[k][i], 1e-11) << k << " " << i;
    }
}

TEST(ImplicitSecond, TheSameBitsWithAnyThreadsAndWhenResumed) {
    const std::filesystem::path state = std::filesystem::temp_directory_path() / "mottle_implicit_second_test.state";
    for (const std::string& domain : {std::string("mesh = { shape = \"sphere:3\", scale = 3 }\n"), std::string("size = \"70x45\"\n")}) {
        const std::string settings = domain + "dt = 0.3\nsteps = 9\n";
        const Fields whole = run_shape(kSchnakenberg, settings, 9, 1).end;
        EXPECT_EQ(run_shape(kSchnakenberg, settings, 9, 3).end, whole) << domain;
        EXPECT_EQ(run_shape(kSchnakenberg, settings + "device = \"reference\"\n", 9, 2).end, whole) << domain;
        run_shape(kSchnakenberg, domain + "dt = 0.3\nsteps = 4\n", 4, 2, state);
        EXPECT_EQ(run_shape(kSchnakenberg, settings, 9, 1, state, true).end, whole) << domain;
        std::filesystem::remove(state);
    }
}

// What does not diffuse is a field like any other; clamps hold at the end of a step; and what stands still does so to the bit.
TEST(ImplicitSecond, FieldsWithoutDiffusionClampsAndRest) {
    const StartAndEnd run = run_shape(
        "[equations]\nu = 'lap(u) - u + v'\nv = 'u - v'\nw = '1'\n[clamp]\nw = [0, 0.75]\n[initial]\nu = '0.5'\nv = '0.5'\nw = '0.25*X'\n",
        "size = \"12x7\"\ndt = 0.5\nsteps = 3\n", 3, 1);
    EXPECT_EQ(run.end[0], run.start[0]);
    EXPECT_EQ(run.end[1], run.start[1]);
    for (const double w : run.end[2]) EXPECT_EQ(w, 0.75);
}

TEST(ImplicitSecond, WhatItCannotStepIsRefused) {
    const auto complaint = [](const std::string& equation, const std::string& settings) -> std::string {
        try {
            run_shape("[equations]\nu = '" + equation + "'\n[initial]\nu = 'X'\n", settings + "dt = 0.1\nsteps = 1\n", 1, 1);
        } catch (const mottle::core::ModelError& error) {
            return error.what();
        } catch (const mottle::core::InputError& error) {
            return error.what();
        }
        return "";
    };
    const std::string grid = "size = \"8x8\"\n";
    EXPECT_NE(complaint("1 - u", grid).find("--method imex2 solves for diffusion"), std::string::npos);
    EXPECT_NE(complaint("lap(u) + white()", grid).find("white()"), std::string::npos);
    EXPECT_NE(complaint("-lap(u)", grid).find("--method imex2 solves for diffusion from 0 on"), std::string::npos);
    EXPECT_NE(complaint("lap(u)", grid + "stencil = 9\n").find("--method imex2 cannot solve"), std::string::npos);
}

// The limit of dt for what is carried along beside diffusion that is solved for: just below it no wave of a rough start grows, just above it some do.
TEST(ImplicitSecond, WavesThatAreCarriedAlongGrowBeyondTheLimit) {
    const auto largest = [](const std::string& method, double dt, int steps) {
        const StartAndEnd run = run_by(method, "[equations]\nu = 'lap(u) - 0.3*dx(u)'\n[initial]\nu = 'noise(-1, 1)'\n",
                                       "size = \"256x1\"\nboundary = \"periodic\"\ndt = " + std::to_string(dt) + "\n", steps, 1);
        double most = 0;
        for (const double u : run.end[0]) most = std::max(most, std::abs(u));
        return most;
    };
    const auto limit = [](const char* method) {
        const mottle::model::Model model = mottle::model::check(
            mottle::core::parse_document("[equations]\nu = 'lap(u) - 0.3*dx(u)'\n[initial]\nu = 'X'\n", "test.toml"), "test");
        mottle::domain::Grid grid;
        grid.size = mottle::domain::parse_size({"256x1", {}});
        return mottle::ir::stable_step(mottle::ir::build(model), {method, true}, grid).limit;
    };
    for (const auto& [method, steps] : {std::pair("imex", 40000), std::pair("imex2", 4000)}) {
        const double longest = limit(method), grown = largest(method, 1.1 * longest, steps);
        EXPECT_LT(largest(method, 0.97 * longest, steps), 1) << method;
        EXPECT_GT(grown, 1) << method;
        EXPECT_GT(largest(method, 1.1 * longest, 2 * steps), 10 * grown) << method;
    }
}

}  // namespace oracle::implicit_second_test
