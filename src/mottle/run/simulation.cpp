// mottle/run/simulation.cpp: the whole pipeline: model -> program -> kernel -> field -> steps -> pictures and files
#include "mottle/run/simulation.h"

#include "mottle/backend/cuda/backend.h"
#include "mottle/backend/registry.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/output/file_name.h"
#include "mottle/run/preparation.h"
#include "mottle/run/schedule_book.h"

namespace mottle::run {

Simulation::Simulation(Spec spec, core::Context& context) : spec_(std::move(spec)), context_(context), start_(SteadyClock::now()) {
    for (const std::string& notice : spec_.notices) context_.observer.notice(notice);
    {
        const Stopwatch watch(timings_.compile);
        Preparation made = prepare(spec_, context_.team);
        clock_ = std::move(made.clock);
        for (const std::string& notice : clock_.notices) context_.observer.notice(notice);
        for (const std::string& notice : made.notices) context_.observer.notice(notice);
        backend_ = backend::create_backend(spec_.device);
        kernel_ = backend_->compile(made.program, spec_.domain, schedule_for(made.program), context_);
    }
    for (Output& output : spec_.outputs) output.sink.on_card = backend_->name() == "cuda";
    const Stopwatch watch(timings_.initial);
    field_ = std::make_unique<field::Field>(*kernel_, spec_.model, spec_.initial, context_);
    stepper_ =
        std::make_unique<stepper::Stepper>(*field_, input_values(kernel_->program(), spec_.model, spec_.initial.seed), clock_.dt, context_);
    if (spec_.steady) steady_.emplace(*field_, spec_.model, *spec_.steady, clock_.dt);
    if (!spec_.checkpoint.empty()) require_own_file(spec_);
    if (!spec_.checkpoint.empty() || !spec_.resume.empty()) identity_ = identify(kernel_->program(), spec_, clock_.dt);
    if (!spec_.resume.empty()) go_on_from(spec_.resume);
    saved_at_ = SteadyClock::now();
}

void Simulation::go_on_from(const std::filesystem::path& state) {
    const Standing standing = load_checkpoint(state, *field_, identity_, context_);
    first_step_ = standing.step;
    if (steady_) steady_->go_on(standing.until);
    stepper_->start_at(first_step_);
    std::string notice;
    if (is_finished(state, standing, clock_.steps, notice)) {
        finished_ = true;
        // Series and videos have their frames.
        std::erase_if(spec_.outputs, [](const Output& output) { return !output.times.last_only; });
        context_.observer.notice(notice);
        return;
    }
    for (const Output& output : spec_.outputs) {
        if (output.make) continue;
        const output::FileName name(output.sink.file);
        std::error_code ignored;
        if (!output::holds_all_frames(name, spec_.domain) || spec_.force || !std::filesystem::exists(name.at(1), ignored)) continue;
        throw core::InputError("'" + output.sink.file.string() +
                               "' exists, and a run that goes on would replace it by the frames after step " + core::grouped(first_step_) +
                               "; name another file for the rest, or --force");
    }
    context_.observer.notice("goes on from step " + core::grouped(first_step_) + " of '" + state.string() + "'");
}

Simulation::~Simulation() = default;

std::string device_text(const Spec& spec, const backend::Backend& backend) {
    std::string text = spec.device + ", " + backend.name() + ", " + backend.description();
    if (spec.device == "auto" && backend::has_cuda_driver()) text += ", with CUDA";  // it may take a card when it compiles
    return text;
}

backend::Schedule Simulation::schedule_for(const ir::Program& program) const {
    const ScheduleBook book(context_.cache);
    if (!spec_.use_book || !backend::print(spec_.schedule).empty() || spec_.device == "reference" || !book.exists()) return spec_.schedule;
    const std::string key = schedule_key(program, spec_.domain, device_text(spec_, *backend_), context_.team.size());
    return book.find(key).value_or(spec_.schedule);
}

stepper::Outcome Simulation::advance_to(Index step) {
    stepper::Outcome outcome = stepper_->advance_to(step);
    timings_.simulate = stepper_->seconds();
    return outcome;
}

// Steps at which fields are tested for divergence anyway are where the time is looked at.
stepper::Outcome Simulation::advance_saving(Index step) {
    if (spec_.checkpoint.empty()) return advance_to(step);
    while (true) {
        const Index stop = std::min(step, (now().step / kTestInterval + 1) * kTestInterval);
        stepper::Outcome outcome = advance_to(stop);
        if (outcome.verdict != stepper::Verdict::reached || stop == step) return outcome;
        save_state_if_due();
    }
}

void Simulation::save_state_if_due() {
    if (!spec_.checkpoint.empty() && seconds_since(saved_at_) >= spec_.checkpoint_every) save_state();
}

void Simulation::save_state() {
    save_checkpoint(spec_.checkpoint, *field_, identity_, now(), steady_ ? steady_->progress() : std::vector<double>());
    saved_at_ = SteadyClock::now();
}

stepper::Outcome Simulation::run_to_end() {
    drawing_.emplace(spec_.outputs, Timeline(frame_times(spec_), clock_.steps, spec_.steady.has_value()), first_step_, *field_, context_);
    StabilityWatch watch(spec_, clock_);
    look(watch);
    stepper::Outcome outcome;
    try {
        outcome = run_events(watch);
        const bool early =
            (finished_ && first_step_ > 0) || stepper::is_at_rest(outcome.verdict) || outcome.verdict == stepper::Verdict::stopped;
        if (outcome.verdict != stepper::Verdict::diverged) drawing_->show_end(now(), *field_, early);
    } catch (...) {
        drawing_->close_quietly();
        throw;
    }
    drawing_->close();
    timings_.draw = drawing_->draw_seconds();
    timings_.encode = drawing_->encode_seconds();
    const bool kept = finished_ && spec_.checkpoint == spec_.resume;
    if (!spec_.checkpoint.empty() && !kept && outcome.verdict != stepper::Verdict::diverged) save_state();
    for (const std::string& notice : drawing_->notices(*field_)) context_.observer.notice(notice);
    if (outcome.verdict != stepper::Verdict::diverged) look(watch, true);
    const bool ended = outcome.verdict != stepper::Verdict::diverged && outcome.verdict != stepper::Verdict::stopped;
    const std::string uniform = ended && now().step > 0 ? uniform_notice(spec_.outputs, spec_.model, *field_) : "";
    if (!uniform.empty()) context_.observer.notice(uniform);
    timings_.total = seconds_since(start_);
    return outcome;
}

void Simulation::look(StabilityWatch& watch, bool at_end) {
    const std::string warning = watch.look(now(), *field_, at_end);
    if (!warning.empty()) context_.observer.notice(warning);
}

stepper::Outcome Simulation::run_events(StabilityWatch& watch) {
    stepper::Outcome outcome{steady_ ? stepper::Verdict::unsettled : stepper::Verdict::reached, now(), {}};
    Index after = now().step > 0 ? now().step : -1;
    while (const std::optional<Event> event = drawing_->timeline().next(after)) {
        if (event->test && event->step - 1 > now().step) {
            if (stepper::Outcome before = advance_saving(event->step - 1); before.verdict != stepper::Verdict::reached) return before;
        }
        if (event->test) steady_->remember(*field_);
        if (stepper::Outcome here = advance_saving(event->step); here.verdict != stepper::Verdict::reached) return here;
        outcome.at = now();
        after = event->step;
        look(watch);
        if (event->draw) drawing_->draw(now(), *field_);
        if (event->test && steady_->check(*field_)) return {steady_->verdict(), now(), {}};
        save_state_if_due();  // its frame is drawn
    }
    return outcome;
}

std::vector<std::filesystem::path> Simulation::files() const { return drawing_ ? drawing_->files() : std::vector<std::filesystem::path>(); }

}  // namespace mottle::run
