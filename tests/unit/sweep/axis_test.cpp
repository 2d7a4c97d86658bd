// tests/unit/sweep/axis_test.cpp: the values of a parameter as typed
#include "mottle/sweep/axis.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <vector>

namespace axis_test {

using namespace mottle;
using sweep::Axis;
using sweep::parse_axis;

std::string failure(const std::string& text) {
    try {
        parse_axis(text, "--over");
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "no error";
}

TEST(Axis, SpacesValuesEvenlyWithBothEnds) {
    const Axis axis = parse_axis(" F = 0.02:0.06:5", "--over");
    EXPECT_EQ(axis.name, "F");
    EXPECT_EQ(axis.values, (std::vector<double>{0.02, 0.03, 0.04, 0.05, 0.06}));
    EXPECT_EQ(parse_axis("a=1:0:3", "").values, (std::vector<double>{1, 0.5, 0}));
    EXPECT_EQ(parse_axis("a=0:1:4", "").values, (std::vector<double>{0, 0.333333333333, 0.666666666667, 1}));
    EXPECT_EQ(parse_axis("a=-1e-3:2:2", "").values, (std::vector<double>{-1e-3, 2}));
    EXPECT_EQ(parse_axis("n=1:1000:1000", "").values.back(), 1000);
}

TEST(Axis, TakesAListAsItIs) {
    EXPECT_EQ(parse_axis("k=0.06, 0.05 ,7", "").values, (std::vector<double>{0.06, 0.05, 7}));
    EXPECT_EQ(parse_axis("k=3", "").values, std::vector<double>{3});
}

TEST(Axis, SaysWhatIsWrong) {
    EXPECT_EQ(failure("F"), "--over is written NAME=FROM:TO:COUNT or NAME=A,B,C, for example F=0.02:0.06:9, not 'F'");
    EXPECT_EQ(failure("=3"), "--over is written NAME=FROM:TO:COUNT or NAME=A,B,C, for example F=0.02:0.06:9, not '=3'");
    EXPECT_EQ(failure("F="), "--over needs values for F: FROM:TO:COUNT or A,B,C");
    EXPECT_EQ(failure("F=1:2"), "--over takes FROM:TO:COUNT for F, for example 0.02:0.06:9, not '1:2'");
    EXPECT_EQ(failure("F=1,x"), "--over takes numbers for F, not 'x'");
    EXPECT_EQ(failure("F=1,,2"), "--over takes numbers for F, not ''");
    EXPECT_EQ(failure("F=inf"), "--over takes finite numbers for F, not inf");
    EXPECT_EQ(failure("F=1:2:1"), "--over takes a whole number of values from 2 to 1000 for F, not 1");
    EXPECT_EQ(failure("F=1:2:2.5"), "--over takes a whole number of values from 2 to 1000 for F, not 2.5");
    EXPECT_EQ(failure("F=1:2:1e9"), "--over takes a whole number of values from 2 to 1000 for F, not 1e9");
    EXPECT_EQ(failure("F=2:2:3"), "--over gives F the value 2 twice");
    EXPECT_EQ(failure("F=1,2,1"), "--over gives F the value 1 twice");
    EXPECT_EQ(failure("F=-1e308:1e308:3"), "no error");
}

TEST(Axis, IsDescribedInOneLine) {
    EXPECT_EQ(sweep::describe(parse_axis("F=0.02,0.06", "")), "F 0.02, 0.06");
    EXPECT_EQ(sweep::describe(parse_axis("F=0:1:11", "")), "F from 0 to 1 (11)");
}

}  // namespace axis_test
