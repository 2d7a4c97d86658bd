// tests/oracle/language_test.cpp: models of chance by Mottle and by plain loops that know nothing of it
#include "oracle/language/comparison.h"

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

INSTANTIATE_TEST_SUITE_P(Seeds, Language, testing::Range(0, 15));

}  // namespace language_test
