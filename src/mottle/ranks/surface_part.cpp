// mottle/ranks/surface_part.cpp: the share of one rank in a surface
#include "mottle/ranks/surface_part.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <cstring>

namespace mottle::ranks {

using core::at;
using domain::Vertex;

SurfacePart::SurfacePart(const ir::Program& program, domain::Mesh piece, std::vector<SurfaceShare> shares,
                         const backend::Schedule& schedule, backend::Backend& backend, core::Context& context, Transport& transport)
    : Part(shares.front().steps, context, transport), shares_(std::move(shares)), piece_(std::move(piece)) {
    const std::span<const double> areas = domain::measures(piece_);
    for (const Vertex place : share().own) areas_.push_back(areas[at(place)]);
    kernel_ = backend.compile(program, piece_, schedule, context);
}

// ---- halos

void SurfacePart::exchange(PartState& state) { kernel_->program().f64 ? trade<double>(state) : trade<float>(state); }

template <class Real>
void SurfacePart::trade(PartState& state) {
    if (share().trades.empty()) return;
    const int states = kernel_->program().state_count();
    std::vector<std::vector<Real>> rows(at(states), std::vector<Real>(share().vertices.size()));
    for (ir::Array array = 0; array < states; ++array) kernel_->read_row(*state.state, array, 0, std::span<Real>(rows[at(array)]));
    std::vector<Bytes> out(share().trades.size()), in(share().trades.size());
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (std::size_t t = 0; t < share().trades.size(); ++t) {
        const Trade& trade = share().trades[t];
        out[t].resize(trade.sent.size() * rows.size() * sizeof(Real));
        in[t].resize(trade.received.size() * rows.size() * sizeof(Real));
        auto to = numbers_in<Real>(out[t]).begin();
        for (const std::vector<Real>& row : rows) {
            for (const Vertex place : trade.sent) *to++ = row[at(place)];
        }
        if (!out[t].empty()) outgoing.push_back({trade.rank, channel::halo, out[t]});
        if (!in[t].empty()) incoming.push_back({trade.rank, channel::halo, in[t]});
    }
    transport_.exchange(outgoing, incoming);
    for (std::size_t t = 0; t < share().trades.size(); ++t) {
        auto from = numbers_in<Real>(in[t]).begin();
        for (std::vector<Real>& row : rows) {
            for (const Vertex place : share().trades[t].received) row[at(place)] = *from++;
        }
    }
    for (ir::Array array = 0; array < states; ++array)
        write_cells(*kernel_, *state.state, array, 0, std::span<const Real>(rows[at(array)]));
}

// ---- cells of the whole

std::vector<double> SurfacePart::cells_for(int rank, Index, std::span<const double> cells) const {
    std::vector<double> picked;
    picked.reserve(shares_[at(rank)].vertices.size());
    for (const Vertex v : shares_[at(rank)].vertices) picked.push_back(cells[at(v)]);
    return picked;
}

void SurfacePart::write_row(PartState& state, ir::Array array, Index, std::span<const double> cells) {
    kernel_->write_row(*state.state, array, 0, cells);
}

template <class Real>
void SurfacePart::pick_own(const PartState& state, ir::Array array, std::span<Real> cells) const {
    std::vector<Real> row(share().vertices.size());
    kernel_->read_row(*state.state, array, 0, std::span<Real>(row));
    std::transform(share().own.begin(), share().own.end(), cells.begin(), [&](Vertex place) { return row[at(place)]; });
}

void SurfacePart::read_own(const PartState& state, ir::Array array, Index, std::span<float> cells) const { pick_own(state, array, cells); }
void SurfacePart::read_own(const PartState& state, ir::Array array, Index, std::span<double> cells) const { pick_own(state, array, cells); }

Bytes SurfacePart::read_rows(const PartState& state, ir::Array array, Index, Index) const {
    const bool f64 = kernel_->program().f64;
    Bytes bytes(share().own.size() * (f64 ? sizeof(double) : sizeof(float)));
    f64 ? pick_own(state, array, numbers_in<double>(bytes)) : pick_own(state, array, numbers_in<float>(bytes));
    return bytes;
}

void SurfacePart::place_rows(int from, std::span<const std::byte> read, Index, Index, Bytes& rows) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float);
    const SurfaceShare& other = shares_[at(from)];
    if (read.size() != other.own.size() * scalar) throw core::InternalError("a rank has sent another number of vertices than it owns");
    for (std::size_t i = 0; i < other.own.size(); ++i)
        std::memcpy(&rows[at(other.vertices[at(other.own[i])]) * scalar], &read[i * scalar], scalar);
}

Index SurfacePart::number_of(Index own_cell) const { return share().vertices[at(share().own[at(own_cell)])]; }

}  // namespace mottle::ranks
