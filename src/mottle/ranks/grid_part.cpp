// mottle/ranks/grid_part.cpp: the share of one rank in a grid
#include "mottle/ranks/grid_part.h"

#include "mottle/core/error.h"
#include "mottle/core/numbers_in.h"
#include "mottle/ir/program/piece.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mottle::ranks {
namespace {

using core::at, core::numbers_in;

}  // namespace

GridPart::GridPart(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks, Hiding hiding,
                   const backend::Schedule& schedule, backend::Backend& backend, core::Context& context, Transport& transport)
    : Part(blocks.steps, context, transport),
      grid_(grid),
      blocks_(blocks),
      block_(blocks.count() == 1 ? 0 : transport.rank()),
      own_(own_box(grid, blocks, block_)),
      piece_(domain::piece_of(grid, box_with_halos(grid, blocks, block_))),
      states_(states_of(program)) {
    for (std::size_t d = 0; d < 3; ++d) inset_[d] = own_.first[d] - piece().first[d];
    kernel_ = backend.compile(ir::program_of_piece(program, piece()), piece_, schedule, context);
    make_halos();
    // Where sums are taken in every step, there is nothing to compute meanwhile.
    if (hiding == Hiding::never || program.phases || !have_middle(grid, blocks)) return;
    for (std::size_t d = 0; d < 3; ++d) {
        for (const bool high : {false, true}) {
            if (neighbour(grid, blocks, block_, d, high) >= 0) add_rim(d, high);
        }
    }
    for (Rim& rim : rims_) {
        CellBox box = rim.box;
        for (std::size_t d = 0; d < 3; ++d) box.first[d] += piece().first[d];
        const domain::Grid rim_piece = domain::piece_of(grid, box);
        rim.kernel = backend.compile(ir::program_of_piece(program, rim_piece), rim_piece, {}, context);  // few rows for a given schedule
    }
}

backend::Spread GridPart::spread() const {
    backend::BlockCounts counts{};
    std::copy(blocks_.parts.begin(), blocks_.parts.end(), counts.begin());
    return {steps_, counts};
}

// ---- halos

// Cells at corners come from the blocks there, so that all halos travel at once.
void GridPart::make_halos() {
    for (const Beside& beside : blocks_beside(grid_, blocks_, block_)) {
        Halo halo;
        for (std::size_t d = 0; d < 3; ++d) {
            const Index deep = blocks_.halo[d], low = inset_[d], end = inset_[d] + own_.size[d];
            const int step = beside.direction.step[d];
            halo.sent.first[d] = step > 0 ? end - deep : low;
            halo.received.first[d] = step > 0 ? end : step < 0 ? low - deep : low;
            halo.sent.size[d] = halo.received.size[d] = step == 0 ? own_.size[d] : deep;
        }
        const Direction there = beside.direction;
        halo.out = {beside.rank, channel::halo + there.number(), bytes_of_box(kernel_->program(), states_.size(), halo.sent)};
        halo.in = {beside.rank, channel::halo + there.back().number(), bytes_of_box(kernel_->program(), states_.size(), halo.received)};
        halos_.push_back(halo);
    }
}

void GridPart::begin_exchange(const PartState& state, Meanwhile meanwhile) {
    std::vector<HaloBytes> outgoing, incoming;
    for (const Halo& halo : halos_) {
        pack_box(*kernel_, *state.state, states_, halo.sent, context_.team, transport_.outbox(halo.out));
        outgoing.push_back(halo.out);
        incoming.push_back(halo.in);
    }
    transport_.begin_exchange(outgoing, incoming, meanwhile);
}

void GridPart::place_halos(PartState& state) {
    for (const Halo& halo : halos_)
        unpack_box(*kernel_, *state.state, states_, halo.received, halo.received, context_.team, transport_.inbox(halo.in));
}

// ---- rims

// A pass without halos leaves wrong what it reaches from a side. A rim that is as far away from there at its other end is right in these cells.
void GridPart::add_rim(std::size_t d, bool high) {
    const CellBox all{{0, 0, 0}, piece().size}, own{inset_, own_.size};
    const Index deep = blocks_.halo[d], low = inset_[d], end = inset_[d] + own_.size[d];
    CellBox box = all, beside = own;
    box.first[d] = high ? end - 2 * deep : low - deep;
    box.size[d] = 3 * deep;
    beside.first[d] = high ? end - deep : low;
    beside.size[d] = deep;
    rims_.push_back({box, common_box(box, own), beside, nullptr, {}});
}

void GridPart::create_rim_states(PartState& state) const {
    const std::vector<ir::Array> maps = maps_of(kernel_->program());
    Bytes cells;
    for (const Rim& rim : rims_) {
        state.rims.push_back(rim.kernel->create_state());
        const CellBox box = seen_from(rim.box.first, rim.box);
        pack_box(*kernel_, *state.state, maps, rim.box, context_.team, cells);
        unpack_box(*rim.kernel, *state.rims.back(), maps, box, box, context_.team, cells);
    }
}

void GridPart::begin_rims(PartState& state) {
    if (state.rims.empty()) create_rim_states(state);
    for (std::size_t r = 0; r < rims_.size(); ++r) {
        Rim& rim = rims_[r];
        pack_box(*kernel_, *state.state, states_, rim.taken, context_.team, rim.cells);
        const CellBox taken = seen_from(rim.box.first, rim.taken);
        unpack_box(*rim.kernel, *state.rims[r], states_, taken, taken, context_.team, rim.cells);
    }
}

void GridPart::finish_rims(PartState& state, Index first_step, Index n, const backend::UniformTable& uniforms) {
    for (std::size_t r = 0; r < rims_.size(); ++r) {
        Rim& rim = rims_[r];
        const auto in_rim = [&rim](const CellBox& box) { return seen_from(rim.box.first, box); };
        for (const Halo& halo : halos_) {
            unpack_box(*rim.kernel, *state.rims[r], states_, in_rim(halo.received), in_rim(common_box(halo.received, rim.box)),
                       context_.team, transport_.inbox(halo.in));
        }
        rim.kernel->advance(*state.rims[r], first_step, n, uniforms);
        pack_box(*rim.kernel, *state.rims[r], states_, in_rim(rim.good), context_.team, rim.cells);
        unpack_box(*kernel_, *state.state, states_, rim.good, rim.good, context_.team, rim.cells);
    }
}

// ---- rows of the whole

std::vector<double> GridPart::cells_for(int rank, Index row, std::span<const double> cells) const {
    const domain::CellBox box = box_with_halos(grid_, blocks_, rank);
    const Index ny = grid_.size[1], y = row % ny, z = row / ny;
    const auto holds = [&](std::size_t d, Index i) { return (i - box.first[d] + grid_.size[d]) % grid_.size[d] < box.size[d]; };
    return holds(1, y) && holds(2, z) ? std::vector<double>(cells.begin(), cells.end()) : std::vector<double>();
}

// A piece that goes on beyond a side that wraps may hold a row several times.
void GridPart::write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) {
    const Index ny = grid_.size[1], nz = grid_.size[2];
    const auto first_of = [](Index i, Index first, Index n) { return (i - first + n) % n; };
    const bool whole_rows = piece().first[0] == 0 && piece().size[0] == grid_.size[0];
    std::vector<double> own(whole_rows ? 0 : at(piece().size[0]));
    if (!whole_rows) domain::take_row<double>(piece(), cells, own);
    for (Index z = first_of(row / ny, piece().first[2], nz); z < piece().size[2]; z += nz) {
        for (Index y = first_of(row % ny, piece().first[1], ny); y < piece().size[1]; y += ny)
            kernel_->write_row(*state.state, array, z * piece().size[1] + y, whole_rows ? cells : own);
    }
    if (kernel_->program().arrays[at(array)].kind == ir::ArrayInfo::Kind::input) state.rims.clear();
}

template <class Work>
void GridPart::for_own_rows(Index first, Index end, int rank, const Work& work) const {
    const domain::CellBox box = own_box(grid_, blocks_, rank);
    for (Index row = first; row < end; ++row) {
        const Index y = row % grid_.size[1] - box.first[1], z = row / grid_.size[1] - box.first[2];
        if (y >= 0 && y < box.size[1] && z >= 0 && z < box.size[2]) work(z * box.size[1] + y, row, box);
    }
}

Index GridPart::row_of_piece(Index own_row) const {
    return (inset_[2] + own_row / own_.size[1]) * piece().size[1] + inset_[1] + own_row % own_.size[1];
}

template <class Real>
void GridPart::read_block_row(const PartState& state, ir::Array array, Index own_row, std::span<Real> cells) const {
    const Index row = row_of_piece(own_row);
    if (piece().size[0] == own_.size[0]) return kernel_->read_row(*state.state, array, row, cells);
    std::vector<Real> whole(at(piece().size[0]));
    kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
    std::copy_n(&whole[at(inset_[0])], cells.size(), cells.data());
}

template <class Real>
void GridPart::write_block_row(PartState& state, ir::Array array, Index own_row, std::span<const Real> cells) {
    const Index row = row_of_piece(own_row);
    if (piece().size[0] == own_.size[0]) return write_cells(*kernel_, *state.state, array, row, cells);
    std::vector<Real> whole(at(piece().size[0]));
    kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
    std::copy(cells.begin(), cells.end(), whole.begin() + inset_[0]);
    write_cells(*kernel_, *state.state, array, row, std::span<const Real>(whole));
}

void GridPart::write_own(PartState& state, ir::Array array, Index own_row, std::span<const float> cells) {
    write_block_row(state, array, own_row, cells);
}

void GridPart::write_own(PartState& state, ir::Array array, Index own_row, std::span<const double> cells) {
    write_block_row(state, array, own_row, cells);
}

void GridPart::read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const {
    read_block_row(state, array, own_row, cells);
}

void GridPart::read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const {
    read_block_row(state, array, own_row, cells);
}

void GridPart::read_raw_own(const PartState& state, ir::Array array, Index own_row, std::span<std::byte> numbers) const {
    if (piece().size[0] != own_.size[0]) return Part::read_raw_own(state, array, own_row, numbers);
    kernel_->read_raw_row(*state.state, array, row_of_piece(own_row), numbers);
}

bool GridPart::owns_of(Index first, Index end, int rank) const {
    bool owns = false;
    for_own_rows(first, end, rank, [&](Index, Index, const domain::CellBox&) { owns = true; });
    return owns;
}

Bytes GridPart::read_rows(const PartState& state, ir::Array array, Index first, Index end) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float), width = at(own_.size[0]);
    std::vector<Index> rows;
    for_own_rows(first, end, block_, [&](Index own_row, Index, const domain::CellBox&) { rows.push_back(own_row); });
    Bytes bytes(rows.size() * width * scalar);
    const auto read = [&]<class Real>(Real) {
        const std::span<Real> cells = numbers_in<Real>(std::span(bytes));
        for (std::size_t i = 0; i < rows.size(); ++i) read_block_row<Real>(state, array, rows[i], cells.subspan(i * width, width));
    };
    scalar == sizeof(double) ? read(double{}) : read(float{});
    return bytes;
}

void GridPart::place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float), length = at(grid_.size[0]);
    for_own_rows(first, end, from, [&](Index, Index row, const domain::CellBox& box) {
        const std::size_t count = at(box.size[0]) * scalar;
        if (read.size() < count) throw core::InternalError("a rank has sent fewer rows than it was asked for");
        std::memcpy(&rows[(at(row - first) * length + at(box.first[0])) * scalar], read.data(), count);
        read = read.subspan(count);
    });
}

// ---- pictures

PixelBox GridPart::pixels(int rank, const DrawRequest& request, Lines lines) const {
    return pixels_of(own_box(grid_, blocks_, rank), grid_, request, lines);
}

Bytes GridPart::draw(const PartState& state, const DrawRequest& request, const PixelBox& box) const {
    const Index first = (grid_.size[2] / 2 - own_.first[2]) * own_.size[1];
    const auto read = [&](Index y, std::span<float> cells) { read_block_row(state, request.array, first + y, cells); };
    return draw_box(request, own_, box, read, context_.team);
}

Index GridPart::number_of(Index own_cell) const {
    const Index width = own_.size[0], x = own_cell % width, y = own_cell / width % own_.size[1], z = own_cell / width / own_.size[1];
    return ((own_.first[2] + z) * grid_.size[1] + own_.first[1] + y) * grid_.size[0] + own_.first[0] + x;
}

}  // namespace mottle::ranks
