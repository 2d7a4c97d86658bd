// mottle/live/server/player.cpp: a simulation that its watchers change
#include "mottle/live/server/player.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/run/settings/preparation.h"

#include <algorithm>
#include <cmath>

namespace mottle::live {

namespace {

constexpr std::size_t kMostPainters = 8;  // whose strokes are under way at a time
constexpr double kBetweenGoodStates = 2;  // seconds
constexpr double kShortPass = 0.75;       // of the steps that a pass fuses
constexpr double kLastPiece = 0.3;        // the weight of the last piece in the mean time of a step

/// The median of each field, of some hundred rows and some ten thousand cells.
std::vector<double> medians_of(const field::Field& field) {
    constexpr Index kMostRows = 128, kMostOfRow = 128;  // of a row; a surface is one row
    const Index rows = domain::row_count(field.kernel().domain()), length = domain::row_length(field.kernel().domain());
    const Index every_row = std::max<Index>(1, rows / kMostRows),
                every = std::max<Index>(1, length / (kMostOfRow * kMostRows / std::min(rows, kMostRows)));
    std::vector<double> medians, some, row(core::at(length));
    for (ir::Array array = 0; array < field.kernel().program().field_count(); ++array) {
        some.clear();
        for (Index y = every_row / 2; y < rows; y += every_row) {
            field.kernel().read_row(field.state(), array, y, std::span<double>(row));
            for (Index x = every / 2; x < length; x += every) some.push_back(row[core::at(x)]);
        }
        std::erase_if(some, [](double value) { return !std::isfinite(value); });
        const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
        std::nth_element(some.begin(), middle, some.end());
        medians.push_back(some.empty() ? 0 : *middle);
    }
    return medians;
}

}  // namespace

Player::Player(Project project, core::Context& context) : project_(std::move(project)), context_(context), history_(context.team) {
    auto simulation = std::make_unique<run::Simulation>(project_.spec(), context_);
    resting_values_ = medians_of(static_cast<const run::Simulation&>(*simulation).field());
    settle(std::move(simulation), project_);
}

void Player::settle(std::unique_ptr<run::Simulation> simulation, Project project) {
    simulation_ = std::move(simulation);
    ++simulations_;
    project_ = std::move(project);
    spec_ = simulation_->spec();
    project_.remember_method(spec_);
    clock_ = simulation_->clock();
    watch_.emplace(spec_, clock_, simulation_->now().step);
    strokes_.clear();
    divergence_.reset();
    good_.clear();
    good_at_ = core::SteadyClock::now();
    seconds_per_step_ = 0;
    ++version_;
}

bool Player::become(Project project, bool anew) {
    auto next = std::make_unique<run::Simulation>(project.spec(project_, simulation_->spec()), context_);
    std::vector<double> resting_values = medians_of(static_cast<const run::Simulation&>(*next).field());
    const bool keeps = !anew && same_cells(next->spec(), simulation_->spec()) && !divergence_;
    if (keeps) {
        next->take_over(*simulation_);
        history_.clear();  // of other equations
    } else {
        forget_history();
        ++generation_;
    }
    settle(std::move(next), std::move(project));
    resting_values_ = std::move(resting_values);
    return !keeps;
}

void Player::forget_history() {
    history_.clear();
    good_.clear();
}

void Player::advance(double seconds, Index most, double longest_pass) {
    if (divergence_) return;
    watch_stability();
    const Index fused = std::max(1, backend::steps_of(simulation_->kernel().schedule()).value_or(1));
    Index steps = 1;
    if (seconds_per_step_ > 0) steps = static_cast<Index>(std::clamp(seconds / seconds_per_step_, 1.0, 1e9));
    if (steps > fused) steps -= steps % fused;
    // A pass that is a little shorter costs next to nothing, and the frame behind it is not late.
    if (static_cast<double>(steps) < kShortPass * static_cast<double>(fused) &&
        static_cast<double>(fused) * seconds_per_step_ < longest_pass)
        steps = fused;
    steps = std::min(steps, most);
    const Index now = simulation_->now().step;
    steps = watch_->next_stop(now, now + steps) - now;
    history_.complete(field());
    const auto start = core::SteadyClock::now();
    const stepper::Outcome outcome = simulation_->advance_to(run::kMostSteps, steps);
    const double each = core::seconds_since(start) / static_cast<double>(steps);
    seconds_per_step_ = seconds_per_step_ > 0 ? seconds_per_step_ + kLastPiece * (each - seconds_per_step_) : each;
    ++version_;
    if (outcome.verdict == stepper::Verdict::diverged) {
        clock_.dt = simulation_->dt();
        divergence_ = {outcome.why, run::advice_on_divergence(clock_), outcome.at, true};
        return;
    }
    watch_stability();
    keep_good_state();
}

void Player::watch_stability() {
    const std::optional<std::string> found = watch_->look(simulation_->now(), simulation_->field());
    if (!found) return;
    if (clock_.automatic) {
        shorten(*found);
    } else {
        notices_.push_back("warning: " + *found + ", and the picture may be a numerical artefact" + watch_->advice());
    }
}

void Player::shorten(const std::string& why) {
    if (!run::halve(clock_)) return;
    simulation_->set_time_step(clock_.dt);
    watch_.emplace(spec_, clock_, simulation_->now().step);
    notices_.push_back(why + "; dt is " + core::rounded_text(clock_.dt, 6) + " from here on");
}

void Player::keep_good_state() {
    const double bytes = static_cast<double>(domain::cell_count(spec_.domain)) * static_cast<double>(spec_.model.equations.size()) *
                         (spec_.method.f64 ? 8 : 4);
    const double pause = std::max(kBetweenGoodStates, bytes / 1e7);  // a second per 10 MB: little beside the steps
    if (core::seconds_since(good_at_) < pause) return;
    good_at_ = core::SteadyClock::now();
    const field::Field& field = this->field();
    for (ir::Array array = 0; array < field.kernel().program().field_count(); ++array) {
        if (field.range(array).first_bad >= 0) return;
    }
    // What diverges does so for a while before it stops being finite: the older of two states is gone back to.
    if (good_.size() < 2) {
        good_.emplace_back(field, simulation_->now(), context_.team);
    } else {
        std::swap(good_.front(), good_.back());
        good_.back().take(field, simulation_->now(), context_.team);  // in the memory of the older one
    }
}

void Player::adopt(run::Spec spec, run::Clock clock) {
    spec_ = std::move(spec);
    clock_ = std::move(clock);
    if (clock_.dt != simulation_->dt()) simulation_->set_time_step(clock_.dt);
    watch_.emplace(spec_, clock_, simulation_->now().step);
}

void Player::set_parameter(const std::string& name, double value) {
    const auto found = std::find_if(spec_.model.parameters.begin(), spec_.model.parameters.end(),
                                    [&](const model::Parameter& each) { return each.name == name; });
    const bool map = found != spec_.model.parameters.end() && found->map;
    std::optional<run::ParameterChange> change;
    if (!map) change = run::change_number(spec_, simulation_->kernel().program(), name, value);
    if (map || !change->fixed.empty()) {  // a surface may have parts that were made with the parameter
        become(project_.with_parameter(name, value), false);
        return;
    }
    run::Spec spec = spec_;
    spec.model = std::move(change->model);
    run::Clock clock = run::clock_of(spec, simulation_->kernel().program(), context_.team);  // refuses what no dt is known for
    simulation_->set_parameter(name, value);
    adopt(std::move(spec), std::move(clock));
    project_ = project_.with_parameter(name, value);
    ++version_;
}

std::string Player::dt_warning() const {
    if (std::string complaint = run::complaint_about_diffusion(clock_.limits); !complaint.empty()) return complaint;
    if (!(simulation_->dt() > clock_.stable_dt)) return "";
    return "dt is " + core::rounded_text(simulation_->dt(), 4) + ", and " + core::rounded_text(clock_.stable_dt, 4) +
           " is stable for all values that the fields are declared to have";
}

Brush& Player::brush_of(const Stroke& part, std::uint64_t painter) {
    const auto own = std::find_if(strokes_.begin(), strokes_.end(), [&](const UnderWay& each) { return each.painter == painter; });
    if (own != strokes_.end() && own->number == part.number) return own->brush;
    history_.begin(field(), simulation_->now());
    if (own != strokes_.end()) strokes_.erase(own);
    if (strokes_.size() >= kMostPainters) strokes_.pop_front();
    return strokes_.emplace_back(UnderWay{painter, part.number, {}}).brush;
}

void Player::paint(const Stroke& part, const View& view, std::uint64_t painter) {
    Brush::require_paintable(simulation_->field(), part);
    brush_of(part, painter).paint(simulation_->field(), part, view, [&](ir::Array array, Index row, std::span<const double> values) {
        history_.keep_row(array, row, values);
    });
    ++version_;
}

void Player::stand_at(core::Moment moment) {
    simulation_->stand_at(moment.step, moment.time - static_cast<double>(moment.step) * simulation_->dt());
    watch_.emplace(spec_, clock_, simulation_->now().step);
    divergence_.reset();
    strokes_.clear();
    ++version_;
}

bool Player::undo() {
    const std::optional<core::Moment> moment = history_.undo(simulation_->field(), simulation_->now());
    if (moment) stand_at(*moment);
    return moment.has_value();
}

bool Player::redo() {
    const std::optional<core::Moment> moment = history_.redo(simulation_->field(), simulation_->now());
    if (moment) stand_at(*moment);
    return moment.has_value();
}

void Player::go_back() {
    if (!divergence_) return;
    double dt = simulation_->dt() / 2;
    if (clock_.stable_dt > 0) dt = std::min(dt, clock_.stable_dt);
    if (good_.empty()) {
        become(project_.with_dt(dt), true);
        return;
    }
    history_.complete(field());
    good_.front().restore(simulation_->field(), context_.team);
    stand_at(good_.front().moment());
    simulation_->set_time_step(dt);
    project_ = project_.with_dt(dt);
    spec_.dt = dt;
    spec_.dt_is_advice = false;
    clock_ = run::clock_of(spec_, simulation_->kernel().program(), context_.team);
    watch_.emplace(spec_, clock_, simulation_->now().step);
}

std::vector<std::string> Player::take_notices() { return std::exchange(notices_, {}); }

}  // namespace mottle::live
