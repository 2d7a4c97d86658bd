// tests/unit/field/copy_test.cpp: boxes of cells, snapshots, and fields from one simulation to another
#include "kernel_cache.h"
#include "mottle/field/copy.h"

#include "mottle/core/error.h"
#include "mottle/run/simulation.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>

namespace copy_test {

using namespace mottle;

struct Bench {
    core::ThreadTeam team{2};
    core::Observer observer;
    core::Context context{team, observer, kernel_cache()};

    run::Simulation simulation(const std::string& text, const std::string& flags = "") {
        return {run::read_spec(core::parse_document(text, "test.toml"), "test", "",
                               core::parse_document("device = 'reference'\n" + flags, "flags")),
                context};
    }
};

const std::string kModel = "equations.a = 'lap(a)'\nequations.b = '-b'\ninitial.a = 'x + 10*y'\ninitial.b = 'x'\ntime.dt = 0.01\n";

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "taken";
}

TEST(CellBoxes, AreReadAndWritten) {
    Bench bench;
    run::Simulation simulation = bench.simulation(kModel, "size = '5x4x3'");
    field::Field& field = simulation.field();
    const std::vector<double> before = field.values(0);
    const field::CellBox box{.first = {1, 2, 0}, .size = {2, 1, 3}};
    const std::vector<double> read = field::read_box(field, 0, box);
    std::vector<double> expected;
    for (std::size_t z = 0; z < 3; ++z) {
        for (std::size_t x = 1; x < 3; ++x) expected.push_back(before[(z * 4 + 2) * 5 + x]);
    }
    EXPECT_EQ(read, expected);
    const std::vector<double> values{1, 2, 3, 4, 5, 0.1};
    field::write_box(field, 0, box, values);
    std::vector<double> after = before;
    for (std::size_t z = 0, i = 0; z < 3; ++z) {
        for (std::size_t x = 1; x < 3; ++x) after[(z * 4 + 2) * 5 + x] = static_cast<double>(static_cast<float>(values[i++]));
    }
    EXPECT_EQ(field.values(0), after);
}

TEST(CellBoxes, RefuseWhatDoesNotFit) {
    Bench bench;
    run::Simulation simulation = bench.simulation(kModel, "size = '5x4'");
    field::Field& field = simulation.field();
    const std::vector<double> one{1}, nan{NAN}, large{1e39};
    for (const field::CellBox& box :
         {field::CellBox{{5, 0, 0}, {1, 1, 1}}, field::CellBox{{0, 0, 0}, {0, 1, 1}}, field::CellBox{{-1, 0, 0}, {1, 1, 1}},
          field::CellBox{{0, 0, 0}, {1, 1, 2}}, field::CellBox{{1, 0, 0}, {INT64_MAX, 1, 1}}})
        EXPECT_NE(refusal([&] { field::write_box(field, 0, box, one); }).find("does not lie in the 5x4 grid"), std::string::npos);
    EXPECT_EQ(refusal([&] { field::write_box(field, 0, {{0, 0, 0}, {2, 1, 1}}, one); }), "the box has 2 cells, and there are 1 values");
    EXPECT_EQ(refusal([&] { field::write_box(field, 0, {{0, 0, 0}, {1, 1, 1}}, nan); }), "a cell cannot be nan in this precision");
    EXPECT_EQ(refusal([&] { field::write_box(field, 0, {{0, 0, 0}, {1, 1, 1}}, large); }), "a cell cannot be 1e+39 in this precision");
}

TEST(Snapshots, GoBackToTheSameBits) {
    for (const std::string precision : {"f32", "f64"}) {
        Bench bench;
        run::Simulation simulation = bench.simulation(kModel, "size = '5x4'\nprecision = '" + precision + "'");
        simulation.advance_to(3);
        const field::Snapshot snapshot(simulation.field(), simulation.now(), bench.team);
        const std::vector<double> a = simulation.field().values(0), b = simulation.field().values(1);
        EXPECT_EQ(snapshot.bytes(), precision == "f32" ? 160u : 320u);
        simulation.advance_to(9);
        EXPECT_NE(simulation.field().values(1), b);
        snapshot.restore(simulation.field(), bench.team);
        EXPECT_EQ(simulation.field().values(0), a);
        EXPECT_EQ(simulation.field().values(1), b);
        EXPECT_EQ(snapshot.moment().step, 3);
        run::Simulation other = bench.simulation(kModel, "size = '4x4'");
        EXPECT_NE(refusal([&] { snapshot.restore(other.field(), bench.team); }), "taken");
    }
}

TEST(Snapshots, TakeAnotherStateAndRows) {
    for (const std::string precision : {"f32", "f64"}) {
        Bench bench;
        run::Simulation simulation = bench.simulation(kModel, "size = '5x4'\nprecision = '" + precision + "'");
        field::Snapshot snapshot(simulation.field(), simulation.now(), bench.team);
        const field::Snapshot copy = snapshot;  // which stays what it is
        const std::vector<double> start = simulation.field().values(1);
        simulation.advance_to(4);
        std::vector<double> b = simulation.field().values(1);
        const std::vector<double> a = simulation.field().values(0);
        snapshot.take(simulation.field(), simulation.now(), bench.team);
        const std::vector<double> row{1, 2, 3, 4, 5};
        snapshot.put_row(1, 2, row);
        std::copy(row.begin(), row.end(), b.begin() + 10);
        simulation.advance_to(9);
        snapshot.restore(simulation.field(), bench.team);
        EXPECT_EQ(snapshot.moment().step, 4);
        EXPECT_EQ(simulation.field().values(0), a);
        EXPECT_EQ(simulation.field().values(1), b);
        copy.restore(simulation.field(), bench.team);
        EXPECT_EQ(simulation.field().values(1), start);
        run::Simulation other = bench.simulation(kModel, "size = '7x4'");  // that needs other memory
        snapshot.take(other.field(), other.now(), bench.team);
        EXPECT_EQ(snapshot.bytes(), 224u);
    }
}

TEST(TakeOver, KeepsFieldsByNameAndTheTime) {
    Bench bench;
    run::Simulation before = bench.simulation(kModel, "size = '5x4'\nprecision = 'f64'");
    before.advance_to(7);
    run::Simulation after = bench.simulation("equations.c = 'b'\nequations.b = '-2*b'\ninitial.c = 4\ninitial.b = 1\ntime.dt = 0.005\n",
                                             "size = '5x4'\nprecision = 'f64'");
    after.take_over(before);
    EXPECT_EQ(after.now().step, 7);
    EXPECT_DOUBLE_EQ(after.now().time, 0.07);
    EXPECT_EQ(after.field().values(1), before.field().values(1));
    for (const double c : after.field().values(0)) EXPECT_EQ(c, 4);
    after.advance_to(8);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(after.field().values(1)[i], before.field().values(1)[i] * 0.99, 1e-12);
    run::Simulation larger = bench.simulation(kModel, "size = '6x4'");
    EXPECT_EQ(refusal([&] { larger.take_over(before); }), "the fields of a 5x4 grid do not fit a 6x4 grid");
}

TEST(TimeStep, ChangesWhileARunGoesOn) {
    Bench bench;
    run::Simulation simulation = bench.simulation(kModel, "size = '5x4'\nprecision = 'f64'");
    simulation.advance_to(10);
    const std::vector<double> b = simulation.field().values(1);
    const core::Index planned = simulation.steps();
    simulation.set_time_step(0.02);
    EXPECT_EQ(simulation.now().step, 10);
    EXPECT_DOUBLE_EQ(simulation.now().time, 0.1);
    EXPECT_EQ(simulation.steps(), 10 + (planned - 10) / 2) << "the planned end is the time that it was";
    simulation.advance_to(11);
    EXPECT_DOUBLE_EQ(simulation.now().time, 0.12);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(simulation.field().values(1)[i], b[i] * 0.98, 1e-12);
    for (const double wrong : {0.0, -1.0, static_cast<double>(NAN), HUGE_VAL})
        EXPECT_NE(refusal([&] { simulation.set_time_step(wrong); }), "taken");
}

TEST(Pieces, AreTheRunInOnePiece) {
    Bench bench;
    run::Simulation whole = bench.simulation(kModel, "size = '5x4'"), pieces = bench.simulation(kModel, "size = '5x4'");
    whole.advance_to(2000);
    while (pieces.now().step < 2000) pieces.advance_to(2000, 37);
    EXPECT_EQ(pieces.field().values(0), whole.field().values(0));
}

}  // namespace copy_test
