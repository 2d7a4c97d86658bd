// tests/cli/collisions_test.cpp: no run writes one file twice, or over what it reads
#include "cli/program.h"

#include <gtest/gtest.h>

namespace collisions_test {

using cli::Folder;
using cli::Result;

TEST(Collisions, AnOutputNeverReplacesWhatTheRunReads) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X'\n[time]\nsteps = 1\n[run]\ndevice = 'reference'\n");
    ASSERT_EQ(folder.run("mottle run m.toml --mesh sphere:1 -o in.ply && ln -s in.ply link.ply").code, 0);
    const std::string mesh = folder.read("in.ply");
    for (const char* output : {"in.ply", "./in.ply", "link.ply"}) {
        const Result result = folder.run(std::string("mottle run m.toml --mesh in.ply -o ") + output);
        EXPECT_EQ(result.code, 3) << output;
        EXPECT_NE(result.err.find("would replace the mesh "), std::string::npos) << result.err;
    }
    EXPECT_EQ(folder.read("in.ply"), mesh);
    EXPECT_EQ(folder.run("mottle run m.toml --mesh in.ply -o out.ply").code, 0);
    if (!MOTTLE_HAVE_PNG) return;
    folder.write("p.toml", "[equations]\nu = 'lap(u)'\n[initial]\nu = \"image('in.png')\"\n[grid]\nsize = '8x8'\n[time]\nsteps = 1\n");
    ASSERT_EQ(folder.run("mottle run m.toml --size 8x8 -o in.png").code, 0);
    EXPECT_NE(folder.run("mottle run p.toml -o in.png").err.find("would replace the picture "), std::string::npos);
    EXPECT_NE(folder.run("mottle check p.toml && mkdir s && cd s && mottle run ../p.toml -o in.png && ls").out.find("in.png"),
              std::string::npos)
        << "another file of that name";
}

constexpr const char* kModel = "equations.u = 'lap(u)'\ninitial.u = 'X'\ngrid.size = '8x8'\ntime = {steps = 4, dt = 0.1}\n";

TEST(Collisions, TwoOutputsAreNotOneFile) {
    const Folder folder;
    folder.write("m.toml", kModel);
    folder.write("old.npy", "old");
    folder.run("ln -s old.npy link.npy; ln -s new.npy dangling.npy; mkdir d; ln -s d e");
    for (const char* outputs : {"-o k-%05d.npy -o k-00002.npy", "-o k-00002.npy -o k-%05d.npy", "-o pv.pvd -o pv-00001.vti",
                                "-o pv.pvd -o pv-%05d.vti", "-o old.npy -o link.npy", "-o new.npy -o dangling.npy", "-o a.npy -o ./a.npy",
                                "-o d/a.npy -o e/a.npy", "-o d/k-%d.npy -o e/k-3.npy", "-o k-%d.npy -o k-1%d.npy",
                                "-o k-%3d.npy -o 'k-  2.npy'", "-o a.npy --checkpoint a.npy", "-o k-%05d.npy --checkpoint k-00001.npy"}) {
        for (const char* command : {"run", "check"}) {
            const Result result = folder.run(std::string("mottle ") + command + " m.toml --frames 4 " + outputs);
            EXPECT_EQ(result.code, 3) << command << " " << outputs << result.err;
            const bool told =
                result.err.find("would replace") != std::string::npos || result.err.find("two outputs write") != std::string::npos;
            EXPECT_TRUE(told) << result.err;
        }
    }
    EXPECT_EQ(folder.read("old.npy"), "old");
    for (const char* outputs : {"-o k-%05d.npy -o k-2.npy", "-o k-%05d.npy -o k-00002.vti",
                                "-o k-%d.npy -o k-02.npy -o k-%03d.vti -o j-%d.npy", "-o pv.pvd -o pv-1.vti", "-o s/k-%d.npy -o k-3.npy"}) {
        folder.run("mkdir -p s");
        EXPECT_EQ(folder.run(std::string("mottle run m.toml --frames 4 --force ") + outputs).code, 0) << outputs;
    }
}

TEST(Collisions, NoOutputIsTheModel) {
    const Folder folder;
    const std::string model = kModel;
    folder.write("in.npy", model);
    folder.run("ln in.npy hard.npy");
    for (const char* output : {"in.npy", "./in.npy", "hard.npy"}) {
        const Result result = folder.run(std::string("mottle run ./in.npy -o ") + output);
        EXPECT_EQ(result.code, 3) << output;
        EXPECT_NE(result.err.find("would replace the model"), std::string::npos) << result.err;
    }
    folder.write("frame-00003.npy", model);
    EXPECT_EQ(folder.run("mottle run ./frame-00003.npy --frames 4 -o frame-%05d.npy").code, 3);
    folder.write("run.csv", "model = './in.npy'\n");
    EXPECT_EQ(folder.run("mottle run ./run.csv -o run.csv").code, 3);
    EXPECT_EQ(folder.run("mottle run ./run.csv -o in.npy").code, 3);
    EXPECT_EQ(folder.read("in.npy"), model);
    EXPECT_EQ(folder.run("mottle run ./run.csv -o out.npy").code, 0);
}

TEST(Collisions, NoOutputIsTheStateThatARunGoesOnFrom) {
    const Folder folder;
    folder.write("m.toml", kModel);
    ASSERT_EQ(folder.run("mottle run m.toml --checkpoint state.npy").code, 0);
    const std::string state = folder.read("state.npy");
    EXPECT_EQ(folder.run("mottle run m.toml --steps 8 --resume state.npy -o state.npy").code, 3);
    EXPECT_EQ(folder.run("mottle run m.toml --steps 8 --resume state.npy --checkpoint state.npy -o ./state.npy").code, 3);
    EXPECT_EQ(folder.read("state.npy"), state);
    EXPECT_EQ(folder.run("mottle run m.toml --steps 8 --resume state.npy --checkpoint ./state.npy -o a.npy").code, 0);
}

TEST(Collisions, OfASweepToo) {
    const Folder folder;
    folder.write("m.toml", std::string(kModel) + "parameters.a = 1\n");
    EXPECT_EQ(folder.run("mottle sweep m.toml --over a=1:2:2 -o a-%d.png -o a-1.png").code, 3);
    EXPECT_EQ(folder.run("mottle sweep ./m.toml --over a=1:2:2 -o ./m.toml -o b.npy").code, 3);
}

}  // namespace collisions_test
