// tests/unit/core/place_map_test.cpp: places of characters through escapes and line ends, and slices of texts
#include "mottle/core/document.h"
#include "mottle/core/place_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace place_map_test {

using namespace mottle::core;

Text text_of(const std::string& document, const char* key) {
    const Node node = parse_document(document, "m.toml");
    const Node* found = node.find(key);
    return {found->text, found->span};
}

/// "line:column+length" of the first `needle` in a text.
std::string place(const Text& text, const std::string& needle) {
    const Span span = PlaceMap(text)(text.text.find(needle), needle.size());
    return std::to_string(span.line) + ":" + std::to_string(span.column) + "+" + std::to_string(span.length);
}

TEST(PlaceMap, finds_plain_text_in_its_line) {
    const Text text = text_of("a = 1\nu = \"lap(u) + kil\"\n", "u");
    EXPECT_EQ(place(text, "lap"), "2:6+3");
    EXPECT_EQ(place(text, "kil"), "2:15+3");
}

TEST(PlaceMap, follows_lines_of_a_long_text) {
    const Text text = text_of("u = \"\"\"\n  lap(u)\n  + kil\"\"\"\n", "u");
    EXPECT_EQ(place(text, "lap"), "2:3+3");
    EXPECT_EQ(place(text, "kil"), "3:5+3");
    EXPECT_EQ(place(text_of("u = '''lap(u)\n+ kil'''\n", "u"), "kil"), "2:3+3");
}

TEST(PlaceMap, follows_carriage_returns) {
    EXPECT_EQ(place(text_of("a = 1\r\nu = \"\"\"\r\nlap(u)\r\n+ kil\"\"\"\r\n", "u"), "kil"), "4:3+3");
}

TEST(PlaceMap, follows_escapes) {
    EXPECT_EQ(place(text_of("u = \"a\\t+ kil\"", "u"), "kil"), "1:11+3");
    EXPECT_EQ(place(text_of("u = \"a\\u0041 + kil\"", "u"), "kil"), "1:16+3");
    EXPECT_EQ(place(text_of("u = \"\\U0001F600 kil\"", "u"), "kil"), "1:17+3");
    EXPECT_EQ(place(text_of("u = \"\"\"a + \\\n   kil\"\"\"", "u"), "kil"), "2:4+3");
    EXPECT_EQ(place(text_of("u = \"image(\\\"a.png\\\") + kil\"", "u"), "kil"), "1:25+3");
}

TEST(PlaceMap, counts_bytes_behind_long_characters) {
    EXPECT_EQ(place(text_of("'ü' = 1\n\"é\" = 2\nu = \"λ + kil\"", "u"), "kil"), "3:11+3");
}

TEST(PlaceMap, stops_at_the_end_of_a_line) {
    const Text text = text_of("u = \"\"\"\nab\ncd\"\"\"", "u");
    EXPECT_EQ(place(text, "b\nc"), "2:2+1");
}

TEST(PlaceMap, gives_the_whole_where_nothing_matches) {
    const Node node = parse_document("u = 1_000\n", "m.toml");
    const Text text = expect_expression(*node.find("u"), "u");
    EXPECT_EQ(text.text, "1000");
    EXPECT_EQ(place(text, "00"), "1:5+5");
}

TEST(PlaceMap, a_flag_has_columns_but_no_line) {
    const Node node = text_node("k + kil", "--set F");
    EXPECT_EQ(place({node.text, node.span}, "kil"), "0:5+3");
}

TEST(Slice, keeps_its_place) {
    const Text text = text_of("u = \" value(k + 1)\"", "u");
    const Text inner = slice(text, 7, 5);
    EXPECT_EQ(inner.text, "k + 1");
    EXPECT_EQ(inner.span.column, 13);
    EXPECT_EQ(place(inner, "1"), "1:17+1");
}

TEST(SplitList, parts_keep_their_places) {
    const std::vector<Text> parts = split_list(text_of("u = \"a, max(b, c) ,,d\"", "u"));
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_EQ(parts[1].text, "max(b, c)");
    EXPECT_EQ(parts[1].span.column, 9);
    EXPECT_EQ(parts[1].span.length, 9);
    EXPECT_EQ(parts[2].text, "");
    EXPECT_EQ(parts[3].span.column, 21);
}

// A document may hold a megabyte: with a walk through all of the text for each part this took minutes.
TEST(SplitList, takes_many_parts) {
    const std::string many = std::string(200000, ',') + "x";
    const std::vector<Text> parts = split_list(text_of("u = \"" + many + "\"", "u"));
    ASSERT_EQ(parts.size(), 200001u);
    EXPECT_EQ(parts.back().text, "x");
    EXPECT_EQ(parts.back().span.column, 200006);
}

}  // namespace place_map_test
