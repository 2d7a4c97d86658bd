// tests/unit/ir/program_test.cpp: types and names of operations, the verifier rule by rule, and the printed form
#include "mottle/core/error.h"
#include "mottle/ir/program/builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace mottle::ir {
namespace program_test {

using domain::Rule;

constexpr Op kLast = Op::to_real;

// u' = c0*u + c1*(u(x-1) + u(x+1)) with a value(1) border at the left and right, and a held array in between.
Program small_program() {
    Program program;
    program.arrays = {{"u", ArrayInfo::Kind::state, 0}, {"w", ArrayInfo::Kind::held, 1}, {"D", ArrayInfo::Kind::input, 1}};
    program.inputs = {"dt", "t", "k"};
    Builder c0(true), c1(true), c2(true), c3(true);
    c0.sub(c0.literal(1), c0.mul(c0.literal(2), c0.mul(c0.uniform(0), c0.uniform(2))));
    c1.mul(c1.uniform(0), c1.uniform(1));
    c2.literal(2);
    c3.literal(-1);
    program.uniforms = {{"centre", c0.code(), false}, {"edge", c1.code(), true}, {"alpha", c2.code(), false}, {"beta", c3.code(), false}};
    GhostRule value, plain;
    for (std::size_t side = 0; side < 6; ++side) value[side] = plain[side] = {Rule::no_flux, -1, -1};
    value[0] = value[1] = {Rule::value, 2, 3};
    plain[2] = plain[3] = {Rule::periodic, -1, -1};
    program.ghosts = {value, plain};

    // One call per statement: the numbers of values below are those of this order.
    Builder hold(false);
    Value map = hold.load(2), u = hold.load(0);
    Value w = hold.mul(map, u);
    program.step.stages.push_back({"hold", hold.code(), {{1, w}}});
    Builder b(false);
    Value left = b.load(0, -1), right = b.load(0, 1), sum = b.add(left, right);
    Value edge = b.uniform(1), centre = b.uniform(0), here = b.load(0), product = b.mul(centre, here);
    Value next = b.fma(edge, sum, product);
    Value tenth = b.literal(0.1), held = b.load(1, 0, 0, 1);
    next = b.fma(tenth, held, next);
    Value zero = b.literal(0), border = b.axis(kStillX), on_border = b.less(zero, border);
    next = b.select(on_border, here, next);
    program.step.stages.push_back({"update", b.code(), {{0, next}}});
    return program;
}

TEST(Program, EveryOperationHasANameATypeAndAnArity) {
    std::set<std::string> names;
    for (int i = 0; i <= static_cast<int>(kLast); ++i) {
        Op op = static_cast<Op>(i);
        EXPECT_TRUE(names.insert(name(op)).second) << name(op);
        EXPECT_GE(arity(op), 0);
        EXPECT_LE(arity(op), 3);
    }
    EXPECT_THROW(name(static_cast<Op>(static_cast<int>(kLast) + 1)), core::InternalError);
    EXPECT_EQ(arity(Op::load), 0);
    EXPECT_EQ(arity(Op::floor), 1);
    EXPECT_EQ(arity(Op::word_shl), 2);
    EXPECT_EQ(arity(Op::select), 3);
}

TEST(Program, TypesOfValues) {
    Builder b(false);
    Value x = b.load(0), word = b.to_word(x), mask = b.less(x, b.literal(1));
    EXPECT_EQ(type_of(b.code(), x), Type::real);
    EXPECT_EQ(type_of(b.code(), word), Type::word);
    EXPECT_EQ(type_of(b.code(), mask), Type::mask);
    EXPECT_EQ(type_of(b.code(), b.select(mask, x, b.literal(1))), Type::real);
    EXPECT_EQ(type_of(b.code(), b.select(mask, b.select(mask, word, b.word(1)), word)), Type::word);
    EXPECT_EQ(type_of(b.code(), b.to_real(word)), Type::real);
}

TEST(Program, FindsArraysAndCountsStates) {
    Program program = small_program();
    EXPECT_EQ(program.find_array("u"), 0);
    EXPECT_EQ(program.find_array("D"), 2);
    EXPECT_EQ(program.find_array("v"), -1);
    EXPECT_EQ(program.state_count(), 1);
}

TEST(Print, ShowsEverythingThatDecidesTheResult) {
    Program program = small_program();
    program.arrays[2].varies = {true, false, true};
    EXPECT_EQ(print(program), R"(program f32
arrays:
  u: state, ghosts g0
  w: held, ghosts g1
  D: input, ghosts g1, varies along x, z
ghosts g0: left value fma(c3, mirror, c2), right value fma(c3, mirror, c2), top no-flux, bottom no-flux, front no-flux, back no-flux
ghosts g1: left no-flux, right no-flux, top periodic, bottom periodic, front no-flux, back no-flux
inputs: dt t k
uniforms:
  c0 = 1 - 2*(dt*k)
  c1 = dt*t  [per step]
  c2 = 2
  c3 = -1
step stage "hold":
  %0 = load D (0,0)
  %1 = load u (0,0)
  %2 = mul %0, %1
  store w = %2
step stage "update":
  %0 = load u (-1,0)
  %1 = load u (1,0)
  %2 = add %0, %1
  %5 = load u (0,0)
  %6 = mul c0, %5
  %7 = fma c1, %2, %6
  %9 = load w (0,0,1)
  %10 = fma 0.1, %9, %7
  %12 = axis still_x
  %13 = less 0, %12
  %14 = select %13, %5, %10
  store u = %14
)");
}

TEST(Print, UniformsAreWrittenInTheirOrderOfEvaluation) {
    auto text = [](const std::function<void(Builder&)>& make) {
        Program program = small_program();
        Builder b(true);
        make(b);
        program.uniforms = {{"c", b.code(), false}};
        program.ghosts.clear();
        std::string all = print(program);
        auto from = all.find("uniforms:\n") + 10;
        return all.substr(from, all.find("step stage") - from);
    };
    EXPECT_EQ(text([](Builder& b) { b.add(b.add(b.uniform(0), b.uniform(1)), b.uniform(2)); }), "  c0 = dt + t + k\n");
    EXPECT_EQ(text([](Builder& b) { b.add(b.uniform(0), b.add(b.uniform(1), b.uniform(2))); }), "  c0 = dt + (t + k)\n");
    EXPECT_EQ(text([](Builder& b) { b.div(b.uniform(0), b.mul(b.uniform(1), b.uniform(2))); }), "  c0 = dt/(t*k)\n");
    EXPECT_EQ(text([](Builder& b) { b.mul(b.neg(b.add(b.uniform(0), b.uniform(1))), b.literal(-0.5)); }), "  c0 = (-(dt + t))*(-0.5)\n");
    EXPECT_EQ(text([](Builder& b) { b.fma(b.literal(0.1), b.uniform(1), b.literal(-2)); }), "  c0 = fma(0.1, t, -2)\n");
    EXPECT_EQ(text([](Builder& b) {
                  Value sum = b.add(b.uniform(0), b.uniform(1));
                  b.mul(sum, sum);
              }),
              "      %2 = dt + t\n  c0 = %2*%2\n");
    EXPECT_EQ(text([](Builder& b) { b.to_real(b.word_op(Op::word_and, b.to_word(b.uniform(0)), b.word(0x7fff))); }),
              "  c0 = to_real(word_and(to_word(dt), 0x7fff))\n");
}

TEST(Verify, AcceptsAProgramThatKeepsTheRules) { EXPECT_NO_THROW(verify(small_program())); }

using Break = void (*)(Program&);
struct BrokenRule {
    const char* name;
    Break change;
    const char* message;
};

class VerifyRefuses : public ::testing::TestWithParam<BrokenRule> {};

Instruction& update(Program& program, std::size_t value) { return program.step.stages[1].code[value]; }

TEST_P(VerifyRefuses, WithTheRule) {
    Program program = small_program();
    GetParam().change(program);
    try {
        verify(program);
        FAIL() << "accepted";
    } catch (const core::InternalError& error) {
        EXPECT_NE(error.message().find(GetParam().message), std::string::npos) << error.message();
    }
}

const BrokenRule kBrokenRules[] = {
    {"LaterArgument", [](Program& p) { update(p, 2).args[0] = 9; }, "argument 0 is no earlier value"},
    {"MissingArgument", [](Program& p) { update(p, 2).args[1] = -1; }, "argument 1 is no earlier value"},
    {"OneArgumentTooMany", [](Program& p) { update(p, 2).args[2] = 0; }, "more arguments"},
    {"MaskAsNumber", [](Program& p) { update(p, 14).args[1] = 13; }, "wrong type"},
    {"NumberAsMask", [](Program& p) { update(p, 14).args[0] = 12; }, "wrong type"},
    {"NumberAsWord", [](Program& p) { update(p, 2).op = Op::word_add; }, "wrong type"},
    {"NotFolded",
     [](Program& p) {
         update(p, 10) = {Op::neg, {8, -1, -1}};
     },
     "should have been folded"},
    {"SelectNotFolded", [](Program& p) { update(p, 12) = update(p, 8); }, "its mask compares constants"},
    {"MissingArray", [](Program& p) { update(p, 9).index = 3; }, "the array is missing"},
    {"MissingUniform", [](Program& p) { update(p, 3).index = 4; }, "the uniform is missing"},
    {"MissingTable", [](Program& p) { update(p, 12).index = kNoiseShare + 1; }, "no such coordinate table"},
    {"HeldBeforeWritten", [](Program& p) { std::swap(p.step.stages[0], p.step.stages[1]); },
     "is read before an earlier stage has written it"},
    {"StoreToInput", [](Program& p) { p.step.stages[0].stores[0].first = 2; }, "it stores to the input 'D'"},
    {"StoreOfMask", [](Program& p) { p.step.stages[1].stores[0].second = 13; }, "no real value"},
    {"StoreOfNothing", [](Program& p) { p.step.stages[1].stores[0].second = 15; }, "no real value"},
    {"StoreToNowhere", [](Program& p) { p.step.stages[1].stores[0].first = 7; }, "array 7, which is missing"},
    {"StoredTwice",
     [](Program& p) {
         p.step.stages[1].stores.push_back({1, 14});
     },
     "'w' is stored twice"},
    {"NeverStored", [](Program& p) { p.step.stages[1].stores.clear(); }, "'u' is never stored"},
    {"SameName", [](Program& p) { p.arrays[1].name = "u"; }, "not unique"},
    {"StateAfterHeld",
     [](Program& p) {
         p.arrays.push_back({"v", ArrayInfo::Kind::state, 0});
     },
     "states come first"},
    {"NoStates",
     [](Program& p) {
         p.arrays.clear();
         p.step.stages.clear();
     },
     "there is no state"},
    {"MissingGhostRule", [](Program& p) { p.arrays[0].ghost_rule = 2; }, "its ghost rule is missing"},
    {"ValueThatCopies",
     [](Program& p) {
         p.ghosts[0][0] = {Rule::value, -1, -1};
     },
     "value, outside, flux and robin are affine"},
    {"NoFluxThatIsAffine",
     [](Program& p) {
         p.ghosts[0][0] = {Rule::no_flux, 2, 3};
     },
     "every other rule copies"},
    {"GhostWithoutUniform", [](Program& p) { p.ghosts[0][0].beta = 4; }, "alpha or beta is no uniform"},
    {"OneSidePeriodic", [](Program& p) { p.ghosts[1][2].rule = Rule::no_flux; }, "both periodic or neither"},
    {"EmptyUniform", [](Program& p) { p.uniforms[0].code.clear(); }, "it has no code"},
    {"UniformOfMissingInput", [](Program& p) { p.inputs.pop_back(); }, "input 2 is missing"},
    {"UniformOfACell", [](Program& p) { p.uniforms[2].code[0] = {.op = Op::load}; }, "it depends on the cell"},
    {"UniformIsAMask",
     [](Program& p) {
         Builder b(true);
         b.less(b.uniform(0), b.uniform(1));
         p.uniforms[1].code = b.code();
     },
     "its value is no real"},
    {"TimeNotMarked", [](Program& p) { p.uniforms[1].per_step = false; }, "not marked per step"},
    {"FlushStepOfF32", [](Program& p) { p.flush_step = p.step; }, "an f32 program flushes every result"},
    {"RoundSingleInAStage",
     [](Program& p) {
         update(p, 6) = {Op::round_single, {5, -1, -1}};
     },
     "round_single belongs to host code"},
    {"WideWord",
     [](Program& p) {
         update(p, 9) = {.op = Op::word, .bits = std::uint64_t{1} << 32};
         update(p, 10) = {Op::to_real, {9, -1, -1}};
     },
     "wider than 32 bits"},
    {"WideShift",
     [](Program& p) {
         update(p, 8) = {.op = Op::word, .bits = 32};
         update(p, 9) = {Op::to_word, {7, -1, -1}};
         update(p, 10) = {Op::word_shl, {9, 8, -1}};
     },
     "the count of a shift"},
    {"VaryingShift",
     [](Program& p) {
         update(p, 9) = {Op::to_word, {7, -1, -1}};
         update(p, 10) = {Op::word_shl, {9, 9, -1}};
     },
     "the count of a shift"},
};

INSTANTIATE_TEST_SUITE_P(Rules, VerifyRefuses, ::testing::ValuesIn(kBrokenRules),
                         [](const auto& rule) { return std::string(rule.param.name); });

TEST(Verify, ChecksTheFlushStep) {
    Program program = small_program();
    program.f64 = true;
    program.flush_step = program.step;
    EXPECT_NO_THROW(verify(program));
    program.flush_step->stages[1].stores.clear();
    EXPECT_THROW(verify(program), core::InternalError);
}

}  // namespace program_test
}  // namespace mottle::ir
