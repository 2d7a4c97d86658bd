// mottle/backend/cpu/volume/slab.cpp: consecutive rows of every plane, and the skewed wavefront from plane to plane
#include "mottle/backend/cpu/volume/slab.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kCacheWay = 4096;  // bytes of a way of the L1: addresses so far apart share a set
constexpr Index kFar = Index{1} << 40;   // rows beyond any

Index modulo(Index i, Index n) { return (i % n + n) % n; }

// Rows a multiple of 4096 bytes apart would fall into the same cache sets.
std::size_t staggered(std::size_t bytes) {
    bytes = (bytes + kLine - 1) / kLine * kLine;
    return bytes % kCacheWay == 0 ? bytes + kLine : bytes;
}

}  // namespace

Slab::Slab(const Plan& plan, const RowLayout& layout, const SlabShape& shape, const std::array<const std::byte*, ir::kGridAxes>& axes)
    : plan_(plan),
      layout_(layout),
      shape_(shape),
      axes_(axes),
      ghost_rows_(plan.beside * shape.most_steps),
      ghost_planes_(plan.radius * shape.most_steps) {
    if (shape_.piece <= 0) shape_.piece = layout.columns();
    shape_.piece = std::min(shape_.piece, layout.columns());
    const Index window = static_cast<Index>(plan.skew) * shape.most_steps + shape.block + 4;
    // rows and planes of a shifting group move by one slot with every step, whether a stencil reaches that way or not
    const Index room_rows = std::max<Index>(ghost_rows_, shape.most_steps), room_planes = std::max<Index>(ghost_planes_, shape.most_steps);
    for (const auto& group : plan.groups) {
        Planes planes;
        planes.row_bytes = staggered(group.arrays.size() * layout.array_pitch());
        planes.rows = shape.rows + 2 * room_rows;
        planes.rows_bytes = core::at(planes.rows) * planes.row_bytes;
        planes.plane_bytes = planes.rows_bytes + spread_of_planes(static_cast<int>(planes_.size()), planes.rows_bytes, planes.row_bytes);
        planes.capacity = shape.planes + 2 * room_planes;
        if (group.home == Home::held) planes.capacity = std::min(planes.capacity, window);
        planes.base_row = room_rows;
        planes.base_plane = group.home == Home::held ? 0 : room_planes;
        // one more cache line, because an unaligned load at the end of the last row reads beyond it
        planes.memory = Memory(core::at(planes.capacity) * planes.plane_bytes + kLine);
        planes_.push_back(std::move(planes));
    }
    std::size_t pointers = 0;
    for (const auto& stage : plan.stages) pointers = std::max(pointers, core::at(stage.pointers(shape.block)));
    pointers_.resize(pointers);
    sources_.resize(pointers);
    next_row_.resize(pointers);
    beside_.resize(2 * plan.groups.size());
    axis_pointers_.resize(axes.size());
    if (shape_.piece < layout.columns()) {
        edge_bytes_ = pointers * core::at(plan.most_arrays() * plan.columns) * layout.vector_bytes();
        edges_ = Memory(core::at(shape.rows + 2 * ghost_rows_) * edge_bytes_);
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

// The padding in bytes between planes with which the rows of a group that one call reads are spread as evenly as possible over the sets of the L1.
std::size_t Slab::spread_of_planes(int group, std::size_t plane_bytes, std::size_t row_bytes) const {
    constexpr std::size_t kSets = kCacheWay / kLine;
    const auto lines = std::min(kSets, core::at(shape_.piece) * layout_.vector_bytes() / kLine);
    const std::size_t arrays = plan_.groups[core::at(group)].arrays.size();
    std::size_t planes = 1, rows = 1;
    for (const StagePlan& stage : plan_.stages) {
        const int at = stage.input_of(group);
        if (at < 0) continue;
        const RowInput& input = stage.inputs[core::at(at)];
        planes = std::max(planes, core::at(shape_.block + input.high - input.low));
        if (input.beside) rows = 3;
    }
    std::size_t best = 0, least = ~std::size_t{0};
    for (std::size_t gap = 0; gap < kSets; ++gap) {
        std::array<std::size_t, kSets> load{};
        for (std::size_t z = 0; z < planes; ++z) {
            for (std::size_t y = 0; y < rows; ++y) {
                for (std::size_t a = 0; a < arrays; ++a) {
                    const std::size_t start = (z * (plane_bytes + gap * kLine) + y * row_bytes + a * layout_.array_pitch()) / kLine;
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

// Plane z of a group as it stands after `time` steps of this pass: its first slot.
std::byte* Slab::plane_at(int group, Index z, Index time) {
    const Planes& planes = planes_[core::at(group)];
    const Index slot = modulo(planes.base_plane + z - (shifts(group) ? time : 0), planes.capacity);
    return planes.memory.data() + core::at(slot) * planes.plane_bytes + layout_.vector_bytes();
}

// Bytes from there to row y.
std::ptrdiff_t Slab::row_offset(int group, Index y, Index time) const {
    const Planes& planes = planes_[core::at(group)];
    Index slot = planes.base_row + y - (shifts(group) ? time : 0);
    if (slot < 0) slot += planes.rows;
    if (slot >= planes.rows) slot -= planes.rows;
    return slot * static_cast<std::ptrdiff_t>(planes.row_bytes);
}

std::byte* Slab::row(ir::Array array, Index y, Index z) {
    const auto at = core::at(array);
    return pointer(plan_.group_of[at], y, z) + core::at(plan_.ordinal_of[at]) * layout_.array_pitch();
}

bool Slab::exchanged(std::size_t group) const {
    return plan_.groups[group].home == Home::shifting || plan_.groups[group].home == Home::resting;
}

// A slab that is the whole of a grid of few rows or planes may wrap around itself more than once.
void Slab::fetch_ghosts(const Slab& above, const Slab& below, int steps) {
    const Index rows = static_cast<Index>(plan_.beside) * steps, planes = static_cast<Index>(plan_.radius) * steps;
    const std::size_t back = layout_.vector_bytes();
    for (std::size_t g = 0; g < planes_.size(); ++g) {
        if (!exchanged(g)) continue;
        const int group = static_cast<int>(g);
        const auto copy_row = [&](Index y, const Slab& from, Index from_y, Index z) {
            std::memcpy(pointer(group, y, z) - back, const_cast<Slab&>(from).pointer(group, from_y, z) - back, planes_[g].row_bytes);
        };
        for (Index z = 0; z < shape_.planes; ++z) {
            for (Index i = 0; i < rows; ++i) {
                if (!shape_.top) copy_row(i - rows, above, modulo(i - rows, above.shape_.rows), z);
                if (!shape_.bottom) copy_row(shape_.rows + i, below, modulo(i, below.shape_.rows), z);
            }
        }
        const auto copy_plane = [&](Index z) {
            std::memcpy(plane_at(group, z, 0) - back, plane_at(group, modulo(z, shape_.planes), 0) - back, planes_[g].plane_bytes);
        };
        for (Index i = 0; i < planes && !shape_.closed; ++i) {
            copy_plane(i - planes);
            copy_plane(shape_.planes + i);
        }
    }
}

void Slab::make_levels(const Launch& launch, int steps, Index first, Index number) {
    const auto& [numbers, functions, program, stages] = launch;
    levels_.clear();
    // rows and planes that the levels still to come reach
    Index delay = 0, rows = static_cast<Index>(plan_.beside) * steps, planes = static_cast<Index>(plan_.radius) * steps;
    // rows and planes of a halo that the levels so far have used up, and need not compute
    Index used_rows = 0, used_planes = 0;
    const auto used = [&](domain::Side side) {
        return !shape_.halos[side] ? 0 : side == domain::kTop || side == domain::kBottom ? used_rows : used_planes;
    };
    for (Index time = 0; time < steps; ++time) {
        const bool flush = program.flushes(number + time, stages);
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            const StagePlan& stage = plan_.stages[s];
            if (!levels_.empty()) delay += stage.skew;
            rows -= stage.beside;
            planes -= stage.radius;
            used_rows += stage.beside;
            used_planes += stage.radius;
            const bool last = s + 1 == plan_.stages.size();
            const Index beyond = shape_.closed ? 0 : planes;
            levels_.push_back({static_cast<int>(s), time, last && flush ? &functions.flush : &functions.stages[s],
                               numbers.row(first + time), numbers.row(first + time + 1), delay, shape_.top ? used(domain::kTop) : -rows,
                               shape_.rows - 1 + (shape_.bottom ? -used(domain::kBottom) : rows), used(domain::kFront) - beyond,
                               shape_.planes - 1 + beyond - used(domain::kBack)});
        }
    }
}

void Slab::advance(const Launch& launch, int steps, Index first, Index number) {
    const KernelFunctions& functions = launch.functions;
    make_levels(launch, steps, first, number);
    arguments_.fma = functions.fma;
    arguments_.floor = functions.floor;
    const Index first_row = levels_.front().first_row, rows = levels_.front().last_row - first_row + 1;
    const Index tile = shape_.tile > 0 && plan_.stages.size() == 1 ? shape_.tile : rows, tiles = std::max<Index>(1, rows / tile);
    for (Index i = 0; i < tiles; ++i)
        sweep_tile(functions, i == 0 ? -kFar : first_row + i * tile, i + 1 == tiles ? kFar : first_row + (i + 1) * tile);
    for (std::size_t g = 0; g < planes_.size(); ++g) {
        if (!shifts(static_cast<int>(g))) continue;
        planes_[g].base_plane = modulo(planes_[g].base_plane - steps, planes_[g].capacity);
        planes_[g].base_row = modulo(planes_[g].base_row - steps, planes_[g].rows);
    }
}

// Rows begin .. end - 1 of the first level, one row less at both ends for each level that follows.
void Slab::sweep_tile(const KernelFunctions& functions, Index begin, Index end) {
    const Index last_front = levels_.back().last_plane + levels_.back().delay, block = shape_.block;
    for (Index front = levels_.front().first_plane; front <= last_front; front += block) {
        begin_ahead(front, begin, end);
        for (const Level& level : levels_) {
            const RowRange rows{std::max(level.first_row, begin - level.time), std::min(level.last_row, end - level.time - 1)};
            Index z = std::max(front - level.delay, level.first_plane);
            const Index stop = std::min(front - level.delay + block - 1, level.last_plane) + 1;
            for (const auto& [planes, function] : level.functions->variants) {
                for (; stop - z >= planes; z += planes) sweep(level, functions, rows, z, planes, function);
            }
        }
    }
}

// The first level reads the next block of planes from memory.
void Slab::begin_ahead(Index front, Index begin, Index end) {
    const Level& level = levels_.front();
    const Index first = std::max(level.first_row, begin), last = std::min(level.last_row, end - 1),
                plane = front + shape_.block + plan_.radius;
    const Index planes = std::min<Index>(shape_.block, level.last_plane + plan_.radius - plane + 1);
    ahead_ = rows_to_come(0, plane, planes, first - plan_.beside, last + plan_.beside);
    ahead_.share = ahead_.lines() / std::max<Index>(1, static_cast<Index>(levels_.size()) * (last - first + 1) * pieces()) + 1;
}

// The first row of a tile, and the one above it, were last written by the tile above: they are no longer in the caches, and too short for the
// hardware prefetcher to recognise.
void Slab::begin_edge(const Level& level, const RowRange& rows, Index z, int planes) {
    edge_ = {};
    if (rows.first == level.first_row || rows.last < rows.first) return;
    edge_ = rows_to_come(level.time, z + shape_.block + 1, planes, rows.first - 1, rows.first);
    edge_.share = edge_.lines() / ((rows.last - rows.first + 1) * pieces()) + 1;
}

// Rows first .. last of `planes` planes of the first group.
Slab::RowsToCome Slab::rows_to_come(Index time, Index plane, Index planes, Index first, Index last) {
    if (planes <= 0) return {};
    const Index lines = (last - first + 1) * static_cast<Index>(planes_[0].row_bytes / kLine);
    return {plane_at(0, plane, time), plane, planes, time, row_offset(0, first, time), lines, 0, 1};
}

// The first line for a call, which prefetches one per column; goes on by the share of a call. Without any, a line that is there already.
const char* Slab::aim(RowsToCome& coming) {
    if (coming.planes == 0) return static_cast<const char*>(pointers_[0]);
    // rows continue in the first slot of the plane; a call that reaches beyond the last one prefetches data that is not needed
    Index offset = coming.offset + coming.line * static_cast<Index>(kLine);
    if (offset >= static_cast<Index>(planes_[0].rows_bytes)) offset -= static_cast<Index>(planes_[0].rows_bytes);
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

// One stage for a block of planes, row by row.
void Slab::sweep(const Level& level, const KernelFunctions& functions, const RowRange& rows, Index z, int planes, RowFunction function) {
    const StagePlan& stage = plan_.stages[core::at(level.stage)];
    arguments_.numbers = level.numbers;
    arguments_.ghost_numbers = level.ghost_numbers;
    std::byte** source = sources_.data();
    std::ptrdiff_t* next = next_row_.data();
    const auto take = [&](int group, Index plane, Index time) {
        *source++ = plane_at(group, plane, time);
        *next++ = static_cast<std::ptrdiff_t>(planes_[core::at(group)].row_bytes);
    };
    for (const RowInput& input : stage.inputs) {
        for (Index plane = z + input.low; plane < z + planes + input.high; ++plane) take(input.group, plane, level.time);
    }
    for (const int group : stage.outputs) {
        for (int i = 0; i < planes; ++i) take(group, z + i, level.time + 1);
    }
    const auto count = source - sources_.data();
    for (std::size_t i = 0; i < stage.axes.size(); ++i) {
        if (stage.axes[i] % 3 != 1) axis_pointers_[i] = axis_entry(stage.axes[i], stage.axes[i] % 3 == 2 ? z + ghost_planes_ + 1 : 0);
    }
    begin_edge(level, rows, z, planes);
    const bool border = shape_.top || shape_.bottom || (shape_.closed && (z == 0 || z + planes == shape_.planes));
    const auto row_bytes = static_cast<Index>(layout_.row_bytes()), piece_bytes = shape_.piece * static_cast<Index>(layout_.vector_bytes());
    for (Index first = 0; first < row_bytes; first += piece_bytes) {
        arguments_.first = first;
        arguments_.end = std::min(first + piece_bytes, row_bytes);
        arguments_.edge = edges_.data();
        Index straight = 0;  // rows from here on that stand one after another
        for (Index y = rows.first; y <= rows.last; ++y) {
            if (border && first == 0) form_ghosts(level, functions, y, z, planes);
            straight = straight > 0 ? move_on(straight, count) : point(level, y, planes);
            for (std::size_t i = 0; i < stage.axes.size(); ++i) {
                if (stage.axes[i] % 3 == 1) axis_pointers_[i] = axis_entry(stage.axes[i], y + ghost_rows_ + 1);
            }
            aim_prefetches();
            function(&arguments_);
            arguments_.edge += edge_bytes_;
        }
    }
}

// Moves the first `count` pointers to the next row. Returns how many more such rows there are, of `straight`.
Index Slab::move_on(Index straight, std::ptrdiff_t count) {
    void** moved = pointers_.data();
    for (std::ptrdiff_t i = 0; i < count; ++i) moved[i] = static_cast<std::byte*>(moved[i]) + next_row_[core::at(i)];
    return straight - 1;
}

// Sets the pointers of one call for row y of a block of planes. Returns how many more rows stand where these pointers come to as they move on.
Index Slab::point(const Level& level, Index y, int planes) {
    const StagePlan& stage = plan_.stages[core::at(level.stage)];
    void** next = pointers_.data();
    std::byte* const* source = sources_.data();
    std::int64_t* beside = beside_.data();
    Index straight = kFar;
    const auto reach = [&](int group, Index first, Index last, Index time) {
        const auto row_bytes = static_cast<std::ptrdiff_t>(planes_[core::at(group)].row_bytes);
        const std::ptrdiff_t begin = row_offset(group, first, time), end = row_offset(group, last, time);
        const bool whole = end - begin == (last - first) * row_bytes;
        straight = std::min(straight, whole ? planes_[core::at(group)].rows - 1 - end / row_bytes : 0);
    };
    for (const RowInput& input : stage.inputs) {
        const std::ptrdiff_t offset = row_offset(input.group, y, level.time);
        *beside++ = row_offset(input.group, y - 1, level.time) - offset;
        *beside++ = row_offset(input.group, y + 1, level.time) - offset;
        reach(input.group, y - 1, y + 1, level.time);
        for (int i = planes + input.high - input.low; i > 0; --i) *next++ = *source++ + offset;
    }
    for (const int group : stage.outputs) {
        const std::ptrdiff_t offset = row_offset(group, y, level.time + 1);
        reach(group, y, y, level.time + 1);
        for (int i = 0; i < planes; ++i) *next++ = *source++ + offset;
    }
    return straight;
}

// Writes the ghost rows beyond a border that one call reads into their slots, whose previous contents are no longer needed.
void Slab::form_ghosts(const Level& level, const KernelFunctions& functions, Index y, Index z, int planes) {
    for (const RowInput& input : plan_.stages[core::at(level.stage)].inputs) {
        const int group = input.group;
        const auto at = [&](Index row, Index plane) { return plane_at(group, plane, level.time) + row_offset(group, row, level.time); };
        if (shape_.closed && z + input.low < 0) form_ghost(functions, domain::kFront, group, at(y, -1), at(y, 0));
        if (shape_.closed && z + planes - 1 + input.high >= shape_.planes)
            form_ghost(functions, domain::kBack, group, at(y, shape_.planes), at(y, shape_.planes - 1));
        if (!input.beside) continue;
        for (Index plane = z; plane < z + planes; ++plane) {
            if (shape_.top && y == 0) form_ghost(functions, domain::kTop, group, at(-1, plane), at(0, plane));
            if (shape_.bottom && y + 1 == shape_.rows) form_ghost(functions, domain::kBottom, group, at(y + 1, plane), at(y, plane));
        }
    }
}

void Slab::form_ghost(const KernelFunctions& functions, domain::Side side, int group, std::byte* ghost, std::byte* inside) {
    void* pair[2] = {ghost, inside};
    arguments_.rows = pair;
    functions.borders[side][core::at(group)](&arguments_);
    arguments_.rows = pointers_.data();
}

const std::byte* Slab::axis_entry(int axis, Index entry) const { return axes_[core::at(axis)] + core::at(entry) * layout_.scalar_bytes(); }

}  // namespace mottle::backend::cpu
