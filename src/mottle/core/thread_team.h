// mottle/core/thread_team.h: a team of threads that runs one function on every member, with a barrier that spins briefly
#pragma once
#include <functional>
#include <memory>

namespace mottle::core {

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
    /// Tells how many other busy threads the process has (sinks, encoders).
    void set_other_threads(int count);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The number of cores this process may use; at least 1.
int available_cores();

}  // namespace mottle::core
