// tests/oracle/mottle_run.h: runs Mottle for an oracle, from text to fields, and compares
#pragma once
#include "kernel_cache.h"
#include "mottle/core/document.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "oracle/plain_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace oracle {

struct Outcome {
    Grid grid;
    double dt = 0;
    Fields start, end;
};

class Silent : public mottle::core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(mottle::core::Moment, double) override { return true; }
};

inline Fields read_fields(const mottle::run::Simulation& simulation) {
    const mottle::field::Field& field = simulation.field();
    const auto& domain = simulation.spec().domain;
    const auto nx = static_cast<std::size_t>(mottle::domain::row_length(domain));
    const auto rows = static_cast<std::size_t>(mottle::domain::row_count(domain));
    Fields fields;
    for (const std::string& name : field.names()) {
        Cells cells(nx * rows);
        for (std::size_t row = 0; row < rows; ++row) {
            field.kernel().read_row(field.state(), field.find(name), static_cast<mottle::core::Index>(row),
                                    std::span(cells).subspan(row * nx, nx));
        }
        fields.push_back(std::move(cells));
    }
    return fields;
}

/// This build has no compiled kernels for that device.
inline bool lacks(const std::string& device) { return device == "cpu" && !MOTTLE_HAVE_JIT; }

/// Runs `document` (TOML text, or "library:NAME") with `preset` and `settings` (TOML text of flat keys) for `steps` steps.
inline Outcome run_mottle(const std::string& document, const std::string& preset, const std::string& settings, int steps,
                          const std::string& device = "auto", const std::string& precision = "f64") {
    const bool library = document.starts_with("library:");
    const std::string name = library ? document.substr(8) : "oracle";
    const auto root = library ? mottle::model::load_document(name) : mottle::core::parse_document(document, "oracle.toml");
    const std::string forced =
        "precision = \"" + precision + "\"\nsteps = " + std::to_string(steps) + "\nframes = 1\ndevice = \"" + device + "\"\nthreads = 2\n";
    const auto flags = mottle::core::parse_document(forced + settings, "settings");
    mottle::core::ThreadTeam team(2);
    Silent observer;
    mottle::core::Context context{team, observer, kernel_cache()};
    mottle::run::Simulation simulation(mottle::run::read_spec(root, name, preset, flags), context);
    Outcome outcome;
    const auto& grid = std::get<mottle::domain::Grid>(simulation.spec().domain);
    outcome.grid = {static_cast<int>(grid.size[0]), static_cast<int>(grid.size[1]), grid.spacing[0], grid.spacing[1]};
    outcome.dt = simulation.dt();
    outcome.start = read_fields(simulation);
    const auto reached = simulation.advance_to(steps);
    EXPECT_EQ(reached.at.step, steps) << reached.why;
    outcome.end = read_fields(simulation);
    return outcome;
}

/// Every value of `end` within `tolerance` of the expected one, relative to the largest; and the run is one that could be told from
/// standing still: finite, changed, not uniform.
inline void expect_agreement(const Outcome& outcome, const Fields& expected, double tolerance = 1e-12) {
    ASSERT_EQ(outcome.end.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const Cells& mine = outcome.end[k];
        ASSERT_EQ(mine.size(), expected[k].size());
        double largest = 0, difference = 0, change = 0;
        double low = mine[0], high = mine[0];
        std::size_t worst = 0;
        for (std::size_t c = 0; c < mine.size(); ++c) {
            ASSERT_TRUE(std::isfinite(mine[c]) && std::isfinite(expected[k][c]))
                << "field " << k << " cell " << c << ": " << mine[c] << ", " << expected[k][c];
            largest = std::max(largest, std::abs(expected[k][c]));
            change = std::max(change, std::abs(mine[c] - outcome.start[k][c]));
            low = std::min(low, mine[c]);
            high = std::max(high, mine[c]);
            if (std::abs(mine[c] - expected[k][c]) > difference) {
                difference = std::abs(mine[c] - expected[k][c]);
                worst = c;
            }
        }
        EXPECT_GT(change, 1e-4 * largest) << "field " << k << " stood still";
        EXPECT_GT(high - low, 1e-3 * largest) << "field " << k << " is uniform";
        EXPECT_LE(difference, tolerance * largest)
            << "field " << k << " cell (" << worst % static_cast<std::size_t>(outcome.grid.nx) << ", "
            << worst / static_cast<std::size_t>(outcome.grid.nx) << "): " << mine[worst] << " against " << expected[k][worst];
    }
}

}  // namespace oracle
