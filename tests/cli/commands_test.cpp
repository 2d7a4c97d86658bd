// tests/cli/commands_test.cpp: models, show, check, devices, emit, completion and help as typed
#include "cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace commands_test {

using cli::Folder;
using cli::Result;

std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(Commands, AloneShowsFive) {
    const Folder folder;
    const Result result = folder.run("mottle");
    EXPECT_EQ(result.code, 0);
    std::size_t shown = 0;
    std::istringstream text(result.out);
    for (std::string line; std::getline(text, line);)
        shown += line.starts_with("  mottle ") && line.find("   ") != std::string::npos ? 1 : 0;
    EXPECT_EQ(shown, 5u) << result.out;
}

TEST(Commands, HelpFitsAScreenAndEndsWithTwoExamples) {
    const Folder folder;
    for (const std::string command :
         {"", "run", "live", "models", "show", "check", "devices", "tune", "bench", "mesh", "emit", "completion"}) {
        const Result result = folder.run("mottle " + command + " --help");
        EXPECT_EQ(result.code, 0) << command;
        EXPECT_LE(lines(result.out), 40u) << command;
        std::istringstream text(result.out);
        std::vector<std::string> all;
        for (std::string line; std::getline(text, line);) {
            EXPECT_LE(line.size(), 80u) << line;
            if (!line.empty()) all.push_back(line);
        }
        ASSERT_GE(all.size(), 3u);
        EXPECT_EQ(all[all.size() - 3], "examples") << command;
    }
}

TEST(Commands, HelpIsACommandToo) {
    const Folder folder;
    EXPECT_EQ(folder.run("mottle help").out, folder.run("mottle").out);
    EXPECT_EQ(folder.run("mottle help run").out, folder.run("mottle run --help").out);
}

TEST(Commands, HelpOfRunNamesEveryFlag) {
    const Folder folder;
    const Result help = folder.run("mottle run --help");
    for (const char* flag : {"--preset",  "--set",     "--size",     "--spacing",      "--stencil",         "--mesh",   "--across",
                             "--scale",   "--region",  "--boundary", "--method",       "--precision",       "--steps",  "--time",
                             "--dt",      "--until",   "-o",         "--frames",       "--every",           "--at",     "--fps",
                             "--palette", "--field",   "--range",    "--scale-pixels", "--cells-per-pixel", "--chroma", "--encoder",
                             "--device",  "--threads", "--schedule", "--seed",         "--quiet",           "--json",   "--force"}) {
        EXPECT_NE(help.out.find(flag), std::string::npos) << flag;
    }
    for (const char* kind : {".mp4", ".gif", ".png", ".npy", ".vti", ".pvd", ".ply", ".glb", ".vtp", ".vtu"}) {
        EXPECT_NE(help.out.find(kind), std::string::npos) << kind;
    }
}

TEST(Commands, MeshInfoTellsCountsAndStiffness) {
    const Folder folder;
    const Result people = folder.run("mottle mesh info plane:20x10");
    EXPECT_EQ(people.code, 0);
    EXPECT_NE(people.out.find("200 vertices, 342 triangles, 541 edges, 1 piece"), std::string::npos) << people.out;
    EXPECT_NE(people.out.find("1 loop: loop0 of 56 from vertex 0"), std::string::npos) << people.out;
    const Result machine = folder.run("mottle mesh info sphere:2 --json");
    EXPECT_EQ(machine.code, 0);
    EXPECT_TRUE(machine.out.starts_with("{\"mesh\": \"sphere:2\", \"file_vertices\": 162, \"file_faces\": 320,")) << machine.out;
    EXPECT_NE(machine.out.find("\"stable_dt_lanczos\": 0.0"), std::string::npos) << machine.out;
}

TEST(Commands, MeshInfoTakesAScale) {
    const Folder folder;
    auto number = [&](const std::string& flags, const std::string& key) {
        const Result result = folder.run("mottle mesh info sphere:2 --json" + flags);
        EXPECT_EQ(result.code, 0) << result.err;
        return std::stod(result.out.substr(result.out.find("\"" + key + "\": ") + key.size() + 4));
    };
    EXPECT_NEAR(number(" --scale 3", "area") / number("", "area"), 9, 1e-12);
    EXPECT_NEAR(number(" --scale 3", "mean_edge") / number("", "mean_edge"), 3, 1e-12);
    EXPECT_NEAR(number(" --scale 3", "stable_dt_lanczos") / number("", "stable_dt_lanczos"), 9, 1e-9);
    EXPECT_EQ(folder.run("mottle mesh info sphere:2 --scale 0").code, 3);
    EXPECT_EQ(folder.run("mottle mesh info sphere:2 --scale big").code, 3);
    // What cannot be held at the lengths of the file can be at others, and the message says how.
    folder.write("tiny.obj", "v 0 0 0\nv 1e-155 0 0\nv 0 1e-155 0\nf 1 2 3\n");
    const Result refused = folder.run("mottle mesh info tiny.obj");
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("--scale"), std::string::npos) << refused.err;
    EXPECT_EQ(folder.run("mottle mesh info tiny.obj --scale 1e155").code, 0);
}

TEST(Commands, MeshInfoCountsOneInTheSingular) {
    const Folder folder;
    folder.write("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\nf 2 3 1\n");
    const Result result = folder.run("mottle mesh info one.obj");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("3 vertices, 1 triangle, 3 edges, 1 piece"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("1 vertex without a face; left out: 0 faces without area, 0 that repeat a vertex, 1 copy\n"),
              std::string::npos)
        << result.out;
}

TEST(Commands, AMeshThatCannotBeReadIsAnInputErrorWithItsPlace) {
    const Folder folder;
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 one 0\nf 1 2 3\n");
    const Result result = folder.run("mottle mesh info bad.obj");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("bad.obj:3:5: a coordinate should be a number, not 'one'"), std::string::npos) << result.err;
    folder.write("heat.toml", "mesh.file = 'bad.obj'\nequations.u = 'lap(u)'\ninitial.u = 'x'\n");
    EXPECT_EQ(folder.run("mottle run heat.toml").code, 3);
    EXPECT_EQ(folder.run("mottle check heat.toml").code, 3);
    EXPECT_EQ(folder.run("mottle mesh show bad.obj").code, 3);
}

TEST(Commands, VersionIsToldAndNothingElse) {
    const Folder folder;
    const Result result = folder.run("mottle --version");
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(result.out.starts_with("mottle ")) << result.out;
    EXPECT_EQ(lines(result.out), 1u);
}

TEST(Commands, ModelsAreListedAndEachCanBeShownAndChecked) {
    const Folder folder;
    const Result models = folder.run("mottle models");
    ASSERT_EQ(models.code, 0);
    std::istringstream text(models.out);
    int count = 0;
    for (std::string line, look; std::getline(text, line) && std::getline(text, look); ++count) {
        const std::string name = line.substr(0, line.find(' '));
        EXPECT_TRUE(look.starts_with("      ") && look.ends_with(".")) << "what is seen of it: " << look;
        const Result shown = folder.run("mottle show " + name);
        EXPECT_EQ(shown.code, 0) << shown.err;
        EXPECT_NE(shown.out.find("/dt = "), std::string::npos) << name;
        EXPECT_NE(shown.out.find("Source: "), std::string::npos) << name;
        const Result checked = folder.run("mottle check " + name);
        EXPECT_EQ(checked.code, 0) << checked.err;
        EXPECT_EQ(checked.out.find("warning"), std::string::npos) << "a preset of the library beyond its stable dt:\n" << checked.out;
    }
    EXPECT_GE(count, 10);
}

TEST(Commands, ModelsAreListedAsJson) {
    const Folder folder;
    const Result listed = folder.run("mottle models --json");
    ASSERT_EQ(listed.code, 0);
    const Result read = folder.run(
        "mottle models --json | python3 -c \"import json, sys; all = json.load(sys.stdin); one = [m for m in all if m['name'] == "
        "'gray-scott'][0];"
        "print(len(all) > 10, one['title'], one['fields'], len(one['presets']) > 30, all[0]['presets'][0]['about'] != '', "
        "one['parameters'])\"");
    if (folder.run("python3 -c 'import json'").code != 0) GTEST_SKIP() << "no Python to read it with";
    EXPECT_EQ(read.out, "True Gray-Scott ['u', 'v'] True True ['Du', 'Dv', 'F', 'k']\n") << read.err;
}

TEST(Commands, SmallSlipsAreToldWithTheNextMove) {
    const Folder folder;
    const auto error = [&](const std::string& command) {
        const Result result = folder.run(command);
        EXPECT_EQ(result.code, 3) << command;
        return result.err;
    };
    EXPECT_NE(error("mottle run heat --at '' -o a-%d.png").find("at must give the step of frame n, for example 100*n, but it is empty"),
              std::string::npos);
    EXPECT_NE(error("mottle run heat --at ' ' -o a-%d.png").find("it is empty"), std::string::npos);
    for (const char* fps : {"0", "0.0001", "1001", "-3"}) {  // below and above: one range, with or without a file
        for (const char* output : {"", " -o a.gif"}) {
            EXPECT_NE(error("mottle run heat --fps " + std::string(fps) + output).find("fps must lie between 0.001 and 1000, it is "),
                      std::string::npos)
                << fps << output;
        }
    }
    const std::string model = "equations.u = 'lap(u)'\ninitial.u = 'X'\n";
    folder.write("flat.toml", "size = '300x200'\n" + model);
    EXPECT_NE(error("mottle check flat.toml").find("'size' is in the wrong table; write grid.size = ..."), std::string::npos);
    folder.write("style.toml", "palette = 'gray'\n" + model);
    EXPECT_NE(error("mottle check style.toml").find("it belongs to an output: [[output]]"), std::string::npos);
    folder.write("row.toml", model + "grid.size = 256\ntime.dt = 0.1\n");
    EXPECT_NE(folder.run("mottle check row.toml").out.find("size = 256 is one row of 256 cells; a plane is 256x256"), std::string::npos);
    EXPECT_EQ(folder.run("mottle check row.toml --size 256x1").out.find("one row"), std::string::npos) << "that is meant";
}

TEST(Commands, TheScriptOffersSetupWhereItCanInstall) {
    const Folder folder;
    const std::string tools =
        "mkdir bin; for tool in bash env dirname grep sed tr cat readlink realpath; do ln -s $(command -v $tool) bin/; done; "
        "printf '#!/bin/sh\\necho 1000\\n' > bin/id; chmod +x bin/id; ";
    const Result result = folder.run(tools + "PATH=$PWD/bin bash '" MOTTLE_SOURCE_DIR "/dev' build");
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_NE((result.out + result.err).find("'cmake' is missing; './dev setup' cannot install it here"), std::string::npos)
        << result.out << result.err;
}

TEST(Commands, LengthsOfAPlaneAreThoseOfItsAxes) {
    const Folder folder;
    folder.write("m.toml",
                 "equations.u = 'lap(u)'\ninitial.u = 'X'\ntime = {steps = 1, dt = 0.01}\ngrid = {size = '4x3', spacing = [1, 2]}\n");
    EXPECT_EQ(folder.run("mottle run m.toml -o a.vti").code, 0);
    EXPECT_NE(folder.read("a.vti").find("Spacing=\"1 2 1\""), std::string::npos) << folder.read("a.vti").substr(0, 300);
    const Result volume = folder.run("mottle run m.toml --size 4x3x5");
    EXPECT_EQ(volume.code, 3);
    EXPECT_NE(volume.err.find("spacing gives 2 lengths, and the 4x3x5 grid has 3 axes; give 3 lengths, or one for all axes"),
              std::string::npos)
        << volume.err;
    EXPECT_EQ(folder.run("mottle run m.toml --size 4x3x5 --spacing 1,2,3 -o b.vti").code, 0);
    EXPECT_NE(folder.read("b.vti").find("WholeExtent=\"0 4 0 3 0 5\" Origin=\"0 0 0\" Spacing=\"1 2 3\""), std::string::npos)
        << folder.read("b.vti").substr(0, 300);
    EXPECT_EQ(folder.run("mottle run m.toml --size 4x3x5 --spacing 2").code, 0);
    const Result plane = folder.run("mottle run m.toml --spacing 1,2,1");
    EXPECT_EQ(plane.code, 3);
    EXPECT_NE(plane.err.find("--spacing gives 3 lengths, and the 4x3 grid has 2 axes; give 2 lengths, or one for all axes"),
              std::string::npos)
        << plane.err;
}

TEST(Commands, ATextHasALengthForEachAxisAndTakesTheThirdOfEarlierTexts) {
    const Folder folder;
    folder.write("m.toml", "equations.u = 'lap(u)'\ninitial.u = 'X'\ntime = {steps = 1, dt = 0.01}\n");
    EXPECT_NE(folder.run("mottle emit m.toml --what model --size 4x3 --spacing 0.5").out.find("\nspacing = [0.5, 0.5]\n"),
              std::string::npos);
    EXPECT_NE(folder.run("mottle emit m.toml --what model --size 4x3x2 --spacing 0.5").out.find("\nspacing = [0.5, 0.5, 0.5]\n"),
              std::string::npos);
    const auto code = [&](const std::string& lengths) {
        folder.write(
            "old.toml",
            "equations.u = 'lap(u)'\ninitial.u = 'X'\ntime = {steps = 1, dt = 0.01}\ngrid = {size = '4x3', spacing = " + lengths + "}\n");
        return folder.run("mottle check old.toml").code;
    };
    EXPECT_EQ(code("[0.5, 0.5, 0.5]"), 0);
    EXPECT_EQ(code("[0.5, 2, 1]"), 0);
    EXPECT_EQ(code("[0.5, 2, 3]"), 3);
}

TEST(Commands, DelaunayTakesTheWordThatAFileHas) {
    const Folder folder;
    const std::string run = "mottle run heat --mesh torus --steps 1 --json ";
    for (const char* flag : {"--delaunay", "--delaunay true", "--delaunay=true"})
        EXPECT_NE(folder.run(run + flag).err.find("delaunay flipped"), std::string::npos) << flag;
    for (const char* flag : {"--delaunay false", "--delaunay=false"}) {
        const Result result = folder.run(run + flag);
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.err.find("delaunay flipped"), std::string::npos) << flag;
    }
    EXPECT_EQ(folder.run("mottle run --delaunay heat --mesh torus --steps 1").code, 0) << "the next word is no value of it";
    EXPECT_NE(folder.run(run + "--delaunay=maybe").err.find("--delaunay takes true (or no value) or false, not 'maybe'"),
              std::string::npos);
    EXPECT_EQ(folder.run("mottle run heat --size 8x8 --steps 1 --delaunay false").code, 0) << "nothing is asked of the grid";
}

TEST(Commands, TheBarHasAPercentageAndFitsAnyTerminal) {
    const Folder folder;
    if (folder.run("python3 -c 'import pty'").code != 0) GTEST_SKIP() << "no Python to make a terminal with";
    folder.write("terminal.py", R"(
import fcntl, os, pty, struct, subprocess, sys, termios
leader, follower = pty.openpty()
fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
child = subprocess.Popen(sys.argv[2:], stderr=follower, stdout=subprocess.DEVNULL)
os.close(follower)
said = b''
try:
    while True: said += os.read(leader, 4096)
except OSError: pass
print(child.wait())
print(*[line.replace('\x1b[K', '') for line in said.decode().replace('\n', '\r').split('\r') if ' %' in line], sep='\n')
)");
    const std::string run = " mottle run heat --size 1024x1024 --steps 6000 --dt 0.1 --device cpu --boundary periodic";
    const auto bars = [&](const std::string& columns) {
        const Result result = folder.run("python3 terminal.py " + columns + run);
        EXPECT_TRUE(result.out.starts_with("0\n")) << result.out << result.err;
        std::istringstream text(result.out);
        std::vector<std::string> all;
        for (std::string line; std::getline(text, line);) {
            if (line.find(" %") != std::string::npos) all.push_back(line);
        }
        EXPECT_FALSE(all.empty()) << columns << result.out;
        return all;
    };
    for (const std::string& bar : bars("100")) {
        EXPECT_TRUE(bar.starts_with("[") && bar.find("]") == 25) << bar;
        for (const char* fact : {" % ", " left ", " of 6,000 steps", "cells/s"})
            EXPECT_NE((bar + " ").find(fact), std::string::npos) << bar;
        std::string steps = bar.substr(bar.find("left") + 4);
        std::erase(steps, ',');
        EXPECT_NEAR(std::stod(bar.substr(26)), 100 * std::stod(steps) / 6000, 1) << bar;
    }
    for (const std::string& bar : bars("20")) {
        EXPECT_LE(bar.size(), 19U) << bar;
        EXPECT_TRUE(bar.starts_with("[") && bar.ends_with(" %")) << "whole, not cut: " << bar;
    }
    for (const std::string& bar : bars("6")) EXPECT_EQ(bar.size(), 5U) << bar;
}

TEST(Commands, ShowOfARunFileShowsTheModelThatItRuns) {
    const Folder folder;
    folder.write("r.toml", "model = 'gray-scott'\npreset = 'mitosis'\n[parameters]\nF = 0.03\n");
    folder.write("m.toml", "equations.u = 'lap(u) - a*u'\nparameters.a = 0.5\ninitial.u = 'X'\n");
    const std::string out = folder.run("mottle show r.toml").out;
    for (const char* part : {"\n  du/dt = Du*lap(u) - u*v^2 + F*(1 - u)\n", "\n  F  = 0.03 ",
                             "\ninitial\n  u = ", "\npresets (mitosis is the default)\n  coral "})
        EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
    EXPECT_NE(folder.run("mottle show gray-scott").out.find("\npresets (the first is the default)\n"), std::string::npos);
    EXPECT_NE(folder.run("mottle show m.toml").out.find("\n  a = 0.5\n"), std::string::npos) << "no blanks at the end";
}

TEST(Commands, CheckReadsEveryPreset) {
    const Folder folder;
    const std::string model = "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'\n[presets.a]\nsize = '8x8'\n[presets.b]\nsze = '9x9'\n";
    folder.write("m.toml", model);
    Result result = folder.run("mottle check m.toml");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("m.toml:8"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("did you mean 'size'"), std::string::npos) << result.err;
    folder.write("m.toml", model.substr(0, model.find("[presets.b]")));
    result = folder.run("mottle check m.toml; ls");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("8x8 grid"), std::string::npos) << result.out;
    EXPECT_TRUE(result.out.ends_with("m.toml\n")) << "nothing is written";
    folder.write("m.toml", "preset = 'nope'\n" + model.substr(0, model.find("[presets.b]")));
    result = folder.run("mottle check m.toml");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("m.toml:1:11: unknown preset 'nope'"), std::string::npos) << result.err;
}

TEST(Commands, CheckRefusesWhatNoKernelTakes) {
    const Folder folder;
    const std::string model = "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'\n[grid]\nsize = '8x8x8'\n";
    folder.write("m.toml", model);
    EXPECT_EQ(folder.run("mottle check m.toml").code, folder.run("mottle run m.toml --steps 1").code);
    folder.write("m.toml", model + "[run]\ndevice = 'reference'\n");
    EXPECT_EQ(folder.run("mottle check m.toml").code, 0);
}

TEST(Commands, CheckTakesTheFlagsOfTheRunItIsAbout) {
    const Folder folder;
    const Result plain = folder.run("mottle check gray-scott");
    EXPECT_NE(plain.out.find("ok mitosis: "), std::string::npos) << plain.out;
    const std::string words = "gray-scott --preset mitosis --size 24x20 --boundary no-flux --set F=0.03 --steps 40 --method heun -o a.npy";
    const Result one = folder.run("mottle check " + words + "; ls");
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_NE(one.out.find("\nok mitosis: 24x20 grid, 40 steps of 1 "), std::string::npos) << one.out;
    EXPECT_EQ(one.out.find("coral"), std::string::npos) << "one run has one preset: " << one.out;
    EXPECT_EQ(one.out.find("a.npy"), std::string::npos) << "nothing is written";
    const Result surface = folder.run("mottle check gray-scott --mesh sphere:3 --device reference");
    EXPECT_NE(surface.out.find("642 vertices"), std::string::npos) << surface.out;
    for (const char* flag : {"--set nope=1", "--boundary lft=still", "-o gone/a.png", "--method nope", "--dt -1", "--size 1e9x1e9"}) {
        const std::string typed = std::string(" gray-scott ") + flag;
        const Result checked = folder.run("mottle check" + typed), ran = folder.run("mottle run --steps 1" + typed);
        EXPECT_EQ(checked.code, 3) << flag;
        EXPECT_EQ(checked.err, ran.err) << flag;
    }
    EXPECT_EQ(folder.run("mottle check gray-scott --size 99999x99999").code, 3);
}

TEST(Commands, CheckTellsWhatRunTells) {
    const Folder folder;
    folder.write("m.toml", "equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '9x9'\nboundary = { top = 'still', bottom = 'still' }\n");
    const std::string words = " m.toml --size 300 --steps 1 --device reference";
    const Result ran = folder.run("mottle run" + words), checked = folder.run("mottle check" + words);
    ASSERT_EQ(ran.code, 0) << ran.err;
    std::istringstream notes(ran.err);
    int count = 0;
    for (std::string line; std::getline(notes, line);) {
        ++count;
        EXPECT_NE(checked.out.find("\n  " + line.substr(line.find(": ") + 2) + "\n"), std::string::npos) << line << "\n" << checked.out;
    }
    EXPECT_EQ(count, 2) << "of dt, and of the sides that a row lacks: " << ran.err;
    EXPECT_NE(checked.out.find("explicit limit (field u: diffusion"), std::string::npos) << checked.out;
}

TEST(Commands, CheckEvaluatesTheStart) {
    const Folder folder;
    folder.write("m.toml", "equations.u = 'a*lap(u)'\nparameters.a = 1\ninitial.u = 'log(X - 0.5)'\ntime.dt = 0.1\n");
    const Result start = folder.run("mottle check m.toml --device reference");
    EXPECT_EQ(start.code, 3);
    EXPECT_EQ(start.err, folder.run("mottle run m.toml --steps 1 --device reference").err);
    folder.write("m.toml", "equations.u = 'a*lap(u)'\nparameters.a = 1\ninitial.u = 'X'\ntime.dt = 0.1\n");
    EXPECT_EQ(folder.run("mottle check m.toml").code, 0);
    const Result map = folder.run("mottle check m.toml --set 'a = 1/(x - 0.5)'");
    EXPECT_EQ(map.code, 3);
    EXPECT_NE(map.err.find("the map of 'a' is inf"), std::string::npos) << map.err;
    const Result large = folder.run("mottle check m.toml --size 6000x6000 --set 'a = 1/(x - 0.5)'");
    EXPECT_EQ(large.code, 0) << large.err;
    EXPECT_NE(large.out.find("the initial state was not evaluated"), std::string::npos) << large.out;
}

TEST(Commands, CheckFindsAnImageThatIsMissing) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = 'lap(u)'\n[initial]\nu = 'image(\"gone.png\")'\n");
    const Result result = folder.run("mottle check m.toml");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("gone.png"), std::string::npos) << result.err;
}

TEST(Commands, CheckLooksAtTheStates) {
    const Folder folder;
    const std::string model = "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'\n[time]\ndt = 0.1\nsteps = 20\n[grid]\nsize = '8x8'\n[run]\n";
    folder.write("m.toml", model + "resume = 'a.state'\n");
    Result result = folder.run("mottle check m.toml");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("cannot resume from 'a.state': there is no such file"), std::string::npos) << result.err;
    folder.write("n.toml", model + "checkpoint = 'm.toml'\n");
    result = folder.run("mottle check n.toml");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("'m.toml' exists and was not written by --checkpoint"), std::string::npos) << result.err;
    folder.write("n.toml", model + "checkpoint = 'a.state'\n");
    EXPECT_EQ(folder.run("mottle check n.toml").code, 0);
    EXPECT_FALSE(folder.has("a.state"));
    ASSERT_EQ(folder.run("mottle run n.toml --steps 10").code, 0);
    EXPECT_EQ(folder.run("mottle check m.toml").code, 0) << folder.run("mottle check m.toml").err;
    ASSERT_EQ(folder.run("mottle run n.toml").code, 0);
    EXPECT_NE(folder.run("mottle check m.toml").out.find("already finished: the state in 'a.state' is at step 20"), std::string::npos);
    EXPECT_NE(folder.run("mottle check m.toml --steps 19").err.find("give more --steps"), std::string::npos);
    folder.write("m.toml", model + "resume = 'a.state'\n[boundary]\nleft = 'still'\nright = 'still'\n");
    EXPECT_NE(folder.run("mottle check m.toml").err.find("other equations, boundary rules"), std::string::npos);
}

TEST(Commands, CheckSaysWhyThereIsNoAutomaticStep) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = 'lap(u^2)'\n[initial]\nu = 'X'\n[time]\ndt = 0.1\n");
    const Result result = folder.run("mottle check m.toml");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("(auto: none; the diffusion of u has no bound"), std::string::npos) << result.out;
}

TEST(Commands, CheckSaysTheLengthOfARunByTolerance) {
    const Folder folder;
    folder.write("m.toml",
                 "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'\n[grid]\nsize = '8x8'\n[method]\ntolerance = 1e-3\n[time]\nend = 2.5\n");
    const Result result = folder.run("mottle check m.toml");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("ok: 8x8 grid, t = 2.5 by rkl2, tolerance 0.001\n"), std::string::npos) << result.out;
}

TEST(Commands, DevicesNameWhatIsAndWhatIsNot) {
    const Folder folder;
    const Result result = folder.run("mottle devices");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("reference"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("cuda"), std::string::npos) << result.out;
}

TEST(Commands, EmitPrintsTheProgramAndTheKernel) {
    const Folder folder;
    const Result ir = folder.run("mottle emit gray-scott --what ir");
    ASSERT_EQ(ir.code, 0) << ir.err;
    EXPECT_NE(ir.out.find("fma"), std::string::npos) << ir.out;
    EXPECT_EQ(ir.err, "");
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Result kernel = folder.run("mottle emit gray-scott --precision f64 --device cpu:portable");
    ASSERT_EQ(kernel.code, 0) << kernel.err;
    EXPECT_NE(kernel.out.find("double"), std::string::npos);
    EXPECT_EQ(folder.run("mottle emit gray-scott --size 100000x100000 --what kernel > k").code, 0)
        << "nothing is allocated, so nothing is too large";
}

TEST(Commands, EmittedModelRunsAlike) {
    const Folder folder;
    const std::string run = " --quiet --steps 200 -o ";
    for (const std::string& model : std::vector<std::string>{
             "gray-scott --preset mitosis --size 64x48 --boundary 'left=value(0.5),right=no-flux' --stencil 9 --seed 3",
             "fitzhugh-nagumo --size 40x40 --precision f64", "brusselator --size 33x17", "gray-scott --size 20x9x7",
             "chemotaxis --mesh torus:3,1,20", "heat --size 64",
             "heat --size 31x9 --boundary 'left=flux(0.1*sin(t)),right=robin(1, 2, 0.5),top=no-flux,bottom=no-flux'",
             "heat --mesh cylinder:1,4,16 --boundary 'loop0=value(0.5),u.loop1=value(1)'",
             MOTTLE_SOURCE_DIR "/examples/julia-article.toml --preset xi --size 64x64"}) {
        const Result emitted =
            folder.run("mottle emit " + model + " --steps 200 --what model > m.toml && mottle check m.toml && mottle run m.toml" + run +
                       "b.npy && mottle run " + model + run + "a.npy && cmp a.npy b.npy");
        EXPECT_EQ(emitted.code, 0) << model << "\n" << emitted.out << emitted.err << folder.read("m.toml");
    }
}

TEST(Commands, AnEquationOfSeveralLinesIsShownOnOneAndEmitted) {
    const Folder folder;
    folder.write("m.toml",
                 "equations.u = \"\"\"\n  lap(u)\n    - u\n\"\"\"\ninitial.u = 'X'\npresets.short = { size = '8x8', time = 2 }\n");
    EXPECT_NE(folder.run("mottle show m.toml").out.find("\n  du/dt = lap(u) - u\n"), std::string::npos);
    const Result emitted = folder.run(
        "mottle emit m.toml --what model > e.toml && mottle run e.toml -o b.npy && mottle run m.toml -o a.npy && cmp a.npy b.npy");
    EXPECT_EQ(emitted.code, 0) << emitted.out << emitted.err << "the frames of a default give way to few steps\n" << folder.read("e.toml");
}

TEST(Commands, CompletionsAreScriptsThatKnowTheCommands) {
    const Folder folder;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const Result result = folder.run("mottle completion " + shell);
        EXPECT_EQ(result.code, 0);
        for (const char* word : {"run", "models", "tune", "bench", "gray-scott", "stencil", "viridis", "no-flux"})
            EXPECT_NE(result.out.find(word), std::string::npos) << shell << " " << word;
    }
    const Result used = folder.run(R"(source <(mottle completion bash)
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _mottle; printf '%s ' "${COMPREPLY[@]}"; echo; }
complete_words mottle mo
complete_words mottle run gray
complete_words mottle tu
complete_words mottle tune gray-scott --secon
complete_words mottle bench --thr
complete_words mottle run gray-scott --sten
complete_words mottle run gray-scott --palette vir
complete_words mottle run gray-scott --preset cor
complete_words mottle sweep gray-scott --ov
complete_words mottle run gray-scott --ov
complete_words mottle run gray-scott --wat
complete_words mottle emit gray-scott --what k
complete_words mottle completion z)");
    EXPECT_EQ(used.out,
              "models \ngray-scott \ntune \n--seconds \n--threads \n--stencil \nviridis \ncoral \n--over \n \n--watch \nkernel \nzsh \n")
        << used.err;
}

TEST(Commands, AClosedPipeOrAFullOutputIsNoCrash) {
    const Folder folder;
    EXPECT_EQ(folder.run("mottle models > /dev/full").code, 6);
}

}  // namespace commands_test
