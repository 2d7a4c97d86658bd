// apps/cli/command_thread.cpp: one thread works, and this one waits for its end or a signal
#include "command_thread.h"

#include "commands.h"
#include "terminal.h"

#include "mottle/core/cancellation.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include <pthread.h>
#include <sys/resource.h>

namespace mottle::cli {

namespace {

constexpr std::size_t kStack = std::size_t{8} << 20;  // bytes: what Linux gives a program; LLVM's recursion needs some of it
constexpr double kGrace = 0.7;                        // seconds

// of the one command that this process runs
std::atomic<int> files_open = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Threads take the stack that `ulimit -s` grants the program, which may be too little for a compiler or an encoder.
void give_threads_a_stack() {
#if defined(__GLIBC__)
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0) return;
    std::size_t size = 0;
    if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < kStack && pthread_attr_setstacksize(&attributes, kStack) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
}

/// The heap of a thread grows by what is asked for, and each time by a call of the system. What is taken here and given back stays open to the thread.
void widen_heap() {
#if defined(__GLIBC__)
    constexpr std::size_t kPiece = std::size_t{96} << 10;  // bytes: larger pieces are no part of the heap
    std::array<std::unique_ptr<volatile std::byte[]>, 12> pieces;
    for (auto& piece : pieces) {
        piece.reset(new volatile std::byte[kPiece]);
        piece[0] = std::byte{0};
    }
#endif
}

/// Waits until `woken` is posted, at most for `seconds`. False: time is up.
bool wait_for(sem_t& woken, std::optional<double> seconds) {
    timespec until{};
    if (seconds) {
        clock_gettime(CLOCK_REALTIME, &until);
        const long nanoseconds = until.tv_nsec + static_cast<long>(*seconds * 1e9);
        until.tv_sec += nanoseconds / 1'000'000'000;
        until.tv_nsec = nanoseconds % 1'000'000'000;
    }
    while ((seconds ? sem_timedwait(&woken, &until) : sem_wait(&woken)) != 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

[[noreturn]] void end_process(int code) {
    std::cout << std::flush;
    std::cerr << std::flush;
    std::_Exit(code);  // a compiler that was left alone may still be at work: nothing is taken from under it
}

}  // namespace

FilesOpen::FilesOpen() { ++files_open; }
FilesOpen::~FilesOpen() { --files_open; }

int run_command(const std::function<int()>& command, const std::function<int()>& interrupted) {
    give_threads_a_stack();
    sem_t woken;
    sem_init(&woken, 0, 0);
    catch_interrupts(woken);
    std::atomic<bool> done = false;
    int code = kInternal;
    const auto work = [&] {
        const core::CancellationScope scope(&interruption());
        widen_heap();
        code = command();
        done = true;
        sem_post(&woken);
    };
    std::thread worker;
    try {
        worker = std::thread(work);
    } catch (const std::system_error&) {  // no thread is to be had: the command says what it lacks
        work();
    }
    // Where files are open the work ends by itself, and is waited for.
    while (!done) {
        if (interrupted_by() == 0 || files_open > 0) {
            wait_for(woken, interrupted_by() == 0 ? std::nullopt : std::optional(kGrace));
        } else if (!wait_for(woken, kGrace) && !done && files_open == 0) {
            end_process(interrupted());
        }
    }
    if (worker.joinable()) worker.join();
    if (code == kInterrupted) end_process(code);
    return code;
}

}  // namespace mottle::cli
