// tests/cli/resume_slow_test.cpp: a run that is killed again and again
#include "cli/program.h"

#include <gtest/gtest.h>

#include <string>

namespace resume_slow_test {

using cli::Folder;
using cli::Result;

TEST(ResumeSlow, ManyKillsAndEveryFrameIsThereOnce) {
    const Folder folder;
    const std::string outputs = std::string(" -o s.csv -o i.pvd -o e.npy") + (MOTTLE_HAVE_FFMPEG ? " -o v.gif -o v.mp4" : "");
    const std::string run = "mottle run gray-scott --size 64x64 --threads 1 --every 5000 --steps 3000000" + outputs;
    const std::string state = " --checkpoint s.state --checkpoint-every 0.02";
    folder.run("mkdir whole");
    ASSERT_EQ(folder.run("cd whole && " + run).code, 0);
    for (int kill = 0; kill < 30; ++kill) {
        const std::string seconds = "0." + std::to_string(10 + kill * 37 % 60);
        const Result result =
            folder.run("R=; [ -s s.state ] && R='--resume s.state'; timeout --foreground -s KILL " + seconds + " " + run + state + " $R");
        ASSERT_TRUE(result.code == 0 || result.code == 137) << kill << ": " << result.err;
    }
    const Result rest = folder.run(run + state + " --resume s.state");
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(folder.run("ls -la | grep -F .tmp").out, "");
    const Result same = folder.run(
        "for f in s.csv i.pvd e.npy; do cmp $f whole/$f || exit 1; done; for f in whole/i-*; do cmp $f ${f#whole/} || exit 1; done");
    EXPECT_EQ(same.code, 0) << same.out;
}

}  // namespace resume_slow_test
