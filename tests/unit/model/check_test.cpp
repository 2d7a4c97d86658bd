// tests/unit/model/check_test.cpp: what a checked model holds; the refusals are in tests/errors
#include "mottle/core/error.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace check_test {

using namespace mottle;

model::Model check(const std::string& text) { return model::check(core::parse_document(text, "m.toml"), "m"); }

const char* const kHeat = "[equations]\nu = \"D*lap(u)\"\n[initial]\nu = 0\n";

model::Model with_parameters(const std::string& lines) {
    return check("[equations]\nu = \"lap(u)\"\n[initial]\nu = 0\n[parameters]\n" + lines);
}

template <class Action>
std::string message(Action action) {
    try {
        action();
    } catch (const core::Error& error) {
        return error.message();
    }
    return "no error";
}

std::string fields_beside_each_other(int count) {
    std::string equations = "[equations]\n", initial = "[initial]\n";
    for (int i = 0; i < count; ++i) {
        equations += "a" + std::to_string(i) + " = \"lap(a" + std::to_string(i) + ")\"\n";
        initial += "a" + std::to_string(i) + " = 0\n";
    }
    return equations + initial;
}

// What chooses dt takes the third power of their number.
TEST(Check, takes_256_fields_and_no_more) {
    EXPECT_EQ(check(fields_beside_each_other(256)).equations.size(), 256u);
    EXPECT_EQ(message([] { check(fields_beside_each_other(257)); }), "[equations] has 257 fields; a model may have 256");
}

TEST(Check, reads_everything_of_a_model) {
    const model::Model m = check(
        "title = \"T\"\nsource = \"S\"\nabout = \"A\"\nwavelength = 12.5\n"
        "[equations]\nv = \"a*u\"\nu = \"-b*v\"\n"
        "[parameters]\nb = { value = 2, min = 1, max = 3, about = \"rate\" }\na = -1\n"
        "[initial]\nu = 1\nv = \"X\"\n"
        "[fields]\nu = { range = [-1, 2], about = \"prey\", unit = \"1/m\" }\n[clamp]\nv = [0, 1]\n"
        "[method]\nreaction_rate = 3\n[presets.p]\na = 2\nsize = \"8x8\"\nabout = \"first\"\n[presets.a]\n");
    EXPECT_EQ(m.name, "m");
    EXPECT_EQ(m.title + m.source + m.about, "TSA");
    EXPECT_EQ(m.wavelength, 12.5);
    EXPECT_EQ(m.reaction_rate, 3);
    ASSERT_EQ(m.equations.size(), 2u);
    EXPECT_EQ(m.equations[0].field, "v");
    EXPECT_EQ(model::print(*m.equations[0].rate), "a*u");
    EXPECT_EQ(model::print(*m.equations[0].initial), "X");
    EXPECT_EQ(m.equations[0].clamp, (std::array{0.0, 1.0}));
    EXPECT_FALSE(m.equations[1].clamp);
    EXPECT_EQ(m.equations[1].range, (std::array{-1.0, 2.0}));
    EXPECT_EQ(m.equations[1].about + m.equations[1].unit, "prey1/m");
    ASSERT_EQ(m.parameters.size(), 2u);
    EXPECT_EQ(m.parameters[0].name, "b");
    EXPECT_EQ(m.parameters[0].value, 2);
    EXPECT_EQ(m.parameters[0].min, 1);
    EXPECT_EQ(m.parameters[0].max, 3);
    EXPECT_EQ(m.parameters[0].about, "rate");
    EXPECT_EQ(m.parameters[1].value, -1);
    EXPECT_FALSE(m.parameters[1].min);
    ASSERT_EQ(m.presets.size(), 2u);
    EXPECT_EQ(m.presets[0].name, "p");
    EXPECT_EQ(m.presets[0].about, "first");
    EXPECT_EQ(m.presets[0].settings.find("about"), nullptr);
    EXPECT_EQ(m.presets[0].settings.find("size")->text, "8x8");
}

TEST(Check, puts_definitions_in_and_shares_them) {
    const model::Model m =
        check("[equations]\nu = \"r + r\"\n[define]\nr = \"a*lap(u)\"\na = \"1 + 2\"\ns = \"spots(3, 2)\"\n[initial]\nu = \"1 - s\"\n");
    EXPECT_EQ(model::print(*m.equations[0].rate), "(1 + 2)*lap(u) + (1 + 2)*lap(u)");
    EXPECT_EQ(m.equations[0].rate->args[0], m.equations[0].rate->args[1]);
    EXPECT_EQ(model::print(*m.equations[0].initial), "1 - spots(3, 2)");
}

TEST(Check, a_definition_may_be_a_vector) {
    const model::Model m = check("[equations]\nu = \"div(g) + norm2(g)\"\n[define]\ng = \"2*grad(u)/3\"\n[initial]\nu = 0\n");
    EXPECT_EQ(model::print(*m.equations[0].rate), "div(2*grad(u)/3) + norm2(2*grad(u)/3)");
}

TEST(Check, numbers_in_text_are_parameters_of_one_value) {
    const model::Model m = with_parameters("a = \"0.5\"\nb = \" -2e1 \"\nc = { value = \"3\", max = 4 }\n");
    EXPECT_EQ(m.parameters[0].value, 0.5);
    EXPECT_EQ(m.parameters[1].value, -20);
    EXPECT_EQ(m.parameters[2].value, 3);
    for (const auto& parameter : m.parameters) EXPECT_FALSE(parameter.map);
}

TEST(Check, folds_parameters_of_other_parameters) {
    const model::Model m = with_parameters(
        "a = \"b/2 + c\"\nb = 3\nc = \"b^2 - 2*pi\"\nd = \"min(a, 1) + max(2, 1) + clamp(7, 0, 5) + abs(-1) + sign(-3) + floor(2.5) + "
        "mod(-1, 3) + sqrt(16)\"\n"
        "e = \"where(b > 2, 10, 20) + (b <= 3) + (b != 3) + 4^0.5 + 2^-2 + 3^0\"\n");
    const double c = 9 - 2 * std::numbers::pi;
    EXPECT_EQ(m.parameters[0].value, 1.5 + c);
    EXPECT_EQ(m.parameters[2].value, c);
    EXPECT_EQ(m.parameters[3].value, 1 + 2 + 5 + 1 - 1 + 2 + 2 + 4);
    EXPECT_EQ(m.parameters[4].value, 10 + 1 + 0 + 2 + 0.25 + 1);
}

TEST(Check, positions_and_sources_make_maps) {
    const model::Model m = with_parameters(
        "a = \"0.5 + X\"\nb = \"a*2\"\nc = \"noise(0, 1)\"\nd = \"ramp\"\ne = \"image('f.png')\"\n[define]\nramp = \"y/3\"\n");
    for (const auto& parameter : m.parameters) ASSERT_TRUE(parameter.map) << parameter.name;
    EXPECT_EQ(model::print(*m.parameters[1].map), "a*2");
    EXPECT_EQ(model::print(*m.parameters[3].map), "y/3");
}

// Whoever follows maps goes as deep; in the order of the file and against it.
TEST(Check, refuses_maps_nested_too_deeply) {
    for (const bool forwards : {true, false}) {
        for (const int count : {1990, 2010}) {
            std::string text;
            for (int i = 0; i < count; ++i) {
                const std::string line = "m" + std::to_string(i) + " = \"" + (i == 0 ? "X" : "m" + std::to_string(i - 1)) + "\"\n";
                text = forwards ? text + line : line + text;
            }
            std::string message;
            try {
                with_parameters(text);
            } catch (const core::ModelError& error) {
                message = error.message();
            }
            EXPECT_EQ(message, count < 2000 ? "" : "maps that use other maps are nested beyond 2000 levels; simplify them");
        }
    }
}

TEST(Check, values_outside_their_range_are_allowed) {
    EXPECT_EQ(with_parameters("a = { value = 9, min = 0, max = 1 }\n").parameters[0].value, 9);
}

TEST(Check, chemotaxis_may_call_a_field_n) {
    EXPECT_EQ(message([] { check("[equations]\nn = \"lap(n) - div(n*grad(c))\"\nc = \"lap(c) + n\"\n[initial]\nn = 1\nc = 0\n"); }),
              "no error");
}

TEST(Check, a_third_axis_is_read_from_the_size) {
    const std::string text = "[equations]\nu = \"dz(u)\"\n[initial]\nu = \"z\"\n[grid]\nsize = ";
    EXPECT_EQ(message([&] { check(text + "\"8x8x8\"\n"); }), "no error");
    EXPECT_NE(message([&] { check(text + "\"8x8\"\n"); }).find("three dimensions"), std::string::npos);
}

TEST(Check, every_reserved_word_is_refused_as_a_name) {
    for (const char* word : {"x", "Z", "t", "pi", "dt", "lap", "bilap", "grad", "noise", "image", "mean", "white", "tensor", "near", "attr",
                             "neg", "where", "if"}) {
        EXPECT_TRUE(model::is_reserved(word)) << word;
        EXPECT_NE(message([&] { with_parameters(std::string(word) + " = 1\n"); }).find("reserved by the model language"), std::string::npos)
            << word;
    }
    for (const char* word : {"u", "n", "k", "F", "D", "seed", "lapse", "tau", "e", "i"}) EXPECT_FALSE(model::is_reserved(word)) << word;
}

TEST(Check, bears_a_hundred_thousand_entries) {
    std::string parameters, chain;
    for (int i = 0; i < 30000; ++i) parameters += "a" + std::to_string(i) + " = 1\n";
    EXPECT_EQ(with_parameters(parameters).parameters.size(), 30000u);
    for (int i = 0; i < 10000; ++i) chain += "a" + std::to_string(i) + " = \"a" + std::to_string(i + 1) + "\"\n";
    EXPECT_EQ(with_parameters(chain + "a10000 = 5\n").parameters[0].value, 5);
    EXPECT_NE(message([&] { check(std::string(kHeat) + "[parameters]\nD = 1\n[define]\n" + chain + "a10000 = \"1\"\n"); }), "no error");
}

TEST(ParseUniform, takes_parameters_numbers_and_time) {
    const model::Model m = with_parameters("a = 1\nmap = \"X\"\n");
    auto parse = [&](const char* text) { return message([&] { model::parse_uniform({text, {}}, m, "a boundary value"); }); };
    EXPECT_EQ(parse("a*sin(2*pi*t) + 1"), "no error");
    EXPECT_EQ(parse("x"), "'x' is a coordinate; a boundary value may use parameters, numbers and t");
    EXPECT_EQ(parse("u"), "'u' is a field; a boundary value may use parameters, numbers and t");
    EXPECT_EQ(parse("map"),
              "'map' is a map, which differs from cell to cell; a boundary value may use parameters of one value, numbers and t");
    EXPECT_EQ(parse("noise(0, 1)"), "'noise' cannot be used in a boundary value");
    EXPECT_EQ(parse("lap(a)"), "'lap' is an operator on fields; a boundary value has none");
    EXPECT_EQ(parse("b"), "unknown name 'b' in a boundary value; did you mean 'a'?");
}

TEST(ParseUniform, takes_definitions_of_these) {
    const model::Model m =
        check(std::string(kHeat) + "[parameters]\nD = 1\n[define]\nwave = \"2*D*sin(phase)\"\nphase = \"3*t\"\nslope = \"2*u\"\n");
    EXPECT_EQ(model::print(*model::parse_uniform({"1 + wave", {}}, m, "a boundary value")), "1 + 2*D*sin(3*t)");
    EXPECT_EQ(message([&] {
                  model::parse_uniform({"slope", {}}, m, "a boundary value");
              }),
              "'u' is a field; a boundary value may use parameters, numbers and t");
    EXPECT_EQ(message([&] {
                  model::parse_uniform({"qqq", {}}, m, "a boundary value");
              }),
              "unknown name 'qqq' in a boundary value; known are D, wave, phase, slope, t, pi");
}

TEST(ParseFrameStep, takes_n_alone) {
    auto parse = [](const char* text) { return message([&] { model::parse_frame_step({text, {}}, "at"); }); };
    EXPECT_EQ(parse("n^2 + 10*n + pi"), "no error");
    EXPECT_EQ(parse("m"), "unknown name 'm' in at; did you mean 'n'?");
    EXPECT_NE(parse("t").find("only numbers and n"), std::string::npos);
    EXPECT_NE(parse("x"), "no error");
    EXPECT_NE(parse("clamp(n)"), "no error");
}

TEST(LoadDocument, finds_library_models_and_files) {
    EXPECT_NE(model::load_document("gray-scott").find("equations"), nullptr);
    EXPECT_EQ(message([] { model::load_document("grey-scott"); }),
              "there is no model 'grey-scott'; did you mean 'gray-scott'? 'mottle models' lists all, and a file of your own ends in .toml");
    EXPECT_NE(message([] { model::load_document("no-such-file.toml"); }).find("there is no file"), std::string::npos);
    EXPECT_NE(message([] { model::load_document("./gray-scott"); }).find("there is no file"), std::string::npos);
    EXPECT_NE(message([] { model::load_document(""); }).find("there is no model ''"), std::string::npos);
}

TEST(Library, every_model_is_valid_and_in_order) {
    std::string_view before;
    ASSERT_FALSE(model::library().empty());
    for (const model::LibraryModel& entry : model::library()) {
        EXPECT_LT(before, entry.name);
        before = entry.name;
        const std::string name(entry.name);
        EXPECT_EQ(message([&] { model::check(model::load_document(name), name); }), "no error") << name;
    }
}

}  // namespace check_test
