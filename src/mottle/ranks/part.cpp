// mottle/ranks/part.cpp: what one rank has of a run
#include "mottle/ranks/part.h"

#include "mottle/backend/cell_sum.h"
#include "mottle/core/error.h"
#include "mottle/ir/program/piece.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mottle::ranks {
namespace {

using core::at;

backend::UniformTable rows_of_table(const backend::UniformTable& table, Index first, Index count) {
    const std::size_t columns = at(table.columns);
    if (table.values.size() <= columns) return table;
    return {table.values.subspan(at(first) * columns, at(count) * columns), table.columns, table.stages};
}

template <class Real>
void write_cells(backend::Kernel& kernel, backend::State& state, ir::Array array, Index row, std::span<const Real> cells) {
    if constexpr (std::is_same_v<Real, float>)
        kernel.write_row_f32(state, array, row, cells);  // no kernel leaves subnormal numbers
    else
        kernel.write_row(state, array, row, cells);
}

template <class Real>
std::span<Real> numbers_in(Bytes& bytes) {
    return {reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real)};
}
template <class Real>
std::span<const Real> numbers_in(const Bytes& bytes) {
    return {reinterpret_cast<const Real*>(bytes.data()), bytes.size() / sizeof(Real)};
}

}  // namespace

Part::Part(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks, const backend::Schedule& schedule,
           backend::Backend& backend, core::Context& context, Transport& transport)
    : grid_(grid),
      blocks_(blocks),
      own_(own_box(grid, blocks, transport.rank())),
      piece_(domain::piece_of(grid, box_with_halos(grid, blocks, transport.rank()))),
      context_(context),
      transport_(transport) {
    const auto& piece = std::get<domain::Grid>(piece_);
    for (std::size_t d = 0; d < 3; ++d) inset_[d] = own_.first[d] - piece.first[d];
    kernel_ = backend.compile(ir::program_of_piece(program, piece), piece_, schedule, context);
}

std::unique_ptr<PartState> Part::create_state() {
    auto state = std::make_unique<PartState>();
    state->state = kernel_->create_state();
    state->good_steps = blocks_.steps;
    return state;
}

// ---- steps and halos

void Part::advance(PartState& state, Index first_step, Index n, backend::UniformTable uniforms) {
    for (Index done = 0; done < n;) {
        const Index steps = std::min<Index>(n - done, blocks_.steps);
        if (state.good_steps < steps) {
            for (std::size_t d = 0; d < 3; ++d) {
                if (blocks_.parts[d] > 1) kernel_->program().f64 ? exchange_axis<double>(state, d) : exchange_axis<float>(state, d);
            }
            state.good_steps = blocks_.steps;
        }
        kernel_->advance(*state.state, first_step + done, steps, rows_of_table(uniforms, done, steps));
        state.good_steps -= static_cast<int>(steps);
        done += steps;
    }
}

// Axes one after another: what an axis sends includes the halos of those before it, so that corners arrive by way of two neighbours.
template <class Real>
void Part::exchange_axis(PartState& state, std::size_t d) {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    const int base = channel::halo + 2 * static_cast<int>(d);
    for (const bool high : {false, true}) {
        const int beside = neighbour(grid_, blocks_, transport_.rank(), d, high);
        if (beside < 0) continue;
        Bytes &out = halos_[high ? 1 : 0], &in = halos_[high ? 3 : 2];
        pack<Real>(state, edge(d, high, false), out);
        in.resize(cells_of(edge(d, high, true)) * sizeof(Real));
        outgoing.push_back({beside, base + (high ? 1 : 0), out});
        incoming.push_back({beside, base + (high ? 0 : 1), in});
    }
    transport_.exchange(outgoing, incoming);
    for (const bool high : {false, true}) {
        if (neighbour(grid_, blocks_, transport_.rank(), d, high) >= 0) unpack<Real>(state, edge(d, high, true), halos_[high ? 3 : 2]);
    }
}

domain::CellBox Part::edge(std::size_t d, bool high, bool beyond) const {
    const auto& piece = std::get<domain::Grid>(piece_);
    domain::CellBox box;
    for (std::size_t e = 0; e < 3; ++e) {
        box.first[e] = e < d ? 0 : inset_[e];
        box.size[e] = e < d ? piece.size[e] : own_.size[e];
    }
    const Index halo = blocks_.halo[d], low = inset_[d], end = inset_[d] + own_.size[d];
    box.first[d] = high ? (beyond ? end : end - halo) : (beyond ? low - halo : low);
    box.size[d] = halo;
    return box;
}

std::size_t Part::cells_of(const domain::CellBox& region) const {
    return at(region.size[0] * region.size[1] * region.size[2]) * at(kernel_->program().state_count());
}

template <class Work>
void Part::for_rows(const domain::CellBox& region, const Work& work) const {
    const auto& piece = std::get<domain::Grid>(piece_);
    const Index rows = region.size[1] * region.size[2], all = rows * kernel_->program().state_count();
    context_.team.run([&](int worker) {
        const Index first = all * worker / context_.team.size(), end = all * (worker + 1) / context_.team.size();
        for (Index i = first; i < end; ++i) {
            const Index y = region.first[1] + i % rows % region.size[1], z = region.first[2] + i % rows / region.size[1];
            work(static_cast<ir::Array>(i / rows), z * piece.size[1] + y, at(i * region.size[0]));
        }
    });
}

template <class Real>
void Part::pack(const PartState& state, const domain::CellBox& region, Bytes& halo) const {
    halo.resize(cells_of(region) * sizeof(Real));
    const std::span<Real> cells = numbers_in<Real>(halo);
    const std::size_t width = at(region.size[0]), length = at(domain::row_length(piece_));
    for_rows(region, [&](ir::Array array, Index row, std::size_t place) {
        if (width == length) return kernel_->read_row(*state.state, array, row, cells.subspan(place, width));
        std::vector<Real> whole(length);
        kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
        std::copy_n(&whole[at(region.first[0])], width, &cells[place]);
    });
}

template <class Real>
void Part::unpack(PartState& state, const domain::CellBox& region, const Bytes& halo) {
    const std::span<const Real> cells = numbers_in<Real>(halo);
    const std::size_t width = at(region.size[0]), length = at(domain::row_length(piece_));
    for_rows(region, [&](ir::Array array, Index row, std::size_t place) {
        if (width == length) return write_cells<Real>(*kernel_, *state.state, array, row, cells.subspan(place, width));
        std::vector<Real> whole(length);
        kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
        std::copy_n(&cells[place], width, &whole[at(region.first[0])]);
        write_cells<Real>(*kernel_, *state.state, array, row, whole);
    });
}

// ---- rows of the whole

bool Part::has_row(Index row, int rank) const {
    const domain::CellBox box = box_with_halos(grid_, blocks_, rank);
    const Index ny = grid_.size[1], y = row % ny, z = row / ny;
    const auto holds = [&](std::size_t d, Index i) { return (i - box.first[d] + grid_.size[d]) % grid_.size[d] < box.size[d]; };
    return holds(1, y) && holds(2, z);
}

// A piece that goes on beyond a side that wraps may hold a row several times.
void Part::write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) {
    const auto& piece = std::get<domain::Grid>(piece_);
    const Index ny = grid_.size[1], nz = grid_.size[2];
    const auto first_of = [](Index i, Index first, Index n) { return (i - first + n) % n; };
    const bool whole_rows = piece.first[0] == 0 && piece.size[0] == grid_.size[0];
    std::vector<double> own(whole_rows ? 0 : at(piece.size[0]));
    if (!whole_rows) domain::take_row<double>(piece, cells, own);
    for (Index z = first_of(row / ny, piece.first[2], nz); z < piece.size[2]; z += nz) {
        for (Index y = first_of(row % ny, piece.first[1], ny); y < piece.size[1]; y += ny)
            kernel_->write_row(*state.state, array, z * piece.size[1] + y, whole_rows ? cells : own);
    }
}

template <class Work>
void Part::for_own_rows(Index first, Index end, int rank, const Work& work) const {
    const domain::CellBox box = own_box(grid_, blocks_, rank);
    for (Index row = first; row < end; ++row) {
        const Index y = row % grid_.size[1] - box.first[1], z = row / grid_.size[1] - box.first[2];
        if (y >= 0 && y < box.size[1] && z >= 0 && z < box.size[2]) work(z * box.size[1] + y, row, box);
    }
}

template <class Real>
void Part::read_own(const PartState& state, ir::Array array, Index own_row, std::span<Real> cells) const {
    const auto& piece = std::get<domain::Grid>(piece_);
    const Index y = inset_[1] + own_row % own_.size[1], z = inset_[2] + own_row / own_.size[1], row = z * piece.size[1] + y;
    if (piece.size[0] == own_.size[0]) return kernel_->read_row(*state.state, array, row, cells);
    std::vector<Real> whole(at(piece.size[0]));
    kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
    std::copy_n(&whole[at(inset_[0])], cells.size(), cells.data());
}

bool Part::owns_of(Index first, Index end, int rank) const {
    bool owns = false;
    for_own_rows(first, end, rank, [&](Index, Index, const domain::CellBox&) { owns = true; });
    return owns;
}

Bytes Part::read_rows(const PartState& state, ir::Array array, Index first, Index end) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float), width = at(own_.size[0]);
    std::vector<Index> rows;
    for_own_rows(first, end, transport_.rank(), [&](Index own_row, Index, const domain::CellBox&) { rows.push_back(own_row); });
    Bytes bytes(rows.size() * width * scalar);
    const auto read = [&]<class Real>(Real) {
        const std::span<Real> cells = numbers_in<Real>(bytes);
        for (std::size_t i = 0; i < rows.size(); ++i) read_own<Real>(state, array, rows[i], cells.subspan(i * width, width));
    };
    scalar == sizeof(double) ? read(double{}) : read(float{});
    return bytes;
}

void Part::place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float), length = at(grid_.size[0]);
    for_own_rows(first, end, from, [&](Index, Index row, const domain::CellBox& box) {
        const std::size_t count = at(box.size[0]) * scalar;
        if (read.size() < count) throw core::InternalError("a rank has sent fewer rows than it was asked for");
        std::memcpy(&rows[(at(row - first) * length + at(box.first[0])) * scalar], read.data(), count);
        read = read.subspan(count);
    });
}

// ---- sums and ranges

template <class Real>
backend::Range Part::own_range(const PartState& state, ir::Array array) const {
    const Index rows = own_.size[1] * own_.size[2], width = own_.size[0];
    const auto read = [&](Index row, std::span<Real> cells) { read_own<Real>(state, array, row, cells); };
    backend::Range range = backend::range_of_rows<Real>(rows, width, read, context_.team);
    if (range.first_bad >= 0) {
        const Index x = range.first_bad % width, y = range.first_bad / width % own_.size[1], z = range.first_bad / width / own_.size[1];
        range.first_bad = ((own_.first[2] + z) * grid_.size[1] + own_.first[1] + y) * grid_.size[0] + own_.first[0] + x;
    }
    return range;
}

backend::Range Part::range(const PartState& state, ir::Array array) const {
    return kernel_->program().f64 ? own_range<double>(state, array) : own_range<float>(state, array);
}

template <class Real>
SumShare Part::own_sum(const PartState& state, ir::Array array, const SumTerms& terms) const {
    const Index rows = own_.size[1] * own_.size[2];
    const auto workers = context_.team.size();
    const backend::ExactSum empty(terms.magic);
    std::vector<backend::CellSum> sums(at(workers), backend::CellSum(empty));
    context_.team.run([&](int worker) {
        backend::CellSum sum(empty);  // its own cache line
        std::vector<Real> cells(at(own_.size[0]));
        std::vector<double> squares;
        for (Index row = rows * worker / workers; row < rows * (worker + 1) / workers; ++row) {
            read_own<Real>(state, array, row, cells);
            if (!terms.squares) {
                sum.add(std::span<const Real>(cells));
                continue;
            }
            squares.assign(cells.begin(), cells.end());
            for (double& x : squares) x = (x - terms.mean) * (x - terms.mean);
            sum.add(std::span<const double>(squares));
        }
        sums[at(worker)] = sum;
    });
    SumShare share;
    backend::ExactSum all(terms.magic);
    for (const backend::CellSum& sum : sums) {
        if (!(sum.largest() <= share.largest)) share.largest = sum.largest();  // NaN stays
        sum.add_to(all);
    }
    std::copy_n(all.parts().begin(), share.parts.size(), share.parts.begin());
    return share;
}

SumShare Part::sum(const PartState& state, ir::Array array, const SumTerms& terms) const {
    return kernel_->program().f64 ? own_sum<double>(state, array, terms) : own_sum<float>(state, array, terms);
}

}  // namespace mottle::ranks
