// mottle/ranks/grid_part.cpp: the share of one rank in a grid
#include "mottle/ranks/grid_part.h"

#include "mottle/core/error.h"
#include "mottle/ir/program/piece.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mottle::ranks {
namespace {

using core::at;

}  // namespace

GridPart::GridPart(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks, const backend::Schedule& schedule,
                   backend::Backend& backend, core::Context& context, Transport& transport)
    : Part(blocks.steps, context, transport),
      grid_(grid),
      blocks_(blocks),
      own_(own_box(grid, blocks, transport.rank())),
      piece_(domain::piece_of(grid, box_with_halos(grid, blocks, transport.rank()))) {
    for (std::size_t d = 0; d < 3; ++d) inset_[d] = own_.first[d] - piece().first[d];
    kernel_ = backend.compile(ir::program_of_piece(program, piece()), piece_, schedule, context);
}

// ---- halos

void GridPart::exchange(PartState& state) {
    for (std::size_t d = 0; d < 3; ++d) {
        if (blocks_.parts[d] > 1) kernel_->program().f64 ? exchange_axis<double>(state, d) : exchange_axis<float>(state, d);
    }
}

// Axes one after another: what an axis sends includes the halos of those before it, so that corners arrive by way of two neighbours.
template <class Real>
void GridPart::exchange_axis(PartState& state, std::size_t d) {
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

domain::CellBox GridPart::edge(std::size_t d, bool high, bool beyond) const {
    domain::CellBox box;
    for (std::size_t e = 0; e < 3; ++e) {
        box.first[e] = e < d ? 0 : inset_[e];
        box.size[e] = e < d ? piece().size[e] : own_.size[e];
    }
    const Index halo = blocks_.halo[d], low = inset_[d], end = inset_[d] + own_.size[d];
    box.first[d] = high ? (beyond ? end : end - halo) : (beyond ? low - halo : low);
    box.size[d] = halo;
    return box;
}

std::size_t GridPart::cells_of(const domain::CellBox& region) const {
    return at(region.size[0] * region.size[1] * region.size[2]) * at(kernel_->program().state_count());
}

template <class Work>
void GridPart::for_rows(const domain::CellBox& region, const Work& work) const {
    const Index rows = region.size[1] * region.size[2], all = rows * kernel_->program().state_count();
    context_.team.run([&](int worker) {
        const auto [first, end] = core::share_of(all, worker, context_.team.size());
        for (Index i = first; i < end; ++i) {
            const Index y = region.first[1] + i % rows % region.size[1], z = region.first[2] + i % rows / region.size[1];
            work(static_cast<ir::Array>(i / rows), z * piece().size[1] + y, at(i * region.size[0]));
        }
    });
}

template <class Real>
void GridPart::pack(const PartState& state, const domain::CellBox& region, Bytes& halo) const {
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
void GridPart::unpack(PartState& state, const domain::CellBox& region, const Bytes& halo) {
    const std::span<const Real> cells = numbers_in<Real>(halo);
    const std::size_t width = at(region.size[0]), length = at(domain::row_length(piece_));
    for_rows(region, [&](ir::Array array, Index row, std::size_t place) {
        if (width == length) return write_cells(*kernel_, *state.state, array, row, cells.subspan(place, width));
        std::vector<Real> whole(length);
        kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
        std::copy_n(&cells[place], width, &whole[at(region.first[0])]);
        write_cells(*kernel_, *state.state, array, row, std::span<const Real>(whole));
    });
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
}

template <class Work>
void GridPart::for_own_rows(Index first, Index end, int rank, const Work& work) const {
    const domain::CellBox box = own_box(grid_, blocks_, rank);
    for (Index row = first; row < end; ++row) {
        const Index y = row % grid_.size[1] - box.first[1], z = row / grid_.size[1] - box.first[2];
        if (y >= 0 && y < box.size[1] && z >= 0 && z < box.size[2]) work(z * box.size[1] + y, row, box);
    }
}

template <class Real>
void GridPart::read_block_row(const PartState& state, ir::Array array, Index own_row, std::span<Real> cells) const {
    const Index y = inset_[1] + own_row % own_.size[1], z = inset_[2] + own_row / own_.size[1], row = z * piece().size[1] + y;
    if (piece().size[0] == own_.size[0]) return kernel_->read_row(*state.state, array, row, cells);
    std::vector<Real> whole(at(piece().size[0]));
    kernel_->read_row(*state.state, array, row, std::span<Real>(whole));
    std::copy_n(&whole[at(inset_[0])], cells.size(), cells.data());
}

void GridPart::read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const {
    read_block_row(state, array, own_row, cells);
}

void GridPart::read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const {
    read_block_row(state, array, own_row, cells);
}

bool GridPart::owns_of(Index first, Index end, int rank) const {
    bool owns = false;
    for_own_rows(first, end, rank, [&](Index, Index, const domain::CellBox&) { owns = true; });
    return owns;
}

Bytes GridPart::read_rows(const PartState& state, ir::Array array, Index first, Index end) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float), width = at(own_.size[0]);
    std::vector<Index> rows;
    for_own_rows(first, end, transport_.rank(), [&](Index own_row, Index, const domain::CellBox&) { rows.push_back(own_row); });
    Bytes bytes(rows.size() * width * scalar);
    const auto read = [&]<class Real>(Real) {
        const std::span<Real> cells = numbers_in<Real>(bytes);
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

Index GridPart::number_of(Index own_cell) const {
    const Index width = own_.size[0], x = own_cell % width, y = own_cell / width % own_.size[1], z = own_cell / width / own_.size[1];
    return ((own_.first[2] + z) * grid_.size[1] + own_.first[1] + y) * grid_.size[0] + own_.first[0] + x;
}

}  // namespace mottle::ranks
