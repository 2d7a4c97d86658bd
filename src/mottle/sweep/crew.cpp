// mottle/sweep/crew.cpp: members shared out to threads
#include "mottle/sweep/crew.h"

#include "mottle/backend/cuda/backend.h"

namespace mottle::sweep {
namespace {

constexpr double kReportSeconds = 0.1;

bool may_take_a_card(const std::string& device) { return device.starts_with("cuda") || (device == "auto" && backend::has_cuda_driver()); }

std::size_t threads_of(const core::Context& context) { return static_cast<std::size_t>(context.team.size()); }

}  // namespace

bool Speech::keep_going(core::Moment now, double rate) {
    const std::lock_guard lock(mutex_);
    if (!stopped_ && run::seconds_since(said_at_) >= kReportSeconds) {
        said_at_ = run::SteadyClock::now();
        stopped_ = !observer_.keep_going(now, rate * workers_);
    }
    return !stopped_;
}

Crew::Crew(std::size_t members, const std::string& device, core::Context& context)
    : context_(context),
      apart_(threads_of(context) > 1 && members >= threads_of(context) && !may_take_a_card(device)),
      speech_(context.observer, apart_ ? threads_of(context) : 1) {
    if (!apart_) workers_.push_back(std::make_unique<Worker>(context.team, speech_, true, context.cache));
    for (std::size_t w = 0; apart_ && w < threads_of(context); ++w) {
        teams_.push_back(std::make_unique<core::ThreadTeam>(1));
        workers_.push_back(std::make_unique<Worker>(*teams_.back(), speech_, w == 0, context.cache));
    }
    for (std::size_t i = 0; i < members; ++i) workers_[i % workers_.size()]->members.push_back(i);
}

}  // namespace mottle::sweep
