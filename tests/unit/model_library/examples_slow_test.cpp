// tests/unit/model_library/examples_slow_test.cpp: the run files of the two articles for their full time, and all but two patterns at their full size
#include "unit/model_library/preset_run.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

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

struct JuliaPattern {
    const char* preset;
    int size;  // of the article: 1024; patterns that take longest to develop do so on a quarter of its cells, too
};
void PrintTo(const JuliaPattern& pattern, std::ostream* out) { *out << pattern.preset << " on " << pattern.size << "^2"; }
class JuliaPatterns : public testing::TestWithParam<JuliaPattern> {};

TEST_P(JuliaPatterns, Develops) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string size = std::to_string(GetParam().size);
    PresetRun run(example("julia-article.toml"), "julia-article", GetParam().preset, "grid.size = '" + size + "x" + size + "'");
    const pattern::Field last = run.at(run.steps());
    EXPECT_EQ(last.nx, GetParam().size);
    EXPECT_GE(pattern::moments(last).deviation, 0.1 * run.span());
    EXPECT_GE(pattern::asymmetry(last), 0.1 * run.span());
    EXPECT_GE(pattern::coverage(last, 0.2 * run.span()), 0.9);
}

INSTANTIATE_TEST_SUITE_P(, JuliaPatterns,
                         testing::Values(JuliaPattern{"gamma", 1024}, JuliaPattern{"negatons", 1024}, JuliaPattern{"bubbles", 1024},
                                         JuliaPattern{"u-skate", 512}, JuliaPattern{"fledgling-spirals", 1024}, JuliaPattern{"theta", 1024},
                                         JuliaPattern{"mu", 512}, JuliaPattern{"xi", 1024}, JuliaPattern{"sigma", 1024}),
                         [](const auto& preset) {
                             std::string name = preset.param.preset;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace examples_slow_test
}  // namespace preset_run
