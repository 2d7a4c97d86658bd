// mottle/stepper/uniform_rows.h: the values of a Program's uniforms for the steps of a launch, and for the stages of which they are made
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/white_noise.h"

#include <optional>
#include <string>
#include <vector>

namespace mottle::stepper {

using core::Index;

/// Keeps one row where nothing depends on t, else a row per step of the kernel, of which a step of the run is `stages`. Memory is reused: nothing is
/// allocated per step.
class UniformRows {
   public:
    /// `inputs` as Program::inputs; "t" is the time of step 0, the parts of a key are those of the seed. `stages`: 1 but for an ir::Program::staged.
    UniformRows(const ir::Program& program, std::vector<double> inputs, double dt, int stages = 1);

    /// The index of an input. -1 if there is none of this name.
    int find(const std::string& name) const;
    double input(int index) const { return inputs_[core::at(index)]; }
    void set(int index, double value);
    /// The time of step 0.
    void set_origin(double time);
    int stages() const { return stages_; }
    double dt() const { return dt_; }

    /// Rows for steps `first` .. `first` + `count` - 1 of the kernel; valid until the next call.
    backend::UniformTable rows(Index first, Index count);
    /// The row of the time `share` of a step behind the beginning of step `step`, where a step of the run is one of the kernel; valid until the next call.
    backend::UniformTable row_within(Index step, double share);
    /// All inputs as they are in step `step` of the kernel, where no phases differ; those of white() as they are.
    std::vector<double> inputs_of(Index step) const;
    /// One row for a phase of step `step` of the kernel; `sums` by ir::Phases::sums. Valid until the next call.
    backend::UniformTable phase_row(const ir::Phase& phase, Index step, std::span<const double> sums);

   private:
    struct Timed {
        std::size_t column;
        ir::Code code;  ///< Op::load stands for an input that differs between steps
    };

    void find_phased();
    void find_stage_inputs();
    void fill_table(Index first, Index count);
    void evaluate_timed(Index first, Index count);
    /// Input `index` at these steps.
    void fill(int index, Index first, std::span<double> out) const;
    double time_of(Index step) const { return origin_ + (static_cast<double>(step) + within_) * dt_; }
    /// The times of the fields that step `step` of the kernel reads and leaves.
    double begin_of(Index step) const;
    double end_of(Index step) const;
    /// Of a step of the kernel that is a stage.
    double stage_value(ir::StageInput input, Index step) const;

    const ir::Program& program_;
    std::vector<double> inputs_;
    double origin_ = 0, dt_;
    double within_ = 0;  ///< steps: of row_within
    int stages_;
    ir::LegendreStep recursion_;                               ///< without stages where a step of the run is one of the kernel
    std::vector<std::optional<ir::StageInput>> stage_inputs_;  ///< by input
    bool reads_time_ = false;                                  ///< else the rows of all steps of the run are alike
    Index filled_ = 0;                                         ///< rows of table_ that are those of stages, from the first one of a step on
    int time_;                                                 ///< index of "t"
    int key_ = -1;                                             ///< of the first part of the key; -1: there is none
    ir::KeyParts seed_{};
    std::vector<ir::KeyParts> keys_;  ///< of the steps that are evaluated at once
    std::vector<double> constants_;   ///< one row; the columns of timed uniforms are overwritten per step
    bool stale_ = true;
    std::vector<Timed> timed_;
    std::vector<double> table_;
    ir::RowEvaluator<double> evaluator_;
    std::vector<std::size_t> phased_;  ///< uniforms that differ from phase to phase
    ir::RowEvaluator<double> single_{1};
};

}  // namespace mottle::stepper
