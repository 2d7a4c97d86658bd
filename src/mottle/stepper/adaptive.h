// mottle/stepper/adaptive.h: advances a field by steps as long as a tolerance allows: stretches made twice, compared, and made anew where they differ
#pragma once
#include "mottle/stepper/stepper.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mottle::stepper {

/// What the error of a run may be, and what bounds its steps.
struct Tolerance {
    double share = 0;                    ///< of the standard deviation of each field: the error that may come together over `length`
    double length = 0;                   ///< the time of the run, above 0
    double longest = 0;                  ///< the longest stable dt
    double first = 0;                    ///< dt of the first steps, or a little less
    int order = 1, evaluations = 1;      ///< of the method; evaluations of the rates in a step of the kernel
    std::function<int(double)> stages;   ///< of a step of dt: steps of the kernel that make one
};

/// What the steps have come to.
struct AccuracyRecord {
    Index steps = 0, evaluations = 0;         ///< of the stretches that count; evaluations of the rates, those of comparisons, rejected stretches and frames too
    Index stretches = 0, rejected = 0;        ///< rejected: as often as steps were too long
    double largest = 0;                       ///< error of one stretch, estimated, as a share of the standard deviation
    double sum = 0;                           ///< of these errors: what comes together where none of them fades
    double rounding = 0;                      ///< what the rounding of the steps comes to, as a share of the standard deviation
    double shortest = 0, longest = 0;         ///< dt
};

/// Steps are of the ladder length * 2^(-k/2). A stretch is a number of them that depends on k alone. It is made with dt, and from the same state with 2 dt; of a method of
/// order p the difference is 2^p - 1 times the error of the former, which counts where its root mean square, by the standard deviation of the field, is within
/// its part of the tolerance: share * (time of the stretch)/length. Else the stretch is made anew with shorter steps. So nothing that looks at the fields has a part
/// in what is computed: a moment within a stretch is reached from a copy, by whole steps and a shorter one.
/// Sums are exact and the rules have no functions but the square root: the steps are the same on every machine, on any number of threads.
class Adaptive {
   public:
    /// `shown`: the field at the moments that are asked for; now at step 0. Moment of step n: start + n tick, "t" among the inputs being start.
    Adaptive(field::Field& shown, std::vector<double> inputs, double tick, Tolerance tolerance, core::Context& context);

    /// Ends early with `diverged` where no step is short enough, or `stopped`.
    Outcome advance_to(Index tick);
    core::Moment now() const { return {tick_, time_of(tick_)}; }
    /// The fields have been set to those of `tick`: a stretch begins there.
    void begin_at(Index tick);
    /// Takes effect now: a stretch begins. Throws: as Stepper::set_parameter.
    void set_parameter(const std::string& name, double value);
    double seconds() const { return seconds_; }
    const AccuracyRecord& record() const { return record_; }

    /// What a run goes on from with the same bits: these fields and numbers.
    field::Field& kept() { return *start_; }
    std::vector<double> progress() const;
    /// `progress` of a run whose kept() fields have been put into kept(). False if the numbers are not those of such a run.
    bool go_on(Index tick, std::span<const double> progress);

   private:
    using Clock = std::chrono::steady_clock;
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
    Made make_stretch();
    /// The largest estimate of the fields; NaN where one is not finite.
    double estimate();
    void count_stretch(double error);
    void show(double time);
    /// A stretch that is under way begins anew where the fields stand; `shown` goes on to the next tick before `limit`.
    void catch_up(Index limit);
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
    std::unique_ptr<field::Field> start_, end_, coarse_;  ///< where the stretch begins, and after walked_ of its steps; its end; the same with 2 dt
    double at_ = 0;       ///< the time at which the stretch begins
    int rung_ = 0, next_ = 0;
    Index walked_ = 0;
    bool made_ = false;   ///< end_ is what the stretch comes to
    bool failed_ = false;  ///< the last stretch was rejected: the next is no longer than it
    bool stop_asked_ = false;
    Index tick_ = 0;
    AccuracyRecord record_;
    double rounding_squares_ = 0, roundings_of_stretch_ = 0;
    double seconds_ = 0, seconds_per_stage_ = 0;
    Clock::time_point reported_at_;
    Index reported_evaluations_ = 0;
    double reported_seconds_ = 0;
};

/// The least tolerance that numbers of this precision can hold.
double least_tolerance(bool f64);

}  // namespace mottle::stepper
