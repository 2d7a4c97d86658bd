// tests/ranks/forecast_test.cpp: how domains of any size are laid out on any number of ranks, and what that would take, against counts by plain loops
#include "mottle/core/error.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/lower/system.h"
#include "mottle/ranks/forecast.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace forecast_test {

using namespace mottle;
using ranks::Index;
using ranks::Triple;

struct Lowered {
    domain::Grid grid;
    ir::Program program;
};

Lowered lower(const std::string& size, const std::string& boundary) {
    const core::Node flags = core::parse_document("boundary = '" + boundary + "'\n[grid]\nsize = '" + size + "'\n", "flags");
    const run::Spec spec = run::read_spec(model::load_document("gray-scott"), "gray-scott", "", flags, {.share_of_machine = 0});
    return {std::get<domain::Grid>(spec.domain), ir::lower(ir::build(spec.model), spec.method, spec.domain)};
}

// Nothing of 2^42 cells is allocated, and no number of them is cut to 32 bits.
TEST(Layout, OfFourTrillionCells) {
    for (const char* size : {"2097152x2097152", "16384x16384x16384", "1x4398046511104"}) {
        const Lowered lowered = lower(size, "periodic");
        for (const int ranks : {1, 7, 4096}) {
            SCOPED_TRACE(std::string(size) + " on " + std::to_string(ranks));
            const ranks::Blocks blocks = ranks::choose_blocks(lowered.program, lowered.grid, ranks, {});
            ASSERT_EQ(blocks.count(), ranks);
            Index cells = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const domain::CellBox box = ranks::own_box(lowered.grid, blocks, rank);
                cells += box.size[0] * box.size[1] * box.size[2];
            }
            EXPECT_EQ(cells, Index{1} << 42);
            const domain::CellBox last = ranks::own_box(lowered.grid, blocks, ranks - 1);
            for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(last.first[d] + last.size[d], lowered.grid.size[d]);
            const domain::Grid piece = domain::piece_of(lowered.grid, ranks::box_with_halos(lowered.grid, blocks, ranks - 1));
            for (std::size_t d = 0; d < 3; ++d) {
                const Index halo = blocks.parts[d] > 1 ? blocks.halo[d] : 0;
                EXPECT_EQ(domain::index_in_whole(piece, d, halo), last.first[d]);
                EXPECT_EQ(domain::index_in_whole(piece, d, piece.size[d] - 1), halo > 0 ? halo - 1 : lowered.grid.size[d] - 1)
                    << "it wraps";
            }
            const ranks::Load load = ranks::load_of(lowered.program, lowered.grid, blocks);
            EXPECT_NEAR(static_cast<double>(load.own), std::ldexp(1, 42) / ranks, std::ldexp(1, 42) / ranks / 100);
            const ranks::Forecast made = ranks::forecast(lowered.program, ranks, load, {1e9, 1e9}, {1e-6, 1e10});
            EXPECT_GT(made.efficiency, 0.5);
            EXPECT_LE(made.efficiency, 1);
        }
    }
}

// What is computed twice where halos are hidden: along each side that is cut, the halo, what it spoils, and as much again.
TEST(Forecast, RimsAreThreeHalosWide) {
    const Lowered lowered = lower("4000x1000", "periodic");
    const ranks::Blocks blocks = ranks::choose_blocks(lowered.program, lowered.grid, 2, {8});
    ASSERT_EQ(blocks.parts[1], 2);
    const ranks::Load load = ranks::load_of(lowered.program, lowered.grid, blocks);
    EXPECT_EQ(blocks.halo[1], 8);
    EXPECT_EQ(load.rim, 2 * 3 * 8 * 4000);
    EXPECT_EQ(load.computed, (500 + 2 * 8) * 4000);
}

/// The cells of a halo, found cell by cell, and the ranks that own them.
struct Counted {
    Index cells = 0;
    std::set<std::pair<int, std::array<int, 3>>> senders;  ///< and where the cells lie, seen from the block
};

int owner_of(const domain::Grid& grid, const ranks::Blocks& blocks, const Triple& cell) {
    for (int rank = 0; rank < blocks.count(); ++rank) {
        const domain::CellBox box = ranks::own_box(grid, blocks, rank);
        bool in = true;
        for (std::size_t d = 0; d < 3; ++d) in = in && cell[d] >= box.first[d] && cell[d] < box.first[d] + box.size[d];
        if (in) return rank;
    }
    return -1;
}

Counted count_halo(const domain::Grid& grid, const ranks::Blocks& blocks, int rank) {
    const domain::CellBox own = ranks::own_box(grid, blocks, rank);
    Counted counted;
    Triple low{}, high{};
    for (std::size_t d = 0; d < 3; ++d) {
        const Index deep = blocks.parts[d] > 1 ? blocks.halo[d] : 0;
        low[d] = own.first[d] - deep;
        high[d] = own.first[d] + own.size[d] + deep;
    }
    for (Index z = low[2]; z < high[2]; ++z) {
        for (Index y = low[1]; y < high[1]; ++y) {
            for (Index x = low[0]; x < high[0]; ++x) {
                Triple cell = {x, y, z};
                std::array<int, 3> side{};
                bool there = true;
                for (std::size_t d = 0; d < 3; ++d) {
                    side[d] = cell[d] < own.first[d] ? -1 : cell[d] >= own.first[d] + own.size[d] ? 1 : 0;
                    const bool beyond = cell[d] < 0 || cell[d] >= grid.size[d];
                    there = there && (!beyond || domain::wraps(grid, 2 * d));
                    cell[d] = (cell[d] + grid.size[d]) % grid.size[d];
                }
                if (!there || side == std::array<int, 3>{}) continue;
                ++counted.cells;
                counted.senders.insert({owner_of(grid, blocks, cell), side});
            }
        }
    }
    return counted;
}

TEST(Layout, HalosAreThoseOfTheBlocksAround) {
    for (const char* boundary : {"periodic", "no-flux", "left=no-flux,right=no-flux,top=periodic,bottom=periodic"}) {
        for (const auto& [size, ranks, steps] : {std::tuple("37x41", 6, 3), std::tuple("19x23x17", 12, 2), std::tuple("20x20", 4, 5)}) {
            if (std::string(boundary).find('=') != std::string::npos && std::string(size).find('x') != std::string(size).rfind('x'))
                continue;
            SCOPED_TRACE(std::string(size) + ", " + boundary);
            const Lowered lowered = lower(size, boundary);
            const ranks::Blocks blocks = ranks::choose_blocks(lowered.program, lowered.grid, ranks, {steps});
            for (int rank = 0; rank < ranks; ++rank) {
                const Counted counted = count_halo(lowered.grid, blocks, rank);
                std::set<std::pair<int, std::array<int, 3>>> known;
                for (const ranks::Beside& beside : ranks::blocks_beside(lowered.grid, blocks, rank))
                    known.insert({beside.rank, beside.direction.step});
                EXPECT_EQ(known, counted.senders) << "rank " << rank;
                if (rank != ranks::inner_rank(blocks)) continue;
                const ranks::Load load = ranks::load_of(lowered.program, lowered.grid, blocks);
                EXPECT_EQ(load.computed - load.own, counted.cells);
                EXPECT_EQ(load.bytes, counted.cells * 8) << "two fields of f32, as many as come";
                EXPECT_EQ(load.messages, std::ssize(counted.senders));
            }
        }
    }
}

// By hand: 1,000 cells of own, 200 of halo, ten steps a pass, 1e6 cells and 1e6 bytes a second.
TEST(Forecast, AddsUpWhatAPassTakes) {
    const ir::Program program = lower("64x64", "periodic").program;
    ranks::Load load;
    load.steps = 10;
    load.own = 1000;
    load.computed = 1200;
    load.messages = 2;
    load.bytes = 400;
    load.copied = 800;
    const ranks::Forecast slow = ranks::forecast(program, 2, load, {1e6, 1e6}, {1e-3, 1e5});
    EXPECT_DOUBLE_EQ(slow.compute, 12e-3);
    EXPECT_DOUBLE_EQ(slow.copy, 0.8e-3);
    EXPECT_DOUBLE_EQ(slow.network, 5e-3) << "1 ms and 400 bytes at 100 kB/s";
    EXPECT_FALSE(slow.hides);
    EXPECT_NEAR(slow.step, 1.78e-3, 1e-6);
    EXPECT_NEAR(slow.efficiency, 1e-3 / 1.78e-3, 1e-3);

    load.rim = 100;
    load.copied_hidden = 1000;
    const ranks::Forecast hidden = ranks::forecast(program, 2, load, {1e6, 1e6}, {1e-3, 1e5});
    EXPECT_TRUE(hidden.hides) << "13 ms and 1 ms instead of 12, 0.8 and 5";
    EXPECT_NEAR(hidden.step, 1.4e-3, 1e-6);
    EXPECT_FALSE(ranks::forecast(program, 2, load, {1e6, 1e6}, {1e-6, 1e9}).hides) << "there is nothing to hide";
    const ranks::Forecast slower = ranks::forecast(program, 2, load, {1e6, 1e6}, {15e-3, 1e9});
    EXPECT_NEAR(slower.network, 3e-3, 1e-6) << "what is left of 15 ms behind 12 of the middle";

    load = {10, 1000, 1000, 0, 0, 0, 0, 0};
    EXPECT_DOUBLE_EQ(ranks::forecast(program, 1, load, {1e6, 1e6}, {1, 1}).efficiency, 1) << "alone";
}

// Every launch and every test asks all ranks, one after another.
TEST(Forecast, RequestsOfRankZeroGrowWithRanks) {
    const ir::Program program = lower("64x64", "periodic").program;
    const ranks::Load load{10, 1000, 1000, 0, 0, 0, 0, 0};
    const auto at = [&](int ranks) { return ranks::forecast(program, ranks, load, {1e9, 1e9}, {1e-6, 1e10}); };
    EXPECT_DOUBLE_EQ(at(1).requests, 0);
    EXPECT_NEAR(at(1001).requests / at(101).requests, 10, 1e-9);
    EXPECT_GT(at(101).efficiency, at(1001).efficiency);
}

TEST(Network, IsReadWithItsUnits) {
    const ranks::Network network = ranks::parse_network("2us,12GB/s");
    EXPECT_DOUBLE_EQ(network.latency, 2e-6);
    EXPECT_DOUBLE_EQ(network.bytes_per_second, 12e9);
    EXPECT_DOUBLE_EQ(ranks::parse_network(" 0.5 ms , 800 MB/s").latency, 5e-4);
    EXPECT_DOUBLE_EQ(ranks::parse_network("1s,1kB/s").seconds(3000), 4);
    EXPECT_DOUBLE_EQ(ranks::parse_network("300ns,1GB/s").latency, 3e-7);
    for (const char* bad :
         {"", "2us", "2,3", "us,GB/s", "-2us,12GB/s", "2us,0GB/s", "2us,12GB/s,3", "nanus,1GB/s", "2 hours,1GB/s", "2us,12 Gb"}) {
        try {
            ranks::parse_network(bad);
            ADD_FAILURE() << bad;
        } catch (const core::InputError& error) {
            EXPECT_NE(std::string(error.what()).find("--network is the latency and the bandwidth"), std::string::npos) << bad;
        }
    }
}

}  // namespace forecast_test
