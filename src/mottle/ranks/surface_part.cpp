// mottle/ranks/surface_part.cpp: the share of one rank in a surface
#include "mottle/ranks/surface_part.h"

#include "mottle/core/error.h"
#include "mottle/core/numbers_in.h"
#include "mottle/ranks/file_piece.h"
#include "mottle/ranks/regions.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace mottle::ranks {

using core::at, core::numbers_in;
using domain::Vertex;

SurfacePart::SurfacePart(const ir::Program& program, domain::Mesh piece, std::optional<domain::Mesh> rim, std::vector<SurfaceShare> shares,
                         const backend::Schedule& schedule, backend::Backend& backend, core::Context& context, Transport& transport)
    : Part(shares.front().steps, context, transport), shares_(std::move(shares)), piece_(std::move(piece)) {
    const std::span<const double> areas = domain::measures(piece_);
    for (const Vertex place : share().own) areas_.push_back(areas[at(place)]);
    kernel_ = backend.compile(program, piece_, schedule, context);
    if (!rim) return;
    rim_ = backend.compile(program, std::move(*rim), {}, context);
    const std::vector<Vertex>& vertices = share().rim.vertices;
    const auto place_in_rim = [&](Vertex place) {
        return static_cast<Vertex>(std::lower_bound(vertices.begin(), vertices.end(), place) - vertices.begin());
    };
    all_of_rim_.resize(vertices.size());
    std::iota(all_of_rim_.begin(), all_of_rim_.end(), Vertex{0});
    for (const Vertex place : share().rim.good) good_.push_back(vertices[at(place)]);
    for (const Trade& trade : share().trades) {
        std::vector<Vertex>& places = received_in_rim_.emplace_back();
        for (const Vertex place : trade.received) places.push_back(place_in_rim(place));
    }
}

// ---- halos

std::size_t SurfacePart::bytes_of(std::span<const Vertex> vertices) const {
    return vertices.size() * (kernel_->program().f64 ? sizeof(double) : sizeof(float));
}

HaloBytes SurfacePart::halo_of(const Trade& trade, std::span<const Vertex> vertices) const {
    return {trade.rank, channel::halo, at(kernel_->program().state_count()) * bytes_of(vertices)};
}

void SurfacePart::read_states(const backend::Kernel& kernel, const backend::State& state, std::span<const Vertex> vertices,
                              std::span<std::byte> numbers) const {
    const std::size_t bytes = bytes_of(vertices);
    for (ir::Array a = 0; a < kernel.program().state_count(); ++a)
        kernel.read_vertices(state, a, vertices, numbers.subspan(at(a) * bytes, bytes));
}

void SurfacePart::write_states(backend::Kernel& kernel, backend::State& state, std::span<const Vertex> vertices,
                               std::span<const std::byte> numbers) const {
    const std::size_t bytes = bytes_of(vertices);
    for (ir::Array a = 0; a < kernel.program().state_count(); ++a)
        kernel.write_vertices(state, a, vertices, numbers.subspan(at(a) * bytes, bytes));
}

void SurfacePart::begin_exchange(const PartState& state, Meanwhile meanwhile) {
    std::vector<HaloBytes> outgoing, incoming;
    for (const Trade& trade : share().trades) {
        const HaloBytes out = halo_of(trade, trade.sent), in = halo_of(trade, trade.received);
        if (out.size > 0) {
            read_states(*kernel_, *state.state, trade.sent, transport_.outbox(out));
            outgoing.push_back(out);
        }
        if (in.size > 0) incoming.push_back(in);
    }
    transport_.begin_exchange(outgoing, incoming, meanwhile);
}

void SurfacePart::place_halos(PartState& state) {
    for (const Trade& trade : share().trades) {
        if (!trade.received.empty()) write_states(*kernel_, *state.state, trade.received, transport_.inbox(halo_of(trade, trade.received)));
    }
}

// ---- the rim

void SurfacePart::create_rim_state(PartState& state) const {
    state.rims.push_back(rim_->create_state());
    std::vector<double> row(share().vertices.size()), picked(share().rim.vertices.size());
    for (const ir::Array map : maps_of(kernel_->program())) {
        kernel_->read_row(*state.state, map, 0, std::span<double>(row));
        std::transform(share().rim.vertices.begin(), share().rim.vertices.end(), picked.begin(), [&](Vertex v) { return row[at(v)]; });
        rim_->write_row(*state.rims.back(), map, 0, picked);
    }
}

// The rim as it is before the pass.
void SurfacePart::begin_rims(PartState& state) {
    if (state.rims.empty()) create_rim_state(state);
    Bytes numbers(at(kernel_->program().state_count()) * bytes_of(share().rim.vertices));
    read_states(*kernel_, *state.state, share().rim.vertices, numbers);
    write_states(*rim_, *state.rims.front(), all_of_rim_, numbers);
}

void SurfacePart::finish_rims(PartState& state, Index first_step, Index n, const backend::UniformTable& uniforms) {
    backend::State& rim_state = *state.rims.front();
    for (std::size_t i = 0; i < share().trades.size(); ++i) {
        const Trade& trade = share().trades[i];
        if (!trade.received.empty()) write_states(*rim_, rim_state, received_in_rim_[i], transport_.inbox(halo_of(trade, trade.received)));
    }
    rim_->advance(rim_state, first_step, n, uniforms);
    Bytes numbers(at(kernel_->program().state_count()) * bytes_of(good_));
    read_states(*rim_, rim_state, share().rim.good, numbers);
    write_states(*kernel_, *state.state, good_, numbers);
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
    if (kernel_->program().arrays[at(array)].kind == ir::ArrayInfo::Kind::input) state.rims.clear();
}

template <class Real>
void SurfacePart::pick_own(const PartState& state, ir::Array array, std::span<Real> cells) const {
    std::vector<Real> row(share().vertices.size());
    kernel_->read_row(*state.state, array, 0, std::span<Real>(row));
    std::transform(share().own.begin(), share().own.end(), cells.begin(), [&](Vertex place) { return row[at(place)]; });
}

void SurfacePart::read_own(const PartState& state, ir::Array array, Index, std::span<float> cells) const { pick_own(state, array, cells); }
void SurfacePart::read_own(const PartState& state, ir::Array array, Index, std::span<double> cells) const { pick_own(state, array, cells); }

template <class Real>
void SurfacePart::put_own(PartState& state, ir::Array array, std::span<const Real> cells) {
    std::vector<Real> row(share().vertices.size());
    kernel_->read_row(*state.state, array, 0, std::span<Real>(row));
    for (std::size_t i = 0; i < cells.size(); ++i) row[at(share().own[i])] = cells[i];
    write_cells(*kernel_, *state.state, array, 0, std::span<const Real>(row));
}

void SurfacePart::write_own(PartState& state, ir::Array array, Index, std::span<const float> cells) { put_own(state, array, cells); }
void SurfacePart::write_own(PartState& state, ir::Array array, Index, std::span<const double> cells) { put_own(state, array, cells); }

Bytes SurfacePart::read_rows(const PartState& state, ir::Array array, Index, Index) const {
    const bool f64 = kernel_->program().f64;
    Bytes bytes(share().own.size() * (f64 ? sizeof(double) : sizeof(float)));
    f64 ? pick_own(state, array, numbers_in<double>(std::span(bytes))) : pick_own(state, array, numbers_in<float>(std::span(bytes)));
    return bytes;
}

void SurfacePart::place_rows(int from, std::span<const std::byte> read, Index, Index, Bytes& rows) const {
    const std::size_t scalar = kernel_->program().f64 ? sizeof(double) : sizeof(float);
    const SurfaceShare& other = shares_[at(from)];
    if (read.size() != other.own.size() * scalar) throw core::InternalError("a rank has sent another number of vertices than it owns");
    for (std::size_t i = 0; i < other.own.size(); ++i)
        std::memcpy(&rows[at(other.vertices[at(other.own[i])]) * scalar], &read[i * scalar], scalar);
}

// Own vertices are scattered in files, and a write for each would take far longer than to bring them together.
std::optional<FilePiece> SurfacePart::collect(const PartState& state, ir::Array array, const backend::CellFile& to) const {
    if (to.of_mesh_file && !entries_) entries_ = all_entries();
    FileEntries in_order{share().whole, {}, {}};
    for (Index own = 0; own < std::ssize(share().own) && !to.of_mesh_file; ++own) {
        in_order.number.push_back(static_cast<Vertex>(number_of(own)));
        in_order.own.push_back(static_cast<Vertex>(own));
    }
    const FileEntries& entries = to.of_mesh_file ? *entries_ : in_order;
    const bool f64 = kernel_->program().f64;
    const auto bytes = [&]<class Real>(Real) {
        std::vector<Real> own(share().own.size());
        pick_own(state, array, std::span(own));
        return backend::entries_of<Real>(to, own, entries.own);
    };
    return collect_entries(transport_, entries.count, entries.number, f64 ? bytes(double{}) : bytes(float{}),
                           backend::bytes_of_entry(to, f64));
}

FileEntries SurfacePart::all_entries() const {
    const FileEntries& others = share().entries;
    const std::vector<Vertex>& original = std::get<domain::Mesh>(piece_).surface->original;
    std::vector<std::pair<Vertex, Vertex>> sorted;
    sorted.reserve(others.number.size() + share().own.size());
    for (std::size_t i = 0; i < others.number.size(); ++i) sorted.emplace_back(others.number[i], others.own[i]);
    for (std::size_t own = 0; own < share().own.size(); ++own)
        sorted.emplace_back(original[at(share().own[own])], static_cast<Vertex>(own));
    std::sort(sorted.begin(), sorted.end());
    FileEntries all{others.count, {}, {}};
    for (const auto& [number, own] : sorted) {
        all.number.push_back(number);
        all.own.push_back(own);
    }
    return all;
}

bool SurfacePart::load(PartState& state, ir::Array array, const core::SharedFile& file, const backend::CellFile& from) {
    state.good_steps = 0;
    const auto load = [&]<class Real>(Real) {
        std::vector<Real> own(share().own.size());
        const backend::RowsInFile rows{std::ssize(own), 1, [this](Index row) { return number_of(row); }};
        const auto write = [&](Index row, std::span<const Real> cells) { own[at(row)] = cells[0]; };
        const bool whole = backend::load_rows<Real>(file, from, rows, write, context_.team);
        if (whole) put_own(state, array, std::span<const Real>(own));
        return whole;
    };
    return kernel_->program().f64 ? load(double{}) : load(float{});
}

Index SurfacePart::number_of(Index own_cell) const { return share().vertices[at(share().own[at(own_cell)])]; }

}  // namespace mottle::ranks
