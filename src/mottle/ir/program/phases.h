// mottle/ir/program/phases.h: a step that needs sums over all cells, as phases between which these are formed
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace mottle::ir {

using Array = std::int32_t;  ///< index into Program::arrays

/// mean(f) or integral(f): the exact sum of an array over all cells (of a surface: of area * value), which uniforms read as an input.
struct Sum {
    Array array;
    bool integral;  ///< times the size of a cell; else by their number (by the area)
    int input;      ///< index into Program::inputs
};

/// Program::step, once, with inputs of its own. Times are shares of dt from the time of the step; in a stage of Program::staged they are 0, its begin, or 1, its end.
struct Phase {
    std::vector<int> sums;         ///< of Phases::sums, formed before it
    double time = 0;               ///< of the input "t"
    double held = 1;               ///< of the input PhaseInputs::held
    double next = 0;               ///< of the input PhaseInputs::next
    bool ends = false;             ///< the step: `next` is the time of the next one
    std::vector<double> switches;  ///< values of the inputs from PhaseInputs::first_switch on
};

/// The inputs by which one code serves phases that do different things.
struct PhaseInputs {
    int held;          ///< the time of what the fields have behind the phase
    int next;          ///< what the next phase has for t
    int first_switch;  ///< of as many as each phase has switches
};

/// A step that needs sums over all cells: one phase after another, each of which a kernel runs as if it were a step.
struct Phases {
    std::vector<Sum> sums;
    std::optional<PhaseInputs> differ;  ///< none: all phases do the same
    std::optional<int> flush;    ///< f64: the input below which values become 0 (at the end of steps for which Program::is_seam holds)
    std::optional<Phase> begin;  ///< makes the states beside the fields from these; before the first step of a launch
    std::vector<Phase> step;
};

}  // namespace mottle::ir
