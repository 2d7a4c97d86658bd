// mottle/backend/cpu/volume/slab.cpp: consecutive rows of every plane, and the skewed wavefront from plane to plane
#include "mottle/backend/cpu/volume/slab.h"

#include "mottle/backend/coordinates.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kCacheWay = 4096;  // bytes of a way of the L1: addresses so far apart share a set
constexpr Index kFar = Index{1} << 40;   // rows beyond any

Index vectors_of_piece(const SlabShape& shape, const RowLayout& layout) {
    return shape.piece <= 0 ? layout.columns() : std::min(shape.piece, layout.columns());
}

/// Bytes of one row and of all slots of a plane.
struct Pitch {
    std::size_t row, plane;
};

// The padding in bytes between planes with which the rows of a group that one call reads are spread as evenly as possible over the sets of the L1.
std::size_t spread_of_planes(const Plan& plan, const RowLayout& layout, const SlabShape& shape, int group, const Pitch& pitch) {
    constexpr std::size_t kSets = kCacheWay / kLine;
    const auto lines = std::min(kSets, core::at(vectors_of_piece(shape, layout)) * layout.vector_bytes() / kLine);
    const std::size_t arrays = plan.groups[core::at(group)].arrays.size();
    std::size_t planes = 1, rows = 1;
    for (const StagePlan& stage : plan.stages) {
        const int at = stage.input_of(group);
        if (at < 0) continue;
        const RowInput& input = stage.inputs[core::at(at)];
        planes = std::max(planes, core::at(shape.block + input.high - input.low));
        if (input.beside) rows = 3;
    }
    std::size_t best = 0, least = ~std::size_t{0};
    for (std::size_t gap = 0; gap < kSets; ++gap) {
        std::array<std::size_t, kSets> load{};
        for (std::size_t z = 0; z < planes; ++z) {
            for (std::size_t y = 0; y < rows; ++y) {
                for (std::size_t a = 0; a < arrays; ++a) {
                    const std::size_t start = (z * (pitch.plane + gap * kLine) + y * pitch.row + a * layout.array_pitch()) / kLine;
                    for (std::size_t i = 0; i < lines; ++i) ++load[(start + i) % kSets];
                }
            }
        }
        std::size_t sum = 0;
        for (const std::size_t n : load) sum += n * n;
        if (sum < least) least = sum, best = gap * kLine;
    }
    return best;
}

Pitch pitch_of(const Plan& plan, const RowLayout& layout, const SlabShape& shape, std::size_t group, Index rows) {
    Pitch pitch{GroupRows::slot_bytes(plan.groups[group], layout), 0};
    pitch.plane = core::at(rows) * pitch.row;
    pitch.plane += spread_of_planes(plan, layout, shape, static_cast<int>(group), pitch);
    return pitch;
}

// One more cache line, because an unaligned load at the end of the last row reads beyond it.
Memory memory_of(Index planes, const Pitch& pitch) { return Memory(core::at(planes) * pitch.plane + kLine); }

// Rows of the grid, and where it ends one more at both sides.
Index map_rows(const SlabAxis& y) { return y.whole + (y.closed ? 2 : 0); }

}  // namespace

VolumeMaps::VolumeMaps(const Plan& plan, const RowLayout& layout, const SlabShape& shape) : memory_(plan.groups.size()) {
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
        if (plan.groups[g].home != Home::map) continue;
        memory_[g] = memory_of(shape.z.whole, pitch_of(plan, layout, shape, g, map_rows(shape.y)));
    }
}

Slab::Slab(const Plan& plan, const RowLayout& layout, const SlabShape& shape, const std::array<const std::byte*, ir::kGridAxes>& axes,
           const VolumeMaps& maps)
    : plan_(plan), layout_(layout), shape_(shape), axes_(axes), first_row_(shape.first) {
    shape_.piece = vectors_of_piece(shape, layout);
    const Index window = static_cast<Index>(plan.skew) * shape.most_steps + shape.block + 4;
    const SlabAxis &y = shape.y, &z = shape.z;
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
        const Home home = plan.groups[g].home;
        Store store;
        if (home == Home::map) {
            store.rows = Slots::of_ring(y, map_rows(y), shape.first + (y.closed ? 1 : 0));
            store.planes = Slots::of_ring(z, z.whole, 0);
        } else if (home == Home::held) {
            store.rows = Slots::of_ring(y, y.most + y.moved_by(shape.most_steps) + 2 * y.reach + 2, y.reach + 1);
            store.planes = Slots::of_ring(z, window, 0);
        } else {
            store.rows = Slots::of_state(y, home == Home::shifting, shape.most_steps);
            store.planes = Slots::of_state(z, home == Home::shifting, shape.most_steps);
        }
        const Pitch pitch = pitch_of(plan, layout, shape, g, store.rows.count());
        if (home != Home::map) store.memory = memory_of(store.planes.count(), pitch);
        store.data = home == Home::map ? maps.data(g) : store.memory.data();
        store.row_bytes = pitch.row;
        store.plane_bytes = pitch.plane;
        beyond_.emplace_back(z.closed ? 2 * pitch.row + kLine : 0);
        stores_.push_back(std::move(store));
    }
    std::size_t pointers = 0;
    for (const auto& stage : plan.stages) pointers = std::max(pointers, core::at(stage.pointers(shape.block)));
    pointers_.resize(pointers);
    next_row_.resize(pointers);
    sources_.resize(pointers);
    beside_.resize(3 * plan.groups.size());
    axis_pointers_.resize(axes.size());
    if (shape_.piece < layout.columns()) {
        edge_bytes_ = pointers * core::at(plan.most_arrays() * plan.columns) * layout.vector_bytes();
        edges_ = Memory(core::at(y.extent + y.moved_by(shape.most_steps) + 2 * y.reach) * edge_bytes_);
    }
    levels_.reserve(plan.stages.size() * core::at(shape.most_steps));
    arguments_.row_bytes = static_cast<std::int64_t>(layout.row_bytes());
    arguments_.array_pitch = static_cast<std::int64_t>(layout.array_pitch());
    arguments_.left_overlap = layout.left_overlap();
    arguments_.right_overlap = layout.right_overlap();
    arguments_.rows = pointers_.data();
    arguments_.axes = axis_pointers_.data();
    arguments_.beside = beside_.data();
}

// Slabs have the same slots, so the distance is one for all of them.
void Slab::join(const Slab& next) {
    for (std::size_t g = 0; g < stores_.size(); ++g) {
        if (is_state(g)) stores_[g].next = next.stores_[g].data - stores_[g].data;
    }
}

// Plane z of a group as it stands after `time` steps of this pass: its first slot.
std::byte* Slab::plane_at(int group, Index z, Index time) const {
    const Store& store = stores_[core::at(group)];
    return store.data + core::at(store.planes.of(z, time)) * store.plane_bytes + layout_.vector_bytes();
}

// Bytes from there to row y, which may be one of the slab that follows.
std::ptrdiff_t Slab::row_offset(int group, Index y, Index time) const {
    const Store& store = stores_[core::at(group)];
    return store.rows.of(y, time) * static_cast<std::ptrdiff_t>(store.row_bytes) + (store.rows.is_beyond(y, time) ? store.next : 0);
}

// ---- passes

void Slab::make_levels(const Launch& launch, int steps, Index first, Index number) {
    const auto& [numbers, functions, program, stages] = launch;
    levels_.clear();
    // rows and planes of a halo that the levels so far have used up, and need not compute
    Index delay = 0, used_rows = 0, used_planes = 0;
    const auto used = [&](domain::Side side) {
        return !shape_.halos[side] ? 0 : side == domain::kTop || side == domain::kBottom ? used_rows : used_planes;
    };
    const auto range = [&](const SlabAxis& axis, domain::Side before, Index time, Index reach) {
        const auto after = static_cast<domain::Side>(before + 1);
        return RowRange{axis.border_before ? used(before) : axis.first_at(time) - reach,
                        axis.end_at(time) - 1 + (axis.border_after ? -used(after) : reach)};
    };
    for (Index time = 0; time < steps; ++time) {
        const bool flush = program.flushes(number + time, stages);
        Index rows = plan_.beside, planes = plan_.radius;  // that the stages of the step still to come reach
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            const StagePlan& stage = plan_.stages[s];
            if (!levels_.empty()) delay += stage.skew;
            rows -= stage.beside;
            planes -= stage.radius;
            used_rows += stage.beside;
            used_planes += stage.radius;
            const bool last = s + 1 == plan_.stages.size();
            const RowRange y = range(shape_.y, domain::kTop, time + 1, rows), z = range(shape_.z, domain::kFront, time + 1, planes);
            levels_.push_back({static_cast<int>(s), time, last && flush ? &functions.flush : &functions.stages[s],
                               numbers.row(first + time), numbers.row(first + time + 1), delay, y.first, y.last, z.first, z.last});
        }
    }
}

void Slab::begin_pass(const Launch& launch, int steps, Index first, Index number) {
    functions_ = &launch.functions;
    steps_ = steps;
    make_levels(launch, steps, first, number);
    arguments_.fma = launch.functions.fma;
    arguments_.floor = launch.functions.floor;
}

Index Slab::tiles() const {
    if (shape_.tile <= 0 || plan_.stages.size() > 1) return 1;
    return std::clamp<Index>((shape_.y.most + shape_.tile / 2) / shape_.tile, 1, shape_.y.most);
}

Slab::Course Slab::course() const {
    const Index last_front = levels_.back().last_plane + levels_.back().delay;
    return {tiles(), (last_front - levels_.front().first_plane) / shape_.block + 1, steps_, std::ssize(plan_.stages)};
}

// The row of the first level where a tile ends, and the next begins. The first tile has fewer rows with every level, and the last one more: in the middle all
// have as many.
Index Slab::end_of(Index tile) const {
    const Index slant = (steps_ - 1) / (shape_.y.closed ? 2 : 1);
    return slant + shape_.y.extent * (tile + 1) / tiles();
}

// One row less at both ends for each level that follows.
Slab::RowRange Slab::rows_of(Index number, Index tile) const {
    const Level& level = levels_[core::at(number)];
    const Index begin = tile == 0 ? -kFar : end_of(tile - 1), end = tile + 1 == tiles() ? kFar : end_of(tile);
    return {std::max(level.first_row, begin - level.time), std::min(level.last_row, end - level.time - 1)};
}

Slab::RowRange Slab::rows_of(Index number, Index tile, Part part) const {
    const Level& level = levels_[core::at(number)];
    const SlabAxis& y = shape_.y;
    const RowRange all = rows_of(number, tile);
    if (all.empty()) return all;
    const bool makes_heads = core::at(level.stage) + 1 == plan_.stages.size() && !y.border_before;
    const Index middle = std::clamp(makes_heads ? y.first_at(level.time + 1) + y.head_count() : all.first, all.first, all.last + 1);
    const Index last =
        y.border_after ? all.last + 1 : std::clamp(y.end_at(level.time) - plan_.stages[core::at(level.stage)].beside, middle, all.last + 1);
    return part == Part::heads    ? RowRange{all.first, middle - 1}
           : part == Part::middle ? RowRange{middle, last - 1}
                                  : RowRange{last, all.last};
}

bool Slab::reads_beyond(Index number, const RowRange& rows) const {
    const Level& level = levels_[core::at(number)];
    return !shape_.y.border_after && rows.last >= shape_.y.end_at(level.time) - plan_.stages[core::at(level.stage)].beside;
}

void Slab::sweep(Index front, Index number, const RowRange& rows) {
    const Level& level = levels_[core::at(number)];
    const Index first = levels_.front().first_plane + front * shape_.block - level.delay;
    Index z = std::max(first, level.first_plane);
    const Index stop = std::min(first + shape_.block - 1, level.last_plane) + 1;
    while (z < stop) {
        const Index end = end_of_call(level, z, stop);
        for (const auto& [planes, function] : *level.functions) {
            for (; end - z >= planes; z += planes) sweep_planes(level, rows, z, planes, function);
        }
    }
}

// Where a call that begins with plane z ends at the latest: what it makes is as far from what it reads in all of its planes.
Index Slab::end_of_call(const Level& level, Index z, Index stop) {
    const StagePlan& stage = plan_.stages[core::at(level.stage)];
    for (const int group : stage.outputs) {
        if (stage.made_from(plan_, group) < 0) continue;
        const Index shift = plan_.groups[core::at(group)].home == Home::shifting ? 1 : 0;
        if (shape_.z.closed && z < shift) return z + 1;  // it reads a ghost
        const auto distance = [&](Index plane) {
            return plane_at(group, plane, level.time + 1) - plane_at(group, plane - shift, level.time);
        };
        const std::ptrdiff_t first = distance(z);
        for (Index plane = z + 1; plane < stop; ++plane) {
            if (distance(plane) != first) stop = plane;
        }
    }
    return stop;
}

void Slab::end_pass() {
    for (std::size_t g = 0; g < stores_.size(); ++g) {
        if (plan_.groups[g].home == Home::held) continue;
        stores_[g].rows.end_pass(steps_);
        stores_[g].planes.end_pass(steps_);
    }
    if (shape_.y.rotates()) first_row_ = (first_row_ + shape_.y.moved_by(steps_)) % shape_.y.whole;
    if (shape_.z.rotates()) first_plane_ = (first_plane_ + shape_.z.moved_by(steps_)) % shape_.z.whole;
}

// The heads of the last time come back to the ring, and those of the next pass are the first rows.
void Slab::take_back_rows(const Slab& above) {
    const SlabAxis& y = shape_.y;
    const std::size_t back = layout_.vector_bytes();
    const Index gained = y.moved_by(steps_), end = std::min(y.extent, gained + y.head_count());
    for (std::size_t g = 0; g < stores_.size() && !y.border_before; ++g) {
        if (!is_state(g)) continue;
        const int group = static_cast<int>(g);
        const Store &own = stores_[g], &from = above.stores_[g];
        for (Index z = 0; z < shape_.z.extent; ++z) {
            std::byte* const plane = plane_at(group, z, 0) - back;
            for (Index i = 0; i < end; ++i) {
                const std::byte* const row =
                    i < gained ? plane + (from.data - own.data) +
                                     from.rows.of_gained(above.shape_.y.extent + i, steps_) * static_cast<Index>(own.row_bytes)
                               : plane + own.rows.of(i, steps_) * static_cast<Index>(own.row_bytes);
                std::memcpy(plane + own.rows.of(i, 0) * static_cast<Index>(own.row_bytes), row, own.row_bytes);
            }
        }
    }
}

// ---- prefetches

// The first level reads the next block of planes from memory.
void Slab::begin_front(Index tile, Index front) {
    tile_ = tile;
    const Level& level = levels_.front();
    const RowRange rows = rows_of(0, tile);
    const Index plane = level.first_plane + (front + 1) * shape_.block + plan_.radius;
    const Index planes = std::min<Index>(shape_.block, level.last_plane + plan_.radius - plane + 1);
    const Index first = std::max(rows.first - plan_.beside, shape_.y.head_count()),
                last = std::min(rows.last + plan_.beside, shape_.y.extent - 1);
    ahead_ = last < first ? RowsToCome{} : rows_to_come(0, plane, planes, first, last);
    ahead_.share = ahead_.lines() / std::max<Index>(1, std::ssize(levels_) * (rows.last - rows.first + 1) * pieces()) + 1;
}

// The first row of a tile, and the one above it, were last written by the tile above: they are no longer in the caches, and too short for the
// hardware prefetcher to recognise.
void Slab::begin_edge(const Level& level, const RowRange& rows, Index z, int planes) {
    edge_ = {};
    if (tile_ == 0 || rows.first != rows_of(&level - levels_.data(), tile_).first) return;
    if (rows.first - 1 < shape_.y.first_at(level.time) + shape_.y.head_count()) return;
    edge_ = rows_to_come(level.time, z + shape_.block + 1, planes, rows.first - 1, rows.first);
    edge_.share = edge_.lines() / ((rows.last - rows.first + 1) * pieces()) + 1;
}

// Rows first .. last of `planes` planes of the first group.
Slab::RowsToCome Slab::rows_to_come(Index time, Index plane, Index planes, Index first, Index last) {
    if (planes <= 0) return {};
    const Index lines = (last - first + 1) * static_cast<Index>(stores_[0].row_bytes / kLine);
    return {plane_at(0, plane, time), plane, planes, time, row_offset(0, first, time), lines, 0, 1};
}

// The first line for a call, which prefetches one per column; goes on by the share of a call. Without any, a line that is there already.
const char* Slab::aim(RowsToCome& coming) {
    if (coming.planes == 0) return static_cast<const char*>(pointers_[0]);
    // rows continue where the ring begins; a call that reaches beyond the last one prefetches data that is not needed
    const Slots& rows = stores_[0].rows;
    const auto row_bytes = static_cast<Index>(stores_[0].row_bytes);
    Index offset = coming.offset + coming.line * static_cast<Index>(kLine);
    if (offset >= rows.count() * row_bytes) offset -= (rows.count() - rows.ring_begin()) * row_bytes;
    const char* line = reinterpret_cast<const char*>(coming.base) + offset;
    coming.line += coming.share;
    if (coming.line >= coming.in_plane && --coming.planes > 0) {
        coming.line = 0;
        coming.base = plane_at(0, ++coming.plane, coming.time);
    }
    return line;
}

void Slab::aim_prefetches() {
    arguments_.prefetch_step = edge_.planes > 0 ? kLine : 0;
    arguments_.prefetch = aim(edge_);
    arguments_.ahead_step = ahead_.planes > 0 ? kLine : 0;
    arguments_.ahead = aim(ahead_);
}

// ---- rows

// One stage for a block of planes, row by row.
void Slab::sweep_planes(const Level& level, const RowRange& rows, Index z, int planes, RowFunction function) {
    const StagePlan& stage = plan_.stages[core::at(level.stage)];
    arguments_.numbers = level.numbers;
    arguments_.ghost_numbers = level.ghost_numbers;
    std::ptrdiff_t* next = next_row_.data();
    std::byte** source = sources_.data();
    const auto take = [&](int group, Index first, Index end, Index time) {
        next = std::fill_n(next, end - first, static_cast<std::ptrdiff_t>(stores_[core::at(group)].row_bytes));
        for (Index plane = first; plane < end; ++plane) *source++ = plane_at(group, plane, time);
    };
    for (const RowInput& input : stage.inputs) take(input.group, z + input.low, z + planes + input.high, level.time);
    for (const int group : stage.outputs) take(group, z, z + planes, level.time + 1);
    const auto count = next - next_row_.data();
    begin_edge(level, rows, z, planes);
    const auto row_bytes = static_cast<Index>(layout_.row_bytes()), piece_bytes = shape_.piece * static_cast<Index>(layout_.vector_bytes());
    for (Index first = 0; first < row_bytes; first += piece_bytes) {
        arguments_.first = first;
        arguments_.end = std::min(first + piece_bytes, row_bytes);
        arguments_.edge = edges_.data();
        Index straight = 0;  // rows from here on that stand one after another
        for (Index y = rows.first; y <= rows.last; ++y) {
            if (first == 0 && ((shape_.y.border_before && y == 0) || (shape_.y.border_after && y + 1 == shape_.y.extent)))
                form_rows_beside(level, y, z, planes);
            straight = straight > 0 ? move_on(straight, count) : point(level, y, z, planes);
            if (!stage.axes.empty()) aim_axes(stage, y, z);
            aim_prefetches();
            function(&arguments_);
            arguments_.edge += edge_bytes_;
        }
    }
}

// Tables begin one entry before the first cell of the grid.
void Slab::aim_axes(const StagePlan& stage, Index y, Index z) {
    const Index row = shape_.y.closed ? first_row_ + y : (first_row_ + y) % shape_.y.whole, plane = (first_plane_ + z) % shape_.z.whole;
    for (std::size_t i = 0; i < stage.axes.size(); ++i) {
        const int axis = stage.axes[i], along = direction(static_cast<ir::Axis>(axis));
        const Index entry = along == 0 ? 0 : 1 + (along == 1 ? row : plane);
        axis_pointers_[i] = axes_[core::at(axis)] + core::at(entry) * layout_.scalar_bytes();
    }
}

// Moves the first `count` pointers to the next row. Returns how many more such rows there are, of `straight`.
Index Slab::move_on(Index straight, std::ptrdiff_t count) {
    void** moved = pointers_.data();
    for (std::ptrdiff_t i = 0; i < count; ++i) moved[i] = static_cast<std::byte*>(moved[i]) + next_row_[core::at(i)];
    return straight - 1;
}

// Sets the pointers of one call for row y of a block of planes. Returns how many more rows stand where these pointers come to as they move on.
Index Slab::point(const Level& level, Index y, Index z, int planes) {
    const StagePlan& stage = plan_.stages[core::at(level.stage)];
    void** next = pointers_.data();
    std::byte* const* source = sources_.data();
    std::int64_t* beside = beside_.data();
    Index straight = kFar;
    for (const RowInput& input : stage.inputs) {
        const int group = input.group;
        const std::ptrdiff_t offset = row_offset(group, y, level.time);
        *beside++ = row_offset(group, y - 1, level.time) - offset;
        *beside++ = row_offset(group, y + 1, level.time) - offset;
        straight = std::min(straight, stores_[core::at(group)].rows.run(y - 1, level.time) - 2);
        void** const first = next;
        for (Index plane = z + input.low; plane < z + planes + input.high; ++plane) {
            std::byte* const here = *source++ + offset;
            *next++ = is_outside(plane) ? ghost_of_plane(group, plane, level.time, offset) : here;
            if (is_outside(plane)) straight = 0;
        }
        const int from = stage.made_from(plan_, group);
        *beside++ = from < 0 ? 0 : pointer(group, y, z, level.time + 1) - static_cast<std::byte*>(first[from]);
    }
    for (const int group : stage.outputs) {
        const std::ptrdiff_t offset = row_offset(group, y, level.time + 1);
        straight = std::min(straight, stores_[core::at(group)].rows.run(y, level.time + 1));
        for (int i = 0; i < planes; ++i) {
            std::byte* const place = *source++ + offset;
            *next++ = place;
            if (plan_.groups[core::at(group)].stays && bring(group, pointer(group, y, z + i, level.time), place)) straight = 0;
        }
    }
    return std::max<Index>(straight, 0);
}

// Forms the row of a plane in front of the grid, or behind it, of which a call reads one at a time.
std::byte* Slab::ghost_of_plane(int group, Index plane, Index time, std::ptrdiff_t offset) {
    const bool after = plane >= shape_.z.extent;
    std::byte* const ghost = beyond_[core::at(group)].data() + (after ? stores_[core::at(group)].row_bytes : 0) + layout_.vector_bytes();
    return form_ghost(after ? domain::kBack : domain::kFront, group, ghost, plane_at(group, after ? plane - 1 : 0, time) + offset);
}

// What a step leaves unchanged is not written, so it is brought where a row has another place after the step.
bool Slab::bring(int group, const std::byte* from, std::byte* place) const {
    const std::size_t back = layout_.vector_bytes();
    if (from != place && arguments_.first == 0) std::memcpy(place - back, from - back, stores_[core::at(group)].row_bytes);
    return from != place;
}

// Writes the ghost rows beyond a border in y that one call reads into their slots.
void Slab::form_rows_beside(const Level& level, Index y, Index z, int planes) {
    for (const RowInput& input : plan_.stages[core::at(level.stage)].inputs) {
        if (!input.beside) continue;
        const auto form = [&](domain::Side side, Index plane, Index ghost) {
            form_ghost(side, input.group, pointer(input.group, ghost, plane, level.time), pointer(input.group, y, plane, level.time));
        };
        for (Index plane = z; plane < z + planes; ++plane) {
            if (shape_.y.border_before && y == 0) form(domain::kTop, plane, -1);
            if (shape_.y.border_after && y + 1 == shape_.y.extent) form(domain::kBottom, plane, y + 1);
        }
    }
}

std::byte* Slab::form_ghost(domain::Side side, int group, std::byte* ghost, std::byte* inside) {
    void* pair[2] = {ghost, inside};
    arguments_.rows = pair;
    functions_->borders[side][core::at(group)](&arguments_);
    arguments_.rows = pointers_.data();
    return ghost;
}

}  // namespace mottle::backend::cpu
