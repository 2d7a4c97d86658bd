// mottle/backend/cpu/plane/kernel_rows.cpp: cells and coordinates in and out of the lane-transposed rows
#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/plane/kernel.h"
#include "mottle/backend/cpu/plane/state.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

/// The cell of the grid's row at place `i` of a strip, ghost cells and the cells beyond included: wrapped, or mirrored at a border.
Index cell_of(const domain::Grid& grid, const Strip& strip, Index i) {
    return std::clamp<Index>(inside_cell(grid, 0, strip.first - strip.left + i), 0, grid.size[0] - 1);
}

}  // namespace

// ---- coordinates

std::set<ir::Axis> PlaneKernel::axes_in_use() const {
    std::set<ir::Axis> used;
    for (const StagePlan& stage : plan_.stages) {
        for (const int axis : stage.axes) used.insert(static_cast<ir::Axis>(axis));
    }
    return used;
}

// x tables are lane-transposed rows, one of each strip, whose ghosts hold the wrapped or mirrored cell.
void PlaneKernel::add_x_tables(std::vector<AxisTables>& tables) {
    for (const ir::Axis axis : axes_in_use()) {
        if (direction(axis) != 0) continue;
        const std::vector<double> table = coordinate_table(grid_, axis);
        for (std::size_t s = 0; s < tables.size(); ++s) {
            const Strip& strip = cut_.strips.strips[s];
            const RowLayout& layout = strip.layout;
            std::byte* memory = allocate_rows(layout.array_pitch() + 64);
            axis_memory_.push_back(memory);
            auto scatter = [&]<class Real>(Real) {
                auto value = [&](Index i) { return ir::round_to<Real>(table[static_cast<std::size_t>(cell_of(grid_, strip, i))]); };
                std::vector<Real> cells;
                for (Index i = 0; i < layout.width(); ++i) cells.push_back(value(i));
                layout.scatter<Real>(cells, value(-1), value(layout.width()), memory + layout.vector_bytes());
            };
            program_.f64 ? scatter(double{}) : scatter(float{});
            tables[s].table[static_cast<std::size_t>(axis)] = memory + layout.vector_bytes();
        }
    }
}

// One table serves all bands: an entry for each row of the grid, one for the row above, and for as many below as a call may go on.
void PlaneKernel::add_row_tables(AxisTables& tables) {
    const Index height = grid_.size[1];
    for (const ir::Axis axis : axes_in_use()) {
        if (direction(axis) == 0) continue;
        const std::vector<double> table = coordinate_table(grid_, axis);
        const bool y = direction(axis) == 1;
        std::vector<std::byte>& bytes = row_tables_.emplace_back();
        auto fill = [&]<class Real>(Real) {
            const Index count = y ? height + cut_.calls.block + 2 : 1;
            bytes.resize(static_cast<std::size_t>(count) * sizeof(Real));
            for (Index i = 0; i < count; ++i) {
                const Index at = i - 1;
                // where nothing wraps, only the first row beyond a border is ever read
                const Index cell = !y                  ? 0
                                   : plan_.any_wraps() ? (at % height + height) % height
                                                       : std::clamp<Index>(inside_cell(grid_, 1, at), 0, height - 1);
                const Real value = ir::round_to<Real>(table[static_cast<std::size_t>(cell)]);
                std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(Real), &value, sizeof(Real));
            }
        };
        program_.f64 ? fill(double{}) : fill(float{});
        tables.table[static_cast<std::size_t>(axis)] = bytes.data();
    }
}

void PlaneKernel::make_axis_tables() {
    AxisTables rows;
    add_row_tables(rows);
    rows.mirrored = plan_.any_wraps() && grid_.sides[domain::kTop].rule != domain::Rule::periodic;
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
        all.resize(static_cast<std::size_t>(strip.layout.width()));
        strip.layout.gather<Real>(band->row(array, y), all);
        std::copy_n(all.begin() + strip.left, strip.cells, cells.begin() + strip.first);
    }
}

void PlaneKernel::read_row(const State& state, ir::Array array, Index row, std::span<float> cells) const {
    if (!program_.f64) return read<float>(state, array, row, cells);
    std::vector<double> wide(cells.size());
    read<double>(state, array, row, wide);
    std::transform(wide.begin(), wide.end(), cells.begin(), [](double x) { return ir::round_to<float>(x); });
}

void PlaneKernel::read_row(const State& state, ir::Array array, Index row, std::span<double> cells) const {
    if (program_.f64) return read<double>(state, array, row, cells);
    std::vector<float> narrow(cells.size());
    read<float>(state, array, row, narrow);
    std::copy(narrow.begin(), narrow.end(), cells.begin());
}

template <class Real>
void PlaneKernel::write(Band& band, ir::Array array, Index y, std::span<const double> cells) const {
    const Strip& strip = band.strip();
    // ghosts that depend on uniforms are set again when a launch begins; until then they mirror
    auto value = [&](Index i) { return ir::round_to<Real>(cells[static_cast<std::size_t>(cell_of(grid_, strip, i))]); };
    std::vector<Real> rounded;
    rounded.reserve(static_cast<std::size_t>(strip.layout.width()));
    for (Index i = 0; i < strip.left; ++i) rounded.push_back(value(i));
    for (const double x : cells.subspan(static_cast<std::size_t>(strip.first), static_cast<std::size_t>(strip.cells)))
        rounded.push_back(ir::round_to<Real>(x));
    for (Index i = strip.left + strip.cells; i < strip.layout.width(); ++i) rounded.push_back(value(i));
    // beyond a border of the grid the rule of the array decides, and not that of the grid
    const bool wraps = ghosts_of(array)[domain::kLeft].rule == domain::Rule::periodic;
    const Real first = ir::round_to<Real>(cells.front()), last = ir::round_to<Real>(cells.back());
    const Real left = !strip.at_left_border() ? value(-1) : wraps ? last : first;
    const Real right = !strip.at_right_border() ? value(strip.layout.width()) : wraps ? first : last;
    strip.layout.scatter<Real>(rounded, left, right, band.row(array, y));
}

void PlaneKernel::write_row(State& base, ir::Array array, Index row, std::span<const double> cells) {
    CpuState& state = cast(base);
    const Group& group = plan_.groups[static_cast<std::size_t>(plan_.group_of[static_cast<std::size_t>(array)])];
    if (group.along == Along::x && row > 0) return;  // all rows are one
    state.exported = false;
    const auto [strips, y] = state.find(row);
    for (const auto& band : strips) program_.f64 ? write<double>(*band, array, y, cells) : write<float>(*band, array, y, cells);
}

// ---- sums

// Cells of a strip that are its neighbours', and may be those of an older state, stand in its first and last vectors, and count as 0.
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

double PlaneKernel::sum(const State& state, ir::Array array) const {
    const bool map = program_.arrays[static_cast<std::size_t>(array)].kind == ir::ArrayInfo::Kind::input;
    if (map) return Kernel::sum(state, array);
    const auto& bands = cast(state).bands;
    return sums_.sum(static_cast<std::size_t>(array), domain::cell_count(domain_), 1, context_.team, [&](int worker, CellSum& sum) {
        const auto [begin, end] = share_of(worker, bands.size());
        for (std::size_t b = begin; b < end; ++b)
            program_.f64 ? sum_band<double>(*bands[b], array, sum) : sum_band<float>(*bands[b], array, sum);
    });
}

}  // namespace mottle::backend::cpu
