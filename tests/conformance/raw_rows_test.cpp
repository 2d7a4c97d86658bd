// tests/conformance/raw_rows_test.cpp: rows as kernels keep them: their order, and that other kernels go on from them to the same bits
#include "conformance/settings.h"
#include "kernel_cache.h"

#include "mottle/core/numbers_in.h"
#include "mottle/device/registry.h"
#include "mottle/ir/program/builder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace conformance {
namespace raw_rows_test {

using namespace mottle;
using core::Index;

class Silent final : public core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

/// One field that each step mixes with its neighbours along all axes, on sides that wrap or mirror.
struct Bench {
    Bench(const std::string& device, bool f64, const domain::Triple& size, bool wraps) : context{team, silent, kernel_cache()} {
        ir::Program program;
        program.f64 = f64;
        program.arrays.push_back({"u", ir::ArrayInfo::Kind::state, 0});
        domain::Grid grid;
        grid.size = size;
        ir::GhostRule& rule = program.ghosts.emplace_back();
        for (std::size_t side = 0; side < rule.size() && !wraps; ++side) grid.sides[side].rule = rule[side].rule = domain::Rule::no_flux;
        ir::Builder b(f64);
        ir::Value sum = b.load(0);
        for (const int sign : {-1, 1}) {
            sum = b.fma(b.literal(0.21), b.load(0, sign), sum);
            sum = b.fma(b.literal(-0.17), b.load(0, 0, sign), sum);
            if (size[2] > 1) sum = b.fma(b.literal(0.13), b.load(0, 0, 0, sign), sum);
        }
        program.step.stages.push_back({"step", b.code(), {{0, sum}}});
        kernel = device::create_backend(device)->compile(program, grid, {}, context);
        state = kernel->create_state();
    }
    std::vector<double> row(Index y) const {
        std::vector<double> cells(core::at(domain::row_length(kernel->domain())));
        kernel->read_row(*state, 0, y, std::span<double>(cells));
        return cells;
    }
    std::vector<std::byte> raw_row(Index y) const {
        std::vector<std::byte> numbers(core::at(domain::row_length(kernel->domain())) * (kernel->program().f64 ? 8 : 4));
        kernel->read_raw_row(*state, 0, y, numbers);
        return numbers;
    }

    core::ThreadTeam team{1};
    Silent silent;
    core::Context context;
    std::unique_ptr<backend::Kernel> kernel;
    std::unique_ptr<backend::State> state;
};

double cell_at(Index y, Index x) { return 0.25 + static_cast<double>((y * 131 + x * 29) % 97) / 128; }  // exact in f32

const domain::Triple kSizes[] = {{48, 11, 1}, {64, 7, 1}, {50, 9, 1}, {7, 6, 1}, {48, 6, 5}, {33, 6, 5}};

class RawRows : public testing::TestWithParam<Settings> {};

// Number j * L + l is cell l * n / L + j.
TEST_P(RawRows, StandInTheOrderOfTheirLanes) {
    for (const domain::Triple& size : kSizes) {
        const Bench bench(GetParam().device, GetParam().f64, size, true);
        const Index rows = domain::row_count(bench.kernel->domain()), n = size[0], lanes = bench.kernel->row_lanes();
        EXPECT_TRUE(lanes == 1 || n % lanes == 0) << n;
        for (Index y = 0; y < rows; ++y) {
            std::vector<double> cells;
            for (Index x = 0; x < n; ++x) cells.push_back(cell_at(y, x));
            bench.kernel->write_row(*bench.state, 0, y, cells);
        }
        for (Index y = 0; y < rows; ++y) {
            const std::vector<std::byte> numbers = bench.raw_row(y);
            for (Index i = 0; i < n; ++i) {
                const double number = GetParam().f64 ? core::numbers_in<double>(std::span(numbers))[core::at(i)]
                                                     : core::numbers_in<float>(std::span(numbers))[core::at(i)];
                ASSERT_EQ(number, cell_at(y, i % lanes * (n / lanes) + i / lanes)) << n << ", " << y << ", " << i;
            }
        }
    }
}

// From any kernel to any other, also one of other lanes: the cells, what stands beyond them, and so the next steps.
TEST_P(RawRows, OtherKernelsGoOnFromThem) {
    std::vector<std::string> devices{"reference"};
    for (const Settings& other : settings()) {
        if (other.f64 == GetParam().f64) devices.push_back(other.device);
    }
    for (const domain::Triple& size : kSizes) {
        for (const bool wraps : {true, false}) {
            const Bench from(GetParam().device, GetParam().f64, size, wraps);
            const Index rows = domain::row_count(from.kernel->domain());
            for (Index y = 0; y < rows; ++y) {
                std::vector<double> cells;
                for (Index x = 0; x < size[0]; ++x) cells.push_back(cell_at(y, x));
                from.kernel->write_row(*from.state, 0, y, cells);
            }
            from.kernel->advance(*from.state, 0, 3, {});
            std::vector<std::unique_ptr<Bench>> others;
            for (const std::string& device : devices) {
                others.push_back(std::make_unique<Bench>(device, GetParam().f64, size, wraps));
                for (Index y = 0; y < rows; ++y)
                    others.back()->kernel->write_raw_row(*others.back()->state, 0, y, from.kernel->row_lanes(), from.raw_row(y));
            }
            from.kernel->advance(*from.state, 3, 4, {});
            for (std::size_t i = 0; i < others.size(); ++i) {
                others[i]->kernel->advance(*others[i]->state, 3, 4, {});
                for (Index y = 0; y < rows; ++y)
                    ASSERT_EQ(from.row(y), others[i]->row(y))
                        << devices[i] << ", " << size[0] << " cells, row " << y << ", wraps " << wraps;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, RawRows, testing::ValuesIn(settings()), name_of);

}  // namespace raw_rows_test
}  // namespace conformance
