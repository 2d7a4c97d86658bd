// tests/unit/run/spec_test.cpp: which of several sources wins, and what is refused with which words
#include "mottle/run/settings/read_spec.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace spec_test {

using namespace mottle;

constexpr const char* kModel = R"toml(
title = "test"
[equations]
u = "D*lap(u) + a*u - u^3"
v = "lap(v) - v"
[parameters]
D = { value = 1.0, min = 0.0, max = 2.0, about = "diffusion" }
a = 0.5
[fields]
u = { range = [-1, 1] }
v = { range = [0, 3] }
[initial]
u = "noise(-0.1, 0.1)"
v = "X"
[presets.first]
about = "one"
D = 0.25
size = "64x32"
spacing = 0.5
steps = 700
frames = 70
fps = 25
palette = "magma"
range = [0, 2]
[presets.second]
a = 0.75
boundary = "no-flux"
time = 3.5
dt = 0.01
every = 10
seed = 9
precision = "f64"
stencil = 9
field = "u"
initial = { v = "Y" }
clamp = { v = [0, 1] }
)toml";

run::Spec read(const std::string& text, const std::string& preset = "", const std::string& flags = "") {
    return run::read_spec(core::parse_document(text, "test.toml"), "test", preset, core::parse_document(flags, "flags"));
}

std::string refusal(const std::string& text, const std::string& preset = "", const std::string& flags = "") {
    try {
        read(text, preset, flags);
    } catch (const core::Error& error) {
        return error.message();
    }
    return "accepted";
}

double parameter(const run::Spec& spec, const std::string& name) {
    for (const model::Parameter& parameter : spec.model.parameters) {
        if (parameter.name == name) return parameter.value;
    }
    return -1;
}

const domain::Grid& grid_of(const run::Spec& spec) { return std::get<domain::Grid>(spec.domain); }

struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "mottle_spec_test";
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
};

TEST(Spec, FirstPresetIsTheDefault) {
    const run::Spec spec = read(kModel);
    EXPECT_EQ(spec.preset, "first");
    EXPECT_EQ(parameter(spec, "D"), 0.25);
    EXPECT_EQ(grid_of(spec).size, (domain::Triple{64, 32, 1}));
    EXPECT_EQ(grid_of(spec).spacing[1], 0.5);
    EXPECT_EQ(spec.steps, 700);
}

TEST(Spec, APresetsValueKeepsTheDeclaredRange) {
    const run::Spec spec = read(kModel);
    EXPECT_EQ(spec.model.parameters[0].max, 2.0);
    EXPECT_EQ(spec.model.parameters[0].about, "diffusion");
}

TEST(Spec, PresetSetsEverythingARunNeeds) {
    const run::Spec spec = read(kModel, "second");
    EXPECT_EQ(parameter(spec, "a"), 0.75);
    EXPECT_EQ(grid_of(spec).sides[domain::kTop].rule, domain::Rule::no_flux);
    EXPECT_EQ(spec.end_time, 3.5);
    EXPECT_EQ(spec.dt, 0.01);
    EXPECT_EQ(spec.initial.seed, 9u);
    EXPECT_TRUE(spec.method.f64);
    EXPECT_EQ(grid_of(spec).stencil.kind, domain::Stencil::Kind::nine);
    EXPECT_EQ(model::print(*spec.model.equations[1].initial), "Y");
    EXPECT_EQ((*spec.model.equations[1].clamp)[1], 1.0);
}

TEST(Spec, DefaultsAreThoseOfTheTable) {
    const run::Spec spec = read("[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'");
    EXPECT_EQ(spec.preset, "");
    EXPECT_EQ(grid_of(spec).size, (domain::Triple{512, 512, 1}));
    EXPECT_EQ(spec.steps, 10000);
    EXPECT_FALSE(spec.dt);
    EXPECT_EQ(grid_of(spec).sides[domain::kLeft].rule, domain::Rule::periodic);
    EXPECT_FALSE(spec.method.f64);
    EXPECT_EQ(spec.initial.seed, 0u);
    EXPECT_EQ(spec.device, "auto");
    EXPECT_TRUE(spec.outputs.empty());
}

TEST(Spec, FlagsWin) {
    const run::Spec spec =
        read(kModel, "second",
             "parameters = { a = 0.1 }\nsize = '16x16'\nsteps = 20\ndt = 'auto'\nprecision = 'f32'\nseed = '18446744073709551615'");
    EXPECT_EQ(parameter(spec, "a"), 0.1);
    EXPECT_EQ(grid_of(spec).size, (domain::Triple{16, 16, 1}));
    EXPECT_EQ(spec.steps, 20);
    EXPECT_FALSE(spec.end_time) << "--steps takes back the preset's time";
    EXPECT_FALSE(spec.dt);
    EXPECT_FALSE(spec.method.f64);
    EXPECT_EQ(spec.initial.seed, ~std::uint64_t{0});
}

TEST(Spec, ARunFileStandsAboveThePresetAndBelowTheFlags) {
    const Folder folder;
    folder.write("model.toml", kModel);
    const std::string path = folder.write(
        "run.toml", "model = 'model.toml'\npreset = 'second'\n[parameters]\na = 0.3\nD = 0.7\n[grid]\nsize = '20x10'\n[time]\nsteps = 50");
    const core::Node document = core::read_document(path);
    run::Spec spec = run::read_spec(document, "run", "", {});
    EXPECT_EQ(spec.preset, "second");
    EXPECT_EQ(parameter(spec, "a"), 0.3);
    EXPECT_EQ(grid_of(spec).size, (domain::Triple{20, 10, 1}));
    EXPECT_EQ(spec.steps, 50);
    EXPECT_FALSE(spec.end_time);
    EXPECT_EQ(spec.initial.folder, folder.path);
    spec = run::read_spec(document, "run", "first", core::parse_document("parameters.a = 0.9", "flags"));
    EXPECT_EQ(spec.preset, "first");
    EXPECT_EQ(parameter(spec, "a"), 0.9);
    EXPECT_EQ(parameter(spec, "D"), 0.7) << "the run file wins over the preset";
    EXPECT_FALSE(spec.dt) << "only the preset that was not chosen has one";
}

TEST(Spec, BoundaryRulesMergeSideByField) {
    const std::string base = "[equations]\nu = 'lap(u)'\nv = 'lap(v)'\n[initial]\nu = 'X'\nv = 'X'\n";
    run::Spec spec = read(base + "[boundary]\nleft = 'value(1)'\nright = 'no-flux'\nu.right = 'outside(min(1, 2))'");
    EXPECT_EQ(grid_of(spec).sides_of("v")[domain::kLeft].rule, domain::Rule::value);
    EXPECT_EQ(grid_of(spec).sides_of("v")[domain::kRight].rule, domain::Rule::no_flux);
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kRight].rule, domain::Rule::outside);
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kLeft].rule, domain::Rule::value) << "what [boundary.u] leaves out stays as for all";
    spec = read(base, "", "boundary = 'left=value(min(1,2)),right=still,u.left=no-flux'");
    EXPECT_EQ(grid_of(spec).sides_of("v")[domain::kLeft].terms[0].text, "min(1,2)");
    EXPECT_EQ(grid_of(spec).sides_of("v")[domain::kRight].rule, domain::Rule::still);
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kLeft].rule, domain::Rule::no_flux);
    spec = read(base + "[boundary]\nu.left = 'value(1)'\nu.right = 'value(1)'", "", "boundary = 'still'");
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kLeft].rule, domain::Rule::still) << "a rule for all sides takes back every other";
    spec = read(base + "[boundary.u]\nleft = 'value(1)'\n", "", "boundary = 'left=no-flux,right=no-flux'");
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kRight].rule, domain::Rule::no_flux)
        << "sides of a field follow later rules for all fields";
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kLeft].rule, domain::Rule::value);
}

TEST(Spec, FrameTimesReplaceEachOther) {
    const std::string output = "output = [{ file = 'a.mp4' }]\n";
    EXPECT_EQ(read(kModel, "first", output).outputs[0].times.frames, 70);
    EXPECT_EQ(read(kModel, "second", output).outputs[0].times.every, 10);
    const run::Spec spec = read(kModel, "second", output + "frames = 5");
    EXPECT_EQ(spec.outputs[0].times.frames, 5);
    EXPECT_EQ(spec.outputs[0].times.every, 0);
    EXPECT_TRUE(spec.outputs[0].times.exact);
    EXPECT_FALSE(read(kModel, "first", output + "steps = 5").outputs[0].times.exact) << "typed steps make the preset's frames give way";
    EXPECT_TRUE(read(kModel, "first", output + "steps = 5\nframes = 9").outputs[0].times.exact);
}

TEST(Spec, AtEndsTheRun) {
    const std::string output = "output = [{ file = 'a.mp4' }]\nat = '10*n'\nframes = 7\n";
    EXPECT_EQ(read(kModel, "first", output).steps, 70);
    EXPECT_EQ(read(kModel, "first", "at = '10*n'\nframes = 7\n").steps, 70) << "also without outputs";
    const run::Spec cut = read(kModel, "first", output + "steps = 35");
    EXPECT_EQ(cut.steps, 35);
    EXPECT_EQ(cut.notices.size(), 1u);
}

TEST(Spec, FramesOfAPresetGiveWayToAnEndSetByAt) {
    const std::string outputs = "output = [{ file = 'a.gif', at = '2*n', frames = 5 }, { file = 'b.npy' }]\n";
    const run::Spec spec = read(kModel, "first", outputs);
    EXPECT_EQ(spec.steps, 10);
    EXPECT_EQ(spec.outputs[1].times.frames, 70);
    EXPECT_FALSE(spec.outputs[1].times.exact) << "70 frames do not fit 10 steps, and nobody asked for them";
}

TEST(Spec, ThePresetsRangeIsForItsOwnField) {
    const std::string output = "output = [{ file = 'a.png' }]\n";
    EXPECT_EQ((*read(kModel, "first", output).outputs[0].sink.declared_range)[1], 2.0);
    EXPECT_EQ((*read(kModel, "first", output + "field = 'u'").outputs[0].sink.declared_range)[0], -1.0)
        << "the preset speaks of v; u has its own";
    const auto fixed = read(kModel, "first", output + "range = '-0.5:0.25'").outputs[0].sink.style;
    EXPECT_EQ(fixed.range, frame::Style::Range::fixed);
    EXPECT_EQ(fixed.lo, -0.5);
    EXPECT_EQ(read(kModel, "first", output + "range = 'frame'").outputs[0].sink.style.range, frame::Style::Range::every_frame);
}

TEST(Spec, OutputsOfFlagsReplaceThoseOfTheFile) {
    const std::string text = std::string(kModel) + "[[output]]\nfile = 'one.mp4'\npalette = 'gray'\n[[output]]\nfile = 'two.png'\n";
    const run::Spec own = read(text);
    ASSERT_EQ(own.outputs.size(), 2u);
    EXPECT_EQ(own.outputs[0].sink.style.palette, "magma") << "a preset stands above the tables of its own model";
    EXPECT_FALSE(own.outputs[0].times.last_only);
    EXPECT_TRUE(own.outputs[1].times.last_only);
    const run::Spec typed = read(text, "", "output = [{ file = 'three.gif' }]\npalette = 'turbo'");
    ASSERT_EQ(typed.outputs.size(), 1u);
    EXPECT_EQ(typed.outputs[0].sink.file, "three.gif");
    EXPECT_EQ(typed.outputs[0].sink.style.palette, "turbo");
}

TEST(Spec, OutputsOfFlagsKeepTheLookOfTheFirstOneTheyReplace) {
    const std::string plain = "equations.u = 'lap(u)'\nequations.v = 'lap(v)'\ninitial.u = 'X'\ninitial.v = 'Y'\ngrid.size = '8x8'\n";
    const std::string text = plain +
                             "[[output]]\nfile = 'one.mp4'\npalette = 'gray'\nfield = 'u'\nframes = 17\nfps = 12\nrange = [0, 4]\n"
                             "chroma = 444\nencoder = 'x264'\nscale = 3\n[[output]]\nfile = 'two.png'\npalette = 'turbo'\n";
    const run::Spec typed = read(text, "", "output = [{ file = 'three.gif' }, { file = 'four.png' }]\nfps = 24");
    ASSERT_EQ(typed.outputs.size(), 2u);
    for (const run::Output& output : typed.outputs) {
        EXPECT_EQ(output.sink.style.palette, "gray");
        EXPECT_EQ(output.sink.style.field, "u");
        EXPECT_EQ(output.sink.style.range, frame::Style::Range::fixed);
        EXPECT_EQ(output.sink.style.hi, 4);
        EXPECT_EQ(output.sink.style.scale, 3);
        EXPECT_TRUE(output.sink.chroma444);
        EXPECT_EQ(output.sink.encoder, output::Encoder::x264);
        EXPECT_EQ(output.times.frames, 17);
        EXPECT_EQ(output.sink.fps, 24) << "a flag wins";
    }
    EXPECT_EQ(read(text, "", "output = [{ file = 'three.gif' }]\nevery = 5").outputs[0].times.every, 5);
    EXPECT_FALSE(read(text, "", "output = [{ file = 'a.gif' }]\nsteps = 5").outputs[0].times.exact) << "typed steps make them give way";
    EXPECT_NE(refusal(plain + "[[output]]\nfile = 'a.png'\nfeild = 'u'\n", "", "output = [{ file = 'b.png' }]").find("'field'"),
              std::string::npos);
    const std::string preset = std::string(kModel) + "[[output]]\nfile = 'one.mp4'\npalette = 'gray'\nscale = 2\n";
    const run::Spec both = read(preset, "first", "output = [{ file = 'a.gif' }]");
    EXPECT_EQ(both.outputs[0].sink.style.palette, "magma") << "the preset stands above the tables of its own model";
    EXPECT_EQ(both.outputs[0].sink.style.scale, 2);
}

TEST(Spec, ATransparentPictureIsInheritedByPicturesAlone) {
    const std::string text =
        "equations.u = 'lap(u)'\ninitial.u = 'X'\nmesh.shape = 'sphere:2'\n[[output]]\nfile = 'a.png'\n"
        "background = 'transparent'\nturn = 90\n";
    EXPECT_FALSE(read(text, "", "output = [{ file = 'b.png' }]").outputs[0].sink.style.background);
    const run::Spec video = read(text, "", "output = [{ file = 'b.mp4' }]");
    EXPECT_TRUE(video.outputs[0].sink.style.background);
    EXPECT_EQ(video.outputs[0].sink.style.turn, 90);
    EXPECT_NE(refusal(text, "", "output = [{ file = 'b.mp4' }]\nbackground = 'transparent'").find("cannot be transparent"),
              std::string::npos);
}

TEST(Spec, ValuesOutsideTheirDeclaredRangeAreTold) {
    EXPECT_TRUE(read(kModel, "first", "parameters.D = 2").notices.empty());
    const run::Spec spec = read(kModel, "first", "parameters.D = 2.5");
    ASSERT_EQ(spec.notices.size(), 1u);
    EXPECT_NE(spec.notices[0].find("D = 2.5 lies outside its declared range 0 to 2"), std::string::npos) << spec.notices[0];
}

struct Refused {
    const char* name;
    const char* preset;
    const char* flags;
    const char* words;
};

class SpecRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SpecRefuses, WithTheNextMove) {
    const std::string message = refusal(kModel, GetParam().preset, GetParam().flags);
    EXPECT_NE(message.find(GetParam().words), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Flags, SpecRefuses,
    testing::Values(
        Refused{"Preset", "secnd", "", "did you mean 'second'"}, Refused{"PresetList", "none", "", "first, second"},
        Refused{"Key", "", "sise = '4x4'", "did you mean 'size'"}, Refused{"Parameter", "", "parameters.b = 1", "no parameter 'b'"},
        Refused{"Steps", "", "steps = -1", "steps must lie between 0"},
        Refused{"StepsText", "", "steps = 'many'", "steps must be a number"}, Refused{"StepsFraction", "", "steps = 1.5", "whole number"},
        Refused{"StepsHuge", "", "steps = 1e300", "steps must lie between"},
        Refused{"StepsAndTime", "", "steps = 5\ntime = 3", "both set the length of the run"},
        Refused{"Dt", "", "dt = 0", "dt must be above 0"}, Refused{"DtNan", "", "dt = nan", "dt must be finite"},
        Refused{"DtText", "", "dt = 'fast'", "dt must be a number"}, Refused{"Time", "", "time = -1", "must not be negative"},
        Refused{"Spacing", "", "spacing = 0", "the spacing is 0; it must be a length from 1e-60 to 1e+60"},
        Refused{"SpacingText", "", "spacing = '1,x'", "'x'"}, Refused{"Size", "", "size = '0x5'", "must be 1 or more"},
        Refused{"SizeMemory", "", "size = '1000000x1000000'", "memory"}, Refused{"Frames", "", "frames = 0", "frames must lie between 1"},
        Refused{"FramesEvery", "", "frames = 5\nevery = 5", "both say when to draw"},
        Refused{"Fps", "", "fps = 0", "fps must lie between 0.001 and 1000, it is 0"},
        Refused{"Palette", "", "palette = 'viridi'", "did you mean 'viridis'"}, Refused{"Field", "", "field = 'w'", "no field 'w'"},
        Refused{"Range", "", "range = '1:0'", "lo below hi"}, Refused{"RangeText", "", "range = 'big'", "auto, frame, or two numbers"},
        Refused{"Chroma", "", "chroma = 422", "420 or 444"}, Refused{"Encoder", "", "encoder = 'h264'", "auto, x264 or nvenc, not 'h264'"},
        Refused{"Scale", "", "scale = 0", "scale must lie between 1"}, Refused{"Until", "", "until = 'steady'", "steady=TOLERANCE"},
        Refused{"UntilZero", "", "until = 'steady=0'", "above 0"}, Refused{"Threads", "", "threads = 0", "threads must lie between 1"},
        Refused{"ThreadsMany", "", "threads = 99999", "threads must lie between 1"}, Refused{"Seed", "", "seed = -1", "0 to 2^64 - 1"},
        Refused{"SeedBig", "", "seed = '18446744073709551616'", "0 to 2^64 - 1"},
        Refused{"Precision", "", "precision = 'f16'", "f32 or f64"},
        Refused{"Method", "", "method = 'rk3'",
                "there are euler, midpoint, heun, rk4, rkl1, rkl2, sts1, sts2, imex, imex2, etdrk4 and auto"},
        Refused{"Side", "", "boundary = 'lft=still'", "did you mean 'left'"},
        Refused{"FieldSide", "", "boundary = 'u.lft=still'", "did you mean 'left'"},
        Refused{"FieldSideFar", "", "boundary = 'u.up=still'", "the sides are left, right, top, bottom"},
        Refused{"MissingSide", "", "boundary = 'front=still,back=still'", "no side 'front'"},
        Refused{"MissingSideOfARow", "", "size = '9'\nboundary = 'u.top=still'", "there are left and right"},
        Refused{"MissingSideOfACell", "", "size = '1'\nboundary = 'left=still'", "a single cell has none"},
        Refused{"TwoRules", "", "boundary = 'left=still,right=still,left=value(1)'", "'left' has two rules"},
        Refused{"NoField", "", "boundary = '.left=still'", "FIELD.SIDE=RULE, not '.left=still'"},
        Refused{"TwoRulesOfAField", "", "boundary = 'u.left=still,u.left=value(1)'", "'left' of 'u' has two rules"},
        Refused{"TwoRulesForAll", "", "boundary = 'still,no-flux'", "two rules for all sides"},
        Refused{"TwoRulesForAllOfAField", "", "boundary = 'u=still,u=no-flux'", "two rules for all sides of 'u'"},
        Refused{"OnePeriodic", "", "boundary = 'left=still'", "periodic"},
        Refused{"Extension", "", "output = [{ file = 'a.bmp' }]", ".mp4"},
        Refused{"Folder", "", "output = [{ file = '/nowhere/at/all/a.png' }]", "/nowhere/at/all"},
        Refused{"Twice", "", "output = [{ file = 'a.png' }, { file = './a.png' }]", "the same file"},
        Refused{"OutputKey", "", "output = [{ file = 'a.png', pallete = 'gray' }]", "did you mean 'palette'"},
        Refused{"Schedule", "", "schedule = 'fast'", "steps=32"}, Refused{"Mesh", "", "mesh = { file = 'a.obj' }", "cannot be read"}),
    [](const auto& refused) { return refused.param.name; });

/// The notices of a spec, one to a line.
std::string notices(const run::Spec& spec) {
    std::string text;
    for (const std::string& notice : spec.notices) text += notice + "\n";
    return text;
}

TEST(Spec, ASideThatALaterSizeTakesAwayIsTold) {
    const std::string model =
        std::string(kModel) + "[boundary]\nleft = 'value(1)'\nright = 'no-flux'\n[boundary.u]\ntop = 'still'\nbottom = 'still'\n";
    run::Spec spec = read(model, "", "size = '64'");
    EXPECT_EQ(notices(spec), "the 64x1 grid has no top or bottom: the rules for them are ignored\n");
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kLeft].rule, domain::Rule::value);
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kTop].rule, domain::Rule::periodic);
    EXPECT_EQ(notices(read(model, "", "size = '64x2'")), "");
    EXPECT_EQ(notices(read(model, "", "size = '64'\nboundary = 'no-flux'")), "") << "a rule for all sides takes back every other";
    EXPECT_EQ(notices(read(model, "", "size = '64'\nboundary = 'u=no-flux'")), "") << "what is replaced is not left out";
    // A grid that lacks the side from the start is no place for a rule, whatever is typed later.
    const std::string deep = std::string(kModel) + "[boundary]\nfront = 'still'\nback = 'still'\n";
    EXPECT_NE(refusal(deep, "", "size = '64x64'").find("no side 'front'"), std::string::npos);
    EXPECT_EQ(refusal(deep, "", "size = '8x8x8'"), "accepted");
    EXPECT_EQ(notices(read("grid.size = '8x8x8'\n" + deep, "first")),
              "the 64x32 grid has no front or back: the rules for them are ignored\n");
    // A file that leaves the size to the command line is read without one, too, as mottle check does.
    const std::string sizeless = "equations.u = 'lap(u)'\ninitial.u = '0'\n[boundary]\nfront = 'still'\nback = 'still'\n";
    EXPECT_EQ(notices(read(sizeless)), "the 512x512 grid has no front or back: the rules for them are ignored\n");
    EXPECT_EQ(notices(read(sizeless, "", "size = '8x8x8'")), "");
    EXPECT_NE(refusal("grid.size = '512x512'\n" + sizeless).find("no side 'front'"), std::string::npos);
}

TEST(Spec, ARuleForAFieldAndOneForItsSideGoTogether) {
    const run::Spec spec = read(kModel, "", "boundary = 'u=no-flux,u.left=value(1)'");
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kLeft].rule, domain::Rule::value);
    EXPECT_EQ(grid_of(spec).sides_of("u")[domain::kRight].rule, domain::Rule::no_flux);
    EXPECT_EQ(grid_of(spec).sides_of("v")[domain::kLeft].rule, domain::Rule::periodic);
}

TEST(Spec, UnknownKeysOfPresetsAreRefusedWithTheirPlace) {
    const std::string text = std::string(kModel) + "[presets.third]\nspeed = 3\n";
    try {
        read(text, "third");
        FAIL() << "accepted";
    } catch (const core::InputError& error) {
        ASSERT_TRUE(error.span());
        EXPECT_EQ(error.span()->line, 38);
        EXPECT_NE(error.message().find("[presets.third]"), std::string::npos) << error.message();
    }
}

TEST(Spec, UnknownTablesAreRefused) {
    EXPECT_NE(refusal(std::string(kModel) + "[gird]\nsize = '4x4'").find("did you mean 'grid'"), std::string::npos);
    EXPECT_NE(refusal(std::string(kModel) + "[grid]\nsiez = '4x4'").find("did you mean 'size'"), std::string::npos);
    EXPECT_NE(refusal(std::string(kModel) + "[mesh]\nfiel = 'a.obj'").find("did you mean 'file'"), std::string::npos);
}

TEST(Spec, ForceRunsWhereMemoryLooksTooSmall) {
    EXPECT_NE(refusal(kModel, "", "size = '300000x300000'").find("memory"), std::string::npos);
    EXPECT_EQ(refusal(kModel, "", "size = '300000x300000'\nforce = true"), "accepted");
}

}  // namespace spec_test
