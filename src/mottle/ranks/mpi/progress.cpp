// mottle/ranks/mpi/progress.cpp: a thread that has MPI go on with an exchange while all others compute
#include "mottle/ranks/mpi/progress.h"

#include <chrono>
#include <csignal>
#include <utility>

namespace mottle::ranks {
namespace {

// Short beside a pass (milliseconds), long beside what a look takes a core away for (microseconds).
constexpr std::chrono::microseconds kBetweenLooks{100};

}  // namespace

Progress::Progress(std::function<bool()> test) : test_(std::move(test)) {
    // Signals are for the other threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Progress::begin() {
    {
        const std::lock_guard lock(mutex_);
        active_ = true;
    }
    changed_.notify_one();
}

void Progress::end() {
    const std::lock_guard lock(mutex_);
    active_ = false;
}

void Progress::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return active_ || ended_; });
        if (ended_) return;
        if (test_()) {
            active_ = false;
            continue;
        }
        changed_.wait_for(lock, kBetweenLooks, [this] { return !active_ || ended_; });
    }
}

}  // namespace mottle::ranks
