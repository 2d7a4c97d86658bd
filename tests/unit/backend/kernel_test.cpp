// tests/unit/backend/kernel_test.cpp: what every kernel gets from its rows: statistics and pictures on any number of threads
#include "mottle/backend/reference/backend.h"
#include "mottle/ir/program/builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mottle::backend {
namespace kernel_test {

class Quiet : public core::Observer {
   public:
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

struct Bench {
    Bench(bool f64, Index nx, Index ny, int threads) : team(threads), context{team, quiet, {}} {
        ir::Program program;
        program.f64 = f64;
        program.arrays.push_back({"u", ir::ArrayInfo::Kind::state, 0});
        program.ghosts.emplace_back();
        ir::Builder b(f64);
        const ir::Value same = b.load(0);
        program.step.stages.push_back({"step", b.code(), {{0, same}}});
        domain::Grid grid;
        grid.size = {nx, ny, 1};
        kernel = create_reference_backend()->compile(program, grid, {}, context);
        state = kernel->create_state();
        for (Index row = 0; row < ny; ++row) {
            std::vector<double> cells;
            for (Index x = 0; x < nx; ++x) cells.push_back(std::fmod(static_cast<double>(row * nx + x) * 0.61803, 1.0));
            kernel->write_row(*state, 0, row, cells);
        }
    }
    std::vector<std::uint8_t> draw(const Picture& picture) const {
        std::vector<std::uint8_t> out(picture_bytes(picture, kernel->domain()), 77);
        kernel->draw(*state, picture, out);
        return out;
    }

    core::ThreadTeam team;
    Quiet quiet;
    core::Context context;
    std::unique_ptr<Kernel> kernel;
    std::unique_ptr<State> state;
};

TEST(KernelDefaults, StatisticsOfTheStoredPrecision) {
    for (bool f64 : {false, true}) {
        const Bench bench(f64, 3, 2, 2);
        const auto s = bench.kernel->reduce(*bench.state, 0);
        const Range range = bench.kernel->range(*bench.state, 0);
        double sum = 0, low = 1, high = 0;
        for (int i = 0; i < 6; ++i) {
            double x = std::fmod(i * 0.61803, 1.0);
            if (!f64) x = static_cast<double>(static_cast<float>(x));
            sum += x;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        EXPECT_DOUBLE_EQ(s.sum, sum);
        EXPECT_EQ(s.min, low);
        EXPECT_EQ(s.max, high);
        EXPECT_EQ(range.min, low);
        EXPECT_EQ(range.max, high);
        EXPECT_EQ(s.count, 6);
    }
}

TEST(KernelDefaults, PicturesDoNotDependOnThreads) {
    Picture picture;
    for (std::size_t i = 0; i < 256; ++i) {
        picture.palette[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i), static_cast<std::uint8_t>(i * 7)};
    }
    for (auto format : {Picture::Format::index, Picture::Format::rgb24, Picture::Format::yuv420, Picture::Format::yuv444}) {
        picture.format = format;
        for (int scale : {1, 2, 3}) {
            picture.scale = scale;
            for (Index ny : {1, 2, 5, 8, 17}) {
                const auto expected = Bench(false, 6, ny, 1).draw(picture);
                for (int threads : {2, 3, 9})
                    EXPECT_EQ(Bench(false, 6, ny, threads).draw(picture), expected) << ny << " rows, " << threads << " threads";
            }
        }
    }
}

}  // namespace kernel_test
}  // namespace mottle::backend
