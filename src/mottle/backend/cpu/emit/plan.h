// mottle/backend/cpu/emit/plan.h: where the arrays of a Program are stored while a pass advances them, and which rows each stage needs
#pragma once
#include "mottle/backend/cpu/emit/numbers.h"
#include "mottle/backend/step_plan.h"
#include "mottle/ir/program/program.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace mottle::backend::cpu {

/// Where rows live. shifting: a state of which the last stage reads other rows (in a volume other cells); its row y of time t stands in the slot of
/// row y-1 of time t-1 (in a volume row y of plane z in that of row y-1 of plane z-1). resting: any other state; it is updated where it stands.
/// held: a ring of the live window, which also has states of Terms::passing. map: written once.
enum class Home { shifting, resting, held, map };

/// What a map of a plane varies along. x: one row stands for all. y: the first column of a row stands for all of it.
enum class Along { both, x, y };

/// Arrays with the same home that are `along` the same, whose rows all wrap from bottom to top or none does, stand beside each other in one row slot.
struct Group {
    Home home;
    Along along;
    bool wraps;
    std::vector<ir::Array> arrays;
    bool stays = false;  ///< resting, and a step leaves some array as it is: that is not written
};

/// Whether a store writes back what stands there.
bool writes_back(const ir::Stage& stage, const std::pair<ir::Array, ir::Value>& store);

inline bool is_state(const Group& group) { return group.home == Home::shifting || group.home == Home::resting; }

/// Rows of a group that a stage uses for its row: low..high (-1..1) along the pass; if `beside`, those next to its row across the pass too.
struct RowInput {
    int group;
    int low, high;
    bool beside = false;
};

struct Plan;

struct StagePlan {
    int radius = 0;   ///< rows it reaches along the pass
    int columns = 0;  ///< cells it reaches along x
    int beside = 0;   ///< rows it reaches across
    int skew = 0;     ///< rows it runs behind the stage before it
    std::vector<RowInput> inputs = {};
    std::vector<int> outputs = {};  ///< groups
    std::vector<int> axes = {};     ///< ir::Axis tables used, ascending

    /// The input of a group, or -1.
    int input_of(int group) const;
    /// Whether the row itself is among those of an input, which may be -1.
    bool has_centre(int input) const { return input >= 0 && inputs[core::at(input)].low <= 0 && inputs[core::at(input)].high >= 0; }
    /// In a volume, of a group that is an output: which of the pointers of its input (from 0) the place of what is made is counted from; -1: it has none.
    int made_from(const Plan& plan, int group) const;
    /// Row pointers of one kernel call for `rows` rows: those of each input (rows + high - low), then those of each output (rows).
    int input_pointer(int input, int rows) const;
    int output_pointer(int output, int rows) const;
    int pointers(int rows) const;
};

/// Two stages of a plane that one loop computes. The first one is a row and a column ahead, so that the second one finds all that it reads.
struct JoinedStages {
    int first = 0;          ///< the second follows it
    std::size_t ahead = 0;  ///< number of stores of the first stage; they come before those of the second
    ir::Stage step,
        flush;  ///< the code of both stages, with offsets relative to the cell of the second one; `flush` is empty if no step flushes, or if another stage does
    StagePlan plan;  ///< with rows relative to that of the second stage
};
constexpr int kAhead = 1;  ///< rows and columns between the two

/// A pass goes along y, and the rows of one call are neighbours in y; in a volume it goes along z, from plane to plane, and so do the rows of a call.
struct Plan {
    StepPlan step;  ///< of a Program, which outlives this
    bool volume = false;
    std::vector<Group> groups = {};
    std::vector<int> group_of = {}, ordinal_of = {};  ///< by array
    std::vector<StagePlan> stages = {};
    std::vector<JoinedStages> joined = {};  ///< a stage belongs to at most one pair
    std::vector<bool> beyond_rows = {};     ///< by array: some stage reads it beyond the ends of its rows, where ghosts stand
    Constants constants = {};
    int skew = 0;     ///< rows that the stages of a time step run behind each other, together
    int radius = 0;   ///< rows that one time step reaches along the pass
    int columns = 0;  ///< cells that it reaches along x
    int beside = 0;   ///< rows that it reaches across

    /// The arrays of its largest group, at least 1.
    int most_arrays() const;
    bool any_wraps() const;
    bool all_wrap() const;
};

/// Who keeps the cells of an array that a step makes for nothing but sums: a state has room for them, or they are added up while they stand in the live window.
enum class Terms { kept, passing };

/// `volume`: the grid has a depth. Throws: InternalError if a stencil of a volume reaches along two axes at once.
Plan make_plan(const ir::Program& program, bool volume = false, Terms terms = Terms::kept);

}  // namespace mottle::backend::cpu
