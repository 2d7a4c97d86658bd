// tests/physics/exponential_test.cpp: etdrk4 against exponentials of full matrices, exact decay, order, short steps in plain loops, resuming, threads
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "oracle/started_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

namespace oracle::exponential_test {

constexpr double kPi = std::numbers::pi;

// ---- plain: a grid of any number of axes, its Laplacian as loops, and phi of matrices by their series

struct Box {
    std::array<int, 3> size;
    std::array<double, 3> h;
    bool wraps;
    int cells() const { return size[0] * size[1] * size[2]; }
};

Cells laplacian(const Box& box, const Cells& f) {
    Cells result(f.size());
    const auto at = [&](int x, int y, int z) { return f[static_cast<std::size_t>((z * box.size[1] + y) * box.size[0] + x)]; };
    const auto place = [&](int i, int n) { return box.wraps ? (i + n) % n : i < 0 ? 0 : i == n ? n - 1 : i; };
    for (int z = 0; z < box.size[2]; ++z) {
        for (int y = 0; y < box.size[1]; ++y) {
            for (int x = 0; x < box.size[0]; ++x) {
                const double own = at(x, y, z);
                double sum = 0;
                for (const int d : {-1, 1}) {
                    if (box.size[0] > 1) sum += (at(place(x + d, box.size[0]), y, z) - own) / (box.h[0] * box.h[0]);
                    if (box.size[1] > 1) sum += (at(x, place(y + d, box.size[1]), z) - own) / (box.h[1] * box.h[1]);
                    if (box.size[2] > 1) sum += (at(x, y, place(z + d, box.size[2])) - own) / (box.h[2] * box.h[2]);
                }
                result[static_cast<std::size_t>((z * box.size[1] + y) * box.size[0] + x)] = sum;
            }
        }
    }
    return result;
}

using Operator = std::function<Cells(const Cells&)>;

/// phi_k(h L) v = sum of (h L)^j v/(j + k)!; exp for k = 0. Enough terms for h |L| up to some 10.
Cells phi(int k, double h, const Operator& l, const Cells& v) {
    std::vector<long double> sum(v.size());
    Cells power = v;
    long double factorial = 1;
    for (int j = 2; j <= k; ++j) factorial *= j;
    for (int j = 0; j < 80; ++j) {
        for (std::size_t i = 0; i < v.size(); ++i) sum[i] += power[i] / factorial;
        factorial *= j + k + 1;
        power = l(power);
        for (double& x : power) x *= h;
    }
    return Cells(sum.begin(), sum.end());
}

Cells sum_of(std::initializer_list<std::pair<double, const Cells*>> terms) {
    Cells sum(terms.begin()->second->size());
    for (const auto& [factor, cells] : terms) {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * (*cells)[i];
    }
    return sum;
}

/// A step of Cox and Matthews' method, as the article has it, of fields with the linear parts `linear`.
Fields plain_step(const Fields& u, double t, double h, const std::vector<Operator>& linear,
                  const std::function<Fields(const Fields&, double)>& rest) {
    const std::size_t n = u.size();
    const auto each = [&](const auto& make) {
        Fields made;
        for (std::size_t k = 0; k < n; ++k) made.push_back(make(k));
        return made;
    };
    const Fields nu = rest(u, t);
    const auto half_step = [&](const Fields& from, const Fields& rates) {
        return each([&](std::size_t k) {
            const Cells moved = phi(0, h / 2, linear[k], from[k]), driven = phi(1, h / 2, linear[k], rates[k]);
            return sum_of({{1, &moved}, {h / 2, &driven}});
        });
    };
    const Fields a = half_step(u, nu), na = rest(a, t + h / 2);
    const Fields b = half_step(u, na), nb = rest(b, t + h / 2);
    const Fields c = half_step(a, each([&](std::size_t k) { return sum_of({{2, &nb[k]}, {-1, &nu[k]}}); })), nc = rest(c, t + h);
    return each([&](std::size_t k) {
        const Cells both = sum_of({{1, &na[k]}, {1, &nb[k]}});
        const Cells moved = phi(0, h, linear[k], u[k]);
        const auto three = [&](const Cells& rates) {
            return std::array{phi(1, h, linear[k], rates), phi(2, h, linear[k], rates), phi(3, h, linear[k], rates)};
        };
        const auto first = three(nu[k]), middle = three(both), last = three(nc[k]);
        return sum_of({{1, &moved},
                       {h, &first[0]},
                       {-3 * h, &first[1]},
                       {4 * h, &first[2]},
                       {2 * h, &middle[1]},
                       {-4 * h, &middle[2]},
                       {-h, &last[1]},
                       {4 * h, &last[2]}});
    });
}

std::string settings_of(const Box& box, double dt) {
    std::string text =
        "size = [" + std::to_string(box.size[0]) + ", " + std::to_string(box.size[1]) + ", " + std::to_string(box.size[2]) + "]\n";
    text += "spacing = [" + std::to_string(box.h[0]) + ", " + std::to_string(box.h[1]) + ", " + std::to_string(box.h[2]) + "]\n";
    return text + "boundary = \"" + (box.wraps ? "periodic" : "no-flux") + "\"\ndt = " + std::to_string(dt) + "\n";
}

struct Evolution {
    Fields start, end;
};
Evolution run_text(const std::string& model, const std::string& settings, int steps, int threads = 2,
                   const std::string& precision = "f64") {
    mottle::core::ThreadTeam team(threads);
    Silent observer;
    mottle::core::Context context{team, observer, kernel_cache()};
    const std::string text = "method = \"etdrk4\"\nprecision = \"" + precision + "\"\nthreads = " + std::to_string(threads) + "\n" +
                             settings +
                             (settings.find("steps") == std::string::npos && settings.find("time") == std::string::npos
                                  ? "steps = " + std::to_string(steps) + "\n"
                                  : "");
    mottle::run::Simulation simulation(
        mottle::run::read_spec(mottle::core::parse_document(model, "m.toml"), "m", "", mottle::core::parse_document(text, "settings")),
        context);
    Evolution run;
    run.start = read_fields(simulation);
    const auto reached = simulation.run_to_end();
    EXPECT_EQ(reached.at.step, steps) << reached.why;
    run.end = read_fields(simulation);
    return run;
}

void expect_near(const Fields& found, const Fields& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        for (std::size_t i = 0; i < found[k].size(); ++i)
            ASSERT_NEAR(found[k][i], expected[k][i], tolerance) << "field " << k << " cell " << i;
    }
}

const std::vector<Box> kBoxes = {{{18, 10, 1}, {0.9, 1.1, 1}, true}, {{18, 10, 1}, {0.9, 1.1, 1}, false}, {{15, 1, 1}, {0.8, 1, 1}, true},
                                 {{20, 1, 1}, {0.8, 1, 1}, false},   {{1, 12, 1}, {1, 0.8, 1}, false},    {{6, 5, 4}, {1, 1.2, 0.9}, true},
                                 {{5, 6, 8}, {1, 1.2, 0.9}, false},  {{2, 3, 1}, {1, 1, 1}, true},        {{40, 3, 1}, {1, 1, 1}, true},
                                 {{4, 1, 9}, {1, 1, 1.1}, true}};

// Two fields with waves of different stiffness and one without any, and rates that change with time.
TEST(Exponential, AgainstMatricesOnEveryKindOfBox) {
    const std::string model =
        "[equations]\nu = '0.6*lap(u) - 0.3*u + u*v - u^3 + w'\nv = '0.1 - lap(0.2*v + 0.05*lap(v) - 0.1*u*v)'\nw = 'u - 0.5*w + "
        "0.2*cos(t)'\n"
        "[initial]\nu = 'sin(7*X + 3*Y + 2*Z)'\nv = '0.4 + 0.3*cos(11*X*Y + 5*X - Z)'\nw = '0.1*X'\n";
    for (const Box& box : kBoxes) {
        SCOPED_TRACE(settings_of(box, 0.5));
        const Operator lap = [&](const Cells& f) { return laplacian(box, f); };
        const std::vector<Operator> linear = {[&](const Cells& f) {
                                                  const Cells l = lap(f);
                                                  return sum_of({{0.6, &l}, {-0.3, &f}});
                                              },
                                              [&](const Cells& f) {
                                                  const Cells l = lap(f), ll = lap(l);
                                                  return sum_of({{-0.2, &l}, {-0.05, &ll}});
                                              },
                                              [&](const Cells& f) {
                                                  return sum_of({{-0.5, &f}});
                                              }};
        const auto rest = [&](const Fields& f, double t) {
            Fields rates(3, Cells(f[0].size()));
            Cells product = f[0];
            for (std::size_t i = 0; i < product.size(); ++i) product[i] *= 0.1 * f[1][i];
            rates[1] = lap(product);
            for (std::size_t i = 0; i < product.size(); ++i) {
                rates[0][i] = f[0][i] * f[1][i] - std::pow(f[0][i], 3) + f[2][i];
                rates[1][i] += 0.1;
                rates[2][i] = f[0][i] + 0.2 * std::cos(t);
            }
            return rates;
        };
        const Evolution run = run_text(model, settings_of(box, 0.5), 3);
        Fields expected = run.start;
        for (int step = 0; step < 3; ++step) expected = plain_step(expected, 0.5 * step, 0.5, linear, rest);
        expect_near(run.end, expected, 1e-12);
    }
}

// A step of any length, and of any stiffness, is exact where all is linear.
TEST(Exponential, LinearEquationsAreExact) {
    for (const Box& box : kBoxes) {
        SCOPED_TRACE(settings_of(box, 1000));
        std::array<double, 3> waves{};
        double lambda = 0;
        std::string start = "1";
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (box.size[axis] == 1) continue;
            waves[axis] = box.wraps ? 2 : 1;
            lambda += (2 - 2 * std::cos(waves[axis] * kPi / box.size[axis])) / (box.h[axis] * box.h[axis]);
            start += "*cos(" + std::to_string(static_cast<int>(waves[axis])) + "*pi*" + "XYZ"[axis] + ")";
        }
        const std::string model = "[equations]\nu = 'a*u + D*lap(u)'\n[parameters]\na = 0.01\nD = 0.02\n[initial]\nu = '" + start + "'\n";
        const Evolution run = run_text(model, settings_of(box, 40), 2);
        Fields expected = run.start;
        for (double& x : expected[0]) x *= std::exp(80 * (0.01 - 0.02 * lambda));
        expect_near(run.end, expected, 1e-13);
    }
}

/// All its digits.
std::string digits_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

// u = cos(t) w with w an eigenvector of lap on the grid solves u' = 0.7 lap(u) - u^2 + q(x, t).
TEST(Exponential, OrderInTime) {
    const int n = 48;
    const double lambda = 2 * (1 - std::cos(2 * kPi * 3 / n)), end = 2;
    const std::string model =
        "[equations]\nu = '0.7*lap(u) - u^2 + w*(a*cos(t) - sin(t)) + w^2*cos(t)^2'\n[parameters]\na = " + digits_of(0.7 * lambda) +
        "\n[define]\nw = 'cos(2*pi*3*X)'\n[initial]\nu = 'w'\n";
    double before = 0;
    for (const int steps : {8, 16, 32, 64}) {
        const Evolution run = run_text(model, "size = \"48x4\"\ndt = " + digits_of(end / steps) + "\n", steps);
        double error = 0;
        for (int i = 0; i < n; ++i)
            error =
                std::max(error, std::abs(run.end[0][static_cast<std::size_t>(i)] - std::cos(end) * std::cos(2 * kPi * 3 * (i + 0.5) / n)));
        if (before > 0) {
            EXPECT_NEAR(std::log2(before / error), 4, 0.3) << steps;
        }
        before = error;
    }
    EXPECT_LT(before, 1e-6);
}

// Kuramoto and Sivashinsky's equation: a few long steps against many short ones of Runge and Kutta's classical method in plain loops.
TEST(Exponential, KuramotoSivashinskyAgainstShortSteps) {
    const Box box{{32, 20, 1}, {1.3, 1.3, 1}, true};
    const std::string model =
        "[equations]\nu = '-0.1*u - lap(u) - bilap(u) - 0.5*norm2(grad(u))'\n[initial]\nu = 'cos(2*pi*(X + Y)) + 0.5*sin(4*pi*X)'\n";
    const Evolution coarse = run_text(model, settings_of(box, 0.25), 16), fine = run_text(model, settings_of(box, 0.125), 32);
    const auto rate = [&](const Cells& u) {
        const Cells l = laplacian(box, u), ll = laplacian(box, l);
        Cells result(u.size());
        for (int y = 0; y < 20; ++y) {
            for (int x = 0; x < 32; ++x) {
                const auto at = [&](int i, int j) { return u[static_cast<std::size_t>((j + 20) % 20 * 32 + (i + 32) % 32)]; };
                const double dx = (at(x + 1, y) - at(x - 1, y)) / 2.6, dy = (at(x, y + 1) - at(x, y - 1)) / 2.6;
                const auto i = static_cast<std::size_t>(y * 32 + x);
                result[i] = -0.1 * u[i] - l[i] - ll[i] - 0.5 * (dx * dx + dy * dy);
            }
        }
        return result;
    };
    Cells u = coarse.start[0];
    const int steps = 400;
    const double h = 4.0 / steps;
    for (int step = 0; step < steps; ++step) {
        const Cells k1 = rate(u), k2 = rate(sum_of({{1, &u}, {h / 2, &k1}})), k3 = rate(sum_of({{1, &u}, {h / 2, &k2}})),
                    k4 = rate(sum_of({{1, &u}, {h, &k3}}));
        u = sum_of({{1, &u}, {h / 6, &k1}, {h / 3, &k2}, {h / 3, &k3}, {h / 6, &k4}});
    }
    const auto error = [&](const Cells& found) {
        double largest = 0;
        for (std::size_t i = 0; i < u.size(); ++i) largest = std::max(largest, std::abs(found[i] - u[i]));
        return largest;
    };
    EXPECT_LT(error(fine.end[0]), 3e-5);
    EXPECT_NEAR(std::log2(error(coarse.end[0]) / error(fine.end[0])), 4, 0.7);
}

TEST(Exponential, StencilsOfNinePointsAndClamps) {
    const int n = 12;
    const double dt = 0.8;
    const Evolution run =
        run_text("[equations]\nu = '0.5*lap(u)'\nv = '4*v'\n[clamp]\nv = [0, 1.5]\n[initial]\nu = 'cos(2*pi*(X + 2*Y))'\nv = 'X'\n",
                 "size = \"12x12\"\nstencil = 9\ndt = 0.8\n", 1);
    const double x = std::cos(2 * kPi / n), y = std::cos(4 * kPi / n), lambda = (8 * x + 8 * y + 4 * x * y - 20) / 6;
    for (std::size_t i = 0; i < run.end[0].size(); ++i) {
        ASSERT_NEAR(run.end[0][i], std::exp(0.5 * dt * lambda) * run.start[0][i], 1e-14);
        ASSERT_NEAR(run.end[1][i], std::min(1.5, std::exp(4 * dt) * run.start[1][i]), 1e-12);
    }
}

TEST(Exponential, ConservesTheMeanOfCahnAndHilliardsEquation) {
    const Evolution run = run_text("[equations]\nu = 'lap(u^3 - u - 0.5*lap(u))'\n[initial]\nu = '0.2 + noise(-0.2, 0.2)'\n",
                                   "size = \"30x24\"\nboundary = \"no-flux\"\ndt = 0.05\n", 200);
    const auto sum = [](const Cells& cells) { return std::accumulate(cells.begin(), cells.end(), 0.0); };
    EXPECT_NEAR(sum(run.end[0]), sum(run.start[0]), 1e-10);
    const auto [low, high] = std::minmax_element(run.end[0].begin(), run.end[0].end());
    EXPECT_LT(*low, -0.8);
    EXPECT_GT(*high, 0.8);
}

const std::string kPatterns =
    "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = 'D*lap(v) + 0.9 - u^2*v'\n[parameters]\nD = 40\n"
    "[initial]\nu = '1 + 0.1*cos(2*pi*(3*X + Y)) + 0.05*sin(5*X*Y)'\nv = '0.9 + 0.1*cos(2*pi*(2*Y - X))'\n";

TEST(Exponential, TheSameBitsWithAnyThreadsDevicesAndWhenResumed) {
    const std::filesystem::path state = std::filesystem::temp_directory_path() / "mottle_exponential_test.state";
    for (const char* box : {"size = \"72x45\"\n", "size = \"20x18x6\"\nboundary = \"no-flux\"\n", "size = \"90x1\"\n"}) {
        for (const char* precision : {"f32", "f64"}) {
            const std::string settings = std::string(box) + "dt = 0.2\nsteps = 9\n";
            const auto run = [&](const std::string& more, int threads) {
                return run_text(kPatterns, settings + more, 9, threads, precision).end;
            };
            const Fields whole = run("", 1);
            EXPECT_EQ(run("", 2), whole) << box;
            EXPECT_EQ(run("", 5), whole) << box;
            EXPECT_EQ(run("device = \"reference\"\n", 3), whole) << box;
            run_text(kPatterns, std::string(box) + "dt = 0.2\nsteps = 4\ncheckpoint = \"" + state.string() + "\"\n", 4, 2, precision);
            EXPECT_EQ(run("resume = \"" + state.string() + "\"\n", 1), whole) << box;
            std::filesystem::remove(state);
        }
    }
}

TEST(Exponential, SinglePrecisionFollowsDouble) {
    const std::string settings = "size = \"64x48\"\ndt = 0.1\n";
    expect_near(run_text(kPatterns, settings, 50, 2, "f32").end, run_text(kPatterns, settings, 50).end, 2e-5);
}

TEST(Exponential, ParametersMayChange) {
    StartedRun run("[equations]\nu = 'D*lap(u)'\n[parameters]\nD = 1\n[initial]\nu = 'cos(2*pi*X)'\n",
                   "precision = \"f64\"\nsize = \"32x1\"\nmethod = \"etdrk4\"\ndt = 1\nsteps = 2\n");
    const Fields start = run.fields();
    run->advance_to(1);
    run->set_parameter("D", 0);
    run->advance_to(2);
    run->set_parameter("D", 10);
    run->advance_to(3);
    const Fields end = run.fields();
    const double lambda = 2 * (1 - std::cos(2 * kPi / 32));
    for (std::size_t i = 0; i < 32; ++i) ASSERT_NEAR(end[0][i], start[0][i] * std::exp(-11 * lambda), 1e-14);
}

// ---- what it refuses

std::string complaint(const std::string& equation, const std::string& settings) {
    try {
        run_text("[equations]\nu = '" + equation + "'\n[initial]\nu = 'X'\n",
                 settings + (settings.find("tolerance") == std::string::npos ? "dt = 0.1\nsteps = 1\n" : "time = 1\n"), 1);
    } catch (const mottle::core::ModelError& error) {
        return error.what();
    } catch (const mottle::core::InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Exponential, WhatItCannotStepIsRefusedWithTheReasonAndWhatCan) {
    const std::string grid = "size = \"8x8\"\n";
    const auto refused = [&](const std::string& equation, const std::string& settings, const std::string& part, const std::string& other) {
        const std::string message = complaint(equation, settings);
        EXPECT_NE(message.find(part), std::string::npos) << message;
        EXPECT_NE(message.find(other), std::string::npos) << message;
    };
    refused("1 - u^2", grid, "no equation has such a term", "use rk4");
    refused("t*lap(u)", grid, "no equation has such a term", "use rk4");
    refused("lap(u) - mean(u)", grid, "a sum over all cells", "use rkl1, rkl2 or rk4");
    refused("lap(u) + white()", grid, "white()", "use --method euler");
    refused("lap(u)", grid + "boundary = \"value(1)\"\n", "border rule value", "use imex");
    refused("lap(u)", "size = \"8x14\"\n", "14 along y; the nearest are 12 and 15", "use imex");
    refused("lap(u)", "mesh = \"sphere:1\"\n", "on a surface", "use imex");
    refused("lap(u)", grid + "stencil = [0, 1, 0, 1, -4, 2, 0, 0, 0]\n", "a stencil that is not symmetric", "use imex");
    refused("lap(u) - u^2", grid + "tolerance = 1e-3\n", "needs a fixed dt", "use --method rkl2");
}

}  // namespace oracle::exponential_test
