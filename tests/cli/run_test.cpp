// tests/cli/run_test.cpp: mottle run as typed: files, summary, JSON, exit codes
#include "cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <cmath>
#include <regex>
#include <vector>

namespace run_test {

using cli::Folder;
using cli::Result;

constexpr const char* kModel = R"toml(
[equations]
u = "D*lap(u) + r*u*(1 - u)"
[parameters]
D = { value = 0.2, min = 0, max = 4 }
r = 0.5
[fields]
u = { range = [0, 1] }
[initial]
u = "disk(0.5, 0.5, 8)"
[grid]
size = "48x32"
)toml";

/// The value of a key in one line of JSON, as text.
std::string json_value(const std::string& json, const std::string& key) {
    std::smatch match;
    const std::regex pattern("\"" + key + R"re(": ("[^"]*"|\[[^\]]*\]|\{[^}]*\}|[^,}]*))re");
    return std::regex_search(json, match, pattern) ? match[1].str() : "missing";
}

bool is_mp4(const std::string& bytes) { return bytes.size() > 100 && bytes.substr(4, 4) == "ftyp"; }
bool is_png(const std::string& bytes) { return bytes.size() > 50 && bytes.substr(1, 3) == "PNG"; }

TEST(Run, WritesWhatItIsAskedForAndSaysWhere) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --steps 60 -o a.png -o a.npy -o f-%03d.png --frames 3");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(is_png(folder.read("a.png")));
    EXPECT_EQ(folder.read("a.npy").substr(1, 5), "NUMPY");
    for (const char* name : {"f-001.png", "f-002.png", "f-003.png"}) EXPECT_TRUE(is_png(folder.read(name))) << name;
    EXPECT_FALSE(folder.has("f-000.png") || folder.has("f-004.png"));
    EXPECT_NE(result.out.find((std::filesystem::canonical(folder.path()) / "a.png").string()), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("48x32 grid, 60 steps"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("dt "), std::string::npos) << "the chosen dt is told: " << result.err;
}

// Fields one after another, rows from the top, cells from the left; centres of cells are half a cell from the sides.
TEST(Run, NumPyFilesHoldTheFieldsRowByRow) {
    const Folder folder;
    folder.write("m.toml",
                 "equations = { u = '0*u', v = '0*v' }\ninitial = { u = 'x + 100*y', v = '-x*y' }\ngrid.size = '7x5'\ntime.dt = 1\n");
    ASSERT_EQ(folder.run("mottle run m.toml --steps 2 -o all.npy").code, 0);
    const std::string bytes = folder.read("all.npy");
    std::vector<float> cells(2 * 7 * 5);
    ASSERT_GT(bytes.size(), cells.size() * sizeof(float));
    EXPECT_NE(bytes.find("'<f4', 'fortran_order': False, 'shape': (2, 5, 7)"), std::string::npos);
    std::memcpy(cells.data(), bytes.data() + bytes.size() - cells.size() * sizeof(float), cells.size() * sizeof(float));
    const float* cell = cells.data();
    for (const int field : {0, 1}) {
        for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < 7; ++x, ++cell) {
                const double at_x = x + 0.5, at_y = y + 0.5;
                EXPECT_EQ(*cell, static_cast<float>(field == 0 ? at_x + 100 * at_y : -at_x * at_y)) << field << " " << x << " " << y;
            }
        }
    }
}

TEST(Run, StepsOfManyStagesAreCountedAsSteps) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --method rkl2 --stages 9 --dt 2 --steps 30 -o f-%03d.npy --every 10");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("30 steps of 2 by rkl2, 9 stages, to t = 60"), std::string::npos) << result.out;
    EXPECT_TRUE(folder.has("f-003.npy") && !folder.has("f-004.npy"));
    const Result json = folder.run("mottle run m.toml --method rkl1 --dt 5 --time 20 --json");
    EXPECT_EQ(json_value(json.out, "steps"), "4");
    EXPECT_EQ(json_value(json.out, "stages"), "3") << "0.9 (s^2 + s)/(1.6 + 0.5) >= 5";
    const Result chosen = folder.run("mottle run m.toml --method rkl1 --time 20");
    EXPECT_NE(chosen.err.find("times that of Euler's method"), std::string::npos) << chosen.err;
    EXPECT_EQ(folder.run("mottle run m.toml --stages 3").code, 3);
    EXPECT_EQ(folder.run("mottle run m.toml --method rkl2 --stages x").code, 3);
}

TEST(Run, MakesVideos) {
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "built without FFmpeg";
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --steps 60 --frames 10 -o a.mp4 -o a.gif --palette magma");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(is_mp4(folder.read("a.mp4")));
    EXPECT_EQ(folder.read("a.gif").substr(0, 3), "GIF");
}

// Where there is a card with NVENC, the run goes through.
TEST(Run, AnEncoderThatIsAskedForMustBeThere) {
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "built without FFmpeg";
    const Folder folder;
    folder.write("m.toml", std::string(kModel) + "\n[[output]]\nfile = 'a.mp4'\nencoder = 'nvenc'\n");
    const Result card = folder.run("mottle run m.toml --size 128x128 --steps 60 --frames 10");
    if (card.code != 0) {
        EXPECT_EQ(card.code, 4);
        EXPECT_NE(card.err.find("no GPU can encode "), std::string::npos) << card.err;
        EXPECT_FALSE(folder.has("a.mp4"));
    }
    const Result other = folder.run("mottle run m.toml --size 128x128 --steps 60 --frames 10 --encoder x264");
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_TRUE(is_mp4(folder.read("a.mp4")));
    const Result plain = folder.run("mottle run m.toml --size 128x128 --steps 60 --frames 10 --encoder auto --device cpu -o b.mp4");
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_EQ(folder.read("b.mp4"), folder.read("a.mp4")) << "on the CPU nobody asks a card";
}

TEST(Run, WithoutOutputsWritesNothingAndSaysSo) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --steps 10; ls");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(result.out.ends_with("Nothing was drawn or written; -o name.mp4 makes a video.\nm.toml\n")) << result.out;
}

TEST(Run, QuietSaysNothing) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --steps 10 --quiet");
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out + result.err, "");
}

TEST(Run, JsonIsOneObjectWithTheKeysPromised) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result =
        folder.run("mottle run m.toml --steps 50 --dt 0.25 --json --seed 18446744073709551615 --threads 1 --precision f64 -o a.npy");
    ASSERT_EQ(result.code, 0) << result.err;
    ASSERT_TRUE(result.out.starts_with("{") && result.out.ends_with("}\n")) << result.out;
    std::string keys;
    for (const char* key : {"model",  "cells",   "steps",   "time",     "seconds",   "cell_updates_per_second",
                            "fields", "verdict", "device",  "schedule", "precision", "threads",
                            "seed",   "outputs", "version", "read",     "compile",   "simulate",
                            "draw",   "encode",  "total",   "min",      "max",       "mean",
                            "std"}) {
        EXPECT_NE(json_value(result.out, key), "missing") << key;
    }
    EXPECT_EQ(json_value(result.out, "model"), "\"m\"");
    EXPECT_EQ(json_value(result.out, "cells"), "1536");
    EXPECT_EQ(json_value(result.out, "steps"), "50");
    EXPECT_EQ(json_value(result.out, "time"), "12.5");
    EXPECT_EQ(json_value(result.out, "verdict"), "\"reached\"");
    EXPECT_EQ(json_value(result.out, "precision"), "\"f64\"");
    EXPECT_EQ(json_value(result.out, "threads"), "1");
    EXPECT_EQ(json_value(result.out, "seed"), "18446744073709551615");
    EXPECT_NE(json_value(result.out, "outputs").find("a.npy\""), std::string::npos);
    const std::string mean = json_value(result.out, "mean");
    EXPECT_GE(mean.size(), 17u) << "17 significant digits: " << mean;
}

TEST(Run, TheNumbersDoNotDependOnThreadsOutputsOrSchedule) {
    const Folder folder;
    folder.write("m.toml", kModel);
    ASSERT_EQ(folder
                  .run("mottle run m.toml --steps 500 --quiet -o a.npy && "
                       "mottle run m.toml --steps 500 --quiet -o b.npy -o f-%02d.png --frames 7 --threads 2 && "
                       "mottle run m.toml --steps 500 --quiet -o c.npy --schedule 'steps=3 rows=1' --threads 1 && "
                       "mottle run m.toml --steps 500 --quiet -o d.npy --device reference")
                  .code,
              0);
    EXPECT_EQ(folder.run("cmp a.npy b.npy && cmp a.npy c.npy && cmp a.npy d.npy").code, 0);
}

TEST(Run, SeedChangesTheStart) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 32x32 --steps 1 --frames 1 --quiet ";
    ASSERT_EQ(folder.run(run + "-o a.npy && " + run + "-o b.npy --seed 0 && " + run + "-o c.npy --seed 5").code, 0);
    EXPECT_EQ(folder.run("cmp a.npy b.npy").code, 0);
    EXPECT_NE(folder.run("cmp -s a.npy c.npy").code, 0);
}

TEST(Run, TheStartDoesNotDependOnHowAFileIsCalled) {
    const Folder folder;
    folder.write("a.toml", "model = \"gray-scott\"\n[initial]\nu = \"1 - noise(0, 0.5)\"\n");
    const std::string run = " --size 32x32 --steps 0 --quiet -o ";
    EXPECT_EQ(folder
                  .run("cp a.toml z.toml; mottle run a.toml" + run + "a.npy && mottle run ./a.toml" + run +
                       "b.npy && mottle run \"$PWD/a.toml\"" + run + "c.npy && mottle run z.toml" + run +
                       "d.npy && cmp a.npy b.npy && cmp a.npy c.npy && cmp a.npy d.npy")
                  .code,
              0);
}

TEST(Run, FileNamesAreFoundBesideTheModelAndWrittenHere) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run(R"(mkdir in out && mv m.toml in/
cat > in/run.toml <<'TOML'
model = "m.toml"
[parameters]
r = 0.25
[grid]
size = "16x16"
[time]
steps = 30
[[output]]
file = "made.png"
TOML
cd out && mottle run ../in/run.toml --json)");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(folder.has("out/made.png"));
    EXPECT_EQ(json_value(result.out, "cells"), "256");
    EXPECT_EQ(json_value(result.out, "model"), "\"run\"");
}

TEST(Run, ZeroStepsDrawTheStart) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --steps 0 -o a.png --json");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(is_png(folder.read("a.png")));
    EXPECT_EQ(json_value(result.out, "steps"), "0");
}

TEST(Run, UntilSteadyStopsWithAVerdict) {
    const Folder folder;
    folder.write("m.toml", R"toml(
[equations]
u = "lap(u) + u - u^3"
[fields]
u = { range = [-1, 1] }
[initial]
u = "noise(-0.01, 0.01) + 0.5"
[grid]
size = "32x32"
[time]
steps = 100000
)toml");
    Result result = folder.run("mottle run m.toml --until steady=1e-3 --json");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(json_value(result.out, "verdict"), "\"uniform\"") << result.out;
    EXPECT_NE(json_value(result.out, "steps"), "100000");
    result = folder.run("mottle run m.toml --until steady=1e-3 --steps 2000");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("limit reached"), std::string::npos) << result.out;
}

TEST(Run, AFlagGivenTwiceIsRefused) {
    const Folder folder;
    folder.write("m.toml", kModel);
    for (const auto& [flags, flag] : {std::pair{"--steps 1 --steps 2", "--steps"}, std::pair{"--set D=1 --set D=2", "--set D"},
                                      std::pair{"--boundary still --boundary no-flux", "--boundary"}}) {
        const Result result = folder.run(std::string("mottle run m.toml ") + flags);
        EXPECT_EQ(result.code, 3);
        EXPECT_NE(result.err.find(std::string(flag) + " is given twice; give it once"), std::string::npos) << result.err;
    }
}

TEST(Run, DivergenceIsFiveAndKeepsTheVideo) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const std::string output = MOTTLE_HAVE_FFMPEG ? "a.mp4" : "f-%04d.png";
    const Result result = folder.run("mottle run m.toml --dt 1.6 --steps 5000 --frames 500 --json -o " + output);
    EXPECT_EQ(result.code, 5) << result.out << result.err;
    EXPECT_EQ(json_value(result.out, "kind"), "\"diverged\"");
    EXPECT_NE(result.err.find("--dt "), std::string::npos) << "names a stable dt: " << result.err;
    EXPECT_NE(result.err.find("warning:"), std::string::npos) << "warned of the dt before: " << result.err;
    EXPECT_TRUE(MOTTLE_HAVE_FFMPEG ? is_mp4(folder.read("a.mp4")) : folder.has("f-0001.png"));
}

TEST(Run, DivergenceNamesTheNumberThatIsInfinite) {
    const Folder folder;
    const auto error = [&](const std::string& equation, const std::string& flags) {
        folder.write("m.toml", "equations.u = \"" + equation + "\"\ninitial.u = \"X\"\ntime.dt = 0.125\nparameters = { D = 1, k = 0 }\n");
        return folder.run("mottle run m.toml --size 32x32 --steps 30 " + flags).err;
    };
    EXPECT_NE(error("D/k*lap(u)", "").find("; in the equations D/k is inf"), std::string::npos);
    EXPECT_NE(error("lap(u)/(1 - t)", "").find("; in the equations 1/(1 - t) is inf"), std::string::npos) << "at one step alone";
    EXPECT_EQ(error("D*lap(u)", "--set D=10").find("in the equations"), std::string::npos);
    const std::string huge = error("D*lap(u) - k*u", "--set D=1e300");
    EXPECT_NE(huge.find("; in the equations dt*D is 1.25e+299, beyond the largest number of f32; --precision f64 has larger ones"),
              std::string::npos)
        << huge;
}

TEST(Run, InterruptClosesFiles) {
    const Folder folder;
    const std::string output = MOTTLE_HAVE_FFMPEG ? "a.mp4" : "f-%06d.png";
    const Result result = folder.run("set -m; mottle run gray-scott --size 256x256 --steps 100000000 --every 100 -o last.png -o " + output +
                                     " & sleep 1.5; kill -INT $!; wait $!");
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out;
    EXPECT_TRUE(MOTTLE_HAVE_FFMPEG ? is_mp4(folder.read("a.mp4")) : folder.has("f-000001.png"));
    EXPECT_TRUE(is_png(folder.read("last.png"))) << "a still shows where the run was stopped";
}

TEST(Run, ATerminalThatGoesAwayClosesFiles) {
    const Folder folder;
    const std::string run =
        "mottle run gray-scott --size 64x64 --steps 100000000 --every 1000 -o f-%06d.png -o last.png & sleep 0.7; kill -HUP $!; wait $!";
    EXPECT_EQ(folder.run("set -m; " + run).code, 130);
    EXPECT_TRUE(is_png(folder.read("last.png")));
    EXPECT_EQ(folder.run("ls *.tmp").out, "");
}

TEST(Run, JsonStaysUtf8WhateverAFileIsCalled) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --steps 1 --json -o $'gr\\xc3\\xbcn\\xff\\xe2\\x82.npy'");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("/gr\xc3\xbcn\\ufffd\\ufffd\\ufffd.npy\""), std::string::npos) << result.out;
}

TEST(Run, ARelativeCacheFolderIsNone) {
    const Folder folder;
    EXPECT_EQ(folder.run("XDG_CACHE_HOME=here HOME=$PWD/home mottle run heat --size 64 --steps 10; ls").code, 0);
    EXPECT_FALSE(folder.has("here")) << "the standard has them ignored";
}

TEST(Run, ATerminalGetsABarAndNothingElseDoes) {
    const Folder folder;
    folder.write("m.toml", kModel);
    // Long on any machine, and ended after enough of it.
    const std::string run = "timeout --foreground -s INT 2 mottle run m.toml --size 256x256 --steps 9000000 -o a.npy --device reference";
    const Result terminal = folder.run("script -qefc '" + run + "' /dev/null");
    if (terminal.code == 127) GTEST_SKIP() << "no program `script`";
    EXPECT_EQ(terminal.code, 124) << terminal.out;
    EXPECT_NE(terminal.out.find(" of 9,000,000 steps"), std::string::npos) << terminal.out;
    EXPECT_NE(terminal.out.find("cells/s"), std::string::npos);
    EXPECT_NE(terminal.out.find(" left"), std::string::npos);
    EXPECT_EQ(terminal.out.find("\033[1"), std::string::npos) << "NO_COLOR is set";
    const Result piped = folder.run(run);
    EXPECT_EQ(piped.err.find("steps  "), std::string::npos) << piped.err;
    EXPECT_NE(folder.run("unset NO_COLOR; script -qefc 'mottle run nothing' /dev/null").out.find("\033[1;31merror:"), std::string::npos);
}

// Brightness grows from 0 to 1 from left to right, and stays.
const char* const kRamp = R"toml(
[equations]
u = "0*lap(u)"
[initial]
u = "X"
[time]
dt = 1
)toml";

TEST(Run, AWatchedRunDrawsInTheTerminal) {
    const Folder folder;
    folder.write("m.toml", kRamp);
    const std::string run = "mottle run m.toml --watch --size 40x20 --steps 7 --frames 1 --palette gray --range 0:1 --device reference";
    const auto in_terminal = [&](const std::string& settings, const std::string& shape) {
        return folder.run(settings + " script -qefc 'stty " + shape + "; " + run + "' /dev/null");
    };
    // 20 x 10 pixels of 2 x 2 cells, two above each other in a character
    const Result plain = in_terminal("TERM=xterm NO_COLOR=1", "rows 8 cols 60");
    if (plain.code == 127) GTEST_SKIP() << "no program `script`";
    ASSERT_EQ(plain.code, 0) << plain.out;
    const std::string line = "  ..::--==++**##%%@@\r\n";
    EXPECT_NE(plain.out.find(line + line + line + line + line + "ran "), std::string::npos) << plain.out;
    EXPECT_NE(plain.out.find("Nothing was written;"), std::string::npos) << plain.out;

    // the middle 9 of 40 columns, three cells to a pixel
    const Result narrow = in_terminal("TERM=xterm NO_COLOR=1", "rows 8 cols 3");
    EXPECT_NE(narrow.out.find("\n==+\r\n==+\r\n"), std::string::npos) << narrow.out;

    const std::string coloured = in_terminal("unset NO_COLOR; TERM=xterm COLORTERM=truecolor", "rows 8 cols 60").out;
    EXPECT_NE(coloured.find("\033[38;2;6;6;6m\033[48;2;6;6;6m\u2580\033[38;2;19;19;19m"), std::string::npos) << coloured;
    EXPECT_NE(coloured.find("\u2580\033[0m\r\n"), std::string::npos);
    const std::string few = in_terminal("unset NO_COLOR; unset COLORTERM; export TERM=xterm;", "rows 8 cols 60").out;
    EXPECT_NE(few.find("\033[38;5;16m\033[48;5;16m\u2580"), std::string::npos) << few;
    EXPECT_NE(few.find("\033[38;5;231m"), std::string::npos) << few;

    const Result piped = folder.run(run);
    EXPECT_EQ(piped.code, 3);
    EXPECT_NE(piped.err.find("--watch draws in a terminal"), std::string::npos) << piped.err;
    const Result dumb = in_terminal("TERM=dumb", "rows 8 cols 60");
    EXPECT_EQ(dumb.code, 3);
    EXPECT_EQ(dumb.out.find("\033["), std::string::npos) << dumb.out;
}

TEST(Run, AWatchedRunShowsItsEndAndTheLookOfItsFile) {
    const Folder folder;
    folder.write("m.toml", std::string(kRamp) + "[[output]]\nfile = 'a.png'\npalette = 'gray'\nrange = '0:2'\n");
    // the ramp reaches half of the range; a hundred frames are more than 25 a second show, and the last is one of them
    const auto in_terminal = [&](const std::string& steps, const std::string& before = "") {
        const std::string run = before + "mottle run m.toml --size 40x20 --device reference --watch --steps " + steps;
        return folder.run("TERM=xterm NO_COLOR=1 script -qefc 'stty rows 8 cols 40; " + run + "' /dev/null");
    };
    const Result whole = in_terminal("4000 --frames 4000");
    if (whole.code == 127) GTEST_SKIP() << "no program `script`";
    ASSERT_EQ(whole.code, 0) << whole.out;
    const std::string line = "    ....::::----====\r\n", picture = line + line + line + line + line;
    EXPECT_NE(whole.out.find(picture + "ran "), std::string::npos) << whole.out;
    const Result stopped = in_terminal("900000000 --frames 1", "timeout --foreground -s INT 1 ");
    EXPECT_NE(stopped.out.find(picture + "ran "), std::string::npos) << stopped.out;
    // the bar of a narrow terminal is one line, so that each picture stands where the one before stood
    int bars = 0;
    for (std::size_t at = stopped.out.find("\r["); at != std::string::npos; at = stopped.out.find("\r[", at + 1)) {
        EXPECT_LE(stopped.out.find("\033[K", at) - at - 1, 39U) << stopped.out.substr(at, 90);
        ++bars;
    }
    EXPECT_GT(bars, 0);
}

TEST(Run, TheFileThatWasMeantIsNamed) {
    const Folder folder;
    folder.write("ink.toml", kModel);
    folder.write("plain", kModel);
    EXPECT_NE(folder.run("mottle run ink").err.find("to read the file of that name write 'ink.toml'"), std::string::npos);
    EXPECT_NE(folder.run("mottle run plain").err.find("to read the file of that name write './plain'"), std::string::npos);
    EXPECT_NE(folder.run("mottle run .").err.find("'mottle models' lists all"), std::string::npos) << "a folder";
}

// A file of one's own has a dt, and no preset.
TEST(Run, AStepMadeForPlanesIsReplacedOnASurface) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'\n[time]\nsteps = 1\ndt = 0.2\n");
    const std::string note = folder.run("mottle run m.toml --mesh sphere:3 --device reference").err;
    EXPECT_NE(note.find(" instead of 0.2, the dt for planes, which this surface does not allow"), std::string::npos) << note;
}

// The mesh of a scan, or a drawing that a run begins with, is not easily made again.
TEST(Run, WithoutStepsTheOneFrameIsTheFirst) {
    const Folder folder;
    ASSERT_EQ(folder.run("mottle run gray-scott --size 12x10 --steps 0 -o z-%02d.npy --device reference").code, 0);
    EXPECT_EQ(folder.run("ls").out, "z-01.npy\n");
}

// Runs by stages, and those by a tolerance, have few steps: there are checks between them all the same.
TEST(Run, LooksForRestBetweenLongSteps) {
    const Folder folder;
    folder.write("m.toml",
                 "[equations]\na = \"lap(a) + a^2/(h*(1 + 0.5*a^2)) - a\"\nh = \"20*lap(h) + a^2 - 1.2*h\"\n"
                 "[initial]\na = \"1.2 + noise(-0.1, 0.1)\"\nh = \"1.2\"\n[fields]\na = { range = [0, 5] }\nh = { range = [0.1, 5] }\n");
    for (const char* how : {"--method sts2", "--method rkl2", "--tolerance 1e-3"}) {
        const std::string out =
            folder.run("mottle run m.toml --size 32x32 --time 300 --precision f64 --until steady=1e-3 --json " + std::string(how)).out;
        EXPECT_NE(out.find("\"verdict\": \"uniform\""), std::string::npos) << how << out;
    }
}

// A file opened in the place of standard error would take in the notes.
TEST(Run, ClosedStreamsDoNotLeakIntoFiles) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const std::string files = MOTTLE_HAVE_FFMPEG ? "a.mp4 -o a.gif" : "a.png -o a.npy";  // the GIF has a note to tell
    ASSERT_EQ(folder.run("mottle run m.toml --steps 20 -o " + files + "; mkdir whole; mv a.* whole").code, 0);
    EXPECT_EQ(folder.run("mottle run m.toml --steps 20 -o " + files + " 2>&-").code, 0);
    const Result same = folder.run("for f in whole/*; do cmp $f ${f#whole/} || exit 1; done");
    EXPECT_EQ(same.code, 0) << same.out << same.err;
    EXPECT_EQ(folder.run("mottle run m.toml --steps 20 <&- >&-").code, 6) << "the summary could not be written";
}

struct Refused {
    const char* name;
    const char* command;
    int code;
    const char* words;
};

class Refuses : public testing::TestWithParam<Refused> {};

TEST_P(Refuses, WithCodeAndWords) {
    const Folder folder;
    folder.write("m.toml", kModel);
    folder.write("noise.txt", "this is no image\n");
    const Result result = folder.run(GetParam().command);
    EXPECT_EQ(result.code, GetParam().code) << result.out << result.err;
    EXPECT_NE(result.err.find(GetParam().words), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("error:"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(Commands, Refuses,
                         testing::Values(Refused{"Command", "mottle rum", 3, "did you mean 'run'"},
                                         Refused{"Flag", "mottle run m.toml --stpes 5", 3, "did you mean '--steps'"},
                                         Refused{"CommandOfHelp", "mottle help rnu", 3, "did you mean 'run'"},
                                         Refused{"FlagTwice", "mottle run m.toml --size 8 --size 9", 3, "--size is given twice"},
                                         Refused{"Across", "mottle run m.toml --across 5", 3, "across is for surfaces"},
                                         Refused{"Scale", "mottle run m.toml --scale 5", 3, "--scale-pixels"},
                                         Refused{"Region", "mottle run m.toml --region X", 3, "region is for surfaces"},
                                         Refused{"MeshWord", "mottle mesh show sphere:2", 3, "is info, not 'show'"},
                                         Refused{"BenchThreads", "mottle bench --threads 0", 3, "from 1 to 1024"},
                                         Refused{"NoModel", "mottle run", 3, "`mottle run` needs MODEL"},
                                         Refused{"TwoModels", "mottle run m.toml n.toml", 3, "one argument too many"},
                                         Refused{"NoValue", "mottle run m.toml --steps", 3, "--steps needs a value"},
                                         Refused{"Model", "mottle run gray-scot", 3, "did you mean 'gray-scott'"},
                                         Refused{"File", "mottle run nowhere.toml", 3, "nowhere.toml"},
                                         Refused{"Preset", "mottle run gray-scott --preset corals", 3,
                                                 "did you mean 'coral'? There are coral, "},
                                         Refused{"SetName", "mottle run gray-scott --set G=1", 3, "no parameter 'G'"},
                                         Refused{"SetForm", "mottle run gray-scott --set F", 3, "NAME=VALUE"},
                                         Refused{"SetNan", "mottle run gray-scott --set F=nan", 3, "F"},
                                         Refused{"SetInfinite", "mottle run gray-scott --set F=inf", 3, "F"},
                                         Refused{"SetExpression", "mottle run gray-scott --set F=0.03+", 2, "--set F"},
                                         Refused{"SetUnknown", "mottle run gray-scott --set F=0.03+Q", 2, "'Q'"},
                                         Refused{"Steps", "mottle run m.toml --steps -5", 3, "--steps"},
                                         Refused{"StepsText", "mottle run m.toml --steps ten", 3, "must be a number"},
                                         Refused{"Size", "mottle run m.toml --size 0x10", 3, "--size"},
                                         Refused{"SizeHuge", "mottle run m.toml --size 1000000x1000000", 3, "memory"},
                                         Refused{"SizeBeyond", "mottle run m.toml --size 99999999999999999999", 3, "--size"},
                                         Refused{"Frames", "mottle run m.toml --steps 5 --frames 6 -o a.png", 3, "6 frames"},
                                         Refused{"Extension", "mottle run m.toml -o a.xyz", 3, ".mp4"},
                                         Refused{"Folder", "mottle run m.toml -o no/such/a.png", 3, "no/such"},
                                         Refused{"Device", "mottle run m.toml --device gpu", 3, "gpu"},
                                         Refused{"Cuda", "mottle run m.toml --device cuda", 4, "cuda"},
                                         Refused{"Threads", "mottle run m.toml --threads 0", 3, "--threads"},
                                         Refused{"Boundary", "mottle run m.toml --boundary perodic", 3, "did you mean 'periodic'"},
                                         Refused{"BorderNotFinite", "mottle run m.toml --boundary 'robin(-2, 1, 0)'", 3,
                                                 "'robin' of 'u' on the side 'left' has no finite"},
                                         Refused{"At", "mottle run m.toml --at '10-n' -o a.png", 3, "--at"},
                                         Refused{"AtText", "mottle run m.toml --at 'n+' -o a.png", 2, "--at"},
                                         Refused{"Image", "mottle run m.toml --set 'r=image(\"noise.txt\")'", 3, "noise.txt"},
                                         Refused{"NoImage", "mottle run m.toml --set 'r=image(\"gone.png\")'", 3, "gone.png"},
                                         Refused{"Shell", "mottle completion tcsh", 3, "bash, zsh and fish"},
                                         Refused{"What", "mottle emit m.toml --what asm", 3, "--what is kernel, ir or model, not 'asm'"}),
                         [](const auto& refused) { return refused.param.name; });

TEST(Run, ErrorsPointIntoTheFile) {
    const Folder folder;
    folder.write("bad.toml", "[equations]\nu = \"lap(u) + q\"\n[initial]\nu = \"X\"\n");
    const Result result = folder.run("mottle run bad.toml --json");
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find("bad.toml:2:15: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("\n  u = \"lap(u) + q\"\n                ^"), std::string::npos) << result.err;
    EXPECT_EQ(json_value(result.out, "kind"), "\"model\"");
    EXPECT_EQ(json_value(result.out, "file"), "\"bad.toml\"");
    EXPECT_EQ(json_value(result.out, "line"), "2");
    EXPECT_EQ(json_value(result.out, "column"), "15");
}

}  // namespace run_test
