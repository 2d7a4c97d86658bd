// mottle/stepper/adaptive.cpp: stretches, their errors, and the steps that follow from them
#include "mottle/stepper/adaptive.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/stepper/phases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mottle::stepper {
namespace {

constexpr double kRootOfHalf = 0.70710678118654752440;
constexpr int kLastRung = 90;       // dt = length / 2^45
constexpr Index kEvaluations = 64;  // of a stretch, at least half of them by the longer steps: enough to pay for copies and sums
constexpr Index kFewestSteps = 4;
constexpr double kStretches = 8;        // of a run, at least
constexpr double kLeastPart = 0x1p-16;  // of the tolerance, for one stretch: where something jumps, its error falls no faster than dt
constexpr double kAim = 0.8, kOfSlack = 0.5;
constexpr double kFirstPart = 1.0 / 2;  // of the tolerance, for the beginning of the run
constexpr int kDown = 6, kUp = 2;       // rungs at once
constexpr Index kLooks = 4;             // stretches from look to look at whether longer steps would do
constexpr double kFlat = 1e-3;          // of the mean: a field whose deviation is less counts as having this one
constexpr double kAway = 10;    // standard deviations: bounded fields that have nothing to do with each other any more are one or two apart
constexpr double kFlees = 4;    // times less error by steps of half the length: they are too long for what decays
constexpr int kFlights = 4;     // in one stretch: what flees by shorter steps, too, is behind a pole of the equations
constexpr double kUnknown = 1;  // the error where a companion was lost
constexpr double kMostF32 = 0x1p118,
                 kMostF64 = 0x1p500;  // cells: stages of a step have coefficients, and f64 must hold the squares of cells
constexpr double kReportPause = 0.1, kLaunchLength = 0.2;
constexpr double kPatience = 2;  // seconds from a request to stop, in which the next moment may be reached

double unit_of(bool f64) { return f64 ? 0x1p-53 : 0x1p-24; }

/// By what the error of a stretch, as a share of its time, falls from rung to rung.
double fall_of(int order) {
    double fall = 1;
    for (int i = 0; i < order / 2; ++i) fall *= 2;
    return order % 2 == 0 ? fall : fall / kRootOfHalf;
}

}  // namespace

double least_tolerance(bool f64) { return 16 * unit_of(f64); }

Adaptive::Adaptive(field::Field& shown, std::vector<double> inputs, double tick, Tolerance tolerance, core::Context& context)
    : shown_(shown),
      inputs_(std::move(inputs)),
      known_(shown.kernel().program(), inputs_, tolerance.length, tolerance.stages(tolerance.longest)),
      step_(tick),
      tolerance_(std::move(tolerance)),
      context_(context),
      start_(blank()),
      end_(blank()),
      companion_(blank()),
      companion_end_(blank()),
      trial_(blank()),
      reported_at_(core::SteadyClock::now()) {
    if (const int time = known_.find("t"); time >= 0) begin_ = known_.input(time);
    while (top_ < kLastRung && (2 * step_of(top_) > tolerance_.longest ||
                                kStretches * static_cast<double>(rung(top_).steps) * step_of(top_) > tolerance_.length))
        ++top_;
    rung_ = top_;
    while (rung_ < kLastRung && step_of(rung_) > tolerance_.first) ++rung_;
    next_ = rung_;
    for (ir::Array array = 0; array < shown_.kernel().program().field_count(); ++array) peaks_.push_back(shown_.statistics(array).std);
    start_at(0, begin_);
}

double Adaptive::step_of(int k) const { return std::ldexp(k % 2 == 0 ? tolerance_.length : tolerance_.length * kRootOfHalf, -(k / 2)); }

const Adaptive::Rung& Adaptive::rung(int k) {
    const auto known = rungs_.find(k);
    if (known != rungs_.end()) return known->second;
    const double dt = step_of(k);
    const int stages = tolerance_.stages(dt), evaluations = stages * tolerance_.evaluations;
    const Index steps = std::max(kFewestSteps, 2 * ((kEvaluations / 2 + evaluations - 1) / evaluations));
    return rungs_.emplace(k, Rung{dt, stages, tolerance_.stages(2 * dt), steps}).first->second;
}

std::unique_ptr<field::Field> Adaptive::blank() {
    auto made = std::make_unique<field::Field>(shown_.kernel());
    shown_.kernel().copy_maps(made->state(), shown_.state());
    return made;
}

void Adaptive::start_at(Index tick, double /*origin*/) {
    tick_ = tick;
    at_ = time_of(tick);
    walked_ = 0;
    made_ = false;
    record_.error = 0;
    for (const auto* each : {&start_, &end_, &companion_, &companion_end_, &trial_})
        shown_.kernel().copy_maps((*each)->state(), shown_.state());
    shown_.kernel().copy_fields(start_->state(), shown_.state());
    shown_.kernel().copy_fields(companion_->state(), shown_.state());
}

void Adaptive::set_parameter(const std::string& name, double value) {
    inputs_[core::at(index_of_parameter(shown_.kernel().program(), name, value))] = value;
    fields_changed();
}

void Adaptive::run(field::Field& field, double time, double dt, int stages, Index first, Index count) {
    const ir::Program& program = field.kernel().program();
    std::vector<double> inputs = inputs_;
    if (const int t = known_.find("t"); t >= 0) inputs[core::at(t)] = time;
    UniformRows rows(program, std::move(inputs), dt, stages);
    for (Index done = 0; done < count;) {
        const double wanted = kLaunchLength / std::max(seconds_per_stage_ * stages, 1e-12);
        const Index steps = wanted >= static_cast<double>(count - done) ? count - done : std::max<Index>(1, static_cast<Index>(wanted));
        const Index begin = (first + done) * stages, stretch = steps * stages;
        const auto began = core::SteadyClock::now();
        if (program.phases)
            advance_phases(field.kernel(), field.state(), rows, begin, stretch);
        else
            field.kernel().advance(field.state(), begin, stretch, rows.rows(begin, stretch));
        const double seconds = core::seconds_since(began);
        kernel_seconds_ += seconds;
        seconds_per_stage_ = seconds / static_cast<double>(stretch);
        record_.evaluations += stretch * tolerance_.evaluations;
        done += steps;
        report();
    }
}

Adaptive::Estimate Adaptive::estimate(const field::Field& longer, double rounded_before) {
    backend::Kernel& kernel = shown_.kernel();
    const Rung& here = rung(rung_);
    const double root = std::sqrt(static_cast<double>(here.steps * here.stages)), unit = unit_of(kernel.program().f64) * root;
    Estimate largest{0, 0, 0};
    for (ir::Array array = 0; array < kernel.program().field_count(); ++array) {
        const double difference = std::sqrt(kernel.mean_square_of_difference(end_->state(), longer.state(), array));
        if (!std::isfinite(difference)) return {difference - difference, 0, 0};
        const backend::Statistics now = kernel.reduce(end_->state(), array);
        const double size = std::max(now.std, kFlat * std::max(std::abs(now.mean), peaks_[core::at(array)]));
        const double rounding = size > 0 ? unit * std::sqrt(now.mean * now.mean + now.std * now.std) / size : 0;
        const double rounded = std::sqrt(rounded_before + rounding * rounding);
        const double apart = size > 0 ? difference / size : difference > 0 ? std::numeric_limits<double>::infinity() : 0;
        largest.error = std::max(largest.error, std::max(0.0, apart - rounded) / (std::ldexp(1.0, tolerance_.order) - 1));
        largest.rounding = std::max(largest.rounding, rounding);
        largest.grain = std::max(largest.grain, rounding * root);
    }
    return largest;
}

bool Adaptive::companion_flees(const Estimate& made) {
    const Rung& here = rung(rung_);
    shown_.kernel().copy_fields(trial_->state(), companion_->state());
    run(*trial_, at_, here.dt, here.stages, 0, here.steps);
    return kFlees * estimate(*trial_, 0).error < made.error - (record_.lost > 0 ? kUnknown : 0);
}

bool Adaptive::replaces_lost_companion() {
    backend::Kernel& kernel = shown_.kernel();
    const Rung& here = rung(rung_);
    kernel.copy_fields(trial_->state(), start_->state());
    run(*trial_, at_, 2 * here.dt, here.coarse_stages, 0, here.steps / 2);
    const Estimate own = estimate(*trial_, 0);
    if (!(own.error <= part_of_stretch())) return false;
    companion_end_ = blank();
    kernel.copy_fields(companion_end_->state(), end_->state());
    ++record_.lost;
    return true;
}

double Adaptive::part_of_stretch() const {
    const Rung& here = rungs_.at(rung_);
    return tolerance_.share * std::max(static_cast<double>(here.steps) * here.dt / tolerance_.length, kLeastPart);
}

Adaptive::Standing Adaptive::standing_of(const Estimate& made) {
    const double gone = std::min(1.0, (end_of_stretch() - begin_) / tolerance_.length);
    const double allowed = tolerance_.share * (kFirstPart + (1 - kFirstPart) * gone);
    const double growth = std::max(0.0, made.error - record_.error - made.grain), slack = kOfSlack * (allowed - made.error);
    const double by_error = made.error / allowed;
    double by_growth = growth / part_of_stretch();
    double longer = std::max(by_growth, by_error);
    // what the equations make of the error that was there is not the fault of these steps: what they add themselves shows from the same start
    // of an error that is beyond the tolerance already, less of it is no sign that these steps are right
    const bool beyond = by_error > 1, held_back = longer * fall_of(tolerance_.order) > kAim && record_.stretches % kLooks == 0;
    if (std::isfinite(made.error) && (by_growth > kAim || held_back || beyond)) {
        const Rung& here = rung(rung_);
        shown_.kernel().copy_fields(trial_->state(), start_->state());
        run(*trial_, at_, 2 * here.dt, here.coarse_stages, 0, here.steps / 2);
        const Estimate own = estimate(*trial_, 0);
        const double by_own = std::max(0.0, own.error - own.grain) / part_of_stretch();
        by_growth = beyond ? by_own : std::min(by_growth, by_own);
        longer = std::min(longer, by_own);
        const bool crosses = record_.error <= allowed || record_.stretches % kLooks == 0;
        if (beyond && crosses && by_own <= 1 && flights_ < kFlights && companion_flees(made)) {
            ++flights_;
            by_growth = longer = kFlees;
        }
    }
    const double by_slack = growth == 0 ? 0 : slack > 0 ? growth / slack : std::numeric_limits<double>::infinity();
    return {std::min(by_error, by_growth), std::min(by_growth, by_slack), longer};
}

void Adaptive::count_stretch(const Estimate& made) {
    for (std::size_t array = 0; array < peaks_.size(); ++array) {
        const backend::Statistics now = shown_.kernel().reduce(end_->state(), static_cast<ir::Array>(array));
        peaks_[array] = std::max(peaks_[array], now.std);
        largest_ = std::max({largest_, std::abs(now.min), std::abs(now.max)});
    }
    const Rung& here = rung(rung_);
    record_.steps += here.steps;
    ++record_.stretches;
    record_.error = made.error;
    record_.largest = std::max(record_.largest, made.error);
    rounding_squares_ += made.rounding * made.rounding;
    record_.rounding = std::sqrt(rounding_squares_);
    record_.shortest = record_.shortest > 0 ? std::min(record_.shortest, here.dt) : here.dt;
    record_.longest = std::max(record_.longest, here.dt);
}

void Adaptive::choose_next(const Standing& standing, bool well) {
    const double fall = fall_of(tolerance_.order);
    int change = well ? 0 : 1;
    double used = well ? standing.next : standing.used / fall;
    for (; !(used <= kAim) && change < kDown; ++change) used /= fall;
    double longer = standing.longer * fall;
    for (; well && !failed_ && change <= 0 && change > -kUp && longer <= kAim; --change) longer *= fall;
    next_ = std::max(rung_ + change, top_);
    failed_ = !well;
}

void Adaptive::bound_next() {
    if (!tolerance_.bears) return;
    while (next_ < kLastRung && !tolerance_.bears(*start_, at_, 2 * step_of(next_))) ++next_;
}

Adaptive::Made Adaptive::make_stretch() {
    backend::Kernel& kernel = shown_.kernel();
    if (std::exchange(stop_asked_, false)) return Made::stopped;
    bound_next();
    flights_ = 0;
    for (rung_ = next_;; rung_ = next_) {
        const Rung& here = rung(rung_);
        kernel.copy_fields(companion_end_->state(), companion_->state());
        kernel.copy_fields(end_->state(), start_->state());
        run(*companion_end_, at_, 2 * here.dt, here.coarse_stages, 0, here.steps / 2);
        if (!stop_asked_) run(*end_, at_, here.dt, here.stages, 0, here.steps);
        if (std::exchange(stop_asked_, false)) return Made::stopped;
        Estimate made = estimate(*companion_end_, rounding_squares_);
        if (!(made.error <= kAway) && replaces_lost_companion()) made = {0, 0};
        if (record_.lost > 0) made.error += kUnknown;
        const Standing standing = standing_of(made);
        const bool well = standing.used <= 1;
        choose_next(standing, well);
        if (well) {
            count_stretch(made);
            return is_beyond_numbers() ? Made::failed : Made::well;
        }
        if (next_ - rung_ == kDown) {  // what stages leave for each other may not be finite, and would stay
            for (std::unique_ptr<field::Field>* each : {&end_, &companion_end_, &trial_}) *each = blank();
        }
        ++record_.rejected;
        if (next_ > kLastRung) return Made::failed;
    }
}

void Adaptive::show(double time) {
    const Rung& here = rung(rung_);
    const double steps = std::floor((time - at_) / here.dt);
    const Index whole = static_cast<Index>(std::clamp(steps, 0.0, static_cast<double>(here.steps)));
    const double from = at_ + static_cast<double>(whole) * here.dt, rest = time - from;
    backend::Kernel& kernel = shown_.kernel();
    if (whole == here.steps) {
        kernel.copy_fields(shown_.state(), end_->state());
        return;
    }
    if (whole > walked_) {
        run(*start_, at_, here.dt, here.stages, walked_, whole - walked_);
        walked_ = whole;
    }
    kernel.copy_fields(shown_.state(), start_->state());
    if (rest > 0) run(shown_, from, rest, here.stages, 0, 1);
}

Outcome Adaptive::advance_to(Index tick, Index most) {
    const core::Stopwatch watch(seconds_);
    return go_to(tick_ + std::min(most, tick - tick_));
}

Outcome Adaptive::go_to(Index tick) {
    for (field::Field* field : {start_.get(), end_.get(), companion_.get(), companion_end_.get(), trial_.get()})
        field->hand_to(shown_.kernel());
    if (tick <= tick_) return {Verdict::reached, now(), {}};
    const Made made = make_stretches(time_of(tick));
    if (made == Made::stopped) {
        catch_up(tick);
        return {Verdict::stopped, now(), {}};
    }
    if (made == Made::failed) return failure();
    show(time_of(tick));
    tick_ = tick;
    return {Verdict::reached, now(), {}};
}

Adaptive::Made Adaptive::make_stretches(double time) {
    while (!made_ || time > end_of_stretch()) {
        if (made_) {
            at_ = end_of_stretch();
            std::swap(start_, end_);
            std::swap(companion_, companion_end_);
            walked_ = 0;
            made_ = false;
        }
        try {
            if (const Made made = make_stretch(); made != Made::well) return made;
        } catch (const core::Interrupted&) {  // in a look at what the state bears
            return Made::stopped;
        }
        made_ = true;
    }
    return Made::well;
}

// What a run has come to is shown at a moment, and the last one that was shown may be far behind.
void Adaptive::catch_up(Index limit) {
    const Index next = std::min(limit, static_cast<Index>(std::ceil((at_ - begin_) / step_)));
    if (next <= tick_) return;
    const core::CancellationScope unheeded(nullptr);
    catching_up_since_ = core::SteadyClock::now();
    const Made made = make_stretches(time_of(next));
    catching_up_since_.reset();
    stop_asked_ = false;
    if (made != Made::well) return;
    show(time_of(next));
    tick_ = next;
}

// Shorter and shorter steps would come nearer and nearer to the largest number.
bool Adaptive::is_beyond_numbers() const { return largest_ > (shown_.kernel().program().f64 ? kMostF64 : kMostF32); }

Outcome Adaptive::failure() {
    Outcome outcome{Verdict::diverged, now(), {}, tick_};
    if (is_beyond_numbers()) {
        outcome.why = "the fields grow beyond all numbers: a cell comes to " + core::rounded_text(largest_, 3) +
                      " at t = " + core::rounded_text(end_of_stretch(), 6);
        return outcome;
    }
    outcome.why = "no step holds the tolerance " + core::number_text(tolerance_.share) + " after t = " + core::rounded_text(at_, 6) +
                  ": with dt " + core::rounded_text(step_of(kLastRung), 3) +
                  " the fields still change by jumps, or grow beyond all numbers";
    return outcome;
}

void Adaptive::report() {
    if (core::seconds_since(reported_at_) < kReportPause) return;
    const double cells = static_cast<double>(domain::cell_count(shown_.kernel().domain()));
    const double rate =
        cells * static_cast<double>(record_.evaluations - reported_evaluations_) / std::max(kernel_seconds_ - reported_seconds_, 1e-9);
    reported_at_ = core::SteadyClock::now();
    reported_evaluations_ = record_.evaluations;
    reported_seconds_ = kernel_seconds_;
    const bool goes_on = context_.observer.keep_going({static_cast<Index>((at_ - begin_) / step_), at_}, rate);
    stop_asked_ = catching_up_since_ ? core::seconds_since(*catching_up_since_) > kPatience : !goes_on;
}

std::optional<AdaptiveProgress> Adaptive::progress() const {
    return AdaptiveProgress{.share = tolerance_.share,
                            .length = tolerance_.length,
                            .at = at_,
                            .rung = rung_,
                            .next = next_,
                            .walked = walked_,
                            .made = made_,
                            .failed = failed_,
                            .record = record_,
                            .rounding_squares = rounding_squares_,
                            .peaks = peaks_};
}

bool Adaptive::go_on(Index tick, double /*origin*/, const std::optional<AdaptiveProgress>& saved) {
    if (!saved) return false;
    const AdaptiveProgress& progress = *saved;
    const auto is_rung = [this](int k) { return k >= top_ && k <= kLastRung; };
    if (progress.peaks.size() != peaks_.size() || progress.share != tolerance_.share || progress.length != tolerance_.length ||
        !is_rung(progress.rung) || !is_rung(progress.next))
        return false;
    const Rung& here = rung(progress.rung);
    if (progress.walked > here.steps) return false;
    constexpr double kMostTicks = 0x1p53;
    if (const double ticks = (progress.at - begin_) / step_; !(ticks >= 0 && ticks < kMostTicks)) return false;
    at_ = progress.at;
    rung_ = progress.rung;
    next_ = progress.next;
    walked_ = progress.walked;
    made_ = progress.made;
    failed_ = progress.failed;
    tick_ = tick;
    shown_.kernel().copy_fields(shown_.state(), start_->state());
    if (made_) {
        std::swap(companion_, companion_end_);  // it was kept where the stretch ends
        shown_.kernel().copy_fields(end_->state(), start_->state());
        run(*end_, at_, here.dt, here.stages, walked_, here.steps - walked_);
        show(time_of(tick));
    }
    record_ = progress.record;
    rounding_squares_ = progress.rounding_squares;
    peaks_ = progress.peaks;
    return true;
}

}  // namespace mottle::stepper
