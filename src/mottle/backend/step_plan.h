// mottle/backend/step_plan.h: what the stages of a step read, make and hand on: derived once from a Program, and read by kernels of every kind
#pragma once
#include "mottle/ir/program/program.h"

#include <array>
#include <map>
#include <set>
#include <vector>

namespace mottle::backend {

/// Cells of an array that a stage reads: from `low` to `high` along each axis, counted from its own cell.
struct Window {
    std::array<int, 3> low{}, high{};
    /// The furthest of them along an axis; 0: it reads none beside its own.
    int reach(std::size_t axis) const;
};

/// What the code of a stage reads and makes.
struct StageUse {
    explicit StageUse(const ir::Stage& stage);
    std::map<ir::Array, Window> loads;
    std::set<ir::Array> neighbours;  ///< arrays that it reads at the neighbours of a vertex
    std::set<int> tables, edges;     ///< ir::Axis and ir::Edge
    std::set<ir::Array> makes;
    bool looks_around = false;  ///< reads an array or a table in another cell than its own
    bool turns = false;         ///< reads a cell that lies beside its own along two axes at once
    int operations = 0;         ///< ir::operations

    bool reads(ir::Array array) const { return loads.contains(array); }
    /// The furthest cell that it reads of any array, or of one, along an axis.
    int reach(std::size_t axis) const;
    int reach(ir::Array array, std::size_t axis) const;
};

/// A stage of one of the steps of a pass that keeps rows in registers. It reaches 0 or 1 rows, and lies so much further behind the row that comes in.
struct Level {
    int step = 0;
    std::size_t stage = 0;
    int reach = 0;
};

/// The step of a Program, which outlives this. A Program is taken for its plan wherever only one question is asked.
struct StepPlan {
    StepPlan(const ir::Program& program);
    const ir::Program& program;
    std::vector<StageUse> stages;
    std::vector<ir::Array> cells;    ///< the arrays that a step makes anew: states and held ones
    std::set<ir::Array> maps;        ///< inputs that some stage reads
    std::set<ir::Array> neighbours;  ///< the same of all stages together
    std::set<int> tables, edges;     ///< likewise
    std::vector<bool> flushes;       ///< by stage: where a step flushes it is another one
    int operations = 0;              ///< of all stages together
    int states = 0;

    bool is_held(ir::Array array) const { return program.arrays[core::at(array)].kind == ir::ArrayInfo::Kind::held; }
    int cell_bytes() const { return program.f64 ? 8 : 4; }
    int most_operations() const;  ///< of one stage

    // What goes from stage to stage, all of it among `cells`.
    /// Read by stages behind `stage`, and not made by it.
    std::vector<ir::Array> carried(std::size_t stage) const;
    /// Read by a stage in rows beside (along axis 1).
    std::vector<ir::Array> exchanged(std::size_t stage) const;
    /// A stage is the first to read their ghosts: the states, then what the stage before it has made.
    std::vector<ir::Array> ghosted(std::size_t stage) const;
    /// Stages with exchanged arrays, and the most of these of one stage.
    int exchanging_stages() const;
    std::size_t most_exchanged() const;

    // Passes that keep rows in registers.
    /// Rows by which a stage reaches beyond its own: 1, or 0 for a held one that reads no neighbours.
    int reach(std::size_t stage) const { return stage + 1 == stages.size() || stages[stage].looks_around ? 1 : 0; }
    /// The same of all stages of a step together: by this the halo of a pass grows with each of its steps.
    int reach() const;
    /// Steps that a pass makes at least: two, or one of several stages.
    int least_steps() const { return stages.size() > 1 ? 1 : 2; }
    std::vector<Level> levels(int steps) const;
    /// Rows of one array that a step keeps while rows (along axis 1; 2: planes) go through its stages, for all arrays together.
    int kept_rows(std::size_t axis = 1) const;
    /// Arrays of which a cell is kept at the same time, where the stages of a step are made one after another in place.
    int most_alive() const;

    /// Why its steps cannot share a pass along the first `axes` axes of a grid whose sides wrap (or not): far neighbours, fields that wrap differently.
    /// "": they can.
    std::string pass_obstacle(const domain::Grid& grid, int axes) const;
};

/// Whether what lies beyond the sides of an axis is the other end of the array.
inline bool wraps_along(const ir::GhostRule& rule, int axis) { return rule[core::at(2 * axis)].rule == domain::Rule::periodic; }

}  // namespace mottle::backend
