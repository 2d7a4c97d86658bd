// tests/physics/random_models_slow_test.cpp: models of chance without ranges, with a method and a dt that are chosen: what fine steps show is what they show
#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace random_models_slow_test {

using namespace mottle;
using core::Index;

struct Silent : core::Observer {
    void notice(const std::string& message) override { notices += message + "\n"; }
    bool keep_going(core::Moment, double) override { return true; }
    std::string notices;
};

/// What is compared: of each field the mean, the deviation, and the wavelength 2 pi / k with k^2 = <|grad u|^2> / <(u - mean)^2>.
struct Look {
    bool bounded = true;
    std::vector<double> mean, deviation, wavelength;
};

/// <|grad u|^2>, on a grid of spacing 1.
double slopes_of(const std::vector<double>& u, Index nx, Index ny) {
    double slopes = 0;
    for (Index y = 0; y < ny; ++y) {
        for (Index x = 0; x < nx; ++x) {
            const auto at = [&](Index i, Index j) { return u[static_cast<std::size_t>(j % ny * nx + i % nx)]; };
            const double dx = at(x + 1, y) - at(x, y), dy = at(x, y + 1) - at(x, y);
            slopes += (dx * dx + dy * dy) / static_cast<double>(u.size());
        }
    }
    return slopes;
}

/// <|grad u|^2> on a surface, of the function that is linear on each face: |grad u|^2 = |sum u_i n x e_i|^2/(2 area)^2, e_i the edge opposite vertex i.
double slopes_of(const std::vector<double>& u, const domain::Surface& surface) {
    double slopes = 0, whole = 0;
    for (const auto& face : surface.faces) {
        const std::array<domain::Point, 3> p = {surface.position[core::at(face[0])], surface.position[core::at(face[1])],
                                                surface.position[core::at(face[2])]};
        // The sum's length is that of sum u_i e_i, which is the same vector turned within the face.
        domain::Point sum{};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t d = 0; d < 3; ++d) sum[d] += u[core::at(face[i])] * (p[(i + 2) % 3][d] - p[(i + 1) % 3][d]);
        }
        domain::Point cross{};
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
            cross[d] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
        }
        const double twice = std::sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
        slopes += (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / (2 * twice);  // area |sum|^2/(2 area)^2
        whole += twice / 2;
    }
    return slopes / whole;
}

class RandomModel : public testing::TestWithParam<int> {
   protected:
    /// Reactions that grow at small amplitudes and are bent back by a cube, coupled, with drift and slopes now and then.
    std::string model() {
        std::uniform_real_distribution<double> unit(0, 1);
        const auto number = [&](double lo, double hi) { return std::to_string(lo + (hi - lo) * unit(random_)); };
        const auto chance = [&](double share) { return unit(random_) < share; };
        const double strength = std::exp(std::log(0.1) + std::log(60.0) * unit(random_));  // of the reactions beside diffusion
        const auto between = [&](double lo, double hi) { return lo + (hi - lo) * unit(random_); };
        const double a = between(0.2, 1.5), b = between(-1, 1), c = between(-1, 1), d = between(-1, 0.5);
        std::string u =
            number(0.1, 2) + "*lap(u) + " + std::to_string(strength) + "*(" + std::to_string(a) + "*u - " + number(0.3, 2) + "*u^3";
        std::string v =
            number(0.1, 2) + "*lap(v) + " + std::to_string(strength) + "*(" + std::to_string(d) + "*v - " + number(0.2, 2) + "*v^3";
        u += " + " + std::to_string(b) + "*v" + (chance(0.5) ? " + " + number(-1, 1) + "*u*v" : "") +
             (chance(0.3) ? " - " + number(0.1, 1) + "*u*v^2" : "");
        v += " + " + std::to_string(c) + "*u" + (chance(0.3) ? " + " + number(-0.5, 0.5) + "*u^2" : "");
        u += ")";
        v += ")";
        if (!mesh_ && chance(0.3)) u += " - " + number(0.05, 0.4) + "*dx(u)";
        if (!mesh_ && chance(0.3)) v += " + " + number(0.05, 0.3) + "*u*dy(u)";
        return "equations.u = '" + u + "'\nequations.v = '" + v + "'\ninitial.u = 'noise(-0.3, 0.3)'\ninitial.v = 'noise(-0.3, 0.3)'\n";
    }

    Look look(const std::string& text, const std::string& flags) {
        Look result;
        Silent observer;
        core::Context context{team_, observer, {}};
        run::Simulation run(run::read_spec(core::parse_document(text, "test.toml"), "test", "", core::parse_document(flags, "flags")),
                            context);
        result.bounded = run.run_to_end().verdict == stepper::Verdict::reached;
        chosen_ = chosen_.empty() ? run.spec().method.name + ", dt " + std::to_string(run.clock().dt) : chosen_;
        const domain::Domain& domain = run.spec().domain;
        result.mean = result.deviation = result.wavelength = {0, 0};
        std::vector<double> squares(2), slopes(2);
        for (int sample = 0; sample < kSamples && result.bounded; ++sample) {
            for (const std::size_t field : {0U, 1U}) {
                std::vector<double> cells, row(static_cast<std::size_t>(domain::row_length(domain)));
                for (Index y = 0; y < domain::row_count(domain); ++y) {
                    run.kernel().read_row(run.field().state(), static_cast<ir::Array>(field), y, std::span<double>(row));
                    cells.insert(cells.end(), row.begin(), row.end());
                }
                double mean = 0, square = 0;
                for (const double x : cells) {
                    if (!(std::abs(x) < 1e6)) result.bounded = false;
                    mean += x / static_cast<double>(cells.size());
                }
                for (const double x : cells) square += (x - mean) * (x - mean) / static_cast<double>(cells.size());
                result.mean[field] += mean / kSamples;
                squares[field] += square / kSamples;
                const auto* mesh = std::get_if<domain::Mesh>(&domain);
                slopes[field] += (mesh ? slopes_of(cells, *mesh->surface) : slopes_of(cells, kWidth, kHeight)) / kSamples;
            }
            run.advance_to(run.now().step + run.steps() / (2 * kSamples));
        }
        for (const std::size_t field : {0U, 1U}) {
            result.deviation[field] = std::sqrt(squares[field]);
            if (slopes[field] > 0) result.wavelength[field] = 2 * std::numbers::pi * std::sqrt(squares[field] / slopes[field]);
        }
        return result;
    }

    static constexpr Index kWidth = 48, kHeight = 40;
    static constexpr int kSamples = 20;
    static constexpr double kFine = 0.005;  // at most 80 (diffusion) and 40 (reaction) times less than 2.785
    core::ThreadTeam team_{1};
    std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
    const bool mesh_ = GetParam() % 4 == 3;
    std::string chosen_;
};

// Patterns are compared once what grows has grown, as the averages of times: what turns or drifts does so with errors of its own.
TEST_P(RandomModel, AgreesWithFineSteps) {
    const std::string text = model(), where = mesh_ ? "mesh = 'sphere:4'\nmesh_scale = 8\n" : "size = '48x40'\n";
    const std::string flags = where + "precision = 'f64'\nend = 60\n";
    const Look automatic = look(text, flags);
    const Look fine = look(text, flags + "method = 'rk4'\ndt = " + std::to_string(kFine) + "\n");
    if (!fine.bounded) GTEST_SKIP() << "the equations blow up";
    ASSERT_TRUE(automatic.bounded) << text;
    for (std::size_t field = 0; field < 2; ++field) {
        const double size = fine.deviation[field] + std::abs(fine.mean[field]);
        EXPECT_NEAR(automatic.mean[field], fine.mean[field], 0.05 * size + 1e-6) << field << "\n" << text << chosen_;
        EXPECT_NEAR(automatic.deviation[field], fine.deviation[field], 0.05 * size + 1e-6) << field << "\n" << text << chosen_;
        if (fine.deviation[field] < 0.05 * size) continue;  // of a field that is all but uniform
        EXPECT_NEAR(automatic.wavelength[field], fine.wavelength[field], 0.05 * fine.wavelength[field]) << field << "\n" << text << chosen_;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomModel, testing::Range(1, 61));

}  // namespace random_models_slow_test
