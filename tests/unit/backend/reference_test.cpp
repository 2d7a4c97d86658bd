// tests/unit/backend/reference_test.cpp: the interpreter against plain loops: ghosts, order of reads and writes, underflow, uniforms
#include "mottle/backend/reference/backend.h"
#include "mottle/core/error.h"
#include "mottle/ir/program/builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace mottle::backend {
namespace reference_test {

using domain::Rule;
using ir::Builder;
using ir::Value;

class Quiet : public core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

/// A kernel with its state, and whole arrays in and out.
class Machine {
   public:
    Machine(const ir::Program& program, const domain::Grid& grid)
        : grid_(grid),
          backend_(create_reference_backend()),
          kernel_(backend_->compile(program, grid, {}, context_)),
          state_(kernel_->create_state()) {}

    void write(ir::Array array, const std::vector<double>& cells) {
        const auto n = static_cast<std::size_t>(grid_.size[0]);
        for (std::size_t row = 0; row * n < cells.size(); ++row)
            kernel_->write_row(*state_, array, static_cast<Index>(row), {&cells[row * n], n});
    }
    std::vector<double> read(ir::Array array) const {
        const auto n = static_cast<std::size_t>(grid_.size[0]);
        std::vector<double> cells(static_cast<std::size_t>(domain::cell_count(grid_)));
        for (std::size_t row = 0; row * n < cells.size(); ++row) {
            kernel_->read_row(*state_, array, static_cast<Index>(row), std::span<double>(&cells[row * n], n));
        }
        return cells;
    }
    void advance(Index first, Index n, const std::vector<double>& uniforms = {}, int columns = 0) {
        kernel_->advance(*state_, first, n, {uniforms, columns});
    }
    Kernel& kernel() { return *kernel_; }
    State& state() { return *state_; }

   private:
    domain::Grid grid_;
    core::ThreadTeam team_{1};
    Quiet quiet_;
    core::Context context_{team_, quiet_, {}};
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<Kernel> kernel_;
    std::unique_ptr<State> state_;
};

domain::Grid grid_of(Index nx, Index ny, Index nz = 1) {
    domain::Grid grid;
    grid.size = {nx, ny, nz};
    return grid;
}

ir::GhostRule all_sides(Rule rule, int alpha = -1, int beta = -1) {
    ir::GhostRule ghosts;
    for (auto& ghost : ghosts) ghost = {rule, alpha, beta};
    return ghosts;
}

ir::Uniform named_uniform(const std::string& name) {
    ir::Uniform uniform;
    uniform.name = name;
    return uniform;
}

/// One field f whose step is made by `step`.
ir::Program program_of(bool f64, const std::function<Value(Builder&)>& step, const ir::GhostRule& ghosts = all_sides(Rule::periodic)) {
    ir::Program program;
    program.f64 = f64;
    program.arrays.push_back({"f", ir::ArrayInfo::Kind::state, 0});
    program.ghosts.push_back(ghosts);
    Builder b(f64);
    const Value value = step(b);
    program.step.stages.push_back({"step", b.code(), {{0, value}}});
    return program;
}

std::vector<double> some_cells(Index count) {
    std::vector<double> cells;
    for (Index i = 0; i < count; ++i) cells.push_back(0.125 + std::fmod(static_cast<double>(i * i + 3 * i) * 0.37, 1.0));
    return cells;
}

// A sum over far and diagonal neighbours with different weights tells every offset apart.
TEST(Reference, PeriodicStencilEqualsAPlainLoop) {
    for (auto [nx, ny, nz] : {domain::Triple{5, 4, 1}, {2, 2, 1}, {7, 1, 1}, {2500, 3, 1}, {4, 5, 3}}) {
        const int ry = ny > 1 ? 1 : 0, rz = nz > 1 ? 1 : 0;
        auto program = program_of(true, [&](Builder& b) {
            Value sum = b.load(0);
            sum = b.fma(b.literal(0.5), b.load(0, -2, 0, 0), sum);
            sum = b.fma(b.literal(0.25), b.load(0, 1, ry, 0), sum);
            return b.fma(b.literal(-0.75), b.load(0, -1, -ry, rz), sum);
        });
        Machine machine(program, grid_of(nx, ny, nz));
        auto f = some_cells(nx * ny * nz);
        machine.write(0, f);
        machine.advance(0, 3);
        for (int step = 0; step < 3; ++step) {
            auto at = [&, nx = nx, ny = ny, nz = nz](Index x, Index y, Index z) {
                return f[static_cast<std::size_t>((((z + nz) % nz) * ny + (y + ny) % ny) * nx + (x + 2 * nx) % nx)];
            };
            std::vector<double> next(f.size());
            for (Index z = 0; z < nz; ++z) {
                for (Index y = 0; y < ny; ++y) {
                    for (Index x = 0; x < nx; ++x) {
                        double sum = std::fma(0.5, at(x - 2, y, z), at(x, y, z));
                        sum = std::fma(0.25, at(x + 1, y + ry, z), sum);
                        next[static_cast<std::size_t>((z * ny + y) * nx + x)] = std::fma(-0.75, at(x - 1, y - ry, z + rz), sum);
                    }
                }
            }
            f = next;
        }
        EXPECT_EQ(machine.read(0), f) << nx << "x" << ny << "x" << nz;
    }
}

// What each of the eight neighbours of one cell loads.
double neighbour(const ir::GhostRule& ghosts, int dx, int dy, std::vector<double> uniforms, const std::vector<double>& cells, Index nx,
                 Index x, Index y) {
    auto program = program_of(
        true, [&](Builder& b) { return b.load(0, dx, dy); }, ghosts);
    for (std::size_t i = 0; i < uniforms.size(); ++i) program.uniforms.push_back(named_uniform("c" + std::to_string(i)));
    Machine machine(program, grid_of(nx, static_cast<Index>(cells.size()) / nx));
    machine.write(0, cells);
    machine.advance(0, 1, uniforms, static_cast<int>(uniforms.size()));
    return machine.read(0)[static_cast<std::size_t>(y * nx + x)];
}

TEST(Reference, GhostsFollowTheRules) {
    const std::vector<double> cells = {1, 2, 3, 4, 5, 6};  // 3 x 2
    const auto periodic = all_sides(Rule::periodic), mirror = all_sides(Rule::no_flux);
    EXPECT_EQ(neighbour(periodic, -1, 0, {}, cells, 3, 0, 0), 3);
    EXPECT_EQ(neighbour(periodic, 2, 0, {}, cells, 3, 2, 0), 2);
    EXPECT_EQ(neighbour(periodic, -1, -1, {}, cells, 3, 0, 0), 6);
    EXPECT_EQ(neighbour(mirror, -1, 0, {}, cells, 3, 0, 0), 1);
    EXPECT_EQ(neighbour(mirror, -2, 0, {}, cells, 3, 0, 0), 2);
    EXPECT_EQ(neighbour(mirror, 2, 0, {}, cells, 3, 2, 1), 5);
    EXPECT_EQ(neighbour(mirror, 1, 1, {}, cells, 3, 2, 1), 6);
    const auto value = all_sides(Rule::value, 0, 1);  // alpha = 2c, beta = -1, c = 10
    EXPECT_EQ(neighbour(value, -1, 0, {20, -1}, cells, 3, 0, 0), 19);
    EXPECT_EQ(neighbour(value, -2, 0, {20, -1}, cells, 3, 0, 1), 15);
    const auto outside = all_sides(Rule::outside, 0, 1);
    EXPECT_EQ(neighbour(outside, 1, 0, {7, 0}, cells, 3, 2, 0), 7);
}

TEST(Reference, CornersTakeTheRuleOfYOverGhostsOfX) {
    const std::vector<double> cells = {1, 2, 3, 4};
    // value a = 5 in x (uniforms 0, 1), value b = 100 in y (uniforms 2, 1)
    ir::GhostRule ghosts = all_sides(Rule::value, 0, 1);
    for (std::size_t side : {domain::kTop, domain::kBottom}) ghosts[side] = {Rule::value, 2, 1};
    EXPECT_EQ(neighbour(ghosts, -1, -1, {10, -1, 200}, cells, 2, 0, 0), 200 - (10 - 1));
    EXPECT_EQ(neighbour(ghosts, 1, 1, {10, -1, 200}, cells, 2, 1, 1), 200 - (10 - 4));
    for (std::size_t side : {domain::kTop, domain::kBottom}) ghosts[side] = {Rule::outside, 2, 3};
    EXPECT_EQ(neighbour(ghosts, -1, -1, {10, -1, 42, 0}, cells, 2, 0, 0), 42);
}

TEST(Reference, SidesDiffer) {
    const std::vector<double> cells = {1, 2, 3};
    ir::GhostRule ghosts = all_sides(Rule::no_flux);
    ghosts[domain::kRight] = {Rule::outside, 0, 1};
    EXPECT_EQ(neighbour(ghosts, -1, 0, {9, 0}, cells, 3, 0, 0), 1);
    EXPECT_EQ(neighbour(ghosts, 1, 0, {9, 0}, cells, 3, 2, 0), 9);
}

// A stage reads everything as it was before the stage, later stages read what earlier ones held.
TEST(Reference, StagesReadBeforeTheyWrite) {
    ir::Program program;
    program.f64 = true;
    program.arrays = {{"a", ir::ArrayInfo::Kind::state, 0}, {"b", ir::ArrayInfo::Kind::state, 0}, {"h", ir::ArrayInfo::Kind::held, 1}};
    program.ghosts = {all_sides(Rule::periodic), all_sides(Rule::no_flux)};
    Builder first(true), second(true);
    const Value h = first.add(first.load(0, -1), first.load(1));
    program.step.stages.push_back({"hold", first.code(), {{2, h}}});
    const Value a = second.load(1), b = second.add(second.load(0), second.load(2, 1));
    program.step.stages.push_back({"swap", second.code(), {{0, a}, {1, b}}});
    Machine machine(program, grid_of(3, 1));
    machine.write(0, {1, 2, 3});
    machine.write(1, {10, 20, 30});
    machine.advance(0, 1);
    // h = {3+10, 1+20, 2+30}; b = a + h to the right, mirrored at the end
    EXPECT_EQ(machine.read(0), (std::vector<double>{10, 20, 30}));
    EXPECT_EQ(machine.read(1), (std::vector<double>{1 + 21, 2 + 32, 3 + 32}));
}

TEST(Reference, SingleFlushesSubnormalsAndPutsTheModeBack) {
    auto program = program_of(false, [](Builder& b) { return b.mul(b.load(0), b.uniform(0)); });
    program.uniforms.push_back(named_uniform("c"));
    Machine machine(program, grid_of(3, 1));
    machine.write(0, {0x1p-100, -0x1p-100, 1});
    machine.advance(0, 1, {0x1p-27}, 1);
    const auto result = machine.read(0);
    EXPECT_EQ(result[0], 0.0);
    EXPECT_FALSE(std::signbit(result[0]));
    EXPECT_EQ(result[1], 0.0);
    EXPECT_TRUE(std::signbit(result[1]));
    EXPECT_EQ(result[2], 0x1p-27);
    volatile float tiny = 0x1p-100f, scale = 0x1p-30f;
    EXPECT_EQ(tiny * scale, 0x1p-130f) << "the caller's thread still flushes";
}

TEST(Reference, SingleRoundsAndFlushesWhatEnters) {
    auto program = program_of(false, [](Builder& b) { return b.add(b.load(0), b.uniform(0)); });
    program.uniforms.push_back(named_uniform("c"));
    Machine machine(program, grid_of(4, 1));
    machine.write(0, {0.1, 1e-40, 0x1.fffffep-127, 0x1.ffffffp-127});
    EXPECT_EQ(machine.read(0), (std::vector<double>{static_cast<double>(0.1f), 0, 0, 0x1p-126}));
    machine.advance(0, 1, {1e-39}, 1);
    EXPECT_EQ(machine.read(0), (std::vector<double>{static_cast<double>(0.1f), 0, 0, 0x1p-126}));
    std::vector<float> row(4);
    machine.kernel().read_row(machine.state(), 0, 0, std::span<float>(row));
    EXPECT_EQ(row, (std::vector<float>{0.1f, 0, 0, 0x1p-126f}));
}

TEST(Reference, DoubleKeepsSubnormals) {
    auto program = program_of(true, [](Builder& b) { return b.mul(b.load(0), b.literal(0.5)); });
    Machine machine(program, grid_of(2, 1));
    machine.write(0, {0x1p-1022, 1e-310});
    machine.advance(0, 1);
    EXPECT_EQ(machine.read(0), (std::vector<double>{0x1p-1023, 1e-310 * 0.5}));
}

TEST(Reference, EveryEighthStateIsMadeByTheFlushStep) {
    auto program = program_of(true, [](Builder& b) { return b.add(b.load(0), b.literal(1)); });
    Builder b(true);
    const Value zero = b.literal(0);
    program.flush_step = ir::Sweep{{{"flush", b.code(), {{0, zero}}}}};
    Machine machine(program, grid_of(2, 1));
    machine.advance(5, 1);  // makes state 6
    EXPECT_EQ(machine.read(0), (std::vector<double>{1, 1}));
    machine.advance(6, 4);  // states 7, 8 (flushed), 9, 10
    EXPECT_EQ(machine.read(0), (std::vector<double>{2, 2}));
    machine.advance(15, 1);  // makes state 16
    EXPECT_EQ(machine.read(0), (std::vector<double>{0, 0}));
}

TEST(Reference, UniformsHaveARowPerStepOrOne) {
    auto program = program_of(true, [](Builder& b) { return b.fma(b.load(0), b.uniform(0), b.uniform(1)); });
    program.uniforms = {named_uniform("a"), named_uniform("b")};
    Machine machine(program, grid_of(1, 1));
    machine.write(0, {1});
    machine.advance(0, 2, {2, 1, 10, 5}, 2);
    EXPECT_EQ(machine.read(0), (std::vector<double>{35}));
    machine.advance(2, 2, {2, 1}, 2);
    EXPECT_EQ(machine.read(0), (std::vector<double>{143}));
}

TEST(Reference, AxesWrapOrMirrorWithTheGrid) {
    for (bool periodic : {true, false}) {
        auto program = program_of(true, [](Builder& b) { return b.sub(b.axis(ir::kAxisX, -1, 0, 0), b.axis(ir::kUnitY, 0, 1, 0)); });
        auto grid = grid_of(3, 2);
        grid.spacing = {2, 1, 1};
        if (!periodic) {
            for (auto& side : grid.sides) side.rule = Rule::no_flux;
        }
        Machine machine(program, grid);
        machine.advance(0, 1);
        const double first = periodic ? 5 : 1, last = periodic ? 0.25 : 0.75;
        EXPECT_EQ(machine.read(0), (std::vector<double>{first - 0.75, 1 - 0.75, 3 - 0.75, first - last, 1 - last, 3 - last}));
    }
}

TEST(Reference, StatesAreIndependent) {
    auto program = program_of(true, [](Builder& b) { return b.add(b.load(0), b.literal(1)); });
    Machine machine(program, grid_of(2, 1));
    auto other = machine.kernel().create_state();
    machine.advance(0, 3);
    std::vector<double> row(2, -1);
    machine.kernel().read_row(*other, 0, 0, std::span<double>(row));
    EXPECT_EQ(row, (std::vector<double>{0, 0}));
    EXPECT_EQ(machine.read(0), (std::vector<double>{3, 3}));
}

TEST(Reference, AStencilWiderThanTheGridIsABug) {
    auto program = program_of(true, [](Builder& b) { return b.load(0, 3); });
    EXPECT_THROW(Machine(program, grid_of(2, 1)), core::InternalError);
}

TEST(Reference, MoreThanTheMemoryIsADeviceError) {
#if defined(MOTTLE_SANITIZED)
    GTEST_SKIP() << "a sanitizer ends the program where operator new would throw";
#endif
    auto program = program_of(true, [](Builder& b) { return b.load(0); });
    try {
        Machine machine(program, grid_of(Index{1} << 18, Index{1} << 18, Index{1} << 18));
        FAIL() << "this machine has 2^57 bytes of memory";
    } catch (const core::DeviceError& error) {
        EXPECT_NE(error.message().find("out of memory"), std::string::npos);
    }
}

}  // namespace reference_test
}  // namespace mottle::backend
