// tests/unit/run/run_fixture.h: runs from text, what they refuse, and the numbers of their fields
#pragma once
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "unit/run/listener.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

class RunFixture : public testing::Test {
   protected:
    /// A run of `model` (TOML text, or the name of a built-in model) with `flags`.
    std::unique_ptr<mottle::run::Simulation> start_run(const std::string& model, const std::string& flags, int threads = 1) {
        using namespace mottle;
        observer_.notices.clear();
        const bool named = model.find('=') == std::string::npos;
        const core::Node document = named ? model::load_document(model) : core::parse_document(model, "test.toml");
        return std::make_unique<run::Simulation>(run::read_spec(document, "test", "", core::parse_document(flags, "flags")),
                                                 threads == 1 ? alone_ : context_);
    }
    std::string refusal_of(const std::string& model, const std::string& flags) {
        try {
            start_run(model, flags);
        } catch (const mottle::core::Error& error) {
            return error.message();
        }
        return "(taken)";
    }
    /// Of all fields, one after another.
    static std::vector<double> values(const mottle::run::Simulation& simulation) {
        std::vector<double> all;
        for (const std::string& name : simulation.field().names()) {
            const std::vector<double> own = simulation.field().values(simulation.field().find(name));
            all.insert(all.end(), own.begin(), own.end());
        }
        return all;
    }
    std::vector<double> values_at_end(const std::string& model, const std::string& flags, int threads = 1) {
        const auto simulation = start_run(model, flags, threads);
        EXPECT_EQ(simulation->run_to_end().verdict, mottle::stepper::Verdict::reached);
        return values(*simulation);
    }

    mottle::core::ThreadTeam team_{2}, one_{1};
    Listener observer_;
    mottle::core::Context context_{team_, observer_, kernel_cache()}, alone_{one_, observer_, kernel_cache()};
};
