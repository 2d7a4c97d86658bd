// tests/cli/limits_test.cpp: mottle run where files, disks or memory are limited
#include "cli/program.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace limits_test {

using cli::Folder;
using cli::Result;
using cli::sanitized;

TEST(Limits, ALimitOnTheSizeOfFilesIsSix) {
    const Folder folder;
    const Result result = folder.run("ulimit -f 10; mottle run heat --size 64x64 --steps 10 -o a.npy");
    EXPECT_EQ(result.code, 6) << result.err;
    EXPECT_FALSE(folder.has("a.npy"));
}

TEST(Limits, AFullDiskIsSix) {
    const Folder folder;
    if (folder.run("mkdir full && mount -t tmpfs -o size=64k tmpfs full").code != 0) GTEST_SKIP() << "no right to mount a small disk";
    const Result result =
        folder.run("mottle run gray-scott --size 256x256 --steps 100 --frames 100 -o full/f-%03d.npy; code=$?; umount full; exit $code");
    EXPECT_EQ(result.code, 6) << result.err;
    EXPECT_EQ(folder.run("mottle devices > /dev/full").code, 6);
}

// The disk of one output is full, that of the others and of the saved state is not.
TEST(Limits, AFullDiskTakesNoOtherOutput) {
    const Folder folder;
    if (folder.run("mkdir full && mount -t tmpfs -o size=64k tmpfs full").code != 0) GTEST_SKIP() << "no right to mount a small disk";
    const std::string common = "mottle run gray-scott --size 128x128 --steps 500 --frames 10 ";
    const Result result = folder.run(common + "-o full/a.npy -o b.npy -o b.csv --checkpoint b.state");
    EXPECT_EQ(result.code, 6) << result.err;
    EXPECT_NE(result.err.find("full/a.npy: No space left"), std::string::npos) << result.err;
    const Result table = folder.run("mottle run gray-scott --size 16x16 --steps 3000 --frames 3000 -o full/a.csv");
    EXPECT_EQ(table.code, 6) << table.err;
    EXPECT_NE(table.err.find("the lines before are kept"), std::string::npos) << table.err;
    const Result rows = folder.run(
        "mottle run gray-scott --size 16x16 --steps 3000 --frames 3000 -o whole.csv && head -c $(stat -c %s full/a.csv) whole.csv | "
        "cmp - full/a.csv && tail -c 1 full/a.csv | od -An -c");
    EXPECT_EQ(rows.code, 0) << rows.err;
    EXPECT_NE(rows.out.find("\\n"), std::string::npos) << rows.out;  // its last line is whole
    folder.run("umount full");
    ASSERT_EQ(folder.run(common + "-o c.npy -o c.csv").code, 0);
    EXPECT_EQ(folder.run("cmp b.npy c.npy && cmp b.csv c.csv").code, 0);
    ASSERT_EQ(folder.run("mottle run gray-scott --size 128x128 --steps 900 --resume b.state -o d.npy").code, 0);
    ASSERT_EQ(folder.run("mottle run gray-scott --size 128x128 --steps 900 -o e.npy").code, 0);
    EXPECT_EQ(folder.run("cmp d.npy e.npy").code, 0);
}

TEST(Limits, EveryCommandSaysThatItsOutputCannotBeWritten) {
    const Folder folder;
    for (const char* command : {"mottle", "mottle help", "mottle help run", "mottle --help", "mottle --version", "mottle run --help",
                                "mottle models", "mottle show gray-scott", "mottle check heat", "mottle devices", "mottle completion bash",
                                "mottle emit heat --what ir", "mottle run heat --size 8x8 --steps 1"}) {
        EXPECT_EQ(folder.run(std::string(command) + " > /dev/full").code, 6) << command;
    }
}

TEST(Limits, ASmallStackIsEnough) {
    if (sanitized()) GTEST_SKIP() << "their frames are larger";
    const Folder folder;
    EXPECT_EQ(folder.run("ulimit -s 64; mottle run gray-scott --size 64x64 --steps 20 --threads 3 -o a.png").code, 0);
    EXPECT_EQ(folder.run("ulimit -s 64; mottle check gray-scott").code, 0);
    if (MOTTLE_HAVE_FFMPEG) {
        EXPECT_EQ(folder.run("ulimit -s 64; mottle run gray-scott --size 64x64 --steps 20 -o a.mp4").code, 0);
    }
}

std::string sum_of(int count, const std::string& term) {
    std::string sum = term;
    for (int i = 1; i < count; ++i) sum += " + " + term;
    return sum;
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Seconds of a processor that `command` takes, whatever else the machine does; sanitizers take several times as many.
double seconds_of(const Folder& folder, const std::string& command, int code = 0) {
    const double before = processor_seconds();
    EXPECT_EQ(folder.run(command).code, code) << command;
    return (processor_seconds() - before) / (sanitized() ? 8 : 1);
}

TEST(Limits, LongFilesAreReadInATimeThatGrowsAsTheyDo) {
    const Folder folder;
    const std::string model = "equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'\ntime = {steps = 1, dt = 0.1}\n";
    std::string parameters = model + "[parameters]\n", presets = model, outputs = model;
    for (int i = 0; i < 60000; ++i) parameters += "p" + std::to_string(i) + " = 1\n";
    for (int i = 0; i < 3000; ++i) presets += "[presets.q" + std::to_string(i) + "]\nseed = " + std::to_string(i) + "\n";
    for (int i = 0; i < 20000; ++i) outputs += "[[output]]\nfile = '" + std::to_string(i) + ".npy'\n";
    folder.write("parameters.toml", parameters);
    folder.write("presets.toml", presets);
    folder.write("outputs.toml", outputs);
    // Squares of these numbers took 18 s, 31 s and 60 s.
    EXPECT_LT(seconds_of(folder, "mottle check parameters.toml"), 9);
    EXPECT_LT(seconds_of(folder, "mottle check presets.toml"), 15);
    EXPECT_LT(seconds_of(folder, "mottle check outputs.toml"), 20);
}

// A run of 4,000 outputs read the folder of its outputs 4,000 times: with 20,000 files there that killed runs have left, 50 s.
TEST(Limits, WhatAKilledRunHasLeftIsFoundByOneLookAtTheFolder) {
    const Folder folder;
    std::string outputs = "equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'\ntime = {steps = 1, dt = 0.1}\n";
    for (int i = 0; i < 4000; ++i) outputs += "[[output]]\nfile = 'o" + std::to_string(i) + ".npy'\n";
    folder.write("outputs.toml", outputs);
    ASSERT_EQ(
        folder.run("for i in $(seq 100); do : > o$i.npy.999999.0.tmp; done; for i in $(seq 20000); do : > p$i.npy.999999.0.tmp; done").code,
        0);
    EXPECT_LT(seconds_of(folder, "ulimit -n 8000; mottle run outputs.toml --device reference"), 20);
    EXPECT_EQ(folder.run("ls | grep -c 'tmp$'; ls | grep -c 'npy$'").out, "20000\n4000\n") << "what is not of this run stays";
}

TEST(Limits, ManyCoupledFieldsStartSoon) {
    const Folder folder;
    std::string equations, initial;
    for (int i = 0; i < 64; ++i) {
        const std::string own = "f" + std::to_string(i);
        equations += "equations." + own + " = '0.1*lap(" + own + ") + " + own;
        for (int j = 0; j < 64; ++j) equations += " - 0.01*f" + std::to_string(j) + "*" + own;
        equations += "'\n";
        initial += "initial." + own + " = '0.5 + 0.1*X'\n";
    }
    folder.write("m.toml", equations + initial);
    EXPECT_LT(seconds_of(folder, "mottle run m.toml --size 8x8 --steps 2000 --dt 0.1 --device reference"), 20);
    const Result result = folder.run("mottle run m.toml --size 8x8 --steps 200 --dt 0.1 --device reference");
    EXPECT_NE(result.out.find(", check "), std::string::npos) << "the time that looking at the fields took: " << result.out;
}

TEST(Limits, AKernelOfManyOperationsIsCompiledForOneRow) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    const auto rows = [&](int count) {
        folder.write("m.toml", "equations.u = 'lap(u) + 0.001*(" + sum_of(count, "white()") + ")'\ninitial.u = 'X'\n");
        return folder.run("mottle emit m.toml --what kernel --size 40x37 --dt 0.1 --device cpu | grep -o 'stage0_rows[0-9]'").out;
    };
    EXPECT_EQ(rows(260), "stage0_rows1\n");
    EXPECT_EQ(
        folder
            .run("for d in cpu reference; do mottle run m.toml --size 40x37 --steps 5 --dt 0.1 --device $d -o $d.npy; done; cmp cpu.npy "
                 "reference.npy")
            .code,
        0);
    EXPECT_NE(rows(20), "stage0_rows1\n");
}

TEST(Limits, OperationsOfACellHaveABoundThatIsNamed) {
    const Folder folder;
    folder.write("m.toml", "equations.u = 'lap(u) + 1e-9*(" + sum_of(120, "white()") + ")'\ninitial.u = 0\n");
    const Result told = folder.run("mottle check m.toml --dt 0.1");
    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_NE(told.out.find(" operations for each cell and step: compiling them takes seconds to minutes"), std::string::npos) << told.out;
    folder.write("n.toml", "equations.u = 'lap(u) + 1e-9*(" + sum_of(3, "(" + sum_of(800, "white()") + ")") + ")'\ninitial.u = 0\n");
    const Result refused = folder.run("mottle check n.toml --dt 0.1");
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("compiling more than 100,000 takes minutes"), std::string::npos) << refused.err;
    EXPECT_EQ(folder.run("mottle run n.toml --dt 0.1 --size 4 --steps 1 --device reference").code, 0);
}

/// What `command` ended with, and the seconds from the signal to its end.
struct Stop {
    int code = -1;
    double seconds = 0;
    std::string out, err;
};

Stop stop(const Folder& folder, const std::string& command, double after, const std::string& signal = "INT") {
    const Result result = folder.run("set -m; " + command + " & sleep " + std::to_string(after) + "; date +%s.%N > from; kill -" + signal +
                                     " $!; wait $!; code=$?; date +%s.%N > to; exit $code");
    return {result.code, std::stod(folder.read("to").substr(3)) - std::stod(folder.read("from").substr(3)), result.out, result.err};
}

TEST(Interrupt, EndsEveryPhaseSoonWith130) {
    const Folder folder;
    folder.write("long.toml", "equations.u = 'lap(u) + 1e-9*(" + sum_of(900, "white()") + ")'\ninitial.u = 0\n");
    std::string presets = "equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'\n";
    for (int i = 0; i < 30000; ++i) presets += "[presets.q" + std::to_string(i) + "]\nseed = 1\n";
    folder.write("presets.toml", presets);
    std::vector<std::pair<std::string, double>> commands = {
        {"mottle check presets.toml", 0.5},                                           // parsing, preparing
        {"mottle run heat --size 12000x12000 --steps 1 --force --threads 2", 0.2},    // the start
        {"mottle mesh info snake:3000000", 0.5},                                      // a mesh
        {"mottle run gray-scott --mesh snake:3000000 --force --steps 1000000", 0.5},  // likewise
        {"mottle bench", 0.5},
    };
    const Stop search = stop(folder, "mottle run schnakenberg --size 160x160 --steps 1 --threads 1 --until steady=newton", 2);
    EXPECT_EQ(search.code, 130) << "Newton's method: " << search.out << search.err;  // "limit reached", and 0
    EXPECT_LT(search.seconds, 10);
    if (MOTTLE_HAVE_JIT) commands.emplace_back("mottle run long.toml --dt 0.1 --size 64x64 --json", 1.5);  // the compiler
    for (const auto& [command, after] : commands) {
        Stop stopped = stop(folder, command, after);
        if (stopped.code == 130 && stopped.err.empty()) stopped = stop(folder, command, 8 * after);  // a busy machine had not begun yet
        EXPECT_EQ(stopped.code, 130) << command << stopped.out << stopped.err;
        EXPECT_LT(stopped.seconds, 10)
            << command;  // a second, and much more on a machine that does much else: the phases go on for longer than that
        EXPECT_NE(stopped.err.find("error: interrupted"), std::string::npos) << command << stopped.err;
        if (command.ends_with("--json")) {
            EXPECT_NE(stopped.out.find("\"kind\": \"interrupted\""), std::string::npos) << stopped.out;
        }
    }
    EXPECT_EQ(stop(folder, "mottle check presets.toml", 0.5, "TERM").code, 130);
}

TEST(Interrupt, OfAPictureUnderWayLeavesNoFile) {
    const Folder folder;
    // the first picture of this surface takes seconds, and begins at once
    const std::string command = "mottle run gray-scott --mesh sphere:4 --pixels 8000x8000 --steps 100 --force -o b-%03d.png";
    Stop stopped = stop(folder, command, 1.2);
    // a busy machine had not begun it: such a run draws its end
    if (folder.run("rm b-*.png").code == 0) stopped = stop(folder, command, 3);
    EXPECT_EQ(stopped.code, 130) << stopped.err;
    EXPECT_LT(stopped.seconds, 10);
    EXPECT_EQ(folder.run("ls | grep -v from | grep -v to").out, "");
}

TEST(Limits, WhatALimitOnMemoryLeavesIsWhatIsAvailable) {
    if (sanitized()) GTEST_SKIP() << "they take terabytes of addresses";
    const Folder folder;
    folder.write("m.toml", "equations.u = 'lap(u)'\ninitial.u = 'X'\n");
    const Result result = folder.run("ulimit -v 3000000; mottle run m.toml --size 2147483648x1");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find(" GB of memory, "), std::string::npos) << result.err;
    const bool nearly_all = result.err.find(", 2.9") != std::string::npos || result.err.find(", 3.0") != std::string::npos;
    EXPECT_TRUE(nearly_all) << "less what stacks take: " << result.err;
    EXPECT_EQ(folder.run("ulimit -v 3000000; mottle run m.toml --size 64 --steps 3 --device reference").code, 0);
    const Result narrow = folder.run("ulimit -v 1000000; mottle run m.toml --size 1x20000000 --steps 1");
    EXPECT_EQ(narrow.code, 3);
    EXPECT_NE(narrow.err.find("needs 1."), std::string::npos) << narrow.err;
}

}  // namespace limits_test
