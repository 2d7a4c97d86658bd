// tests/physics/implicit_test.cpp: imex, diffusion solved for: against plain eliminations line by line, exact decay, order, bounds, mass, resuming, threads
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "oracle/eliminated_lines.h"
#include "oracle/mesh_run.h"
#include "oracle/started_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <string>

namespace oracle::implicit_test {

constexpr double kPi = std::numbers::pi;

const std::string kSchnakenberg =
    "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = 'D*lap(v) + 0.9 - u^2*v'\n[parameters]\nD = 400\n"
    "[initial]\nu = '1 + 0.1*cos(2*pi*(3*X + Y)) + 0.05*sin(5*X*Y)'\nv = '0.9 + 0.1*cos(2*pi*(2*Y - X))'\n";

TEST(Implicit, GridsAgainstEliminationOfEachLine) {
    struct Border {
        const char* rule;
        Sides (*sides)(double t);
    };
    const Border borders[] = {{"periodic", [](double) { return all_sides(Rule::periodic); }},
                              {"no-flux", [](double) { return all_sides(Rule::no_flux); }},
                              {"value(1 + 0.2*sin(t))", [](double t) { return all_sides(Rule::value, 1 + 0.2 * std::sin(t)); }},
                              {"outside(0.7)", [](double) { return all_sides(Rule::outside, 0.7); }},
                              {"flux(0.0002)", [](double) { return all_sides(Rule::flux, 0.0002); }},
                              {"robin(1, 2, 0.9)",
                               [](double) {
                                   return Sides{Side{Rule::robin, 0.9, 1, 2}, Side{Rule::robin, 0.9, 1, 2}, Side{Rule::robin, 0.9, 1, 2},
                                                Side{Rule::robin, 0.9, 1, 2}};
                               }},
                              {"left = value(1), top = no-flux", [](double) {
                                   return Sides{Side{Rule::value, 1}, Side{Rule::no_flux}, Side{Rule::no_flux}, Side{Rule::no_flux}};
                               }}};
    const double dt = 0.25;
    for (const Border& border : borders) {
        for (const char* size : {"37x21", "64x2", "2x35", "1x40", "33x1"}) {
            SCOPED_TRACE(std::string(border.rule) + " " + size);
            std::string text = "boundary = \"" + std::string(border.rule) + "\"\n";
            if (const std::string rule = border.rule; rule.starts_with("left")) {
                if (std::string(size).find("1x") == 0 || std::string(size).ends_with("x1")) continue;
                text = "boundary = { left = \"value(1)\", right = \"no-flux\", top = \"no-flux\", bottom = \"no-flux\" }\n";
            }
            const Outcome outcome = run_mottle(
                kSchnakenberg, "", std::string("size = \"") + size + "\"\nspacing = 0.5\nmethod = \"imex\"\ndt = 0.25\n" + text, 7);
            const Grid& g = outcome.grid;
            Fields f = outcome.start;
            for (int step = 0; step < 7; ++step) {
                for (std::size_t i = 0; i < f[0].size(); ++i) {
                    const double u = f[0][i], v = f[1][i], made = u * u * v;
                    f[0][i] = u + dt * (0.1 - u + made);
                    f[1][i] = v + dt * (0.9 - made);
                }
                const Sides sides = border.sides((step + 1) * dt);
                f[0] = solved(g, f[0], dt * 1, sides);
                f[1] = solved(g, f[1], dt * 400, sides);
            }
            for (std::size_t k = 0; k < 2; ++k) {
                for (std::size_t i = 0; i < f[k].size(); ++i) ASSERT_NEAR(outcome.end[k][i], f[k][i], 1e-11) << k << " " << i;
            }
        }
    }
}

// A wave of the grid decays by 1/((1 + dt lx)(1 + dt ly)(1 + dt lz)) in each step: exactly, whatever dt is.
TEST(Implicit, AWaveInAVolume) {
    const double dt = 3;
    const std::string model = "[equations]\nu = '2*lap(u)'\n[initial]\nu = 'cos(2*pi*X)*cos(4*pi*Y)*cos(2*pi*Z)'\n";
    mottle::core::ThreadTeam team(1);
    Silent observer;
    mottle::core::Context context{team, observer, kernel_cache()};
    const auto flags = mottle::core::parse_document(
        "precision = \"f64\"\nsize = \"12x16x8\"\nboundary = \"periodic\"\nmethod = \"imex\"\ndt = 3\nsteps = 5\nthreads = 2\n",
        "settings");
    mottle::run::Simulation simulation(mottle::run::read_spec(mottle::core::parse_document(model, "m.toml"), "m", "", flags), context);
    const Fields start = read_fields(simulation);
    simulation.advance_to(5);
    const Fields end = read_fields(simulation);
    const auto decay = [&](int n, int waves) { return 1 + dt * 2 * 2 * (1 - std::cos(2 * kPi * waves / n)); };
    const double factor = std::pow(decay(12, 1) * decay(16, 2) * decay(8, 1), -5);
    for (std::size_t i = 0; i < end[0].size(); ++i) ASSERT_NEAR(end[0][i], factor * start[0][i], 1e-14);
}

// u = cos(t) w with w an eigenvector of lap on the grid solves u' = 0.7 lap(u) - u^2 + q(x, t).
TEST(Implicit, OrderInTime) {
    const int n = 48;
    const double lambda = 2 * (1 - std::cos(2 * kPi * 3 / n)), end = 2;
    const std::string model =
        "[equations]\nu = '0.7*lap(u) - u^2 + w*(a*cos(t) - sin(t)) + w^2*cos(t)^2'\n[parameters]\na = " + std::to_string(0.7 * lambda) +
        "\n[define]\nw = 'cos(2*pi*3*X)'\n[initial]\nu = 'w'\n";
    double before = 0;
    for (const int steps : {32, 64, 128, 256}) {
        const Outcome outcome =
            run_mottle(model, "", "size = \"48x4\"\nmethod = \"imex\"\ndt = " + std::to_string(end / steps) + "\n", steps);
        double error = 0;
        for (int i = 0; i < n; ++i)
            error = std::max(error,
                             std::abs(outcome.end[0][static_cast<std::size_t>(i)] - std::cos(end) * std::cos(2 * kPi * 3 * (i + 0.5) / n)));
        if (before > 0) {
            EXPECT_NEAR(std::log2(before / error), 1, 0.1) << steps;
        }
        before = error;
    }
}

TEST(Implicit, MaximumPrincipleAndMass) {
    for (const char* rule : {"periodic", "no-flux"}) {
        const Outcome outcome =
            run_mottle("[equations]\nu = 'D*lap(u)'\n[parameters]\nD = 1000\n[initial]\nu = 'noise(-1, 1)'\n", "",
                       std::string("size = \"51x40\"\nmethod = \"imex\"\ndt = 0.01\nboundary = \"") + rule + "\"\n", 20);
        const auto [low, high] = std::minmax_element(outcome.start[0].begin(), outcome.start[0].end());
        for (const double x : outcome.end[0]) {
            ASSERT_GE(x, *low);
            ASSERT_LE(x, *high);
        }
        const double before = std::accumulate(outcome.start[0].begin(), outcome.start[0].end(), 0.0);
        EXPECT_NEAR(std::accumulate(outcome.end[0].begin(), outcome.end[0].end(), 0.0), before, 1e-10);
    }
}

// With steps of diffusion far beyond the domain, f becomes its mean and stays that.
TEST(Implicit, MassStaysHoweverStiff) {
    for (const char* rule : {"periodic", "no-flux"}) {
        for (const char* d : {"1e8", "1e12", "1e16", "1e100"}) {
            const Outcome outcome = run_mottle(
                "[equations]\nu = 'D*lap(u)'\n[parameters]\nD = " + std::string(d) + "\n[initial]\nu = '1 + sin(7*X)*cos(5*Y)'\n", "",
                std::string("size = \"50x41\"\nmethod = \"imex\"\ndt = 1\nboundary = \"") + rule + "\"\n", 200);
            const double cells = static_cast<double>(outcome.start[0].size());
            const double mean = std::accumulate(outcome.start[0].begin(), outcome.start[0].end(), 0.0) / cells;
            for (const double x : outcome.end[0]) ASSERT_NEAR(x, mean, 1e-11) << rule << " " << d;
        }
    }
}

// ---- surfaces

StartAndEnd run_shape(const std::string& model, const std::string& settings, int steps, int threads,
                      const std::filesystem::path& state = {}, bool resume = false) {
    return run_by("imex", model, settings, steps, threads, state, resume);
}

// What the solution has to satisfy, with the Laplacian of plain loops over the faces: f' - k lap(f') is what the explicit part leaves.
TEST(Implicit, ASphereSatisfiesTheEquationsOfEachStep) {
    const std::string model =
        "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '40*lap(v) + 0.9 - u^2*v'\n[initial]\nu = '1 + 0.3*X*Y'\nv = '0.9 + 0.2*Z'\n";
    const std::string settings = "mesh = { shape = \"sphere:3\", scale = 4 }\ndt = 0.2\nsteps = 10\n";
    const plain::PlainMesh geometry = plain_of(shape("sphere:3", 4));
    for (const int step : {0, 4}) {
        const Fields from = step == 0 ? run_shape(model, settings, 1, 1).start : run_shape(model, settings, step, 1).end;
        const Fields to = run_shape(model, settings, step + 1, 2).end;
        const std::vector<double> lu = plain::laplacian(geometry, to[0]), lv = plain::laplacian(geometry, to[1]);
        for (std::size_t i = 0; i < to[0].size(); ++i) {
            const double u = from[0][i], v = from[1][i], made = u * u * v;
            ASSERT_NEAR(to[0][i] - 0.2 * lu[i], u + 0.2 * (0.1 - u + made), 1e-11) << step << " " << i;
            ASSERT_NEAR(to[1][i] - 8 * lv[i], v + 0.2 * (0.9 - made), 1e-10) << step << " " << i;
        }
    }
}

// x + y + z on a sphere of radius 1 is an eigenfunction of the surface with eigenvalue 2.
TEST(Implicit, HeatOnASphere) {
    const StartAndEnd run =
        run_shape("[equations]\nu = 'lap(u)'\n[initial]\nu = 'x + 2*y - z'\n", "mesh = \"sphere:5\"\ndt = 0.05\nsteps = 10\n", 10, 2);
    double error = 0, largest = 0;
    for (std::size_t i = 0; i < run.end[0].size(); ++i) {
        error = std::max(error, std::abs(run.end[0][i] - std::pow(1 + 0.05 * 2, -10) * run.start[0][i]));
        largest = std::max(largest, std::abs(run.start[0][i]));
    }
    EXPECT_LT(error, 2e-3 * largest);
    EXPECT_GT(largest, 1);
}

TEST(Implicit, MassStaysOnSurfacesHoweverStiff) {
    const plain::PlainMesh geometry = plain_of(shape("sphere:3", 1));
    for (const char* d : {"1e6", "1e10", "1e13"}) {
        const StartAndEnd run =
            run_shape("[equations]\nu = 'D*lap(u)'\n[parameters]\nD = " + std::string(d) + "\n[initial]\nu = '1 + x + sin(7*y)*cos(5*z)'\n",
                      "mesh = { shape = \"sphere:3\", scale = 1 }\ndt = 1\nsteps = 200\n", 200, 1);
        double sum = 0, area = 0;
        for (const plain::Face& face : geometry.faces) {
            const auto corner = [&](std::size_t c) { return static_cast<std::size_t>(face[c]); };
            const plain::Vector a = plain::minus(geometry.position[corner(1)], geometry.position[corner(0)]),
                                b = plain::minus(geometry.position[corner(2)], geometry.position[corner(0)]);
            const double own = plain::length(plain::cross(a, b)) / 2;
            for (std::size_t c = 0; c < 3; ++c) sum += own / 3 * run.start[0][corner(c)];
            area += own;
        }
        for (const double x : run.end[0]) ASSERT_NEAR(x, sum / area, 1e-11) << d;
    }
}

TEST(Implicit, TheSameBitsWithAnyThreadsAndWhenResumed) {
    const std::filesystem::path state = std::filesystem::temp_directory_path() / "mottle_implicit_test.state";
    for (const std::string& domain : {std::string("mesh = { shape = \"sphere:4\", scale = 3 }\n"), std::string("size = \"70x45\"\n")}) {
        const std::string settings = domain + "dt = 0.3\nsteps = 12\n";
        const Fields whole = run_shape(kSchnakenberg, settings, 12, 1).end;
        EXPECT_EQ(run_shape(kSchnakenberg, settings, 12, 3).end, whole) << domain;
        EXPECT_EQ(run_shape(kSchnakenberg, settings + "device = \"reference\"\n", 12, 2).end, whole) << domain;
        run_shape(kSchnakenberg, domain + "dt = 0.3\nsteps = 5\n", 5, 2, state);
        EXPECT_EQ(run_shape(kSchnakenberg, settings, 12, 1, state, true).end, whole) << domain;
        std::filesystem::remove(state);
    }
}

// ---- what it refuses

std::string complaint(const std::string& model, const std::string& settings) {
    try {
        run_shape(model, settings, 1, 1);
    } catch (const mottle::core::ModelError& error) {
        return error.what();
    } catch (const mottle::core::InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Implicit, WhatItCannotSolveForIsRefusedWithTheReason) {
    const std::string initial = "[initial]\nu = 'X'\n", grid = "size = \"8x8\"\ndt = 0.1\nsteps = 1\n";
    const auto refused = [&](const std::string& equation, const std::string& settings, const std::string& part) {
        EXPECT_NE(complaint("[equations]\nu = '" + equation + "'\n" + initial, grid + settings).find(part), std::string::npos)
            << complaint("[equations]\nu = '" + equation + "'\n" + initial, grid + settings);
    };
    refused("1 - u", "", "no equation has such a term");
    refused("t*lap(u)", "", "changes with t");
    refused("lap(u) - mean(u)", "", "a sum over all cells");
    refused("lap(u)", "stencil = 9\n", "a stencil other than the one of 5 points");
    refused("lap(u)", "boundary = \"still\"\n", "the border rule still");
    refused("-lap(u)", "", "from 0 on");
    refused("10*lap(u)", "boundary = \"robin(1, -1, 1)\"\n", "cannot be factored");
    refused("10.5*lap(u)", "boundary = \"robin(1, -1, 1)\"\n", "cannot be factored");
    EXPECT_EQ(complaint("[equations]\nu = '0.5*lap(u)'\n" + initial, grid + "boundary = \"robin(1, -1, 1)\"\n"), "");
}

// A parameter that changes in the middle of a run changes the matrix.
TEST(Implicit, ParametersMayChange) {
    StartedRun run("[equations]\nu = 'D*lap(u)'\n[parameters]\nD = 1\n[initial]\nu = 'cos(2*pi*X)'\n",
                   "precision = \"f64\"\nsize = \"32x1\"\nboundary = \"periodic\"\nmethod = \"imex\"\ndt = 1\nsteps = 2\n");
    const Fields start = run.fields();
    run->advance_to(1);
    run->set_parameter("D", 10);
    run->advance_to(2);
    const Fields end = run.fields();
    const double lambda = 2 * (1 - std::cos(2 * kPi / 32));
    for (std::size_t i = 0; i < 32; ++i) ASSERT_NEAR(end[0][i], start[0][i] / ((1 + lambda) * (1 + 10 * lambda)), 1e-14);
}

}  // namespace oracle::implicit_test
