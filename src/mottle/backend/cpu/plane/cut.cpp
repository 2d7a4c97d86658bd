// mottle/backend/cpu/plane/cut.cpp: the cost model of planes: how many bands, how many fused steps, how many rows per call
#include "mottle/backend/cpu/plane/cut.h"

#include "mottle/domain/piece.h"

#include <algorithm>
#include <utility>

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kSpareBytes = std::size_t{8} << 20;  // that a run may take beside its fields
constexpr std::size_t kNearBytes = 40 << 10;               // of L1, for the rows between two levels
constexpr std::size_t kWideSlot = 24 << 10;                // rows of all fields from which on strips pay
constexpr std::size_t kWideStagedSlot = 18 << 10;          // the same of stages, of fields and increments
constexpr std::size_t kNearStagedSlot = 9 << 10;           // up to which the L1 holds what four rows of a stage read
constexpr Index kFewestOwn = 640;                          // cells of a strip; with fewer the ghosts weigh too much
constexpr Index kFewestStaged = 512;                       // the same of stages
constexpr Index kFewestExchanged = 1024;                   // the same where strips also exchange the fields with which steps began, or ...
constexpr std::size_t kFarBytes = std::size_t{128} << 20;  // ... the state is larger than this and comes from memory
constexpr int kStagedRows = 2;                             // per call, of stages whose rows the L1 does not hold
constexpr Index kFewestCells = 4096;                       // a row worth the while of several threads
constexpr int kUsualSteps = 16;
constexpr int kMostSteps = 24;        // where the live window takes a third of the L2 or less, and ...
constexpr Index kRowsOfAStep = 4;     // ... a band has so many rows for each
constexpr int kStepsInCache = 4;      // of a band that is alone and stays in the L2: the rows of so many levels stay in the L1
constexpr int kMostStreams = 13;      // rows of arrays that one call goes through, where maps are among them and the L1 does not hold them
constexpr int kFewestBesideMaps = 3;  // rows per call; strips cost less than fewer
constexpr int kFewestBesideHeld = 2;  // the same of stages that read what others hold; one row alone is read three times
constexpr int kFewStages = 2;         // of a step; what more of them hold is read from far behind, and should be in the L2 still
constexpr int kWorthJoining = 10;     // operations of two stages; fewer wait for loads and stores, of which one loop has as many
constexpr Index kFewestJoined = 2;    // columns of a row that one loop of two stages takes
constexpr Index kFewestRows = 16;     // of a band: with fewer it mostly waits for the next
/// Operations of a band in one pass: fewer take less time than the transfer of the rows from the next band.
constexpr double kWorthAnExchange = 4.5e5;

// The live window (rows between the first and the last level, twice, since rows shift) should fill most of the L2, not overflow it. Every pass begins
// and ends with few levels at work.
int choose_steps(const Plan& plan, std::size_t slot, int block, Index own_rows) {
    const int reach = std::max(1, plan.skew + plan.radius);
    const auto steps_in = [&](std::size_t bytes) {
        return (static_cast<int>(std::min<std::size_t>(bytes / slot, 4096)) - block - 2) / reach;
    };
    const int most = static_cast<int>(std::min<Index>(own_rows / kRowsOfAStep, kMostSteps));
    const std::size_t bytes = plan.stages.size() <= kFewStages ? kCacheBytes * 9 / 10 : kCacheBytes / 3;
    return std::max(std::clamp(steps_in(bytes), 4, kUsualSteps), std::min(steps_in(kCacheBytes / 3), most));
}

// The number of bands that have enough work for one thread each.
Index bands_worth_while(const Plan& plan, const domain::Grid& grid) {
    const double in_a_pass = static_cast<double>(plan.step.operations) * static_cast<double>(grid.size[0] * grid.size[1]) * kUsualSteps;
    return std::max<Index>(1, static_cast<Index>(in_a_pass / kWorthAnExchange));
}

/// Rows of arrays that a call for `rows` rows of a stage of a plane reads.
int streams_of(const StageUse& stage, const Plan& plan, int rows) {
    int count = 0;
    for (const auto& [array, window] : stage.loads) {
        const Along along = plan.groups[core::at(plan.group_of[core::at(array)])].along;
        const int all = rows + std::max(0, window.high[1]) - std::min(0, window.low[1]);
        count += along == Along::both ? all : along == Along::x ? 1 : 0;
    }
    return count;
}

/// The largest number of rows per call, at most `rows` and at least `fewest`, for which the data that one call of a stage reads fits into the L1, or is only a few rows.
int rows_near(const StageUse& stage, const Plan& plan, std::size_t row_bytes, int rows, int fewest) {
    const auto is_far = [&](int count) { return count > kMostStreams && core::at(count) * row_bytes > kNearBytes; };
    while (rows > fewest && is_far(streams_of(stage, plan, rows))) --rows;
    return rows;
}

bool reads_maps(const Plan& plan, const StagePlan& stage) {
    return std::any_of(stage.inputs.begin(), stage.inputs.end(), [&](const RowInput& input) {
        const Group& group = plan.groups[core::at(input.group)];
        return group.home == Home::map && group.along == Along::both;
    });
}

// What is left of the rows per call beside maps, which come on top of what other stages go through. `row_bytes`: of one array.
std::vector<int> blocks_beside_maps(const Plan& plan, std::optional<int> asked, std::size_t row_bytes, const Cut& cut) {
    std::vector<int> rows = cut.calls.rows;
    for (std::size_t s = 0; !asked && s < rows.size(); ++s) {
        if (reads_maps(plan, plan.stages[s])) rows[s] = rows_near(plan.step.stages[s], plan, row_bytes, rows[s], 1);
    }
    return rows;
}

void choose_joined(const Plan& plan, const EmitOptions& options, Cut& cut) {
    for (const JoinedStages& joined : plan.joined) {
        const auto first = cut.calls.rows.begin() + joined.first;
        const bool alike = first[0] == cut.calls.block && first[1] == cut.calls.block;
        const bool worth = ir::operations(joined.step.code) >= kWorthJoining;
        cut.calls.joined.push_back(alike && worth && fits_registers(joined, cut.calls.block, options));
    }
}

// Where stages go through more than the L1 holds, and no loop makes two of them at once, all take as few rows as the one that reads most: then two of
// them may fit into one loop, too.
void narrow_blocks(const Plan& plan, std::optional<int> asked, const EmitOptions& options, std::size_t row_bytes, Cut& cut) {
    const std::vector<bool>& joined = cut.calls.joined;
    if (asked || plan.stages.size() == 1 || std::find(joined.begin(), joined.end(), true) != joined.end()) return;
    int least = cut.calls.block;
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
        least = std::min(least, rows_near(plan.step.stages[s], plan, row_bytes, cut.calls.block, kFewestBesideHeld));
    if (least >= cut.calls.block) return;
    for (int& rows : cut.calls.rows) rows = std::min(rows, least);
    cut.calls.block = least;
    cut.calls.joined.clear();
    choose_joined(plan, options, cut);
}

/// Of a row of the fields and increments that every stage reads and writes.
std::size_t staged_slot(const ir::Program& program, std::size_t row_bytes) { return 2 * core::at(program.field_count()) * row_bytes; }

// Stages go through twice as many rows as steps of Euler's method, and what comes from the L2 limits them (docs/notes/methods-and-noise.md).
void narrow_stages(const ir::Program& program, std::optional<int> asked, std::size_t row_bytes, Cut& cut) {
    if (!program.staged || asked || staged_slot(program, row_bytes) <= kNearStagedSlot) return;
    for (int& rows : cut.calls.rows) rows = std::min(rows, kStagedRows);
    cut.calls.block = std::min(cut.calls.block, kStagedRows);
}

bool has_wide_slot(const ir::Program& program, const Plan& plan, const RowLayout& whole) {
    return program.staged ? staged_slot(program, whole.row_bytes()) > kWideStagedSlot : slot_bytes(plan, whole) > kWideSlot;
}

Index fewest_own(const ir::Program& program, std::size_t state_bytes) {
    if (!program.staged) return kFewestOwn;
    return program.staged->order == 2 || state_bytes > kFarBytes ? kFewestExchanged : kFewestStaged;
}

// Own cells of a strip, or 0 for whole rows: the rows that two neighbouring levels share should stay in the L1.
Index choose_strip(const ir::Program& program, const Plan& plan, const PlaneSchedule& request, const RowLayout& whole, Index height,
                   const Cut& cut, int threads) {
    const std::size_t slot = slot_bytes(plan, whole);
    const bool few_rows = height < kFewestRows * 2 && threads > 1 && whole.width() >= kFewestCells;
    const std::vector<int> left = blocks_beside_maps(plan, request.rows, whole.row_bytes(), cut);
    const bool too_few_left = left != cut.calls.rows && *std::min_element(left.begin(), left.end()) < kFewestBesideMaps;
    if (!has_wide_slot(program, plan, whole) && !few_rows && !(too_few_left && whole.width() > kFewestOwn)) return 0;
    const auto rows = core::at(std::min<Index>(height, cut.calls.block + 2));
    const Index cells =
        std::max(fewest_own(program, slot * core::at(height)), static_cast<Index>(kNearBytes / rows / (slot / core::at(whole.width()))));
    return few_rows ? std::min(cells, whole.width() / threads) : cells;
}

}  // namespace

std::size_t slot_bytes(const Plan& plan, const RowLayout& layout) {
    std::size_t arrays = 0;
    for (const auto& group : plan.groups) arrays += group.along == Along::both ? group.arrays.size() : 0;
    return arrays * layout.array_pitch();
}

// Rows per call of each stage, as if rows were narrow.
void choose_blocks(const ir::Program& program, const Plan& plan, std::optional<int> asked, const EmitOptions& options, Cut& cut) {
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const int rows = asked ? *asked : choose_rows(program, plan, static_cast<int>(s), options);
        cut.calls.rows.push_back(std::min(rows, 8));
    }
    cut.calls.block = *std::max_element(cut.calls.rows.begin(), cut.calls.rows.end());
}

Cut choose_cut(const ir::Program& program, const Plan& plan, const domain::Grid& grid, const PlaneSchedule& request, const Isa& isa,
               int threads) {
    Cut cut;
    cut.strips = whole_row(grid, isa, program.f64);
    const RowLayout whole = cut.strips.strips[0].layout;
    Index height = grid.size[1];
    const EmitOptions options = emit_options(isa, cut.strips);
    choose_blocks(program, plan, request.rows, options, cut);
    const Index strip_cells = request.strip ? *request.strip : choose_strip(program, plan, request, whole, height, cut, threads);
    const std::size_t row_bytes = strip_cells > 0 ? core::at(strip_cells) * whole.scalar_bytes() : whole.row_bytes();
    cut.calls.rows = blocks_beside_maps(plan, request.rows, row_bytes, cut);
    cut.calls.block = *std::max_element(cut.calls.rows.begin(), cut.calls.rows.end());
    narrow_stages(program, request.rows, row_bytes, cut);
    choose_joined(plan, options, cut);
    narrow_blocks(plan, request.rows, options, row_bytes, cut);
    const Index most_parts = request.bands ? height : std::min(std::max<Index>(1, height / kFewestRows), bands_worth_while(plan, grid));
    cut.parts = static_cast<int>(std::min<Index>(request.bands.value_or(threads), most_parts));
    const std::size_t cell_bytes = slot_bytes(plan, whole) / core::at(whole.width());
    const std::size_t slot = strip_cells > 0 ? core::at(strip_cells) * cell_bytes : slot_bytes(plan, whole);
    cut.steps = request.steps ? *request.steps : choose_steps(plan, slot, cut.calls.block, height / cut.parts);
    const bool alone_in_cache = cut.parts == 1 && slot_bytes(plan, whole) * core::at(height) <= kCacheBytes * 3 / 8;
    if (!request.steps && alone_in_cache) cut.steps = std::min(cut.steps, kStepsInCache);
    // the last rows of a band need rows of the next band only
    while (cut.parts > 1 && height / cut.parts < 2 * plan.radius) --cut.parts;
    // two copies of the first rows of every band, 2 * radius for each step
    const auto put_aside = [&](int steps) { return std::size_t{4} * core::at(plan.radius * steps * cut.parts) * slot_bytes(plan, whole); };
    const std::size_t most_aside = std::max(kSpareBytes, slot_bytes(plan, whole) * core::at(height) / 4);
    while (!request.steps && cut.steps > kStepsInCache && put_aside(cut.steps) > most_aside) cut.steps /= 2;
    if (strip_cells > 0) {
        const bool wraps = domain::wraps(grid, domain::kLeft);
        // all arrays share the ghost cells of a strip: where some wrap and others do not, rows are not cut
        const bool alike = std::all_of(program.arrays.begin(), program.arrays.end(), [&](const ir::ArrayInfo& array) {
            return wraps_along(program.ghosts[core::at(array.ghost_rule)], 0) == wraps;
        });
        if (alike)
            cut.strips = cut_row(grid.size[0], strip_cells, static_cast<Index>(plan.columns) * cut.steps, wraps, whole.lanes(),
                                 whole.scalar_bytes());
    }
    for (const Strip& strip : cut.strips.strips) {
        if (strip.layout.columns() < kFewestJoined) cut.calls.joined.assign(plan.joined.size(), false);
    }
    return cut;
}

Terms terms_of(const ir::Program& program, const domain::Grid& grid, const PlaneSchedule& request) {
    const auto sides = {domain::kLeft, domain::kRight, domain::kTop, domain::kBottom};
    const bool whole = std::none_of(sides.begin(), sides.end(), [&](domain::Side side) { return domain::is_halo(grid, side); });
    return program.phases && request.strip == 0 && whole ? Terms::passing : Terms::kept;
}

EmitOptions emit_options(const Isa& isa, const Strips& strips) {
    const RowLayout& layout = strips.strips[0].layout;
    return {isa, layout.lanes(), layout.overlap(), {}};
}

Strips whole_row(const domain::Grid& grid, const Isa& isa, bool f64) {
    std::size_t scalar = f64 ? 8 : 4;
    return whole_row(grid.size[0], isa.register_bytes / static_cast<int>(scalar), scalar);
}

}  // namespace mottle::backend::cpu
