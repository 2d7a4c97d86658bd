// tests/unit/core/document_test.cpp: values, places and order of TOML documents, merging, and typed access
#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/core/toml_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace document_test {

using namespace mottle::core;

Node parse(const std::string& text) { return parse_document(text, "m.toml"); }

std::string keys(const Node& table) {
    std::string all;
    for (const Member& member : table.members) all += (all.empty() ? "" : " ") + member.key;
    return all;
}

template <class Action>
std::string message(Action action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(ParseDocument, keeps_the_order_of_the_file) {
    const Node node = parse("z = 1\na = 2\n[m]\nv = 1\nu = 2\nb.z = 1\nb.a = 1\n[c.second]\n[c.first]\n");
    EXPECT_EQ(keys(node), "z a m c");
    EXPECT_EQ(keys(*node.find("m")), "v u b");
    EXPECT_EQ(keys(*node.find("m")->find("b")), "z a");
    EXPECT_EQ(keys(*node.find("c")), "second first");
}

TEST(ParseDocument, reads_every_kind) {
    const Node node = parse("t = 'x'\ni = 0x10\nn = 1e3\nb = true\na = [1, 'two']\ns = { k = inf }\n");
    EXPECT_EQ(node.find("t")->text, "x");
    EXPECT_EQ(node.find("i")->integer, 16);
    EXPECT_EQ(node.find("i")->number, 16);
    EXPECT_EQ(node.find("n")->number, 1000);
    EXPECT_EQ(node.find("n")->kind, Node::Kind::number);
    EXPECT_TRUE(node.find("b")->boolean);
    ASSERT_EQ(node.find("a")->items.size(), 2u);
    EXPECT_EQ(node.find("a")->items[1].text, "two");
    EXPECT_TRUE(node.find("s")->find("k")->is_number());
    EXPECT_EQ(node.find("missing"), nullptr);
    EXPECT_EQ(node.find("t")->find("x"), nullptr);
}

TEST(ParseDocument, knows_where_values_stand) {
    const Node node = parse("\xEF\xBB\xBFone = \"abc\"\r\n  'ü' = [1, 22]\r\nn = \"\"\"\r\nfirst\"\"\"\r\n");
    const Span& text = node.find("one")->span;
    EXPECT_EQ(text.file, "m.toml");
    EXPECT_EQ(std::pair(text.line, text.column), std::pair(1, 8));
    EXPECT_EQ(text.length, 3);
    // Columns are bytes: the umlaut takes two.
    const Span& item = node.find("ü")->items[1].span;
    EXPECT_EQ(std::pair(item.line, item.column), std::pair(2, 14));
    EXPECT_EQ(item.length, 2);
    EXPECT_EQ(node.members[1].key_span.column, 3);
    EXPECT_EQ(std::pair(node.find("n")->span.line, node.find("n")->span.column), std::pair(4, 1));
    EXPECT_EQ(item.source_line(), "  'ü' = [1, 22]");
}

TEST(ParseDocument, shows_the_line_of_a_fault) {
    EXPECT_EQ(message([] { parse("a = 1\nb = = 2\n"); }),
              "m.toml:2:5: this is not valid TOML: in value: could not determine value type\n  b = = 2\n      ^");
}

TEST(ParseDocument, refuses_what_is_no_text) {
    EXPECT_NE(message([] { parse("a = \"\xff\""); }).find("not UTF-8 text (see byte 5)"), std::string::npos);
    EXPECT_NE(message([] { parse("\x89PNG\r\n"); }).find("not UTF-8 text (see byte 0)"), std::string::npos);
    EXPECT_NE(message([] { parse("a = '\xED\xA0"); }).find("not UTF-8"), std::string::npos);
    EXPECT_NE(message([] { parse(std::string("a\0b", 3)); }), "no error");
    EXPECT_NE(message([] {
                  parse(
                      "\xFF\xFE"
                      "a\0=\0");
              }).find("not UTF-8"),
              std::string::npos);
    EXPECT_NE(message([] { parse(std::string(1u << 21, '#')); }).find("2,097,152 bytes long"), std::string::npos);
}

TEST(ParseDocument, bears_deep_documents) {
    std::string dotted, header = "[", inline_tables;
    for (int i = 0; i < 100000; ++i) dotted += "a.", header += "a.";
    EXPECT_NE(message([&] { parse(dotted + "a = 1"); }).find("more than 16 parts"), std::string::npos);
    EXPECT_NE(message([&] { parse(header + "a]"); }).find("more than 16 parts"), std::string::npos);
    EXPECT_NE(message([&] { parse("x = { " + dotted + "a = 1 }"); }).find("more than 16 parts"), std::string::npos);
    for (int i = 0; i < 100000; ++i) inline_tables += "{a = ";
    EXPECT_NE(message([&] { parse("a = " + inline_tables); }).find("nested value depth"), std::string::npos);
    EXPECT_NE(message([&] { parse("a = " + std::string(100000, '[')); }).find("nested value depth"), std::string::npos);
    EXPECT_EQ(message([] { parse("a = '1.2.3.4.5.6.7.8.9.1.2.3.4.5.6.7.8.9' # 1.2.3.4.5.6.7.8.9.1.2.3.4.5.6.7.8.9\n"); }), "no error");
    EXPECT_EQ(message([] { parse("a = \"\\\"1.2.3.4.5.6.7.8.9.1.2.3.4.5.6.7.8\"\nb = '''\n'1.2.3.4.5.6.7.8.9.1.2.3.4.5.6.7.8'''"); }),
              "no error");
}

TEST(ParseDocument, takes_quotes_after_a_dot) {
    EXPECT_NO_THROW(
        parse("a.\"b c\".'d' = 1\n[e.\"f\"]\ng = [{h.\"i\" = 1, j.\"k\" = [1, 2]}, {l.'m' = '.'}]\nn.\"o\" = 2\n[[p.\"q\"]]\nr.'s' = 3\n"));
}

TEST(ParseDocument, keeps_characters_beyond_ascii_to_texts_and_comments) {
    EXPECT_EQ(message([] { parse("a = 'Ö' # Ä\n\"ü\" = \"\"\"é\"\"\"\"\" # à\nb = '''λ\n''µ'''\n"); }), "no error");
    EXPECT_EQ(message([] { parse("a = 'é' Ö = 3"); }),
              "m.toml:1:10: 'Ö' can only appear in quotes or in a comment\n  a = 'é' Ö = 3\n          ^");
    EXPECT_NE(message([] { parse("a = 0\"λ\""); }).find("a quote cannot appear in the middle"), std::string::npos);
    EXPECT_EQ(message([] { parse("a = ['λ','µ',\"é\"]\nb.'ü' = {'ö'='ä'}\n"); }), "no error");
    EXPECT_NE(message([] { parse("a =\u00a01"); }).find("can only appear in quotes"), std::string::npos);
    EXPECT_NE(message([] { parse("a = \"\"\"x\\Ö\"\"\""); }).find("unknown escape sequence '\\Ö'"), std::string::npos);
    EXPECT_NE(message([] { parse("a = \"\"\"x\"\"\"\" Ö"); }).find("can only appear in quotes"), std::string::npos);
}

// toml++ looks for blanks ahead of an error, and behind a backslash at the end of a line, with tables that are not total.
TEST(ParseDocument, shields_toml_from_characters_beyond_ascii) {
    for (const char* text : {"a.a.a= +a.a5{\"\"\"a.=\u00b7 2\n", "a.a.a= +a.a5a.\"\"\"a.=\u00b7 2\n", "a = [\n1.\"\"\"a.=\u00b7 2\n"}) {
        EXPECT_NE(message([&] { parse(text); }).find("m.toml:"), std::string::npos) << text;
    }
    EXPECT_EQ(parse("a = \"\"\"x\\\n  \u00a7 \U0001F40D\"\"\"").find("a")->text, "x\u00a7 \U0001F40D");
    EXPECT_EQ(parse("a = \"\\u00B7\\uFFFD\\U0001F40D\"").find("a")->text, "\u00b7\uFFFD\U0001F40D");
    EXPECT_EQ(parse("'\u07FF\u0800\uFFFF' = '\u0080'").find("\u07FF\u0800\uFFFF")->text, "\u0080");
    EXPECT_NE(message([] { parse("a = \"\\U0010FFFD\""); }).find("m.toml:1:6: characters from U+100000 on are for private use"),
              std::string::npos);
    EXPECT_NE(message([] { parse("a = 1 # \U00100001"); }).find("m.toml:1:9: characters from U+100000 on are for private use"),
              std::string::npos);
    EXPECT_EQ(parse("a = '\\U0010FFFD'").find("a")->text, "\\U0010FFFD");
}

TEST(ParseDocument, refuses_a_key_given_as_it_is_and_as_an_escape) {
    EXPECT_EQ(message([] { parse("'\u00e9' = 3\n\"\\u00e9\" = 4"); }),
              "m.toml:2:1: the key '\u00e9' is given twice; give it once\n  \"\\u00e9\" = 4\n  ^~~~~~~~");
    EXPECT_NE(message([] { parse("['\u00e9']\na = 3\n[\"\\u00e9\"]\nb = 4"); }).find("m.toml:3:2: the key '\u00e9' is given twice"),
              std::string::npos);
}

TEST(ParseDocument, messages_are_text_where_toml_cuts_them_off) {
    std::string key;
    for (int i = 0; i < 300; ++i) key += "\u00e9";
    for (const char* before : {"", "x", "xx", "xxx"}) {
        const std::string text = message([&] { parse("\"" + (before + key) + "\" = 1\n\"" + (before + key) + "\" = 1\n"); });
        EXPECT_EQ(utf8_text(text), text);
    }
}

TEST(ParseDocument, bears_a_megabyte_in_one_line) {
    std::string numbers = "a = ['é'", keys = "t = {";
    for (int i = 0; i < 100000; ++i) numbers += ", " + std::to_string(i);
    for (int i = 0; i < 50000; ++i) keys += (i > 0 ? ", k" : " k") + std::to_string(i * 7919 % 50000) + " = 1";
    const Node list = parse(numbers + "]\n");
    // The last number has five digits, and every byte counts.
    EXPECT_EQ(list.find("a")->items.back().span.column, static_cast<int>(numbers.size()) - 5 + 1);
    EXPECT_EQ(parse(keys + " }\n").find("t")->members.size(), 50000u);
}

TEST(ReadDocument, names_what_is_wrong_with_a_path) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(testing::TempDir()) / "mottle_document_test";
    fs::create_directories(folder);
    EXPECT_NE(message([&] { read_document(folder); }).find("is a folder"), std::string::npos);
    EXPECT_NE(message([&] { read_document(folder / "none.toml"); }).find("there is no file"), std::string::npos);
    std::ofstream(folder / "big.toml") << std::string((1u << 20) + 1, ' ');
    EXPECT_NE(message([&] { read_document(folder / "big.toml"); }).find("1,048,577 bytes"), std::string::npos);
    EXPECT_NE(message([] { read_document("/dev/null"); }).find("cannot read"), std::string::npos);
    std::ofstream(folder / "good.toml") << "a = 3\n";
    const Node node = read_document(folder / "good.toml");
    EXPECT_EQ(node.find("a")->integer, 3);
    EXPECT_EQ(node.find("a")->span.file, (folder / "good.toml").string());
    fs::remove_all(folder);
}

TEST(Merge, lays_tables_upon_each_other_key_by_key) {
    Node base = parse("a = 1\n[t]\nx = 1\ny = [1, 2]\n");
    merge(base, parse("b = 3\n[t]\ny = [3]\nz = 4\n"));
    EXPECT_EQ(keys(base), "a t b");
    const Node& table = *base.find("t");
    EXPECT_EQ(keys(table), "x y z");
    EXPECT_EQ(table.find("x")->integer, 1);
    EXPECT_EQ(table.find("y")->items.size(), 1u);
    merge(base, parse("t = 5\n"));
    EXPECT_EQ(base.find("t")->integer, 5);
    EXPECT_TRUE(base.find("t")->members.empty());
}

TEST(CheckKeys, names_the_key_its_place_and_the_nearest) {
    const Node node = parse("[grid]\nsize = 3\nspacin = 1\n");
    EXPECT_EQ(message([&] {
                  check_keys(*node.find("grid"), {"size", "spacing"}, "[grid]");
              }),
              "m.toml:3:1: unknown key 'spacin' in [grid]; did you mean 'spacing'?\n  spacin = 1\n  ^~~~~~");
    EXPECT_NE(message([&] {
                  check_keys(*node.find("grid"), {"size", "stencil"}, "[grid]");
              }).find("known are size, stencil"),
              std::string::npos);
    EXPECT_EQ(message([&] { check_keys(*node.find("grid"), {"size", "spacin"}, "[grid]"); }), "no error");
    EXPECT_NE(message([&] { check_keys(*node.find("grid")->find("size"), {}, "size"); }).find("must be a table"), std::string::npos);
}

TEST(Expect, gives_the_value_or_says_what_is_wanted) {
    const Node node = parse("t = 'x'\ni = 7\nf = 7.5\nw = 2.0\nb = false\nn = nan\nh = 1e300\n");
    auto at = [&](const char* key) -> const Node& { return *node.find(key); };
    EXPECT_EQ(expect_text(at("t"), "t"), "x");
    EXPECT_EQ(expect_number(at("i"), "i"), 7);
    EXPECT_EQ(expect_integer(at("w"), "w"), 2);
    EXPECT_FALSE(expect_boolean(at("b"), "b"));
    EXPECT_EQ(message([&] { expect_text(at("i"), "title"); }),
              "m.toml:2:5: title is a number; it must be text, in quotes\n  i = 7\n      ^");
    EXPECT_NE(message([&] { expect_number(at("n"), "dt"); }).find("dt is nan; it must be a finite number"), std::string::npos);
    EXPECT_NE(message([&] { expect_integer(at("f"), "steps"); }).find("steps is 7.5; it must be a whole number"), std::string::npos);
    EXPECT_NE(message([&] { expect_integer(at("h"), "steps"); }).find("whole number"), std::string::npos);
    EXPECT_NE(message([&] { expect_boolean(at("i"), "force"); }).find("must be true or false"), std::string::npos);
    EXPECT_EQ(expect_expression(at("f"), "F").text, "7.5");
    EXPECT_EQ(expect_expression(at("t"), "F").text, "x");
    EXPECT_NE(message([&] { expect_expression(at("b"), "F"); }).find("an expression in quotes"), std::string::npos);
}

TEST(FlagNodes, name_the_flag_and_show_its_text) {
    const Node text = text_node("1 + x", "--set F");
    EXPECT_EQ(std::string(InputError("wrong", text.span).what()), "--set F: wrong\n  1 + x\n  ^~~~~");
    const Node number = number_node(0.25, "--set F");
    EXPECT_TRUE(number.is_number());
    EXPECT_EQ(expect_expression(number, "F").text, "0.25");
}

}  // namespace document_test
