// mottle/core/thread_team.cpp: the team: atomics that are spun on briefly, then slept on (a futex on Linux)
#include "mottle/core/thread_team.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/core/placement.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#endif

namespace mottle::core {
namespace {

// A step of 512 x 512 cells takes 25 us on two cores: waking a sleeper costs as much, so a waiter spins past the longest
// imbalance between workers (some ms) before it sleeps. Between runs nobody is late, and the cores may be wanted elsewhere.
constexpr int kBarrierSpins = 100000;
constexpr int kIdleSpins = 20000;
constexpr int kFewestSpins = 100;
constexpr std::size_t kCacheLine = 64;

using Counter = std::atomic<std::uint32_t>;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

/// How long this thread spins. Where others want the cores, the one waited for may have none, and spinning keeps it off ours: each wait that
/// spinning did not end halves the next, each that it did doubles it again.
thread_local int patience = kBarrierSpins;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): of one thread

/// Returns once `done()`: asks at most `most` times, then sleeps until `sleep()`, which returns when something has changed, finds it so.
template <class Done, class Sleep>
void wait_until(int most, const Done& done, const Sleep& sleep) {
    const int spins = std::min(most, patience);
    for (int i = 0; i < spins; ++i) {
        if (done()) {
            patience = std::min(kBarrierSpins, 2 * patience);
            return;
        }
        pause_briefly();
    }
    if (most > kIdleSpins) patience = std::max(kFewestSpins, patience / 2);
    while (!done()) sleep();
}

/// Returns once `counter` differs from `old`.
void wait_for_change(const Counter& counter, std::uint32_t old, int most) {
    wait_until(
        most, [&] { return counter.load(std::memory_order_acquire) != old; }, [&] { counter.wait(old, std::memory_order_acquire); });
}

/// Thrown out of barrier() and wait_for() in the workers that would wait for one that has failed.
struct TeamAborted {};

#if defined(__linux__)
/// The cores that the cgroup's CPU quota amounts to, or the largest number where there is none.
int cores_of_quota() {
    int cores = std::numeric_limits<int>::max();
    std::ifstream groups("/proc/self/cgroup");
    std::string line, group = "/";
    while (std::getline(groups, line)) {
        if (line.rfind("0::", 0) == 0) group = line.substr(3);
    }
    for (;;) {
        std::ifstream limit("/sys/fs/cgroup" + group + "/cpu.max");
        std::string quota;
        double period = 0;
        if (limit >> quota >> period && quota != "max" && period > 0) {
            const double share = std::strtod(quota.c_str(), nullptr) / period;
            if (share < cores) cores = std::max(1, static_cast<int>(std::lround(share)));
        }
        const auto slash = group.rfind('/');
        if (slash == std::string::npos || group.size() <= 1) return cores;
        group = slash == 0 ? "/" : group.substr(0, slash);
    }
}
#endif

}  // namespace

struct ThreadTeam::State {
    explicit State(int members) : size(members), cores(available_cores()), failures(core::at(members)), places(core::at(members)) {}

    const int size;
    const int cores;
    std::vector<std::thread> threads;
    std::vector<std::exception_ptr> failures;  // one per worker
    std::vector<Placement> places;             // likewise
    const std::function<void(int)>* work = nullptr;
    const Cancellation* heeded = nullptr;  // by the caller of run
    std::atomic<int> other_threads{0};
    bool running = false;
    bool stopping = false;

    // Each on a line of its own: a spinning reader must not slow down a writer of another.
    alignas(kCacheLine) Counter run_number{0};
    alignas(kCacheLine) Counter unfinished{0};
    alignas(kCacheLine) Counter arrived{0};
    alignas(kCacheLine) Counter generation{0};
    alignas(kCacheLine) Counter sleepers{0};  // that wait for a milestone
    alignas(kCacheLine) Counter wake_up{0};   // changes when they should look again
    alignas(kCacheLine) std::atomic<bool> broken{false};

    int spins(int wanted) const { return size + other_threads.load(std::memory_order_relaxed) > cores ? 0 : wanted; }
    // Where the caller sleeps for its workers, its core is as good as any: the others may have the encoder's threads.
    bool caller_spins() const { return spins(1) > 0; }

    void pass_generation() {
        generation.fetch_add(1, std::memory_order_acq_rel);
        generation.notify_all();
    }

    void wake_sleepers() {
        wake_up.fetch_add(1);
        wake_up.notify_all();
    }

    void execute(int worker) {
        try {
            const CancellationScope scope(heeded);
            (*work)(worker);
        } catch (const TeamAborted&) {
            return;
        } catch (...) {
            failures[core::at(worker)] = std::current_exception();
            broken.store(true, std::memory_order_release);
            pass_generation();
            wake_sleepers();
        }
    }

    void serve(int worker) {
        Placement& place = places[core::at(worker)];
        std::uint32_t seen = 0;
        for (;;) {
            wait_until(
                spins(kIdleSpins), [&] { return run_number.load(std::memory_order_acquire) != seen; },
                [&] {
                    place.sleeps(true);
                    run_number.wait(seen, std::memory_order_acquire);
                    place.sleeps(false);
                });
            ++seen;
            place.restore();
            if (stopping) return;
            execute(worker);
            if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished.notify_one();
        }
    }

    void start_run() {
        for (std::size_t worker = 1; worker <= threads.size() && caller_spins(); ++worker)
            places[worker].keep_off_this_core(threads[worker - 1]);
        run_number.fetch_add(1, std::memory_order_acq_rel);
        run_number.notify_all();
    }

    void stop() {
        stopping = true;
        start_run();
        for (std::thread& thread : threads) thread.join();
    }
};

ThreadTeam::ThreadTeam(int size) {
    if (size < 1) throw InputError("threads = " + std::to_string(size) + ": a team has at least 1 thread");
    state_ = std::make_unique<State>(size);
    try {
        for (int worker = 1; worker < size; ++worker)
            state_->threads.emplace_back([state = state_.get(), worker] { state->serve(worker); });
    } catch (const std::system_error& error) {
        const std::size_t started = state_->threads.size();
        state_->stop();
        throw DeviceError("cannot start thread " + std::to_string(started + 1) + " of " + std::to_string(size) + ": " +
                          error.code().message() + "; ask for fewer threads");
    }
}

ThreadTeam::~ThreadTeam() { state_->stop(); }

int ThreadTeam::size() const { return state_->size; }

void ThreadTeam::set_other_threads(int count) { state_->other_threads.store(std::max(count, 0), std::memory_order_relaxed); }

void ThreadTeam::run(const std::function<void(int worker)>& work) {
    State& state = *state_;
    if (state.running) throw InternalError("ThreadTeam::run was called while the team was running");
    state.running = true;
    state.work = &work;
    state.heeded = CancellationScope::current();
    if (state.size > 1) {
        state.unfinished.store(static_cast<std::uint32_t>(state.size - 1), std::memory_order_relaxed);
        state.start_run();
    }
    state.execute(0);
    for (std::uint32_t left = state.unfinished.load(std::memory_order_acquire); left != 0;
         left = state.unfinished.load(std::memory_order_acquire)) {
        wait_for_change(state.unfinished, left, state.spins(kBarrierSpins));
    }
    state.running = false;
    if (!state.broken.load(std::memory_order_acquire)) return;

    state.broken.store(false, std::memory_order_relaxed);
    state.arrived.store(0, std::memory_order_relaxed);
    std::exception_ptr first;
    for (std::exception_ptr& failure : state.failures) {
        if (!first) first = failure;
        failure = nullptr;
    }
    std::rethrow_exception(first);
}

void ThreadTeam::barrier() {
    State& state = *state_;
    if (state.size == 1) return;
    // The generation is read first: a worker that fails sets `broken` and then passes the generation, so one that does not see
    // it broken here still sees the generation pass.
    const std::uint32_t current = state.generation.load(std::memory_order_acquire);
    if (state.broken.load(std::memory_order_acquire)) throw TeamAborted{};
    if (state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(state.size)) {
        state.arrived.store(0, std::memory_order_relaxed);
        state.pass_generation();
    } else {
        wait_for_change(state.generation, current, state.spins(kBarrierSpins));
    }
    if (state.broken.load(std::memory_order_acquire)) throw TeamAborted{};
}

// A sleeper counts itself before it looks at the milestone for the last time, and who raises it looks for sleepers afterwards: one of both sees the
// other, as both do so in the one order of sequential consistency.
void ThreadTeam::raise(Milestone& milestone, std::uint64_t count) {
    if (state_->size == 1) return milestone.count_.store(count, std::memory_order_relaxed);
    milestone.count_.store(count);
    if (state_->sleepers.load() != 0) state_->wake_sleepers();
}

void ThreadTeam::wait_for(const Milestone& milestone, std::uint64_t count) {
    State& state = *state_;
    if (milestone.has_come_to(count)) return;
    const auto done = [&] { return milestone.count_.load() >= count || state.broken.load(std::memory_order_acquire); };
    wait_until(state.spins(kBarrierSpins), done, [&] {
        const std::uint32_t seen = state.wake_up.load();
        state.sleepers.fetch_add(1);
        if (!done()) state.wake_up.wait(seen);
        state.sleepers.fetch_sub(1);
    });
    if (state.broken.load(std::memory_order_acquire)) throw TeamAborted{};
}

int available_cores() {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    static const int quota = cores_of_quota();  // it takes files to know, and stays
    return std::min(quota, known ? std::max(1, CPU_COUNT(&set)) : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
#else
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
#endif
}

}  // namespace mottle::core
