// tests/unit/core/text_test.cpp: nearest names, numbers as text, splitting and parsing
#include "mottle/core/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace text_test {

using namespace mottle::core;
using Names = std::vector<std::string>;

TEST(NearestName, allows_a_third_of_the_letters) {
    EXPECT_EQ(nearest_name("palete", Names{"size", "palette"}), "palette");
    EXPECT_EQ(nearest_name("parameter", Names{"parameters"}), "parameters");
    EXPECT_EQ(nearest_name("steps", Names{"size"}), "");
    EXPECT_EQ(nearest_name("abc", Names{"xyz"}), "");
}

TEST(NearestName, ignores_case_and_counts_a_swap_once) {
    EXPECT_EQ(nearest_name("f", Names{"k", "F"}), "F");
    EXPECT_EQ(nearest_name("siez", Names{"size"}), "size");
    EXPECT_EQ(nearest_name("zise", Names{"size"}), "");
}

TEST(NearestName, prefers_the_nearest_and_then_what_begins_alike_and_then_the_first) {
    EXPECT_EQ(nearest_name("sinn", Names{"sign", "tan", "sin"}), "sin");
    EXPECT_EQ(nearest_name("cat", Names{"bat", "hat", "car"}), "car");
    EXPECT_EQ(nearest_name("Dv", Names{"Du", "Dv2", "dv"}), "dv");
    EXPECT_EQ(nearest_name("Dw", Names{"Du", "Dv"}), "Du");
}

TEST(NearestName, finds_names_that_are_continued_or_begun) {
    EXPECT_EQ(nearest_name("kil", Names{"F", "k"}), "k");
    EXPECT_EQ(nearest_name("diff", Names{"diffusion"}), "diffusion");
    EXPECT_EQ(nearest_name("kill", Names{"k"}), "");
    EXPECT_EQ(nearest_name("di", Names{"diffusion"}), "");
}

TEST(NearestName, bears_empty_and_endless_names) {
    EXPECT_EQ(nearest_name("", Names{"a"}), "");
    EXPECT_EQ(nearest_name(std::string(100000, 'a'), Names{std::string(100000, 'a')}), "");
    EXPECT_EQ(nearest_name("a", Names{}), "");
}

TEST(DidYouMean, is_the_end_of_a_message) {
    EXPECT_EQ(did_you_mean("kk", Names{"k"}), "; did you mean 'k'?");
    EXPECT_EQ(did_you_mean("q", Names{"steps"}), "");
    EXPECT_EQ(did_you_mean("kk", Names{"k"}, "there is k"), "; did you mean 'k'? There is k");
    EXPECT_EQ(did_you_mean("q", Names{"steps"}, "there is k"), "; there is k");
}

TEST(NumberText, reads_back_the_same) {
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(512), "512");
    EXPECT_EQ(number_text(-1e-5), "-1e-05");
    EXPECT_EQ(number_text(std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0)), "nan");
    std::mt19937_64 random(7);
    for (int i = 0; i < 10000; ++i) {
        const double value = std::ldexp(static_cast<double>(random()) - 9.2e18, static_cast<int>(random() % 1800) - 1000);
        double back = 0;
        ASSERT_TRUE(parse_number(number_text(value), back));
        ASSERT_EQ(back, value) << number_text(value);
    }
}

// By the rules of printf's %g.
TEST(RoundedText, has_so_many_digits_at_most) {
    EXPECT_EQ(rounded_text(1234.56, 3), "1.23e+03");
    EXPECT_EQ(rounded_text(1234.56, 4), "1235");
    EXPECT_EQ(rounded_text(0.5, 3), "0.5");
    EXPECT_EQ(rounded_text(-2e-7, 3), "-2e-07");
    EXPECT_EQ(rounded_text(0.1 + 0.2, 10), "0.3");
    EXPECT_EQ(rounded_text(std::numeric_limits<double>::infinity(), 3), "inf");
}

TEST(Listed, has_a_word_before_the_last) {
    EXPECT_EQ(listed(Names{}, "and"), "");
    EXPECT_EQ(listed(Names{"a"}, "and"), "a");
    EXPECT_EQ(listed(Names{"a", "b"}, "or"), "a or b");
    EXPECT_EQ(listed(Names{"a", "b", "c"}, "and"), "a, b and c");
    EXPECT_EQ(listed_briefly(Names{"a", "b", "c", "d", "e", "f", "g", "h"}), "a, b, c, d, e, f, g and h");
    EXPECT_EQ(listed_briefly(Names{"a", "b", "c", "d", "e", "f", "g", "h", "i"}), "a, b, c, d, e, f and 3 others");
}

TEST(Grouped, puts_commas_every_three_digits) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(-100), "-100");
    EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
    EXPECT_EQ(counted(0, "copy", "copies"), "0 copies");
    EXPECT_EQ(counted(2100, "copy", "copies"), "2,100 copies");
    EXPECT_EQ(grouped(-1000000), "-1,000,000");
    EXPECT_EQ(grouped(std::numeric_limits<long long>::min()), "-9,223,372,036,854,775,808");
}

TEST(SiText, has_three_digits_and_a_prefix) {
    EXPECT_EQ(si_text(9.71e9, "cells/s"), "9.71 Gcells/s");
    EXPECT_EQ(si_text(0, "s"), "0 s");
    EXPECT_EQ(si_text(1, "s"), "1.00 s");
    EXPECT_EQ(si_text(12.34, "s"), "12.3 s");
    EXPECT_EQ(si_text(999.4, "B"), "999 B");
    EXPECT_EQ(si_text(999.6, "B"), "1.00 kB");
    EXPECT_EQ(si_text(0.0031, "s"), "3.10 ms");
    EXPECT_EQ(si_text(-2.5e-6, "s"), "-2.50 us");
    EXPECT_EQ(si_text(1e300, "s"), "1e+276 Ys");
    EXPECT_EQ(si_text(5, ""), "5.00");
    EXPECT_EQ(si_text(std::numeric_limits<double>::infinity(), "s"), "inf s");
}

TEST(Without, cuts_every_part_out) {
    EXPECT_EQ(without("'/tmp/a/x.png' and '/tmp/a/y.png'", "/tmp/a/"), "'x.png' and 'y.png'");
    EXPECT_EQ(without("aab", "ab"), "a");
    EXPECT_EQ(without("ab", ""), "ab");
}

TEST(Split, trims_its_parts) {
    EXPECT_EQ(split("a, b ,c", ','), (Names{"a", "b", "c"}));
    EXPECT_EQ(split("", ','), Names{});
    EXPECT_EQ(split(",", ','), (Names{"", ""}));
    EXPECT_EQ(split(" one ", ','), Names{"one"});
}

TEST(ParseNumber, takes_the_whole_text_or_nothing) {
    double value = 7;
    EXPECT_TRUE(parse_number("-1.5e3", value));
    EXPECT_EQ(value, -1500);
    EXPECT_TRUE(parse_number("+2", value));
    EXPECT_EQ(value, 2);
    for (const char* bad : {"", " 1", "1 ", "1x", "+-1", "++1", "1e", ".", "--1", "1e400", "0x10", "1,5"}) {
        EXPECT_FALSE(parse_number(bad, value)) << bad;
    }
    EXPECT_EQ(value, 2);
}

TEST(ParseInteger, takes_the_whole_text_or_nothing) {
    long long value = 7;
    EXPECT_TRUE(parse_integer("-9223372036854775808", value));
    EXPECT_EQ(value, std::numeric_limits<long long>::min());
    for (const char* bad : {"", "1.0", "9223372036854775808", "1 ", "+-1", "0x1"}) EXPECT_FALSE(parse_integer(bad, value)) << bad;
}

}  // namespace text_test
