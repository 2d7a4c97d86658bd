// tests/oracle/language_test.cpp: models of chance by Mottle and by plain loops that know nothing of it
#include "oracle/language/comparison.h"

#include <algorithm>

namespace language_test {

class Language : public testing::TestWithParam<int> {};

constexpr int kModels = 20;

TEST_P(Language, PlainLoopsFindTheSame) {
    for (int i = 0; i < kModels; ++i) {
        const auto seed = static_cast<std::uint64_t>(GetParam() * kModels + i);
        const std::string device = i % 3 == 0 && !oracle::lacks("cpu") ? "cpu" : "reference";
        EXPECT_EQ(language::difference(seed, {device}), "");
    }
}

TEST_P(Language, PlainLoopsFindTheSameInStepsOfManyStages) {
    for (int i = GetParam() % 2; i < kModels; i += 2) {
        const auto seed = static_cast<std::uint64_t>(GetParam() * kModels + i);
        const std::string device = i % 3 > 0 && !oracle::lacks("cpu") ? "cpu" : "reference";
        EXPECT_EQ(language::difference(language::staged_model_of(seed), seed, {device}), "");
    }
}

TEST_P(Language, PlainLoopsFindTheSameWhereLinearTermsAreSolvedFor) {
    for (int i = (GetParam() + 1) % 2; i < kModels; i += 2) {
        const auto seed = static_cast<std::uint64_t>(GetParam() * kModels + i);
        const std::string device = i % 3 > 0 && !oracle::lacks("cpu") ? "cpu" : "reference";
        EXPECT_EQ(language::difference(language::split_model_of(seed), seed, {device}), "");
    }
}

// The numbers of stages with which models of chance are drawn, and some more; beyond, the full matrix of the oracle loses digits.
TEST(LanguageStages, OfStabilisedStepsAreThoseOfTheDefinition) {
    for (int stages = 1; stages <= 20; ++stages) {
        std::vector<const char*> methods = {"sts1"};
        if (stages > 1) methods.push_back("sts2");
        for (const char* method : methods) {
            std::vector<int> order = language::order_of_lengths(method, stages);  // throws where one is another
            std::sort(order.begin(), order.end());
            for (int i = 0; i < stages; ++i) EXPECT_EQ(order.at(static_cast<std::size_t>(i)), i) << method << " " << stages;
        }
    }
}

// Fields that underflow: beside sums over all cells in stages of many, and in tails of what is solved for.
TEST(LanguageCases, PlainLoopsFindTheSame) {
    for (const std::uint64_t seed : {6}) {
        for (const char* device : {"reference", "cpu"}) {
            if (oracle::lacks(device)) continue;
            EXPECT_EQ(language::difference(language::staged_model_of(seed), seed, {device}), "");
        }
    }
    for (const std::uint64_t seed : {18, 140, 167, 190, 219}) {
        for (const char* device : {"reference", "cpu"}) {
            if (oracle::lacks(device)) continue;
            EXPECT_EQ(language::difference(language::split_model_of(seed), seed, {device}), "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Language, testing::Range(0, 15));

}  // namespace language_test
