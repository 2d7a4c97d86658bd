// mottle/run/simulation.cpp: the whole pipeline: model -> program -> kernel -> field -> steps -> pictures and files
#include "mottle/run/simulation.h"

#include "mottle/device/registry.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/copy.h"
#include "mottle/run/event_loop.h"
#include "mottle/run/resume.h"
#include "mottle/run/settings/length_notice.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/settings/tolerance.h"
#include "mottle/run/tune/schedule_book.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mottle::run {

Simulation::Simulation(Spec spec, core::Context& context, std::unique_ptr<backend::Backend> backend)
    : spec_(std::move(spec)), context_(context), start_(SteadyClock::now()), backend_(std::move(backend)) {
    for (const std::string& notice : spec_.notices) context_.observer.notice(notice);
    {
        const Stopwatch watch(timings_.compile);
        Preparation made = prepare(spec_, context_.team);
        clock_ = std::move(made.clock);
        if (const std::optional<double> dt = spec_.resume.empty() ? std::nullopt : dt_of_checkpoint(spec_.resume))
            halve_to(spec_, clock_, *dt);
        for (const std::string& notice : clock_.notices) context_.observer.notice(notice);
        for (const std::string& notice : made.notices) context_.observer.notice(notice);
        if (!backend_ && !spec_.devices.empty()) throw core::InputError("--devices is for `mottle run` without mpirun; give one --device");
        if (!backend_) backend_ = device::create_backend(spec_.device);
        kernel_ = backend_->compile(made.program, spec_.domain, schedule_for(made.program), context_);
    }
    for (Output& output : spec_.outputs) output.sink.on_card = backend_->on_card();
    const Stopwatch watch(timings_.initial);
    field_ = std::make_unique<field::Field>(*kernel_, spec_.model, spec_.initial, context_);
    if (std::string notice = notice_of_lengths(spec_, clock_, *field_); !notice.empty()) context_.observer.notice(notice);
    integrator_ = integrator_of(*field_, spec_, clock_, context_);
    if (spec_.steady) steady_.emplace(*field_, spec_, clock_);
    if (!spec_.checkpoint.empty()) require_own_file(spec_);
    if (!spec_.checkpoint.empty() || !spec_.resume.empty()) identity_ = identify(kernel_->program(), spec_, clock_.dt);
    if (!spec_.resume.empty()) go_on_from(spec_.resume);
    saved_at_ = SteadyClock::now();
}

void Simulation::go_on_from(const std::filesystem::path& state) {
    const auto [saved, companion] = integrator_->saved_fields();
    const Standing standing = load_checkpoint(state, saved, identity_, context_, companion);
    first_step_ = standing.step;
    resumed_ = standing;
    if (steady_) steady_->go_on(standing.until, !standing.changed);
    if (!accuracy()) origin_ = standing.origin;
    if (!integrator_->go_on(first_step_, origin_, standing.accuracy))
        throw core::InputError(
            "cannot resume from '" + state.string() + "': it was made " +
            (accuracy() ? "without --tolerance, with another one, or for another length of the run, over which a tolerance is spread"
                        : "with --tolerance; give the same one"));
    std::string notice;
    if (is_finished(state, standing, spec_, clock_.steps, notice)) {
        finished_ = true;
        if (rests(standing, spec_)) rest_ = standing.rest;
        remove_orphans(spec_, context_.observer);
        // Series and videos have their frames.
        std::erase_if(spec_.outputs, [](const Output& output) { return !output.times.last_only; });
        context_.observer.notice(notice);
        return;
    }
    frames_kept_ = frames_to_keep(spec_, standing, *field_, context_.observer);
    context_.observer.notice("continues from step " + core::grouped(first_step_) + " of '" + state.string() + "'");
}

Simulation::~Simulation() = default;

backend::Schedule Simulation::schedule_for(const ir::Program& program) const {
    const ScheduleBook book(context_.cache);
    if (!spec_.use_book || !backend::print(spec_.schedule).empty() || device::interprets(spec_.device) || !book.exists())
        return spec_.schedule;
    const std::string key = schedule_key(program, spec_.domain, device_text(spec_, *backend_), context_.team.size());
    return book.find(key, backend_->family(spec_.domain)).value_or(spec_.schedule);
}

void Simulation::require_idle() const {
    if (advancing_) throw core::InputError("a simulation cannot do this while it advances; stop it first, and then change it");
}

stepper::Outcome Simulation::advance_to(Index step, Index most) {
    require_idle();
    stepper::Outcome outcome;
    struct Busy {
        bool& on;
        ~Busy() { on = false; }
    } const busy{advancing_ = true};
    try {
        if (std::exchange(handed_out_, false)) integrator_->fields_changed();
        outcome = integrator_->advance_to(step, most);
    } catch (const core::Interrupted&) {  // while a kernel was compiled for what the uniforms have become
        outcome = {stepper::Verdict::stopped, now(), {}};
    }
    timings_.simulate = integrator_->seconds();
    return outcome;
}

stepper::Outcome Simulation::advance_saving(StabilityWatch& watch, Index step) {
    const bool saves = !spec_.checkpoint.empty();
    while (true) {
        const Index stop = accuracy() ? step : watch.next_stop(now().step, step);
        stepper::Outcome outcome = advance_to(stop, saves ? steps_to_save_point() : stepper::kAnyNumber);
        if (outcome.verdict != stepper::Verdict::reached || look(watch) || now().step == step) return outcome;
        if (saves && is_save_due() && is_finite()) save_state();
    }
}

// Where launches end changes no bit, so this follows the time that the run takes: a step may take a microsecond or a minute.
Index Simulation::steps_to_save_point() const {
    constexpr double kLooks = 8;  // from one saved state to the next
    const auto done = static_cast<double>(now().step - first_step_);
    const double share = std::min(1.0, spec_.checkpoint_every / (kLooks * std::max(seconds_since(start_), 1e-9)));
    return std::max<Index>(1, static_cast<Index>(done * share));
}

bool Simulation::is_save_due() const { return !spec_.checkpoint.empty() && seconds_since(saved_at_) >= spec_.checkpoint_every; }

// Between two tests for divergence, which stay where they are without --checkpoint.
bool Simulation::is_finite() const {
    for (ir::Array array = 0; array < kernel_->program().field_count(); ++array) {
        if (field_->range(array).first_bad >= 0) return false;
    }
    return true;
}

// Files first: a process that is killed between the two leaves more frames than the state knows, and those are dropped.
void Simulation::save_state() {
    Standing standing{.step = now().step, .origin = origin_};
    if (steady_) standing.until = steady_->progress();
    standing.rest = rest_;
    standing.accuracy = integrator_->progress();
    standing.shown = resumed_.shown;
    if (finished_) standing.frames = resumed_.frames;  // no step has been made since
    if (drawing_) {
        drawing_->publish();
        for (const auto& [file, frames] : drawing_->frames()) standing.frames[file] = frames;
        for (const auto& [file, shown] : drawing_->shown(*field_)) standing.shown[file] = shown;
    }
    const auto [saved, companion] = integrator_->saved_fields();
    save_checkpoint(spec_.checkpoint, saved, identity_, standing, now().time, companion);
    saved_at_ = SteadyClock::now();
}

stepper::Outcome Simulation::run_to_end() {
    may_begin_anew_ = may_shorten(clock_) && !touched_ && !finished_ && now().step == first_step_;
    while (true) {
        open_outputs();
        StabilityWatch watch(spec_, clock_, now().step);
        stepper::Outcome outcome = attempt(watch);
        if (const std::optional<std::string> fault = fault_of(outcome); fault && shorten(*fault, outcome.at)) {
            begin_anew();
            continue;
        }
        conclude(outcome);
        if (outcome.verdict != stepper::Verdict::diverged) look(watch, true);  // where nothing begins anew: a warning
        timings_.total = seconds_since(start_);
        return outcome;
    }
}

void Simulation::open_outputs() {
    const Index factor = Index{1} << clock_.halvings;
    Timeline timeline(frame_times(spec_), clock_.steps / factor, steps_between_tests(spec_, clock_), factor);
    drawing_.reset();
    remove_orphans(spec_, context_.observer);
    drawing_.emplace(spec_.outputs, std::move(timeline), first_step_, frames_kept_, *field_, context_);
}

Rest Simulation::rest_of(const stepper::Outcome& outcome) const {
    if (rest_) return *rest_;
    return {*spec_.steady, search_ && search_->result.found, outcome.verdict == stepper::Verdict::uniform};
}

stepper::Outcome Simulation::attempt(StabilityWatch& watch) {
    try {
        stepper::Outcome outcome = go_through_events(watch);
        const core::CancellationScope unheeded(nullptr);  // what has begun is brought to its end
        const bool ended = outcome.verdict != stepper::Verdict::diverged && outcome.verdict != stepper::Verdict::stopped;
        if (found_ || (may_begin_anew_ && ended && look(watch, true))) return outcome;
        if (stepper::is_at_rest(outcome.verdict) && !spec_.checkpoint.empty())
            drawing_->publish();  // files are cut there by a run that goes on
        if (outcome.verdict != stepper::Verdict::diverged) drawing_->show_end(now(), *field_, end_of(outcome));
        return outcome;
    } catch (const core::OutputError&) {
        keep_what_can_be_written();
        throw;
    } catch (...) {
        drawing_->close_quietly();
        throw;
    }
}

// A full disk may be that of one output alone.
void Simulation::keep_what_can_be_written() noexcept {
    const auto attempt = [](const auto& action) {
        try {
            action();
        } catch (...) {  // NOLINT(bugprone-empty-catch): the first error is on its way
        }
    };
    attempt([&] {
        if (is_finite()) drawing_->show_end(now(), *field_, Drawing::End::early);
    });
    attempt([&] { drawing_->close(!spec_.checkpoint.empty()); });
    attempt([&] {
        if (!spec_.checkpoint.empty() && is_finite()) save_state();
    });
}

void Simulation::conclude(const stepper::Outcome& outcome) {
    drawing_->close(!spec_.checkpoint.empty());
    timings_.draw = drawing_->draw_seconds();
    timings_.encode = drawing_->encode_seconds();
    if (stepper::is_at_rest(outcome.verdict)) rest_ = rest_of(outcome);
    const bool kept = finished_ && spec_.checkpoint == spec_.resume;
    if (!spec_.checkpoint.empty() && !kept && outcome.verdict != stepper::Verdict::diverged) save_state();
    for (const std::string& notice : drawing_->notices(*field_)) context_.observer.notice(notice);
    const std::string doubt = accuracy() ? notice_of_accuracy(spec_, *accuracy()) : "";
    if (!doubt.empty()) context_.observer.notice(doubt);
    const bool ended = outcome.verdict != stepper::Verdict::diverged && outcome.verdict != stepper::Verdict::stopped;
    const std::string doubt_of_rest = ended && steady_ && !(search_ && search_->result.found) && !finished_ ? steady_->notice() : "";
    if (!doubt_of_rest.empty()) context_.observer.notice(doubt_of_rest);
    const std::string uniform = ended && now().step > 0 ? uniform_notice(spec_.outputs, spec_.model, *field_) : "";
    if (!uniform.empty()) context_.observer.notice(uniform);
}

std::optional<std::string> Simulation::fault_of(const stepper::Outcome& outcome) {
    if (std::optional<std::string> found = std::exchange(found_, std::nullopt)) return found;
    if (!may_begin_anew_ || outcome.verdict != stepper::Verdict::diverged) return std::nullopt;
    const Rerun rerun{[this] { return initial_field(); }, spec_, clock_, context_};
    if (!blow_up_.add(rerun, outcome)) return "with dt " + core::rounded_text(clock_.dt, 6) + " " + outcome.why;
    blow_up_text_ = "the equations blow up: " + blow_up_.text() + ", and shorter steps do not help";
    return std::nullopt;
}

bool Simulation::shorten(const std::string& why, core::Moment at) {
    const double too_long = clock_.dt;
    if (!halve(spec_, clock_)) {
        context_.observer.notice("warning: " + why + "; dt has been halved " + std::to_string(clock_.halvings) +
                                 " times, the most allowed");
        return false;
    }
    shortenings_.push_back({too_long, at, why});
    context_.observer.notice(why + "; the run restarts with dt " + core::rounded_text(clock_.dt, 6));
    return true;
}

void Simulation::begin_anew() {
    const Stopwatch watch(timings_.initial);
    first_step_ = 0;
    frames_kept_ = {};
    resumed_ = {};
    drawing_.reset();
    integrator_.reset();
    search_.reset();
    field_ = initial_field();
    integrator_ = integrator_of(*field_, spec_, clock_, context_);
    if (spec_.steady) steady_.emplace(*field_, spec_, clock_);
    if (!spec_.checkpoint.empty() || !spec_.resume.empty()) identity_ = identify(kernel_->program(), spec_, clock_.dt);
}

std::unique_ptr<field::Field> Simulation::initial_field() const {
    auto made = std::make_unique<field::Field>(*kernel_, begun_with_ ? *begun_with_ : spec_.model, spec_.initial, context_);
    if (!begun_with_) return made;
    std::vector<ir::Array> maps;
    const std::vector<ir::ArrayInfo>& arrays = kernel_->program().arrays;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].kind == ir::ArrayInfo::Kind::input) maps.push_back(static_cast<ir::Array>(i));
    }
    fill_maps(*made, maps);
    return made;
}

void Simulation::fill_maps(field::Field& field, const std::vector<ir::Array>& maps) const {
    for (const ir::Array map : maps) field.fill_map(map, spec_.model, spec_.initial, context_);
}

void Simulation::set_parameter(const std::string& name, double value) { change(change_number(spec_, kernel_->program(), name, value)); }

void Simulation::set_map(const std::string& name, std::shared_ptr<const std::vector<double>> values) {
    change(change_map(spec_, kernel_->program(), name, std::move(values)));
    touched_ = true;
}

void Simulation::change(ParameterChange change) {
    if (ir::scheme_of(spec_.method).legendre()) require_idle();  // it may need a stepper of other stages
    if (!change.fixed.empty())
        throw core::InputError(change.fixed + " was made with this parameter before the first step; begin a new simulation with it");
    if (!begun_with_) begun_with_ = spec_.model;
    std::swap(spec_.model, change.model);
    std::swap(spec_.initial, change.initial);
    try {
        require_borders(spec_, kernel_->program());
        fill_maps(*field_, change.maps);
    } catch (...) {
        std::swap(spec_.model, change.model);
        std::swap(spec_.initial, change.initial);
        fill_maps(*field_, change.maps);
        throw;
    }
    for (const std::string& name : change.numbers) {
        const auto& all = spec_.model.parameters;
        const double value = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; })->value;
        integrator_->set_parameter(name, value);
    }
    if (!change.maps.empty()) integrator_->fields_changed();
    if (!accuracy()) {
        const int stages = clock_.stages;
        choose_stages(spec_, clock_);
        if (clock_.stages != stages) {
            const Index step = now().step;
            integrator_ = integrator_of(*field_, spec_, clock_, context_);
            stand_at(step, origin_);
        }
    }
    if (!spec_.checkpoint.empty()) identity_ = identify(kernel_->program(), spec_, clock_.dt);
}

Clock Simulation::clock_now() const {
    Spec spec = spec_;
    spec.dt = clock_.dt;
    spec.dt_is_advice = false;
    spec.end_time.reset();
    if (clock_.stages > 1) spec.stages = clock_.stages;  // where no number of them is stable, too
    return clock_of(spec, kernel_->program(), context_.team);
}

void Simulation::take_over(const Simulation& before) {
    require_idle();
    field::copy_fields(before.field(), *field_, context_.team);
    go_on_from(before.now(), static_cast<double>(clock_.steps) * clock_.dt);
}

void Simulation::set_time_step(double dt) {
    require_idle();
    if (!(dt > 0) || !std::isfinite(dt)) throw core::InputError("dt must be a positive number, not " + core::number_text(dt));
    if (spec_.tolerance)
        throw core::InputError("with tolerance " + core::number_text(*spec_.tolerance) +
                               " the run chooses its own time steps; dt cannot be set");
    Spec with_it = spec_;
    with_it.dt = dt;
    with_it.dt_is_advice = false;
    if (ir::scheme_of(spec_.method).legendre()) settle_stages(with_it, ir::build(spec_.model));  // refuses what no number of them allows
    const core::Moment at = now();
    if (!end_) end_ = at.time + static_cast<double>(clock_.steps - at.step) * clock_.dt;
    clock_.dt = dt;
    choose_stages(spec_, clock_);
    go_on_from(at, *end_);
    if (spec_.steady) steady_.emplace(*field_, spec_, clock_);
    if (!spec_.checkpoint.empty()) identity_ = identify(kernel_->program(), spec_, clock_.dt);
}

void Simulation::stand_at(Index step, double origin, std::optional<Index> steps) {
    if (step < 0 || step > kMostSteps)
        throw core::InputError("fields cannot be at step " + core::grouped(step) + "; steps count from 0 to 2^53");
    touched_ = true;
    origin_ = origin;
    if (steps) clock_.steps = *steps;
    integrator_->start_at(step, origin);
}

// Steps that follow a tolerance count moments, which are where they are.
void Simulation::go_on_from(core::Moment at, double end) {
    touched_ = true;
    integrator_ = integrator_of(*field_, spec_, clock_, context_);
    const auto nearest = [&](double time) {
        const double steps = std::round(time / clock_.dt);
        return static_cast<Index>(std::clamp(steps, 0.0, static_cast<double>(kMostSteps)));
    };
    if (accuracy()) return stand_at(nearest(at.time - now().time), origin_);
    stand_at(at.step, at.time - static_cast<double>(at.step) * clock_.dt, std::min(kMostSteps, at.step + nearest(end - at.time)));
}

bool Simulation::look(StabilityWatch& watch, bool at_end) {
    if (accuracy()) return false;  // steps that are too long for the fields are rejected
    const Stopwatch time(timings_.look);
    try {
        const std::optional<std::string> found = watch.look(now(), *field_, at_end);
        if (!found) return false;
        if (may_begin_anew_ && clock_.halvings < kMostHalvings) {
            found_ = found;
        } else {
            context_.observer.notice("warning: " + *found + ", and the picture may be a numerical artefact" + watch.advice());
        }
    } catch (const core::Interrupted&) {  // the next launch ends the run, with its files and its state
    }
    return found_.has_value();
}

/// What this run does at the events of its timeline.
class Simulation::Events final : public Course {
   public:
    Events(Simulation& run, StabilityWatch& watch)
        : outcome{run.steady_ ? stepper::Verdict::unsettled : stepper::Verdict::reached, run.now(), {}}, run_(run), watch_(watch) {}

    bool advance(const Event& event, Index before) override {
        const Index step = event.step - before;
        if (before > 0 && step <= run_.now().step) return true;
        const stepper::Outcome here = run_.advance_saving(watch_, step);
        if (here.verdict != stepper::Verdict::reached || run_.found_) {
            outcome = here;
            // What is due where it was stopped is no more due for a run that goes on from there.
            stopped_ = here.verdict == stepper::Verdict::stopped && before == 0 && run_.now().step == step && !run_.found_;
            return stopped_;
        }
        if (before == 0) outcome.at = run_.now();
        return true;
    }
    void remember() override { run_.steady_->remember(*run_.field_); }
    void draw(const Event& event) override {
        std::optional<core::CancellationScope> unheeded;
        if (stopped_) unheeded.emplace(nullptr);
        const bool stills = !(run_.spec_.newton && event.end);  // they show what the search comes to
        run_.drawing_->draw(run_.now(), *run_.field_, {.stills = stills, .goes_on = !run_.spec_.checkpoint.empty()});
    }
    bool test() override {
        if (!run_.steady_->check(*run_.field_)) return true;
        return run_.spec_.newton ? search() : end({run_.verdict_at_rest(), run_.now(), {}});
    }
    /// For a steady state. False ends the run: it was found, or the search was interrupted, and is made again by a run that goes on from here.
    bool search() {
        const std::optional<bool> found = run_.find_steady_state();
        if (found && !*found) return true;
        return end({found ? run_.verdict_at_rest() : stepper::Verdict::stopped, run_.now(), {}});
    }
    bool conclude(const Event&) override {
        if (stopped_) return false;
        if (run_.is_save_due()) run_.save_state();  // its frame is drawn
        return true;
    }

    stepper::Outcome outcome;

   private:
    bool end(stepper::Outcome at) {
        outcome = std::move(at);
        return false;
    }

    Simulation& run_;
    StabilityWatch& watch_;
    bool stopped_ = false;  ///< at the step of an event, which is handled yet
};

Drawing::End Simulation::end_of(const stepper::Outcome& outcome) const {
    if (stepper::is_at_rest(outcome.verdict)) return search_ && search_->result.found ? Drawing::End::found : Drawing::End::rest;
    const bool early = (finished_ && first_step_ > 0) || spec_.newton || outcome.verdict == stepper::Verdict::stopped;
    return early ? Drawing::End::early : Drawing::End::planned;
}

stepper::Outcome Simulation::go_through_events(StabilityWatch& watch) {
    if (finished_ && rest_) return {rest_->uniform ? stepper::Verdict::uniform : stepper::Verdict::patterned, now(), {}};
    Events events(*this, watch);
    if (spec_.newton && steady_->has_passed() && !events.search()) return events.outcome;  // where the search was interrupted
    if (!look(watch)) run_events(drawing_->timeline(), now().step > 0 ? now().step : -1, events);
    if (spec_.newton && !found_ && events.outcome.verdict == stepper::Verdict::unsettled) events.search();
    return events.outcome;
}

std::optional<bool> Simulation::find_steady_state() {
    try {
        search_ = run::find_steady_state(spec_, *field_, context_);
    } catch (const core::Interrupted&) {
        return std::nullopt;
    }
    if (search_->result.found) return true;
    context_.observer.notice("a steady state was " + search_text(*search_) + "; the run goes on");
    steady_->tighten();
    return false;
}

stepper::Verdict Simulation::verdict_at_rest() const {
    if (!search_ || !search_->result.found) return steady_->verdict();
    return search_->uniform ? stepper::Verdict::uniform : stepper::Verdict::patterned;
}

std::vector<std::filesystem::path> Simulation::files() const { return drawing_ ? drawing_->files() : std::vector<std::filesystem::path>(); }

}  // namespace mottle::run
