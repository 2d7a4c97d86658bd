// tests/oracle/language_slow_test.cpp: 1,500 models of chance; with MOTTLE_MODEL_SECONDS ever new ones, for as long
#include "oracle/language/comparison.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

namespace language_slow_test {

class LanguageSlow : public testing::TestWithParam<int> {};

constexpr int kModels = 250;

TEST_P(LanguageSlow, PlainLoopsFindTheSame) {
    if (std::getenv("MOTTLE_MODEL_SECONDS")) GTEST_SKIP() << "new models are asked for";
    for (int i = 0; i < kModels; ++i) {
        const auto seed = static_cast<std::uint64_t>(10000 + GetParam() * kModels + i);
        EXPECT_EQ(language::difference(seed, {i % 2 == 0 && !oracle::lacks("cpu") ? "cpu" : "reference"}), "");
    }
}

TEST_P(LanguageSlow, PlainLoopsFindTheSameByOtherMethods) {
    if (std::getenv("MOTTLE_MODEL_SECONDS")) GTEST_SKIP() << "new models are asked for";
    for (int i = 0; i < kModels; ++i) {
        const auto seed = static_cast<std::uint64_t>(20000 + GetParam() * kModels + i);
        const language::Kind kind = i % 5 == 0 ? language::Kind::table : i % 5 < 3 ? language::Kind::staged : language::Kind::split;
        EXPECT_EQ(language::difference(kind, seed, {i % 2 == 0 && !oracle::lacks("cpu") ? "cpu" : "reference"}), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LanguageSlow, testing::Range(0, 3));

// What it finds becomes a case of tests/oracle/language_test.cpp.
TEST(NewModels, PlainLoopsFindTheSame) {
    const char* seconds = std::getenv("MOTTLE_MODEL_SECONDS");
    if (!seconds) GTEST_SKIP() << "./dev fuzz-models";
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(seconds));
    std::random_device device;
    std::uint64_t seed = std::uint64_t{device()} << 20, count = 0, found = 0;
    for (; std::chrono::steady_clock::now() < end && found < 10; ++seed, ++count) {
        const auto kind = static_cast<language::Kind>(seed / 2 % 3);
        const std::string difference = language::difference(kind, seed, {seed % 2 == 0 && !oracle::lacks("cpu") ? "cpu" : "reference"});
        if (difference.empty()) continue;
        ++found;
        ADD_FAILURE() << difference;
    }
    std::cout << count << " models, " << found << " of them differ" << std::endl;
}

}  // namespace language_slow_test
