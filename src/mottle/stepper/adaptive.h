// mottle/stepper/adaptive.h: advances a field by steps as long as a tolerance allows: stretches made twice, compared, and made anew where they differ
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/stepper/stepper.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mottle::stepper {

/// What the error of a run may be, and what bounds its steps.
struct Tolerance {
    double share = 0;                   ///< of the standard deviation of each field: the error that may come together over `length`
    double length = 0;                  ///< the time of the run, above 0
    double longest = 0;                 ///< the longest stable dt
    double first = 0;                   ///< dt of the first steps, or a little less
    int order = 1, evaluations = 1;     ///< of the method; evaluations of the rates in a step of the kernel
    std::function<int(double)> stages;  ///< of a step of dt: steps of the kernel that make one
    /// Whether steps of dt let nothing grow that decays about these fields at this time. Empty: all do.
    std::function<bool(const field::Field& field, double time, double dt)> bears;
};

/// Steps are of the ladder length * 2^(-k/2), and a stretch is a number of them that depends on k alone. Beside the fields goes a companion, from the same start by steps of 2 dt.
/// Of a method of order p its difference from the fields is 2^p - 1 times their error: that of the whole run so far, with all that has faded or grown of it. A stretch counts where the
/// root mean square of the error, by the standard deviation of the field, has not passed its part of the tolerance, which grows along the run, or has grown by no more than
/// share * (time of the stretch)/length. Else it is made anew, with shorter steps. Nothing that looks at the fields has a part in what is computed: a moment within a
/// stretch is reached from a copy, by whole steps and a shorter one.
/// Sums are exact, and the rules have no functions but the square root: the steps are the same on every machine, on any number of threads.
class Adaptive final : public Integrator {
   public:
    /// `shown`: the field at the moments that are asked for; now at step 0. Moment of step n: start + n tick, "t" among the inputs being start.
    Adaptive(field::Field& shown, std::vector<double> inputs, double tick, Tolerance tolerance, core::Context& context);

    /// Diverges where no step is short enough.
    Outcome advance_to(Index tick, Index most = kAnyNumber) override;
    core::Moment now() const override { return {tick_, time_of(tick_)}; }
    /// A stretch begins there, and so it does where anything is changed.
    void start_at(Index tick, double /*origin*/) override;
    void fields_changed() override { start_at(tick_, begin_); }
    void set_parameter(const std::string& name, double value) override;
    double seconds() const override { return seconds_; }  ///< in advance_to: steps, comparisons and copies
    const AccuracyRecord* accuracy() const override { return &record_; }
    std::pair<field::Field&, field::Field*> saved_fields() override { return {*start_, made_ ? companion_end_.get() : companion_.get()}; }
    std::optional<AdaptiveProgress> progress() const override;
    bool go_on(Index tick, double /*origin*/, const std::optional<AdaptiveProgress>& saved) override;

   private:
    struct Rung {
        double dt;
        int stages, coarse_stages;
        Index steps;  ///< of a stretch, even
    };
    enum class Made { well, stopped, failed };

    const Rung& rung(int k);
    double step_of(int k) const;
    double time_of(Index tick) const { return begin_ + static_cast<double>(tick) * step_; }
    double end_of_stretch() { return at_ + static_cast<double>(rung(rung_).steps) * rung(rung_).dt; }
    std::unique_ptr<field::Field> blank();
    /// Steps first .. first + count - 1 of those of dt from `time` on.
    void run(field::Field& field, double time, double dt, int stages, Index first, Index count);
    Outcome go_to(Index tick);
    /// Makes stretches until one ends at `time` or later.
    Made make_stretches(double time);
    Made make_stretch();
    /// Shortens the next steps until what decays about the fields where the stretch begins would not grow by the steps of the companion: a state at rest asks for no digits, and so for
    /// steps of any length, and would be left by those.
    void bound_next();
    /// Of the fields at the end of the stretch, as a share of the standard deviation: the largest counts.
    struct Estimate {
        double error, rounding;  ///< NaN where a cell is not finite; what rounding adds in this stretch, where it is chance
        double grain = 0;        ///< and where all of it goes one way, as that of coefficients does: less than this tells nothing of dt
    };
    /// Of the end of the stretch, by what steps of 2 dt came to; rounded_before: the square of the rounding in both before it.
    Estimate estimate(const field::Field& longer, double rounded_before);
    /// Whether the difference of the companion would not have become as large by steps of dt: its own are too long then, and the equations are not what makes it grow.
    bool companion_flees(const Estimate& made);
    /// Whether the companion has run away, as beyond a pole of the equations, from fields that these steps keep; it begins anew beside them then.
    bool replaces_lost_companion();
    /// The error that may come together in the time of the stretch.
    double part_of_stretch() const;
    /// How the stretch stands to the tolerance, each as a share of what is allowed.
    struct Standing {
        double used;          ///< 1 or less: it counts
        double next, longer;  ///< by steps of the same dt in the next one; what has to fall before they may be longer
    };
    Standing standing_of(const Estimate& made);
    void count_stretch(const Estimate& made);
    void choose_next(const Standing& standing, bool well);
    void show(double time);
    /// After a request to stop: goes on to the next tick, `limit` at most, and shows it, if that takes no more than some seconds.
    void catch_up(Index limit);
    /// Whether cells have become so large that what steps compute on their way is no number any more.
    bool is_beyond_numbers() const;
    Outcome failure();
    void report();

    field::Field& shown_;
    std::vector<double> inputs_;
    UniformRows known_;  ///< by which parameters are found
    double begin_ = 0, step_;
    Tolerance tolerance_;
    core::Context& context_;
    int top_ = 0;  ///< the first rung that is short enough for all bounds
    std::map<int, Rung> rungs_;
    std::unique_ptr<field::Field> start_, end_;                ///< where the stretch begins, and after walked_ of its steps; its end
    std::unique_ptr<field::Field> companion_, companion_end_;  ///< the same of the companion
    std::unique_ptr<field::Field> trial_;                      ///< steps of 2 dt from start_
    double at_ = 0;                                            ///< the time at which the stretch begins
    int rung_ = 0, next_ = 0;
    Index walked_ = 0;
    bool made_ = false;    ///< end_ is what the stretch comes to
    int flights_ = 0;      ///< of the companion from this stretch
    bool failed_ = false;  ///< the last stretch was rejected: the next has no longer steps
    bool stop_asked_ = false;
    std::optional<core::SteadyClock::time_point> catching_up_since_;
    double largest_ = 0;  ///< cell so far, by magnitude
    Index tick_ = 0;
    AccuracyRecord record_;
    double rounding_squares_ = 0;
    std::vector<double> peaks_;  ///< the largest deviation of each field so far: of what has faded away since, no digits are asked for
    double seconds_ = 0, kernel_seconds_ = 0, seconds_per_stage_ = 0;
    core::SteadyClock::time_point reported_at_;
    Index reported_evaluations_ = 0;
    double reported_seconds_ = 0;
};

/// The least tolerance that numbers of this precision can hold.
double least_tolerance(bool f64);

}  // namespace mottle::stepper
