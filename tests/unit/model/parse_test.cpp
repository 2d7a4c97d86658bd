// tests/unit/model/parse_test.cpp: precedence, printing and the limits of the equation parser
#include "mottle/core/error.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

namespace parse_test {

using namespace mottle;
using model::Expr;
using model::ExprPtr;

ExprPtr parse(const std::string& text) {
    return model::parse({text, {"m.toml", 1, 1, static_cast<int>(text.size()), core::make_source(text)}});
}

/// The tree with every operation in brackets: what binds to what.
std::string tree(const Expr& expr) {
    if (expr.kind == Expr::Kind::number) return std::to_string(static_cast<int>(expr.number));
    if (expr.kind != Expr::Kind::call) return expr.name;
    std::string text = "[" + expr.name;
    for (const ExprPtr& arg : expr.args) text += " " + tree(*arg);
    return text + "]";
}

std::string tree(const std::string& text) { return tree(*parse(text)); }

std::string failure(const std::string& text) {
    try {
        parse(text);
    } catch (const core::ModelError& error) {
        return error.message();
    }
    return "no error";
}

TEST(Parse, binds_by_precedence) {
    EXPECT_EQ(tree("a + b*c^d"), "[+ a [* b [^ c d]]]");
    EXPECT_EQ(tree("a*b + c"), "[+ [* a b] c]");
    EXPECT_EQ(tree("a < b + c"), "[< a [+ b c]]");
    EXPECT_EQ(tree("a - b - c"), "[- [- a b] c]");
    EXPECT_EQ(tree("a/b/c*d"), "[* [/ [/ a b] c] d]");
    EXPECT_EQ(tree("a^b^c"), "[^ a [^ b c]]");
    EXPECT_EQ(tree("(a + b)*c"), "[* [+ a b] c]");
}

TEST(Parse, signs_are_looser_than_powers_and_tighter_than_products) {
    EXPECT_EQ(tree("-x^2"), "[neg [^ x 2]]");
    EXPECT_EQ(tree("2^-1"), "[^ 2 [neg 1]]");
    EXPECT_EQ(tree("2^-x^2"), "[^ 2 [neg [^ x 2]]]");
    EXPECT_EQ(tree("-a*b"), "[* [neg a] b]");
    EXPECT_EQ(tree("a*-b"), "[* a [neg b]]");
    EXPECT_EQ(tree("a - -b"), "[- a [neg b]]");
    EXPECT_EQ(tree("+a + +b"), "[+ a b]");
    EXPECT_EQ(tree("--a"), "[neg [neg a]]");
}

TEST(Parse, reads_calls_comparisons_and_texts) {
    EXPECT_EQ(tree("where(a >= b, lap(u), 0)"), "[where [>= a b] [lap u] 0]");
    EXPECT_EQ(tree("f()"), "[f]");
    EXPECT_EQ(tree("a != b"), "[!= a b]");
    const ExprPtr image = parse("image(\"a b.png\")");
    EXPECT_EQ(image->args[0]->kind, Expr::Kind::text);
    EXPECT_EQ(image->args[0]->name, "a b.png");
    EXPECT_EQ(parse("image('x')")->args[0]->name, "x");
}

TEST(Parse, reads_numbers) {
    const std::map<std::string, double> numbers = {
        {"1", 1},       {"1.5", 1.5},  {".5", 0.5}, {"2.", 2},    {"1e-3", 1e-3},
        {"1E+3", 1000}, {"1.e2", 100}, {"007", 7},  {"0.1", 0.1}, {"123456789012345678", 123456789012345678.0}};
    for (const auto& [text, value] : numbers) EXPECT_EQ(parse(text)->number, value) << text;
    EXPECT_EQ(failure("1e"), "write a '*' between '1' and 'e'");
    EXPECT_EQ(failure("0x1F"), "write a '*' between '0' and 'x1F'");
    EXPECT_EQ(failure("1e-400"), "the number 1e-400 is beyond the range of double precision (1e-308 to 1e308)");
    EXPECT_NE(failure("1..2"), "no error");
    EXPECT_NE(failure("."), "no error");
}

TEST(Parse, gives_every_node_its_place) {
    const ExprPtr sum = parse("aa + (b - ccc)*d");
    EXPECT_EQ(sum->span.column, 1);
    EXPECT_EQ(sum->span.length, 16);
    EXPECT_EQ(sum->args[1]->span.column, 6);
    EXPECT_EQ(sum->args[1]->span.length, 11);
    const Expr& difference = *sum->args[1]->args[0];
    EXPECT_EQ(difference.span.column, 7);
    EXPECT_EQ(difference.args[1]->span.column, 11);
    EXPECT_EQ(difference.args[1]->span.length, 3);
}

TEST(Parse, limits_nesting_in_every_form) {
    const std::string deep(100000, '('), signs(100000, '-');
    EXPECT_NE(failure(std::string(60000, '(')).find("nested beyond 256"), std::string::npos);
    EXPECT_NE(failure(std::string(60000, '-') + "a").find("nested beyond 256"), std::string::npos);
    std::string powers = "a", calls;
    for (int i = 0; i < 10000; ++i) powers += "^a", calls += "f(";
    EXPECT_NE(failure(powers).find("nested beyond 256"), std::string::npos);
    EXPECT_NE(failure(calls).find("nested beyond 256"), std::string::npos);
    EXPECT_EQ(failure(std::string(255, '(') + "a" + std::string(255, ')')), "no error");
}

TEST(Parse, limits_length_and_rows_of_operations) {
    EXPECT_NE(failure(std::string(65537, ' ')).find("65537 bytes long"), std::string::npos);
    std::string row = "a";
    for (int i = 1; i < model::kDeepestTree; ++i) row += "+a";
    EXPECT_EQ(failure(row), "no error");
    EXPECT_EQ(failure(row + "+a"), "more than 1000 operations in a row; group them with parentheses");
    std::string groups = "(" + row + ")";
    for (int i = 0; i < 10; ++i) groups += "*(" + row + ")";
    EXPECT_EQ(failure(groups), "more than 1000 operations in a row; group them with parentheses");
}

TEST(Parse, refuses_control_characters_and_broken_bytes) {
    EXPECT_EQ(failure(std::string("a\0b", 3)), "the character 0x00 is not allowed in an expression");
    EXPECT_EQ(failure("a \x1b b"), "the character 0x1b is not allowed in an expression");
    EXPECT_NE(failure("a \xff b"), "no error");
    EXPECT_NE(failure("a\xc3"), "no error");
}

TEST(Print, uses_the_fewest_parentheses) {
    for (const char* text : {"a + b*c^d",
                             "(a + b)*c",
                             "a - (b - c)",
                             "a - b - c",
                             "a/(b*c)",
                             "a*b/c",
                             "-x^2",
                             "(-x)^2",
                             "2^-1",
                             "(a^b)^c",
                             "a^b^c",
                             "-(a + b)",
                             "a*-b",
                             "--a",
                             "where(a < b, (c < d)*2, 0)",
                             "(a < b) < c",
                             "image(\"f.png\")",
                             "image('a\"b')",
                             "f()",
                             "0.1*u + 1e-05",
                             "a + -b",
                             "-a*b",
                             "-(a*b)",
                             "1.5"}) {
        EXPECT_EQ(model::print(*parse(text)), text);
    }
    EXPECT_EQ(model::print(*parse("((a)) + ((b * c))")), "a + b*c");
    EXPECT_EQ(model::print(*parse("1 + neg(a, b)")), "1 + neg(a, b)") << "its arity is checked later";
    EXPECT_EQ(model::print(*parse("1 + neg(a)")), "1 + -a");
}

// Trees of every shape, not only those that a person would type.
ExprPtr random_tree(std::mt19937& random, int depth) {
    static const char* const kBinary[] = {"+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!="};
    Expr expr{};
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
    if (depth == 0 || pick(5) == 0) {
        expr.kind = pick(2) == 0 ? Expr::Kind::number : Expr::Kind::name;
        if (expr.kind == Expr::Kind::number)
            expr.number = std::ldexp(static_cast<double>(random()), static_cast<int>(pick(200)) - 100);
        else
            expr.name = std::string(1, static_cast<char>('a' + pick(26)));
        return std::make_shared<const Expr>(expr);
    }
    expr.kind = Expr::Kind::call;
    const unsigned kind = pick(4);
    expr.name = kind == 0 ? "neg" : kind == 1 ? "f" : kBinary[pick(11)];
    if (const model::Function* function = model::find_function(expr.name)) expr.callee = function->callee;
    const unsigned count = kind == 0 ? 1 : kind == 1 ? pick(4) : 2;
    for (unsigned i = 0; i < count; ++i) expr.args.push_back(random_tree(random, depth - 1));
    return std::make_shared<const Expr>(expr);
}

TEST(Print, reads_back_as_the_same_tree) {
    std::mt19937 random(11);
    for (int i = 0; i < 5000; ++i) {
        const ExprPtr expr = random_tree(random, 6);
        const std::string text = model::print(*expr);
        ASSERT_TRUE(model::equal(*parse(text), *expr)) << text;
    }
}

TEST(Equal, compares_structure_and_not_places) {
    EXPECT_TRUE(model::equal(*parse("a + b"), *parse("  a   + (b)")));
    EXPECT_FALSE(model::equal(*parse("a + b"), *parse("b + a")));
    EXPECT_FALSE(model::equal(*parse("a"), *parse("1")));
    EXPECT_FALSE(model::equal(*parse("f(a)"), *parse("f(a, a)")));
    EXPECT_FALSE(model::equal(*parse("1"), *parse("2")));
}

}  // namespace parse_test
