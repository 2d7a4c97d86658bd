// mottle/stepper/stepper.h: what advances the fields of a run, and the integrator whose steps all have one length
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/field/field.h"
#include "mottle/stepper/adaptive_progress.h"
#include "mottle/stepper/split_steps.h"
#include "mottle/stepper/uniform_rows.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

/// Advances fields, which outlive it, from step 0 on. Moments are counted in steps of the dt of the run: a Stepper makes these very steps, and an Adaptive makes
/// steps of other lengths, as its tolerance allows, and reaches the moments that are asked for on its way.
class Integrator {
   public:
    virtual ~Integrator() = default;
    /// Ends early with `diverged` or, if the observer asks for it, `stopped`; and after `most` steps, to be called again with the same `step`.
    virtual Outcome advance_to(Index step, Index most = kAnyNumber) = 0;
    virtual core::Moment now() const = 0;
    /// The fields have been set to those after `step`. `origin` is the time of step 0; an Adaptive keeps its own.
    virtual void start_at(Index step, double origin) = 0;
    /// The fields or their maps have been changed since the last step.
    virtual void fields_changed() = 0;
    /// Takes effect from the next step on. Throws: InputError (unknown name with the nearest, bound to a map, not finite).
    virtual void set_parameter(const std::string& name, double value) = 0;
    /// The wall time of the steps so far.
    virtual double seconds() const = 0;
    /// What the steps have come to, where they follow a tolerance; else null.
    virtual const AccuracyRecord* accuracy() const { return nullptr; }

    /// What a saved state holds: the fields and, of an Adaptive, those of its companion (else null) and its progress.
    virtual std::pair<field::Field&, field::Field*> saved_fields() = 0;
    virtual std::optional<AdaptiveProgress> progress() const { return std::nullopt; }
    /// Goes on with the same bits at `step`, where a saved state has been read into saved_fields(). False if `progress` is not that of such an integrator.
    virtual bool go_on(Index step, double origin, const std::optional<AdaptiveProgress>& progress) {
        start_at(step, origin);
        return !progress;
    }
};

/// Time of step n is origin + n dt. Finiteness is tested where every advance ends and at every step that is a multiple of kTestInterval.
class Stepper final : public Integrator {
   public:
    /// `inputs` as Program::inputs; "dt" is filled in here, "t" is the time of step 0. `stages`: steps of the kernel that make a step (ir::kernel_steps_of).
    Stepper(field::Field& field, std::vector<double> inputs, double dt, core::Context& context, int stages = 1);

    /// Calls that end after `most` steps test for divergence at the same steps as one call would.
    Outcome advance_to(Index step, Index most = kAnyNumber) override;
    core::Moment now() const override;
    void start_at(Index step, double origin) override;
    void fields_changed() override {}
    void set_parameter(const std::string& name, double value) override;
    double seconds() const override { return seconds_; }  ///< inside Kernel::advance
    std::pair<field::Field&, field::Field*> saved_fields() override { return {field_, nullptr}; }

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
