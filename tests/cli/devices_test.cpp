// tests/cli/devices_test.cpp: several devices of one process that share a run: the files of one device, and what is refused
#include "program.h"

#include <gtest/gtest.h>

namespace devices_test {

using cli::Folder;
using cli::Result;

TEST(SharedDevices, WriteTheFilesOfOne) {
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 203x151 --seed 5 --threads 3 --frames 5 --quiet ";
    const std::string files = " --steps 200 -o a.npy -o a.png -o a.vti -o a.csv -o a.gif --checkpoint a.state && cd .. ";
    ASSERT_EQ(folder.run("mkdir one three && cd one && " + run + "--device cpu" + files).code, 0);
    const Result result = folder.run("cd three && " + run + "--devices cpu,cpu:portable,cpu" + files);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(folder.run("diff -r one three").out, "");
    EXPECT_EQ(folder.run("cd one && " + run + "--devices cpu,cpu --steps 300 --resume a.state -o b.npy").code, 0);
    EXPECT_EQ(folder.run("cd three && " + run + "--device cpu --steps 300 --resume a.state -o b.npy").code, 0);
    EXPECT_EQ(folder.run("cmp one/b.npy three/b.npy").code, 0);
}

TEST(SharedDevices, RefusesWhatCannotBe) {
    const Folder folder;
    const auto expect = [&](const std::string& arguments, int code, const std::string& words) {
        const Result result = folder.run("timeout 60 mottle " + arguments);
        EXPECT_EQ(result.code, code) << arguments << result.err;
        EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    };
    expect("run gray-scott --devices 0", 3, "devices wants two or more");
    expect("run gray-scott --devices cpu,gpu", 3, "unknown device 'gpu'");
    expect("run gray-scott --devices cpu,cpu --device cpu", 3, "device and devices are both given");
    expect("run gray-scott --size 2x1 --devices cpu,cpu,cpu", 3, "a 2x1 grid cannot be cut for 3 ranks");
    expect("sweep gray-scott --over F=0.03,0.04 --devices cpu,cpu -o a.png", 3, "omit --devices");
}

}  // namespace devices_test
