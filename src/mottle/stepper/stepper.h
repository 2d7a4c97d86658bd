// mottle/stepper/stepper.h: advances a field to given moments, tests for divergence, reports progress
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/field/field.h"
#include "mottle/stepper/split_steps.h"
#include "mottle/stepper/uniform_rows.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mottle::stepper {

using core::Index;

/// How a run, or a stretch of it, ended.
enum class Verdict {
    reached,    ///< at the step asked for
    patterned,  ///< at rest, with a pattern
    uniform,    ///< at rest, all alike
    unsettled,  ///< at its last step, without having become steady (--until)
    diverged,
    stopped  ///< by the observer
};
/// "reached", "patterned", "uniform", "limit reached" (of `unsettled`), "diverged", "interrupted".
const char* word_of(Verdict verdict);
constexpr bool is_at_rest(Verdict verdict) { return verdict == Verdict::patterned || verdict == Verdict::uniform; }

struct Outcome {
    Verdict verdict = Verdict::reached;
    core::Moment at;
    std::string why;  ///< of one that diverged: interval, field, cell
    Index good = 0;   ///< of one that diverged: the last step at which all fields were seen to be finite
};

/// Steps between two tests for divergence, and between two checks of --until.
inline constexpr Index kTestInterval = 1024;
/// Steps: as many as it takes.
inline constexpr Index kAnyNumber = std::numeric_limits<Index>::max();

/// The index among the inputs of a parameter that may become `value` during a run. Throws: InputError (unknown name with the nearest, bound to a map, not finite).
int index_of_parameter(const ir::Program& program, const std::string& name, double value);

/// Time of step n is origin + n dt. Finiteness is tested where every advance ends and at every step that is a multiple of kTestInterval.
class Stepper {
   public:
    /// `inputs` as Program::inputs; "dt" is filled in here, "t" is the time of step 0. `stages`: steps of the kernel that make a step (ir::kernel_steps_of).
    Stepper(field::Field& field, std::vector<double> inputs, double dt, core::Context& context, int stages = 1);

    /// The fields are those after `step`: for a resumed run.
    void start_at(Index step) { step_ = tested_ = reported_step_ = step; }
    /// The same, and `origin` is the time of step 0.
    void start_at(Index step, double origin);
    /// Ends early with `diverged` or, if the observer asks for it, `stopped`; and after `most` steps, to be called again, which tests for divergence at
    /// the same steps as one call would.
    Outcome advance_to(Index step, Index most = kAnyNumber);
    /// Takes effect from the next step on. Throws: InputError (unknown name with the nearest, bound to a map, not finite).
    void set_parameter(const std::string& name, double value);
    core::Moment now() const;
    /// Wall seconds inside Kernel::advance so far.
    double seconds() const { return seconds_; }

   private:
    friend std::vector<Outcome> advance_together(std::span<Stepper* const> steppers, Index step, Index most);

    /// The first step of the kernel of those that make step `step`.
    Index in_kernel(Index step) const { return step * uniforms_.stages(); }
    /// The longest launch of about kLaunchSeconds.
    Index launch_of(double seconds_per_step) const;
    /// Steps from here to `step` or to the next test for divergence, whichever comes first.
    Index steps_to_look(Index step) const;
    /// What the kernel is asked for `steps` steps; valid until the next call.
    backend::Advance begin_launch(Index steps);
    /// The launch itself, where more belongs to a step than the kernel does.
    void launch_step_by_step(Index steps);
    /// `seconds`: of this field; `launch_seconds`: of all that were in the launch.
    void end_launch(Index steps, double seconds, double launch_seconds);
    std::optional<Outcome> find_divergence();
    std::string infinite_number();
    bool report();

    field::Field& field_;
    double origin_, dt_;
    core::Context& context_;
    UniformRows uniforms_;
    std::unique_ptr<SplitSteps> split_;  ///< null: the steps of the kernel are those of the run
    Index step_ = 0;
    Index tested_ = 0;  ///< the last step whose fields were all finite
    double seconds_ = 0;
    Index launch_steps_;  ///< of one call of Kernel::advance, at most: short enough for the observer, long enough to fuse
    core::SteadyClock::time_point reported_at_;
    Index reported_step_ = 0;
    double reported_seconds_ = 0;
};

}  // namespace mottle::stepper
