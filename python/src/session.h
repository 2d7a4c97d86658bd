// python/src/session.h: how long work runs beside an interpreter: its lock released, signals heard, one thread at a time, ended when the interpreter ends
#pragma once
#include <pybind11/pybind11.h>

#include "mottle/core/cancellation.h"
#include "mottle/core/context.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <sys/types.h>

namespace mottle::python {

/// The threads and the observer of one simulation, mesh or sweep.
class Session {
   public:
    /// `threads`: 0 for all cores. `listener`: called with each notice, or None. `cache`: folder for compiled kernels.
    Session(int threads, pybind11::object listener, const std::string& cache);
    /// A process that was forked has none of the threads: it leaves them be.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    core::Context& context() { return context_; }
    core::ThreadTeam& team() { return *team_; }
    /// Whether this process has been forked off the one that made the session.
    bool is_orphan() const;
    /// Called with (step, time, cells per second) about ten times a second while work goes on; an exception ends the work. Needs the interpreter's lock.
    void set_progress(pybind11::object progress) { progress_ = std::move(progress); }

    /// Runs `work` on this thread without the interpreter's lock. Signals are heard where the observer is asked, every 100 ms or so.
    /// Throws: what `work` throws, what a signal or a callback raises; InputError (in use by this very thread, forked, at the interpreter's end).
    void call(const std::function<void()>& work);
    /// The same for work in which no observer is asked: in the main thread `work` gets a thread of its own, so that signals are heard meanwhile.
    void call_aside(const std::function<void()>& work);

   private:
    class Ear final : public core::Observer {
       public:
        explicit Ear(Session& session) : session_(session) {}
        void notice(const std::string& message) override;
        bool keep_going(core::Moment now, double rate) override;

       private:
        Session& session_;
    };
    class Turn;

    void stop();
    void hear_signals();
    void keep_exception();
    void raise_pending();

    const pid_t process_;
    pybind11::object listener_, progress_;
    Ear ear_{*this};
    std::unique_ptr<core::ThreadTeam> team_;
    core::Context context_;
    std::timed_mutex turn_;
    std::atomic<std::thread::id> owner_{};
    std::atomic<bool> stopped_{false};
    core::Cancellation* cancellation_ = nullptr;  ///< of the work under way
    std::mutex cancelling_;
    std::optional<pybind11::error_already_set> pending_;  ///< raised where no exception of Python may pass
    friend void end_sessions();
};

/// What the interpreter calls before it ends: all work is asked to stop and waited for, and none begins anymore.
void end_sessions();
/// A forked child has no work under way.
void watch_forks();

}  // namespace mottle::python
