// mottle/backend/cpu/volume/kernel.cpp: a Program compiled for grids of three dimensions on the CPU
#include "mottle/backend/cpu/volume/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/volume/cut.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/core/error.h"
#include "mottle/core/numbers_in.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace mottle::backend::cpu {

struct VolumeState final : State {
    std::unique_ptr<VolumeMaps> maps;
    std::vector<std::unique_ptr<Slab>> slabs;  ///< from top to bottom
};

namespace {

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
    make_axis_tables();
}

// Of rows and planes an entry for each of the grid, one before, and one for each that a call may reach behind.
void VolumeKernel::make_axis_tables() {
    const auto fill = [&]<class Real>(ir::Axis axis, Real) {
        const int along = direction(axis);
        const std::vector<double> table = coordinate_table(grid_, axis);
        const auto cell = [&](Index i) {  // beyond a border that does not wrap only the first one is ever read
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
        const Index count = grid_.size[core::at(along)] + cut_.calls.block + 2;
        Memory& memory = tables_.emplace_back(core::at(count) * sizeof(Real));
        for (Index i = 0; i < count; ++i) reinterpret_cast<Real*>(memory.data())[i] = cell(i - 1);
        return memory.data();
    };
    for (const int axis : plan_.step.tables)
        axes_[core::at(axis)] = program_.f64 ? fill(static_cast<ir::Axis>(axis), double{}) : fill(static_cast<ir::Axis>(axis), float{});
}

SlabShape VolumeKernel::shape_of(int part) const {
    const Index height = grid_.size[1], depth = grid_.size[2];
    const Index first = height * part / cut_.parts, rows = height * (part + 1) / cut_.parts - first;
    const bool wraps_y = domain::wraps(grid_, domain::kTop), wraps_z = domain::wraps(grid_, domain::kFront);
    SlabShape shape{.first = first,
                    .y = {rows, (height + cut_.parts - 1) / cut_.parts, height, plan_.beside, !wraps_y, !wraps_y && part == 0,
                          !wraps_y && part + 1 == cut_.parts},
                    .z = {depth, depth, depth, plan_.radius, !wraps_z, !wraps_z, !wraps_z},
                    .most_steps = cut_.steps,
                    .block = cut_.calls.block,
                    .tile = cut_.tile,
                    .piece = cut_.piece};
    for (std::size_t side = 0; side < shape.halos.size(); ++side) shape.halos[side] = domain::is_halo(grid_, side);
    return shape;
}

std::unique_ptr<State> VolumeKernel::create_state() {
    auto state = std::make_unique<VolumeState>();
    const auto count = core::at(cut_.parts);
    state->maps = std::make_unique<VolumeMaps>(plan_, layout_, shape_of(0));
    state->slabs.resize(count);
    context_.team.run([&](int worker) {  // memory is first touched by the thread that will sweep it
        const auto [first, end] = core::share_of(cut_.parts, worker, context_.team.size());
        for (Index s = first; s < end; ++s)
            state->slabs[core::at(s)] = std::make_unique<Slab>(plan_, layout_, shape_of(static_cast<int>(s)), axes_, *state->maps);
    });
    for (std::size_t s = 0; s < count; ++s) state->slabs[s]->join(*state->slabs[(s + 1) % count]);
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
        for (Index z = 0; z < slab.shape().z.extent; ++z) {
            for (Index y = 0; y < slab.shape().y.extent; ++y) {
                std::byte* row = slab.row(a, y, z);
                if (left.alpha >= 0)
                    layout_.left_ghost<Real>(row) = std::fma(values[left.beta], layout_.first<Real>(row), values[left.alpha]);
                if (right.alpha >= 0)
                    layout_.right_ghost<Real>(row) = std::fma(values[right.beta], layout_.last<Real>(row), values[right.alpha]);
            }
        }
    }
}

// One pass over the slabs of one worker. All of them go through it together, so that the next one of each is never far behind.
void VolumeKernel::sweep(const VolumeState& state, const core::Share& own, std::uint64_t before) const {
    const std::size_t count = state.slabs.size();
    const Slab::Course course = state.slabs[core::at(own.first)]->course();
    Index number = 0;
    const auto sweep = [&](std::size_t s, Index tile, Index front, Index level, const Slab::RowRange& rows) {
        Slab& slab = *state.slabs[s];
        if (rows.empty()) return;
        if (const Index needs = course.needs(tile, front, level); needs > 0 && count > 1 && slab.reads_beyond(level, rows))
            context_.team.wait_for(state.slabs[(s + 1) % count]->given, before + core::at(needs));
        slab.sweep(front, level, rows);
    };
    const auto each_slab = [&](auto&& work) {
        for (auto s = core::at(own.first); s < core::at(own.end); ++s) work(s, *state.slabs[s]);
    };
    for (Index tile = 0; tile < course.tiles; ++tile) {
        for (Index front = 0; front < course.fronts; ++front) {
            each_slab([&](std::size_t, Slab& slab) { slab.begin_front(tile, front); });
            for (Index level = 0; level < course.levels(); ++level, ++number) {
                if (count == 1) {  // it waits for nobody
                    sweep(0, tile, front, level, state.slabs[0]->rows_of(level, tile));
                    continue;
                }
                for (const Slab::Part part : {Slab::Part::heads, Slab::Part::middle, Slab::Part::last}) {
                    each_slab([&](std::size_t s, Slab& slab) {
                        sweep(s, tile, front, level, slab.rows_of(level, tile, part));
                        if (part == Slab::Part::heads && course.gives(level))
                            context_.team.raise(slab.given, before + core::at(number) + 1);
                    });
                }
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
    const bool goes_back = !domain::wraps(grid_, domain::kTop) && cut_.parts > 1;
    for (const auto& slab : state.slabs) slab->given.reset();
    context_.team.run([&](int worker) {
        const FlushMode mode(!program_.f64);
        const core::Share share = core::share_of(cut_.parts, worker, context_.team.size());
        const auto each_slab = [&](auto&& work) {
            for (auto s = core::at(share.first); s < core::at(share.end); ++s) work(*state.slabs[s], s);
        };
        each_slab([&](Slab& slab, std::size_t) {
            program_.f64 ? refresh_side_ghosts<double>(slab, numbers) : refresh_side_ghosts<float>(slab, numbers);
        });
        std::uint64_t swept = 0;
        for (Index pass = 0; pass < passes; ++pass) {
            const Index first = n * pass / passes;
            const int steps = static_cast<int>(n * (pass + 1) / passes - first);
            each_slab([&](Slab& slab, std::size_t) { slab.begin_pass(launch, steps, first, first_step + first); });
            context_.team.barrier();
            if (share.first < share.end) {
                sweep(state, share, swept);
                swept += core::at(state.slabs[core::at(share.first)]->course().sweeps());
            }
            each_slab([&](Slab& slab, std::size_t) { slab.end_pass(); });
            if (!goes_back) continue;
            context_.team.barrier();
            each_slab([&](Slab& slab, std::size_t s) {
                if (s > 0) slab.take_back_rows(*state.slabs[s - 1]);
            });
        }
    });
}

// ---- rows of cells

std::byte* VolumeKernel::find_row(const State& state, ir::Array array, Index row) const {
    const Index y = row % grid_.size[1], z = row / grid_.size[1];
    for (const auto& slab : volume_state(state).slabs) {
        if (const Index own = slab->row_of(y); own >= 0 && own < slab->shape().y.extent) return slab->row(array, own, slab->plane_of(z));
    }
    throw core::InternalError("a row that no slab has");
}

void VolumeKernel::read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const {
    read_rounded(program_.f64, cells, [&]<class Real>(std::span<Real> own) { layout_.gather<Real>(find_row(state, array, row), own); });
}

// Ghosts that depend on uniforms are set again when a launch begins; until then they mirror.
template <class Real>
void VolumeKernel::put(State& state, ir::Array array, Index row, std::span<const Real> cells) const {
    const bool wraps = wraps_along(program_.ghosts_of(array), 0);
    const Real left = wraps ? cells.back() : cells.front(), right = wraps ? cells.front() : cells.back();
    layout_.scatter<Real>(cells, left, right, find_row(state, array, row));
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
    std::byte* const place = find_row(state, array, row);
    program_.f64 ? layout_.place(core::numbers_in<double>(numbers), wraps, place)
                 : layout_.place(core::numbers_in<float>(numbers), wraps, place);
}

std::optional<double> VolumeKernel::sum(const State& state, ir::Array array) const {
    const auto& slabs = volume_state(state).slabs;
    const Index planes = grid_.size[2];
    return sums_.sum(core::at(array), domain::cell_count(domain_), 1, context_.team, [&](int worker, CellSum& sum) {
        const core::Share share = core::share_of(planes, worker, context_.team.size());
        for (const auto& slab : slabs) {
            for (Index z = share.first; z < share.end; ++z) {
                for (Index y = 0; y < slab->shape().y.extent; ++y) {
                    const std::byte* row = std::as_const(*slab).row(array, y, z);
                    program_.f64 ? layout_.sum<double>(row, sum) : layout_.sum<float>(row, sum);
                }
            }
        }
    });
}

}  // namespace mottle::backend::cpu
