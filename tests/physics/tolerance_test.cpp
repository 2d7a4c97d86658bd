// tests/physics/tolerance_test.cpp: --tolerance against fine steps in plain loops: the error at the end, and what the run says of it
#include "kernel_cache.h"
#include "oracle/mesh_run.h"
#include "oracle/fine_steps.h"
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace oracle::tolerance_test {

using Rates = std::function<Fields(const Fields&)>;

struct Ended {
    Fields start, end;
    mottle::stepper::AccuracyRecord record;
    mottle::domain::Domain domain;
};

Ended run_to_tolerance(const std::string& model, double time, const std::string& tolerance, const std::string& more) {
    using namespace mottle;
    core::ThreadTeam team(1);
    Silent observer;
    core::Context context{team, observer, kernel_cache()};
    const std::string flags = "precision = 'f64'\nthreads = 2\ntime = " + std::to_string(time) + "\ntolerance = " + tolerance + "\n" + more;
    run::Simulation simulation(
        run::read_spec(core::parse_document(model, "oracle.toml"), "oracle", "", core::parse_document(flags, "flags")), context);
    Ended run;
    run.start = read_fields(simulation);
    EXPECT_EQ(simulation.run_to_end().verdict, stepper::Verdict::reached);
    run.record = *simulation.accuracy();
    run.end = read_fields(simulation);
    run.domain = simulation.spec().domain;
    return run;
}

/// What the run ends with is within the tolerance (a factor of 3 for what the estimate leaves out), and it knows how near it is.
void expect_kept(const Ended& run, const Fields& exact, double tolerance, const Cells& weights, const char* what, double factor = 3) {
    const double error = relative_error(run.end, exact, weights);
    EXPECT_LE(error, 3 * tolerance) << what;
    EXPECT_GT(error, 0) << what;
    EXPECT_LE(run.record.error, factor * error) << what;
    EXPECT_GE(run.record.error, error / factor) << what;
}

constexpr int kCells = 32;

std::size_t at(int x, int y) { return static_cast<std::size_t>((y + kCells) % kCells * kCells + (x + kCells) % kCells); }

Cells lap(const Cells& u) {
    Cells out(u.size());
    for (int y = 0; y < kCells; ++y) {
        for (int x = 0; x < kCells; ++x)
            out[at(x, y)] = u[at(x + 1, y)] + u[at(x - 1, y)] + u[at(x, y + 1)] + u[at(x, y - 1)] - 4 * u[at(x, y)];
    }
    return out;
}

constexpr const char* kWaves = "(cos(2*pi*(2*X + Y)) + cos(2*pi*(Y - X + 0.2)) + cos(2*pi*(2*X - 2*Y)))";

struct Problem {
    const char* name;
    std::string model;
    Rates rates;
    double time;
    int steps;
};

std::vector<Problem> problems() {
    const std::string waves = kWaves;
    const auto cellwise = [](const Fields& f, const std::function<std::vector<double>(double, double)>& reaction, double du, double dv) {
        Fields k = {lap(f[0]), lap(f[1])};
        for (std::size_t i = 0; i < f[0].size(); ++i) {
            const std::vector<double> r = reaction(f[0][i], f[1][i]);
            k[0][i] = du * k[0][i] + r[0];
            k[1][i] = dv * k[1][i] + r[1];
        }
        return k;
    };
    return {
        {"Schnakenberg",
         "equations = { u = 'lap(u) + 0.1 - u + u^2*v', v = '40*lap(v) + 0.9 - u^2*v' }\ninitial = { u = '1 + 0.05*" + waves +
             "', v = '0.9 + 0.05*" + waves + "' }\n",
         [=](const Fields& f) {
             return cellwise(
                 f,
                 [](double u, double v) {
                     return std::vector{0.1 - u + u * u * v, 0.9 - u * u * v};
                 },
                 1, 40);
         },
         20, 8000},
        {"FitzHugh-Nagumo",
         "equations = { u = 'lap(u) + 5*(u - u^3/3 - v)', v = '0.2*(u + 0.7 - 0.5*v)' }\n"
         "initial = { u = '2*tanh(4*cos(2*pi*X))', v = '0.8*tanh(4*cos(2*pi*(Y - X)))' }\n",
         [=](const Fields& f) {
             return cellwise(
                 f,
                 [](double u, double v) {
                     return std::vector{5 * (u - u * u * u / 3 - v), 0.2 * (u + 0.7 - 0.5 * v)};
                 },
                 1, 0);
         },
         20, 4000},
        {"Gray-Scott",
         "equations = { u = '0.16*lap(u) - u*v^2 + 0.037*(1 - u)', v = '0.08*lap(v) + u*v^2 - 0.097*v' }\n"
         "define.s = '0.5 + 0.5*tanh(6*(cos(2*pi*X) + cos(2*pi*Y) - 0.8))'\ninitial = { u = '1 - 0.5*s', v = '0.25*s' }\n",
         [=](const Fields& f) {
             return cellwise(
                 f,
                 [](double u, double v) {
                     return std::vector{-u * v * v + 0.037 * (1 - u), u * v * v - 0.097 * v};
                 },
                 0.16, 0.08);
         },
         300, 2000},
        {"Cahn-Hilliard", "equations.u = 'lap(u^3 - u) - bilap(u)'\ninitial.u = '0.2*" + waves + "'\n",
         [](const Fields& f) {
             Cells g = f[0];
             const Cells l = lap(f[0]);
             for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] * g[i] * g[i] - g[i] - l[i];
             return Fields{lap(g)};
         },
         30, 3000},
    };
}

TEST(Tolerance, IsKeptAtTheEnd) {
    for (const Problem& problem : problems()) {
        Fields exact;
        for (const auto& [text, tolerance] : {std::pair("1e-2", 1e-2), std::pair("1e-3", 1e-3), std::pair("1e-4", 1e-4)}) {
            const Ended run = run_to_tolerance(problem.model, problem.time, text, "size = '32x32'\n");
            if (exact.empty()) exact = fine_steps(run.start, problem.rates, problem.time, problem.steps);
            expect_kept(run, exact, tolerance, {}, (std::string(problem.name) + " " + text).c_str());
        }
    }
}

// Waves keep what they have lost or gained: nothing of the error fades, and the tolerance is used up.
TEST(Tolerance, IsUsedByWaves) {
    const Problem waves = problems()[1];
    Fields exact;
    for (const auto& [text, tolerance] : {std::pair("1e-2", 1e-2), std::pair("1e-3", 1e-3), std::pair("1e-4", 1e-4)}) {
        for (const char* method : {"rkl2", "rkl1", "heun", "rk4"}) {
            if (std::string(method) == "rkl1" && tolerance < 1e-3) continue;  // of first order: too many steps
            const Ended run = run_to_tolerance(waves.model, waves.time, text, "size = '32x32'\nmethod = '" + std::string(method) + "'\n");
            if (exact.empty()) exact = fine_steps(run.start, waves.rates, waves.time, waves.steps);
            const double error = relative_error(run.end, exact);
            EXPECT_LE(error, 3 * tolerance) << method << " " << text;
            // of rk4 the least number of steps in a run is more than a large tolerance asks for
            if (std::string(method) != "rk4" || tolerance < 1e-3) {
                EXPECT_GE(error, tolerance / 10) << method << " " << text;
            }
        }
    }
}

// Beyond the pole of the Oregonator at u = -q all grows beyond all numbers. Steps of 2 dt, which measure the error, fall behind it; the fields, by steps of dt, do not, and the run goes
// on, with an error that it takes for as large as the fields.
TEST(Tolerance, OutlivesACompanionThatFallsBehindAPole) {
    const Rates rates = [](const Fields& f) {
        Fields k = {lap(f[0]), lap(f[1])};
        for (std::size_t i = 0; i < f[0].size(); ++i) {
            const double u = f[0][i], v = f[1][i];
            k[0][i] += (u * (1 - u) - 1.4 * v * (u - 0.002) / (u + 0.002)) / 0.05;
            k[1][i] = 0.6 * k[1][i] + u - v;
        }
        return k;
    };
    const std::string model =
        "equations = { u = '(u*(1 - u) - 1.4*v*(u - 0.002)/(u + 0.002))/0.05 + lap(u)', v = 'u - v + 0.6*lap(v)' }\n"
        "initial = { u = 'where(X < 0.3, 0.8, 0.01)', v = '0.2*Y' }\nfields = { u.range = [0, 1], v.range = [0, 0.4] }\n";
    Fields exact;
    for (const auto& [text, tolerance] : {std::pair("2e-2", 2e-2), std::pair("5e-3", 5e-3)}) {
        const Ended run = run_to_tolerance(model, 3, text, "size = '32x32'\n");
        if (exact.empty()) exact = fine_steps(run.start, rates, 3, 8000);
        EXPECT_LE(relative_error(run.end, exact), 3 * tolerance) << text;
        EXPECT_GT(run.record.lost, 0) << text;
        EXPECT_GE(run.record.error, 1) << text;
    }
}

// At rest no digits are asked for, so that steps of any length would do, and those that are too long for what decays there would leave it. Gierer and Meinhardt's model comes to rest
// with k = 0.5 where a (1 + k a^2) = 1.2 and h = a^2/1.2, else as spots, in which all rates are 0.
TEST(Tolerance, StaysWhereItHasComeToRest) {
    const auto model = [](const char* k) {
        return std::string("equations = { a = 'lap(a) + a^2/(h*(1 + k*a^2)) - a', h = '20*lap(h) + a^2 - 1.2*h' }\nparameters.k = ") + k +
               "\ninitial = { a = '1.2 + noise(-0.1, 0.1)', h = '1.2' }\nfields = { a.range = [0, 5], h.range = [0.1, 5] }\n";
    };
    const Ended even = run_to_tolerance(model("0.5"), 600, "1e-2", "size = '32x32'\n");
    const double a = even.end[0][0];
    EXPECT_NEAR(a * (1 + 0.5 * a * a), 1.2, 1e-9);
    for (const double value : even.end[0]) EXPECT_NEAR(value, a, 1e-9);
    for (const double value : even.end[1]) EXPECT_NEAR(value, a * a / 1.2, 1e-9);
    EXPECT_LE(even.record.error, 1e-2);
    for (const char* tolerance : {"1e-2", "1e-3"}) {
        const Ended spots = run_to_tolerance(model("0.05"), 1000, tolerance, "size = '32x32'\n");
        const Cells la = lap(spots.end[0]), lh = lap(spots.end[1]);
        double mean = 0, squares = 0, most = 0;
        for (std::size_t i = 0; i < la.size(); ++i) {
            const double here = spots.end[0][i], h = spots.end[1][i];
            mean += here / static_cast<double>(la.size());
            squares += here * here / static_cast<double>(la.size());
            most = std::max(most, std::abs(la[i] + here * here / (h * (1 + 0.05 * here * here)) - here));
            most = std::max(most, std::abs(20 * lh[i] + here * here - 1.2 * h));
        }
        EXPECT_LT(most, 0.02) << tolerance;
        EXPECT_GT(std::sqrt(squares - mean * mean), 0.5) << tolerance << ": spots";
        EXPECT_LE(spots.record.error, 1e-2) << tolerance;
    }
}

// Against plain loops over the faces.
TEST(Tolerance, IsKeptOnASphere) {
    const std::string model =
        "equations = { u = 'lap(u) + 0.1 - u + u^2*v', v = '10*lap(v) + 0.9 - u^2*v' }\n"
        "initial = { u = '1 + 0.2*sin(x)*cos(0.5*y)', v = '0.9 + 0.1*cos(y + 0.3*z)' }\n";
    Fields exact;
    for (const auto& [text, tolerance] : {std::pair("1e-2", 1e-2), std::pair("1e-3", 1e-3)}) {
        const Ended run = run_to_tolerance(model, 5, text, "mesh = 'sphere:2'\nmesh_scale = 4\n");
        const auto& mesh = std::get<mottle::domain::Mesh>(run.domain);
        const plain::PlainMesh geometry = plain_of(mesh);
        const auto rates = [&](const Fields& f) {
            const auto lu = plain::laplacian(geometry, f[0]), lv = plain::laplacian(geometry, f[1]);
            Fields k = f;
            for (std::size_t i = 0; i < f[0].size(); ++i) {
                const double made = f[0][i] * f[0][i] * f[1][i];
                k[0][i] = lu[i] + 0.1 - f[0][i] + made;
                k[1][i] = 10 * lv[i] + 0.9 - made;
            }
            return k;
        };
        if (exact.empty()) exact = fine_steps(run.start, rates, 5, 2000);
        const auto measures = mottle::domain::measures(run.domain);
        expect_kept(run, exact, tolerance, Cells(measures.begin(), measures.end()), text,
                    5);  // some ten steps of many stages: estimates are rough
    }
}

// u = cos(t) w with w = cos(2 pi X) solves u' = lap(u) + w (a cos t - sin t), a that which lap makes of w: the error is known in closed form.
TEST(Tolerance, IsKeptWhereTimeIsInTheEquations) {
    const double lambda = 2 * (1 - std::cos(2 * std::numbers::pi / 16)), end = 6;
    const std::string model = "equations.u = 'lap(u) + cos(2*pi*X)*(a*cos(t) - sin(t))'\nparameters.a = " + std::to_string(lambda) +
                              "\ninitial.u = 'cos(2*pi*X)'\n";
    for (const auto& [text, tolerance] : {std::pair("1e-2", 1e-2), std::pair("1e-4", 1e-4)}) {
        const Ended run = run_to_tolerance(model, end, text, "size = '16x4'\n");
        Fields exact = run.start;
        for (double& u : exact[0]) u *= std::cos(end);
        EXPECT_LE(relative_error(run.end, exact), 3 * tolerance);
    }
}

// A jump in time falls on no step; the steps around it become short.
TEST(Tolerance, IsKeptAcrossAJump) {
    const Ended run = run_to_tolerance("equations.u = 'where(t > 1.234, 1, 0)*cos(2*pi*X) - u'\ninitial.u = 'cos(2*pi*X)'\n", 3, "1e-3",
                                       "size = '16x4'\n");
    Fields exact = run.start;
    for (double& u : exact[0]) u *= std::exp(-3.0) + 1 - std::exp(-(3 - 1.234));
    EXPECT_LE(relative_error(run.end, exact), 3e-3);
    EXPECT_LT(run.record.shortest, 0.01);
}

}  // namespace oracle::tolerance_test
