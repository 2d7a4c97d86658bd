// mottle/sweep/crew.h: the threads of a sweep, how members take turns at them, and what they say together
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/run/settings/spec.h"
#include "mottle/run/watch/timings.h"

#include <atomic>
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
    run::SteadyClock::time_point said_at_ = run::SteadyClock::now();
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

/// A thread, or all of them, and the kernel by which it steps whichever member it has.
struct Worker {
    Worker(core::ThreadTeam& team, Speech& speech, bool tells, const std::filesystem::path& cache)
        : voice(speech, tells), context{team, voice, cache} {}

    Voice voice;
    core::Context context;
    std::unique_ptr<backend::Backend> backend;
    std::unique_ptr<backend::Kernel> kernel;
};

/// Members that wait for a thread: the one that has waited longest is next.
class Turns {
   public:
    explicit Turns(std::vector<std::size_t> members) : ring_(std::move(members)), waiting_(ring_.size()) {}
    /// Nothing where nobody waits. Members that others have taken may come back, but then those go on with them.
    std::optional<std::size_t> take();
    void give_back(std::size_t member);

   private:
    std::mutex mutex_;
    std::vector<std::size_t> ring_;
    std::size_t first_ = 0, waiting_;
};

/// A worker for each thread, as far as there are members for them; one worker with all threads where a card may do the work, and where a few members on
/// grids are so large that all threads are better at one of them.
class Crew {
   public:
    Crew(std::size_t members, const std::string& device, core::Context& context);
    /// Gives every worker its kernel.
    void compile(const ir::Program& program, const run::Spec& spec);

    bool stopped() const { return speech_.stopped(); }
    const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }

    /// Calls bool work(worker, member) for each of `members`, again and again until it says that it is done with this one; workers take turns, each in a
    /// thread of its own.
    template <class Work>
    void each(std::vector<std::size_t> members, const Work& work) {
        Turns turns(std::move(members));
        const auto serve = [&](Worker& worker) {
            while (const std::optional<std::size_t> member = turns.take()) {
                if (!work(worker, *member)) turns.give_back(*member);
            }
        };
        if (workers_.size() == 1) return serve(*workers_.front());
        context_.team.run([&](int w) {
            if (core::at(w) < workers_.size()) serve(*workers_[core::at(w)]);
        });
    }

   private:
    void stay_together();

    core::Context& context_;
    std::size_t members_;
    Speech speech_;
    std::vector<std::unique_ptr<core::ThreadTeam>> teams_;  ///< of one thread each
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace mottle::sweep
