// tests/ranks/mpirun_test.cpp: the program under mpirun against one process: the bytes of its files, its messages, and how it ends
#include "mpirun.h"
#include "rough_mesh.h"

#include "mottle/image/png.h"

#include <cstdlib>
#include <vector>

namespace mpirun_test {

using mpirun::count_of;
using mpirun::on;
using mpirun::Result;
using mpirun::signalled;

class Mpirun : public mpirun::Test {
   protected:
    /// Runs `arguments` alone and on ranks; `files` are those that it writes with -o.
    void expect_same_files(const std::string& arguments, const std::vector<std::string>& files, const std::vector<int>& counts,
                           const std::string& verb = "run") {
        const auto command = [&](const std::string& to) {
            std::string text = "mkdir -p " + to + " && cd " + to + " && COMMAND mottle " + verb + " " + arguments + " --quiet";
            for (const std::string& file : files) text += " -o " + file;
            return text;
        };
        const auto with = [](std::string text, const std::string& launcher) { return text.replace(text.find("COMMAND "), 8, launcher); };
        const Result alone = folder.run(with(command("alone"), ""));
        ASSERT_EQ(alone.code, 0) << alone.err;
        for (const int count : counts) {
            const std::string to = "on" + std::to_string(count);
            const Result result = folder.run(with(command(to), on(count)));
            ASSERT_EQ(result.code, 0) << arguments << " on " << count << " ranks: " << result.err;
            EXPECT_EQ(folder.run("diff -r alone " + to).out, "") << arguments << " on " << count << " ranks";
            folder.run("rm -r " + to);
        }
        folder.run("rm -r alone");
    }
};

TEST_F(Mpirun, FilesOfAPlane) {
    expect_same_files("gray-scott --size 203x151 --steps 300 --seed 5 --threads 1", {"a.npy", "a.png", "a.mp4", "a.csv"}, {1, 2, 3, 4, 7});
    expect_same_files(
        "gray-scott --size 101x97 --steps 60 --precision f64 --threads 2 --boundary "
        "'top=value(0.3),bottom=no-flux,left=still,right=outside(0.2)'",
        {"a.npy", "'f*.png'", "a.vti"}, {2, 3});
}

TEST_F(Mpirun, ASteadyStateByNewton) {
    expect_same_files("schnakenberg --size 24x20 --time 300 --precision f64 --threads 1 --until steady=newton", {"a.npy"}, {2, 3});
}

// Blocks that are cut within a pixel, along both axes.
TEST_F(Mpirun, PicturesOfSeveralCellsPerPixel) {
    expect_same_files("gray-scott --size 203x151 --steps 60 --frames 4 --seed 5 --threads 1 --cells-per-pixel 3",
                      {"a.png", "a.mp4", "a.gif", "'f%02d.png'"}, {2, 4, 7});
}

TEST_F(Mpirun, FilesOfAVolume) {
    expect_same_files("gray-scott --size 31x29x23 --steps 40 --threads 1 --method rk4", {"a.npy", "a.vti", "a.png"}, {2, 3, 4, 7});
}

TEST_F(Mpirun, FilesOfASurface) {
    expect_same_files("gray-scott --mesh sphere:4 --steps 60 --threads 1", {"a.npy", "a.ply", "a.vtu"}, {1, 2, 3, 7});
    folder.write("rough.obj", rough::mesh(41, 37));
    expect_same_files("gray-scott --mesh ../rough.obj --steps 60 --threads 1 --frames 2",
                      {"a.npy", "a.vtu", "b.vtp", "c.pvd", "'d%02d.npy'"}, {1, 2, 3, 4, 7});
    expect_same_files("gray-scott --mesh ../rough.obj --steps 60 --threads 2 --precision f64", {"a.npy", "a.vtu"}, {2, 3});
}

// Norms of differences, and states that are copied when a stretch is rejected.
TEST_F(Mpirun, FilesWithATolerance) {
    expect_same_files("gray-scott --size 61x48 --time 400 --tolerance 1e-3 --threads 1", {"a.npy"}, {2, 3});
    expect_same_files("schnakenberg --size 50x31 --time 10 --tolerance 1e-4 --precision f64 --threads 1", {"a.npy"}, {3});
    expect_same_files("gray-scott --size 24x20x18 --time 60 --tolerance 1e-3 --threads 1", {"a.npy"}, {2});
    expect_same_files("gray-scott --mesh sphere:3 --time 60 --tolerance 1e-3 --threads 1", {"a.npy"}, {2});
}

TEST_F(Mpirun, TheCellThatIsNotFiniteIsTheSame) {
    folder.write("stripe.toml",  // which alone grows beyond all bounds
                 "[equations]\nu = \"where(X > 0.3, where(X < 0.4, u^2, 0), 0)\"\n[initial]\nu = \"1 + Y\"\n[time]\ndt = 1\n");
    const auto what = [&](const std::string& launcher) {
        const std::string text = folder.run(launcher + "mottle run stripe.toml --size 96x60 --steps 12 --threads 1").err;
        const std::size_t at = text.find("first in ");
        return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
    };
    const std::string alone = what("");
    EXPECT_NE(alone.find("cell (29, 0)"), std::string::npos) << alone;
    EXPECT_EQ(what(on(3)), alone);
}

// Between machines; those of one machine share memory.
TEST_F(Mpirun, HalosThatAreMessages) {
    setenv("MOTTLE_SHARED_HALOS", "0", 1);
    expect_same_files("gray-scott --size 203x151 --steps 300 --seed 5 --threads 1", {"a.npy"}, {2, 4});
    expect_same_files("gray-scott --size 31x29x23 --steps 40 --threads 1", {"a.npy"}, {3});
    expect_same_files("gray-scott --mesh sphere:4 --steps 60 --threads 1", {"a.npy"}, {2});
    unsetenv("MOTTLE_SHARED_HALOS");
}

// The halos of this plane are larger than the files that `ulimit` allows, and those of Open MPI are smaller.
TEST_F(Mpirun, TheWayOfHalosIsSaid) {
    const std::string run = on(2) + "mottle run gray-scott --size 60000x64 --steps 40 --threads 1";
    const auto expect = [&](const std::string& command, const std::string& words) {
        const Result result = folder.run(command);
        EXPECT_EQ(result.code, 0) << command << result.err;
        EXPECT_EQ(count_of(result, words), 1) << command << result.out << result.err;
    };
    expect(run, "1 machine, halos in shared memory");
    expect("MOTTLE_SHARED_HALOS=0 " + run, "1 machine, halos in messages");
    expect("ulimit -f 6000; " + run, "1 machine, halos in messages");
}

TEST_F(Mpirun, NoiseMapsAndSums) {
    folder.write(
        "noisy.toml",
        "[equations]\nu = \"0.2*lap(u) + m*(mean(u) - u) + 0.1*white() - 0.1*u^3 + 0.05*q\"\n[parameters]\nm = \"0.1 + noise(0, 0.2)\"\n"
        "q = \"0.5*spots(9, 6)\"\n[initial]\nu = \"noise(-1, 1)*X\"\n[time]\ndt = 0.2\n");
    expect_same_files("../noisy.toml --size 73x65 --steps 50 --seed 11", {"a.npy", "a.csv"}, {2, 3, 7});
}

// Each rank forms those of its own vertices; the nearest vertex to the centre of a spot may be another rank's.
TEST_F(Mpirun, StartsOfSurfaces) {
    folder.write("rough.obj", rough::mesh(41, 37));
    folder.write(
        "mixed.toml",
        "[equations]\nu = \"0.1*lap(u) + 0.1*m - 0.1*u\"\nv = \"0.1*lap(v) - 0.1*v + q\"\n[parameters]\nm = \"0.1 + noise(0, 0.2)\"\n"
        "q = \"0.1*spots(90, 1.5)\"\n[initial]\nu = \"noise(-1, 1)*X + sin(y)\"\nv = \"spots(7, 4) + near(0.5, 0.5, 0, 3) - 0.5*z\"\n"
        "[time]\ndt = 0.1\n");
    expect_same_files("../mixed.toml --mesh ../rough.obj --scale 0.7 --steps 1 --seed 11", {"a.npy"}, {1, 2, 3, 4, 7});
    expect_same_files("../mixed.toml --mesh sphere:4 --scale 9 --steps 20 --seed 3 --precision f64", {"a.npy"}, {2, 3, 7});
    expect_same_files("../mixed.toml --mesh ../rough.obj --over q=0,1 --steps 9", {"a.npy"}, {2}, "sweep");
}

// Each rank reads of a picture what its own cells lie between: colours and gray, pictures with more pixels than cells and with fewer.
TEST_F(Mpirun, StartsAndMapsFromPictures) {
    const auto paint = [&](const std::string& name, int width, int height, int channels) {
        mottle::image::Image image{width, height, channels, {}};
        for (int i = 0; i < width * height * channels; ++i)
            image.pixels.push_back(static_cast<std::uint8_t>((i * 89 + i / 7 * i + 13) % 256));
        mottle::image::write_png(folder.path() / name, image);
    };
    paint("large.png", 310, 290, 3);
    paint("small.png", 17, 23, 1);
    folder.write(
        "pictured.toml",
        "[equations]\nu = \"0.1*lap(u) + m*(0.5 - u)\"\nv = \"0.1*lap(v) - 0.1*v\"\n[parameters]\nm = \"0.1*image(\\\"small.png\\\")\"\n"
        "[initial]\nu = \"image(\\\"large.png\\\")\"\nv = \"image(\\\"small.png\\\")*noise(0, 1) + image(\\\"large.png\\\")\"\n[time]\ndt "
        "= 0.1\n");
    expect_same_files("../pictured.toml --size 97x83 --steps 30", {"a.npy"}, {1, 2, 3, 4, 7});
    expect_same_files("../pictured.toml --size 97x83 --steps 30 --boundary no-flux", {"a.npy"}, {2, 7});
    expect_same_files("../pictured.toml --size 29x23x19 --steps 9", {"a.npy"}, {2, 3, 7});
    expect_same_files("../pictured.toml --size 40x34 --steps 9 --over m=0.1,0.2", {"a.npy"}, {2}, "sweep");
    ASSERT_EQ(folder.run("mottle run pictured.toml --size 97x83 --steps 30 -o alone.npy").code, 0);
    for (const char* blocks : {"4x1", "2x2"}) {
        const Result result = folder.run(on(4) + "mottle run pictured.toml --size 97x83 --steps 30 -o on4.npy --schedule blocks=" + blocks +
                                         " && cmp alone.npy on4.npy");
        EXPECT_EQ(result.code, 0) << blocks << result.out << result.err;
    }
    const auto refusal = [&](const std::string& launcher) {
        const Result result = folder.run(launcher + "timeout 60 mottle run pictured.toml --size 97x83 --steps 1");
        EXPECT_EQ(result.code, 3) << result.err;
        EXPECT_EQ(count_of(result, "error: "), 1) << result.out << result.err;
        const std::size_t first = result.err.find("error: ");
        return first == std::string::npos ? result.err : result.err.substr(first, result.err.find('\n', first) - first);
    };
    folder.run("head -c 20000 large.png > cut.png && mv cut.png large.png");
    EXPECT_EQ(refusal(on(3)), refusal("")) << "it ends too early";
    folder.run("rm large.png");
    EXPECT_EQ(refusal(on(3)), refusal("")) << "it is not there";
}

TEST_F(Mpirun, CheckpointsGoOnOnAnyNumberOfRanks) {
    folder.write("rough.obj", rough::mesh(41, 37));
    for (const char* domain : {"--size 120x90", "--mesh rough.obj"}) {
        const std::string run = "mottle run gray-scott --seed 2 --threads 1 --quiet " + std::string(domain);
        const std::string first = run + " --steps 200 --checkpoint ", rest = run + " --steps 500 --resume ";
        ASSERT_EQ(folder.run(run + " --steps 500 -o whole.npy").code, 0);
        ASSERT_EQ(folder.run(first + "alone.state").code, 0);
        ASSERT_EQ(folder.run(on(4) + first + "four.state").code, 0);
        EXPECT_EQ(folder.run("cmp alone.state four.state").code, 0) << domain;
        for (const std::string& launcher : {std::string(), on(1), on(3), on(7)}) {
            const Result result = folder.run("rm -f end.npy && " + launcher + rest + "four.state -o end.npy && cmp whole.npy end.npy");
            EXPECT_EQ(result.code, 0) << domain << launcher << result.err;
        }
    }
}

TEST_F(Mpirun, SaysWhatIsWrongOnce) {
    const auto expect = [&](const std::string& arguments, int code, const std::string& words) {
        const Result result = folder.run(on(3) + "timeout 60 mottle " + arguments);
        EXPECT_EQ(result.code, code) << arguments << result.err;
        EXPECT_EQ(count_of(result, "error: "), 1) << arguments << result.out << result.err;
        EXPECT_EQ(count_of(result, words), 1) << arguments << result.out << result.err;
    };
    expect("run gray-scot", 3, "there is no model 'gray-scot'");
    expect("run gray-scott --size 2x1", 3, "a 2x1 grid cannot be cut for 3 ranks");
    expect("run gray-scott --size 40x40 --schedule blocks=2x2", 3, "blocks=2x2 is not for 3 ranks");
    expect("run gray-scott --size 40x2 --schedule blocks=1x3", 3, "a 40x2 grid cannot be cut into 1x3 blocks");
    expect("run gray-scott --mesh sphere:3 --schedule blocks=3x1", 3, "has no key 'blocks'");
    expect("tune gray-scott --size 40x40 --schedule blocks=3x1", 3, "omit --schedule");
    expect("tune gray-scott --size 40x40 --device reference", 3, "no schedules to choose from");
    expect("run gray-scott --mesh tetrahedron-of-nobody", 3, "there is none named 'tetrahedron-of-nobody'");
    expect("sweep gray-scott --size 40x40 --over F=0.03,0.04 --steps 20 -o nowhere/a.png", 3, "nowhere' does not exist");
    expect("sweep gray-scott --size 40x40 --over F=0.03,0.04 --steps 3000 --dt 3", 5, "all runs diverged");
    expect("run gray-scott --size 40x40 --method imex", 3, "does not work on several ranks yet");
    expect("sweep gray-scott --size 40x40 --over F=0.03,0.04 --method imex", 3, "does not work on several ranks yet");
    expect("run gray-scott --size 400 --schedule blocks=1x3", 3, "it has one cell along y, which cannot be cut");
    expect("bench", 3, "`mottle bench` runs in one process");
    setenv("MOTTLE_SHARED_HALOS", "off", 1);
    expect("run gray-scott --size 40x40 --steps 1", 3, "MOTTLE_SHARED_HALOS of rank 0 is neither 0");
    unsetenv("MOTTLE_SHARED_HALOS");
    expect("run gray-scott --size 40x40 --steps 20 --device cpu:nothing", 3, "unknown device");
    expect("run gray-scott --size 40x40 --steps 3000 --dt 3", 5, "diverged");
    expect("run gray-scott --size 40x40 --steps 20 -o nowhere/a.npy", 3, "nowhere' does not exist");
    folder.write("corner.toml",
                 "[equations]\nu = \"lap(u)\"\n[initial]\nu = \"where(X*Y > 0.9, 1/0, 1)\"\n");  // seen by the last rank alone
    expect("run corner.toml --size 96x60 --steps 1 --boundary no-flux", 3, "the initial state of 'u' is inf at cell (95, 54)");
    expect("run corner.toml --mesh plane:31x23 --steps 1", 3, "the initial state of 'u' is inf at vertex ");
    folder.write("spotted.toml", "[equations]\nu = \"lap(u)\"\n[initial]\nu = \"spots(200000, 1)\"\n");
    expect("run spotted.toml --mesh sphere:3 --steps 1", 3, "2e+05 spots are requested");
}

// More members than ranks and fewer, members that end early and move, frames on the way; and those with states of their own, which stay.
TEST_F(Mpirun, FilesOfSweeps) {
    const auto expect = [&](const std::string& arguments, const std::vector<std::string>& files, const std::vector<int>& counts) {
        expect_same_files(arguments, files, counts, "sweep");
    };
    expect("gray-scott --size 40x34 --steps 700 --frames 3 --threads 1 --over k=0.056:0.066:3 --over F=0.02,0.04",
           {"a.png", "a.csv", "a.npy", "'f%02d.png'"}, {1, 2, 3, 7});
    expect("schnakenberg --size 24x24 --precision f64 --until steady=1e-3 --steps 20000 --threads 2 --over b=0.8,1.2,2", {"a.csv", "a.npy"},
           {2});
    expect("gray-scott --mesh sphere:3 --steps 300 --threads 1 --over F=0.03,0.05", {"a.csv", "a.npy"}, {2, 3});
    expect("gray-scott --size 30x30 --time 200 --tolerance 1e-2 --threads 1 --over F=0.03,0.04,0.05", {"a.csv", "a.npy"}, {2});
}

TEST_F(Mpirun, ARankOfASweepThatIsKilledEndsTheOthers) {
    const std::string sweep =
        "mottle sweep gray-scott --size 100x100 --threads 1 --quiet --steps 100000000 --every 500 --over F=0.02:0.05:6 ";
    const Result result = folder.run(signalled(on(3) + sweep + "-o f%06d.png", "KILL", 2, 0.1, "f000001.png"));
    EXPECT_NE(result.code, 0);
    EXPECT_NE(result.code, 124) << "they went on for a minute";
    EXPECT_LE(std::stoll(folder.read("ended")) - std::stoll(folder.read("killed")), mpirun::kPatience / 2);
}

TEST_F(Mpirun, BlocksAndHalosChangeNoBit) {
    const auto expect = [&](const std::string& run, const std::vector<std::string>& schedules) {
        ASSERT_EQ(folder.run(run + " -o alone.npy").code, 0) << run;
        for (const std::string& schedule : schedules) {
            const Result result =
                folder.run("rm -f on4.npy && " + on(4) + run + " -o on4.npy --schedule '" + schedule + "' && cmp alone.npy on4.npy");
            EXPECT_EQ(result.code, 0) << schedule << ": " << result.out << result.err;
        }
    };
    expect("mottle run gray-scott --size 71x53 --steps 100 --threads 1 --quiet",
           {"blocks=4x1", "blocks=2x2", "blocks=1x4", "halo=3", "steps=2 halo=7 blocks=4x1", "steps=8 halo=3"});
    expect("mottle run gray-scott --size 23x19x17 --steps 30 --threads 1 --quiet", {"blocks=2x1x2", "blocks=1x1x4 halo=4"});
    expect("mottle run gray-scott --mesh sphere:3 --steps 50 --threads 1 --quiet", {"halo=5", "steps=2 halo=4"});
    const Result said = folder.run(on(4) + "mottle run gray-scott --size 71x53 --steps 1 --threads 1 --schedule 'halo=3 blocks=2x2'");
    EXPECT_EQ(count_of(said, "halo=3 blocks=2x2"), 1) << said.out << said.err;
    const Result alone = folder.run("mottle run gray-scott --size 71x53 --steps 1 --schedule blocks=2x2");
    EXPECT_EQ(alone.code, 3);
    EXPECT_EQ(count_of(alone, "a schedule with blocks=2x2 is for a run that several ranks share"), 1) << alone.err;
    folder.write("of-ranks.toml", "model = \"gray-scott\"\n[run]\nschedule = \"blocks=2x1\"\n");
    EXPECT_NE(folder.run("mottle run of-ranks.toml --size 71x53").err.find("of-ranks.toml:3"), std::string::npos)
        << "the place in the file";
    const Result one = folder.run("mottle run gray-scott --size 71x53 --steps 1 --schedule 'blocks=1x1 halo=3'");
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(count_of(one, "the key halo of the schedule is for several ranks"), 1) << one.err;
}

TEST_F(Mpirun, OtherCommandsRunOnce) {
    const Result result = folder.run(on(3) + "mottle devices");
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(count_of(result, "mpirun        yes  Open MPI"), 1) << result.out;
}

// As a batch system warns: SIGTERM to the processes themselves. How long a launcher waits that passes a signal on is its own affair.
TEST_F(Mpirun, AnInterruptedRunKeepsItsState) {
    const std::string run = "mottle run gray-scott --size 200x200 --threads 1 --steps 1000000000 ";
    const Result result = folder.run(signalled(on(3) + run + "--checkpoint a.state --checkpoint-every 0.2", "TERM", 0));
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_EQ(count_of(result, ", interrupted\n"), 1) << result.out << result.err;
    const Result look = folder.run("timeout -s TERM 3 " + run + "--resume a.state");
    EXPECT_EQ(count_of(look, "continues from step "), 1) << look.err;
}

// The launcher ends the others; the last state is whole, and the run goes on from it to the same bits.
TEST_F(Mpirun, ARankThatIsKilledEndsTheOthers) {
    const std::string run = "mottle run gray-scott --size 150x130 --threads 1 --quiet ";
    const Result result = folder.run(signalled(on(3) + run + "--steps 1000000000 --checkpoint a.state --checkpoint-every 0.2", "KILL", 1));
    EXPECT_NE(result.code, 0);
    EXPECT_NE(result.code, 124) << "they went on for a minute";
    EXPECT_LE(std::stoll(folder.read("ended")) - std::stoll(folder.read("killed")), mpirun::kPatience / 2);
    const std::string resume = run + "--resume a.state ";
    const Result look =
        folder.run("timeout -s TERM 3 mottle run gray-scott --size 150x130 --threads 1 --resume a.state --steps 1000000000");
    const std::string words = "continues from step ";
    const std::size_t at = look.err.find(words);
    ASSERT_NE(at, std::string::npos) << look.err;
    std::string step = look.err.substr(at + words.size(), look.err.find(' ', at + words.size()) - at - words.size());
    std::erase(step, ',');
    const std::string steps = "--steps " + std::to_string(std::stoll(step) + 3000);
    ASSERT_EQ(folder.run(resume + steps + " -o alone.npy").code, 0);
    ASSERT_EQ(folder.run(on(2) + resume + steps + " -o ranks.npy").code, 0);
    EXPECT_EQ(folder.run("cmp alone.npy ranks.npy").code, 0);
}

}  // namespace mpirun_test
