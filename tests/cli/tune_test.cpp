// tests/cli/tune_test.cpp: mottle tune and mottle bench as typed
#include "cli/program.h"

#include <gtest/gtest.h>

#include <regex>

namespace tune_test {

using cli::Folder;
using cli::Result;

constexpr const char* kOwnCache = "export XDG_CACHE_HOME=$PWD/cache; ";

double json_number(const std::string& json, const std::string& key) {
    std::smatch match;
    return std::regex_search(json, match, std::regex("\"" + key + R"re(": ([-+0-9.e]+))re")) ? std::stod(match[1].str()) : -99;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Tune, KeepsWhatItFindsAndChangesNoResult) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    const std::string run = "mottle run gray-scott --size 64x64 --device cpu --steps 300 --quiet -o ";
    ASSERT_EQ(folder.run(kOwnCache + run + "before.npy").code, 0);
    const Result tuned = folder.run(std::string(kOwnCache) + "mottle tune gray-scott --size 64x64 --device cpu --seconds 1 --json");
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    ASSERT_TRUE(tuned.out.starts_with("{") && tuned.out.ends_with("}\n")) << tuned.out;
    EXPECT_EQ(json_number(tuned.out, "cells"), 4096);
    const bool remembered = has(tuned.out, "\"remembered\": true");
    EXPECT_EQ(remembered, json_number(tuned.out, "gain") > 0.02 && 2 * json_number(tuned.out, "won") > json_number(tuned.out, "rounds") &&
                              folder.has("cache/mottle/schedules.txt"));
    EXPECT_TRUE(has(tuned.out, "\"interrupted\": false"));
    ASSERT_EQ(folder.run(kOwnCache + run + "after.npy").code, 0);
    EXPECT_EQ(folder.read("before.npy"), folder.read("after.npy"));
    if (remembered) {
        std::smatch best;
        ASSERT_TRUE(std::regex_search(tuned.out, best, std::regex(R"re("best": "([^"]*)")re")));
        const Result used = folder.run(std::string(kOwnCache) + "mottle run gray-scott --size 64x64 --device cpu --steps 3");
        EXPECT_TRUE(has(used.out, best[1].str())) << used.out;
    }
    EXPECT_EQ(
        folder
            .run(std::string(kOwnCache) + "mkdir -p cache/mottle; head -c 999 /dev/urandom > cache/mottle/schedules.txt; " + run + "c.npy")
            .code,
        0)
        << "a broken book is no error";
    EXPECT_EQ(folder.read("before.npy"), folder.read("c.npy"));
}

TEST(Tune, TellsAPersonWhatItFound) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    const Result result = folder.run(std::string(kOwnCache) + "mottle tune heat --mesh sphere:3 --device cpu --threads 1 --seconds 0.5");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(result.out, "tuned    heat")) << result.out;
    EXPECT_TRUE(has(result.out, "1 thread\n")) << result.out;
    EXPECT_TRUE(has(result.out, "(cost model)\n")) << result.out;
    EXPECT_TRUE(has(result.out, "\nbest     ")) << result.out;
}

TEST(Tune, RefusesWithTheNextMove) {
    const Folder folder;
    const Result schedule = folder.run("mottle tune gray-scott --schedule steps=3");
    EXPECT_EQ(schedule.code, 3);
    EXPECT_TRUE(has(schedule.err, "omit --schedule")) << schedule.err;
    const Result seconds = folder.run("mottle tune gray-scott --seconds many");
    EXPECT_EQ(seconds.code, 3);
    EXPECT_TRUE(has(seconds.err, "not 'many'")) << seconds.err;
    const Result reference = folder.run("mottle tune gray-scott --size 16x16 --device reference --json");
    EXPECT_EQ(reference.code, 3);
    EXPECT_TRUE(has(reference.out, "no schedules to choose from")) << reference.out;
}

TEST(Tune, AnInterruptKeepsWhatWasFound) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    const Result result =
        folder.run(std::string(kOwnCache) +
                   "timeout --foreground -s INT 2 mottle tune gray-scott --size 64x64 --device cpu --seconds 600 --json; echo $?");
    EXPECT_TRUE(has(result.out, "\"interrupted\": true")) << result.out << result.err;
}

TEST(Bench, VerifiesMeasuresAndSaysWhatItMeans) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    const Result json = folder.run("mottle bench --seconds 1 --threads 1 --json");
    ASSERT_EQ(json.code, 0) << json.err;
    ASSERT_TRUE(json.out.starts_with("{") && json.out.ends_with("}\n")) << json.out;
    for (const char* key : {"verified", "cpu", "device", "isa", "limits", "rates", "share_of_limit", "version"}) {
        EXPECT_TRUE(has(json.out, "\"" + std::string(key) + "\": ")) << key;
    }
    EXPECT_EQ(json_number(json.out, "threads"), 1);
    const double share = json_number(json.out, "share_of_limit");  // how large is the machine's affair, not a test's
    EXPECT_GT(share, 0);
    EXPECT_EQ(folder.run("mottle bench --seconds 0").code, 3);
    EXPECT_EQ(folder.run("mottle bench --threads 0").code, 3);
}

TEST(Bench, ItsTableEndsInASentence) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    const Result result = folder.run("mottle bench --seconds 1");
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* part : {"bit for bit", "gray-scott 2048x2048", "chemotaxis sphere:5", "memory", "14 operations per cell"}) {
        EXPECT_TRUE(has(result.out, part)) << part << "\n" << result.out;
    }
    EXPECT_TRUE(result.out.ends_with("of the peak arithmetic throughput of this machine.\n")) << result.out;
}

}  // namespace tune_test
