// tests/unit/domain/boundary_test.cpp: boundary rules as text
#include "mottle/core/error.h"
#include "mottle/domain/boundary.h"

#include <gtest/gtest.h>

#include <string>

namespace boundary_test {

using namespace mottle;
using domain::Rule;

domain::Boundary parse(const std::string& text) {
    return domain::parse_boundary(
        {text, {"m.toml", 3, 10, static_cast<int>(text.size()), core::make_source("\n\nleft  = \"" + text + "\"")}});
}

std::string failure(const std::string& text) {
    try {
        parse(text);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "no error";
}

TEST(ParseBoundary, knows_its_rules) {
    EXPECT_EQ(parse("periodic").rule, Rule::periodic);
    EXPECT_EQ(parse(" no-flux ").rule, Rule::no_flux);
    EXPECT_EQ(parse("still").rule, Rule::still);
    EXPECT_EQ(parse("value(1)").rule, Rule::value);
    EXPECT_EQ(parse("outside(-2)").rule, Rule::outside);
    EXPECT_EQ(parse("flux(1)").rule, Rule::flux);
    EXPECT_EQ(parse("robin(1, 2, 3)").rule, Rule::robin);
    for (const Rule rule : {Rule::periodic, Rule::no_flux, Rule::still}) EXPECT_EQ(parse(domain::rule_name(rule)).rule, rule);
}

TEST(ParseBoundary, keeps_the_term_with_its_place) {
    const domain::Boundary boundary = parse("value( a*(1 + t) )");
    EXPECT_EQ(boundary.terms[0].text, "a*(1 + t)");
    EXPECT_EQ(boundary.terms[0].span.line, 3);
    EXPECT_EQ(boundary.terms[0].span.column, 17);
    EXPECT_EQ(boundary.terms[0].span.length, 9);
    EXPECT_EQ(boundary.span.column, 10);
    EXPECT_EQ(parse("value (2)").terms[0].text, "2");
    EXPECT_TRUE(parse("still").terms.empty());
}

TEST(ParseBoundary, splits_terms_at_commas_outside_parentheses) {
    const domain::Boundary boundary = parse("robin(min(a, 2) , pow(b, (1 + 1)),c)");
    ASSERT_EQ(boundary.terms.size(), 3u);
    EXPECT_EQ(boundary.terms[0].text, "min(a, 2)");
    EXPECT_EQ(boundary.terms[1].text, "pow(b, (1 + 1))");
    EXPECT_EQ(boundary.terms[2].text, "c");
    EXPECT_EQ(boundary.terms[1].span.column, 28);
    EXPECT_EQ(boundary.terms[1].span.length, 15);
}

TEST(ParseBoundary, says_what_is_wrong) {
    EXPECT_EQ(failure("perodic"), "unknown boundary rule 'perodic'; did you mean 'periodic'?");
    EXPECT_EQ(failure("noflux"), "unknown boundary rule 'noflux'; here it is called 'no-flux'");
    EXPECT_EQ(failure("xyz"),
              "unknown boundary rule 'xyz'; a boundary is periodic, no-flux, value(c), outside(c), flux(g), robin(a, b, c) or still");
    EXPECT_EQ(failure("value"), "'value' needs the value at the border; write for example value(0)");
    EXPECT_EQ(failure("value()"), "'value' needs the value at the border; write for example value(0)");
    EXPECT_EQ(failure("value(1"), "the parenthesis of 'value' is not closed; write for example value(0)");
    EXPECT_EQ(
        failure("value(1) + 2"),
        "'+ 2' follows the closing parenthesis of 'value', where a rule ends; write expressions inside the parentheses, as in value(2*k)");
    EXPECT_EQ(failure("robin(1, 2, 3)*(4)"),
              "'*(4)' follows the closing parenthesis of 'robin', where a rule ends; write expressions inside the parentheses, as in "
              "robin(2*a, b, c)");
    EXPECT_EQ(failure("periodic(1)"), "'periodic' takes no value; write it without parentheses");
    EXPECT_EQ(failure("value(1, 2)"), "'value' takes one value, not 2; write for example value(0)");
    EXPECT_EQ(failure("flux"), "'flux' needs the derivative at the border; write for example flux(0)");
    EXPECT_EQ(failure("robin(1, 2)"), "'robin' needs a, b and c of a*f + b*df/dn = c; write for example robin(1, 1, 0)");
    EXPECT_EQ(failure("robin(1, , 2)"), "'robin' needs a, b and c of a*f + b*df/dn = c; write for example robin(1, 1, 0)");
    EXPECT_EQ(failure("robin(1, 2, 3, 4)"), "'robin' takes three values, not 4; write for example robin(1, 1, 0)");
    EXPECT_EQ(failure("  "), "the boundary rule is empty; write periodic, no-flux, value(c), outside(c), flux(g), robin(a, b, c) or still");
    EXPECT_NE(failure("("), "no error");
}

}  // namespace boundary_test
