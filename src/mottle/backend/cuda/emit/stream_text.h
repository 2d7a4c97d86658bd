// mottle/backend/cuda/emit/stream_text.h: what the texts of kernels that make several steps in one pass have in common
#pragma once
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/domain/grid.h"

#include <set>
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
/// Columns of the other lanes: a pass whose steps reach so far leaves them valid.
int stream_width(bool f64, int reach);
/// Why the step cannot share a pass with others along the first `axes` axes: far neighbours, fields that wrap differently. "": it can.
std::string pass_obstacle(const ir::Program& program, const domain::Grid& grid, int axes);

/// The warps of a block, one below another, that give each other the rows at their edges.
struct Meeting {
    int rows = 0, warps = 0;  ///< rows of a warp
    bool ring = false;        ///< the first row lies below the last one
    int last_rows = 0;        ///< of the last warp; 0: as many as the others have
};

/// Bytes of shared memory of a block of `warps` warps of `rows` rows whose edges meet; 0: no state is read in rows beside. A lane has `columns`
/// columns; 0: stream_columns.
int exchange_bytes(const ir::Program& program, int rows, int warps, int columns = 0);

/// The maps that a step reads.
std::set<ir::Array> read_maps(const ir::Program& program);
bool wraps_along(const ir::GhostRule& rule, int direction);
/// "fma(beta, inside, alpha)" or "inside".
std::string ghost_text(const ir::Ghost& ghost, const std::string& inside, bool f64);

/// Writes a text: names, parameters and the functions that planes and volumes share.
class StreamText {
   protected:
    StreamText(const ir::Program& program, const domain::Grid& grid, int steps, bool flush);

    std::string vector_type() const { return program_.f64 ? "double2" : "float4"; }
    static const char* member(int col);
    /// kColumns and the structs Columns, Cells and Tables.
    void structs();
    /// "wrapped(i, n)" or "clamped(i, n)".
    std::string index_text(const ir::GhostRule& rule, int d, const std::string& i, const std::string& n) const;
    /// A line that loads 16 bytes into to[0], to[1], ..
    void vector_load(const std::string& to, const std::string& from);
    /// A line that stores from[0], from[1], ..; `name` is of a variable.
    void vector_store(const std::string& name, const std::string& from, const std::string& to);
    /// A line that makes a ghost of a map's cell from the cell inside.
    void guard(const std::string& beyond, const ir::Ghost& ghost, const std::string& cell);
    /// A function of this name, (where, u, row): the columns of `arrays` beyond both sides of a row; column 0 is the first of its lane.
    /// `whole`: rows end with the columns of a lane.
    void column_ghosts(const std::string& name, const std::vector<ir::Array>& arrays, bool whole = false);

    /// Functions of the names stage_name for every stage. `rows`: of a thread in a plane of a volume.
    void stages(bool border, int rows = 0);
    /// ghosts0 of the states and ghostsN of what stage N - 1 holds, as column_ghosts makes them.
    void stage_ghosts(bool whole = false);
    static std::string kind(bool border) { return border ? "border" : "inner"; }
    /// "step0_inner", "flush1_border".
    std::string stage_name(bool flush, std::size_t stage, bool border) const;
    /// Whether the stage is another one where a step flushes: that which makes the states.
    bool flushes_in(std::size_t stage) const;
    /// Whether this step of the pass flushes.
    bool flushes(int step) const { return flush_ && step + 1 == steps_; }

    /// The struct Edges and, for each stage that reads rows beside, the function meet_name(stage), (edges, warp, lane, plane, above, below): each warp
    /// of a block gives its first and last row of `plane`, a struct Plane of `rows` rows, and takes the rows next to them.
    void exchange(const Meeting& meeting);
    std::string meet_name(std::size_t stage) const;

    std::string state_parameters(const char* type, const char* suffix) const;
    std::string state_names(const char* suffix) const;
    std::vector<Argument> arguments() const;
    /// The parameters behind numbers and shape.
    std::string pointers() const;
    std::string table_values() const;

    const ir::Program& program_;
    const domain::Grid& grid_;
    int steps_;
    bool flush_;
    int columns_, states_;
    bool ring_ = false;  ///< the columns of a warp are one
    std::set<int> axes_;
    std::set<ir::Array> maps_;
    std::string text_;

   private:
    void meet(const Meeting& meeting, std::size_t stage, const std::string& type, int width);
};

}  // namespace mottle::backend::cuda
