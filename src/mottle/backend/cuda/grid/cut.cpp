// mottle/backend/cuda/grid/cut.cpp: the cost model of the CUDA backend; its constants were fitted to what an H200 takes (docs/notes/cuda.md)
#include "mottle/backend/cuda/grid/cut.h"

#include "mottle/backend/cuda/emit/stream.h"
#include "mottle/backend/cuda/emit/volume.h"
#include "mottle/backend/cuda/grid/passes.h"

#include <algorithm>
#include <cmath>

namespace mottle::backend::cuda {
namespace {

constexpr double kClock = 1.95e9;      // cycles per second
constexpr double kCacheBytes = 4e7;    // what it holds
constexpr double kTileLatency = 1500;  // cycles in which a block alone sees the first cells of its tile
constexpr double kRowLatency = 120;    // cycles that one warp alone takes for a row of one level
constexpr double kPlaneLatency = 300;  // cycles that a block alone takes for a plane of one level
constexpr double kBarrier = 100;       // cycles in which a block waits for its slowest warp
constexpr double kExchange = 0.6e-6;   // seconds in which a packet is sent and found, through the second-level cache
constexpr double kPacketRate = 25e9;   // bytes of packets per second and multiprocessor
constexpr double kUnfusedShare = 0.8;  // of the bandwidth, that a launch per stage reaches
constexpr double kVolumeWork = 1.3;    // cycles of a scheduler for an instruction, in volumes
constexpr double kFirstRows = 1e-6;    // seconds until the first rows of a warp have come from memory
constexpr double kRowCycles = 60;      // of a scheduler for a row of one level, beside less than half of its instructions
constexpr double kHaloMisses = 0.3;    // of the cells that two blocks read: not in the second-level cache any more
constexpr double kAlone = 0.65;        // of the time of a scheduler that one warp uses
constexpr int kSchedulers = 4;         // of a multiprocessor
constexpr int kMostSteps = 8;          // of a pass

double stages_of(const StepPlan& plan) { return static_cast<double>(plan.stages.size()); }

/// Bytes per second and multiprocessor: a grid that the second-level cache holds stays there from pass to pass.
double bandwidth_for(const StepPlan& plan, const domain::Grid& grid) {
    const double cells = static_cast<double>(grid.size[0]) * static_cast<double>(grid.size[1]);
    return 2 * cells * plan.states * plan.cell_bytes() <= kCacheBytes ? kCache : kBandwidth;
}

/// Seconds of work beside traffic: the one that takes longer hides most of the other.
double both(double work, double traffic) { return std::sqrt(std::hypot(work * work, traffic * traffic)); }

/// Seconds of one pass of `steps` steps, warps marching down strips.
double stream_time(const StepPlan& plan, const domain::Grid& grid, int steps, Index rows, const DeviceTraits& traits) {
    const int reach = steps * plan.reach(), width = stream_width(plan.program.f64, reach), columns = stream_columns(plan.program.f64);
    const auto nx = static_cast<double>(grid.size[0]), ny = static_cast<double>(grid.size[1]), height = static_cast<double>(rows);
    const double marched = height + 2 * reach, resident = stream_warps(plan, steps);
    const double instructions = columns * (plan.operations + 4) * (plan.program.f64 ? 2 : 1);
    const double busy = std::max(0.95 * instructions, kRowCycles + 0.45 * instructions);
    StreamShape shape = stream_shape(grid, plan.program.f64, reach, static_cast<int>(rows), 0);
    if (has_no_border(plan, grid)) shape.lose_border();
    const auto marching = [&](Index warps, double together) {  // seconds
        const double each = std::ceil(static_cast<double>(warps) / (kSchedulers * traits.processors)),
                     latency = kRowLatency * stages_of(plan);
        const double waves = std::floor(each / together), rest = each - waves * together;
        const double row = waves * std::max(together * busy, latency) + (rest > 0 ? std::max(rest * busy, latency) : 0);
        return marched * steps * row / kClock;
    };
    const double compute = marching(shape.inner(), resident);
    // a launch behind the other one: few warps, and all the latency of their chunk
    const Index others = shape.all() - shape.inner();
    const double border = others > 0 ? marching(others, 2) + kLaunch : 0;
    const double cell_bytes = plan.states * plan.cell_bytes();
    const double read = marched / height * 32 * columns / width;
    const double bandwidth = bandwidth_for(plan, grid) * traits.processors;
    return both(compute, nx * ny * cell_bytes * (1 + read) / bandwidth) + kFirstRows + kLaunch + border;
}

/// Seconds of one pass of `steps` steps with tiles.
double tile_time(const StepPlan& plan, const domain::Grid& grid, int steps, const PlaneTile& tile, const DeviceTraits& traits) {
    const int reach = steps * plan.reach();
    const StreamShape shape = stream_shape(grid, plan.program.f64, reach, tile.height() - 2 * reach, 0);
    const double stages = stages_of(plan);
    const double cells = static_cast<double>(tile.height()) * kLanes * stream_columns(plan.program.f64),
                 kept = static_cast<double>(shape.chunk_rows) * stream_width(plan.program.f64, reach);
    const double instructions = (plan.operations + 5.0 * stages) * (plan.program.f64 ? 2 : 1);
    const double level = cells / kLanes / kSchedulers * instructions / kClock, meet = stages * kBarrier / kClock;
    const double bytes = (cells + kept) * plan.states * plan.cell_bytes() / kCache;
    // what a block waits for, another one on the same multiprocessor fills with its work
    const double blocks = std::ceil(static_cast<double>(shape.all()) / traits.processors), beside = std::min<double>(blocks, tile.blocks);
    const double busy = steps * level + bytes, alone = steps * (level + meet) + kTileLatency / kClock + bytes;
    return std::max(blocks * busy, std::ceil(blocks / beside) * alone) + kLaunch;
}

/// Seconds of one pass of `steps` steps over a volume.
double volume_time(const StepPlan& plan, const domain::Grid& grid, int steps, Index planes, const DeviceTraits& traits) {
    const VolumeTile tile = volume_tile(plan, steps);
    const int reach = steps * plan.reach();
    const VolumeShape shape = volume_shape(grid, plan.program.f64, reach, tile, static_cast<int>(planes), 0);
    const double cell = plan.cell_bytes(), cells = static_cast<double>(tile.height()) * kLanes * stream_columns(plan.program.f64);
    const double blocks = std::ceil(static_cast<double>(shape.strips) * shape.tiles * shape.chunks / traits.processors);
    const double marched = blocks * static_cast<double>(planes + 2 * reach);  // planes, by one multiprocessor
    const double beside = 3.0 * static_cast<double>(plan.cells.size()), stages = stages_of(plan);
    const double instructions = (plan.operations + beside) * (plan.program.f64 ? 2 : 1);
    const double plane = std::max(cells / kLanes / kSchedulers * instructions * kVolumeWork, kPlaneLatency * stages);
    const double kept = static_cast<double>(tile.height() - 2 * reach) * stream_width(plan.program.f64, reach);
    const double bytes = (2 * kept + kHaloMisses * (cells - kept)) * plan.states * cell;
    return marched * std::max(steps * (plane + kBarrier * stages) / kClock, bytes / kBandwidth) + 2 * kLaunch;
}

/// Seconds of one step, a launch per stage.
double unfused_time(const StepPlan& plan, const domain::Grid& grid, const DeviceTraits& traits) {
    double bytes = 0;
    for (const StageUse& stage : plan.stages) bytes += static_cast<double>(stage.makes.size() + stage.loads.size()) * plan.cell_bytes();
    const double cells = static_cast<double>(grid.size[0]) * static_cast<double>(grid.size[1]) * static_cast<double>(grid.size[2]);
    return cells * bytes / (kUnfusedShare * kBandwidth * traits.processors) + kLaunch * stages_of(plan);
}

}  // namespace

std::string fusing_obstacle(const StepPlan& plan, const domain::Grid& grid) {
    if (grid.size[2] == 1) return stream_obstacle(plan, grid);
    std::string obstacle = volume_obstacle(plan, grid);
    if (!obstacle.empty()) return obstacle;
    return volume_tile(plan, plan.least_steps()).warps > 0 ? "" : "a pass over so many fields takes more registers than a thread has";
}

double whole_seconds(const StepPlan& plan, const WholePlane& plane, Index members, const DeviceTraits& traits) {
    // the rows of the warps of a scheduler, halos and rows that nobody keeps included; ghosts are made anew at each step
    const double rows = std::ceil(plane.warps / static_cast<double>(kSchedulers)) * plane.rows, columns = plane.columns;
    const double ghosts = plane.ring ? 0 : static_cast<double>(plan.cells.size()) * (columns + 4), stages = stages_of(plan);
    const double busy = rows * (columns * (plan.operations + 5.0 * stages) + ghosts) * (plan.program.f64 ? 2 : 1) / kClock;
    const double alone = busy + stages * kBarrier / kClock, blocks = std::ceil(static_cast<double>(members) / traits.processors);
    return std::max(blocks * busy, std::ceil(blocks / plane.blocks) * alone);
}

namespace {

/// Predicted seconds of a step of a plane that stays in registers.
double persistent_seconds(const StepPlan& plan, const domain::Grid& grid, const PersistentCut& cut) {
    const PersistentTile& tile = cut.tile;
    const double cells = static_cast<double>(tile.height()) * kLanes * tile.columns;
    // a shuffle for each side and array of a row, and what a row takes besides, are shared by the columns of a lane; so are the ghosts of a row
    const bool rings = domain::wraps(grid, domain::kLeft);
    const double row = static_cast<double>(plan.cells.size()) * (5 + (rings ? 0 : 1.5 * (tile.columns + 4)));
    const double instructions = (plan.operations + stages_of(plan) + row / tile.columns) * (plan.program.f64 ? 2 : 1);
    // nobody fills the time in which a warp that has a scheduler for itself waits
    const double share = tile.warps > kSchedulers ? 1 : kAlone;
    const double step = (cells / kLanes / kSchedulers * instructions / share + stages_of(plan) * kBarrier) / kClock;
    // sent: the edges of a block; taken: what lies around them
    const double rows = cut.chunk_rows, columns = tile.width(), halo = tile.halo() * tile.columns, all = columns + 2 * halo;
    const double sent = std::min(rows * columns, 2 * tile.reach * columns + 2 * halo * rows),
                 taken = 2 * tile.reach * all + 2 * halo * rows;
    const double bytes = (sent + taken) * packets_of_cell(plan.program) * static_cast<double>(kPacketBytes);
    return step + (kExchange + bytes / kPacketRate + kBarrier / kClock) / tile.steps;
}

/// Whether a tile has as many rows and warps as the schedule asks for.
bool is_large(const auto& tile, const CardPlaneSchedule& schedule) {
    return tile.rows >= schedule.tile.value_or(0) && tile.warps >= schedule.warps.value_or(0);
}

/// The cheapest persistent kernel that `schedule` allows; of no warps, if there is none.
Cut persistent_cut(const StepPlan& plan, const domain::Grid& grid, const CardPlaneSchedule& schedule, const DeviceTraits& traits) {
    Cut best{.persistent_seconds = INFINITY};
    if (plan.program.staged && plan.program.flush_step) return best;  // its text knows of every eighth step alone
    if (schedule.strip.value_or(0) > 0 || schedule.steps == 1 || !traits.together) return best;
    for (int steps = 2; steps <= kMostSteps; ++steps) {
        if (schedule.steps && steps != std::min(*schedule.steps, kMostSteps)) continue;
        for (const PersistentCut& cut : persistent_cuts(plan, grid, steps, traits.processors)) {
            const double seconds = persistent_seconds(plan, grid, cut);
            if (is_large(cut.tile, schedule) && seconds < best.persistent_seconds) best.persistent = cut, best.persistent_seconds = seconds;
        }
    }
    return best;
}

bool asks_for_tile(const CardPlaneSchedule& schedule) { return schedule.tile || schedule.warps; }

/// The cheapest cut so far.
struct Choice {
    Cut cut;

    void offer(const Cut& other, double pass) {
        if (pass / other.steps >= cut.seconds) return;
        cut = other;
        cut.seconds = pass / other.steps;
    }
};

/// What a pass is cut into: `strips` side by side, of which the card works at `together` pieces at a time.
struct Pieces {
    Index length, strips, together;
};

/// Strips or layers: every chunk in powers of two, and those with which no part of the card is idle at the end; or the one that is asked for.
template <class Time>
void offer_chunks(Choice& best, int steps, const Pieces& pieces, int wanted, const Time& seconds) {
    const auto offer = [&](Index chunk) {
        const Index taken = std::clamp<Index>(chunk, 1, pieces.length);
        best.offer({.fused = true, .steps = steps, .chunk = static_cast<int>(taken)}, seconds(taken));
    };
    if (wanted > 0) return offer(wanted);
    for (Index chunk = 8; chunk / 2 < std::min<Index>(pieces.length, 4096); chunk *= 2) offer(chunk);
    for (int waves = 1; waves <= 8; ++waves) {
        const Index chunks = std::max<Index>(1, waves * pieces.together / pieces.strips);
        offer((pieces.length + chunks - 1) / chunks);
    }
}

/// The tiles that `schedule` allows: all, or the first of at least so many rows and warps.
void offer_tiles(Choice& best, const StepPlan& plan, const domain::Grid& grid, int steps, const CardPlaneSchedule& schedule,
                 const DeviceTraits& traits) {
    const std::vector<PlaneTile> tiles = plane_tiles(plan);
    for (const PlaneTile& tile : tiles) {
        const bool large = is_large(tile, schedule) || &tile == &tiles.back();
        if (tile.height() <= 2 * steps * plan.reach() || !large) continue;
        best.offer({.fused = true, .steps = steps, .tile = tile}, tile_time(plan, grid, steps, tile, traits));
        if (asks_for_tile(schedule)) return;
    }
}

/// The fewest and most steps of a pass.
struct StepRange {
    int least, most;
};

/// Lets `offer` add what passes of so many steps take: of each number in the range, or of the one that is asked for.
template <class Offer>
Cut choose_steps(const StepPlan& plan, std::optional<int> asked, StepRange range, double unfused, const Offer& offer) {
    Choice best{{.seconds = asked ? INFINITY : unfused}};
    for (int steps = range.least; steps <= range.most; ++steps) {
        if (asked && steps != std::min(*asked, range.most)) continue;
        if (!asked && plan.program.f64 && ir::kFlushPeriod % steps != 0) continue;  // passes end where numbers are flushed
        offer(best, steps);
    }
    return best.cut;
}

StepRange step_range(const StepPlan& plan, bool volume) {
    int most = steps_of_numbers(plan.program, kMostSteps);
    while (volume && most > 1 && volume_tile(plan, most).warps == 0) --most;
    while (stream_width(plan.program.f64, most * plan.reach()) <= 0) --most;
    return {plan.least_steps(), most};
}

/// A schedule that asks for one step, and for no way in which its stages share a pass; or for fewer steps than a pass has.
bool asks_for_launches(const StepPlan& plan, std::optional<int> steps, bool says_more) {
    return steps && ((*steps == 1 && !says_more) || *steps < plan.least_steps());
}

Cut choose_passes(const StepPlan& plan, const domain::Grid& grid, const CardPlaneSchedule& schedule, const DeviceTraits& traits,
                  double unfused) {
    const int strip = schedule.strip.value_or(0);
    return choose_steps(plan, schedule.steps, step_range(plan, false), unfused, [&](Choice& best, int steps) {
        if (strip == 0) offer_tiles(best, plan, grid, steps, schedule, traits);
        // what a pass of two steps saves is worth a warp less on each scheduler, what more of them save is not
        const bool fits = schedule.steps || stream_registers(plan, steps) <= (steps <= 2 ? kRegistersOfTwo : kRegistersOfThree);
        if (fits && (!asks_for_tile(schedule) || !best.cut.fused)) {
            const int width = stream_width(plan.program.f64, steps * plan.reach());
            const Pieces pieces{grid.size[1], (grid.size[0] + width - 1) / width,
                                Index{1} * stream_warps(plan, steps) * kSchedulers * traits.processors};
            offer_chunks(best, steps, pieces, strip, [&](Index rows) { return stream_time(plan, grid, steps, rows, traits); });
        }
    });
}

Cut choose_plane_cut(const StepPlan& plan, const domain::Grid& grid, const CardPlaneSchedule& schedule, const DeviceTraits& traits) {
    const double unfused = unfused_time(plan, grid, traits);
    const int strip = schedule.strip.value_or(0);
    if (asks_for_launches(plan, schedule.steps, strip > 0 || asks_for_tile(schedule)) || !fusing_obstacle(plan, grid).empty())
        return {.seconds = unfused};
    Cut cut = choose_passes(plan, grid, schedule, traits, unfused);
    const bool asked = schedule.strip == 0;  // else what names the shape of a pass means a pass
    if (!asked && (schedule.steps || asks_for_tile(schedule))) return cut;
    const Cut staying = persistent_cut(plan, grid, schedule, traits);
    if (staying.persistent.tile.warps == 0 || (!asked && staying.persistent_seconds > cut.seconds)) return cut;
    cut.persistent = staying.persistent, cut.persistent_seconds = staying.persistent_seconds, cut.asked_to_stay = asked;
    return cut;
}

Cut choose_volume_cut(const StepPlan& plan, const domain::Grid& grid, const CardVolumeSchedule& schedule, const DeviceTraits& traits) {
    const double unfused = unfused_time(plan, grid, traits);
    const int planes = schedule.planes.value_or(0);
    if (asks_for_launches(plan, schedule.steps, planes > 0) || !fusing_obstacle(plan, grid).empty()) return {.seconds = unfused};
    return choose_steps(plan, schedule.steps, step_range(plan, true), unfused, [&](Choice& best, int steps) {
        const VolumeShape shape = volume_shape(grid, plan.program.f64, steps * plan.reach(), volume_tile(plan, steps), 1, 0);
        const Pieces pieces{grid.size[2], Index{1} * shape.strips * shape.tiles, traits.processors};
        offer_chunks(best, steps, pieces, planes, [&](Index each) { return volume_time(plan, grid, steps, each, traits); });
    });
}

}  // namespace

Cut choose_cut(const StepPlan& plan, const domain::Grid& grid, const Schedule& schedule, const DeviceTraits& traits) {
    const bool volume = grid.size[2] > 1;
    const Schedule own = schedule_for(schedule, volume ? Family::card_volume : Family::card_plane, plan.program);
    return volume ? choose_volume_cut(plan, grid, std::get<CardVolumeSchedule>(own), traits)
                  : choose_plane_cut(plan, grid, std::get<CardPlaneSchedule>(own), traits);
}

ModuleText emit_pass(const StepPlan& plan, const domain::Grid& grid, const Cut& cut, int steps, bool flush) {
    if (grid.size[2] > 1) return emit_volume(plan, grid, steps, flush, volume_tile(plan, steps));
    if (cut.tile.rows > 0) return emit_tile(plan, grid, steps, flush, cut.tile);
    return emit_stream(plan, grid, steps, flush);
}

}  // namespace mottle::backend::cuda
