// tests/unit/run/surface_pictures_test.cpp: pixels, camera, turn and background from files, presets and flags
#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

namespace surface_pictures_test {

using namespace mottle;
using Angles = std::array<double, 2>;

constexpr const char* kModel = R"toml(
[equations]
u = "lap(u)"
[initial]
u = "x"
[presets.seen]
camera = [70, -5, 2]
turn = 180
background = "night"
)toml";

run::Spec spec_of(const std::string& text, const std::vector<std::pair<std::string, std::string>>& flags) {
    core::Node settings;
    for (const auto& [key, value] : flags) settings.at(key) = core::text_node(value, "--" + key);
    return run::read_spec(core::parse_document(text, "m.toml"), "m", "", settings);
}

TEST(SurfacePictures, DefaultsArePresetsFilesAndFlagsInTurn) {
    const frame::Style plain = spec_of("equations.u = 'lap(u)'\ninitial.u = '1'\n", {{"mesh", "sphere:1"}}).picture.sink.style;
    EXPECT_EQ(plain.pixels, (std::array{1280, 720}));
    EXPECT_EQ(plain.camera.angles, std::nullopt);
    EXPECT_EQ(plain.turn, 0);
    EXPECT_EQ(plain.background, frame::kDefaultBackground);
    const frame::Style preset = spec_of(kModel, {{"mesh", "sphere:1"}}).picture.sink.style;
    EXPECT_EQ(preset.camera.angles, (Angles{70, -5}));
    EXPECT_EQ(preset.camera.distance, 2);
    EXPECT_EQ(preset.turn, 180);
    EXPECT_EQ(preset.background, frame::parse_background("night"));
    const frame::Style typed =
        spec_of(kModel,
                {{"mesh", "sphere:1"}, {"pixels", "1920x1080"}, {"camera", "10,20"}, {"turn", "-360"}, {"background", "transparent"}})
            .picture.sink.style;
    EXPECT_EQ(typed.pixels, (std::array{1920, 1080}));
    EXPECT_EQ(typed.camera.angles, (Angles{10, 20}));
    EXPECT_EQ(typed.camera.distance, 1);
    EXPECT_EQ(typed.turn, -360);
    EXPECT_EQ(typed.background, std::nullopt);
}

TEST(SurfacePictures, TablesHaveListsToo) {
    const std::string text =
        "equations.u = 'lap(u)'\ninitial.u = '1'\nmesh.shape = 'sphere:1'\n"
        "[[output]]\nfile = 'a.png'\npixels = [640, 480]\ncamera = [1, 2, 3]\nbackground = '#102030'\n"
        "[[output]]\nfile = 'b.pvd'\n[[output]]\nfile = 'c.vtu'\n";
    const run::Spec spec = spec_of(text, {});
    ASSERT_EQ(spec.outputs.size(), 3U);
    EXPECT_EQ(spec.outputs[0].sink.style.pixels, (std::array{640, 480}));
    EXPECT_EQ(spec.outputs[0].sink.style.camera.distance, 3);
    EXPECT_EQ(spec.outputs[0].sink.style.background, (frame::Rgb{0x10, 0x20, 0x30}));
    EXPECT_TRUE(spec.outputs[0].times.last_only);
    EXPECT_FALSE(spec.outputs[1].times.last_only) << "a series has every frame";
    EXPECT_TRUE(spec.outputs[2].times.last_only);
}

TEST(SurfacePictures, APresetMadeForSurfacesRunsOnAGrid) {
    EXPECT_NO_THROW(spec_of(kModel, {{"size", "8x8"}}));
    EXPECT_THROW(spec_of(kModel, {{"size", "8x8"}, {"turn", "90"}}), core::InputError);
}

}  // namespace surface_pictures_test
