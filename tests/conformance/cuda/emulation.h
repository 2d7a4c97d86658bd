// tests/conformance/cuda/emulation.h: blocks of threads on the CPU: threads are fibers that change only where a warp, a block or a grid meets
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace emulation {

struct Kernel {
    std::function<void(const void* const* arguments)> call;
    std::vector<std::size_t> sizes;  ///< of its parameters, in bytes: a launch copies so many, whatever is there
};

struct Launch {
    unsigned blocks = 1, threads = 1;
    bool meets = false;     ///< it has shuffles or barriers, so that its threads have to be fibers
    bool reversed = false;  ///< last block and last thread first
    bool together = false;  ///< all blocks are at work at the same time: each goes on until all of it waits, then the next one
};
/// Runs all threads. Throws: std::runtime_error if a lane ends while others of its warp wait for it, or threads wait for ever.
void run(const Kernel& kernel, const void* const* arguments, const Launch& launch);

struct Position {
    unsigned thread = 0, block = 0, threads = 0;
};
const Position& here();
/// Gives `bits` to the warp and takes those of the lane `distance` lanes down (up: negative); a lane beyond the warp gives back its own.
std::uint64_t shuffle(std::uint64_t bits, int distance);
void meet_block();

/// Others go on, so that what this thread waits for may come. False: nobody has gone on since it was asked for the last time, nor will.
bool pause();
/// Something has come that others may wait for.
void note_progress();
/// Whether this packet is the one that gets lost; 0: none does. Counted down.
long long& packets_until_loss();
bool loses_packet();

/// The memory that the threads of a block share: not cleared, and full of NaN at its start. It and every access to it are watched: between two
/// barriers nobody may read what another thread writes, nor write what another reads or writes.
void* shared(std::size_t bytes);
void note_give(const void* to, std::size_t bytes);
void note_take(const void* from, std::size_t bytes);

/// A copy to shared memory that a thread asks for and does not wait for: what is there is lost, what comes arrives as late as it may.
void begin_copy(void* to, const void* from, std::size_t bytes);
/// The copies asked for since the last call are a row.
void end_row();
/// Waits until at most `rows` rows of this thread are under way.
void wait_for_rows(int rows);

/// A compiled text.
struct Text {
    bool f64 = false;
    bool meets = false;
    std::map<std::string, Kernel> kernels = {};
};
/// By the hash of the text; filled before main by the corpus.
std::map<std::string, Text>& corpus();

struct Registration {
    Registration(const char* hash, Text text) { corpus()[hash] = std::move(text); }
};

template <class... Parameters>
Kernel wrap(void (*kernel)(Parameters...)) {
    auto call = [kernel](const void* const* arguments) {
        [&]<std::size_t... i>(std::index_sequence<i...>) { kernel(*static_cast<const std::remove_cv_t<Parameters>*>(arguments[i])...); }
        (std::index_sequence_for<Parameters...>{});
    };
    return {call, {sizeof(Parameters)...}};
}

}  // namespace emulation
