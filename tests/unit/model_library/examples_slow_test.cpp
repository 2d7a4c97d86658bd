// tests/unit/model_library/examples_slow_test.cpp: the run files of the two articles at their full size and time
#include "unit/model_library/preset_run.h"

#include <gtest/gtest.h>

namespace preset_run {
namespace examples_slow_test {

mottle::core::Node example(const std::string& name) {
    return mottle::core::read_document(std::string(MOTTLE_SOURCE_DIR) + "/examples/" + name);
}

TEST(Examples, TritonFillsThePlaneFromItsRing) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    PresetRun run(example("triton-article.toml"), "triton-article", "");
    ASSERT_EQ(run.steps(), 10'000);
    EXPECT_LT(pattern::coverage(run.at(1000), 0.1), 0.7);
    const pattern::Field last = run.at(10'000);
    EXPECT_EQ(pattern::coverage(last, 0.1), 1);
    EXPECT_GT(pattern::moments(last).deviation, 0.1);
    EXPECT_GT(pattern::asymmetry(last), 0.1);
}

class JuliaPatterns : public testing::TestWithParam<const char*> {};

TEST_P(JuliaPatterns, Develops) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    PresetRun run(example("julia-article.toml"), "julia-article", GetParam());
    const pattern::Field last = run.at(run.steps());
    EXPECT_EQ(last.nx, 1024);
    EXPECT_GE(pattern::moments(last).deviation, 0.1 * run.span());
    EXPECT_GE(pattern::asymmetry(last), 0.1 * run.span());
    EXPECT_GE(pattern::coverage(last, 0.2 * run.span()), 0.9);
}

INSTANTIATE_TEST_SUITE_P(, JuliaPatterns,
                         testing::Values("gamma", "negatons", "bubbles", "u-skate", "fledgling-spirals", "theta", "mu", "xi", "sigma"),
                         [](const auto& preset) {
                             std::string name = preset.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace examples_slow_test
}  // namespace preset_run
