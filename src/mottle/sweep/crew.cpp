// mottle/sweep/crew.cpp: members take turns at threads
#include "mottle/sweep/crew.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/device/registry.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

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
    if (!stopped_ && core::seconds_since(said_at_) >= kReportSeconds) {
        said_at_ = core::SteadyClock::now();
        stopped_ = !observer_.keep_going(now, rate * workers_);
    }
    return !stopped_;
}

std::optional<std::size_t> Turns::take(int rank) {
    const std::lock_guard lock(mutex_);
    auto next = std::find_if(waiting_.begin(), waiting_.end(), [&](std::size_t member) { return homes_.rank[member] == rank; });
    if (next == waiting_.end() && !homes_.fixed) next = waiting_.begin();
    if (next == waiting_.end()) return std::nullopt;
    const std::size_t member = *next;
    waiting_.erase(next);
    return member;
}

void Turns::give_back(std::size_t member) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(member);
}

Crew::Crew(std::size_t members, const std::string& device, core::Context& context, ranks::Link* link, int threads)
    : context_(context),
      device_(device),
      link_(link),
      threads_of_ranks_(threads),
      homes_{std::vector<int>(members, 0)},
      members_(members),
      speech_(context.observer) {
    if (link_) {
        add_ranks();
        return;
    }
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

// Members are handed out in turn; a rank that is done with its own takes over one that waits for another.
void Crew::add_ranks() {
    stay_together();
    const std::size_t ranks = std::min(members_, core::at(link_->transport().count()));
    for (std::size_t rank = 1; rank < ranks; ++rank) {
        teams_.push_back(std::make_unique<core::ThreadTeam>(1));
        workers_.push_back(std::make_unique<Worker>(*teams_.back(), speech_, false, context_.cache, static_cast<int>(rank)));
    }
    for (std::size_t i = 0; i < members_; ++i) homes_.rank[i] = static_cast<int>(i % ranks);
    speech_.expect_voices(ranks);
}

// Workers of other ranks wait for these most of the time, and so have threads beside the team. Of several failures the first worker's is thrown.
void Crew::run_workers(const std::function<void(Worker&)>& work) {
    if (!link_) {
        if (workers_.size() == 1) return work(*workers_.front());
        context_.team.run([&](int w) {
            if (core::at(w) < workers_.size()) work(*workers_[core::at(w)]);
        });
        return;
    }
    std::vector<std::exception_ptr> failures(workers_.size());
    const core::Cancellation* const cancellation = core::CancellationScope::current();
    const auto serve = [&](std::size_t w) {
        const core::CancellationScope scope(cancellation);
        try {
            work(*workers_[w]);
        } catch (...) {
            failures[w] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    try {
        for (std::size_t w = 1; w < workers_.size(); ++w) threads.emplace_back(serve, w);
        serve(0);
    } catch (const std::system_error& error) {
        failures[0] = std::make_exception_ptr(core::DeviceError("cannot start a thread for each of " + std::to_string(workers_.size()) +
                                                                " ranks: " + error.code().message() + "; use fewer ranks"));
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
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
    if (!link_ && workers_.size() > 1 && members_ < threads_of(context_)) {
        auto all = std::make_unique<Worker>(context_.team, speech_, true, context_.cache);
        compile_for(*all, program, spec);
        const bool grid = std::holds_alternative<domain::Grid>(spec.domain);
        if (!grid || core::at(pieces_of(all->kernel->schedule())) > members_) {
            stay_together();
            workers_.front() = std::move(all);
            return;
        }
    }
    for (const auto& worker : workers_) {  // one after another: the first leaves its kernel in the cache
        if (worker->rank == 0) {
            compile_for(*worker, program, spec);
            continue;
        }
        worker->backend = ranks::create_remote_backend(worker->rank, *workers_.front()->backend, device_, threads_of_ranks_, *link_);
        worker->kernel = worker->backend->compile(program, spec.domain, spec.schedule, worker->context);
    }
}

}  // namespace mottle::sweep
