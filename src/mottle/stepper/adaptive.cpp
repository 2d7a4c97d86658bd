// mottle/stepper/adaptive.cpp: stretches, their errors, and the steps that follow from them
#include "mottle/stepper/adaptive.h"

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
constexpr double kStretches = 8;      // of a run, at least
constexpr double kLeastPart = 0x1p-16;  // of the tolerance, for one stretch: where something jumps, its error falls no faster than dt
constexpr double kAccepted = 1, kAim = 0.7;
constexpr int kDown = 6, kUp = 2;    // rungs at once
constexpr double kFlat = 1e-3;       // of the mean: a field whose deviation is less counts as having this one
constexpr double kReportPause = 0.1, kLaunchLength = 0.2;

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
      coarse_(blank()),
      reported_at_(Clock::now()) {
    if (const int time = known_.find("t"); time >= 0) begin_ = known_.input(time);
    while (top_ < kLastRung && (2 * step_of(top_) > tolerance_.longest ||
                                kStretches * static_cast<double>(rung(top_).steps) * step_of(top_) > tolerance_.length))
        ++top_;
    rung_ = top_;
    while (rung_ < kLastRung && step_of(rung_) > tolerance_.first) ++rung_;
    next_ = rung_;
    begin_at(0);
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

void Adaptive::begin_at(Index tick) {
    tick_ = tick;
    at_ = time_of(tick);
    walked_ = 0;
    made_ = false;
    shown_.kernel().copy_fields(start_->state(), shown_.state());
}

void Adaptive::set_parameter(const std::string& name, double value) {
    inputs_[core::at(index_of_parameter(shown_.kernel().program(), known_, name, value))] = value;
    begin_at(tick_);
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
        const auto began = Clock::now();
        if (program.phases)
            advance_phases(field.kernel(), field.state(), rows, begin, stretch);
        else
            field.kernel().advance(field.state(), begin, stretch, rows.rows(begin, stretch));
        const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
        seconds_ += seconds;
        seconds_per_stage_ = seconds / static_cast<double>(stretch);
        record_.evaluations += stretch * tolerance_.evaluations;
        done += steps;
        report();
    }
}

double Adaptive::estimate() {
    backend::Kernel& kernel = shown_.kernel();
    const Rung& here = rung(rung_);
    const double unit = unit_of(kernel.program().f64) * std::sqrt(static_cast<double>(here.steps * here.stages));
    double largest = 0;
    roundings_of_stretch_ = 0;
    for (ir::Array array = 0; array < kernel.program().field_count(); ++array) {
        const double difference = std::sqrt(kernel.mean_square_of_difference(end_->state(), coarse_->state(), array));
        if (!std::isfinite(difference)) return std::numeric_limits<double>::quiet_NaN();
        const backend::Statistics now = kernel.reduce(end_->state(), array);
        const double size = std::max(now.std, kFlat * std::abs(now.mean));
        const double rounding = unit * std::sqrt(now.mean * now.mean + now.std * now.std);
        const double error = std::max(0.0, difference - rounding) / (std::ldexp(1.0, tolerance_.order) - 1);
        if (error > 0) largest = std::max(largest, size > 0 ? error / size : std::numeric_limits<double>::infinity());
        if (size > 0) roundings_of_stretch_ = std::max(roundings_of_stretch_, rounding / size);
    }
    return largest;
}

void Adaptive::count_stretch(double error) {
    const Rung& here = rung(rung_);
    record_.steps += here.steps;
    ++record_.stretches;
    record_.largest = std::max(record_.largest, error);
    record_.sum += error;
    rounding_squares_ += roundings_of_stretch_ * roundings_of_stretch_;
    record_.rounding = std::sqrt(rounding_squares_);
    record_.shortest = record_.shortest > 0 ? std::min(record_.shortest, here.dt) : here.dt;
    record_.longest = std::max(record_.longest, here.dt);
}

Adaptive::Made Adaptive::make_stretch() {
    backend::Kernel& kernel = shown_.kernel();
    const double fall = fall_of(tolerance_.order);
    if (std::exchange(stop_asked_, false)) return Made::stopped;
    rung_ = next_;
    while (true) {
        const Rung& here = rung(rung_);
        kernel.copy_fields(coarse_->state(), start_->state());
        kernel.copy_fields(end_->state(), start_->state());
        run(*coarse_, at_, 2 * here.dt, here.coarse_stages, 0, here.steps / 2);
        if (!stop_asked_) run(*end_, at_, here.dt, here.stages, 0, here.steps);
        if (std::exchange(stop_asked_, false)) return Made::stopped;
        const double error = estimate();
        const double part = std::max(static_cast<double>(here.steps) * here.dt / tolerance_.length, kLeastPart);
        double used = error / (tolerance_.share * part);
        const bool well = used <= kAccepted;
        int change = 0;
        for (; !(used <= kAim) && change < kDown; ++change) used /= fall;
        for (; used * fall <= kAim && change <= 0 && change > -kUp && !failed_ && well; --change) used *= fall;
        next_ = std::max(rung_ + (well ? change : std::max(change, 1)), top_);
        failed_ = !well;
        if (well) {
            count_stretch(error);
            return Made::well;
        }
        if (change == kDown) {  // what stages leave for each other may not be finite, and would stay
            end_ = blank();
            coarse_ = blank();
        }
        ++record_.rejected;
        if (next_ > kLastRung) return Made::failed;
        rung_ = next_;
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

Outcome Adaptive::advance_to(Index tick) {
    for (field::Field* field : {start_.get(), end_.get(), coarse_.get()}) field->hand_to(shown_.kernel());
    const double time = time_of(tick);
    while (tick > tick_) {
        if (made_ && time <= end_of_stretch()) {
            show(time);
            tick_ = tick;
            break;
        }
        if (made_) {
            at_ = end_of_stretch();
            std::swap(start_, end_);
            walked_ = 0;
            made_ = false;
        }
        const Made made = make_stretch();
        if (made == Made::stopped) {
            catch_up(tick);
            return {Verdict::stopped, now(), {}};
        }
        if (made == Made::failed) return failure();
        made_ = true;
    }
    return {Verdict::reached, now(), {}};
}

void Adaptive::catch_up(Index limit) {
    const auto next = static_cast<Index>(std::ceil((at_ - begin_) / step_));
    if (next <= tick_ || next >= limit) return;
    const Rung& here = rung(rung_);
    shown_.kernel().copy_fields(shown_.state(), start_->state());
    const double steps = std::floor((time_of(next) - at_) / here.dt);
    const auto whole = static_cast<Index>(std::max(steps, 0.0));
    const double rest = time_of(next) - (at_ + static_cast<double>(whole) * here.dt);
    if (whole > 0) run(shown_, at_, here.dt, here.stages, 0, whole);
    if (rest > 0) run(shown_, at_ + static_cast<double>(whole) * here.dt, rest, here.stages, 0, 1);
    tick_ = next;
}

Outcome Adaptive::failure() {
    Outcome outcome{Verdict::diverged, now(), {}, tick_};
    outcome.why = "no step holds the tolerance " + core::number_text(tolerance_.share) + " after t = " + core::rounded_text(at_, 6) +
                  ": with dt " + core::rounded_text(step_of(kLastRung), 3) + " the fields still change by jumps, or grow beyond all numbers";
    return outcome;
}

void Adaptive::report() {
    const auto clock = Clock::now();
    if (std::chrono::duration<double>(clock - reported_at_).count() < kReportPause) return;
    const double cells = static_cast<double>(domain::cell_count(shown_.kernel().domain()));
    const double rate = cells * static_cast<double>(record_.evaluations - reported_evaluations_) / std::max(seconds_ - reported_seconds_, 1e-9);
    reported_at_ = clock;
    reported_evaluations_ = record_.evaluations;
    reported_seconds_ = seconds_;
    if (!context_.observer.keep_going({static_cast<Index>((at_ - begin_) / step_), at_}, rate)) stop_asked_ = true;
}

std::vector<double> Adaptive::progress() const {
    return {at_, static_cast<double>(rung_), static_cast<double>(next_), static_cast<double>(walked_), made_ ? 1.0 : 0.0, failed_ ? 1.0 : 0.0,
            tolerance_.share, tolerance_.length, static_cast<double>(record_.steps), static_cast<double>(record_.evaluations),
            static_cast<double>(record_.stretches), static_cast<double>(record_.rejected), record_.largest, record_.sum, rounding_squares_,
            record_.shortest, record_.longest};
}

bool Adaptive::go_on(Index tick, std::span<const double> progress) {
    constexpr std::size_t kNumbers = 17;
    const auto is_rung = [this](double k) { return k >= top_ && k <= kLastRung && k == std::floor(k); };
    if (progress.size() != kNumbers || !is_rung(progress[1]) || !is_rung(progress[2]) || progress[6] != tolerance_.share ||
        progress[7] != tolerance_.length)
        return false;
    at_ = progress[0];
    rung_ = static_cast<int>(progress[1]);
    next_ = static_cast<int>(progress[2]);
    walked_ = static_cast<Index>(progress[3]);
    made_ = progress[4] != 0;
    failed_ = progress[5] != 0;
    const Rung& here = rung(rung_);
    if (walked_ < 0 || walked_ > here.steps) return false;
    tick_ = tick;
    shown_.kernel().copy_fields(shown_.state(), start_->state());
    if (made_) {
        shown_.kernel().copy_fields(end_->state(), start_->state());
        run(*end_, at_, here.dt, here.stages, walked_, here.steps - walked_);
        show(time_of(tick));
    }
    record_ = {static_cast<Index>(progress[8]), static_cast<Index>(progress[9]), static_cast<Index>(progress[10]),
               static_cast<Index>(progress[11]), progress[12], progress[13], 0, progress[15], progress[16]};
    rounding_squares_ = progress[14];
    record_.rounding = std::sqrt(rounding_squares_);
    return true;
}

}  // namespace mottle::stepper
