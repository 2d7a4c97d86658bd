// tests/cli/program_test.cpp: the folder in which the other tests run commands tells failures
#include "cli/program.h"

#include <gtest/gtest.h>

namespace cli {

TEST(Program, FailuresAndWordsComeThrough) {
    const Folder folder;
    const Result result = folder.run("echo a; echo b >&2; touch made; exit 7");
    EXPECT_EQ(result.code, 7);
    EXPECT_EQ(result.out, "a\n");
    EXPECT_EQ(result.err, "b\n");
    EXPECT_TRUE(folder.has("made"));
}

}  // namespace cli
