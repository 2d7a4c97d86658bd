// mottle/sweep/sweep.cpp: members stepped to the events of one timeline, looked at and written
#include "mottle/sweep/sweep.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/output/file_name.h"
#include "mottle/run/event_loop.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/stages.h"
#include "mottle/stepper/together.h"
#include "mottle/sweep/common_method.h"
#include "mottle/sweep/crew.h"
#include "mottle/sweep/member.h"
#include "mottle/sweep/memory.h"
#include "mottle/sweep/sheet.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <numeric>

namespace mottle::sweep {
namespace {

// A turn is long enough to pay for fetching the member's cells into the cache of another core, and so short that threads which run out of members wait
// for little: a share of what all have to do.
constexpr Index kFewestSteps = 256, kTurnsOfAThread = 32;

}  // namespace

Sweep::Sweep(Spec spec, core::Context& context, ranks::Link* link)
    : spec_(std::move(spec)), context_(context), start_(core::SteadyClock::now()) {
    for (const std::string& notice : spec_.base.notices) context_.observer.notice(notice);
    crew_ = std::make_unique<Crew>(spec_.size(), spec_.base.device, context_, link, spec_.base.threads);
    {
        const core::Stopwatch watch(timings_.compile);
        crew_->compile(prepare(), spec_.base);
    }
    for (run::Output& output : spec_.base.outputs) output.sink.on_card = backend().on_card();
    const core::Stopwatch watch(timings_.initial);
    members_.resize(spec_.size());
    each_member([&](Worker& worker, std::size_t i) {
        members_[i] = std::make_unique<Member>(*worker.kernel, run_of(i), clock_, worker.context);
        crew_->homes().rank[i] = worker.rank;
    });
    crew_->homes().fixed = spec_.base.tolerance.has_value();  // a member has several states then
    for (const auto& member : members_) tiles_.push_back({&member->field(), false});
}

Sweep::~Sweep() = default;

// Alone, each run would choose a method of its own.
void Sweep::choose_method() {
    if (!spec_.base.method_open) return;
    std::vector<run::StepLimits> limits(spec_.size());
    const auto find = [&](core::ThreadTeam& team, std::size_t i) {
        const run::Spec own = run_of(i);
        limits[i] = run::limits_of_step(own, ir::build(own.model), team);
    };
    if (const auto failure = failure_of(0, [&] { find(context_.team, 0); })) std::rethrow_exception(failure);
    if (limits[0].spectrum) std::get<domain::Mesh>(spec_.base.domain).spectrum = *limits[0].spectrum;  // once for all
    each_member([&](Worker& worker, std::size_t i) {
        if (i > 0) find(worker.context.team, i);
    });
    run::StepLimits& leading = limits[leading_run(limits)];
    std::vector<double> longest(spec_.size());
    each_member([&](Worker&, std::size_t i) { longest[i] = longest_step(run_of(i), limits[i], leading); });
    leading.longest_dt = *std::ranges::min_element(longest);
    run::adopt(spec_.base, leading);
}

// Numbers do not change a Program. The step that all take is the least that any asks for.
ir::Program Sweep::prepare() {
    choose_method();
    run::Preparation first;
    if (const auto failure = failure_of(0, [&] { first = run::prepare(spec_.base, context_.team); })) std::rethrow_exception(failure);
    if (!spec_.base.force) check_memory(spec_, first.program.arrays.size());
    find_stiffness();
    std::vector<run::Clock> clocks(spec_.size());
    std::atomic<bool> turns = false;
    each_member([&](Worker& worker, std::size_t i) {
        run::Spec own = run_of(i);
        clocks[i] = run::clock_of(own, first.program, worker.context.team);
        if (own.method_chosen && !spec_.base.method_chosen) turns = true;
    });
    if (turns) {  // one member has waves for which Euler's method will not do, and all have one method
        spec_.base.method.name = run::kMethodOfWaves;
        spec_.base.method_chosen = true;
        return prepare();
    }
    clock_ = *std::min_element(clocks.begin(), clocks.end(), [](const run::Clock& a, const run::Clock& b) {
        return std::pair(a.dt, a.stable_dt) < std::pair(b.dt, b.stable_dt);
    });
    if (ir::scheme_of(spec_.base.method).legendre() && !spec_.base.tolerance) take_stages();
    for (const std::string& notice : clock_.notices) context_.observer.notice(notice);
    for (const std::string& notice : first.notices) context_.observer.notice(notice);
    return std::move(first.program);
}

// All take the most stages that any of them needs for the dt of all.
void Sweep::take_stages() {
    std::vector<int> stages(spec_.size());
    each_member([&](Worker&, std::size_t i) {
        const run::Spec own = run_of(i);
        stages[i] = own.stages > 0 ? own.stages : run::stages_for(own, ir::build(own.model), clock_.dt);
    });
    spec_.base.method.stages = clock_.stages = *std::max_element(stages.begin(), stages.end());
}

// Where the dt that is given asks one member for Lanczos, that is done once, and counts for all.
void Sweep::find_stiffness() {
    auto* mesh = std::get_if<domain::Mesh>(&spec_.base.domain);
    if (!mesh || mesh->spectrum.lanczos > 0) return;
    std::atomic<bool> asked = false;
    each_member([&](Worker&, std::size_t i) {
        const run::Spec own = run_of(i);
        if (run::asks_for_lanczos(own, ir::stable_step(ir::build(own.model), own.method, own.domain))) asked = true;
    });
    if (asked) mesh->spectrum = domain::spectrum_of(*mesh->surface, *mesh->operators, context_.team);
}

run::Spec Sweep::run_of(std::size_t i) const {
    run::Spec own = spec_.base;
    own.model = spec_.models[i];
    own.initial.seed = spec_.seed(i);
    return own;
}

core::Moment Sweep::now() const {
    core::Moment latest;
    for (const auto& member : members_) {
        const core::Moment at = member->outcome().at;
        const Index planned = at.step >> member->clock().halvings;
        if (planned >= latest.step) latest = {planned, at.time};
    }
    return latest;
}

const backend::Backend& Sweep::backend() const { return *crew_->workers().front()->backend; }

bool Sweep::advance_to(Index step, Index before) {
    const core::Stopwatch watch(timings_.simulate);
    crew_->workers().size() > 1 || crew_->has_ranks() ? advance_in_turns(step, before) : advance_together(step, before);
    return !crew_->stopped();
}

void Sweep::advance_in_turns(Index step, Index before) {
    const std::vector<std::size_t> members = going();
    if (members.empty()) return;
    const auto count = static_cast<Index>(members.size()), threads = static_cast<Index>(crew_->workers().size());
    const Member& first = *members_[members.front()];
    const Index all_steps = count * (first.step_of(step) - first.outcome().at.step);
    // With a tolerance a turn goes all the way: where it stopped in between, it would make steps for that moment alone.
    const Index turn = spec_.base.tolerance ? stepper::kAnyNumber : std::max(kFewestSteps, all_steps / (threads * kTurnsOfAThread) + 1);
    crew_->each(members, [&](Worker& worker, std::size_t i) {
        if (crew_->stopped()) return true;
        Member& member = handed_to(worker, i);
        if (look(worker, i)) return false;
        const Index target = member.step_of(step) - before;
        settle(worker, i, member.integrator().advance_to(member.next_stop(target), turn));
        if (look(worker, i)) return false;
        return !member.going() || member.outcome().verdict == stepper::Verdict::stopped ||
               member.outcome().at.step == member.step_of(step) - before;
    });
}

// Those that have the same steps to make: all, unless some have halved their dt.
void Sweep::advance_together(Index step, Index before) {
    Worker& worker = *crew_->workers().front();
    const auto target_of = [&](std::size_t i) { return members_[i]->step_of(step) - before; };
    if (spec_.base.tolerance) {  // each has steps of its own
        for (const std::size_t i : going()) {
            if (!crew_->stopped()) settle(worker, i, handed_to(worker, i).integrator().advance_to(target_of(i)));
        }
        return;
    }
    for (const std::size_t i : going()) look(worker, i);
    while (!crew_->stopped()) {
        std::vector<std::size_t> members;
        std::vector<stepper::Stepper*> steppers;
        Index from = 0, stop = 0;
        for (const std::size_t i : going()) {
            Member& member = *members_[i];
            const Index at = member.now().step, next = member.next_stop(target_of(i));
            if (at == target_of(i) || member.outcome().verdict == stepper::Verdict::stopped) continue;
            if (members.empty()) {
                from = at;
                stop = next;
            } else if (at != from || next != stop) {
                continue;
            }
            members.push_back(i);
            steppers.push_back(&dynamic_cast<stepper::Stepper&>(member.integrator()));  // without a tolerance
        }
        if (members.empty()) return;
        std::vector<stepper::Outcome> outcomes = stepper::advance_together(steppers, stop);
        for (std::size_t k = 0; k < members.size(); ++k) {
            settle(worker, members[k], std::move(outcomes[k]));
            look(worker, members[k]);
        }
    }
}

void Sweep::settle(Worker& worker, std::size_t i, stepper::Outcome outcome) {
    Member& member = *members_[i];
    if (member.settle(std::move(outcome), worker.context)) return begin_anew(worker, i);
    tiles_[i].lost = member.outcome().verdict == stepper::Verdict::diverged;
}

bool Sweep::look(Worker& worker, std::size_t i, bool at_end) {
    if (!members_[i]->look(at_end)) return false;
    begin_anew(worker, i);
    return true;
}

void Sweep::begin_anew(Worker& worker, std::size_t i) {
    members_[i]->begin_anew(*worker.kernel, worker.context);
    crew_->homes().rank[i] = worker.rank;
    tiles_[i].lost = false;
    if (drawn_ || spec_.base.steady) shortened_ = true;
}

void Sweep::begin_all_anew() {
    shortened_ = drawn_ = false;
    each_member([&](Worker& worker, std::size_t i) {
        members_[i]->begin_anew(*worker.kernel, worker.context);
        crew_->homes().rank[i] = worker.rank;
        tiles_[i].lost = false;
    });
}

// A member that begins anew here goes to the end once more.
bool Sweep::look_at_ends(Index step) {
    while (true) {
        std::atomic<bool> found = false;
        crew_->each(going(), [&](Worker& worker, std::size_t i) {
            handed_to(worker, i);
            if (look(worker, i, true)) found = true;
            return true;
        });
        if (!found) return true;
        if (!advance_to(step)) return false;
    }
}

void Sweep::tell_shortened() {
    Index count = 0;
    std::string first;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (members_[i]->clock().halvings == 0) continue;
        if (count++ == 0) first = "that with " + spec_.text(i) + " took dt " + core::rounded_text(members_[i]->clock().dt, 6);
    }
    if (count == 0) return;
    context_.observer.notice("dt " + core::rounded_text(clock_.dt, 6) + " was too long for " + core::counted(count, "run", "runs") +
                             " of " + core::grouped(std::ssize(members_)) + ", which restarted with shorter steps: " + first +
                             (count > 1 ? ", for example" : ""));
}

Member& Sweep::handed_to(Worker& worker, std::size_t i) const {
    int& home = crew_->homes().rank[i];
    home == worker.rank ? members_[i]->field().hand_to(*worker.kernel) : members_[i]->field().move_to(*worker.kernel);
    home = worker.rank;
    return *members_[i];
}

std::vector<std::size_t> Sweep::going() const {
    std::vector<std::size_t> going;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (members_[i]->going()) going.push_back(i);
    }
    return going;
}

// What `work` throws, with a word on which member it was about.
template <class Work>
std::exception_ptr Sweep::failure_of(std::size_t i, const Work& work) const {
    const auto whose = [&](const core::Error& error) { return error.message() + "; this is the run with " + spec_.text(i); };
    try {
        work();
    } catch (const core::ModelError& error) {
        return std::make_exception_ptr(core::ModelError(whose(error), error.span().value_or(core::Span{})));
    } catch (const core::InputError& error) {
        return std::make_exception_ptr(error.span() ? core::InputError(whose(error), *error.span()) : core::InputError(whose(error)));
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

template <class Work>
void Sweep::each_member(const Work& work) {
    std::vector<std::exception_ptr> failures(spec_.size());
    std::vector<std::size_t> all(spec_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    crew_->each(all, [&](Worker& worker, std::size_t i) {
        failures[i] = failure_of(i, [&] { work(worker, i); });
        return true;
    });
    const auto lowest =
        std::find_if(failures.begin(), failures.end(), [](const std::exception_ptr& failure) { return failure != nullptr; });
    if (lowest != failures.end()) std::rethrow_exception(*lowest);
}

template <class Work>
void Sweep::each_going(const Work& work) {
    crew_->each(going(), [&](Worker& worker, std::size_t i) {
        work(handed_to(worker, i));
        return true;
    });
}

/// What the members that go on do at the events of the timeline, and what is drawn of all.
class Sweep::Events final : public run::Course {
   public:
    Events(Sweep& sweep, run::Drawing& drawing, field::Field& picture) : sweep_(sweep), drawing_(drawing), picture_(picture) {}

    bool advance(const run::Event& event, Index before) override {
        stopped = !sweep_.advance_to(event.step, before);
        if (before > 0 || stopped) return !stopped;
        stopped = event.end && run::may_shorten(sweep_.clock_) && !sweep_.look_at_ends(event.step);
        return !stopped && !sweep_.shortened_;
    }
    void remember() override {
        sweep_.each_going([](Member& member) { member.steady()->remember(member.field()); });
    }
    void draw(const run::Event& event) override {
        sweep_.drawn_ = sweep_.drawn_ || !event.end;
        drawing_.draw({event.step, sweep_.clock_.dt * static_cast<double>(event.step)}, picture_);
    }
    bool test() override {
        sweep_.each_going([](Member& member) {
            if (member.steady()->check(member.field())) member.rest(member.steady()->verdict());
        });
        return true;
    }
    bool conclude(const run::Event&) override { return !sweep_.going().empty(); }

    bool stopped = false;

   private:
    Sweep& sweep_;
    run::Drawing& drawing_;
    field::Field& picture_;
};

bool Sweep::go_through_events(run::Drawing& drawing, field::Field& picture) {
    Events events(*this, drawing, picture);
    run::run_events(drawing.timeline(), -1, events);
    return !events.stopped;
}

// Stills of grids have the values of the axes around them.
std::vector<run::Output> Sweep::outputs_on(const Layout& layout) const {
    std::vector<run::Output> outputs = spec_.base.outputs;
    for (run::Output& output : outputs) {
        const output::FileName name(output.sink.file);
        if (!name.holds(output::Contents::picture) || name.numbered()) continue;
        output.times.last_only = true;  // of rows of cells, too
        output.make = [this, layout](const output::SinkSpec& sink, const field::Field& mosaic, core::Context& context) {
            return std::make_unique<Sheet>(sink, mosaic, layout, spec_.axes, tiles_, context);
        };
    }
    return outputs;
}

// Copies of a surface stand side by side for the camera of the first output, and so all look from there.
std::vector<run::Output> Sweep::outputs_seen_from(const std::array<double, 2>& angles) const {
    std::vector<run::Output> outputs = spec_.base.outputs;
    for (run::Output& output : outputs) output.sink.style.camera.angles = angles;
    return outputs;
}

bool Sweep::run_to_end() {
    // without pictures there is nothing to lay out, and any field will do
    std::vector<run::Output> outputs;
    std::optional<Mosaic> mosaic;
    std::optional<field::Field> pictured;
    if (!spec_.base.outputs.empty()) {
        const Layout layout = Layout::of(spec_.base.domain, spec_.columns(), spec_.rows());
        if (const auto* mesh = std::get_if<domain::Mesh>(&spec_.base.domain)) {
            const std::array<double, 2> angles =
                frame::angles_of(spec_.base.outputs[0].sink.style.camera, domain::sides(domain::bounds(mesh->surface->position)));
            outputs = outputs_seen_from(angles);
            mosaic.emplace(tiles_, layout, copies_of(*mesh, layout, angles), context_);
        } else {
            outputs = outputs_on(layout);
            mosaic.emplace(tiles_, layout, plane_of(layout), context_);
        }
        pictured.emplace(*mosaic);
    }
    field::Field& picture = pictured ? *pictured : members_.front()->field();
    std::vector<run::FrameTimes> times;
    times.reserve(outputs.size());
    for (const run::Output& output : outputs) times.push_back(output.times);
    bool complete = true;
    const run::Timeline timeline(times, clock_.steps, run::steps_between_tests(spec_.base, clock_));
    std::optional<run::Drawing> drawing;
    do {
        drawing.reset();
        if (shortened_) begin_all_anew();
        drawing.emplace(outputs, timeline, 0, run::KeptFrames{}, picture, context_);
        try {
            complete = go_through_events(*drawing, picture);
            using End = run::Drawing::End;
            if (!shortened_ || !complete)
                drawing->show_end(now(), picture, !complete ? End::early : going().empty() ? End::rest : End::planned);
        } catch (...) {
            drawing->close_quietly();
            throw;
        }
    } while (shortened_ && complete);
    tell_shortened();
    measure();
    write(*drawing);
    timings_.draw = drawing->draw_seconds();
    timings_.encode = drawing->encode_seconds();
    for (const std::string& notice : drawing->notices(picture)) context_.observer.notice(notice);
    timings_.total = core::seconds_since(start_);
    return complete;
}

// Of a run that was stopped no member has reached its end, unless it came to rest or stands at the last step.
void Sweep::measure() {
    results_.resize(members_.size());
    each_member([&](Worker& worker, std::size_t i) {
        Member& member = handed_to(worker, i);
        Result& result = results_[i];
        result.dt = members_[i]->clock().dt;
        result.outcome = member.outcome();
        stepper::Verdict& verdict = result.outcome.verdict;
        if (member.going() && member.outcome().at.step < member.clock().steps) verdict = stepper::Verdict::stopped;
        if (spec_.base.steady && verdict == stepper::Verdict::reached) verdict = stepper::Verdict::unsettled;
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        for (const std::string& name : member.field().names()) {
            const bool lost = verdict == stepper::Verdict::diverged;
            result.fields.push_back(lost ? backend::Statistics{kNone, kNone, kNone, kNone, kNone, 0, 0}
                                         : member.field().statistics(member.field().find(name)));
        }
    });
}

// All that can be written is; then the first failure is thrown.
void Sweep::write(run::Drawing& drawing) {
    std::exception_ptr failure;
    const auto attempt = [&](const auto& work) {
        try {
            work();
        } catch (const core::Error&) {
            if (!failure) failure = std::current_exception();
        }
    };
    attempt([&] { drawing.close(); });
    files_ = drawing.files();
    if (!spec_.table.empty()) attempt([&] { files_.push_back(write_table(spec_, results_)); });
    if (!spec_.states.empty()) attempt([&] { files_.push_back(write_states(spec_, tiles_)); });
    if (failure) std::rethrow_exception(failure);
}

double Sweep::cell_updates() const {
    double steps = 0;
    for (const auto& member : members_) steps += static_cast<double>(member->steps_made());
    return steps * static_cast<double>(domain::cell_count(spec_.base.domain));
}

}  // namespace mottle::sweep
