// tests/unit/live/player_test.cpp: a run that is changed, painted, taken back and goes on; against runs that were so from their start
#include "mottle/live/server/takeaway.h"

#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/run/settings/read_spec.h"
#include "unit/live/stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace mottle::live::player_test {
namespace {

Stroke dot(std::uint32_t number, double x, double y, double radius, double value, const std::string& field = "u") {
    return {.number = number, .field = field, .value = value, .radius = radius, .points = {{x, y, 0}}};
}

TEST(Player, MakesTheStepsOfARun) {
    Stage stage;
    Player player(stage.project(), stage.context);
    const double before = values(player, "v")[0];
    step(player, 10);
    EXPECT_EQ(player.simulation().now().step, 10);
    EXPECT_NEAR(values(player, "v")[0], before * std::pow(1 - 0.5 * 0.25, 10), 1e-12);
}

TEST(Player, WhatIsErasedIsWhatMostOfTheStartWas) {
    Stage stage;
    const std::string text =
        "equations.a = '0*a'\nequations.b = '0*b'\nequations.c = '0*c'\n"
        "initial.a = 'where(X < 0.2, 0.25, 1)'\ninitial.b = 'where(X < 0.2, 0.5, -3)'\ninitial.c = '2 + noise(-0.1, 0.1)'\n"
        "fields.a.range = [0, 1]\ngrid.size = '400x300'\ntime.dt = 1\nrun.device = 'reference'\n";
    Player player(stage.project(text), stage.context);
    ASSERT_EQ(player.resting_values().size(), 3u);
    EXPECT_EQ(player.resting_values()[0], 1);
    EXPECT_EQ(player.resting_values()[1], -3);
    EXPECT_NEAR(player.resting_values()[2], 2, 0.01);
    // Of the start, not of what has become of it; and of the start of other equations when they run.
    player.paint(dot(1, 200, 150, 1000, 7, "a"), whole_view(player.spec().domain, 0));
    player.become(player.project().with_text(replaced(text, "0.5, -3", "0.5, -4")), false);
    EXPECT_EQ(player.resting_values()[0], 1);
    EXPECT_EQ(player.resting_values()[1], -4);
    EXPECT_EQ(values(player, "b")[399], -3);
    for (const char* size : {"1", "3x2", "700", "5x4x300"}) {
        Player small(stage.project(text, std::string("size = '") + size + "'"), stage.context);
        EXPECT_EQ(small.resting_values().size(), 3u) << size;
        EXPECT_NEAR(small.resting_values()[2], 2, 0.31) << size;
    }
}

TEST(Player, AnAutomaticStepFollowsTheParameters) {
    Stage stage;
    Player player(stage.project(replaced(kSpread, "time.dt = 0.25\n", "")), stage.context);
    const double dt = player.simulation().dt();
    step(player, 8);
    const double time = player.simulation().now().time;
    player.set_parameter("D", 1);
    EXPECT_LT(player.simulation().dt(), dt / 2);
    EXPECT_NEAR(player.simulation().now().time, time, player.simulation().dt() / 2);
    EXPECT_EQ(player.dt_warning(), "");
}

TEST(Player, StagesFollowTheParameters) {
    Stage stage;
    Player player(stage.project(replaced(kSpread, "time.dt = 0.25\n", "time.dt = 4\n"), "method = 'rkl1'"), stage.context);
    const int few = player.simulation().clock().stages;
    player.set_parameter("D", 2);
    EXPECT_GT(player.simulation().clock().stages, few);
    step(player, 5);
    // as the run that had this number from its start, at its state
    Player other(stage.project(replaced(kSpread, "time.dt = 0.25\n", "time.dt = 4\n"), "method = 'rkl1'\nparameters.D = 2"), stage.context);
    step(other, 5);
    EXPECT_EQ(player.simulation().clock().stages, other.simulation().clock().stages);
    EXPECT_EQ(values(player, "u"), values(other, "u"));
}

TEST(Player, AStepThatWasGivenStaysAndIsWarnedOf) {
    Stage stage;
    Player player(stage.project(), stage.context);
    player.set_parameter("D", 5);
    EXPECT_EQ(player.simulation().dt(), 0.25);
    EXPECT_NE(player.dt_warning().find("is stable"), std::string::npos);
}

// v' = -40 v with a step of 0.25 multiplies v by -9 in each step, though diffusion alone allows that step.
TEST(Player, AStepThatTheStateDoesNotAllowIsWarnedOfAtOnce) {
    Stage stage;
    Player player(stage.project(kSpread, "parameters.r = 40"), stage.context);
    player.take_notices();
    player.advance(1, 1);
    const std::vector<std::string> notices = player.take_notices();
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_NE(notices[0].find("is too long for the state of the fields at step 0"), std::string::npos) << notices[0];
}

TEST(Player, DiffusionWithANegativeCoefficientIsWarnedOf) {
    Stage stage;
    for (const char* flags : {"", "method = 'imex'"}) {
        Player player(stage.project(kSpread, flags), stage.context);
        EXPECT_EQ(player.dt_warning(), "");
        player.set_parameter("D", -0.1);
        EXPECT_NE(player.dt_warning().find("runs backwards"), std::string::npos) << flags << player.dt_warning();
        EXPECT_EQ(player.clock().stable_dt, 0);
    }
}

TEST(Player, OtherEquationsGoOnWithTheFields) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 4);
    const std::vector<double> u = values(player, "u"), v = values(player, "v");
    EXPECT_FALSE(player.become(player.project().with_text(replaced(kSpread, "'-r*v'", "'-2*r*v'")), false));
    EXPECT_EQ(player.simulation().now().step, 4);
    EXPECT_EQ(values(player, "u"), u);
    EXPECT_EQ(values(player, "v"), v);
    step(player, 1);
    EXPECT_NEAR(values(player, "v")[5], v[5] * 0.75, 1e-12);
}

TEST(Player, AFieldThatIsNewBeginsWithItsStart) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 4);
    const std::vector<double> v = values(player, "v");
    player.become(player.project().with_text("equations.w = 'v'\ninitial.w = 3\n" + kSpread), false);
    EXPECT_EQ(values(player, "v"), v);
    for (const double w : values(player, "w")) EXPECT_EQ(w, 3);
}

TEST(Player, AWrongTextChangesNothing) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 4);
    const std::vector<double> v = values(player, "v");
    try {
        player.become(player.project().with_text(replaced(kSpread, "'-r*v'", "'-q*v'")), false);
        FAIL() << "taken";
    } catch (const core::ModelError& error) {
        EXPECT_EQ(error.span()->file, player.project().file_name());
        EXPECT_EQ(error.span()->line, 2);
        EXPECT_EQ(error.span()->column, 17);
    }
    EXPECT_THROW(player.become(player.project().with_text("equations.u = "), false), core::InputError);
    EXPECT_EQ(values(player, "v"), v);
    EXPECT_EQ(player.simulation().now().step, 4);
    EXPECT_EQ(player.project().text(), kSpread);
}

TEST(Player, AnotherSizeBeginsAnew) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 4);
    EXPECT_TRUE(player.become(player.project().with_settings({{{"size", "6x4"}}}), false));
    EXPECT_EQ(player.simulation().now().step, 0);
    EXPECT_EQ(values(player, "v").size(), 24u);
    EXPECT_EQ(values(player, "v"), fields_of(kSpread, 0, "v", "size = '6x4'"));
}

TEST(Player, APlaneOfAsManyCellsAsAVolumeBeginsAnew) {
    Stage stage;
    Player player(stage.project(kSpread, "size = '4x3x5'"), stage.context);
    step(player, 4);
    EXPECT_TRUE(player.become(player.project().with_settings({{{"size", "4x15"}}}), false));
    EXPECT_EQ(player.simulation().now().step, 0);
    EXPECT_EQ(player.generation(), 1u);
    EXPECT_FALSE(player.become(player.project().with_settings({{{"size", "4x15"}}}), false));
}

TEST(Player, PrecisionAndMethodChangeWhileItGoesOn) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 4);
    const std::vector<double> v = values(player, "v");
    EXPECT_FALSE(player.become(player.project().with_settings({{{"precision", "f32"}, {"method", "heun"}}}), false));
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(values(player, "v")[i], static_cast<double>(static_cast<float>(v[i])));
    EXPECT_EQ(player.simulation().now().step, 4);
}

TEST(Player, AParameterThatWasSetGivesWayToATextThatChangesIt) {
    Stage stage;
    Player player(stage.project(), stage.context);
    player.set_parameter("r", 2);
    player.become(player.project().with_text(kSpread + "# a remark\n"), false);
    EXPECT_EQ(player.spec().model.parameters[1].value, 2);
    player.become(player.project().with_text(replaced(kSpread, "r = 0.5", "r = 0.75")), false);
    EXPECT_EQ(player.spec().model.parameters[1].value, 0.75);
}

TEST(Player, TheBrushPaintsWhatItCovers) {
    Stage stage;
    Player player(stage.project(), stage.context);
    const std::vector<double> before = values(player, "u");
    player.paint(dot(1, 6.5, 3.5, 2, 9), whole_view(player.spec().domain, 0));
    const std::vector<double> after = values(player, "u");
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 12; ++x) {
            const auto cell = static_cast<std::size_t>(y * 12 + x);
            const bool inside = (x - 6) * (x - 6) + (y - 3) * (y - 3) <= 4;
            EXPECT_EQ(after[cell], inside ? 9 : before[cell]) << x << " " << y;
        }
    }
    EXPECT_THROW(player.paint(dot(2, 1, 1, 2, 9, "w"), {}), core::InputError);
}

TEST(Player, TheBrushGoesRoundWhereTheGridWraps) {
    for (const bool wraps : {true, false}) {
        Stage stage;
        Player player(stage.project(kSpread, wraps ? "" : "boundary = 'no-flux'"), stage.context);
        player.paint(dot(1, 0.5, 0.5, 1.2, 9), whole_view(player.spec().domain, 0));
        const std::vector<double> after = values(player, "u");
        EXPECT_EQ(after[0], 9);
        EXPECT_EQ(after[11] == 9, wraps);
        EXPECT_EQ(after[7 * 12] == 9, wraps);
    }
}

TEST(Player, AStrokeInPartsIsTheStrokeInOne) {
    const std::vector<Place> line{{2, 2, 0}, {9, 3, 0}, {5, 6, 0}};
    for (const bool adds : {false, true}) {
        std::vector<std::vector<double>> results;
        for (const bool parts : {false, true}) {
            Stage stage;
            Player player(stage.project(), stage.context);
            Stroke stroke{.number = 4, .field = "u", .value = 2, .adds = adds, .radius = 2.5, .soft = 0.7, .points = line};
            if (!parts) {
                player.paint(stroke, {});
            } else {
                for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                    stroke.points = {line[i], line[i + 1]};
                    player.paint(stroke, {});
                }
            }
            results.push_back(values(player, "u"));
        }
        for (std::size_t i = 0; i < results[0].size(); ++i) EXPECT_NEAR(results[0][i], results[1][i], 1e-6) << adds << " " << i;
        EXPECT_NE(results[0], fields_of(kSpread, 0, "u"));
    }
}

TEST(Player, AWideStrokeIsNearestOnceAcrossTheSeam) {
    Stage stage;
    Player player(stage.project(), stage.context);  // 12 x 8 cells that wrap
    const Stroke wide{.number = 1, .field = "v", .value = 9, .adds = false, .radius = 100, .soft = 1, .points = {{1.5, 0.5, 0}}};
    const std::vector<double> before = values(player, "v");
    player.paint(wide, {});
    const std::vector<double> after = values(player, "v");
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 12; ++x) {
            const double dx = std::min(std::abs(x - 1), 12 - std::abs(x - 1)), dy = std::min(y, 8 - y), s = 1 - std::hypot(dx, dy) / 100;
            const std::size_t cell = static_cast<std::size_t>(12 * y + x);
            EXPECT_NEAR(after[cell], before[cell] + s * s * (3 - 2 * s) * (9 - before[cell]), 1e-5) << x << ' ' << y;
        }
    }
}

TEST(Player, AStrokeThatCannotBePaintedLeavesNoTrace) {
    Stage stage;
    Player player(stage.project(kSpread, "precision = 'f32'"), stage.context);
    Stroke stroke{.number = 1, .field = "v", .value = 2, .radius = 2, .points = {{3, 3, 0}}};
    player.paint(stroke, {});
    ASSERT_TRUE(player.undo());
    stroke.number = 2;
    stroke.value = 1e300;
    EXPECT_THROW(player.paint(stroke, {}), core::InputError);
    EXPECT_EQ(player.undo_count(), 0u);
    EXPECT_EQ(player.redo_count(), 1u);
}

TEST(Player, ASoftStrokeFades) {
    Stage stage;
    Player player(stage.project(replaced(kSpread, "initial.u = 'X'", "initial.u = 0")), stage.context);
    Stroke stroke = dot(1, 6.5, 3.5, 4, 1);
    stroke.soft = 1;
    player.paint(stroke, {});
    const std::vector<double> u = values(player, "u");
    const auto expected = [](double distance) {
        const double s = 1 - distance / 4;
        return s * s * (3 - 2 * s);
    };
    EXPECT_EQ(u[3 * 12 + 6], 1);
    for (int i = 1; i < 4; ++i) EXPECT_NEAR(u[static_cast<std::size_t>(3 * 12 + 6 + i)], expected(i), 1e-6);
    EXPECT_NEAR(u[4 * 12 + 7], expected(std::sqrt(2.0)), 1e-6);
}

TEST(Player, ASurfaceIsPaintedByDistanceInSpace) {
    Stage stage;
    Player player(
        stage.project("equations.u = 'lap(u)'\ninitial.u = 0\nmesh.shape = 'sphere:2'\ntime.dt = 0.0001\nrun.device = 'reference'\n"),
        stage.context);
    Stroke stroke = dot(1, 1, 0, 0.6, 5);
    player.paint(stroke, {});
    const auto& points = std::get<domain::Mesh>(player.spec().domain).surface->position;
    const std::vector<double> u = values(player, "u");
    int painted = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        const bool inside = std::hypot(points[i][0] - 1, points[i][1], points[i][2]) < 0.6;
        EXPECT_EQ(u[i], inside ? 5 : 0);
        painted += inside;
    }
    EXPECT_GT(painted, 3);
}

TEST(Player, UndoIsTheRunWithoutTheStroke) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 3);
    player.paint(dot(1, 6.5, 3.5, 2, 9), {});
    player.paint(dot(1, 2.5, 3.5, 2, 9), {});  // of the same stroke
    step(player, 4);
    player.paint(dot(2, 1, 1, 1, -3, "v"), {});
    const std::vector<double> painted = values(player, "v");
    EXPECT_EQ(player.undo_count(), 2u);
    EXPECT_TRUE(player.undo());
    EXPECT_EQ(player.simulation().now().step, 7);
    EXPECT_TRUE(player.redo());
    EXPECT_EQ(values(player, "v"), painted);
    EXPECT_TRUE(player.undo());
    EXPECT_TRUE(player.undo());
    EXPECT_FALSE(player.undo());
    EXPECT_EQ(player.simulation().now().step, 3);
    EXPECT_EQ(values(player, "u"), fields_of(kSpread, 3, "u"));
    step(player, 7);
    EXPECT_EQ(values(player, "u"), fields_of(kSpread, 10, "u"));
}

TEST(Player, UndoWithoutStepsSinceIsTheStateBeforeTheStroke) {
    for (const char* precision : {"f32", "f64"}) {
        Stage stage;
        Player player(stage.project(kSpread, "precision = '" + std::string(precision) + "'"), stage.context);
        step(player, 3);
        const std::vector<double> u = values(player, "u"), v = values(player, "v");
        for (std::uint32_t stroke = 1; stroke < 4; ++stroke) {  // again and again, in the memory of those before
            player.paint(dot(stroke, 6.5, 3.5, 3, 9), {});
            player.paint(dot(stroke, 7.5, 3.5, 3, 9), {});  // over the same rows
            player.paint(dot(stroke, 2.5, 6.5, 2, 7), {});
            player.paint(dot(stroke, 2.5, 3.5, 2, 0.3, "v"), {});
            const std::vector<double> painted_u = values(player, "u"), painted_v = values(player, "v");
            EXPECT_NE(painted_u, u);
            EXPECT_EQ(player.undo_count(), 1u);
            ASSERT_TRUE(player.undo());
            EXPECT_EQ(values(player, "u"), u);
            EXPECT_EQ(values(player, "v"), v);
            ASSERT_TRUE(player.redo());
            EXPECT_EQ(values(player, "u"), painted_u);
            EXPECT_EQ(values(player, "v"), painted_v);
            ASSERT_TRUE(player.undo());
        }
        player.paint(dot(4, 6.5, 3.5, 3, 9), {});
        player.paint(dot(5, 2.5, 3.5, 3, 9), {});  // another one, with no step between
        EXPECT_EQ(player.undo_count(), 2u);
        EXPECT_EQ(player.redo_count(), 0u);
        ASSERT_TRUE(player.undo());
        EXPECT_EQ(values(player, "u")[12 * 3 + 6], 9);
        ASSERT_TRUE(player.undo());
        EXPECT_EQ(values(player, "u"), u);
    }
}

TEST(Player, UndoOnASurfaceIsTheStateBeforeTheStroke) {
    Stage stage;
    Player player(
        stage.project("equations.u = 'lap(u)'\ninitial.u = 'X'\nmesh.shape = 'sphere:2'\ntime.dt = 0.0001\nrun.device = 'reference'\n"),
        stage.context);
    const std::vector<double> before = values(player, "u");
    player.paint(dot(1, 1, 0, 0.6, 5), {});
    player.paint(dot(1, 0, 1, 0.6, 5), {});
    EXPECT_NE(values(player, "u"), before);
    ASSERT_TRUE(player.undo());
    EXPECT_EQ(values(player, "u"), before);
}

TEST(Player, AModelAndItsStateGoOnToTheSameBits) {
    Stage stage;
    Player player(stage.project(), stage.context);
    step(player, 5);
    player.set_parameter("D", 0.15);
    player.paint(dot(1, 6.5, 3.5, 2, 3), {});
    step(player, 5);
    const std::vector<std::filesystem::path> files = save_files(player, {.what = "model+state", .look = {}}, stage.files, stage.context);
    ASSERT_EQ(files.size(), 2u);
    step(player, 10);

    run::Spec spec =
        run::read_spec(core::read_document(files[0]), "again", "", core::parse_document("resume = '" + files[1].string() + "'", "flags"));
    run::Simulation again(std::move(spec), stage.context);
    EXPECT_EQ(again.now().step, 10);
    EXPECT_GT(again.steps(), 10);
    again.advance_to(20);
    EXPECT_EQ(again.field().values(0), values(player, "u"));
    EXPECT_EQ(again.field().values(1), values(player, "v"));
}

TEST(Player, PicturesAndDataAreSaved) {
    Stage stage;
    Player player(stage.project(), stage.context);
    for (const std::string what : {"png", "npy"}) {
        const auto files =
            save_files(player, {.what = what, .look = {.field = "u", .palette = "magma", .range = {}}}, stage.files, stage.context);
        ASSERT_EQ(files.size(), 1u);
        EXPECT_EQ(files[0].filename(), "test." + what);
        const std::string url = stage.files.offer(files[0]);
        EXPECT_EQ(stage.files.find(url), files[0]);
        EXPECT_GT(core::read_file(files[0])->size(), 50u);
    }
    EXPECT_THROW(save_files(player, {.what = "glb", .look = {}}, stage.files, stage.context), core::InputError);
    EXPECT_THROW(save_files(player, {.what = "png", .look = {.field = "", .palette = "blue", .range = {}}}, stage.files, stage.context),
                 core::InputError);
    EXPECT_FALSE(stage.files.find("/file/1/../../etc/passwd"));
    EXPECT_FALSE(stage.files.find("/file/99/test.png"));
}

TEST(Player, ANameThatIsNoneForFilesIsSavedUnderAnother) {
    Stage stage;
    Options options = Stage::options(kSpread);
    options.name = "my \"50%d\"";
    Player player(Project(options, stage.files.folder()), stage.context);
    for (const std::string what : {"png", "npy", "state", "model"}) {
        const auto files = save_files(player, {.what = what, .look = {}}, stage.files, stage.context);
        ASSERT_EQ(files.size(), 1u);
        EXPECT_EQ(files[0].stem(), "my -50-d-");
        EXPECT_TRUE(std::filesystem::exists(files[0])) << files[0];
    }
}

TEST(Player, ARunThatDivergesCanGoBack) {
    Stage stage;
    Player player(stage.project(replaced(kSpread, "'-r*v'", "'r*v^2'")), stage.context);  // v blows up near t = 1/(r v)
    for (int i = 0; i < 100000 && !player.divergence(); ++i) player.advance(1, 1000);
    ASSERT_TRUE(player.divergence());
    EXPECT_NE(player.divergence()->why.find("'v' stopped being finite"), std::string::npos);
    const double dt = player.simulation().dt();
    player.go_back();
    EXPECT_FALSE(player.divergence());
    EXPECT_EQ(player.simulation().dt(), dt / 2);
    for (const double v : values(player, "v")) EXPECT_TRUE(std::isfinite(v));
}

TEST(Player, FilesThatNobodyNamedAreNotOpened) {
    Stage stage;
    Player player(stage.project(), stage.context);
    const auto refusal = [&](const std::string& text) -> std::string {
        try {
            player.become(player.project().with_text(text), false);
        } catch (const core::Error& error) {
            return error.message();
        }
        return "taken";
    };
    EXPECT_NE(refusal(replaced(kSpread, "initial.u = 'X'", "initial.u = \"image('/etc/secret.png')\"")).find("cannot open files"),
              std::string::npos);
    EXPECT_NE(refusal(kSpread + "mesh.file = '/etc/hosts'\n").find("cannot open files"), std::string::npos);
    EXPECT_NE(refusal("model = '/etc/model.toml'\n").find("cannot open files"), std::string::npos);
    // Opened while a model is read: of a region of a surface, through a definition, in a preset.
    const std::string sphere = "equations.u = 'lap(u)'\ninitial.u = 1\nmesh.shape = 'sphere:1'\nrun.device = 'reference'\n";
    EXPECT_NE(refusal(sphere + "mesh.region = 'image(\"/etc/secret.png\") - 0.5'\n").find("was not named"), std::string::npos);
    EXPECT_NE(refusal(sphere + "mesh.region = 'q'\ndefine.q = 'x + image( \"/etc/secret.png\" )'\n").find("was not named"),
              std::string::npos);
    EXPECT_NE(refusal(sphere + "[presets.a]\nmesh.region = 'image(\"/etc/secret.png\")'\n").find("was not named"), std::string::npos);
    EXPECT_EQ(refusal("about = 'the image(\"/x.png\") of it'\n" + kSpread), "taken");
    player.become(player.project().with_text(kSpread), false);
    EXPECT_NE(refusal("model = '../model.toml'\n").find("cannot open files"), std::string::npos);
    EXPECT_EQ(refusal(kSpread + "[[output]]\nfile = '/no/such/folder/a.png'\n"), "taken") << "tells nothing of the folders here";
    player.become(player.project().with_text(kSpread), false);
    EXPECT_THROW(player.project().with_settings({{{"resume", "/etc/state"}}}), core::InputError);
    EXPECT_THROW(player.project().with_settings({{{"checkpoint", "/tmp/x"}}}), core::InputError);
    EXPECT_THROW(player.become(player.project().with_settings({{{"mesh", "/etc/hosts"}}}), false), core::InputError);
    EXPECT_THROW(player.project().with_model({"/etc/model.toml", "", ""}), core::InputError);
    EXPECT_EQ(player.project().text(), kSpread);
}

TEST(Player, ASurfaceThatStaysIsNotPreparedAgain) {
    const std::string text =
        "equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'x'\nmesh.shape = 'sphere:2'\ntime.dt = 0.0001\nrun.device = "
        "'reference'\n";
    Stage stage;
    Player player(stage.project(text), stage.context);
    const auto surface = [&] { return std::get<domain::Mesh>(player.spec().domain).surface; };
    const auto first = surface();
    step(player, 2);
    player.become(player.project().with_text(replaced(text, "'D*lap(u)'", "'D*lap(u) - u'")), false);
    EXPECT_EQ(surface(), first);
    EXPECT_EQ(player.simulation().now().step, 2);
    // and it is the run that it would be from the start
    player.restart();
    step(player, 3);
    EXPECT_EQ(values(player, "u"), fields_of(replaced(text, "'D*lap(u)'", "'D*lap(u) - u'"), 3, "u"));
    player.become(player.project().with_text(text + "mesh.scale = 3\n"), false);
    EXPECT_EQ(std::get<domain::Mesh>(player.spec().domain).scale, 3);
    player.become(player.project().with_text(replaced(text, "sphere:2", "sphere:3")), false);
    EXPECT_NE(surface(), first);
    EXPECT_EQ(values(player, "u").size(), 642u);
}

/// A pattern that grows slowly beside a field that spreads fast: what holds Euler's method back on a surface.
TEST(Player, TheMethodOfASurfaceIsThatOfItsRun) {
    const std::string text =
        "equations.u = '200*lap(u) + 0.1*u*(1 - u)'\ninitial.u = '0.5 + 0.1*x'\nmesh.shape = 'sphere:3'\ntime.end = 40\nrun.device = "
        "'reference'\n";
    Stage stage;
    Player player(stage.project(text), stage.context);
    const std::string chosen = player.spec().method.name;
    EXPECT_NE(chosen, "euler");
    EXPECT_EQ(chosen,
              run::Simulation(run::read_spec(core::parse_document(text, "test.toml"), "test", "", {}), stage.context).spec().method.name);
    const double dt = player.simulation().dt();
    // A dt that is typed is meant for the method that the page shows.
    player.become(player.project().with_settings(ChangeSettings{{{"dt", core::number_text(dt / 2)}}}), false);
    EXPECT_EQ(player.spec().method.name, chosen);
    EXPECT_EQ(player.simulation().dt(), dt / 2);
    EXPECT_EQ(player.dt_warning(), "");
    player.become(player.project().with_settings(ChangeSettings{{{"dt", std::nullopt}}}), false);
    EXPECT_EQ(player.spec().method.name, chosen);
    EXPECT_EQ(player.simulation().dt(), dt);
    // Equations without what was stiff, or with noise, get the method that they need; a method that is given stays.
    player.become(player.project().with_text(replaced(text, "200*lap", "0.001*lap")), false);
    EXPECT_EQ(player.spec().method.name, "euler");
    player.become(player.project().with_text(text), false);
    EXPECT_EQ(player.spec().method.name, chosen);
    player.become(player.project().with_text(replaced(replaced(text, "*(1 - u)", "*(1 - u) + 0.01*white()"), "200*", "2*")), false);
    EXPECT_EQ(player.spec().method.name, "euler");
    player.become(player.project().with_text(text + "method.name = 'midpoint'\n"), false);
    EXPECT_EQ(player.spec().method.name, "midpoint");
}

TEST(Player, ALibraryModelOpens) {
    Stage stage;
    Player player(stage.project(kSpread, "device = 'reference'\nsize = '12x8'"), stage.context);
    Project project = player.project().with_model({"heat", "", ""});
    EXPECT_TRUE(player.become(project.with_settings({{{"size", "16x16"}}}), true));
    EXPECT_EQ(player.project().name(), "heat");
    EXPECT_NE(player.project().text().find("[equations]"), std::string::npos);
}

}  // namespace
}  // namespace mottle::live::player_test
