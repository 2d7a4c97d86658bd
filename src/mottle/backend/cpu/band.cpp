// mottle/backend/cpu/band.cpp: the rows of one band, and the skewed wavefront that advances them several steps in place
#include "mottle/backend/cpu/band.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kLine = 64;

// Rows a multiple of 4096 bytes apart would fall into the same cache sets.
std::size_t padded_slot(std::size_t bytes) {
    bytes = (bytes + kLine - 1) / kLine * kLine;
    return bytes % 4096 == 0 ? bytes + kLine : bytes;
}

}  // namespace

Band::Band(const Plan& plan, const Strips& strips, const BandShape& shape, const AxisTables& axes)
    : plan_(plan),
      strips_(strips),
      strip_(strips.strips[static_cast<std::size_t>(shape.strip)]),
      layout_(strip_.layout),
      shape_(shape),
      axes_(axes),
      ghost_rows_(plan.radius * shape.most_steps),
      closed_(shape.top || shape.bottom) {
    if (!strips.whole()) {
        places_.own_left = layout_.places(strip_.left, strips.ghosts);
        places_.own_right = layout_.places(strip_.left + strip_.cells - strips.ghosts, strips.ghosts);
        if (!strip_.at_left_border()) places_.ghosts_left = layout_.places(strip_.left - strips.ghosts, strips.ghosts);
        if (!strip_.at_right_border()) places_.ghosts_right = layout_.places(strip_.left + strip_.cells, strips.ghosts);
    }
    int skew = 0;
    for (const auto& stage : plan.stages) skew += stage.skew;
    Index window = static_cast<Index>(skew) * shape.most_steps + shape.block + 4;
    const auto reach =
        static_cast<std::size_t>(shape.block) + 2 * static_cast<std::size_t>(plan.radius);  // rows that a call finds in order
    for (const auto& group : plan.groups) {
        Rows rows;
        rows.slot_bytes = padded_slot(group.arrays.size() * layout_.array_pitch());
        rows.capacity = shape.rows + 2 * ghost_rows_;
        rows.shifts = group.home == Home::shifting;
        if (group.home == Home::held) rows.capacity = std::min(rows.capacity, window);
        rows.base = group.home == Home::held ? 0 : ghost_rows_;
        // one line more: an unaligned load at the end of the last row reads past it
        rows.memory = allocate_rows(static_cast<std::size_t>(rows.capacity) * rows.slot_bytes + kLine);
        for (Index i = 0; i < rows.capacity + static_cast<Index>(reach); ++i)
            rows.vector_0.push_back(rows.memory + static_cast<std::size_t>(i % rows.capacity) * rows.slot_bytes + layout_.vector_bytes());
        scratch_.push_back(!group.wraps && (shape.top || shape.bottom) ? allocate_rows(2 * rows.slot_bytes + kLine) : nullptr);
        rows_.push_back(std::move(rows));
    }
    for (const auto& stage : plan.stages) {
        std::vector<Take>& takes = takes_.emplace_back();
        for (const RowInput& input : stage.inputs)
            takes.push_back({&rows_[static_cast<std::size_t>(input.group)], input.low, 0, input.high - input.low, &input});
        for (const int group : stage.outputs) takes.push_back({&rows_[static_cast<std::size_t>(group)], 0, 1, 0, nullptr});
    }
    for (const auto& takes : takes_) lists_.resize(std::max(lists_.size(), takes.size()));
    for (std::size_t g = 0; g < rows_.size(); ++g) beyond_.emplace_back().reserve(reach);
    axis_pointers_.resize(axes.table.size());
    if (axes.mirrored) mirrored_.resize(axes.table.size() * (static_cast<std::size_t>(shape.block) + 2) * layout_.scalar_bytes());
    levels_.reserve(plan.stages.size() * static_cast<std::size_t>(shape.most_steps));
    arguments_.row_bytes = static_cast<std::int64_t>(layout_.row_bytes());
    arguments_.array_pitch = static_cast<std::int64_t>(layout_.array_pitch());
    arguments_.left_overlap = layout_.left_overlap();
    arguments_.right_overlap = layout_.right_overlap();
    arguments_.lists = lists_.data();
    arguments_.axes = axis_pointers_.data();
}

Band::~Band() {
    for (auto& rows : rows_) free_rows(rows.memory);
    for (auto* memory : scratch_) free_rows(memory);
}

// A shifting row moves up by one slot with every step. Rows of a band reach at most once around; only the small ring of held rows goes around often.
Index Band::Rows::slot(Index y, Index time) const {
    Index at = base + y - (shifts ? time : 0);
    if (at >= capacity) at -= capacity;
    if (at < 0) at += capacity;
    if (at >= 0 && at < capacity) [[likely]]
        return at;
    at %= capacity;
    return at < 0 ? at + capacity : at;
}

// Row y of a group as it stands after `time` steps of this pass.
std::byte* Band::pointer(int group, Index y, Index time) const {
    const Rows& rows = rows_[static_cast<std::size_t>(group)];
    return rows.vector_0[static_cast<std::size_t>(rows.slot(y, time))];
}

std::byte* Band::row(ir::Array array, Index y) { return row_at(array, y, 0); }

std::byte* Band::row_at(ir::Array array, Index y, Index time) {
    auto at = static_cast<std::size_t>(array);
    return pointer(plan_.group_of[at], y, time) + static_cast<std::size_t>(plan_.ordinal_of[at]) * layout_.array_pitch();
}

void Band::copy_row(int group, Index y, const Band& from, Index from_y) {
    std::size_t back = layout_.vector_bytes();
    std::memcpy(pointer(group, y, 0) - back, from.pointer(group, from_y, 0) - back,
                plan_.groups[static_cast<std::size_t>(group)].arrays.size() * layout_.array_pitch());
}

void Band::fetch_ghost_rows(const Band& above, const Band& below, int steps) {
    Index ghosts = static_cast<Index>(plan_.radius) * steps;
    // a band that is all of a grid of few rows may be reached around more than once
    auto inside = [](Index y, Index rows) { return (y % rows + rows) % rows; };
    for (std::size_t g = 0; g < rows_.size(); ++g) {
        Home home = plan_.groups[g].home;
        if (home != Home::shifting && home != Home::resting) continue;
        for (Index i = 0; i < ghosts; ++i) {
            if (shape_.above) copy_row(static_cast<int>(g), i - ghosts, above, inside(i - ghosts, above.shape_.rows));
            if (shape_.below) copy_row(static_cast<int>(g), shape_.rows + i, below, inside(i, below.shape_.rows));
        }
    }
}

// ---- edges of strips

// Calls work(row) for row y of each array of the state as it stands after `time` steps of this pass, in a fixed order.
template <class Work>
void Band::each_state(Index y, Index time, Work&& work) {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
        const Group& group = plan_.groups[g];
        if (group.home != Home::shifting && group.home != Home::resting) continue;
        std::byte* row = pointer(static_cast<int>(g), y, time);
        for (std::size_t k = 0; k < group.arrays.size(); ++k, row += layout_.array_pitch()) work(row);
    }
}

void Band::export_row(Edges& edges, int parity, Index y, Index time) {
    auto copy = [&]<class Real>(Real) {
        auto* left = reinterpret_cast<Real*>(edges.at(parity, shape_.strip, shape_.first + y, false));
        auto* right = reinterpret_cast<Real*>(edges.at(parity, shape_.strip, shape_.first + y, true));
        each_state(y, time, [&](const std::byte* row) {
            const auto* cells = reinterpret_cast<const Real*>(row);
            for (const std::uint32_t place : places_.own_left) *left++ = cells[place];
            for (const std::uint32_t place : places_.own_right) *right++ = cells[place];
        });
    };
    layout_.scalar_bytes() == 8 ? copy(double{}) : copy(float{});
}

void Band::export_edges(Edges& edges, int parity) {
    for (Index y = 0; y < shape_.rows; ++y) export_row(edges, parity, y, 0);
}

// Row y may be a ghost row: it is then a row of another band, or the same one around.
void Band::import_row(Edges& edges, int parity, Index y, Index grid_rows) {
    auto copy = [&]<class Real>(Real) {
        Index from = shape_.first + y;
        if (from < 0) from += grid_rows;
        if (from >= grid_rows) from -= grid_rows;
        const auto* left = reinterpret_cast<const Real*>(edges.at(parity, strips_.left_of(shape_.strip), from, true));
        const auto* right = reinterpret_cast<const Real*>(edges.at(parity, strips_.right_of(shape_.strip), from, false));
        each_state(y, 0, [&](std::byte* row) {
            auto* cells = reinterpret_cast<Real*>(row);
            for (const std::uint32_t place : places_.ghosts_left) cells[place] = *left++;
            for (const std::uint32_t place : places_.ghosts_right) cells[place] = *right++;
        });
    };
    layout_.scalar_bytes() == 8 ? copy(double{}) : copy(float{});
}

// ---- the wavefront

void Band::make_levels(int steps, Index first, Index number, const NumberRows& numbers, const KernelFunctions& functions) {
    levels_.clear();
    Index delay = 0, reach = static_cast<Index>(plan_.radius) * steps;  // rows the levels still to come reach
    for (Index time = 0; time < steps; ++time) {
        bool flush = !functions.flush.variants.empty() && (number + time + 1) % 8 == 0;
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            if (!levels_.empty()) delay += plan_.stages[s].skew;
            reach -= plan_.stages[s].radius;
            const StageFunctions& kernels = s + 1 == plan_.stages.size() && flush ? functions.flush : functions.stages[s];
            const auto& [rows, function] = kernels.variants.front();
            levels_.push_back({static_cast<int>(s), time, &kernels, function, rows, &takes_[s], !plan_.stages[s].axes.empty(),
                               numbers.row(first + time), numbers.row(first + time + 1), delay, shape_.above ? -reach : 0,
                               shape_.rows - 1 + (shape_.below ? reach : 0)});
        }
    }
}

void Band::advance(const Launch& launch, int steps, Index first, Index number, int parity) {
    const KernelFunctions& functions = launch.functions;
    make_levels(steps, first, number, launch.numbers, functions);
    functions_ = &functions;
    arguments_.fma = functions.fma;
    arguments_.floor = functions.floor;
    const Index block = shape_.block;
    const Rows& main = rows_[0];
    const auto levels = static_cast<Index>(levels_.size());
    const std::size_t share = static_cast<std::size_t>(block) * main.slot_bytes / static_cast<std::size_t>(levels);
    const auto step = static_cast<std::int64_t>(share / static_cast<std::size_t>(layout_.columns()));
    const Index end = levels_.back().last + levels_.back().delay;
    const Index last_read = levels_.front().last + (shape_.below ? plan_.stages[0].radius : 0);
    Index imported = levels_.front().first - (shape_.above ? plan_.stages[0].radius : 0), exported = 0;
    for (Index front = levels_.front().first; front <= end; front += block) {
        if (!strips_.whole()) {
            for (; imported <= std::min(front + block - 1 + plan_.stages[0].radius, last_read); ++imported)
                import_row(launch.edges, parity, imported, launch.grid_rows);
        }
        Index ahead = front + 2 * block + 1;
        bool fetch = launch.prefetch && ahead <= levels_.front().last + plan_.stages[0].radius;
        const auto* coming = reinterpret_cast<const char*>(pointer(0, fetch ? ahead : 0, 0));
        for (Index l = 0; l < levels; ++l) {
            const Level& level = levels_[static_cast<std::size_t>(l)];
            Index row = std::max(front - level.delay, level.first), stop = std::min(front - level.delay + block - 1, level.last) + 1;
            arguments_.prefetch = coming + (fetch ? static_cast<std::size_t>(l) * share : 0);
            arguments_.prefetch_step = fetch ? step : 0;
            if (stop - row == level.rows && !closed_)
                call(level, row, level.rows, level.function);
            else
                run(level, row, stop);
        }
        if (!strips_.whole()) {
            const Index written = std::min(front - levels_.back().delay + block, levels_.back().last + 1);
            for (; exported < written; ++exported) export_row(launch.edges, 1 - parity, exported, steps);
        }
    }
    for (Rows& rows : rows_) {
        if (rows.shifts) rows.base = rows.slot(-steps, 0);
    }
}

// A call ends at a border of the grid: where other arrays wrap, rows go on beyond it, and those beyond it must not see across.
void Band::run(const Level& level, Index row, Index stop) {
    while (row < stop) {
        Index end = stop;
        if (shape_.top && row < 0) end = std::min<Index>(end, 0);
        if (shape_.bottom && row < shape_.rows) end = std::min(end, shape_.rows);
        for (const auto& [rows, function] : level.functions->variants) {
            for (; end - row >= rows; row += rows) call(level, row, rows, function);
            if (row == end) break;
        }
    }
}

// The entries of a y table for rows row - 1 .. row + rows, the first and the last mirrored where they lie beyond a border of the grid.
const void* Band::mirrored_table(const std::byte* table, std::size_t axis, Index row, int rows) {
    const std::size_t size = layout_.scalar_bytes(), count = static_cast<std::size_t>(rows) + 2;
    const bool above = (shape_.top && row == 0) || (shape_.bottom && row == shape_.rows);
    const bool below = (shape_.top && row + rows == 0) || (shape_.bottom && row + rows == shape_.rows);
    const std::byte* here = table + static_cast<std::size_t>(row + ghost_rows_ + 1) * size;
    if (!above && !below) return here;
    std::byte* copy = mirrored_.data() + axis * (static_cast<std::size_t>(shape_.block) + 2) * size;
    std::memcpy(copy, here - size, count * size);
    if (above) std::memcpy(copy, here, size);
    if (below) std::memcpy(copy + (count - 1) * size, copy + (count - 2) * size, size);
    return copy + size;
}

// Some hundred cells take no longer than this, so the kernel finds its rows where their pointers stand.
void Band::call(const Level& level, Index row, int rows, RowFunction function) {
    arguments_.numbers = level.numbers;
    arguments_.ghost_numbers = level.ghost_numbers;
    const void** list = lists_.data();
    for (const Take& take : *level.takes) {
        std::byte* const* first = take.rows->vector_0.data() + take.rows->slot(row + take.low, level.time + take.later);
        *list++ = closed_ && take.input != nullptr ? with_borders(*take.input, row, rows, level.time, first) : first;
    }
    if (level.reads_axes) aim_axes(plan_.stages[static_cast<std::size_t>(level.stage)], row, rows);
    function(&arguments_);
}

// The rows of one input, of which those beyond a border of the grid are made anew: a call begins there, or ends there.
std::byte* const* Band::with_borders(const RowInput& input, Index row, int rows, Index time, std::byte* const* first) {
    const auto g = static_cast<std::size_t>(input.group);
    const bool above = input.low < 0 && ((shape_.top && row == 0) || (shape_.bottom && row == shape_.rows)),
               below = input.high > 0 && ((shape_.top && row + rows == 0) || (shape_.bottom && row + rows == shape_.rows));
    if (plan_.groups[g].wraps || !(above || below)) return first;
    std::vector<std::byte*>& pointers = beyond_[g];
    pointers.assign(first, first + rows + input.high - input.low);
    const auto fill = [&](RowFunction border, std::byte* scratch, Index from) {
        void* pair[2] = {scratch + layout_.vector_bytes(), pointer(input.group, from, time)};
        arguments_.rows = pair;
        border(&arguments_);
        return scratch + layout_.vector_bytes();
    };
    if (above) pointers.front() = fill(functions_->borders[domain::kTop][g], scratch_[g], row);
    if (below) pointers.back() = fill(functions_->borders[domain::kBottom][g], scratch_[g] + rows_[g].slot_bytes, row + rows - 1);
    return pointers.data();
}

void Band::aim_axes(const StagePlan& stage, Index row, int rows) {
    for (std::size_t i = 0; i < stage.axes.size(); ++i) {
        auto axis = static_cast<ir::Axis>(stage.axes[i]);
        const std::byte* table = axes_.table[static_cast<std::size_t>(axis)];
        bool y = axis == ir::kAxisY || axis == ir::kUnitY || axis == ir::kStillY;
        axis_pointers_[i] = !y               ? table
                            : axes_.mirrored ? mirrored_table(table, static_cast<std::size_t>(axis), row, rows)
                                             : table + static_cast<std::size_t>(row + ghost_rows_ + 1) * layout_.scalar_bytes();
    }
}

}  // namespace mottle::backend::cpu
