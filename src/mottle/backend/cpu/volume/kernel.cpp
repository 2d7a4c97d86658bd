// mottle/backend/cpu/volume/kernel.cpp: a Program compiled for grids of three dimensions on the CPU
#include "mottle/backend/cpu/volume/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/volume/cut.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/core/numbers_in.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace mottle::backend::cpu {
namespace {

struct VolumeState final : State {
    std::vector<std::unique_ptr<Slab>> slabs;  ///< from top to bottom
};

VolumeState& volume_state(State& state) { return static_cast<VolumeState&>(state); }
const VolumeState& volume_state(const State& state) { return static_cast<const VolumeState&>(state); }

}  // namespace

VolumeKernel::VolumeKernel(const ir::Program& program, const domain::Domain& domain, const VolumeSchedule& request, const Isa& isa,
                           core::Context& context)
    : ProgramKernel(program, domain, request, context),
      grid_(std::get<domain::Grid>(domain_)),
      plan_(make_plan(program_, true)),
      number_table_(program.f64, program.uniforms.size(), plan_.constants),
      cut_(choose_volume_cut(program_, plan_, grid_, request, isa, context.team.size())),
      variants_(program_, plan_, cut_.calls, emit_options(isa, cut_.strips), context.cache),
      layout_(cut_.strips.strips[0].layout) {
    schedule_ = VolumeSchedule{cut_.steps, cut_.calls.block, static_cast<int>(cut_.tile), cut_.parts};
}

std::array<const std::byte*, ir::kGridAxes> VolumeKernel::axis_tables(const SlabShape& shape) {
    std::array<const std::byte*, ir::kGridAxes> tables{};
    const auto fill = [&]<class Real>(ir::Axis axis, Real) {
        const int along = direction(axis);
        const std::vector<double> table = coordinate_table(grid_, axis);
        const auto cell = [&](Index i) {  // ghosts beyond a border that does not wrap are never read; deep ones lie outside any mirror
            const Index n = grid_.size[core::at(along)];
            return ir::round_to<Real>(table[core::at(std::clamp<Index>(inside_cell(grid_, along, i), 0, n - 1))]);
        };
        if (along == 0) {
            Memory& memory = tables_.emplace_back(layout_.array_pitch() + 64);
            std::vector<Real> cells;
            for (Index i = 0; i < layout_.width(); ++i) cells.push_back(cell(i));
            std::byte* row = memory.data() + layout_.vector_bytes();
            layout_.scatter<Real>(cells, cell(-1), cell(layout_.width()), row);
            return row;
        }
        const Index ghosts = static_cast<Index>(along == 1 ? plan_.beside : plan_.radius) * shape.most_steps + 1;
        const Index first = (along == 1 ? shape.first : 0) - ghosts, count = (along == 1 ? shape.rows : shape.planes) + 2 * ghosts;
        Memory& memory = tables_.emplace_back(core::at(count) * sizeof(Real));
        for (Index i = 0; i < count; ++i) reinterpret_cast<Real*>(memory.data())[i] = cell(first + i);
        return memory.data();
    };
    for (const int axis : plan_.step.tables)
        tables[core::at(axis)] = program_.f64 ? fill(static_cast<ir::Axis>(axis), double{}) : fill(static_cast<ir::Axis>(axis), float{});
    return tables;
}

std::unique_ptr<State> VolumeKernel::create_state() {
    auto state = std::make_unique<VolumeState>();
    const Index height = grid_.size[1];
    const bool wraps = domain::wraps(grid_, domain::kTop);
    std::array<bool, 6> halos{};
    for (std::size_t side = 0; side < halos.size(); ++side) halos[side] = domain::is_halo(grid_, side);
    std::vector<SlabShape> shapes;
    std::vector<std::array<const std::byte*, ir::kGridAxes>> axes;
    for (int p = 0; p < cut_.parts; ++p) {
        const Index first = height * p / cut_.parts, end = height * (p + 1) / cut_.parts;
        shapes.push_back({first, end - first, grid_.size[2], !wraps && p == 0, !wraps && p + 1 == cut_.parts,
                          !domain::wraps(grid_, domain::kFront), halos, cut_.steps, cut_.calls.block, cut_.tile, cut_.piece});
        axes.push_back(axis_tables(shapes.back()));
    }
    state->slabs.resize(shapes.size());
    context_.team.run([&](int worker) {  // memory is first touched by the thread that will sweep it
        const auto [first, end] = core::share_of(std::ssize(shapes), worker, context_.team.size());
        for (auto s = core::at(first); s < core::at(end); ++s) state->slabs[s] = std::make_unique<Slab>(plan_, layout_, shapes[s], axes[s]);
    });
    return state;
}

// ---- steps

// Side ghosts that depend on uniforms may be older than the parameters or the time of this launch.
template <class Real>
void VolumeKernel::refresh_side_ghosts(Slab& slab, const NumberRows& numbers) const {
    const auto* values = reinterpret_cast<const Real*>(numbers.row(0));
    for (ir::Array a = 0; a < program_.state_count(); ++a) {
        const ir::Ghost &left = program_.ghosts_of(a)[domain::kLeft], &right = program_.ghosts_of(a)[domain::kRight];
        if (left.alpha < 0 && right.alpha < 0) continue;
        for (Index z = 0; z < slab.shape().planes; ++z) {
            for (Index y = 0; y < slab.shape().rows; ++y) {
                std::byte* row = slab.row(a, y, z);
                if (left.alpha >= 0)
                    layout_.left_ghost<Real>(row) = std::fma(values[left.beta], layout_.first<Real>(row), values[left.alpha]);
                if (right.alpha >= 0)
                    layout_.right_ghost<Real>(row) = std::fma(values[right.beta], layout_.last<Real>(row), values[right.alpha]);
            }
        }
    }
}

void VolumeKernel::advance(State& base, Index first_step, Index n, UniformTable uniforms) {
    if (n <= 0) return;
    VolumeState& state = volume_state(base);
    const NumberRows numbers = number_table_.fill(n, uniforms);
    const KernelFunctions& functions = variants_.find(uniforms);
    const Slab::Launch launch{numbers, functions, program_, uniforms.stages};
    const Index passes = (n + cut_.steps - 1) / cut_.steps;
    const std::size_t count = state.slabs.size();
    context_.team.run([&](int worker) {
        const FlushMode mode(!program_.f64);
        const core::Share share = core::share_of(static_cast<Index>(count), worker, context_.team.size());
        const auto each_slab = [&](auto&& work) {
            for (auto s = core::at(share.first); s < core::at(share.end); ++s) work(*state.slabs[s], s);
        };
        each_slab([&](Slab& slab, std::size_t) {
            program_.f64 ? refresh_side_ghosts<double>(slab, numbers) : refresh_side_ghosts<float>(slab, numbers);
        });
        for (Index pass = 0; pass < passes; ++pass) {
            const Index first = n * pass / passes;
            const int steps = static_cast<int>(n * (pass + 1) / passes - first);
            context_.team.barrier();
            each_slab([&](Slab& slab, std::size_t s) {
                slab.fetch_ghosts(*state.slabs[(s + count - 1) % count], *state.slabs[(s + 1) % count], steps);
            });
            context_.team.barrier();
            each_slab([&](Slab& slab, std::size_t) { slab.advance(launch, steps, first, first_step + first); });
        }
    });
}

// ---- rows of cells

const std::byte* VolumeKernel::find_row(const State& state, ir::Array array, Index row) const {
    const Index y = row % grid_.size[1], z = row / grid_.size[1];
    const auto& slabs = volume_state(state).slabs;
    std::size_t at = 0;
    while (at + 1 < slabs.size() && slabs[at + 1]->shape().first <= y) ++at;
    return std::as_const(*slabs[at]).row(array, y - slabs[at]->shape().first, z);
}

void VolumeKernel::read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const {
    read_rounded(program_.f64, cells, [&]<class Real>(std::span<Real> own) { layout_.gather<Real>(find_row(state, array, row), own); });
}

template <class Write>
void VolumeKernel::for_places_of(State& base, ir::Array array, Index row, const Write& write) const {
    const Index ny = grid_.size[1], y = row % ny, z = row / ny;
    // maps are never exchanged, so a row goes wherever it is a ghost row too
    const bool everywhere = program_.arrays[core::at(array)].kind == ir::ArrayInfo::Kind::input;
    const auto modulo = [](Index i, Index n) { return (i % n + n) % n; };
    for (auto& slab : volume_state(base).slabs) {
        const SlabShape& shape = slab->shape();
        const Index rows = everywhere ? slab->ghost_rows() : 0, planes = everywhere && !shape.closed ? slab->ghost_planes() : 0;
        const Index top = shape.top ? 0 : -rows, bottom = shape.rows + (shape.bottom ? 0 : rows);
        for (Index at = top + modulo(y - shape.first - top, ny); at < bottom; at += ny) {
            for (Index plane = modulo(z + planes, shape.planes) - planes; plane < shape.planes + planes; plane += shape.planes)
                write(slab->row(array, at, plane));
        }
    }
}

// Ghosts that depend on uniforms are set again when a launch begins; until then they mirror.
template <class Real>
void VolumeKernel::put(State& state, ir::Array array, Index row, std::span<const Real> cells) const {
    const bool wraps = wraps_along(program_.ghosts_of(array), 0);
    const Real left = wraps ? cells.back() : cells.front(), right = wraps ? cells.front() : cells.back();
    for_places_of(state, array, row, [&](std::byte* place) { layout_.scatter<Real>(cells, left, right, place); });
}

void VolumeKernel::write_row(State& state, ir::Array array, Index row, std::span<const double> cells) {
    if (program_.f64) return put(state, array, row, cells);
    std::vector<float> rounded(cells.size());
    round_row(cells, rounded);
    put(state, array, row, std::span<const float>(rounded));
}

void VolumeKernel::write_row_f32(State& state, ir::Array array, Index row, std::span<const float> cells) {
    if (program_.f64) return Kernel::write_row_f32(state, array, row, cells);
    put(state, array, row, cells);
}

void VolumeKernel::read_raw_row(const State& state, ir::Array array, Index row, std::span<std::byte> numbers) const {
    if (row_lanes() == 1) return Kernel::read_raw_row(state, array, row, numbers);
    std::memcpy(numbers.data(), find_row(state, array, row), numbers.size());
}

void VolumeKernel::write_raw_row(State& state, ir::Array array, Index row, int lanes, std::span<const std::byte> numbers) {
    if (row_lanes() == 1 || lanes != row_lanes()) return Kernel::write_raw_row(state, array, row, lanes, numbers);
    const bool wraps = wraps_along(program_.ghosts_of(array), 0);
    for_places_of(state, array, row, [&](std::byte* place) {
        program_.f64 ? layout_.place(core::numbers_in<double>(numbers), wraps, place)
                     : layout_.place(core::numbers_in<float>(numbers), wraps, place);
    });
}

double VolumeKernel::sum(const State& state, ir::Array array) const {
    const auto& slabs = volume_state(state).slabs;
    const Index planes = grid_.size[2];
    return sums_.sum(core::at(array), domain::cell_count(domain_), 1, context_.team, [&](int worker, CellSum& sum) {
        const core::Share share = core::share_of(planes, worker, context_.team.size());
        for (const auto& slab : slabs) {
            for (Index z = share.first; z < share.end; ++z) {
                for (Index y = 0; y < slab->shape().rows; ++y) {
                    const std::byte* row = std::as_const(*slab).row(array, y, z);
                    program_.f64 ? layout_.sum<double>(row, sum) : layout_.sum<float>(row, sum);
                }
            }
        }
    });
}

}  // namespace mottle::backend::cpu
