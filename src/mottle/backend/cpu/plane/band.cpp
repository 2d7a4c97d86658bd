// mottle/backend/cpu/plane/band.cpp: the rows of one band, and the skewed wavefront that advances them several steps in place
#include "mottle/backend/cpu/plane/band.h"

#include "mottle/backend/coordinates.h"
#include "mottle/core/numbers_in.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

// Of one row of the state.
std::size_t state_row_bytes(const Plan& plan, const RowLayout& layout) {
    std::size_t bytes = 0;
    for (const Group& group : plan.groups) bytes += is_state(group) ? group.arrays.size() * layout.array_pitch() : 0;
    return bytes;
}

}  // namespace

Band::Band(const Plan& plan, const Strips& strips, const BandShape& shape, const AxisTables& axes, const MapRows& maps)
    : plan_(plan),
      strips_(strips),
      strip_(strips.strips[core::at(shape.strip)]),
      layout_(strip_.layout),
      shape_(shape),
      axes_(axes),
      origin_(shape.first),
      head_rows_(2 * static_cast<Index>(plan.radius)),
      heads_(std::min(head_rows_, shape.rows), shape.most_steps, state_row_bytes(plan, layout_), shape.rows < shape.height ? 2 : 1) {
    if (!strips.whole()) {
        places_.own_left = layout_.places(strip_.left, strips.ghosts);
        places_.own_right = layout_.places(strip_.left + strip_.cells - strips.ghosts, strips.ghosts);
        if (!strip_.at_left_border()) places_.ghosts_left = layout_.places(strip_.left - strips.ghosts, strips.ghosts);
        if (!strip_.at_right_border()) places_.ghosts_right = layout_.places(strip_.left + strip_.cells, strips.ghosts);
    }
    const Index window = static_cast<Index>(plan.skew) * shape.most_steps + shape.block + 4;
    const Index moves = static_cast<Index>(plan.radius) * shape.most_steps;  // rows in one pass
    const Index reach = shape.block + head_rows_;                            // rows that a call finds in order
    rows_.reserve(plan.groups.size());                                       // call_rows_ points at them
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
        const Group& group = plan.groups[g];
        Index capacity = shape.rows + (group.home == Home::shifting ? moves - shape.most_steps : moves) + head_rows_;
        if (group.home == Home::held) capacity = std::min(capacity, window);
        if (group.home == Home::map) capacity = group.along == Along::x ? 1 : shape.height;
        GroupRows& rows = rows_.emplace_back(group, layout_, capacity, reach, maps[g]);
        if (group.home == Home::map) rows.begin_at(origin_, 0);
        scratch_.push_back(!group.wraps && shape.seam ? Memory(GroupRows::memory_bytes(group, layout_, 2)) : Memory());
        beyond_.emplace_back().reserve(core::at(reach));
    }
    const auto add_call_rows = [&](const StagePlan& stage) {
        std::vector<CallRows>& call_rows = call_rows_.emplace_back();
        for (const RowInput& input : stage.inputs)
            call_rows.push_back({&rows_[core::at(input.group)], input.low, 0, input.high - input.low, &input});
        for (const int group : stage.outputs) call_rows.push_back({&rows_[core::at(group)], 0, 1, 0, nullptr});
    };
    for (const StagePlan& stage : plan.stages) add_call_rows(stage);
    for (const JoinedStages& joined : plan.joined) add_call_rows(joined.plan);
    for (const auto& call_rows : call_rows_) lists_.resize(std::max(lists_.size(), call_rows.size()));
    axis_pointers_.resize(axes.table.size());
    if (axes.mirrored) mirrored_.resize(axes.table.size() * (core::at(shape.block) + 2) * layout_.scalar_bytes());
    levels_.reserve(plan.stages.size() * core::at(shape.most_steps));
    fetches_.reserve(levels_.capacity());
    joined_levels_.reserve(plan.joined.size() * core::at(shape.most_steps));
    arguments_.row_bytes = static_cast<std::int64_t>(layout_.row_bytes());
    arguments_.array_pitch = static_cast<std::int64_t>(layout_.array_pitch());
    arguments_.left_overlap = layout_.left_overlap();
    arguments_.right_overlap = layout_.right_overlap();
    arguments_.lists = lists_.data();
    arguments_.axes = axis_pointers_.data();
}

std::byte* Band::cells_of(ir::Array array, Index y, Index time) {
    const auto at = core::at(array);
    return rows_of(plan_.group_of[at]).at(y, time) + core::at(plan_.ordinal_of[at]) * layout_.array_pitch();
}

// ---- rows that a band takes from the next

// The first rows as they stand after `time` steps of the pass, before the next step overwrites them.
void Band::give_head(const Launch& launch, Index time) {
    if (time == 0 && pass_.number > 1 && shape_.rows < shape_.height)
        launch.team.wait_for(heads_.taken, static_cast<std::uint64_t>(pass_.number - 1));
    std::byte* to = heads_.at(pass_.number, time);
    for (std::size_t g = 0; g < rows_.size(); ++g) {
        if (!is_state(plan_.groups[g])) continue;
        const GroupRows& rows = rows_[g];
        for (Index k = 0; k < heads_.rows(); ++k, to += rows.row_bytes())
            std::memcpy(to, rows.start(moved_by(time) + k, time), rows.row_bytes());
    }
    launch.team.raise(heads_.given, given_by(time));
}

// Rows that move up by one slot with every step, in a band that moves on by one row, stay in their slots, and the slots behind the last are not written.
bool Band::reads_in_place(const GroupRows& rows) const { return plan_.radius == 1 && rows.shifts(); }

// Copies the rows, or from now on reads them where they are: until the next step or the end of the pass, after which these slots are invalid. A band
// that is the whole of a grid of few rows may wrap around itself more than once.
bool Band::take_head(const Heads& next, Index time) {
    if (!next.given.has_come_to(given_by(time))) return false;
    std::byte* from = next.at(pass_.number, time);
    for (std::size_t g = 0; g < rows_.size(); ++g) {
        if (!is_state(plan_.groups[g])) continue;
        GroupRows& rows = rows_[g];
        for (Index k = 0; k < head_rows_; ++k) {
            std::byte* head = from + core::at(k % next.rows()) * rows.row_bytes();
            const Index y = shape_.rows + moved_by(time) + k;
            if (reads_in_place(rows))
                rows.read_from(y, time, head);
            else
                std::memcpy(rows.start(y, time), head, rows.row_bytes());
        }
        from += core::at(next.rows()) * rows.row_bytes();
    }
    taken_ = time + 1;
    if (taken_ < pass_.steps && next.given.has_come_to(given_by(taken_))) next.prefetch(pass_.number, taken_);
    return true;
}

void Band::wait_for(const Launch& launch, const Heads& next) const { launch.team.wait_for(next.given, given_by(taken_)); }

// ---- edges of strips

// Calls work(row) for row y of each array of the state as it stands after `time` steps of this pass, in a fixed order.
template <class Work>
void Band::each_state(Index y, Index time, Work&& work) {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
        const Group& group = plan_.groups[g];
        if (!is_state(group)) continue;
        std::byte* row = rows_[g].at(y, time);
        for (std::size_t k = 0; k < group.arrays.size(); ++k, row += layout_.array_pitch()) work(row);
    }
}

void Band::export_row(Edges& edges, int parity, Index y, Index time) {
    core::in_precision(layout_.scalar_bytes() == 8, [&]<class Real>(Real) {
        auto* left = reinterpret_cast<Real*>(edges.at(parity, shape_.strip, grid_row(y), false));
        auto* right = reinterpret_cast<Real*>(edges.at(parity, shape_.strip, grid_row(y), true));
        each_state(y, time, [&](const std::byte* row) {
            const auto* cells = reinterpret_cast<const Real*>(row);
            for (const std::uint32_t place : places_.own_left) *left++ = cells[place];
            for (const std::uint32_t place : places_.own_right) *right++ = cells[place];
        });
    });
}

void Band::export_edges(Edges& edges, int parity, std::span<const std::atomic<bool>> stale) {
    for (Index y = 0; y < shape_.rows; ++y) {
        if (stale[core::at(grid_row(y))].load(std::memory_order_relaxed)) export_row(edges, parity, y, 0);
    }
}

void Band::import_row(Edges& edges, int parity, Index y) {
    core::in_precision(layout_.scalar_bytes() == 8, [&]<class Real>(Real) {
        const Index from = grid_row(y);
        const auto* left = reinterpret_cast<const Real*>(edges.at(parity, strips_.left_of(shape_.strip), from, true));
        const auto* right = reinterpret_cast<const Real*>(edges.at(parity, strips_.right_of(shape_.strip), from, false));
        each_state(y, 0, [&](std::byte* row) {
            auto* cells = reinterpret_cast<Real*>(row);
            for (const std::uint32_t place : places_.ghosts_left) cells[place] = *left++;
            for (const std::uint32_t place : places_.ghosts_right) cells[place] = *right++;
        });
    });
}

// ---- the wavefront

void Band::begin_launch(const Launch& launch) {
    summed_.clear();
    sums_.clear();
    for (const SumSplit& split : launch.sums) {
        summed_.push_back(static_cast<ir::Array>(split.array));
        sums_.emplace_back(split.sum);
    }
    heads_.given.reset();
    heads_.taken.reset();
}

void Band::begin_pass(const Launch& launch, const Pass& pass) {
    pass_ = pass;
    functions_ = &launch.functions;
    arguments_.fma = launch.functions.fma;
    arguments_.floor = launch.functions.floor;
    make_levels(launch, pass);
    share_prefetches();
    front_ = levels_.front().first;
    level_ = 0;
    live_ = 0;
    done_ = false;
    taken_ = 0;
    imported_ = 0;
    exported_ = moved_by(pass.steps);
    for (; !strips_.whole() && imported_ < heads_.rows(); ++imported_) import_row(launch.edges, pass.parity, imported_);
    if (heads_.rows() > 0) give_head(launch, 0);
}

// The rows that come from memory in each block: of states, and of maps that vary from row to row. Each level prefetches as many bytes of them.
void Band::share_prefetches() {
    const auto comes = [&](std::size_t g) { return plan_.groups[g].home != Home::held && plan_.groups[g].along == Along::both; };
    const auto bytes_of = [&](std::size_t g) { return core::at(shape_.block) * rows_[g].slot_bytes(); };
    std::size_t bytes = 0, group = 0, before = 0;
    for (std::size_t g = 0; g < rows_.size(); ++g) bytes += comes(g) ? bytes_of(g) : 0;
    const std::size_t share = bytes / levels_.size();
    fetches_.clear();
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        while (l * share >= before + bytes_of(group)) {
            before += bytes_of(group);
            do ++group;
            while (!comes(group));
        }
        fetches_.push_back({&rows_[group], l * share - before});
    }
    fetch_step_ = static_cast<std::int64_t>(share / core::at(layout_.columns()));
}

void Band::make_levels(const Launch& launch, const Pass& pass) {
    levels_.clear();
    joined_levels_.clear();
    Index delay = 0, used = 0;
    for (Index time = 0; time < pass.steps; ++time) {
        const bool flush = launch.program.flushes(pass.state + time, launch.stages);
        Index reach = plan_.radius;  // rows that the stages still to come reach
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            const StagePlan& stage = plan_.stages[s];
            const bool last = s + 1 == plan_.stages.size();
            if (!levels_.empty()) delay += stage.skew;
            reach -= stage.radius;
            used += stage.radius;
            const StageFunctions& kernels = last && flush ? launch.functions.flush : launch.functions.stages[s];
            const auto& [rows, function] = kernels.front();
            Level& level = levels_.emplace_back();
            level.stage = &stage;
            level.time = time;
            level.functions = &kernels;
            level.function = function;
            level.rows = rows;
            level.call_rows = &call_rows_[s];
            level.reads_axes = !stage.axes.empty();
            level.adds_up = last && !summed_.empty() && pass.first + time + 1 == launch.steps;
            level.numbers = launch.numbers.row(pass.first + time);
            level.ghost_numbers = launch.numbers.row(pass.first + time + 1);
            level.delay = delay;
            level.first = moved_by(time + 1) - reach;
            level.last = moved_by(time + 1) + reach + shape_.rows - 1;
            if (head_rows_ > 0 && s == 0) level.takes_from = moved_by(time) + shape_.rows - stage.radius;
            if (head_rows_ > 0 && last && time + 1 < pass.steps) level.gives_at = level.first + heads_.rows();
            level.used = used_rows(used);
            level.plain_from = level.gives_at == kNever ? level.first : level.gives_at;
            level.plain_to = rows == shape_.block ? std::min(level.last, level.takes_from) - rows : -1;
        }
        join_levels(launch, flush);
    }
}

// Of the step whose levels were made last.
void Band::join_levels(const Launch& launch, bool flush) {
    const std::size_t begin = levels_.size() - plan_.stages.size();
    for (std::size_t j = 0; j < plan_.joined.size(); ++j) {
        const JoinedStages& joined = plan_.joined[j];
        const JoinedFunctions& functions = launch.functions.joined[j];
        if (functions.step == nullptr) continue;
        Level& first = levels_[begin + core::at(joined.first)];
        Level& both = joined_levels_.emplace_back(first);
        both.stage = &joined.plan;
        both.function = flush && functions.flush != nullptr ? functions.flush : functions.step;
        both.call_rows = &call_rows_[plan_.stages.size() + j];
        both.adds_up = levels_[begin + core::at(joined.first) + 1].adds_up;
        first.joined = static_cast<int>(joined_levels_.size()) - 1;
    }
}

// A halo goes on at the seam, which the rows of a level may come to twice.
std::array<Band::Rows, 2> Band::used_rows(Index used) const {
    if (!shape_.halo_above && !shape_.halo_below) return {};
    const Index seam = rows_to_seam(0), above = shape_.halo_above ? used : 0, below = shape_.halo_below ? used : 0;
    return {Rows{seam - below, seam + above}, Rows{seam + shape_.height - below, seam + shape_.height + above}};
}

bool Band::is_used(const Level& level, Index from) const {
    return std::any_of(level.used.begin(), level.used.end(),
                       [&](const Rows& used) { return used.first <= from && from + shape_.block <= used.end; });
}

bool Band::is_plain(const Level& level, Index from) const {
    return from >= level.plain_from && from <= level.plain_to && !(shape_.seam && rows_to_seam(from) <= shape_.block);
}

Band::Progress Band::go_on(const Launch& launch, Heads& next) {
    const Index end = levels_.back().last + levels_.back().delay, was_at = front_;
    const std::size_t was_in = level_;
    for (; front_ <= end; front_ += shape_.block) {
        if (!strips_.whole()) {
            const Index stop = std::min(front_ + shape_.block + plan_.stages[0].radius, shape_.rows);
            for (; imported_ < stop; ++imported_) import_row(launch.edges, pass_.parity, imported_);
        }
        if (!sweep_levels(launch, next)) return front_ == was_at && level_ == was_in ? Progress::stuck : Progress::further;
        if (!strips_.whole()) {
            const Index stop = std::min(front_ - levels_.back().delay + shape_.block, levels_.back().last + 1);
            for (; exported_ < stop; ++exported_) export_row(launch.edges, 1 - pass_.parity, exported_, pass_.steps);
        }
    }
    if (head_rows_ > 0) launch.team.raise(next.taken, static_cast<std::uint64_t>(pass_.number + 1));
    const Index moved = moved_by(pass_.steps);
    for (GroupRows& rows : rows_) rows.begin_at(moved, pass_.steps);
    origin_ = (origin_ + moved) % shape_.height;
    done_ = true;
    return Progress::done;
}

// Every level computes its rows of one block.
bool Band::sweep_levels(const Launch& launch, const Heads& next) {
    const Index block = shape_.block, ahead = front_ + 2 * block + 1;
    const bool fetch = launch.prefetch && ahead < shape_.rows;
    arguments_.prefetch_step = fetch ? fetch_step_ : 0;
    for (std::size_t l = std::max(level_, live_); l < levels_.size(); ++l) {
        Level& level = levels_[l];
        arguments_.prefetch = reinterpret_cast<const char*>(fetches_[l].rows->at(fetch ? ahead : 0, 0)) + (fetch ? fetches_[l].offset : 0);
        const Index from = front_ - level.delay;
        if (is_plain(level, from)) [[likely]] {
            if (is_used(level, from)) continue;
            if (level.joined >= 0 && is_plain(levels_[l + 1], from - kAhead)) {
                const Level& both = joined_levels_[core::at(level.joined)];
                arguments_.prefetch_step *= 2;  // the shares of both
                call(both, from - kAhead, both.rows, both.function, false);
                arguments_.prefetch_step /= 2;
                ++l;
                continue;
            }
            call(level, from, level.rows, level.function, false);
            continue;
        }
        const Index row = std::max(from, level.first), stop = std::min(from + block, level.last + 1);
        if (stop <= level.first) break;  // nor has any level after it begun
        if (stop > level.takes_from && taken_ <= level.time && !take_head(next, level.time)) {
            level_ = l;
            return false;
        }
        run(level, row, stop);
        if (row < level.gives_at && stop >= level.gives_at) give_head(launch, level.time + 1);
        if (stop > level.last) live_ = l + 1;
    }
    level_ = 0;
    return true;
}

// A call ends at a border of the grid: where other arrays wrap, rows go on beyond it, and those beyond it must not see across.
void Band::run(const Level& level, Index row, Index stop) {
    while (row < stop) {
        Index end = shape_.seam ? std::min(stop, row + 1 + rows_to_seam(row + 1)) : stop;
        for (const Rows& used : level.used) {
            if (used.first <= row && row < used.end) row = used.end;
            if (row < used.first) end = std::min(end, used.first);
        }
        for (const auto& [rows, function] : *level.functions) {
            for (; end - row >= rows; row += rows) call(level, row, rows, function, shape_.seam && rows_to_seam(row) <= rows);
            if (row == end) break;
        }
    }
}

// From row y >= 0 on to the first that is the first of the grid.
Index Band::rows_to_seam(Index y) const {
    Index seam = origin_ == 0 ? 0 : shape_.height - origin_;
    while (seam < y) seam += shape_.height;
    return seam - y;
}

// The entries of a y table for rows row - 1 .. row + rows, the first and the last mirrored where they lie beyond a border of the grid.
const void* Band::mirrored_table(const std::byte* here, std::size_t axis, Index row, int rows) {
    const std::size_t size = layout_.scalar_bytes(), count = core::at(rows) + 2;
    const bool above = grid_row(row) == 0, below = grid_row(row + rows) == 0;
    if (!above && !below) return here;
    std::byte* copy = mirrored_.data() + axis * (core::at(shape_.block) + 2) * size;
    std::memcpy(copy, here - size, count * size);
    if (above) std::memcpy(copy, here, size);
    if (below) std::memcpy(copy + (count - 1) * size, copy + (count - 2) * size, size);
    return copy + size;
}

// Computing some hundred cells takes no longer than this function, so it passes pointers to the stored lists of rows instead of copying them.
void Band::call(const Level& level, Index row, int rows, RowFunction function, bool at_seam) {
    arguments_.numbers = level.numbers;
    arguments_.ghost_numbers = level.ghost_numbers;
    const void** list = lists_.data();
    for (const CallRows& wanted : *level.call_rows) {
        std::byte* const* first = wanted.rows->list(row + wanted.low, level.time + wanted.later);
        *list++ = at_seam && wanted.input != nullptr ? with_borders(*wanted.input, row, rows, level.time, first) : first;
    }
    if (level.reads_axes) aim_axes(*level.stage, row, rows);
    function(&arguments_);
    if (level.adds_up) add_up(row, rows, level.time + 1);
}

// While the rows that a call has made are in the nearest cache.
void Band::add_up(Index row, int rows, Index time) {
    for (std::size_t i = 0; i < summed_.size(); ++i) {
        for (Index y = row; y < row + rows; ++y) {
            const std::byte* cells = cells_of(summed_[i], y, time);
            layout_.scalar_bytes() == 8 ? layout_.sum<double>(cells, sums_[i]) : layout_.sum<float>(cells, sums_[i]);
        }
    }
}

// The rows of one input, of which those beyond a border of the grid are made anew: a call begins there, or ends there.
std::byte* const* Band::with_borders(const RowInput& input, Index row, int rows, Index time, std::byte* const* first) {
    const auto g = core::at(input.group);
    const bool above = input.low < 0 && grid_row(row) == 0, below = input.high > 0 && grid_row(row + rows) == 0;
    if (plan_.groups[g].wraps || !(above || below)) return first;
    std::vector<std::byte*>& pointers = beyond_[g];
    pointers.assign(first, first + rows + input.high - input.low);
    const auto fill = [&](RowFunction border, std::byte* scratch, Index from) {
        void* pair[2] = {scratch + layout_.vector_bytes(), rows_[g].at(from, time)};
        arguments_.rows = pair;
        border(&arguments_);
        return scratch + layout_.vector_bytes();
    };
    if (above) pointers.front() = fill(functions_->borders[domain::kTop][g], scratch_[g].data(), row);
    if (below) pointers.back() = fill(functions_->borders[domain::kBottom][g], scratch_[g].data() + rows_[g].slot_bytes(), row + rows - 1);
    return pointers.data();
}

void Band::aim_axes(const StagePlan& stage, Index row, int rows) {
    const std::size_t entry = core::at(grid_row(row) + 1) * layout_.scalar_bytes();
    for (std::size_t i = 0; i < stage.axes.size(); ++i) {
        const auto axis = core::at(stage.axes[i]);
        const std::byte* table = axes_.table[axis];
        const bool y = direction(static_cast<ir::Axis>(axis)) == 1;
        axis_pointers_[i] = !y ? table : axes_.mirrored ? mirrored_table(table + entry, axis, row, rows) : table + entry;
    }
}

}  // namespace mottle::backend::cpu
