// mottle/sweep/crew.h: the threads of a sweep, how members take turns at them, and what they say together
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/stopwatch.h"
#include "mottle/ranks/backend.h"
#include "mottle/run/settings/spec.h"
#include "mottle/run/watch/timings.h"

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mottle::sweep {

/// The observer of all workers: one is heard at a time, and a stop for one is a stop for all.
class Speech {
   public:
    explicit Speech(core::Observer& observer) : observer_(observer) {}
    /// So many workers step at a time, each at a rate of its own.
    void expect_voices(std::size_t workers) { workers_ = static_cast<double>(workers); }
    void notice(const std::string& message) {
        const std::lock_guard lock(mutex_);  // the observer is called from one thread at a time
        observer_.notice(message);
    }
    bool keep_going(core::Moment now, double rate);
    bool stopped() const { return stopped_; }

   private:
    core::Observer& observer_;
    double workers_ = 1;
    std::mutex mutex_;
    core::SteadyClock::time_point said_at_ = core::SteadyClock::now();
    std::atomic<bool> stopped_ = false;
};

/// The observer of one worker.
class Voice final : public core::Observer {
   public:
    /// `tells`: its notices are heard; all workers would say the same.
    Voice(Speech& speech, bool tells) : speech_(speech), tells_(tells) {}
    void notice(const std::string& message) override {
        if (tells_) speech_.notice(message);
    }
    bool keep_going(core::Moment now, double rate) override { return speech_.keep_going(now, rate); }

   private:
    Speech& speech_;
    bool tells_;
};

/// A thread, or all of them, or another rank, and the kernel by which it steps whichever member it has.
struct Worker {
    Worker(core::ThreadTeam& team, Speech& speech, bool tells, const std::filesystem::path& cache, int its_rank = 0)
        : rank(its_rank), voice(speech, tells), context{team, voice, cache} {}

    int rank;  ///< where the fields are that its kernel steps
    Voice voice;
    core::Context context;
    std::unique_ptr<backend::Backend> backend;
    std::unique_ptr<backend::Kernel> kernel;
};

/// Where the fields of each member are.
struct Homes {
    std::vector<int> rank;  ///< by member
    bool fixed = false;     ///< they cannot be moved
};

/// Members that wait for a worker: of those on its rank, the one that has waited longest is next; where none is there, one of another rank, which moves.
class Turns {
   public:
    Turns(std::vector<std::size_t> members, const Homes& homes) : waiting_(members.begin(), members.end()), homes_(homes) {}
    /// Nothing where nobody waits whom the rank can take. Members that others have taken may come back, but then those go on with them.
    std::optional<std::size_t> take(int rank);
    void give_back(std::size_t member);

   private:
    std::mutex mutex_;
    std::deque<std::size_t> waiting_;
    const Homes& homes_;
};

/// A worker for each thread, as far as there are members for them; one worker with all threads where a card may do the work, and where a few members on
/// grids are so large that all threads are better at one of them. With other ranks one worker for each rank, with all of its threads.
class Crew {
   public:
    /// `link`: to the other ranks, or null. `threads`: of each of them (0: its cores).
    Crew(std::size_t members, const std::string& device, core::Context& context, ranks::Link* link = nullptr, int threads = 0);
    /// Gives every worker its kernel.
    void compile(const ir::Program& program, const run::Spec& spec);

    bool stopped() const { return speech_.stopped(); }
    const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }

    /// Whether some workers are other ranks.
    bool has_ranks() const { return link_ != nullptr; }
    /// Of the members; work of `each` may write those of its member.
    Homes& homes() { return homes_; }

    /// Calls bool work(worker, member) for each of `members`, again and again until it says that it is done with this one; workers take turns, each in a
    /// thread of its own.
    template <class Work>
    void each(std::vector<std::size_t> members, const Work& work) {
        Turns turns(std::move(members), homes_);
        run_workers([&](Worker& worker) {
            while (const std::optional<std::size_t> member = turns.take(worker.rank)) {
                if (!work(worker, *member)) turns.give_back(*member);
            }
        });
    }

   private:
    void stay_together();
    void add_ranks();
    void run_workers(const std::function<void(Worker&)>& work);

    core::Context& context_;
    std::string device_;
    ranks::Link* link_;
    int threads_of_ranks_;
    Homes homes_;
    std::size_t members_;
    Speech speech_;
    std::vector<std::unique_ptr<core::ThreadTeam>> teams_;  ///< of one thread each
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace mottle::sweep
