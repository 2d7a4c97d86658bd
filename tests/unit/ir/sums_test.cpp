// tests/unit/ir/sums_test.cpp: which phases sums make of a step, and what those keep
#include "mottle/ir/lower/sums.h"

#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/domain/grid.h"
#include "mottle/ir/lower/classify.h"

#include <gtest/gtest.h>

namespace mottle::ir {
namespace sums_test {

model::Model model_of(const std::string& equations) {
    const std::string text = equations + "\ninitial = { u = '0', v = '0' }\nparameters = { k = 2, m = 'X' }\n";
    return model::check(core::parse_document(text, "test"), "test");
}

Program lowered(const std::string& u, const std::string& method = "euler", bool f64 = false) {
    domain::Grid grid;
    grid.size = {16, 12, 1};
    return lower(build(model_of("equations = { u = '" + u + "', v = 'u - v' }")), {method, f64}, grid);
}

std::vector<std::string> states(const Program& program) {
    std::vector<std::string> names;
    for (int i = 0; i < program.state_count(); ++i) names.push_back(program.arrays[static_cast<std::size_t>(i)].name);
    return names;
}

using Names = std::vector<std::string>;

TEST(Sums, AStepWithoutThemHasNoPhases) {
    const Program program = lowered("lap(u) - k*u");
    EXPECT_FALSE(program.phases);
    EXPECT_EQ(program.field_count(), 2);
}

TEST(Sums, OfAFieldKeepNothing) {
    const Program program = lowered("lap(u) - k*(mean(u) - integral(v)) - mean(u)");
    ASSERT_TRUE(program.phases);
    EXPECT_EQ(states(program), (Names{"u", "v"}));
    EXPECT_EQ(program.phases->step.size(), 1u);
    EXPECT_FALSE(program.phases->begin);
    ASSERT_EQ(program.phases->sums.size(), 2u);
    EXPECT_EQ(program.phases->sums[0].array, 0);
    EXPECT_FALSE(program.phases->sums[0].integral);
    EXPECT_EQ(program.phases->sums[1].array, 1);
    EXPECT_TRUE(program.phases->sums[1].integral);
    EXPECT_EQ(program.inputs[static_cast<std::size_t>(program.phases->sums[1].input)], "integral(v)");
}

TEST(Sums, OfTheCellsOwnExpressionsAreFormedByThePhaseBefore) {
    const Program program = lowered("lap(u) - mean(u*v + m*t) + integral(u*v + m*t)");
    EXPECT_EQ(states(program), (Names{"u", "v", "summed u*v + m*t"}));
    EXPECT_EQ(program.field_count(), 2);
    EXPECT_EQ(program.phases->step.size(), 1u);
    ASSERT_TRUE(program.phases->begin);
    EXPECT_TRUE(program.phases->begin->sums.empty());
    EXPECT_EQ(program.step.stages.size(), 1u);  // no pass of its own
}

TEST(Sums, OfOperatorsAndOfSumsTakePhasesOfTheirOwn) {
    const Program one = lowered("lap(u) - mean(norm2(grad(u)))");
    ASSERT_EQ(one.phases->step.size(), 2u);
    EXPECT_TRUE(one.phases->step[0].sums.empty());
    EXPECT_EQ(one.phases->step[1].sums, (std::vector<int>{0}));
    const Program two = lowered("lap(u) - mean((u - mean(u*mean(v)))^2)");
    ASSERT_EQ(two.phases->sums.size(), 3u);
    ASSERT_EQ(two.phases->step.size(), 3u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(two.phases->step[static_cast<std::size_t>(i)].sums, (std::vector<int>{i}));
    EXPECT_TRUE(two.phases->step[2].ends);
    EXPECT_FALSE(two.phases->step[1].ends);
}

TEST(Sums, EachStageOfAMethodIsAPhase) {
    EXPECT_EQ(states(lowered("lap(u) - mean(u)", "midpoint")), (Names{"u", "v", "u at the start", "v at the start"}));
    const Program program = lowered("lap(u) - mean(u)", "rk4", true);
    EXPECT_EQ(states(program), (Names{"u", "v", "u at the start", "v at the start", "u so far", "v so far"}));
    ASSERT_EQ(program.phases->step.size(), 4u);
    const double times[] = {0, 0.5, 0.5, 1}, next[] = {0.5, 0.5, 1, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(program.phases->step[i].time, times[i]);
        EXPECT_EQ(program.phases->step[i].next, next[i]);
        EXPECT_EQ(program.phases->step[i].ends, i == 3);
        EXPECT_EQ(program.phases->step[i].sums.size(), 1u);
    }
    EXPECT_FALSE(program.flush_step);
    EXPECT_TRUE(program.phases->flush);
}

TEST(Sums, AreUniform) {
    // the conductivity stands outside, and nothing is evaluated at faces
    EXPECT_EQ(lowered("div(mean(u)*grad(v))").step.stages[0].code, lowered("mean(u)*lap(v)").step.stages[0].code);
    const model::Model model = model_of("equations = { u = 'k*mean(u*m)*v', v = 'u' }");
    const Classifier classifier(model);
    const model::Expr& rate = *model.equations[0].rate;
    EXPECT_FALSE(classifier.is_uniform(rate));
    EXPECT_TRUE(classifier.is_uniform(*rate.args[0]));
}

TEST(Sums, ArePrinted) {
    const std::string text = print(lowered("lap(u) - mean(u*v)"));
    EXPECT_NE(text.find("sums:\n  mean(u*v): mean over summed u*v\n"), std::string::npos) << text;
    EXPECT_NE(text, print(lowered("lap(u) - integral(u*v)")));
}

TEST(Sums, AreVerified) {
    Program program = lowered("lap(u) - mean(u)");
    program.phases->sums[0].array = 7;
    EXPECT_THROW(verify(program), core::InternalError);
    program = lowered("lap(u) - mean(u)");
    program.phases->step.back().ends = false;
    EXPECT_THROW(verify(program), core::InternalError);
}

}  // namespace sums_test
}  // namespace mottle::ir
