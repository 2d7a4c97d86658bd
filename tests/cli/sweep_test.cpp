// tests/cli/sweep_test.cpp: mottle sweep as typed
#include "cli/program.h"

#include <gtest/gtest.h>

#include <regex>

namespace sweep_test {

using cli::Folder;
using cli::Result;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* kSmall =
    "mottle sweep gray-scott --size 32x32 --steps 200 --device reference --over k=0.055:0.065:3 --over F=0.03,0.05 ";

TEST(Sweep, TellsAPersonWhatRanAndWhatCameOfIt) {
    const Folder folder;
    const Result result = folder.run(std::string(kSmall) + "--threads 2 -o table.csv -o ends.npy");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(result.out, "swept    gray-scott/coral, 6 runs on a 32x32 grid, 200 steps of 1 to t = 200\n")) << result.out;
    EXPECT_TRUE(has(result.out, "over     k 0.055, 0.06, 0.065\nover     F 0.03, 0.05\n")) << result.out;
    EXPECT_TRUE(has(result.out, "2 threads, f32\n")) << result.out;
    EXPECT_TRUE(has(result.out, "ended    6 reached\n")) << result.out;
    EXPECT_TRUE(std::regex_search(result.out, std::regex("field    v: std from [0-9.e-]+ \\(k = 0\\.0[0-9]+, F = 0\\.0[35]\\) to ")))
        << result.out;
    EXPECT_TRUE(has(result.out, "/table.csv\nwrote    ")) << result.out;
    const std::string table = folder.read("table.csv");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 7);
    EXPECT_TRUE(has(table, "\n0.065,0.05,reached,200,200,")) << table;
}

TEST(Sweep, IsOneObjectForScripts) {
    const Folder folder;
    const Result result = folder.run(std::string(kSmall) + "--json");
    ASSERT_EQ(result.code, 0) << result.err;
    ASSERT_TRUE(result.out.starts_with("{\"model\": \"gray-scott\"") && result.out.ends_with("}\n")) << result.out;
    EXPECT_TRUE(has(result.out, "\"axes\": {\"k\": [0.055")) << result.out;
    EXPECT_TRUE(has(result.out, "\"verdict\": \"reached\", \"steps\": 200, \"time\": 200")) << result.out;
    EXPECT_TRUE(has(result.out, "\"outputs\": []")) << result.out;
    const Result numbers =
        folder.run("mottle sweep gray-scott --size 8x8 --steps 3 --dt 0.1 --over F=0.07,1e-7,0.0017075250000000001 --json");
    EXPECT_TRUE(has(numbers.out, "\"F\": [0.07, 1e-07, 0.001707525]")) << "as short as reads back: " << numbers.out << numbers.err;
    EXPECT_TRUE(has(numbers.out, "\"dt\": 0.1,")) << numbers.out;
}

TEST(Sweep, TakesSurfacesForNumbers) {
    const Folder folder;
    const Result result = folder.run("mottle sweep chemotaxis --mesh sphere:2 --time 5 --device reference --over alpha=10,14 -o table.csv");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(folder.read("table.csv"), "\n14,reached,")) << folder.read("table.csv");
}

TEST(Sweep, SaysWhatIsWrong) {
    const Folder folder;
    const Result none = folder.run("mottle sweep gray-scott");
    EXPECT_EQ(none.code, 3);
    EXPECT_TRUE(has(none.err, "--over F=0.02:0.06:9")) << none.err;
    const Result unknown = folder.run("mottle sweep gray-scott --over f=1,2");
    EXPECT_EQ(unknown.code, 3);
    EXPECT_TRUE(has(unknown.err, "the model has no parameter 'f'; did you mean 'F'?")) << unknown.err;
    const Result large =
        folder.run("mottle sweep gray-scott --size 4096x4096 --device reference --over k=0.05:0.06:100 --over F=0.02:0.06:100 --json");
    EXPECT_EQ(large.code, 3);
    EXPECT_TRUE(has(large.err, "a sweep of 10,000 runs on a 4096x4096 grid needs 1.61 TB of memory, ")) << large.err;
    EXPECT_TRUE(has(large.out, "\"kind\": \"input\"")) << large.out;
    const Result diverged = folder.run("mottle sweep gray-scott --size 32x32 --device reference --over Du=5,6 --steps 3000 --json");
    EXPECT_EQ(diverged.code, 5);
    EXPECT_TRUE(has(diverged.out, "\"kind\": \"diverged\"")) << diverged.out;
    EXPECT_TRUE(has(diverged.err, "all runs diverged; Du = 5: the field 'u' stopped being finite")) << diverged.err;
}

#if MOTTLE_HAVE_PNG && MOTTLE_HAVE_FFMPEG

TEST(Sweep, DrawsEveryKindOfPicture) {
    const Folder folder;
    const Result result = folder.run(std::string(kSmall) + "-o sheet.png -o part-%02d.png -o all.gif -o all.mp4 --frames 3");
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* file : {"sheet.png", "part-01.png", "part-03.png", "all.gif", "all.mp4"}) EXPECT_TRUE(folder.has(file)) << file;
    EXPECT_FALSE(folder.has("part-04.png"));
}

#endif

}  // namespace sweep_test
