// tests/cli/check_ranks_test.cpp: mottle check --ranks: runs of any size on any number of processes, from a machine that could hold none of them
#include "program.h"

#include <gtest/gtest.h>

namespace cli {
namespace check_ranks_test {

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// 2^40 cells are 9 TB; the check takes less than 3 GB of addresses, of which a sanitizer wants more.
TEST(CheckRanks, AMillionByAMillionCells) {
    const Folder folder;
    const std::string limit = sanitized() ? "" : "ulimit -v 3000000; ";
    const Result result = folder.run(limit + "mottle check gray-scott --ranks 4096 --size 1048576x1048576 --threads 1");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(result.out, "1048576x1048576 grid")) << result.out;
    EXPECT_TRUE(has(result.out, "on 4,096 ranks of 1 thread, a network of 2.00 us and 12.0 GB/s:")) << result.out;
    EXPECT_TRUE(has(result.out, " blocks of ")) << result.out;
    for (const char* line : {"  memory ", "  halo ", "  exchange ", "  rate ", "  pass ", "  speed ", " efficiency "})
        EXPECT_TRUE(has(result.out, line)) << line << result.out;
}

TEST(CheckRanks, GivenBlocksSurfacesAndOneRank) {
    const Folder folder;
    const Result cut = folder.run("mottle check gray-scott --ranks 4 --size 512x512 --threads 1 --schedule 'blocks=2x2 halo=8'");
    EXPECT_EQ(cut.code, 0) << cut.err;
    EXPECT_TRUE(has(cut.out, "2 x 2 blocks of 256x256")) << cut.out;
    EXPECT_TRUE(has(cut.out, "every 8 steps")) << cut.out;
    const Result surface = folder.run("mottle check gray-scott --ranks 3 --mesh sphere:4 --threads 1");
    EXPECT_EQ(surface.code, 0) << surface.err;
    EXPECT_TRUE(has(surface.out, "3 parts of about 8")) << "2,562 vertices: " << surface.out;
    const Result alone = folder.run("mottle check gray-scott --ranks 1 --size 64x64 --threads 1");
    EXPECT_TRUE(has(alone.out, "exchange  none")) << alone.out;
    EXPECT_TRUE(has(alone.out, "efficiency 100 %")) << alone.out;
}

TEST(CheckRanks, SaysWhatIsWrong) {
    const Folder folder;
    const auto expect = [&](const std::string& flags, const std::string& words) {
        const Result result = folder.run("mottle check gray-scott " + flags);
        EXPECT_EQ(result.code, 3) << flags;
        EXPECT_TRUE(has(result.err, words)) << flags << ": " << result.err;
        EXPECT_FALSE(has(result.out, "ok")) << flags << ": " << result.out;
    };
    expect("--ranks 0", "--ranks must be a whole number from 1 to 4,194,304, not '0'");
    expect("--ranks 2 --schedule blocks=2x2", "blocks=2x2 is not for 2 ranks");
    expect("--schedule blocks=2x2", "a schedule with blocks=2x2 is for a run that several ranks share");
    expect("--ranks two", "not 'two'");
    expect("--network 2us,12GB/s", "needs --ranks N");
    expect("--ranks 2 --network fast", "--network is the latency and the bandwidth of a network");
    expect("--ranks 2 --method imex", "use rkl1 or rkl2");
    expect("--ranks 100 --size 9x9", "a 9x9 grid cannot be cut for 100 ranks");
    expect("--ranks 4 --size 64x64 --device nothing", "unknown device");
    EXPECT_EQ(folder.run("mottle run gray-scott --ranks 2").code, 3);
}

}  // namespace check_ranks_test
}  // namespace cli
