// tests/ranks/interrupted_slow_test.cpp: large runs with video and checkpoint on ranks, killed on their way and resumed, against one process
#include "mpirun.h"

namespace interrupted_slow_test {

using mpirun::on;
using mpirun::Result;

class Interrupted : public mpirun::Test {
   protected:
    /// `run`: of one thread, without its files. It is killed `seconds` after its first state, and goes on with `ranks`.
    void expect_same(const std::string& run, int steps, double seconds, int ranks) {
        const std::string all = run + " --threads 1 --quiet --frames 8 --cells-per-pixel 4 --steps " + std::to_string(steps);
        const std::string files = " -o a.npy -o 'f%02d.png' -o a.mp4 ";
        ASSERT_EQ(folder.run("mkdir -p alone && cd alone && " + all + files).code, 0);
        const std::string kept = "--checkpoint a.state --checkpoint-every 0.3 ";
        const Result killed = folder.run(mpirun::signalled(on(2) + all + files + kept, "KILL", 1, seconds));
        ASSERT_NE(killed.code, 0) << "it came to its end before it was killed";
        ASSERT_NE(killed.code, 124) << "they went on for a minute";
        const Result rest = folder.run(on(ranks) + all + files + "--resume a.state --force");
        ASSERT_EQ(rest.code, 0) << rest.err;
        EXPECT_EQ(folder.run("cmp alone/a.npy a.npy").code, 0);
        EXPECT_EQ(folder.run("for f in alone/f*.png; do cmp $f ${f#alone/} || exit 1; done").code, 0);
        EXPECT_EQ(folder.run("ls f*.png | wc -l").out, "8\n");
        EXPECT_TRUE(folder.has("a.mp4"));
        folder.run("rm -rf alone f*.png a.*");
    }
};

TEST_F(Interrupted, APlane) { expect_same("mottle run gray-scott --size 2048x1536 --seed 3", 4000, 0.5, 3); }

TEST_F(Interrupted, AVolume) { expect_same("mottle run gray-scott --size 160x150x140 --seed 3 --dt 0.5", 1500, 0.5, 4); }

}  // namespace interrupted_slow_test
