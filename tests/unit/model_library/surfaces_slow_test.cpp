// tests/unit/model_library/surfaces_slow_test.cpp: every model of the library that grids and surfaces share shows a pattern on a surface, unchanged
#include "mottle/core/document.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace surfaces_slow_test {

using namespace mottle;

class OnASurface : public testing::TestWithParam<std::string> {};

/// Presets that start from discs which would cover a surface of some 10,000 vertices give way to one of the same model that does not.
struct Choice {
    const char *model, *preset, *settings;
};
constexpr Choice kChoices[] = {{"brusselator", "stripes", ""},
                               {"fitzhugh-nagumo", "labyrinth", ""},
                               {"ginzburg-landau", "turbulence", ""},
                               {"heat", "cooling", "initial = { u = \"spots(6, 8) - spots(6, 8)\" }\n"}};

// For a third of its time, at most 20,000 steps: long enough for each of them.
TEST_P(OnASurface, AModelShowsItsPattern) {
    Choice choice{GetParam().c_str(), "", ""};
    for (const Choice& other : kChoices) {
        if (GetParam() == other.model) choice = other;
    }
    core::ThreadTeam team(1);
    core::Observer observer;
    core::Context context{team, observer, {}};
    const core::Node flags = core::parse_document(
        std::string(choice.settings) + "[mesh]\nfile = \"" MOTTLE_SOURCE_DIR "/examples/meshes/spot_remeshed.obj\"\n", "flags");
    run::Spec spec = run::read_spec(model::load_document(GetParam()), GetParam(), choice.preset, flags);
    spec.outputs.clear();
    run::Simulation simulation(std::move(spec), context);
    const core::Index steps = std::min<core::Index>(simulation.steps() / 3, 20000);
    const stepper::Outcome outcome = simulation.advance_to(steps);
    ASSERT_EQ(outcome.verdict, stepper::Verdict::reached) << outcome.why;
    double best = 0;
    for (const std::string& name : simulation.field().names()) {
        const backend::Statistics s = simulation.field().statistics(simulation.field().find(name));
        best = std::max(best, s.std / std::max(s.max - s.min, 1e-3));
        RecordProperty(name + "_std", std::to_string(s.std));
    }
    EXPECT_GE(best, 0.1) << "no field varies";
}

std::vector<std::string> models() {
    std::vector<std::string> names;
    for (const auto& entry : model::library()) names.emplace_back(entry.name);
    return names;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Library, OnASurface, testing::ValuesIn(models()), name_of);

}  // namespace surfaces_slow_test
