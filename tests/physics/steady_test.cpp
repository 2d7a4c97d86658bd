// tests/physics/steady_test.cpp: steady states by Newton's method: against a plain Newton's method, plain right sides, known eigenvalues on grids and a sphere, kept sums
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/steady/travel.h"
#include "oracle/mottle_run.h"
#include "oracle/plain_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace oracle::steady_test {

constexpr double kPi = std::numbers::pi;

/// What a run came to, and its fields.
struct Ended {
    mottle::stepper::Verdict verdict;
    mottle::core::Index step;
    bool searched = false;
    mottle::run::SteadySearch search;
    std::vector<std::string> notices;
    Fields fields;
    mottle::domain::Domain domain;
};

class Listening : public mottle::core::Observer {
   public:
    void notice(const std::string& text) override { notices.push_back(text); }
    std::vector<std::string> notices;
};

Ended ended(const std::string& document, const std::string& flags, int threads = 2) {
    using namespace mottle;
    core::ThreadTeam team(threads);
    Listening observer;
    core::Context context{team, observer, kernel_cache()};
    const run::Spec spec = run::read_spec(core::parse_document(document, "steady.toml"), "steady", "",
                                          core::parse_document("until = 'steady=newton'\n" + flags, "flags"));
    run::Simulation simulation(spec, context);
    const stepper::Outcome outcome = simulation.run_to_end();
    Ended result{outcome.verdict, outcome.at.step, false, {}, observer.notices, read_fields(simulation), simulation.spec().domain};
    if (const auto* search = simulation.steady_search()) result.searched = true, result.search = *search;
    return result;
}

double root_mean_square(const Cells& cells) {
    double sum = 0;
    for (const double cell : cells) sum += cell * cell;
    return std::sqrt(sum / static_cast<double>(cells.size()));
}

double mean(const Cells& cells) {
    double sum = 0;
    for (const double cell : cells) sum += cell;
    return sum / static_cast<double>(cells.size());
}

/// Growing directions of Schnakenberg's uniform state (a + b, b/(a + b)^2), a = 0.1, b = 0.9, for a wave that lap multiplies by -wave.
int growing(double diffusion, double wave) {
    const double u = 1, v = 0.9;
    const double fu = -1 + 2 * u * v - wave, fv = u * u, gu = -2 * u * v, gv = -u * u - diffusion * wave;
    const double trace = fu + gv, det = fu * gv - fv * gu;
    if (det < 0) return 1;
    return trace > 0 ? 2 : 0;
}

std::string schnakenberg(double diffusion) {
    return "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = 'D*lap(v) + 0.9 - u^2*v'\n[parameters]\nD = " + std::to_string(diffusion) +
           "\n[fields]\nu = { range = [0, 5] }\nv = { range = [0, 2] }\n";
}

/// The rates of Schnakenberg's model in plain loops.
Fields rates(const Fields& f, int nx, int ny, const Sides& sides) {
    Fields out(2, Cells(f[0].size()));
    const Ghosted u(f[0], nx, ny, sides, 1, 1), v(f[1], nx, ny, sides, 1, 1);
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            const auto lap = [&](const Ghosted& g) {
                double sum = 0;
                for (const auto& [di, dj] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}})
                    sum += g.seen(i, j, di, dj) - g.at(i, j);
                return sum;
            };
            const auto c = static_cast<std::size_t>(j * nx + i);
            const double a = u.at(i, j), b = v.at(i, j);
            out[0][c] = lap(u) + 0.1 - a + a * a * b;
            out[1][c] = 40 * lap(v) + 0.9 - a * a * b;
        }
    }
    return out;
}

// Near the uniform state the search finds it, and counts the waves cos(pi k i/n) cos(pi l j/m) that grow, whose rates are known.
TEST(Steady, GrowingDirectionsOfAUniformState) {
    for (const double diffusion : {4.0, 40.0}) {
        const int nx = 20, ny = 12;
        int expected = 0;
        for (int k = 0; k < nx; ++k) {
            for (int l = 0; l < ny; ++l) expected += growing(diffusion, 4 - 2 * std::cos(kPi * k / nx) - 2 * std::cos(kPi * l / ny));
        }
        const Ended end = ended(schnakenberg(diffusion) + "[initial]\nu = '1 + 1e-4*sin(X + Y)'\nv = '0.9 + 1e-4*cos(3*X)'\n",
                                "steps = 0\nsize = '20x12'\nboundary = 'no-flux'\nprecision = 'f64'\n");
        ASSERT_TRUE(end.searched && end.search.result.found) << end.search.result.why;
        EXPECT_EQ(end.verdict, mottle::stepper::Verdict::uniform);
        for (std::size_t c = 0; c < end.fields[0].size(); ++c) {
            ASSERT_NEAR(end.fields[0][c], 1, 1e-9);
            ASSERT_NEAR(end.fields[1][c], 0.9, 1e-9);
        }
        ASSERT_TRUE(end.search.result.directions);
        EXPECT_EQ(end.search.result.directions->growing, expected) << diffusion;
        EXPECT_EQ(end.search.result.directions->neutral, 0);
        EXPECT_EQ(expected > 0, diffusion > 20) << "the counts of both cases differ";
    }
}

// u'' + u - u^3 = 0 from u = 0 to 1: half a kink, which cannot be moved. The discrete one by a plain Newton's method with Thomas's algorithm; the exact one is tanh(x/sqrt 2).
TEST(Steady, KinkAgainstAPlainNewtonsMethod) {
    double error[2];
    for (const int turn : {0, 1}) {
        const int n = turn == 0 ? 40 : 80;
        const double h = 10.0 / n;
        const Ended end = ended("[equations]\nu = 'lap(u) + u - u^3'\n[initial]\nu = 'tanh(3*X)'\n",
                                "steps = 0\nsize = '" + std::to_string(n) + "x1'\nspacing = " + std::to_string(h) +
                                    "\nprecision = 'f64'\nboundary = 'left=value(0),right=value(1)'\n");
        ASSERT_TRUE(end.search.result.found) << end.search.result.why;
        Cells u(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) u[static_cast<std::size_t>(i)] = std::tanh(((i + 0.5) * h) / std::numbers::sqrt2);
        for (int iteration = 0; iteration < 30; ++iteration) {
            Cells diagonal(u.size()), right(u.size());
            for (std::size_t i = 0; i < u.size(); ++i) {
                const double west = i > 0 ? u[i - 1] : -u[i], east = i + 1 < u.size() ? u[i + 1] : 2 - u[i];
                const bool end_cell = i == 0 || i + 1 == u.size();
                right[i] = -((west - 2 * u[i] + east) / (h * h) + u[i] - u[i] * u[i] * u[i]);
                diagonal[i] = -(end_cell ? 3.0 : 2.0) / (h * h) + 1 - 3 * u[i] * u[i];
            }
            const double beside = 1 / (h * h);
            for (std::size_t i = 1; i < u.size(); ++i) {
                const double by = beside / diagonal[i - 1];
                diagonal[i] -= by * beside;
                right[i] -= by * right[i - 1];
            }
            for (std::size_t i = u.size(); i-- > 0;) {
                if (i + 1 < u.size()) right[i] -= beside * right[i + 1];
                right[i] /= diagonal[i];
            }
            for (std::size_t i = 0; i < u.size(); ++i) u[i] += right[i];
        }
        error[turn] = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
            ASSERT_NEAR(end.fields[0][i], u[i], 1e-10);
            error[turn] = std::max(error[turn], std::abs(u[i] - std::tanh(((static_cast<double>(i) + 0.5) * h) / std::numbers::sqrt2)));
        }
        ASSERT_TRUE(end.search.result.directions);
        EXPECT_EQ(end.search.result.directions->growing, 0);
        EXPECT_LE(end.search.result.residual, 1e-10);
    }
    EXPECT_LT(error[0], 2e-3);
    EXPECT_NEAR(error[0] / error[1], 4, 0.3) << "second order in the spacing";
}

// A pattern grown by steps, then Newton's: its rates in plain loops are 1e-10 of the fields, for every border.
TEST(Steady, RatesOfAPatternInPlainLoops) {
    struct Border {
        const char* flags;
        Sides sides;
    };
    const Border borders[] = {
        {"boundary = 'periodic'", all_sides(Rule::periodic)},
        {"boundary = 'no-flux'", all_sides(Rule::no_flux)},
        {"boundary = 'value(0.9)'", all_sides(Rule::value, 0.9)},
        {"boundary = 'outside(0.8)'", all_sides(Rule::outside, 0.8)},
        {"boundary = 'still'", all_sides(Rule::still)},
        {"boundary = 'robin(1, 2, 0.9)'",
         {Side{Rule::robin, 0.9, 1, 2}, Side{Rule::robin, 0.9, 1, 2}, Side{Rule::robin, 0.9, 1, 2}, Side{Rule::robin, 0.9, 1, 2}}}};
    for (const Border& border : borders) {
        const Ended end =
            ended(schnakenberg(40) + "[initial]\nu = '1 + 0.2*cos(2*pi*(X + 0.1))*cos(2*pi*Y) + 0.05*sin(3*X + Y)'\nv = '0.9'\n",
                  std::string(border.flags) + "\nsteps = 20000\nsize = '16x14'\nprecision = 'f64'\n");
        ASSERT_TRUE(end.searched) << border.flags;
        ASSERT_TRUE(end.search.result.found) << border.flags << ": " << end.search.result.why;
        EXPECT_EQ(end.verdict, mottle::stepper::Verdict::patterned) << border.flags;
        const Fields rate = rates(end.fields, 16, 14, border.sides);
        for (std::size_t f = 0; f < 2; ++f)
            EXPECT_LE(root_mean_square(rate[f]), 1.01e-10 * root_mean_square(end.fields[f])) << border.flags << " field " << f;
        ASSERT_TRUE(end.search.result.directions) << border.flags;
        EXPECT_EQ(end.search.result.directions->growing, 0) << border.flags;
    }
}

// u' = lap(u) + c u about 0 on a ring of 16 cells, c the rate at which lap damps the longest waves, of which there are two; only the mean grows.
TEST(Steady, NeutralDirections) {
    const Ended end = ended("[equations]\nu = 'lap(u) + (2 - 2*cos(pi/8))*u'\n[initial]\nu = '0'\n",
                            "steps = 0\nsize = '16x1'\ndt = 0.1\nprecision = 'f64'\n");
    ASSERT_TRUE(end.search.result.found && end.search.result.directions);
    EXPECT_EQ(end.search.result.directions->growing, 1);
    EXPECT_EQ(end.search.result.directions->neutral, 2);
}

// Cahn and Hilliard's equation keeps the mean of u, and so does the search; nothing else would fix it, as the matrix is singular.
TEST(Steady, ConservedMeansStay) {
    const Ended end = ended(
        "[equations]\nu = 'lap(u^3 - u) - bilap(u)'\n[fields]\nu = { range = [-1, 1] }\n[initial]\nu = '0.1 + 0.2*cos(pi*X) + "
        "0.02*cos(2*pi*Y)'\n",
        "steps = 40000\nsize = '24x12'\nboundary = 'no-flux'\nprecision = 'f64'\n");
    ASSERT_TRUE(end.search.result.found) << end.search.result.why;
    EXPECT_EQ(end.verdict, mottle::stepper::Verdict::patterned);
    EXPECT_EQ(end.search.result.conserved, 1);
    EXPECT_NEAR(mean(end.fields[0]), 0.1, 1e-12);
    // the chemical potential u^3 - u - lap(u) is the same everywhere
    const Ghosted u(end.fields[0], 24, 12, all_sides(Rule::no_flux), 1, 1);
    const double first = [&] {
        const double a = u.at(0, 0);
        return a * a * a - a - (u.at(1, 0) + u.at(-1, 0) + u.at(0, 1) + u.at(0, -1) - 4 * a);
    }();
    for (int j = 0; j < 12; ++j) {
        for (int i = 0; i < 24; ++i) {
            const double a = u.at(i, j);
            ASSERT_NEAR(a * a * a - a - (u.at(i + 1, j) + u.at(i - 1, j) + u.at(i, j + 1) + u.at(i, j - 1) - 4 * a), first, 1e-7);
        }
    }
}

// u' = lap(u) + a u - u^3 about 0 on a sphere of radius R: harmonics of degree l grow at a - l (l + 1)/R^2, 2 l + 1 of them each.
TEST(Steady, GrowingDirectionsOnASphere) {
    for (const int degree : {1, 2, 3}) {
        const double between =
            (degree * (degree + 1) + (degree - 1) * degree) / 2.0;  // of -lap on the unit sphere, below degree, above degree - 1
        const Ended end =
            ended("[equations]\nu = 'lap(u) + a*u - u^3'\n[parameters]\na = " + std::to_string(between) + "\n[initial]\nu = '0'\n",
                  "steps = 0\nmesh = 'sphere:4'\nmesh_scale = 1\ndt = 1e-5\nprecision = 'f64'\n");
        ASSERT_TRUE(end.search.result.found) << end.search.result.why;
        EXPECT_LE(root_mean_square(end.fields[0]), 1e-9);
        ASSERT_TRUE(end.search.result.directions) << "symmetric: of any size";
        EXPECT_GT(end.search.result.unknowns, mottle::steady::kMostDense);
        EXPECT_EQ(end.search.result.directions->growing, degree * degree);
    }
}

TEST(Steady, PatternOnAMeshInPlainLoops) {
    const Ended end = ended(
        "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '40*lap(v) + 0.9 - u^2*v'\n[fields]\nu = { range = [0, 5] }\nv = { range = [0, "
        "2] }\n"
        "[initial]\nu = '1 + 0.2*x*y + 0.1*z'\nv = '0.9'\n",
        "time = 300\nmesh = 'sphere:3'\nmesh_scale = 8\nprecision = 'f64'\n");
    ASSERT_TRUE(end.search.result.found) << end.search.result.why;
    const auto& mesh = std::get<mottle::domain::Mesh>(end.domain);
    plain::PlainMesh plain{mesh.surface->position, {}};
    for (auto& place : plain.position) {
        for (double& x : place) x *= 8;
    }
    for (const auto& face : mesh.surface->faces) plain.faces.push_back({face[0], face[1], face[2]});
    const std::vector<double> lap_u = plain::laplacian(plain, end.fields[0]), lap_v = plain::laplacian(plain, end.fields[1]);
    Cells rate(lap_u.size()), other(lap_u.size());
    for (std::size_t i = 0; i < rate.size(); ++i) {
        const double u = end.fields[0][i], v = end.fields[1][i];
        rate[i] = lap_u[i] + 0.1 - u + u * u * v;
        other[i] = 40 * lap_v[i] + 0.9 - u * u * v;
    }
    EXPECT_LE(root_mean_square(rate), 2e-10);
    EXPECT_LE(root_mean_square(other), 2e-10);
}

TEST(Steady, TheSameOnAnyNumberOfThreads) {
    const std::string flags = "steps = 20000\nsize = '16x16'\n";
    const std::string text = schnakenberg(40) + "[initial]\nu = '1 + 0.2*cos(2*pi*X)*cos(2*pi*Y)'\nv = '0.9'\n";
    EXPECT_EQ(ended(text, flags, 1).fields, ended(text, flags, 3).fields);
}

std::string gray_scott(double feed, double kill) {
    return "[equations]\nu = '0.2097*lap(u) - u*v^2 + F*(1 - u)'\nv = '0.105*lap(v) + u*v^2 - (F + k)*v'\n[parameters]\nF = " +
           std::to_string(feed) + "\nk = " + std::to_string(kill) +
           "\n[fields]\nu = { range = [0, 1] }\nv = { range = [0, 0.5] }\n[define]\nseed = 'spots(8, 5)'\n[initial]\n"
           "u = '1 - 0.5*seed'\nv = 'seed*(0.25 + noise(-0.05, 0.05))'\n";
}

// Spots that hardly push each other any more: the matrix of the beginning of a step is not that of its end, and with it alone the search takes 54 iterations.
TEST(Steady, SpotsFarApartSettleInFewIterations) {
    const Ended end = ended(gray_scott(0.0367, 0.0649), "steps = 20000\nsize = '40x40'\ndt = 1\nprecision = 'f64'\n");
    ASSERT_TRUE(end.searched && end.search.result.found) << end.search.result.why;
    EXPECT_EQ(end.verdict, mottle::stepper::Verdict::patterned);
    EXPECT_LE(end.search.result.iterations, 25);
    EXPECT_GE(end.search.result.factors, end.search.result.iterations);
    const Ghosted u(end.fields[0], 40, 40, all_sides(Rule::periodic), 1, 1), v(end.fields[1], 40, 40, all_sides(Rule::periodic), 1, 1);
    Fields rate(2);
    for (int j = 0; j < 40; ++j) {
        for (int i = 0; i < 40; ++i) {
            const auto lap = [&](const Ghosted& g) {
                return g.at(i + 1, j) + g.at(i - 1, j) + g.at(i, j + 1) + g.at(i, j - 1) - 4 * g.at(i, j);
            };
            const double grown = u.at(i, j) * v.at(i, j) * v.at(i, j);
            rate[0].push_back(0.2097 * lap(u) - grown + 0.0367 * (1 - u.at(i, j)));
            rate[1].push_back(0.105 * lap(v) + grown - (0.0367 + 0.0649) * v.at(i, j));
        }
    }
    for (std::size_t f = 0; f < 2; ++f) EXPECT_LE(root_mean_square(rate[f]), 1.01e-10 * root_mean_square(end.fields[f])) << f;
}

/// A' = lap(A) + (1 + i turn - |A|^2) A has waves of A = r e^(i (p x + q y + turn t)), on a grid as well. A place of theirs moves at -turn (p, q)/(p^2 + q^2).
std::string travelling_wave(double turn, int waves_x, int waves_y) {
    const std::string phase = "2*pi*(" + std::to_string(waves_x) + "*X + " + std::to_string(waves_y) + "*Y)";
    return "[equations]\nu = 'lap(u) + (1 - u^2 - v^2)*u - w*v'\nv = 'lap(v) + (1 - u^2 - v^2)*v + w*u'\n[parameters]\nw = " +
           std::to_string(turn) + "\n[initial]\nu = '0.9*cos(" + phase + ")'\nv = '0.9*sin(" + phase + ")'\n";
}

TEST(Steady, AWaveThatTravelsIsTold) {
    const Ended end = ended(travelling_wave(0.05, 1, 0), "steps = 0\nsize = '32x12'\nspacing = 0.5\nprecision = 'f64'\n");
    ASSERT_TRUE(end.searched);
    EXPECT_FALSE(end.search.result.found);
    // 0.05 * 16/(2 pi) = 0.127, towards smaller x
    EXPECT_EQ(end.search.result.why, "the pattern moves along as a whole, by 0.13 per unit of time (x -0.13)");
    EXPECT_LT(end.search.result.iterations, 60);
}

// Nothing moves along where a side is closed, and the search says what it said.
TEST(Steady, NoTravelBetweenClosedSides) {
    const Ended end = ended(travelling_wave(0.05, 1, 0), "steps = 0\nsize = '32x12'\nboundary = 'no-flux'\nprecision = 'f64'\n");
    ASSERT_TRUE(end.searched);
    EXPECT_EQ(end.search.result.why.find("moves along"), std::string::npos) << end.search.result.why;
}

// A wind that turns at X = 0.75, where the spike will stand: on its way there nothing is said of travel.
TEST(Steady, WhereAMapVariesNothingTravels) {
    const Ended end = ended(
        "[equations]\nu = 'lap(u) + u^2/v - u - c*dx(u)'\nv = '40*lap(v) + u^2 - v - c*dx(v)'\n[parameters]\nc = '0.02*tanh(30*(0.75-X))'\n"
        "[initial]\nu = '0.02+0.6*gauss(0.2, 0.5, 2)'\nv = '0.2'\n",
        "time = 400\nsize = '200x1'\nspacing = 0.5\nmethod = 'rk4'\nprecision = 'f64'\n");
    ASSERT_TRUE(end.searched);
    EXPECT_EQ(end.search.result.why.find("moves along"), std::string::npos) << end.search.result.why;
}

// Where each step of the search fails, the velocity at its beginning is told.
TEST(Steady, AFastWaveIsTold) {
    const Ended end = ended(travelling_wave(5, 1, 0), "steps = 0\nsize = '32x12'\nprecision = 'f64'\n");
    ASSERT_TRUE(end.searched);
    EXPECT_FALSE(end.search.result.found);
    EXPECT_NE(end.search.result.why.find("the pattern moves along as a whole, by 25 per unit of time (x -25)"), std::string::npos)
        << end.search.result.why;
}

// Two fields of other sizes on a box that is closed in y, whose rates are those of a motion along x and z, and a rest.
TEST(Travel, VelocityAndRest) {
    using namespace mottle;
    domain::Grid grid;
    grid.size = {40, 6, 32};
    grid.spacing = {0.5, 1, 2};
    for (const std::size_t side : {2, 3}) grid.sides[side].rule = domain::Rule::no_flux;
    const double p = 2 * kPi / 20, q = 2 * kPi / 64, along_x = 0.3, along_z = -0.7;
    ir::Program with_map;
    with_map.arrays.push_back({.name = "m", .kind = ir::ArrayInfo::Kind::input, .varies = {true, true, true}});
    for (const double rest : {0.0, 0.5}) {
        std::vector<double> y, rates;
        for (int k = 0; k < 32; ++k) {
            for (int j = 0; j < 6; ++j) {
                for (int i = 0; i < 40; ++i) {
                    const double x = 0.5 * i, z = 2.0 * k;
                    const double slope_x = p * std::cos(p * x), slope_z = -q * std::sin(q * z);
                    y.insert(y.end(), {std::sin(p * x) + std::cos(q * z), 1000 * std::sin(p * x)});
                    const double moves = -along_x * slope_x - along_z * slope_z;
                    rates.insert(rates.end(), {moves + rest * std::cos(2 * p * x), -1000 * along_x * slope_x});
                }
            }
        }
        const std::vector<double> sizes{1, 1000};
        const auto travel = steady::find_travel(grid, {}, y, rates, sizes);
        ASSERT_TRUE(travel);
        EXPECT_NEAR(travel->velocity[0], along_x, 1e-3 * along_x);
        EXPECT_EQ(travel->velocity[1], 0);
        EXPECT_NEAR(travel->velocity[2], along_z, 1e-3);
        EXPECT_NEAR(travel->cells, std::hypot(along_x / 0.5, along_z / 2), 1e-3);
        // root mean squares: rest/sqrt(2) beside (2 (0.3 p)^2 + (0.7 q)^2 + rest^2)/2
        const double all = 2 * along_x * along_x * p * p + along_z * along_z * q * q + rest * rest;
        EXPECT_NEAR(travel->rest, std::sqrt(rest * rest / all), 2e-3);
        domain::Grid closed = grid;
        for (domain::Boundary& side : closed.sides) side.rule = domain::Rule::no_flux;
        EXPECT_FALSE(steady::find_travel(closed, {}, y, rates, sizes)) << "no sides meet";
        EXPECT_FALSE(steady::find_travel(grid, with_map, y, rates, sizes)) << "a map varies along x and z";
    }
    for (domain::Boundary& side : grid.sides) side.rule = domain::Rule::periodic;
    const std::vector<double> any(2 * 40 * 6 * 32, 1), sizes{1, 1};
    EXPECT_FALSE(steady::find_travel(grid, {}, any, any, sizes)) << "a uniform state";
}

// What only grows has no steady state: the run goes on to its end, unchanged by the search.
TEST(Steady, WhereNothingIsFoundTheRunIsWhatItWas) {
    const std::string text = "[equations]\nu = '1'\n[initial]\nu = 'X'\n";
    const Ended end = ended(text, "steps = 10\nsize = '8x1'\ndt = 0.5\nprecision = 'f64'\n");
    EXPECT_EQ(end.verdict, mottle::stepper::Verdict::unsettled);
    ASSERT_TRUE(end.searched);
    EXPECT_FALSE(end.search.result.found);
    ASSERT_FALSE(end.notices.empty());
    EXPECT_NE(end.notices.back().find("a steady state was not found by Newton's method"), std::string::npos) << end.notices.back();
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(end.fields[0][i], (static_cast<double>(i) + 0.5) / 8 + 5, 1e-12);
}

TEST(Steady, BeyondAClampNothingIsFound) {
    const Ended end =
        ended("[equations]\nu = '2 - u'\n[initial]\nu = '0.5*X'\n[clamp]\nu = [0, 1]\n", "steps = 2\nsize = '8x1'\ndt = 0.1\n");
    EXPECT_FALSE(end.search.result.found);
    EXPECT_NE(end.search.result.why.find("leaves the clamp of u"), std::string::npos) << end.search.result.why;
}

TEST(Steady, RefusesWhatHasNone) {
    struct Refused {
        const char *equation, *flags, *says;
    };
    const Refused all[] = {{"lap(u) + 0.1*white()", "", "equations with white() have none"},
                           {"lap(u) - u + sin(t)", "", "do not change with t"},
                           {"u - u^3 - mean(u - u^3) + lap(u)", "", "mean() and integral() depend on all"},
                           {"lap(u) - u", "boundary = 'value(sin(t))'\n", "do not change with t"},
                           {"lap(u) - u", "size = '2000x2000'\n", "4,000,000"}};
    for (const Refused& each : all) {
        try {
            ended("[equations]\nu = '" + std::string(each.equation) + "'\n[initial]\nu = 'X'\n",
                  "steps = 0\ndt = 0.01\n" + std::string(each.flags));
            ADD_FAILURE() << each.equation << " was not refused";
        } catch (const mottle::core::InputError& error) {
            EXPECT_NE(std::string(error.what()).find(each.says), std::string::npos) << error.what();
        }
    }
}

}  // namespace oracle::steady_test
