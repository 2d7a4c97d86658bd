// tests/physics/random_models_slow_test.cpp: models of chance without ranges, with a method and a dt that are chosen: what fine steps show is what they show
#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "physics/random_models.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace random_models_slow_test {

using namespace mottle;
using core::Index;

struct Silent : core::Observer {
    bool keep_going(core::Moment, double) override { return true; }
};

/// What is compared: of each field the mean, the deviation, and the wavelength 2 pi / k with k^2 = <|grad u|^2> / <(u - mean)^2>.
struct Look {
    bool bounded = true;
    std::vector<double> mean, deviation, wavelength;
    std::string method;
    double dt = 0;  ///< of the last steps
};

/// <|grad u|^2> of cells along each axis, by the differences of neighbours.
double slopes_of(const std::vector<double>& u, const domain::Grid& grid) {
    double slopes = 0;
    Index stride = 1;
    for (std::size_t d = 0; d < 3; stride *= grid.size[d], ++d) {
        if (grid.size[d] == 1) continue;
        for (Index i = 0; i < std::ssize(u); ++i) {
            const bool last = i / stride % grid.size[d] == grid.size[d] - 1;
            if (last && !domain::wraps(grid, 2 * d)) continue;
            const double step = u[core::at(last ? i - (grid.size[d] - 1) * stride : i + stride)] - u[core::at(i)];
            slopes += step * step / (grid.spacing[d] * grid.spacing[d]);
        }
    }
    return slopes / static_cast<double>(u.size());
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

double slopes_of(const std::vector<double>& u, const domain::Domain& domain) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    return mesh ? slopes_of(u, *mesh->surface) : slopes_of(u, std::get<domain::Grid>(domain));
}

/// A run to its end, which finds its dt, and on. Averages are those of kSamples moments of half as long again.
Look look(const std::string& text, const std::string& flags) {
    constexpr int kSamples = 60;
    core::ThreadTeam team(1);
    Silent observer;
    core::Context context{team, observer, {}};
    run::Simulation run(run::read_spec(core::parse_document(text, "test.toml"), "test", "", core::parse_document(flags, "flags")), context);
    Look result;
    result.bounded = run.run_to_end().verdict == stepper::Verdict::reached;
    result.method = run.spec().method.name;
    const Index steps = run.steps();
    const domain::Domain& domain = run.spec().domain;
    const std::size_t fields = run.spec().model.equations.size();
    std::vector<double> squares(fields), slopes(fields);
    result.mean.resize(fields);
    for (int sample = 0; sample < kSamples && result.bounded; ++sample) {
        run.advance_to(steps + steps / 2 * (sample + 1) / kSamples);
        for (std::size_t field = 0; field < fields; ++field) {
            std::vector<double> cells, row(core::at(domain::row_length(domain)));
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
            slopes[field] += slopes_of(cells, domain) / kSamples;
        }
    }
    result.dt = run.clock().dt;
    for (std::size_t field = 0; field < fields; ++field) {
        result.deviation.push_back(std::sqrt(squares[field]));
        result.wavelength.push_back(slopes[field] > 0 ? 2 * std::numbers::pi * std::sqrt(squares[field] / slopes[field]) : 0);
    }
    return result;
}

/// A tenth of the step, by a method of higher order that bears it: stages where Euler's method and its like would not.
std::string finer(const Look& chosen) {
    const bool plain = chosen.method == "euler" || chosen.method == "midpoint" || chosen.method == "heun" || chosen.method == "rk4";
    return std::string("method = '") + (plain ? "rk4" : "rkl2") + "'\nprecision = 'f64'\ndt = " + std::to_string(chosen.dt / 10) + "\n";
}

/// How far apart two looks may be, of a field: 5 %.
struct Allowance {
    double mean, deviation, wavelength;
};

Allowance allowance_of(const Look& fine, std::size_t field) {
    const double size = fine.deviation[field] + std::abs(fine.mean[field]);
    // a field that is all but uniform has no wavelength
    const bool uniform = fine.deviation[field] < 0.05 * size + 1e-4;
    return {0.05 * size + 1e-6, 0.05 * size + 1e-6, uniform ? INFINITY : 0.05 * fine.wavelength[field]};
}

/// Whether a start whose noise is 0.2 % stronger takes the fields elsewhere, with the same fine steps, by half of what is allowed: chaos, or states between which a hair decides.
bool hangs_on_a_hair(const physics::RandomModel& model, const std::string& flags, const Look& fine) {
    std::string other_text = model.text;
    for (std::size_t at = 0; (at = other_text.find("noise(", at)) != std::string::npos; at += 12) other_text.insert(at, "1.002*");
    const Look other = look(other_text, flags);
    for (std::size_t field = 0; field < model.fields.size(); ++field) {
        const Allowance allowed = allowance_of(fine, field);
        if (std::abs(other.mean[field] - fine.mean[field]) > allowed.mean / 2 ||
            std::abs(other.deviation[field] - fine.deviation[field]) > allowed.deviation / 2 ||
            std::abs(other.wavelength[field] - fine.wavelength[field]) > allowed.wavelength / 2)
            return true;
    }
    return false;
}

/// Averages of runs with several seeds, and their standard errors.
struct Ensemble {
    Look mean, error;
};

Ensemble ensemble_of(const std::string& text, const std::string& flags) {
    constexpr int kSeeds = 8;
    std::vector<Look> looks;
    for (int seed = 1; seed <= kSeeds; ++seed) looks.push_back(look(text, flags + "seed = " + std::to_string(seed) + "\n"));
    Ensemble all;
    const auto average = [&](std::vector<double> Look::*of) {
        for (std::size_t field = 0; field < looks.front().mean.size(); ++field) {
            double mean = 0, square = 0;
            for (const Look& one : looks) mean += (one.*of)[field] / kSeeds;
            for (const Look& one : looks) square += ((one.*of)[field] - mean) * ((one.*of)[field] - mean);
            (all.mean.*of).push_back(mean);
            (all.error.*of).push_back(std::sqrt(square / (kSeeds * (kSeeds - 1))));
        }
    };
    for (std::vector<double> Look::*of : {&Look::mean, &Look::deviation, &Look::wavelength}) average(of);
    for (const Look& one : looks) all.mean.bounded = all.mean.bounded && one.bounded;
    return all;
}

class RandomModelTest : public testing::TestWithParam<int> {};

// Patterns are compared once what grows has grown, as the averages of times: what turns or drifts does so with errors of its own. Where a hair
// decides what becomes of a start, averages over many starts are compared.
TEST_P(RandomModelTest, AgreesWithFineSteps) {
    const physics::RandomModel model = physics::RandomModels(GetParam()).draw();
    const std::string flags = model.where + "end = " + std::to_string(model.end) + "\n";
    const std::string what = model.family + "\n" + model.text + flags;
    Look chosen = look(model.text, flags);
    const std::string fine_flags = flags + finer(chosen);
    Look fine = look(model.text, fine_flags);
    if (!fine.bounded) GTEST_SKIP() << "the equations blow up: " << what;
    ASSERT_TRUE(chosen.bounded) << what;
    const bool chaotic = hangs_on_a_hair(model, fine_flags, fine);
    const std::string numbers = chosen.method + ", dt " + std::to_string(chosen.dt) + (chaotic ? ", many starts" : "");
    Ensemble of_chosen, of_fine;
    if (chaotic) {
        of_chosen = ensemble_of(model.text, flags);
        of_fine = ensemble_of(model.text, fine_flags);
        chosen = of_chosen.mean;
        fine = of_fine.mean;
        ASSERT_TRUE(chosen.bounded && fine.bounded) << what;
    }
    for (std::size_t field = 0; field < model.fields.size(); ++field) {
        SCOPED_TRACE(model.fields[field] + " of " + what + numbers);
        const auto by_chance = [&](std::vector<double> Look::*of) {
            return chaotic ? 2.5 * std::hypot((of_chosen.error.*of)[field], (of_fine.error.*of)[field]) : 0;
        };
        const Allowance allowed = allowance_of(fine, field);
        EXPECT_NEAR(chosen.mean[field], fine.mean[field], allowed.mean + by_chance(&Look::mean));
        EXPECT_NEAR(chosen.deviation[field], fine.deviation[field], allowed.deviation + by_chance(&Look::deviation));
        EXPECT_NEAR(chosen.wavelength[field], fine.wavelength[field], allowed.wavelength + by_chance(&Look::wavelength));
    }
    RecordProperty("run", model.family + ", " + numbers);
    if (std::getenv("MOTTLE_SHOW_MODELS")) std::printf("%3d %-28s %s\n", GetParam(), model.family.c_str(), numbers.c_str());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomModelTest, testing::Range(1, 61));

}  // namespace random_models_slow_test
