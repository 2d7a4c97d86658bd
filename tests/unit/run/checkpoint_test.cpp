// tests/unit/run/checkpoint_test.cpp: a run that goes on from a file ends in the bits of one that was never interrupted
#include "kernel_cache.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/checkpoint.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
#include "mottle/image/png.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <functional>

#include <sys/syscall.h>
#include <unistd.h>

namespace checkpoint_test {

using namespace mottle;
namespace fs = std::filesystem;

/// The files, in order, for which the library has waited until the disk has them, under the names that they get; none: nothing is noted.
std::vector<fs::path>* on_disk = nullptr;

struct Listener : core::Observer {
    void notice(const std::string& message) override { notices += message + "\n"; }
    bool keep_going(core::Moment now, double) override { return !go_on || go_on(now); }
    std::string notices;
    std::function<bool(core::Moment)> go_on;
};

constexpr const char* kModel = R"toml(
[equations]
u = "0.1*lap(u) - u*v^2 + F*(1 - u) + 0.001*sin(t)*m"
v = "0.05*lap(v) + u*v^2 - (F + 0.06)*v"
[parameters]
F = 0.037
m = "X"
[initial]
u = "noise(0.4, 1)"
v = "noise(0, 0.5)"
[time]
dt = 0.5
)toml";

class CheckpointTest : public testing::Test {
   protected:
    CheckpointTest() : folder_(fs::temp_directory_path() / ("mottle_state_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~CheckpointTest() override { fs::remove_all(folder_); }

    fs::path file(const std::string& name) const { return folder_ / name; }
    std::string flag(const char* key, const std::string& name) const { return std::string(key) + " = '" + file(name).string() + "'\n"; }
    std::unique_ptr<run::Simulation> start(const std::string& flags) {
        return std::make_unique<run::Simulation>(
            run::read_spec(core::parse_document(kModel, "test.toml"), "test", "", core::parse_document(flags, "flags")), context_);
    }
    static std::vector<std::uint64_t> bits(run::Simulation& simulation) {
        std::vector<std::uint64_t> result;
        const auto& domain = simulation.spec().domain;
        std::vector<double> row(static_cast<std::size_t>(domain::row_length(domain)));
        for (const ir::Array array : {0, 1}) {
            for (core::Index y = 0; y < domain::row_count(domain); ++y) {
                simulation.kernel().read_row(simulation.field().state(), array, y, std::span<double>(row));
                for (const double x : row) result.push_back(std::bit_cast<std::uint64_t>(x));
            }
        }
        return result;
    }
    std::string refusal(const std::string& flags) {
        try {
            start(flags);
        } catch (const core::InputError& error) {
            return error.message();
        }
        return "(taken)";
    }

    fs::path folder_;
    core::ThreadTeam team_{2};
    Listener observer_;
    core::Context context_{team_, observer_, kernel_cache()};
};

/// 203 steps at once, beside 77 of them and the rest from their state.
struct CheckpointEnd : CheckpointTest {
    void expect_the_same_end(const std::string& flags) {
        const auto whole = start(flags + "steps = 203");
        whole->run_to_end();
        start(flags + "steps = 77\n" + flag("checkpoint", "a.state"))->run_to_end();
        const auto rest = start(flags + "steps = 203\n" + flag("resume", "a.state"));
        EXPECT_EQ(rest->first_step(), 77);
        EXPECT_EQ(rest->now().time, 77 * 0.3);
        EXPECT_NE(bits(*rest), bits(*whole)) << flags;
        EXPECT_EQ(rest->run_to_end().at.step, 203);
        EXPECT_EQ(bits(*rest), bits(*whole)) << flags;
    }
};

TEST_F(CheckpointEnd, IsThatOfAnUninterruptedRun) {
    for (const std::string domain : {"size = '37x21'\n", "size = '64'\n", "size = '17x9x7'\n", "mesh = 'sphere:3'\nmesh_scale = 8\n"}) {
        for (const char* precision : {"f32", "f64"}) {
            const std::string flags = domain + "precision = '" + precision + "'\ndt = 0.3\n";
            expect_the_same_end(flags);
        }
    }
}

TEST_F(CheckpointEnd, IsTheSameWithStepsOfManyStages) {
    for (const std::string domain : {"size = '37x21'\n", "size = '17x9x7'\n", "mesh = 'sphere:3'\nmesh_scale = 8\n"}) {
        for (const char* method : {"method = 'rkl1'\nstages = 3\n", "method = 'rkl2'\nstages = 7\n"}) {
            for (const char* precision : {"f32", "f64"}) {
                const std::string flags = domain + method + "precision = '" + precision + "'\ndt = 0.3\n";
                expect_the_same_end(flags);
            }
        }
    }
}

TEST_F(CheckpointTest, OfOtherStagesIsRefused) {
    const std::string flags = "size = '16x16'\nmethod = 'rkl2'\ndt = 0.5\nsteps = 10\n";
    start(flags + "stages = 5\n" + flag("checkpoint", "a.state"))->run_to_end();
    EXPECT_NE(refusal(flags + "stages = 6\n" + flag("resume", "a.state")).find("its steps have 5 stages"), std::string::npos);
    EXPECT_EQ(refusal(flags + "stages = 5\n" + flag("resume", "a.state")), "(taken)");
}

TEST_F(CheckpointTest, AfterANewTimeStepItIsOneOfThatStep) {
    const std::string flags = "size = '16x12'\nsteps = 40\nprecision = 'f64'\n";
    const auto whole = start(flags + flag("checkpoint", "s.state"));
    whole->advance_to(10);
    whole->set_time_step(0.25);
    whole->run_to_end();
    EXPECT_DOUBLE_EQ(whole->now().time, 20);
    EXPECT_NE(refusal(flags + flag("resume", "s.state")), "(taken)") << "of the dt that the model names";
    const auto again = start("size = '16x12'\nsteps = 80\nprecision = 'f64'\ndt = 0.25\n" + flag("resume", "s.state"));
    EXPECT_EQ(again->now().step, whole->now().step);
    EXPECT_DOUBLE_EQ(again->now().time, whole->now().time);
    EXPECT_EQ(bits(*again), bits(*whole));
}

TEST_F(CheckpointTest, AnInterruptedRunKeepsItsState) {
    observer_.go_on = [](core::Moment) { return false; };  // as soon as it is asked
    const auto first = start("size = '16x16'\nsteps = 100000000\n" + flag("checkpoint", "a.state"));
    const stepper::Outcome outcome = first->run_to_end();
    ASSERT_EQ(outcome.verdict, stepper::Verdict::stopped);
    observer_.go_on = nullptr;
    const std::string steps = "size = '16x16'\nsteps = " + std::to_string(outcome.at.step + 501) + "\n";
    const auto rest = start(steps + flag("resume", "a.state")), whole = start(steps);
    EXPECT_EQ(rest->first_step(), outcome.at.step);
    rest->run_to_end();
    whole->run_to_end();
    EXPECT_EQ(bits(*rest), bits(*whole));
}

// Files are written before the state: when a process is killed between the two, its state may know no frame of a file that is there.
TEST_F(CheckpointTest, AFileWhoseFirstFrameIsYoungerThanTheStateIsWrittenAnew) {
    const auto output = [&](const char* name) { return "[[output]]\n" + flag("file", name); };
    observer_.go_on = [](core::Moment) { return false; };
    const auto first = start("size = '16x16'\nsteps = 100000000\nevery = 50000000\n" + flag("checkpoint", "a.state") + output("part.csv"));
    const core::Index step = first->run_to_end().at.step;
    ASSERT_LT(step, 50000000);
    observer_.go_on = nullptr;
    const std::string steps = "size = '16x16'\nsteps = " + std::to_string(step + 700) + "\nevery = " + std::to_string(step + 300) + "\n";
    start(steps + output("whole.csv"))->run_to_end();
    fs::copy_file(file("whole.csv"), file("part.csv"), fs::copy_options::overwrite_existing);
    start(steps + flag("resume", "a.state") + output("part.csv"))->run_to_end();
    const auto text = [&](const char* name) {
        std::ifstream in(file(name));
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    EXPECT_NE(text("whole.csv"), "");
    EXPECT_EQ(text("part.csv"), text("whole.csv"));
}

// What a process that is killed leaves behind.
TEST_F(CheckpointTest, IsKeptWhileTheRunGoesOn) {
    bool seen = false;
    observer_.go_on = [&](core::Moment) {
        seen = seen || fs::exists(file("a.state"));
        return !seen;
    };
    start("size = '16x16'\nsteps = 100000000\ncheckpoint_every = 1e-9\n" + flag("checkpoint", "a.state"))->run_to_end();
    EXPECT_TRUE(seen);
}

// What a power failure leaves behind: no state that knows more frames than its files have.
TEST_F(CheckpointTest, TheDiskHasTheFilesBeforeTheState) {
    std::vector<fs::path> seen;
    const auto run = start("size = '16x16'\nsteps = 20\nevery = 10\n" + flag("checkpoint", "a.state") + "[[output]]\n" +
                           flag("file", "a.csv") + "[[output]]\n" + flag("file", "a.pvd") + "[[output]]\n" + flag("file", "last.npy"));
    on_disk = &seen;
    run->run_to_end();
    on_disk = nullptr;
    EXPECT_EQ(seen, (std::vector<fs::path>{file("a.csv"), folder_, file("a-00001.vti"), file("a-00002.vti"), file("a.pvd"), folder_,
                                           file("a.state"), folder_}));
}

TEST_F(CheckpointTest, NumbersOfFramesGoOn) {
    const std::string flags = "size = '16x16'\nevery = 50\n[[output]]\nfile = '" + file("f-%d.npy").string() + "'\n[[output]]\nfile = '" +
                              file("p-%d.png").string() + "'\n";
    start("checkpoint = '" + file("a.state").string() + "'\nsteps = 170\n" + flags)->run_to_end();  // 50, 100, 150 and the end
    const auto rest = start("resume = '" + file("a.state").string() + "'\nsteps = 300\n" + flags);
    fs::remove(file("f-3.npy"));
    rest->run_to_end();
    EXPECT_FALSE(fs::exists(file("f-3.npy")));
    EXPECT_EQ(rest->files(), (std::vector<fs::path>{file("f-4.npy"), file("f-6.npy"), file("p-4.png"), file("p-6.png")}));
    for (const char* name : {"f-4.npy", "f-5.npy", "f-6.npy", "p-5.png"}) EXPECT_TRUE(fs::exists(file(name))) << name;
    start("steps = 300\n" + std::string("size = '16x16'\nevery = 50\n[[output]]\nfile = '") + file("w-%d.npy").string() + "'\n")
        ->run_to_end();
    EXPECT_EQ(core::read_file(file("w-4.npy")), core::read_file(file("f-4.npy")));
    EXPECT_EQ(core::read_file(file("w-6.npy")), core::read_file(file("f-6.npy")));
}

// A script that always says both cannot know whether the run is done.
TEST_F(CheckpointTest, AFinishedRunWritesItsEndAndNothingElse) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without PNG";
    const auto output = [&](const char* name) { return "[[output]]\nfile = '" + file(name).string() + "'\n"; };
    const std::string both = "size = '16x16'\nsteps = 60\nevery = 20\n" + flag("checkpoint", "a.state");
    start(both + output("a.npy") + output("a.png") + output("f-%d.npy"))->run_to_end();
    const auto state = core::read_file(file("a.state")), numbers = core::read_file(file("a.npy")), picture = core::read_file(file("a.png"));
    for (const char* name : {"a.npy", "a.png", "f-1.npy", "f-2.npy", "f-3.npy"}) ASSERT_TRUE(fs::remove(file(name))) << name;
    const auto before = fs::last_write_time(file("a.state"));
    observer_.notices.clear();
    const auto again = start(both + flag("resume", "a.state") + output("a.npy") + output("a.png") + output("f-%d.npy") + output("a.gif"));
    EXPECT_NE(observer_.notices.find("already finished: the state in"), std::string::npos) << observer_.notices;
    EXPECT_EQ(again->run_to_end().verdict, stepper::Verdict::reached);
    EXPECT_EQ(again->now().step, 60);
    EXPECT_EQ(again->files(), (std::vector<fs::path>{file("a.npy"), file("a.png")}));
    EXPECT_EQ(core::read_file(file("a.npy")), numbers);
    EXPECT_EQ(core::read_file(file("a.png")), picture);
    for (const char* name : {"f-1.npy", "f-3.npy", "f-4.npy", "a.gif"}) EXPECT_FALSE(fs::exists(file(name))) << name;
    EXPECT_EQ(core::read_file(file("a.state")), state);
    EXPECT_EQ(fs::last_write_time(file("a.state")), before);
}

TEST_F(CheckpointTest, RefusesWhatIsNotItsOwn) {
    const std::string grid = "size = '16x16'\n", longer = "steps = 100\n" + flag("resume", "a.state");
    start(grid + "steps = 10\n" + flag("checkpoint", "a.state"))->run_to_end();
    EXPECT_EQ(refusal(grid + longer), "(taken)");
    EXPECT_NE(refusal("size = '16x17'\n" + longer).find("16x16 grid"), std::string::npos);
    EXPECT_NE(refusal(grid + longer + "precision = 'f64'").find("--precision f32"), std::string::npos);
    EXPECT_NE(refusal(grid + longer + "dt = 0.25").find("--dt 0.5"), std::string::npos);
    EXPECT_NE(refusal(grid + longer + "boundary = 'no-flux'").find("other equations, boundary rules"), std::string::npos);
    const std::string spacing = refusal(grid + longer + "spacing = [2, 4]");
    EXPECT_NE(spacing.find("its spacing is 1, but this run has 2,4; use --spacing 1"), std::string::npos) << spacing;
    EXPECT_EQ(refusal(grid + "steps = 10\n" + flag("resume", "a.state")), "(taken)") << "it is finished";
    EXPECT_NE(refusal(grid + "steps = 9\n" + flag("resume", "a.state")).find("more --steps"), std::string::npos);
    EXPECT_NE(refusal(grid + "steps = 100\n" + flag("resume", "b.state")).find("no such file"), std::string::npos);
    EXPECT_EQ(refusal(grid + longer + "parameters.F = 0.03"), "(taken)");
    EXPECT_NE(observer_.notices.find("F is 0.03 from here on; before, it was 0.037"), std::string::npos) << observer_.notices;
    const std::string whole = core::read_file(file("a.state")).value_or("");
    for (std::size_t at : {std::size_t{3}, std::size_t{60}, whole.size() / 2, whole.size() - 5}) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 1);
        std::ofstream(file("a.state"), std::ios::binary) << broken;
        EXPECT_NE(refusal(grid + longer), "(taken)") << at;
    }
    for (std::size_t length : {std::size_t{0}, std::size_t{10}, std::size_t{200}, whole.size() - 1}) {
        std::ofstream(file("a.state"), std::ios::binary) << whole.substr(0, length);
        EXPECT_NE(refusal(grid + longer), "(taken)") << length;
    }
}

// The hash is no secret: whoever writes a file may write what is true of no run.
TEST_F(CheckpointTest, RefusesAStepThatNoRunReaches) {
    const std::string grid = "size = '16x16'\n";
    start(grid + "steps = 10\n" + flag("checkpoint", "a.state"))->run_to_end();
    const std::string whole = core::read_file(file("a.state")).value_or("");
    const std::string line = "step = \"10\"\n";
    const std::size_t at = whole.find(line);
    ASSERT_NE(at, std::string::npos);
    for (const char* step : {"1e300", "9007199254740994", "inf", "-1", "nan", "ten"}) {
        std::string forged =
            whole.substr(0, at) + "step = \"" + step + "\"\n" + whole.substr(at + line.size(), whole.size() - at - line.size() - 32);
        forged += core::hash_hex(core::hash_text(forged));
        std::ofstream(file("a.state"), std::ios::binary) << forged;
        EXPECT_NE(refusal(grid + "steps = 100\n" + flag("resume", "a.state")).find("its step is not a number from 0 to 2^53"),
                  std::string::npos)
            << step;
    }
}

image::Image gray(std::uint8_t value) { return {2, 1, 1, {value, 200}}; }

TEST_F(CheckpointTest, RefusesWhereAPictureHasChanged) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without PNG";
    const std::string picture = file("ground.png").string();
    const std::string map = "parameters.m = \"image('" + picture + "')\"\n", initial = "initial.v = \"image('" + picture + "')\"\n";
    const std::string longer = "size = '16x16'\nsteps = 20\n" + flag("resume", "a.state");
    for (const std::string& flags : {map, initial, map + initial}) {
        image::write_png(picture, gray(10));
        start("size = '16x16'\nsteps = 10\n" + flag("checkpoint", "a.state") + flags)->run_to_end();
        EXPECT_EQ(refusal(longer + flags), "(taken)");
        image::write_png(picture, gray(11));
        if (flags == initial)
            EXPECT_EQ(refusal(longer + flags), "(taken)") << "what follows does not depend on the start";
        else
            EXPECT_NE(refusal(longer + flags).find("'" + picture + "' has changed since"), std::string::npos) << refusal(longer + flags);
        // Another picture, or none, is a change that somebody made.
        EXPECT_EQ(refusal(longer), "(taken)");
    }
    EXPECT_NE(observer_.notices.find("the map 'm' changes from here on"), std::string::npos) << observer_.notices;
}

TEST_F(CheckpointTest, RefusesWhereAMeshHasChanged) {
    auto write = [&](const std::string& top, const std::string& value) {
        std::ofstream(file("a.ply")) << "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
                                        "property float q\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
                                     << "0 0 0 1\n1 0 0 2\n0 1 0 3\n0.2 0.2 " << top << " " << value
                                     << "\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    };
    const std::string on = "mesh = '" + file("a.ply").string() + "'\ndt = 0.01\nparameters.m = \"attr('q')\"\n", scale = "mesh_scale = 1\n";
    const std::string longer = on + "steps = 20\n" + flag("resume", "a.state");
    write("1", "4");
    start(on + scale + "steps = 10\n" + flag("checkpoint", "a.state"))->run_to_end();
    EXPECT_EQ(refusal(longer + scale), "(taken)");
    EXPECT_NE(refusal(longer + "mesh_scale = 2\n").find("use --scale 1"), std::string::npos);
    write("1.5", "4");
    EXPECT_NE(refusal(longer + scale).find("'a.ply' has changed since"), std::string::npos) << "a place";
    write("1", "5");
    EXPECT_NE(refusal(longer + scale).find("'a.ply' has changed since"), std::string::npos) << "an attribute";
    write("1", "4");
    EXPECT_EQ(refusal(longer + scale), "(taken)");
}

TEST_F(CheckpointTest, TellsOfMapsThatHaveChanged) {
    const std::string grid = "size = '16x16'\n", longer = grid + "steps = 20\n" + flag("resume", "a.state");
    const std::string map = "parameters.m = \"X*noise(0, 1)\"\n";
    start(grid + "steps = 10\n" + flag("checkpoint", "a.state") + map)->run_to_end();
    EXPECT_EQ(refusal(longer + map), "(taken)");
    EXPECT_EQ(observer_.notices.find("another one"), std::string::npos) << observer_.notices;
    EXPECT_EQ(refusal(longer + map + "seed = 3\n"), "(taken)");
    EXPECT_NE(observer_.notices.find("the map 'm' changes from here on"), std::string::npos) << "other random numbers";
    observer_.notices.clear();
    EXPECT_EQ(refusal(longer), "(taken)");
    EXPECT_NE(observer_.notices.find("the map 'm' changes from here on"), std::string::npos) << observer_.notices;
}

// The weights of a tensor's rows are made before the first step; a parameter in them is a parameter nevertheless.
TEST_F(CheckpointTest, TellsOfParametersOfATensorThatHaveChanged) {
    const std::string on = "mesh = 'sphere:2'\nmesh_scale = 10\ndt = 0.1\n";
    auto simulate = [&](const std::string& direction, const std::string& flags) {
        const std::string model = "[equations]\nu = 'div(tensor(1, 0.1, " + direction +
                                  ")*grad(u))'\nv = '0'\n[parameters]\nangle = 0.1\n[initial]\nu = 'noise(0, 1)'\nv = '0'\n";
        const auto simulation = std::make_unique<run::Simulation>(
            run::read_spec(core::parse_document(model, "test.toml"), "test", "", core::parse_document(on + flags, "flags")), context_);
        simulation->run_to_end();
        return bits(*simulation);
    };
    const std::string direction = "cos(angle), sin(angle), 0", longer = "steps = 20\n" + flag("resume", "a.state");
    simulate(direction, "steps = 10\n" + flag("checkpoint", "a.state"));
    const auto same = simulate(direction, longer);
    EXPECT_EQ(observer_.notices.find("from here on"), std::string::npos) << observer_.notices;
    EXPECT_NE(simulate(direction, longer + "parameters.angle = 0.4\n"), same) << "the new angle has no effect";
    EXPECT_NE(observer_.notices.find("angle is 0.4 from here on; before, it was 0.1"), std::string::npos) << observer_.notices;
    EXPECT_THROW(simulate("sin(angle), cos(angle), 0", longer), core::InputError) << "another tensor is another set of equations";
}

// The name of a file may hold what TOML does not take in quotes.
TEST_F(CheckpointTest, NamesOfFilesAreOnlyNames) {
    const std::string name = file("a\"b\\c\xff.off").string();
    std::ofstream(name) << "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    auto on = [&](const std::string& flags) {
        core::Node node = core::parse_document("mesh_scale = 1\ndt = 0.01\n" + flags, "flags");
        node.at("mesh") = core::text_node(name, "--mesh");
        return run::read_spec(core::parse_document(kModel, "test.toml"), "test", "", node);
    };
    run::Simulation(on("steps = 10\n" + flag("checkpoint", "a.state")), context_).run_to_end();
    EXPECT_EQ(run::Simulation(on("steps = 20\n" + flag("resume", "a.state")), context_).first_step(), 10);
}

TEST_F(CheckpointTest, AVideoIsNotReplacedByItsRest) {
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "built without FFmpeg";
    start("size = '16x16'\nsteps = 10\n" + flag("checkpoint", "a.state"))->run_to_end();
    std::ofstream(file("a.mp4")) << "the first part";
    const std::string flags =
        "size = '16x16'\nsteps = 30\nframes = 3\n" + flag("resume", "a.state") + "[[output]]\nfile = '" + file("a.mp4").string() + "'\n";
    EXPECT_NE(refusal(flags).find("give another file name"), std::string::npos);
    EXPECT_EQ(core::read_file(file("a.mp4")), "the first part");
    EXPECT_EQ(refusal("force = true\n" + flags), "(taken)");
}

TEST_F(CheckpointTest, ASpaceTimePictureIsNotReplacedByItsRest) {
    start("size = '16'\nsteps = 10\n" + flag("checkpoint", "a.state"))->run_to_end();
    std::ofstream(file("a.png")) << "the first rows";
    const std::string flags =
        "size = '16'\nsteps = 30\nframes = 3\n" + flag("resume", "a.state") + "[[output]]\nfile = '" + file("a.png").string() + "'\n";
    EXPECT_NE(refusal(flags).find("give another file name"), std::string::npos);
}

TEST_F(CheckpointTest, ReplacesNothingButAState) {
    const std::string flags = "size = '16x16'\nsteps = 10\n" + flag("checkpoint", "model.toml");
    std::ofstream(file("model.toml")) << kModel;
    EXPECT_NE(refusal(flags).find("was not written by --checkpoint"), std::string::npos);
    EXPECT_EQ(core::read_file(file("model.toml")), kModel);
    EXPECT_NE(
        refusal("size = '16x16'\nsteps = 10\n" + flag("checkpoint", "a.npy") + "[[output]]\nfile = '" + file("a.npy").string() + "'\n")
            .find("would replace the output"),
        std::string::npos);
    fs::remove(file("model.toml"));
    EXPECT_EQ(refusal(flags), "(taken)");
    start(flags)->run_to_end();
    EXPECT_EQ(refusal(flags), "(taken)") << "a state";
    EXPECT_NE(refusal("size = '16x16'\nsteps = 10\ncheckpoint = ''\n").find("names no file"), std::string::npos);
    EXPECT_NE(refusal("size = '16x16'\nsteps = 10\nresume = ''\n").find("names no file"), std::string::npos);
    EXPECT_NE(refusal("size = '16x16'\nsteps = 10\ncheckpoint_every = 5\n").find("needs the file"), std::string::npos);
}

// Frames closer together than the tests for divergence must not keep the state from being written.
TEST_F(CheckpointTest, IsKeptBetweenFramesAndChecks) {
    for (const std::string& flags : {"steps = 50000\nevery = 10\n[[output]]\nfile = '" + file("f-%05d.npy").string() + "'\n",
                                     std::string("steps = 10000000\nuntil = 'steady=1e-9'\n")}) {
        fs::remove(file("a.state"));
        bool seen = false;
        observer_.go_on = [&](core::Moment) {
            seen = seen || fs::exists(file("a.state"));
            return !seen;
        };
        start("size = '16x16'\ncheckpoint_every = 1e-9\n" + flag("checkpoint", "a.state") + flags)->run_to_end();
        EXPECT_TRUE(seen) << flags;
    }
}

TEST_F(CheckpointTest, UntilEndsWhereAnUninterruptedRunEnds) {
    auto schnakenberg = [&](const std::string& flags) {
        run::Simulation simulation(run::read_spec(model::load_document("schnakenberg"), "schnakenberg", "",
                                                  core::parse_document("size = '32x32'\nuntil = 'steady=2e-2'\n" + flags, "flags")),
                                   context_);
        return simulation.run_to_end();
    };
    const stepper::Outcome whole = schnakenberg("steps = 40000\n");
    ASSERT_EQ(whole.verdict, stepper::Verdict::patterned);
    for (const core::Index step : {core::Index{4000}, whole.at.step - 1024, whole.at.step - 5}) {
        schnakenberg("steps = " + std::to_string(step) + "\n" + flag("checkpoint", "a.state"));
        const stepper::Outcome rest = schnakenberg("steps = 40000\n" + flag("resume", "a.state"));
        EXPECT_EQ(rest.verdict, stepper::Verdict::patterned) << step;
        EXPECT_EQ(rest.at.step, whole.at.step) << step;
    }
}

}  // namespace checkpoint_test

// In place of the system's.
extern "C" int fsync(int descriptor) {
    if (checkpoint_test::on_disk) {
        const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
        checkpoint_test::on_disk->push_back(mottle::core::name_to_come(path));
    }
    return static_cast<int>(syscall(SYS_fsync, descriptor));
}
