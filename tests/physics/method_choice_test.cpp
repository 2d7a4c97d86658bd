// tests/physics/method_choice_test.cpp: what is chosen where neither dt nor the method is given holds 1 %, against fine steps in plain loops
#include "kernel_cache.h"
#include "oracle/fine_steps.h"
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace oracle::method_choice_test {

constexpr int kWidth = 32, kHeight = 24;

std::size_t at(int x, int y) { return static_cast<std::size_t>((y + kHeight) % kHeight * kWidth + (x + kWidth) % kWidth); }

using Rates = std::function<Fields(const Fields&)>;

/// D lap of each field, and the reaction of each cell.
Rates rates_of(double du, double dv, std::function<void(double, double, double&, double&)> reaction) {
    return [=](const Fields& f) {
        Fields k(2, Cells(f[0].size()));
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x) {
                const std::size_t i = at(x, y);
                reaction(f[0][i], f[1][i], k[0][i], k[1][i]);
                for (std::size_t field = 0; field < 2; ++field) {
                    const Cells& u = f[field];
                    const double lap = u[at(x + 1, y)] + u[at(x - 1, y)] + u[at(x, y + 1)] + u[at(x, y - 1)] - 4 * u[i];
                    k[field][i] += (field == 0 ? du : dv) * lap;
                }
            }
        }
        return k;
    };
}

struct Ended {
    Fields start, end;
    std::string method;
};

Ended run(const std::string& model, const std::string& flags) {
    using namespace mottle;
    core::ThreadTeam team(1);
    Silent observer;
    core::Context context{team, observer, kernel_cache()};
    run::Simulation simulation(run::read_spec(core::parse_document(model + "[grid]\nsize = '32x24'\n", "oracle.toml"), "oracle", "",
                                              core::parse_document("precision = 'f64'\n" + flags, "flags")),
                               context);
    Ended ended{read_fields(simulation), {}, {}};
    const stepper::Outcome outcome = simulation.run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::reached) << outcome.why;
    ended.end = read_fields(simulation);
    ended.method = simulation.spec().method.name;
    return ended;
}

// Euler's steps add w^2 dt/2 to the rate at which a wave of frequency w grows, and turn it by less than they should.
TEST(MethodChoice, WhatTurnsKeepsItsPhase) {
    const std::string model =
        "equations = { u = '0.1*lap(u) + u - 2*v - u*(u^2 + v^2)', v = '0.1*lap(v) + v + 2*u - v*(u^2 + v^2)' }\n"
        "initial = { u = '0.1 + 0.1*cos(2*pi*X)', v = '0.1*sin(2*pi*(X + Y))' }\n";
    const Rates rates = rates_of(0.1, 0.1, [](double u, double v, double& ku, double& kv) {
        const double square = u * u + v * v;
        ku = u - 2 * v - u * square;
        kv = v + 2 * u - v * square;
    });
    const Ended chosen = run(model, "time = 30\n"), euler = run(model, "time = 30\nmethod = 'euler'\ndt = 0.05\n");
    const Fields exact = fine_steps(chosen.start, rates, 30, 3000);
    EXPECT_EQ(chosen.method, "rk4");
    EXPECT_LE(relative_error(chosen.end, exact), 0.012);
    EXPECT_GT(relative_error(euler.end, exact), 0.1) << "even of steps a fortieth as long as those that are stable";
}

// FitzHugh and Nagumo's pulses begin in a start of which a third turns: Euler's steps near their limit are more than 5 % off.
TEST(MethodChoice, WhatTurnsInAPartOfTheCellsKeepsItsPulses) {
    const std::string model =
        "equations = { u = '0.41*lap(u) + u - u^3/3 - v', v = '0.2*lap(v) + 0.11*(u + 0.56 - 0.6*v)' }\n"
        "initial = { u = 'noise(-2, 2)', v = '0.5*sin(2*pi*(X + Y))' }\n";
    const Rates rates = rates_of(0.41, 0.2, [](double u, double v, double& ku, double& kv) {
        ku = u - u * u * u / 3 - v;
        kv = 0.11 * (u + 0.56 - 0.6 * v);
    });
    const Ended chosen = run(model, "time = 60\n"), euler = run(model, "time = 60\nmethod = 'euler'\n");
    const Fields exact = fine_steps(chosen.start, rates, 60, 3000);
    EXPECT_NE(chosen.method, "euler");
    EXPECT_LE(relative_error(chosen.end, exact), 0.03);
    EXPECT_GT(relative_error(euler.end, exact), 0.05);
}

TEST(MethodChoice, WhatIsStiffKeepsItsPattern) {
    const std::string model =
        "equations = { u = 'lap(u) + 0.1 - u + u^2*v', v = '40*lap(v) + 0.9 - u^2*v' }\n"
        "initial = { u = '1 + 0.05*(cos(2*pi*(2*X + Y)) + cos(2*pi*(Y - X + 0.2)))', v = '0.9 + 0.05*cos(2*pi*(2*X - 2*Y))' }\n";
    const Rates rates = rates_of(1, 40, [](double u, double v, double& ku, double& kv) {
        ku = 0.1 - u + u * u * v;
        kv = 0.9 - u * u * v;
    });
    const Ended chosen = run(model, "time = 60\n");
    EXPECT_EQ(chosen.method, "sts2");
    EXPECT_LE(relative_error(chosen.end, fine_steps(chosen.start, rates, 60, 9000)), 0.01);
}

// A ring of forty fields, each driven by two others: no method is refused for their number, and none takes a step that the start does not bear.
TEST(MethodChoice, OfFortyFieldsFollowsTheStart) {
    constexpr std::size_t kFields = 40;
    std::string model = "[equations]\n", start = "[initial]\n";
    for (std::size_t i = 0; i < kFields; ++i) {
        const std::string u = "u" + std::to_string(i), next = "u" + std::to_string((i + 1) % kFields),
                          far = "u" + std::to_string((i + 7) % kFields);
        model += u + " = '2*lap(" + u + ") + 0.5*" + u + " - " + u + "^3 + 0.6*" + next + " - 0.4*" + far + "'\n";
        start += u + " = '0.3*cos(2*pi*(X + " + std::to_string(0.05 * static_cast<double>(i)) + ")) + 0.1*sin(2*pi*Y)'\n";
    }
    const Rates rates = [](const Fields& f) {
        Fields k(kFields, Cells(f[0].size()));
        for (std::size_t i = 0; i < kFields; ++i) {
            const Cells &u = f[i], &next = f[(i + 1) % kFields], &far = f[(i + 7) % kFields];
            for (int y = 0; y < kHeight; ++y) {
                for (int x = 0; x < kWidth; ++x) {
                    const std::size_t c = at(x, y);
                    const double lap = u[at(x + 1, y)] + u[at(x - 1, y)] + u[at(x, y + 1)] + u[at(x, y - 1)] - 4 * u[c];
                    k[i][c] = 2 * lap + 0.5 * u[c] - u[c] * u[c] * u[c] + 0.6 * next[c] - 0.4 * far[c];
                }
            }
        }
        return k;
    };
    Fields exact;
    for (const char* method : {"", "method = 'sts2'\n", "method = 'imex2'\n", "method = 'etdrk4'\n"}) {
        const Ended chosen = run(model + start, std::string("time = 4\n") + method);
        if (exact.empty()) exact = fine_steps(chosen.start, rates, 4, 100);
        EXPECT_LE(relative_error(chosen.end, exact), 0.01) << method;
    }
}

}  // namespace oracle::method_choice_test
