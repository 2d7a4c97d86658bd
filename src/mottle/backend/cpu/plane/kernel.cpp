// mottle/backend/cpu/plane/kernel.cpp: a Program compiled for the CPU, and the bands that hold its fields
#include "mottle/backend/cpu/plane/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/plane/state.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/core/numbers_in.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

/// The cell of the grid's row at place `i` of a strip, ghost cells and the cells beyond included: wrapped, or mirrored at a border.
Index cell_of(const domain::Grid& grid, const Strip& strip, Index i) {
    return std::clamp<Index>(inside_cell(grid, 0, strip.first - strip.left + i), 0, grid.size[0] - 1);
}

/// What phases ask for sums of, of which the last stage of a step makes all cells, each of them once.
std::vector<ir::Array> arrays_that_are_summed(const ir::Program& program) {
    std::vector<ir::Array> arrays;
    const auto& sums = program.phases->sums;
    for (const auto& store : program.step.stages.back().stores) {
        const ir::Array array = store.first;
        if (std::any_of(sums.begin(), sums.end(), [array](const ir::Sum& sum) { return sum.array == array; })) arrays.push_back(array);
    }
    return arrays;
}

}  // namespace

PlaneKernel::PlaneKernel(const ir::Program& program, const domain::Domain& domain, const PlaneSchedule& request, const Isa& isa,
                         core::Context& context)
    : ProgramKernel(program, domain, request, context),
      grid_(std::get<domain::Grid>(domain_)),
      plan_(make_plan(program_, false, terms_of(program_, grid_, request))),
      number_table_(program.f64, program.uniforms.size(), plan_.constants),
      cut_(choose_cut(program_, plan_, grid_, request, isa, context.team.size())),
      variants_(program_, plan_, cut_.calls, emit_options(isa, cut_.strips), context.cache) {
    const Index strip = cut_.strips.whole() ? 0 : grid_.size[0] / cut_.strips.count();
    schedule_ = PlaneSchedule{cut_.steps, cut_.calls.block, static_cast<int>(strip), cut_.parts};
    make_axis_tables();
    if (terms_of(program_, grid_, request) == Terms::passing) summed_ = arrays_that_are_summed(program_);
}

PlaneKernel::~PlaneKernel() = default;

std::unique_ptr<State> PlaneKernel::create_state() {
    const Index height = grid_.size[1];
    auto state = std::make_unique<CpuState>(cut_.strips, height, static_cast<int>(program_.state_count()), program_.f64 ? 8 : 4);
    std::vector<MapRows> maps;
    for (const Strip& strip : cut_.strips.strips) {
        std::vector<Memory>& memory = state->maps.emplace_back();
        MapRows& rows = maps.emplace_back();
        for (const Group& group : plan_.groups) {
            const Index kept = group.along == Along::x ? 1 : height;
            memory.push_back(group.home == Home::map ? Memory(GroupRows::memory_bytes(group, strip.layout, kept)) : Memory());
            rows.push_back(memory.back().data());
        }
    }
    std::vector<BandShape> shapes;
    for (int p = 0; p < cut_.parts; ++p) {
        const Index first = height * p / cut_.parts, end = height * (p + 1) / cut_.parts;
        for (int strip = 0; strip < cut_.strips.count(); ++strip)
            shapes.push_back({first, end - first, height, strip, !plan_.all_wrap(), domain::is_halo(grid_, domain::kTop),
                              domain::is_halo(grid_, domain::kBottom), cut_.steps, cut_.calls.block});
    }
    state->bands.resize(shapes.size());
    context_.team.run([&](int worker) {  // each band's memory is first touched by the thread that will sweep it
        const auto [first, end] = bands_of(worker, shapes.size());
        for (std::size_t b = first; b < end; ++b) {
            const auto strip = core::at(shapes[b].strip);
            state->bands[b] = std::make_unique<Band>(plan_, cut_.strips, shapes[b], axis_tables_[strip], maps[strip]);
        }
    });
    return state;
}

// Bands [first, end) are those of one worker.
std::pair<std::size_t, std::size_t> PlaneKernel::bands_of(int worker, std::size_t bands) const {
    const auto [first, end] = core::share_of(static_cast<Index>(bands), worker, context_.team.size());
    return {core::at(first), core::at(end)};
}

// ---- steps

// Side ghosts that depend on uniforms may be older than the parameters or the time of this launch.
template <class Real>
void PlaneKernel::refresh_side_ghosts(Band& band, const NumberRows& numbers) const {
    const auto* values = reinterpret_cast<const Real*>(numbers.row(0));
    const RowLayout& layout = band.strip().layout;
    for (ir::Array a = 0; a < program_.state_count(); ++a) {
        const auto& rule = program_.ghosts_of(a);
        for (auto side : {domain::kLeft, domain::kRight}) {
            const ir::Ghost& ghost = rule[side];
            if (ghost.alpha < 0 || !(side == domain::kLeft ? band.strip().at_left_border() : band.strip().at_right_border())) continue;
            for (Index y = 0; y < band.shape().rows; ++y) {
                std::byte* row = band.row(a, y);
                bool left = side == domain::kLeft;
                Real inside = left ? layout.first<Real>(row) : layout.last<Real>(row);
                Real& outside = left ? layout.left_ghost<Real>(row) : layout.right_ghost<Real>(row);
                outside = std::fma(values[ghost.beta], inside, values[ghost.alpha]);
            }
        }
    }
}

// One pass over the bands of one worker in one strip of all rows. A band that needs rows that the next one has not made yet lets the others continue; only if
// none can continue does the worker wait, for the band after its last one, which belongs to another worker.
void PlaneKernel::advance_bands(CpuState& state, const Band::Launch& launch, const Band::Pass& pass, std::size_t strip, int worker) const {
    const std::size_t count = state.bands.size(), stride = state.strips;
    const auto [first, end] = bands_of(worker, count);
    const std::size_t begin = first + (strip + stride - first % stride) % stride;
    const auto next = [&](std::size_t b) -> Heads& { return state.bands[(b + stride) % count]->heads(); };
    for (std::size_t b = begin; b < end; b += stride) state.bands[b]->begin_pass(launch, pass);
    for (bool done = false; !done;) {
        done = true;
        bool stuck = true;
        std::size_t last = begin;
        for (std::size_t b = begin; b < end; last = b, b += stride) {
            Band& band = *state.bands[b];
            if (band.done()) continue;
            const Band::Progress progress = band.go_on(launch, next(b));
            done = done && progress == Band::Progress::done;
            stuck = stuck && progress == Band::Progress::stuck;
        }
        if (!done && stuck) state.bands[last]->wait_for(launch, next(last));
    }
}

void PlaneKernel::advance(State& base, Index first_step, Index n, UniformTable uniforms) {
    if (n <= 0) return;
    CpuState& state = cast(base);
    numbers_ = number_table_.fill(n, uniforms);
    const KernelFunctions& functions = variants_.find(uniforms);
    const Index passes = (n + cut_.steps - 1) / cut_.steps;
    const std::size_t count = state.bands.size(), stride = state.strips;
    std::size_t largest = 0;
    for (const Strip& strip : cut_.strips.strips) largest += plan_.groups[0].arrays.size() * strip.layout.array_pitch();
    const bool prefetch = largest * core::at(grid_.size[1]) * stride / count > (std::size_t{3} << 19);
    // strips of one band on several threads exchange their edges between two passes
    const bool meet = !cut_.strips.whole() && count / stride % core::at(context_.team.size()) != 0;
    state.sums.clear();
    for (const ir::Array array : summed_) state.sums.push_back(sums_.guess(core::at(array), domain::cell_count(domain_)));
    state.sums_hold = true;
    const Band::Launch launch{numbers_, functions, state.edges, context_.team, n, prefetch, program_, uniforms.stages, state.sums};
    for (const auto& band : state.bands) band->begin_launch(launch);
    context_.team.run([&](int worker) {
        FlushMode mode(!program_.f64);
        const auto [begin, end] = bands_of(worker, count);
        for (std::size_t b = begin; b < end; ++b) {
            Band& band = *state.bands[b];
            program_.f64 ? refresh_side_ghosts<double>(band, numbers_) : refresh_side_ghosts<float>(band, numbers_);
            if (!cut_.strips.whole()) band.export_edges(state.edges, state.parity, state.stale);
        }
        for (Index number = 0; number < passes; ++number) {
            const Index first = n * number / passes;
            const int steps = static_cast<int>(n * (number + 1) / passes - first);
            const Band::Pass pass{number, steps, first, first_step + first, (state.parity + static_cast<int>(number % 2)) % 2};
            if (meet) context_.team.barrier();
            for (std::size_t strip = 0; strip < stride; ++strip) advance_bands(state, launch, pass, strip, worker);
        }
    });
    state.parity = (state.parity + static_cast<int>(passes % 2)) % 2;
    if (cut_.strips.whole()) return;
    for (std::atomic<bool>& row : state.stale) row.store(false, std::memory_order_relaxed);
}

// ---- coordinates

// x tables are lane-transposed rows, one of each strip, whose ghosts hold the wrapped or mirrored cell.
void PlaneKernel::add_x_tables(std::vector<AxisTables>& tables) {
    for (const int used : plan_.step.tables) {
        const auto axis = static_cast<ir::Axis>(used);
        if (direction(axis) != 0) continue;
        const std::vector<double> table = coordinate_table(grid_, axis);
        for (std::size_t s = 0; s < tables.size(); ++s) {
            const Strip& strip = cut_.strips.strips[s];
            const RowLayout& layout = strip.layout;
            std::byte* memory = axis_memory_.emplace_back(layout.array_pitch() + kLine).data();
            core::in_precision(program_.f64, [&]<class Real>(Real) {
                auto value = [&](Index i) { return ir::round_to<Real>(table[core::at(cell_of(grid_, strip, i))]); };
                std::vector<Real> cells;
                for (Index i = 0; i < layout.width(); ++i) cells.push_back(value(i));
                layout.scatter<Real>(cells, value(-1), value(layout.width()), memory + layout.vector_bytes());
            });
            tables[s].table[static_cast<std::size_t>(axis)] = memory + layout.vector_bytes();
        }
    }
}

// One table serves all bands: an entry for each row of the grid, one for the row above, and one for each row below that a call may reach.
void PlaneKernel::add_row_tables(AxisTables& tables) {
    const Index height = grid_.size[1];
    for (const int used : plan_.step.tables) {
        const auto axis = static_cast<ir::Axis>(used);
        if (direction(axis) == 0) continue;
        const std::vector<double> table = coordinate_table(grid_, axis);
        const bool y = direction(axis) == 1;
        std::vector<std::byte>& bytes = row_tables_.emplace_back();
        core::in_precision(program_.f64, [&]<class Real>(Real) {
            const Index count = y ? height + cut_.calls.block + 2 : 1;
            bytes.resize(core::at(count) * sizeof(Real));
            for (Index i = 0; i < count; ++i) {
                const Index at = i - 1;
                // where nothing wraps, only the first row beyond a border is ever read
                const Index cell = !y                  ? 0
                                   : plan_.any_wraps() ? (at % height + height) % height
                                                       : std::clamp<Index>(inside_cell(grid_, 1, at), 0, height - 1);
                const Real value = ir::round_to<Real>(table[core::at(cell)]);
                std::memcpy(bytes.data() + core::at(i) * sizeof(Real), &value, sizeof(Real));
            }
        });
        tables.table[static_cast<std::size_t>(axis)] = bytes.data();
    }
}

void PlaneKernel::make_axis_tables() {
    AxisTables rows;
    add_row_tables(rows);
    rows.mirrored = plan_.any_wraps() && !domain::wraps(grid_, domain::kTop);
    axis_tables_.assign(cut_.strips.strips.size(), rows);
    add_x_tables(axis_tables_);
}

// ---- rows of cells

template <class Real>
void PlaneKernel::read(const State& state, ir::Array array, Index row, std::span<Real> cells) const {
    const auto [strips, y] = cast(state).find(row);
    if (cut_.strips.whole()) return strips[0]->strip().layout.gather<Real>(strips[0]->row(array, y), cells);
    std::vector<Real> all;  // of a strip, ghosts included
    for (const auto& band : strips) {
        const Strip& strip = band->strip();
        all.resize(core::at(strip.layout.width()));
        strip.layout.gather<Real>(band->row(array, y), all);
        std::copy_n(all.begin() + strip.left, strip.cells, cells.begin() + strip.first);
    }
}

void PlaneKernel::read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const {
    read_rounded(program_.f64, cells, [&]<class Real>(std::span<Real> own) { read(state, array, row, own); });
}

template <class Real>
void PlaneKernel::put(Band& band, ir::Array array, Index y, std::span<const Real> cells) const {
    const Strip& strip = band.strip();
    // ghosts that depend on uniforms are set again when a launch begins; until then they mirror
    auto value = [&](Index i) { return cells[core::at(cell_of(grid_, strip, i))]; };
    // beyond a border of the grid the rule of the array applies, not that of the grid
    const bool wraps = wraps_along(program_.ghosts_of(array), 0);
    const Real left = !strip.at_left_border() ? value(-1) : wraps ? cells.back() : cells.front();
    const Real right = !strip.at_right_border() ? value(strip.layout.width()) : wraps ? cells.front() : cells.back();
    const Index first = strip.first - strip.left, width = strip.layout.width();
    if (first >= 0 && first + width <= std::ssize(cells))
        return strip.layout.scatter<Real>(cells.subspan(core::at(first), core::at(width)), left, right, band.row(array, y));
    std::vector<Real> all(core::at(width));  // its ghosts come from the other end of the row
    for (Index i = 0; i < strip.left; ++i) all[core::at(i)] = value(i);
    std::copy_n(cells.begin() + strip.first, strip.cells, all.begin() + strip.left);
    for (Index i = strip.left + strip.cells; i < width; ++i) all[core::at(i)] = value(i);
    strip.layout.scatter<Real>(all, left, right, band.row(array, y));
}

template <class Work>
void PlaneKernel::for_strips_of(State& base, ir::Array array, Index row, const Work& work) {
    CpuState& state = cast(base);
    const Group& group = plan_.groups[core::at(plan_.group_of[core::at(array)])];
    if (group.along == Along::x && row > 0) return;  // all rows are one
    state.stale[core::at(row)].store(true, std::memory_order_relaxed);
    state.sums_hold.store(false, std::memory_order_relaxed);
    const auto [strips, y] = state.find(row);
    for (const auto& band : strips) work(*band, y);
}

void PlaneKernel::write_row(State& state, ir::Array array, Index row, std::span<const double> cells) {
    if (program_.f64) return for_strips_of(state, array, row, [&](Band& band, Index y) { put<double>(band, array, y, cells); });
    std::vector<float> rounded(cells.size());
    round_row(cells, rounded);
    write_row_f32(state, array, row, rounded);
}

void PlaneKernel::write_row_f32(State& state, ir::Array array, Index row, std::span<const float> cells) {
    if (program_.f64) return Kernel::write_row_f32(state, array, row, cells);
    for_strips_of(state, array, row, [&](Band& band, Index y) { put<float>(band, array, y, cells); });
}

void PlaneKernel::read_raw_row(const State& state, ir::Array array, Index row, std::span<std::byte> numbers) const {
    if (row_lanes() == 1) return Kernel::read_raw_row(state, array, row, numbers);
    const auto [strips, y] = cast(state).find(row);
    std::memcpy(numbers.data(), strips[0]->row(array, y), numbers.size());
}

void PlaneKernel::write_raw_row(State& state, ir::Array array, Index row, int lanes, std::span<const std::byte> numbers) {
    if (row_lanes() == 1 || lanes != row_lanes()) return Kernel::write_raw_row(state, array, row, lanes, numbers);
    const bool wraps = wraps_along(program_.ghosts_of(array), 0);
    for_strips_of(state, array, row, [&](Band& band, Index y) {
        const RowLayout& layout = band.strip().layout;
        core::in_precision(program_.f64,
                           [&]<class Real>(Real) { layout.place(core::numbers_in<Real>(numbers), wraps, band.row(array, y)); });
    });
}

// ---- sums

// The first and last vectors of a strip contain cells of its neighbours, possibly of an older state; these count as 0.
template <class Real>
void PlaneKernel::sum_band(const Band& band, ir::Array array, CellSum& sum) const {
    const Strip& strip = band.strip();
    const RowLayout& layout = strip.layout;
    const auto lanes = core::at(layout.lanes()), columns = core::at(layout.columns());
    const auto left = core::at(strip.left), right = core::at(strip.right);
    const bool apart = left + right < columns;  // else the ends are all of it
    const std::size_t head = apart ? left : columns, tail = apart ? right : 0;
    std::vector<Real> ends((head + tail) * lanes);
    for (Index y = 0; y < band.shape().rows; ++y) {
        const auto* cells = reinterpret_cast<const Real*>(band.row(array, y));
        if (left + right == 0) {
            layout.sum<Real>(cells, sum);
            continue;
        }
        std::memcpy(ends.data(), cells, head * lanes * sizeof(Real));
        std::memcpy(ends.data() + head * lanes, cells + (columns - tail) * lanes, tail * lanes * sizeof(Real));
        for (std::size_t j = 0; j < left; ++j) ends[j * lanes] = 0;                                       // of the first lane
        for (std::size_t j = head + tail - right; j < head + tail; ++j) ends[j * lanes + lanes - 1] = 0;  // of the last
        sum.add(std::span<const Real>(ends));
        sum.add(std::span<const Real>(cells + head * lanes, (columns - head - tail) * lanes));
    }
}

std::optional<double> PlaneKernel::made_sum(const CpuState& state, ir::Array array) const {
    if (!state.sums_hold) return std::nullopt;
    for (std::size_t i = 0; i < state.sums.size(); ++i) {
        if (state.sums[i].array != core::at(array)) continue;
        std::vector<CellSum> shares;
        for (const auto& band : state.bands) shares.push_back(band->sums()[i]);
        return sums_.sum_of(state.sums[i], domain::cell_count(domain_), 1, shares);
    }
    return std::nullopt;
}

std::optional<double> PlaneKernel::sum(const State& state, ir::Array array) const {
    const bool map = program_.arrays[core::at(array)].kind == ir::ArrayInfo::Kind::input;
    if (map) return Kernel::sum(state, array);
    const std::optional<double> made = made_sum(cast(state), array);
    const bool kept = is_state(plan_.groups[core::at(plan_.group_of[core::at(array)])]);
    if (made || !kept) return made;
    const auto& bands = cast(state).bands;
    return sums_.sum(core::at(array), domain::cell_count(domain_), 1, context_.team, [&](int worker, CellSum& sum) {
        const auto [begin, end] = bands_of(worker, bands.size());
        for (std::size_t b = begin; b < end; ++b)
            program_.f64 ? sum_band<double>(*bands[b], array, sum) : sum_band<float>(*bands[b], array, sum);
    });
}

}  // namespace mottle::backend::cpu
