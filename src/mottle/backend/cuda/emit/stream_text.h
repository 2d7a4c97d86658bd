// mottle/backend/cuda/emit/stream_text.h: what the texts of kernels that make several steps in one pass have in common
#pragma once
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/backend/step_plan.h"
#include "mottle/domain/grid.h"

#include <functional>
#include <string>
#include <vector>

namespace mottle::backend::cuda {

inline constexpr int kLanes = 32;

inline constexpr int kThreadRegisters = 255;         ///< that a thread may have
inline constexpr int kProcessorRegisters = 1 << 16;  ///< of a multiprocessor

/// Columns that a lane owns: 16 bytes of a row.
int stream_columns(bool f64);
/// Lanes on each side of a warp that have columns less than `reach` cells from its end.
int halo_lanes(bool f64, int reach);
/// Number of columns of the other lanes, which are still valid after a pass whose steps reach `reach` cells.
int stream_width(bool f64, int reach);

/// The strips, or chunks, of a row of `count` for which `is_inner` holds: they stand side by side.
void find_inner(int count, const std::function<bool(int)>& is_inner, int& first, int& inner);

/// The warps of a block, one below another, which exchange the rows at their edges.
struct Meeting {
    int rows = 0, warps = 0;  ///< rows of a warp
    bool ring = false;        ///< y wraps within the block: the first row is the neighbour of the last one
    int last_rows = 0;        ///< of the last warp; 0: as many as the others have
};

/// Bytes of shared memory with which the `warps` warps of `rows` rows of a block exchange edges; 0 if no stage reads neighbouring rows. A lane has `columns`
/// columns; 0 means stream_columns.
int exchange_bytes(const StepPlan& plan, int rows, int warps, int columns = 0);

/// What a text is written for: the steps that it makes, on what grid, and how a thread holds cells. All functions below return pieces of its text.
struct FusedSteps {
    const StepPlan& plan;
    const domain::Grid& grid;
    int steps = 1;                                   ///< of a pass
    bool flush = false;                              ///< the last of them is flush_step, or those for which the text tests it
    int columns = stream_columns(plan.program.f64);  ///< of a lane
    bool ring = false;                               ///< x wraps within a warp

    bool f64() const { return plan.program.f64; }
    bool wraps(int axis) const { return domain::wraps(grid, core::at(2 * axis)); }
    const ir::GhostRule& ghosts_of(ir::Array array) const { return plan.program.ghosts_of(array); }
    /// Whether this step of the pass flushes.
    bool flushes(int step) const { return flush && step + 1 == steps; }
    int reach() const { return steps * plan.reach(); }
};

inline std::string kind_text(bool border) { return border ? "border" : "inner"; }
/// "wrapped(i, n)" or "clamped(i, n)".
std::string index_text(bool wraps, const std::string& i, const std::string& n);
/// "fma(beta, inside, alpha)" or "inside".
std::string ghost_text(const ir::Ghost& ghost, const std::string& inside, bool f64);

/// kColumns and the structs Columns, Cells and Tables.
std::string structs_text(const FusedSteps& of);
std::string uniform_columns_text(const ir::Program& program);
/// float4 or double2: 16 bytes.
std::string vector_type(bool f64);
/// A line that loads 16 bytes into to[0], to[1], ..
std::string vector_load(const FusedSteps& of, const std::string& to, const std::string& from);
/// A line that stores from[0], from[1], ..; `name` is of a variable.
std::string vector_store(const FusedSteps& of, const std::string& name, const std::string& from, const std::string& to);
/// Lines that replace a map's cell by its ghost value, computed from the cell inside, where `place` along an axis is beyond a side ("": it never is).
std::string guards_text(const FusedSteps& of, ir::Array map, const std::vector<std::string>& place, const std::string& cell);

/// Functions of the names stage_name for every stage. `rows`: of a thread in a plane of a volume.
std::string stages_text(const FusedSteps& of, bool border, int rows = 0);
/// Functions ghosts0 of the states and ghostsN of what stage N - 1 holds, (where, u, row): the columns beyond both sides of a row; column 0 is the first of
/// its lane. `whole`: rows end with the columns of a lane.
std::string stage_ghosts_text(const FusedSteps& of, bool whole = false);
/// "step0_inner", "flush1_border".
std::string stage_name(const FusedSteps& of, bool flush, std::size_t stage, bool border);

/// The struct Edges and, for each stage that reads rows beside, the function meet_name(stage), (edges, warp, lane, plane, above, below): each warp
/// of a block gives its first and last row of `plane`, a struct Plane of `rows` rows, and takes the rows next to them.
std::string exchange_text(const FusedSteps& of, const Meeting& meeting);
std::string meet_name(const FusedSteps& of, std::size_t stage);

/// How a pass marches over the rows of a plane, or the planes of a volume. They are loaded one after another, two in each iteration of the loop.
struct March {
    std::string type, cells, along;  ///< "Cells", "row", "y"
    std::string loads[2] = {};       ///< for each half of an iteration: lines that declare `cells` and make it what comes in
    std::string keeps = {};          ///< a further condition of a store, " && " included
    std::function<std::string(const Level&, const std::string& current)> prepare = {};  ///< lines before a stage
    std::function<std::string(const Level&)> beside = {};                               ///< the last arguments of a stage, ", " included
};
inline std::string numbers_of(const Level& level) { return "numbers.u[" + std::to_string(level.step) + "]"; }
/// Two rows of every level that reads rows beside; p is the older one in the first half of the loop, q in the second.
std::string march_variables(const FusedSteps& of, const std::string& type);
/// Half an iteration. Each level computes a row that is behind the row just loaded by as much as this level and those before it reach together.
std::string march_text(const FusedSteps& of, const March& march, bool border, int half);
/// Lines of March::loads: `cells` is what the half before has loaded into `next`, and `next` is loaded from the place `at`, behind the line `moves`.
std::string next_text(const FusedSteps& of, const March& march, bool border, const std::string& moves, const std::string& at);

std::string state_parameters(const FusedSteps& of, const char* type, const char* suffix);
std::string state_names(const FusedSteps& of, const char* suffix);
std::vector<Argument> pass_arguments(const StepPlan& plan);
/// The parameters behind numbers and shape.
std::string pointers_text(const FusedSteps& of);
std::string axis_parameters(const StepPlan& plan);
std::string table_values(const FusedSteps& of);

}  // namespace mottle::backend::cuda
