// tests/cli/limits_test.cpp: mottle run where files, disks or memory are limited
#include "cli/program.h"

#include <gtest/gtest.h>

namespace {

using cli::Folder;
using cli::Result;

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

#if !defined(MOTTLE_SANITIZED)  // they take terabytes of addresses
TEST(Limits, WhatALimitOnMemoryLeavesIsWhatIsAvailable) {
    const Folder folder;
    folder.write("m.toml", "equations.u = 'lap(u)'\ninitial.u = 'X'\n");
    const Result result = folder.run("ulimit -v 3000000; mottle run m.toml --size 2147483648x1");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find(" GB of memory, "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(", 3.0"), std::string::npos) << result.err;
    EXPECT_EQ(folder.run("ulimit -v 3000000; mottle run m.toml --size 64 --steps 3 --device reference").code, 0);
    const Result narrow = folder.run("ulimit -v 1000000; mottle run m.toml --size 1x20000000 --steps 1");
    EXPECT_EQ(narrow.code, 3);
    EXPECT_NE(narrow.err.find("needs 1."), std::string::npos) << narrow.err;
}
#endif

}  // namespace
