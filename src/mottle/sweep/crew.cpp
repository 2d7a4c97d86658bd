// mottle/sweep/crew.cpp: members take turns at threads
#include "mottle/sweep/crew.h"

#include "mottle/device/registry.h"

#include <algorithm>

namespace mottle::sweep {
namespace {

constexpr double kReportSeconds = 0.1;

std::size_t threads_of(const core::Context& context) { return core::at(context.team.size()); }

std::size_t worker_count(std::size_t members, const std::string& device, const core::Context& context) {
    return device::may_take_a_card(device) ? 1 : std::min(members, threads_of(context));
}

void compile_for(Worker& worker, const ir::Program& program, const run::Spec& spec) {
    worker.backend = device::create_backend(spec.device);
    worker.kernel = worker.backend->compile(program, spec.domain, spec.schedule, worker.context);
}

}  // namespace

bool Speech::keep_going(core::Moment now, double rate) {
    const std::lock_guard lock(mutex_);
    if (!stopped_ && run::seconds_since(said_at_) >= kReportSeconds) {
        said_at_ = run::SteadyClock::now();
        stopped_ = !observer_.keep_going(now, rate * workers_);
    }
    return !stopped_;
}

std::optional<std::size_t> Turns::take() {
    const std::lock_guard lock(mutex_);
    if (waiting_ == 0) return std::nullopt;
    const std::size_t member = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --waiting_;
    return member;
}

void Turns::give_back(std::size_t member) {
    const std::lock_guard lock(mutex_);
    ring_[(first_ + waiting_) % ring_.size()] = member;
    ++waiting_;
}

Crew::Crew(std::size_t members, const std::string& device, core::Context& context)
    : context_(context), members_(members), speech_(context.observer) {
    const std::size_t count = worker_count(members, device, context);
    if (count == 1) {
        stay_together();
        return;
    }
    speech_.expect_voices(count);
    for (std::size_t w = 0; w < count; ++w) {
        teams_.push_back(std::make_unique<core::ThreadTeam>(1));
        workers_.push_back(std::make_unique<Worker>(*teams_.back(), speech_, w == 0, context.cache));
    }
}

void Crew::stay_together() {
    speech_.expect_voices(1);
    workers_.clear();
    teams_.clear();
    workers_.push_back(std::make_unique<Worker>(context_.team, speech_, true, context_.cache));
}

namespace {

/// Bands or slabs of a grid, each updated by one thread.
int pieces_of(const backend::Schedule& schedule) {
    if (const auto* plane = std::get_if<backend::PlaneSchedule>(&schedule)) return plane->bands.value_or(1);
    if (const auto* volume = std::get_if<backend::VolumeSchedule>(&schedule)) return volume->slabs.value_or(1);
    return 1;
}

}  // namespace

// The kernel for all threads says into how many bands it cuts a grid: as many threads it keeps busy with one member.
void Crew::compile(const ir::Program& program, const run::Spec& spec) {
    if (workers_.size() > 1 && members_ < threads_of(context_)) {
        auto all = std::make_unique<Worker>(context_.team, speech_, true, context_.cache);
        compile_for(*all, program, spec);
        const bool grid = std::holds_alternative<domain::Grid>(spec.domain);
        if (!grid || core::at(pieces_of(all->kernel->schedule())) > members_) {
            stay_together();
            workers_.front() = std::move(all);
            return;
        }
    }
    for (const auto& worker : workers_) compile_for(*worker, program, spec);  // one after another: the first leaves its kernel in the cache
}

}  // namespace mottle::sweep
