// mottle/sweep/crew.h: the threads of a sweep, the members that each of them steps, and what they say together
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/run/timings.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mottle::sweep {

/// The observer of all workers: one is heard at a time, and a stop for one is a stop for all.
class Speech {
   public:
    /// `workers`: which step at a time, each at a rate of its own.
    Speech(core::Observer& observer, std::size_t workers) : observer_(observer), workers_(static_cast<double>(workers)) {}
    void notice(const std::string& message) { observer_.notice(message); }
    bool keep_going(core::Moment now, double rate);
    bool stopped() const { return stopped_; }

   private:
    core::Observer& observer_;
    double workers_;
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

/// A thread, or all of them, and the members that it steps, by a kernel of its own.
struct Worker {
    Worker(core::ThreadTeam& team, Speech& speech, bool tells, const std::filesystem::path& cache)
        : voice(speech, tells), context{team, voice, cache} {}

    Voice voice;
    core::Context context;
    std::unique_ptr<backend::Backend> backend;
    std::unique_ptr<backend::Kernel> kernel;
    std::vector<std::size_t> members;
};

/// A worker for each thread; one worker with all threads where there are fewer members than threads, and where a card may do the work.
class Crew {
   public:
    Crew(std::size_t members, const std::string& device, core::Context& context);

    bool stopped() const { return speech_.stopped(); }
    const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }

    /// Calls work(worker) for all at a time, each in a thread of its own.
    template <class Work>
    void each(const Work& work) {
        if (workers_.size() == 1) return work(*workers_.front());
        context_.team.run([&](int w) { work(*workers_[static_cast<std::size_t>(w)]); });
    }

   private:
    core::Context& context_;
    bool apart_;  ///< a thread for each worker
    Speech speech_;
    std::vector<std::unique_ptr<core::ThreadTeam>> teams_;  ///< of one thread each
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace mottle::sweep
