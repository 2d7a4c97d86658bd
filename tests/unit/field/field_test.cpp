// tests/unit/field/field_test.cpp: initial states and maps in a kernel's arrays, on any number of threads; names, bad values
#include "mottle/backend/reference/backend.h"
#include "mottle/core/error.h"
#include "mottle/field/field.h"
#include "mottle/ir/program/builder.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mottle::field {
namespace field_test {

class Quiet : public core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

model::ExprPtr text(const std::string& words, int line) {
    const std::string before(static_cast<std::size_t>(line - 1), '\n');
    return model::parse({words, {"m.toml", line, 1, static_cast<int>(words.size()), core::make_source(before + words)}});
}

/// Fields u and v and, if given, a parameter F bound to a map.
struct Start {
    Start(const std::string& u, const std::string& v, const std::string& map, bool f64, domain::Triple size, int threads = 2)
        : team(threads), context{team, quiet, {}} {
        for (auto [name, words, line] : {std::tuple{"u", u, 1}, {"v", v, 2}}) {
            model::Equation equation;
            equation.field = name;
            if (!words.empty()) equation.initial = text(words, line);
            model.equations.push_back(equation);
        }
        ir::Program program;
        program.f64 = f64;
        program.arrays = {
            {"u", ir::ArrayInfo::Kind::state, 0}, {"v", ir::ArrayInfo::Kind::state, 0}, {"held", ir::ArrayInfo::Kind::held, 0}};
        program.ghosts.emplace_back();
        if (!map.empty()) {
            model::Parameter parameter;
            parameter.name = "F";
            parameter.map = text(map, 3);
            model.parameters.push_back(parameter);
            program.arrays.push_back({"F", ir::ArrayInfo::Kind::input, 0});
        }
        ir::Builder b(f64);
        const ir::Value same = b.load(0);
        program.step.stages.push_back({"step", b.code(), {{0, same}}});
        domain::Grid grid;
        grid.size = size;
        kernel = backend::create_reference_backend()->compile(program, grid, {}, context);
    }
    Field field(std::uint64_t seed = 0) { return Field(*kernel, model, {seed, {}}, context); }

    core::ThreadTeam team;
    Quiet quiet;
    core::Context context;
    model::Model model;
    std::unique_ptr<backend::Kernel> kernel;
};

std::vector<double> read(const Field& field, ir::Array array) {
    const auto n = static_cast<std::size_t>(domain::row_length(field.kernel().domain()));
    std::vector<double> cells(static_cast<std::size_t>(domain::cell_count(field.kernel().domain())));
    for (std::size_t row = 0; row * n < cells.size(); ++row) {
        field.kernel().read_row(field.state(), array, static_cast<core::Index>(row), std::span<double>(&cells[row * n], n));
    }
    return cells;
}

std::string message_of(const std::string& u, bool f64 = true, const std::string& map = {}, int threads = 2) {
    Start start(u, "0", map, f64, {8, 6, 1}, threads);
    try {
        start.field();
    } catch (const core::InputError& error) {
        EXPECT_TRUE(error.span().has_value());
        return error.message();
    }
    return "(no error)";
}

TEST(Field, FillsStatesAndMaps) {
    Start start("1 + x", "10*y", "100*X", true, {3, 2, 1});
    const Field field = start.field();
    EXPECT_EQ(read(field, 0), (std::vector<double>{1.5, 2.5, 3.5, 1.5, 2.5, 3.5}));
    EXPECT_EQ(read(field, 1), (std::vector<double>{5, 5, 5, 15, 15, 15}));
    EXPECT_EQ(read(field, 3), (std::vector<double>{100 * (0.5 / 3), 50, 100 * (2.5 / 3), 100 * (0.5 / 3), 50, 100 * (2.5 / 3)}));
}

TEST(Field, ThreeDimensions) {
    Start start("x + 10*y + 100*z", "disk(0.5, 0.5, 0.5, 0.6)", "", true, {2, 2, 3});
    const Field field = start.field();
    std::vector<double> expected;
    for (double z : {0.5, 1.5, 2.5}) {
        for (double y : {0.5, 1.5}) {
            for (double x : {0.5, 1.5}) expected.push_back(x + 10 * y + 100 * z);
        }
    }
    EXPECT_EQ(read(field, 0), expected);
    EXPECT_EQ(field.statistics(1).sum, 0);  // the nearest centres are sqrt(1/2) away
}

TEST(Field, RoundsOnceAndFlushes) {
    Start start("0.1", "1e-40", "", false, {4, 1, 1});
    const Field field = start.field();
    EXPECT_EQ(read(field, 0)[0], static_cast<double>(0.1f));
    EXPECT_EQ(read(field, 1)[0], 0.0);
}

TEST(Field, TheSameForAnyNumberOfThreads) {
    Start one("noise(0, 1) + spots(4, 3)", "sin(2*pi*X)*noise(-1, 1)", "", false, {700, 33, 1}, 1);
    const Field expected = one.field(42);
    for (int threads : {2, 5, 50}) {
        Start many("noise(0, 1) + spots(4, 3)", "sin(2*pi*X)*noise(-1, 1)", "", false, {700, 33, 1}, threads);
        const Field field = many.field(42);
        EXPECT_EQ(read(field, 0), read(expected, 0)) << threads;
        EXPECT_EQ(read(field, 1), read(expected, 1)) << threads;
    }
    EXPECT_NE(read(one.field(43), 0), read(expected, 0));
}

TEST(Field, BadValuesNameFieldCellAndValue) {
    EXPECT_EQ(message_of("1/(x - 2.5)").find("the initial state of 'u' is inf at cell (2, 0)"), 0u);
    EXPECT_EQ(message_of("where(y > 4, sqrt(-1), 0)").find("the initial state of 'u' is "), 0u);
    EXPECT_NE(message_of("where(y > 4, sqrt(-1), 0)").find("nan at cell (0, 4)"), std::string::npos);
    EXPECT_EQ(message_of("1", true, "log(X - X)").find("the map of 'F' is -inf at cell (0, 0)"), 0u);
    for (int threads : {1, 2, 6}) EXPECT_NE(message_of("where(y > 3, 1/0, 0)", true, "", threads).find("cell (0, 3)"), std::string::npos);
}

TEST(Field, WhatRoundsToInfinityIsRefusedInSingle) {
    EXPECT_EQ(message_of("3.4e38", false), "(no error)");
    EXPECT_NE(message_of("3.5e38", false).find("is 3.5e+38 at cell (0, 0); values must be finite and below"), std::string::npos);
    EXPECT_EQ(message_of("3.5e38", true), "(no error)");
}

TEST(Field, AFieldWithoutAnInitialStateIsRefused) {
    Start start("1", "", "", true, {4, 4, 1});
    EXPECT_THROW(start.field(), core::InputError);
}

TEST(Field, FindsFieldsByName) {
    Start start("1", "2", "3", true, {4, 4, 1});
    const Field field = start.field();
    EXPECT_EQ(field.names(), (std::vector<std::string>{"u", "v"}));
    EXPECT_EQ(field.find("v"), 1);
    EXPECT_THROW(field.find("F"), core::InputError);
    EXPECT_THROW(field.find("w"), core::InputError);
    EXPECT_EQ(field.statistics(1).mean, 2);
    EXPECT_EQ(field.range(1).max, 2);
}

}  // namespace field_test
}  // namespace mottle::field
