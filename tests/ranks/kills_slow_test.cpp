// tests/ranks/kills_slow_test.cpp: a run of which a rank is killed again and again comes to the bits of one that nobody disturbs
#include "mpirun.h"

#include <future>
#include <random>
#include <string>
#include <vector>

namespace kills_slow_test {

using mpirun::on;
using mpirun::Result;

class Kills : public mpirun::Test {};

const std::string kRun = "mottle run gray-scott --size 400x300 --threads 1 --quiet ";

/// A run in a folder of its own, `kills` times killed at any moment, also while a state is written, and each time continued on as many ranks as it happens to be.
void kill_again_and_again(unsigned seed, int kills) {
    const mpirun::Folder folder;
    std::mt19937 chance(seed);
    for (int kill = 0; kill < kills; ++kill) {
        const int ranks = 2 + static_cast<int>(chance() % 3), rank = static_cast<int>(chance() % static_cast<unsigned>(ranks));
        const double seconds = 0.001 * static_cast<double>(chance() % 200);
        const std::string command =
            on(ranks) + kRun + "--checkpoint-every 0.05 --steps 1000000000 --checkpoint a.state " + (kill > 0 ? "--resume a.state" : "");
        const Result result = folder.run(mpirun::signalled(command, "KILL", rank, seconds));
        SCOPED_TRACE("seed " + std::to_string(seed) + ", kill " + std::to_string(kill) + ", what they said: " + result.out + result.err);
        ASSERT_NE(result.code, 0);
        ASSERT_NE(result.code, 124) << "they went on for " << mpirun::kPatience << " s";
        // Where a busy disk takes long to keep a state, a process that is killed ends only after that.
        ASSERT_LE(std::stoll(folder.read("ended")) - std::stoll(folder.read("killed")), mpirun::kPatience / 2);
        ASSERT_TRUE(folder.has("a.state"));
        ASSERT_EQ(result.err.find("cannot resume"), std::string::npos);
    }
    const Result look = folder.run("strings a.state | grep -m1 '^step = ' | tr -dc 0-9");
    const long long step = std::stoll(look.out);
    ASSERT_GT(step, 0);
    const std::string steps = "--steps " + std::to_string(step + 500) + " ";
    const Result undisturbed = folder.run(kRun + steps + "-o undisturbed.npy");
    ASSERT_EQ(undisturbed.code, 0) << undisturbed.err;
    const Result killed = folder.run(on(3) + kRun + "--resume a.state " + steps + "-o killed.npy");
    ASSERT_EQ(killed.code, 0) << killed.out << killed.err;
    EXPECT_EQ(folder.run("cmp undisturbed.npy killed.npy").code, 0);
}

// Most of the time mpirun waits for what it has asked to end, so five runs share the cores.
TEST_F(Kills, FiftyOfThem) {
    std::vector<std::future<void>> runs;
    for (unsigned seed = 1; seed <= 5; ++seed) runs.push_back(std::async(std::launch::async, kill_again_and_again, seed, 10));
    for (std::future<void>& run : runs) run.get();
}

}  // namespace kills_slow_test
