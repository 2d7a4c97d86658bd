// mottle/ranks/forecast.cpp: what a run would take on any number of ranks
#include "mottle/ranks/forecast.h"

#include "mottle/core/stopwatch.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/program/piece.h"
#include "mottle/ranks/regions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace mottle::ranks {
namespace {

using core::at;

// What rank 0 needs to send a request or to take an answer: that of MPI for a message of some hundred bytes, whatever the network.
constexpr double kSecondsOfRequest = 1e-6;
// Of a launch, at most (stepper/stepper.cpp); behind it all fields may be looked at.
constexpr double kLaunchSeconds = 0.2, kLaunchSteps = 1024;

Index product(const Triple& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

std::int64_t bytes_of_cell(const ir::Program& program) { return program.state_count() * (program.f64 ? 8 : 4); }

/// The median time of `work`, repeated for about `seconds`.
double median_seconds(double seconds, const std::function<void()>& work) {
    work();  // first touch
    std::vector<double> times;
    for (const auto begin = core::SteadyClock::now(); times.size() < 3 || core::seconds_since(begin) < seconds;) {
        const auto start = core::SteadyClock::now();
        work();
        times.push_back(core::seconds_since(start));
    }
    std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
    return times[times.size() / 2];
}

/// A part of a piece of a grid that is large enough to tell its rate.
domain::Domain measured_part(const domain::Domain& piece) {
    constexpr Index kMostCells = Index{1} << 22, kFewestRows = 96;
    const auto* grid = std::get_if<domain::Grid>(&piece);
    if (!grid || product(grid->size) <= kMostCells || !grid->whole) return piece;
    CellBox box{grid->first, grid->size};
    for (const std::size_t d : {2u, 1u, 0u}) {
        const Index others = product(box.size) / box.size[d];
        box.size[d] = std::min(box.size[d], std::max(kFewestRows, kMostCells / others));
    }
    return domain::piece_of(*grid->whole, box);
}

/// Cells that pass through a kernel whose rows have `length` cells where a box of so many is read from it or written to it: parts of rows are whole ones.
Index cells_read(const Triple& size, Index length) { return size[1] * size[2] * length; }
Index cells_written(const Triple& size, Index length) { return (size[0] == length ? 1 : 2) * size[1] * size[2] * length; }

}  // namespace

int inner_rank(const Blocks& blocks) { return blocks.rank_at({blocks.parts[0] / 2, blocks.parts[1] / 2, blocks.parts[2] / 2}); }

Load load_of(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks) {
    const int rank = inner_rank(blocks);
    const CellBox own = own_box(grid, blocks, rank), all = box_with_halos(grid, blocks, rank);
    Load load;
    load.steps = blocks.steps;
    load.own = product(own.size);
    load.computed = product(all.size);
    const bool hides = !program.phases && have_middle(grid, blocks);
    const Index length = all.size[0];
    Index copied = 0, copied_hidden = 0;
    for (const Beside& beside : blocks_beside(grid, blocks, rank)) {
        Triple size = own.size;
        for (std::size_t d = 0; d < 3; ++d) size[d] = beside.direction.step[d] == 0 ? own.size[d] : blocks.halo[d];
        ++load.messages;
        load.bytes += product(size) * bytes_of_cell(program);
        copied += cells_read(size, length) + cells_written(size, length);
        copied_hidden += cells_read(size, length);
    }
    for (std::size_t d = 0; hides && d < 3; ++d) {
        Triple rim = all.size, halo = all.size, taken = own.size, good = own.size;
        rim[d] = 3 * blocks.halo[d];
        halo[d] = good[d] = blocks.halo[d];
        taken[d] = 2 * blocks.halo[d];
        for (const bool high : {false, true}) {
            if (neighbour(grid, blocks, rank, d, high) < 0) continue;
            load.rim += product(rim);
            copied_hidden += cells_read(taken, length) + cells_written(taken, rim[0]) + cells_written(halo, rim[0]) +
                             cells_read(good, rim[0]) + cells_written(good, length);
        }
    }
    load.copied = copied * bytes_of_cell(program);
    load.copied_hidden = copied_hidden * bytes_of_cell(program);
    return load;
}

Load load_of(const ir::Program& program, std::span<const SurfaceShare> shares) {
    Load most;
    for (const SurfaceShare& share : shares) {
        Load load;
        load.steps = share.steps;
        load.own = std::ssize(share.own);
        load.computed = std::ssize(share.vertices);
        load.rim = std::ssize(share.rim.vertices);
        for (const Trade& trade : share.trades) {
            if (trade.sent.empty()) continue;
            ++load.messages;
            load.bytes += std::ssize(trade.sent) * bytes_of_cell(program);
        }
        load.copied = 2 * load.computed * bytes_of_cell(program);  // all vertices, whichever are needed
        load.copied_hidden = (3 * load.computed + 2 * load.rim) * bytes_of_cell(program);
        if (most.own == 0 || load.bytes > most.bytes) most = load;
    }
    return most;
}

Rates measure_rates(const ir::Program& program, const domain::Domain& piece, backend::Backend& backend, std::span<const double> uniforms,
                    core::Context& context, double seconds) {
    constexpr Index kSteps = 32;  // of a launch: some passes
    constexpr double kLaunch = 0.02;
    const domain::Domain part = measured_part(piece);
    const auto* grid = std::get_if<domain::Grid>(&part);
    const auto kernel = backend.compile(grid ? ir::program_of_piece(program, *grid) : program, part, {}, context);
    const auto state = kernel->create_state();
    const backend::UniformTable table{uniforms, static_cast<int>(uniforms.size())};
    const auto cells = static_cast<double>(domain::cell_count(part));
    const auto advance = [&](Index steps) {
        kernel->advance(*state, 0, steps, table);
        return steps;
    };
    const double first = median_seconds(0, [&] { advance(kSteps); });
    const Index steps = kSteps * std::max<Index>(1, static_cast<Index>(kLaunch / first));
    Rates rates;
    rates.cells = cells * static_cast<double>(steps) / median_seconds(seconds, [&] { advance(steps); });
    // A halo as it is read and written: some rows of a grid, all of a surface.
    const std::vector<ir::Array> states = states_of(program);
    Bytes bytes;
    if (grid) {
        CellBox box{{}, grid->size};
        for (const std::size_t d : {1u, 2u}) box.size[d] = std::min<Index>(box.size[d], 16);
        const double copy = median_seconds(seconds / 4, [&] {
            pack_box(*kernel, *state, states, box, context.team, bytes);
            unpack_box(*kernel, *state, states, box, box, context.team, bytes);
        });
        rates.copied = 2 * static_cast<double>(bytes.size()) / copy;
    } else {
        std::vector<double> row(at(domain::row_length(part)));
        const double copy = median_seconds(seconds / 4, [&] {
            kernel->read_row(*state, states.front(), 0, std::span<double>(row));
            kernel->write_row(*state, states.front(), 0, row);
        });
        rates.copied = 2 * cells * (program.f64 ? 8 : 4) / copy;
    }
    return rates;
}

Forecast forecast(const ir::Program& program, int ranks, const Load& load, const Rates& rates, const Network& network) {
    const auto steps = static_cast<double>(load.steps), bytes = static_cast<double>(load.bytes);
    const auto cells = static_cast<double>(load.computed), rim = static_cast<double>(load.rim);
    Forecast made;
    made.compute = steps * cells / rates.cells;
    if (load.messages > 0) {
        made.copy = static_cast<double>(load.copied) / rates.copied;
        made.network = network.seconds(bytes);
        const double hidden_compute = steps * (cells + rim) / rates.cells,
                     hidden_copy = static_cast<double>(load.copied_hidden) / rates.copied;
        const double left = std::max(0.0, made.network - made.compute);
        made.hides = rim > 0 && hidden_compute + hidden_copy + left < made.compute + made.copy + made.network;
        if (made.hides) {
            made.compute = hidden_compute;
            made.copy = hidden_copy;
            made.network = left;
        }
    }
    double step = (made.compute + made.copy + made.network) / steps;
    const auto others = static_cast<double>(ranks - 1), fields = static_cast<double>(program.field_count());
    if (program.phases) {
        double sums = 0;
        for (const ir::Phase& phase : program.phases->step) sums += static_cast<double>(phase.sums.size());
        const double asked = static_cast<double>(program.phases->step.size()) + 2 * sums;
        made.requests = ranks > 1 ? asked * others * kSecondsOfRequest + 2 * sums * network.latency : 0;
    } else {
        const double launch = std::clamp(kLaunchSeconds / step, 1.0, kLaunchSteps);
        made.requests = steps * others * kSecondsOfRequest * (1 / launch + 2 * fields / kLaunchSteps);
    }
    made.step = step + made.requests / steps;
    made.efficiency = static_cast<double>(load.own) / rates.cells / made.step;
    return made;
}

}  // namespace mottle::ranks
