// tests/unit/ir/expression_test.cpp: initial expressions and maps as f64 code, their sources and the numbers of their draws
#include "mottle/core/error.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/lower/expression.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

namespace mottle::ir {
namespace expression_test {

/// An expression that stands in line `line` of a file; 0: in a flag.
model::ExprPtr text(const std::string& words, int line = 1, const std::string& file = "m.toml") {
    const std::string before = line > 0 ? std::string(static_cast<std::size_t>(line - 1), '\n') + "u = " : "";
    return model::parse({words, {file, line, line > 0 ? 5 : 1, static_cast<int>(words.size()), core::make_source(before + words)}});
}

model::Model model_of(model::ExprPtr u, model::ExprPtr v = nullptr) {
    model::Model model;
    model::Equation first, second;
    first.field = "u";
    first.initial = std::move(u);
    model.equations.push_back(first);
    second.field = "v";
    second.initial = std::move(v);
    if (second.initial) model.equations.push_back(second);
    return model;
}

void add_parameter(model::Model& model, const std::string& name, double value, model::ExprPtr map = nullptr) {
    model::Parameter parameter;
    parameter.name = name;
    parameter.value = value;
    parameter.map = std::move(map);
    model.parameters.push_back(parameter);
}

domain::Domain grid_of(domain::Index nx, domain::Index ny) {
    domain::Grid grid;
    grid.size = {nx, ny, 1};
    grid.spacing = {0.5, 2, 1};
    return grid;
}

/// The value in one cell of a 10 x 5 grid with spacing 0.5 x 2; sources give 100 + their index.
double value_in(const Expression& expression, int x, int y) {
    RowEvaluator<double> evaluator(1);
    auto fetch = [&](const Instruction& i, std::span<double> out) {
        const double position[6] = {(x + 0.5) * 0.5, (y + 0.5) * 2, 0.5, (x + 0.5) / 10, (y + 0.5) / 5, 0.5};
        out[0] = i.op == Op::load ? 100.0 + i.index : position[i.index];
    };
    evaluator.run(
        expression.code, [](int) { return 0.0; }, fetch);
    return evaluator.value(static_cast<Value>(expression.code.size()) - 1)[0];
}

Expression lower_text(const std::string& words) {
    auto expr = text(words);
    return lower_position(expr, model_of(expr), grid_of(10, 5));
}

double value_of(const std::string& words, int x = 3, int y = 2) { return value_in(lower_text(words), x, y); }

std::string message_of(const std::string& words) {
    auto expr = text(words);
    auto model = model_of(expr);
    add_parameter(model, "feed", 0.5);
    try {
        lower_position(expr, model, grid_of(10, 5));
    } catch (const core::ModelError& error) {
        EXPECT_TRUE(error.span() && error.span()->line == 1) << "no place in: " << error.message();
        return error.message();
    }
    return "(no error)";
}

TEST(PositionExpression, ArithmeticAndCoordinates) {
    EXPECT_EQ(value_of("x"), 1.75);
    EXPECT_EQ(value_of("y"), 5.0);
    EXPECT_EQ(value_of("X"), 3.5 / 10);
    EXPECT_EQ(value_of("Y"), 2.5 / 5);
    EXPECT_EQ(value_of("1 - 2*x/4 + y^2"), 1 - 2 * 1.75 / 4 + 25);
    EXPECT_EQ(value_of("-x^2"), -(1.75 * 1.75));
    EXPECT_EQ(value_of("(x > 1) + (x >= 1.75) + (x < 1) + (x <= 1.75) + (x == 1.75) + (x != 1.75)"), 4.0);
    EXPECT_EQ(value_of("where(x > y, 10, 20)"), 20.0);
    EXPECT_EQ(value_of("max(x, y) - min(x, y) + clamp(y, 0, 1) + abs(-2)"), 3.25 + 1 + 2);
    EXPECT_EQ(value_of("pi"), 3.141592653589793);
}

// The two numbers of a sum are rounded one after the other; a fused multiply-add would keep the low part of the product.
TEST(PositionExpression, NothingIsFused) { EXPECT_EQ(value_of("(x - 1.65)*(x - 1.65) - 0.01"), (1.75 - 1.65) * (1.75 - 1.65) - 0.01); }

TEST(PositionExpression, TheLastInstructionIsTheValue) {
    for (const char* words : {"2*1", "3 - 2 + 1 - 1", "x*1 + 0*y", "where(1 < 2, x, y)", "7"}) {
        const Expression expression = lower_text(words);
        std::vector<bool> used(expression.code.size());
        used.back() = true;
        for (std::size_t v = expression.code.size(); v-- > 0;) {
            EXPECT_TRUE(used[v]) << words << ": value " << v << " is not needed";
            for (Value arg : expression.code[v].args) {
                if (arg >= 0) used[static_cast<std::size_t>(arg)] = true;
            }
        }
    }
    EXPECT_EQ(value_of("2*1"), 2.0);
    EXPECT_EQ(value_of("3 - 2 + 1 - 1"), 1.0);
    EXPECT_EQ(value_of("where(1 < 2, x, y)"), 1.75);
}

TEST(PositionExpression, ParametersAreFoldedAndMapsInlined) {
    auto expr = text("2*F + k");
    auto model = model_of(expr);
    add_parameter(model, "F", 0.25);
    add_parameter(model, "k", 0, text("0.5*X + F", 7));
    EXPECT_EQ(value_in(lower_position(expr, model, grid_of(10, 5)), 3, 2), 0.5 + (0.5 * 0.35 + 0.25));
}

TEST(PositionExpression, ShapesArePlainCode) {
    // 10 x 5 cells of 0.5 x 2: lengths 5 x 10; the cell (3, 2) has its centre at (1.75, 5)
    for (const char* words :
         {"disk(0.5, 0.5, 1)", "disk(0.5, 0.5, 0.5, 1)", "ring(0.5, 0.5, 1, 0.5)", "box(0, 0, 1, 1)", "gauss(0.5, 0.5, 2)"}) {
        EXPECT_TRUE(lower_text(words).sources.empty()) << words;
    }
    EXPECT_EQ(value_of("disk(0.5, 0.5, 0.75)"), 1.0);  // the border belongs to the disk
    EXPECT_EQ(value_of("disk(0.5, 0.5, 0.74)"), 0.0);
    EXPECT_EQ(value_of("disk(0.5, 0.5, 0 - X)"), 0.0) << "where a radius depends on position, a shape may end";
    EXPECT_EQ(value_of("disk(0.5, 0.5, 1.5, 0.75)"), 0.0);  // centre one length above the only plane
    EXPECT_EQ(value_of("ring(0.5, 0.5, 1, 0.5)"), 1.0);
    EXPECT_EQ(value_of("ring(0.5, 0.5, 1, 0.49)"), 0.0);
    EXPECT_EQ(value_of("box(0.35, 0.5, 0.36, 0.51)"), 1.0);  // half open: the lower corner belongs to it
    EXPECT_EQ(value_of("box(0.25, 0.5, 0.35, 0.51)"), 0.0);
    EXPECT_NEAR(value_of("gauss(0.5, 0.5, 0.75)"), 0.6065306597126334, 1e-15);
}

TEST(PositionExpression, SourcesCarryTheirArguments) {
    auto expr = text("noise(-F, F^2) + spots(2 + 1, F) + image(\"a b.png\")");
    auto model = model_of(expr);
    add_parameter(model, "F", 0.5);
    const Expression expression = lower_position(expr, model, grid_of(10, 5));
    ASSERT_EQ(expression.sources.size(), 3u);
    EXPECT_EQ(expression.sources[0].function, model::Callee::noise);
    EXPECT_EQ(expression.sources[0].args, (std::vector<double>{-0.5, 0.25}));
    EXPECT_EQ(expression.sources[1].function, model::Callee::spots);
    EXPECT_EQ(expression.sources[1].args, (std::vector<double>{3, 0.5}));
    EXPECT_EQ(expression.sources[2].function, model::Callee::image);
    EXPECT_EQ(expression.sources[2].text, "a b.png");
    EXPECT_EQ(value_in(expression, 0, 0), 100.0 + 101 + 102);
}

TEST(DrawNumbers, FollowTheFileNotTheOrderOfUse) {
    auto u = text("noise(0, 1) + noise(0, 1)", 30), v = text("spots(3, 4)*noise(0, 2)", 20), map = text("noise(0, 3)", 10);
    auto model = model_of(u, v);
    add_parameter(model, "F", 0, map);
    const DrawNumbers numbers(model);
    EXPECT_EQ(numbers.first(*map), 0u);
    EXPECT_EQ(numbers.first(*v->args[0]), 1u);
    EXPECT_EQ(numbers.first(*v->args[1]), 4u);
    EXPECT_EQ(numbers.first(*u->args[0]), 5u);
    EXPECT_EQ(numbers.first(*u->args[1]), 6u);
    EXPECT_EQ(lower_position(u, model, grid_of(4, 4)).sources.at(1).draw, 6u);
    EXPECT_EQ(lower_position(v, model, grid_of(4, 4)).sources.at(0).draw, 1u);
}

TEST(DrawNumbers, OnePlaceUsedTwiceHasOneDraw) {
    // what [define] seed = "noise(0, 1)" leaves behind: copies with the place of the definition
    auto u = text("noise(0, 1)", 8), v = text("noise(0, 1)", 8);
    auto model = model_of(u, v);
    EXPECT_EQ(lower_position(u, model, grid_of(4, 4)).sources.at(0).draw, lower_position(v, model, grid_of(4, 4)).sources.at(0).draw);
    model::Expr sum{};
    sum.kind = model::Expr::Kind::call;
    sum.callee = model::Callee::add;
    sum.name = "+";
    sum.args = {u, v};
    auto both = std::make_shared<const model::Expr>(sum);
    EXPECT_EQ(lower_position(both, model_of(both), grid_of(4, 4)).sources.size(), 1u);
}

TEST(DrawNumbers, FlagsComeAfterTheFile) {
    auto in_file = text("noise(0, 1)", 900, "z.toml"), by_flag = text("noise(0, 1)", 0, "--set F");
    auto model = model_of(in_file);
    add_parameter(model, "F", 0, by_flag);
    const DrawNumbers numbers(model);
    EXPECT_EQ(numbers.first(*in_file), 0u);
    EXPECT_EQ(numbers.first(*by_flag), 1u);
}

TEST(PositionExpression, ErrorsSayWhatIsWrong) {
    EXPECT_NE(message_of("1 - u").find("the field 'u' cannot be used here"), std::string::npos);
    EXPECT_NE(message_of("sin(t)").find("'t' cannot be used here"), std::string::npos);
    EXPECT_NE(message_of("lap(x)").find("'lap' is an operator on fields"), std::string::npos);
    EXPECT_NE(message_of("2*fed").find("did you mean 'feed'?"), std::string::npos);
    EXPECT_NE(message_of("disk(1, 2)").find("disk(cx, cy, r)"), std::string::npos);
    EXPECT_NE(message_of("noise(0, X)").find("must be the same everywhere"), std::string::npos);
    EXPECT_NE(message_of("image(3)").find("file name in quotes"), std::string::npos);
    EXPECT_NE(message_of("near(0, 0, 0, 1)").find("is for surfaces"), std::string::npos);
}

TEST(PositionExpression, AMapThatUsesItselfIsRefused) {
    auto expr = text("a");
    auto model = model_of(expr);
    add_parameter(model, "a", 0, text("b + 1", 2));
    add_parameter(model, "b", 0, text("a + 1", 3));
    EXPECT_THROW(lower_position(expr, model, grid_of(4, 4)), core::ModelError);
}

}  // namespace expression_test
}  // namespace mottle::ir
