// tests/unit/domain/boundary_test.cpp: boundary rules as text
#include "mottle/core/error.h"
#include "mottle/domain/boundary.h"

#include <gtest/gtest.h>

#include <string>

namespace {

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

TEST(ParseBoundary, knows_five_rules) {
    EXPECT_EQ(parse("periodic").rule, Rule::periodic);
    EXPECT_EQ(parse(" no-flux ").rule, Rule::no_flux);
    EXPECT_EQ(parse("still").rule, Rule::still);
    EXPECT_EQ(parse("value(1)").rule, Rule::value);
    EXPECT_EQ(parse("outside(-2)").rule, Rule::outside);
    for (const Rule rule : {Rule::periodic, Rule::no_flux, Rule::still}) EXPECT_EQ(parse(domain::rule_name(rule)).rule, rule);
}

TEST(ParseBoundary, keeps_the_term_with_its_place) {
    const domain::Boundary boundary = parse("value( a*(1 + t) )");
    EXPECT_EQ(boundary.term.text, "a*(1 + t)");
    EXPECT_EQ(boundary.term.span.line, 3);
    EXPECT_EQ(boundary.term.span.column, 17);
    EXPECT_EQ(boundary.term.span.length, 9);
    EXPECT_EQ(boundary.span.column, 10);
    EXPECT_EQ(parse("value (2)").term.text, "2");
    EXPECT_TRUE(parse("still").term.text.empty());
}

TEST(ParseBoundary, says_what_is_wrong) {
    EXPECT_EQ(failure("perodic"), "unknown boundary rule 'perodic'; did you mean 'periodic'?");
    EXPECT_EQ(failure("noflux"), "unknown boundary rule 'noflux'; here it is called 'no-flux'");
    EXPECT_EQ(failure("xyz"), "unknown boundary rule 'xyz'; a boundary is periodic, no-flux, value(c), outside(c) or still");
    EXPECT_EQ(failure("value"), "'value' needs the value at the border; write for example value(0)");
    EXPECT_EQ(failure("value()"), "'value' needs the value at the border; write for example value(0)");
    EXPECT_EQ(failure("value(1"), "the parenthesis of 'value' is not closed at the end; write for example value(0)");
    EXPECT_EQ(failure("value(1) + 2"), "the parenthesis of 'value' is not closed at the end; write for example value(0)");
    EXPECT_EQ(failure("periodic(1)"), "'periodic' takes no value; write it without parentheses");
    EXPECT_EQ(failure("robin(1, 2, 3)"),
              "the boundary rule 'robin' is not in this version; a boundary is periodic, no-flux, value(c), outside(c) or still");
    EXPECT_EQ(failure("  "), "the boundary rule is empty; it is periodic, no-flux, value(c), outside(c) or still");
    EXPECT_NE(failure("("), "no error");
}

}  // namespace
