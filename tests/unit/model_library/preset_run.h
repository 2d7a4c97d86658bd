// tests/unit/model_library/preset_run.h: runs one preset as a user would and reads the field that its picture shows
#pragma once
#include "kernel_cache.h"
#include "mottle/core/document.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "unit/model_library/pattern.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace preset_run {

class Silent : public mottle::core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(mottle::core::Moment, double) override { return true; }
};

/// A simulation with what it needs to live. `settings` is TOML text of flat keys.
class PresetRun {
   public:
    PresetRun(const mottle::core::Node& document, const std::string& name, const std::string& preset, const std::string& settings = "")
        : simulation_(mottle::run::read_spec(document, name, preset, mottle::core::parse_document(settings, "settings")), context_) {}

    mottle::run::Simulation& simulation() { return simulation_; }
    mottle::core::Index steps() const { return simulation_.steps(); }

    /// The field of the picture, after `step` steps.
    pattern::Field at(mottle::core::Index step) {
        const auto outcome = simulation_.advance_to(step);
        EXPECT_EQ(outcome.verdict, mottle::stepper::Verdict::reached) << outcome.why;
        const auto& domain = simulation_.spec().domain;
        const auto nx = static_cast<std::size_t>(mottle::domain::row_length(domain));
        const auto ny = static_cast<std::size_t>(mottle::domain::row_count(domain));
        const mottle::field::Field& fields = simulation_.field();
        const std::string& drawn = simulation_.spec().picture.sink.style.field;
        const auto array = fields.find(drawn.empty() ? fields.names().back() : drawn);
        pattern::Field field{static_cast<int>(nx), static_cast<int>(ny), std::vector<double>(nx * ny)};
        for (std::size_t row = 0; row < ny; ++row) {
            fields.kernel().read_row(fields.state(), array, static_cast<mottle::core::Index>(row),
                                     std::span(field.cells).subspan(row * nx, nx));
        }
        return field;
    }

    /// Width of the range of colours.
    double span() const {
        const auto& range = simulation_.spec().picture.sink.declared_range;
        EXPECT_TRUE(range.has_value()) << "neither the preset nor the field declares a range";
        return range ? (*range)[1] - (*range)[0] : 1;
    }

   private:
    mottle::core::ThreadTeam team_{1};  // tests run beside each other, and threads of small runs would wait for each other
    Silent observer_;
    mottle::core::Context context_{team_, observer_, kernel_cache()};
    mottle::run::Simulation simulation_;
};

}  // namespace preset_run
