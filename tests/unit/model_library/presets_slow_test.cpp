// tests/unit/model_library/presets_slow_test.cpp: every preset, run for its own time, shows the pattern that it is there for
#include "unit/model_library/preset_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ostream>
#include <string_view>
#include <vector>

namespace preset_run {
namespace presets_slow_test {

struct Which {
    std::string model, preset;
};
void PrintTo(const Which& which, std::ostream* out) { *out << which.model << "/" << which.preset; }

std::vector<Which> every_preset() {
    std::vector<Which> all;
    for (const auto& entry : mottle::model::library()) {
        const std::string name(entry.name);
        for (const auto& preset : mottle::model::presets_of(mottle::model::load_document(name))) all.push_back({name, preset.name});
    }
    return all;
}

std::string test_name(const testing::TestParamInfo<Which>& which) {
    std::string name = which.param.model + "_" + which.param.preset;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

/// Classes that never come to rest: two frames in a row differ by 1 % of the range somewhere.
constexpr std::array<std::string_view, 33> kMoving = {"gray-scott/pulsating-solitons",
                                                      "gray-scott/chaos",
                                                      "gray-scott/moving-spots",
                                                      "gray-scott/spots-and-loops",
                                                      "gray-scott/waves",
                                                      "gray-scott/warring-microbes",
                                                      "gray-scott/u-skate",
                                                      "gray-scott/alpha",
                                                      "gray-scott/beta",
                                                      "gray-scott/gamma",
                                                      "gray-scott/epsilon",
                                                      "gray-scott/zeta",
                                                      "gray-scott/xi",
                                                      "fitzhugh-nagumo/spirals",
                                                      "fitzhugh-nagumo/spiral",
                                                      "brusselator/spirals",
                                                      "barkley/spirals",
                                                      "barkley/spiral",
                                                      "barkley/meander",
                                                      "barkley/sparse",
                                                      "bar-eiswirth/break-up",
                                                      "bar-eiswirth/turbulence",
                                                      "bar-eiswirth/stable",
                                                      "kuramoto-sivashinsky/cells",
                                                      "kuramoto-sivashinsky/flames",
                                                      "ginzburg-landau/spirals",
                                                      "ginzburg-landau/frozen",
                                                      "ginzburg-landau/turbulence",
                                                      "ginzburg-landau/drifting",
                                                      "cyclic-competition/spirals",
                                                      "cyclic-competition/fierce",
                                                      "heat/waves",
                                                      "fisher-kpp/invasion"};

class Presets : public testing::TestWithParam<Which> {};

TEST_P(Presets, ShowsItsPattern) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "the compiled backend is missing: the interpreter would take hours";
    const auto& [model, preset] = GetParam();
    PresetRun run(mottle::model::load_document(model), model, preset);
    const auto steps = run.steps();
    const auto frames = run.simulation().spec().picture.times.frames;
    ASSERT_GE(steps, frames);
    const pattern::Field before = run.at(steps - std::max<mottle::core::Index>(1, steps / frames));
    const pattern::Field last = run.at(steps);

    const pattern::Moments moments = pattern::moments(last);
    const bool by_frame = run.simulation().spec().picture.sink.style.range == mottle::frame::Style::Range::every_frame;
    const double span = by_frame ? moments.high - moments.low : run.span();
    EXPECT_GE(moments.deviation, 0.1 * span) << "pale: the field runs from " << moments.low << " to " << moments.high;
    EXPECT_LE(moments.high - moments.low, 1.5 * span)
        << "the range of colours cuts off most of the field: " << moments.low << " to " << moments.high;
    const bool is_line = mottle::domain::row_count(run.simulation().spec().domain) == 1;
    if (!is_line) {
        EXPECT_GE(pattern::asymmetry(last), 0.1 * span) << "mirror-symmetric";
    }
    if (const auto& wavelength = run.simulation().spec().model.wavelength) {
        const double spacing = std::get<mottle::domain::Grid>(run.simulation().spec().domain).spacing[0];
        EXPECT_NEAR(pattern::wavelength(last) * spacing, *wavelength, 0.2 * *wavelength);
        EXPECT_GE(pattern::coverage(last, 0.2 * span), 0.8) << "has not filled the domain";  // solitons leave gaps
    }
    if (std::find(kMoving.begin(), kMoving.end(), model + "/" + preset) != kMoving.end()) {
        EXPECT_GE(pattern::difference(before, last), 0.01 * span) << "stands still";
    }
}

INSTANTIATE_TEST_SUITE_P(, Presets, testing::ValuesIn(every_preset()), test_name);

TEST(PresetNames, OfTheMovingOnesExist) {
    for (std::string_view moving : kMoving) {
        const auto all = every_preset();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Which& which) { return which.model + "/" + which.preset == moving; }))
            << moving;
    }
}

/// The field of a Gray-Scott preset at a share of its time.
pattern::Field gray_scott_at(PresetRun& run, double share) {
    return run.at(static_cast<mottle::core::Index>(share * static_cast<double>(run.steps())));
}

TEST(Spots, SixteenSkatesGlideWithoutLoss) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    PresetRun run(mottle::model::load_document("gray-scott"), "gray-scott", "u-skate");
    EXPECT_EQ(pattern::count_regions(gray_scott_at(run, 0.3), 0.15, false), 16);
    const pattern::Field middle = gray_scott_at(run, 0.6);
    EXPECT_EQ(pattern::count_regions(middle, 0.15, false), 16);
    const pattern::Field last = gray_scott_at(run, 1);
    EXPECT_EQ(pattern::count_regions(last, 0.15, false), 16);
    EXPECT_GT(pattern::difference(middle, last), 0.1);
}

TEST(Spots, SolitonsNeitherDivideNorDie) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    for (const char* preset : {"nu", "stable-solitons"}) {
        SCOPED_TRACE(preset);
        PresetRun run(mottle::model::load_document("gray-scott"), "gray-scott", preset);
        const int early = pattern::count_regions(gray_scott_at(run, 0.05), 0.15, true);
        const int late = pattern::count_regions(gray_scott_at(run, 1), 0.15, true);
        EXPECT_GT(early, 60);
        EXPECT_NEAR(late, early, 0.05 * early);
    }
}

TEST(Spots, MitosisFillsThePlaneFromFewCells) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    struct Class {
        const char* preset;
        double wavelength;
    };
    for (const auto& [preset, wavelength] : {Class{"mitosis", 15}, Class{"lambda", 16}}) {
        SCOPED_TRACE(preset);
        PresetRun run(mottle::model::load_document("gray-scott"), "gray-scott", preset);
        const int early = pattern::count_regions(gray_scott_at(run, 0.02), 0.15, true);
        const int late = pattern::count_regions(gray_scott_at(run, 1), 0.15, true);
        // A hexagonal lattice of that wavelength has sqrt(3)/2 spots to a square of its wavelength.
        const double expected = 512.0 * 512 * 0.8660254 / (wavelength * wavelength);
        EXPECT_NEAR(late, expected, 0.2 * expected);
        EXPECT_LT(early, 0.3 * expected);
    }
}

}  // namespace presets_slow_test
}  // namespace preset_run
