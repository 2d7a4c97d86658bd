// python/src/session.cpp: turns at a session, signals while it works, and the end of the interpreter
#include "session.h"

#include "errors.h"

#include "mottle/core/error.h"

#include <chrono>
#include <condition_variable>
#include <set>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace mottle::python {

namespace py = pybind11;

namespace {

using namespace std::chrono_literals;
constexpr auto kListenEvery = 50ms;
constexpr auto kLongestEnd = 20s;   // work that has not stopped by then is left to the end of the process
constexpr auto kCompilerEnds = 2s;  // one that was left behind

/// All work of this process.
struct Register {
    std::mutex mutex;
    std::condition_variable changed;
    std::set<Session*> working;
    bool ending = false;
    std::thread::id ender;         // who waits for the others to end
    bool left_a_compiler = false;  // by work that was cancelled
};

Register& all() {
    static auto* const made = new Register;  // outlives every destructor of the process
    return *made;
}

/// For a thread that has outlived the interpreter, which would end it, once it takes the interpreter's lock, by unwinding its stack: no frame of C++ that is
/// at an exception bears that.
[[noreturn]] void rest() {
    PyEval_SaveThread();
    while (true) std::this_thread::sleep_for(1h);
}

}  // namespace

// ---- a turn

/// One thread's use of a session. Both ends need the interpreter's lock. Errors become Python's before it ends: the interpreter waits for turns, not for what follows them.
class Session::Turn {
   public:
    explicit Turn(Session& session) : session_(session) {
        if (session.is_orphan())
            throw core::InputError(
                "this was made before the process was forked, and its threads are in the other one; make it here, or send a pickle of it");
        if (session.owner_.load() == std::this_thread::get_id())
            throw core::InputError("this is at work already, and was called from inside its own callback");
        while (!session.turn_.try_lock()) {
            {
                const py::gil_scoped_release release;
                if (session.turn_.try_lock_for(kListenEvery)) break;
            }
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        }
        {
            std::unique_lock lock(all().mutex);
            if (all().ending) {
                session.turn_.unlock();
                if (all().ender != std::this_thread::get_id()) {
                    lock.unlock();
                    rest();
                }
                throw core::InputError("the interpreter is ending; no simulation goes on");
            }
            all().working.insert(&session);
        }
        session.owner_ = std::this_thread::get_id();
        session.stopped_ = false;
    }
    ~Turn() {
        {
            const std::scoped_lock lock(all().mutex);
            all().working.erase(&session_);
        }
        all().changed.notify_all();
        session_.owner_ = std::thread::id();
        session_.turn_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Session& session_;
};

// ---- what the library says

void Session::Ear::notice(const std::string& message) {
    const py::gil_scoped_acquire acquire;
    if (session_.listener_.is_none() || session_.pending_) return;
    try {
        session_.listener_(py::str(message.data(), message.size()));
    } catch (py::error_already_set& error) {
        session_.pending_.emplace(std::move(error));
        session_.stop();
    }
}

bool Session::Ear::keep_going(core::Moment now, double rate) {
    if (session_.stopped_) return false;
    const py::gil_scoped_acquire acquire;
    session_.hear_signals();
    if (!session_.stopped_ && session_.progress_ && !session_.progress_.is_none()) {
        try {
            session_.progress_(now.step, now.time, rate);
        } catch (py::error_already_set& error) {
            session_.pending_.emplace(std::move(error));
            session_.stop();
        }
    }
    return !session_.stopped_;
}

void Session::hear_signals() {
    if (PyErr_CheckSignals() == 0) return;  // another thread than the main one hears none
    py::error_already_set error;            // takes it
    if (!pending_) pending_.emplace(std::move(error));
    stop();
}

void Session::stop() {
    stopped_ = true;
    const std::scoped_lock lock(cancelling_);
    if (cancellation_) cancellation_->ask();
}

void Session::raise_pending() {
    if (!pending_) return;
    py::error_already_set error = std::move(*pending_);
    pending_.reset();
    throw error;
}

// ---- work

Session::Session(int threads, py::object listener, const std::string& cache)
    : process_(getpid()),
      listener_(std::move(listener)),
      progress_(py::none()),
      team_(std::make_unique<core::ThreadTeam>(threads > 0 ? threads : core::available_cores())),
      context_{*team_, ear_, cache} {}

Session::~Session() {
    if (is_orphan()) static_cast<void>(team_.release());
}

bool Session::is_orphan() const { return getpid() != process_; }

void Session::call(const std::function<void()>& work) {
    const Turn turn(*this);
    std::exception_ptr failure;
    {
        core::Cancellation cancellation;
        {
            const std::scoped_lock lock(cancelling_);
            cancellation_ = &cancellation;
        }
        const py::gil_scoped_release release;
        try {
            const core::CancellationScope scope(&cancellation);
            work();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::scoped_lock lock(cancelling_);
        cancellation_ = nullptr;
    }
    raise_pending();
    if (failure) throw_in_python(failure);
}

void Session::call_aside(const std::function<void()>& work) {
    const bool main = py::module_::import("threading").attr("current_thread")().is(py::module_::import("threading").attr("main_thread")());
    if (!main) return call(work);
    const Turn turn(*this);
    core::Cancellation cancellation;
    {
        const std::scoped_lock lock(cancelling_);
        cancellation_ = &cancellation;
    }
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    {
        const py::gil_scoped_release release;
        std::thread worker([&] {
            try {
                const core::CancellationScope scope(&cancellation);
                work();
            } catch (...) {
                failure = std::current_exception();
            }
            const std::scoped_lock lock(mutex);
            done = true;
            ended.notify_all();
        });
        std::unique_lock lock(mutex);
        while (!ended.wait_for(lock, kListenEvery, [&] { return done; })) {
            lock.unlock();
            {
                const py::gil_scoped_acquire acquire;
                hear_signals();
            }
            lock.lock();
        }
        lock.unlock();
        worker.join();
    }
    {
        const std::scoped_lock lock(cancelling_);
        cancellation_ = nullptr;
    }
    if (cancellation.is_asked()) {
        const std::scoped_lock lock(all().mutex);
        all().left_a_compiler = true;
    }
    raise_pending();
    if (failure) throw_in_python(failure);
}

// ---- the end

void end_sessions() {
    Register& register_ = all();
    const py::gil_scoped_release release;  // those who work need the lock to come back
    std::unique_lock lock(register_.mutex);
    register_.ending = true;
    register_.ender = std::this_thread::get_id();
    for (Session* session : register_.working) session->stop();
    register_.changed.wait_for(lock, kLongestEnd, [&] { return register_.working.empty(); });
    if (!register_.left_a_compiler) return;
    lock.unlock();
    std::this_thread::sleep_for(kCompilerEnds);
}

void watch_forks() {
    static const int watched = pthread_atfork([] { all().mutex.lock(); }, [] { all().mutex.unlock(); },
                                              [] {
                                                  all().working.clear();
                                                  all().mutex.unlock();
                                              });
    static_cast<void>(watched);
}

}  // namespace mottle::python
