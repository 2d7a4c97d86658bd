// mottle/core/thread_team.h: a team of threads that runs one function on every member, with a barrier that spins briefly
#pragma once
#include "mottle/core/index.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace mottle::core {

/// A count that one worker of a team raises and others wait for; on a cache line of its own.
class alignas(64) Milestone {
   public:
    /// Back to 0, while no team uses it.
    void reset() { count_.store(0, std::memory_order_relaxed); }
    bool has_come_to(std::uint64_t count) const { return count_.load(std::memory_order_acquire) >= count; }

   private:
    friend class ThreadTeam;
    std::atomic<std::uint64_t> count_{0};
};

/// A fixed team. The calling thread is worker 0. Not for use from two threads at a time.
class ThreadTeam {
   public:
    /// `size` >= 1 workers.
    explicit ThreadTeam(int size);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    int size() const;
    /// Runs `work(worker)` for worker = 0 .. size()-1 and returns when all have ended. An exception of a worker is rethrown here.
    void run(const std::function<void(int worker)>& work);
    /// Inside `run`: waits until every worker of the team has arrived. Spins briefly, then sleeps; no spinning while
    /// the team and the other busy threads (see `set_other_threads`) exceed the cores.
    void barrier();
    /// Inside `run`: says that `milestone` has come to `count`, and all that this worker has written before is to be seen by those who wait for it.
    void raise(Milestone& milestone, std::uint64_t count);
    /// Inside `run`: waits, as at a barrier, until `milestone` has come to `count`.
    void wait_for(const Milestone& milestone, std::uint64_t count);
    /// Tells how many other busy threads the process has (sinks, encoders).
    void set_other_threads(int count);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Some of a number of things that a team divides: from `first` to before `end`.
struct Share {
    Index first, end;
};

/// What `worker` of `workers` has of `count` things: shares follow one another and differ by at most one thing.
constexpr Share share_of(Index count, Index worker, Index workers) { return {count * worker / workers, count * (worker + 1) / workers}; }

/// The number of cores this process may use; at least 1.
int available_cores();

}  // namespace mottle::core
