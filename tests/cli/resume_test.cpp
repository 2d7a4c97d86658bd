// tests/cli/resume_test.cpp: a process that is killed loses nothing of what its last state knows
#include "cli/program.h"
#include "mottle/core/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace resume_test {

using cli::Folder;
using cli::Result;
namespace core = mottle::core;

/// Starts `command` in the background and sends it `signal` some time after its first state.
std::string signalled(const std::string& command, const std::string& signal, const std::string& seconds) {
    return command + " --quiet & P=$!; while [ ! -s s.state ]; do sleep 0.02; kill -0 $P || exit 1; done; sleep " + seconds + "; kill -" +
           signal + " $P; wait $P; ";
}

std::string killed(const std::string& command, const std::string& seconds = "0.3") { return signalled(command, "9", seconds); }

long long step_of(const Folder& folder, const std::string& state = "s.state") {
    return std::stoll(folder.run("grep -a -o '^step = \"[0-9]*' " + state + " | grep -o '[0-9]*$'").out);
}

const std::string kOutputs = std::string(" -o s.csv -o i.pvd -o n-%d.npy -o e.npy") + (MOTTLE_HAVE_FFMPEG ? " -o v.gif -o v.mp4" : "");

TEST(Resume, AfterAKillFilesAreThoseOfAnUninterruptedRun) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 48x32 --threads 1 --every 20000";
    const std::string state = " --checkpoint s.state --checkpoint-every 0.05";
    folder.run("mkdir whole; " + killed(run + " --steps 1000000000000" + kOutputs + state));
    EXPECT_NE(folder.run("ls").out.find(".tmp"), std::string::npos) << "the process was killed while it had begun files";
    const std::string steps = " --steps " + std::to_string(step_of(folder) + 70000);
    const Result rest = folder.run(run + steps + kOutputs + state + " --resume s.state");
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("left unfinished by a killed run"), std::string::npos) << rest.err;
    EXPECT_EQ(folder.run("ls").out.find(".tmp"), std::string::npos);
    ASSERT_EQ(folder.run("cd whole && " + run + steps + kOutputs).code, 0);
    // The gif is the same, since each of its frames is coded for itself or from the one before.
    const Result same =
        folder.run("for f in s.csv i.pvd e.npy; do cmp $f whole/$f || exit 1; done; ls whole/n-*.npy whole/i-*.vti | wc -l");
    EXPECT_EQ(same.code, 0) << same.out;
    EXPECT_EQ(folder.run("for f in whole/n-* whole/i-*; do cmp $f ${f#whole/} || exit 1; done").code, 0);
}

// The interpreter takes a millisecond or more for each: the state is not only looked at when some thousand have been made.
TEST(Resume, SlowStepsAreSavedInTime) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --device reference --size 1024x512 --threads 1 --steps 1000 -o end.npy";
    folder.run(killed(run + " --checkpoint s.state --checkpoint-every 0.1"));
    const long long step = step_of(folder);
    EXPECT_GT(step, 0);
    EXPECT_LT(step, 1000) << "the first state was saved at the end";
    ASSERT_EQ(folder.run(run + " --resume s.state && mkdir whole").code, 0);
    ASSERT_EQ(folder.run("cd whole && " + run).code, 0);
    EXPECT_EQ(folder.run("cmp end.npy whole/end.npy").code, 0);
}

// Where states are saved follows the time that steps take. What is said of a run does not, and what is saved is finite.
TEST(Resume, ARunThatDivergesSaysTheSameWhereStatesAreSaved) {
    const Folder folder;
    folder.write("blow-up.toml", "[equations]\nu = \"where(X > 0.5, u^2, 0) + lap(u)\"\n[initial]\nu = \"1\"\n[time]\ndt = 0.002\n");
    const std::string run = "mottle run blow-up.toml --device reference --size 300x200 --threads 1 --steps 2000 ";
    const auto why = [&](const std::string& arguments) {
        const Result result = folder.run(run + arguments);
        EXPECT_EQ(result.code, 5) << result.err;
        const std::size_t at = result.err.find("stopped being finite");
        return at == std::string::npos ? result.err : result.err.substr(at, result.err.find('\n', at) - at);
    };
    const std::string alone = why("");
    EXPECT_NE(alone.find("between step 0 (t = 0) and step 1,024"), std::string::npos) << alone;
    EXPECT_EQ(why("--checkpoint s.state --checkpoint-every 0.02"), alone);
    EXPECT_GT(step_of(folder), 0);
    EXPECT_LT(step_of(folder), 600) << "u is infinite soon after t = 1";
    // The state itself is finite: a run that goes on from it finds what is not finite later.
    const std::string rest = why("--resume s.state");
    EXPECT_EQ(rest.find("stopped being finite between step " + core::grouped(step_of(folder))), 0U) << rest;
}

TEST(Resume, APictureOfARowGoesOn) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 90 --threads 1 --every 400000 -o row.png --palette gray";
    const std::string state = " --checkpoint s.state --checkpoint-every 0.05";
    folder.run("mkdir whole; " + killed(run + " --steps 1000000000000" + state));
    const std::string steps = " --steps " + std::to_string(step_of(folder) + 900000);
    const Result rest = folder.run(run + steps + " --resume s.state");
    ASSERT_EQ(rest.code, 0) << rest.err;
    ASSERT_EQ(folder.run("cd whole && " + run + steps).code, 0);
    EXPECT_EQ(folder.run("cmp row.png whole/row.png").code, 0);
}

TEST(Resume, WhatIsNotThereOrIsAnothersIsToldBeforeTheFirstStep) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 32x32 --every 100 --checkpoint s.state ";
    ASSERT_EQ(folder.run(run + "--steps 500 -o s.csv").code, 0);
    const std::string rest = run + "--steps 800 --resume s.state ";
    folder.run("cp s.csv t.csv; mv s.csv kept");
    Result result = folder.run(rest + "-o s.csv");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("'s.csv' is missing, whose 5 frames were drawn before step 500; put it back"), std::string::npos)
        << result.err;
    result = folder.run(rest + "-o t.csv");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("'t.csv' exists, and the run that saved the state did not write it"), std::string::npos) << result.err;
    folder.run("head -4 kept > s.csv");
    result = folder.run(rest + "-o s.csv");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("which should contain the first 5 frames: it has fewer lines"), std::string::npos) << result.err;
    folder.write("s.csv", "something else\n");
    result = folder.run(rest + "-o s.csv");
    EXPECT_NE(result.err.find("it is not a table of these fields"), std::string::npos) << result.err;
    EXPECT_EQ(folder.read("s.csv"), "something else\n");
    folder.run("mv kept s.csv");
    result = folder.run(rest + "-o s.csv -o new.csv");
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.err.find("'new.csv' contains only the frames after step 500"), std::string::npos) << result.err;
    EXPECT_EQ(folder.run("wc -l < s.csv; wc -l < new.csv").out, "9\n4\n");
}

TEST(Resume, OnlyFilesThatNoProcessHoldsAreRemoved) {
    const Folder folder;
    const std::string files = "s.csv.99.0.tmp other.csv.99.0.tmp s.csv.tmp s.csv.x.0.tmp n-00012.npy.99.3.tmp";
    const Result result = folder.run("exec 9>s.csv.98.0.tmp; flock 9; touch " + files +
                                     "; mottle run gray-scott --size 16x16 --steps 10 -o s.csv -o n-%05d.npy");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find("and 1 more, left unfinished by a killed run"), std::string::npos) << result.err;
    EXPECT_EQ(folder.run("ls *.tmp").out, "other.csv.99.0.tmp\ns.csv.98.0.tmp\ns.csv.tmp\ns.csv.x.0.tmp\n");
}

std::string last_line(const Folder& folder, const std::string& file) { return folder.run("tail -n 1 " + file).out; }

// A run that came to rest is over, unless a later one asks for more; its last frame is the state at rest, which is no frame of a run that goes on.
TEST(Resume, ARunThatCameToRestIsOver) {
    const Folder folder;
    const std::string run = "mottle run schnakenberg --size 24x24 --steps 200000 --threads 1 --every 7000 --checkpoint s.state ";
    ASSERT_EQ(folder.run("mkdir whole; " + run + "--until steady=2e-3" + kOutputs).code, 0);
    const long long step = step_of(folder);
    ASSERT_NE(step % 7000, 0) << "no frame is due there";
    EXPECT_TRUE(last_line(folder, "s.csv").starts_with(std::to_string(step) + ",")) << last_line(folder, "s.csv");
    EXPECT_EQ(folder.run("cmp e.npy $(ls n-*.npy | tail -n 1)").code, 0);
    folder.run("mkdir before; cp * before 2> /dev/null");
    for (const char* tolerance : {"2e-3", "1e-2"}) {
        const Result again = folder.run(run + "--resume s.state --until steady=" + tolerance + kOutputs);
        EXPECT_EQ(again.code, 0) << again.err;
        EXPECT_NE(
            again.err.find("already finished: the state in 's.state' is at step " + core::grouped(step) + ", where the run came to rest"),
            std::string::npos)
            << again.err;
        EXPECT_NE(again.out.find("patterned"), std::string::npos) << again.out;
        EXPECT_EQ(folder.run("for f in s.state e.npy s.csv n-*.npy; do cmp $f before/$f || exit 1; done").code, 0);
    }
    const Result shorter = folder.run("mottle run schnakenberg --size 24x24 --steps 1000 --until steady=2e-3 --resume s.state");
    EXPECT_NE(shorter.err.find("give more --steps"), std::string::npos) << shorter.err;
    const Result further = folder.run(run + "--resume s.state --until steady=1e-4" + kOutputs);
    ASSERT_EQ(further.code, 0) << further.err;
    EXPECT_GT(step_of(folder), step);
    ASSERT_EQ(folder.run("cd whole && " + run + "--until steady=1e-4" + kOutputs).code, 0);
    EXPECT_EQ(folder.run("for f in s.csv i.pvd e.npy n-*.npy; do cmp $f whole/$f || exit 1; done; ls n-*.npy whole/n-*.npy | wc -l").code,
              0);
}

// Where no range is given or declared, that of the first picture is that of all, also of those behind a resumed state.
TEST(Resume, PicturesKeepTheirRange) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = '-0.05*u'\n[initial]\nu = 'noise(0, 1)'\n[grid]\nsize = '32x8'\n");
    const std::string run = "mottle run m.toml --dt 0.1 --every 100 -o n-%d.png -o n.csv ";
    ASSERT_EQ(folder.run("mkdir whole; cd whole; cp ../m.toml .; " + run + "--steps 400").code, 0);
    ASSERT_EQ(folder.run(run + "--steps 200 --checkpoint s.state").code, 0);
    ASSERT_EQ(folder.run(run + "--steps 300 --resume s.state --checkpoint s.state").code, 0);
    ASSERT_EQ(folder.run(run + "--steps 400 --resume s.state").code, 0);
    EXPECT_EQ(folder.run("for f in n-*.png n.csv; do cmp $f whole/$f || exit 1; done; ls n-*.png | wc -l").out, "4\n");
}

TEST(Resume, AVideoGoesOnInItsOwnColours) {
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "built without FFmpeg";
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 32x32 --every 100 -o a.mp4 -o a.gif ";
    ASSERT_EQ(folder.run(run + "--steps 300 --checkpoint s.state").code, 0);
    for (const char* other : {"--field u", "--palette magma", "--range 0:1"}) {
        const Result result = folder.run(run + "--steps 500 --resume s.state " + other);
        EXPECT_EQ(result.code, 3) << other;
        EXPECT_NE(result.err.find("'a.mp4' shows v, palette "), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("and this run "), std::string::npos) << result.err;
    }
    EXPECT_EQ(folder.run(run + "--steps 500 --resume s.state").code, 0);
}

TEST(Resume, OtherParametersWakeARunThatCameToRest) {
    const Folder folder;
    const std::string run = "mottle run schnakenberg --size 24x24 --steps 200000 --threads 1 --until steady=2e-3 --checkpoint s.state ";
    ASSERT_EQ(folder.run(run).code, 0);
    const long long step = step_of(folder);
    const Result other = folder.run(run + "--resume s.state --set b=0.8");
    EXPECT_EQ(other.err.find("already finished"), std::string::npos) << other.err;
    EXPECT_GE(step_of(folder), step + 3 * 1024);
}

// What was found of one set of parameters, or by one tolerance, is not known of another.
TEST(Resume, RestIsThatOfItsParametersAndTolerance) {
    const Folder folder;
    folder.write("m.toml",
                 "equations.u = 'lap(u) + a*(u - u^3)'\nparameters.a = 0.5\ninitial.u = '0.1*noise(-1, 1) + 0.3*sin(2*pi*X)'\n"
                 "grid.size = '24x24'\nfields.u.range = [-1, 1]\n");
    const std::string run = "mottle run m.toml --dt 0.1 --threads 1 ", until = run + "--until steady=1e-4 ";
    ASSERT_EQ(folder.run(until + "--steps 100000 --checkpoint a.state").code, 0);
    const std::string steps = std::to_string(step_of(folder, "a.state"));
    // at its last step with other parameters: no step of those has been made
    const Result limit = folder.run(until + "--set a=0.9 --steps " + steps + " --resume a.state --checkpoint s.state");
    EXPECT_NE(limit.out.find("limit reached"), std::string::npos) << limit.out;
    const Result further = folder.run(until + "--set a=0.9 --steps 100000 --resume s.state --checkpoint s.state -o a.npy");
    EXPECT_NE(further.out.find("patterned"), std::string::npos) << further.out;
    EXPECT_GE(step_of(folder), std::stoll(steps) + 3 * 1024);
    // checks that were passed by a larger tolerance, or by other parameters
    for (const auto& [first, second] : {std::pair("1e-2", "--until steady=1e-4"), std::pair("1e-4", "--until steady=1e-4 --set a=0.52")}) {
        ASSERT_EQ(folder.run(run + "--until steady=" + first + " --steps 2060 --checkpoint s.state").code, 0);
        ASSERT_EQ(folder.run(run + second + " --steps 100000 --resume s.state --checkpoint s.state").code, 0);
        EXPECT_GE(step_of(folder), 2048 + 3 * 1024) << second;
    }
}

TEST(Resume, AnInterruptedSearchForASteadyStateIsMadeAgain) {
    const Folder folder;
    const std::string size = cli::sanitized() ? "24x24" : "40x40";  // a sanitizer takes ten times as long
    const std::string run = "mottle run schnakenberg --size " + size +
                            " --steps 200000 --threads 1 --until steady=newton --every 30000 --checkpoint-every 0.01 "
                            "-o s.csv -o e.npy --checkpoint s.state ";
    ASSERT_EQ(folder.run("mkdir whole && cd whole && " + run).code, 0);
    folder.run(signalled(run, "INT", "0.3"));  // 0.03 s of steps, then 1.2 s of the search
    const Result rest = folder.run(run + "--resume s.state");
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(folder.run("cmp s.csv whole/s.csv && cmp e.npy whole/e.npy").code, 0);
}

// No multiple of --every: a longer run has no frame there. A state that is saved again under another name knows the same frames.
TEST(Resume, TheFrameOfAnEarlierEndIsNone) {
    const Folder folder;
    const std::string outputs = kOutputs + " -o p-%d.png", run = "mottle run gray-scott --size 32x32 --threads 1 --every 100" + outputs;
    ASSERT_EQ(folder.run("mkdir whole && cd whole && " + run + " --steps 520").code, 0);
    ASSERT_EQ(folder.run(run + " --steps 250 --checkpoint a.state").code, 0);
    EXPECT_TRUE(last_line(folder, "s.csv").starts_with("250,"));
    ASSERT_EQ(folder.run(run + " --steps 250 --resume a.state --checkpoint b.state").code, 0);
    const Result rest = folder.run(run + " --steps 520 --resume b.state --checkpoint s.state --force");
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(rest.err.find("contains only"), std::string::npos) << "files that can go on do, also with --force: " << rest.err;
    EXPECT_EQ(folder.run("for f in s.csv i.pvd e.npy n-*.npy p-*.png; do cmp $f whole/$f || exit 1; done").code, 0);
    EXPECT_EQ(folder.run("cp s.csv t.csv; " + run + " --steps 600 --resume s.state -o ./s.csv").code, 3) << "one file named twice";
    const Result forced = folder.run("mottle run gray-scott --size 32x32 --threads 1 --every 100 -o ./s.csv --steps 600 --resume s.state");
    EXPECT_EQ(forced.code, 0) << "the same file by another path: " << forced.err;
}

// Where the run is stopped is nearly always the step of a frame, which is drawn yet.
TEST(Resume, TheFrameAtWhichARunWasStoppedIsThere) {
    const Folder folder;
    const std::string run =
        "mottle run gray-scott --size 96x64 --threads 1 --steps 40000 --every 40 -o s.csv -o n-%04d.npy --checkpoint s.state "
        "--checkpoint-every 0.02 ";
    ASSERT_EQ(folder.run("mkdir whole && cd whole && " + run).code, 0);
    for (const char* seconds : {"0.02", "0.1"}) {
        folder.run("rm -f s.* n-*");
        folder.run(signalled(run, "INT", seconds));
        const Result rest = folder.run(run + "--resume s.state");
        ASSERT_EQ(rest.code, 0) << rest.err;
        EXPECT_EQ(folder.run("cmp s.csv whole/s.csv && for f in whole/n-*; do cmp $f ${f#whole/} || exit 1; done").code, 0) << seconds;
    }
}

TEST(Resume, NumberedFilesKeepThoseFromBefore) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 32x32 --threads 1 --checkpoint s.state -o k-%03d.npy ";
    ASSERT_EQ(folder.run(run + "--steps 400 --frames 40 -o k.csv && mkdir before && cp k-* before").code, 0);
    ASSERT_EQ(folder.run(run + "--steps 900 --frames 30 --resume s.state -o $PWD/k.csv").code, 0) << "the file by its full path";
    EXPECT_EQ(folder.run("for f in before/k-*; do cmp $f ${f#before/} || exit 1; done").code, 0);
    const std::string lines = folder.run("wc -l < k.csv").out;
    EXPECT_EQ(std::stoi(folder.run("ls k-*.npy | wc -l").out) + 1, std::stoi(lines)) << "as many as the table has";
    // a folder with all of it may be moved
    ASSERT_EQ(
        folder
            .run("mkdir -p a/b && mv s.state k.csv k-*.npy a/b && cd a/b && " + run + "--steps 1000 --every 100 --resume s.state -o k.csv")
            .code,
        0);
    EXPECT_EQ(std::stoi(folder.run("wc -l < a/b/k.csv").out), std::stoi(lines) + 1);
}

TEST(Resume, AStateThatWasFoundUniformHasTheSamePicture) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without libpng";
    const Folder folder;
    folder.write("m.toml",
                 "equations.u = 'lap(u) + a*(0.1 - u + u^2*v)'\nequations.v = '40*lap(v) + a*(0.9 - u^2*v)'\nparameters.a = 0.2\n"
                 "initial.u = '1 + noise(-0.05, 0.05)'\ninitial.v = '0.9 + noise(-0.05, 0.05)'\ngrid.size = '16x12'\n");
    const std::string run =
        "mottle run m.toml --threads 1 --dt 0.005 --steps 1000 --until steady=0.3,newton -o q.png --checkpoint s.state ";
    const Result first = folder.run(run + "&& cp q.png p.png");
    ASSERT_NE(first.out.find("uniform"), std::string::npos) << first.out << first.err;
    ASSERT_EQ(folder.run(run + "--resume s.state").code, 0);
    EXPECT_EQ(folder.run("cmp p.png q.png").code, 0);
}

}  // namespace resume_test
