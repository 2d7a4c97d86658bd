// tests/conformance/cuda/emulation.cpp: fibers, warps and blocks
#include "conformance/cuda/emulation.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulation {
namespace {

constexpr std::size_t kStack = 512 * 1024;
constexpr unsigned kLanes = 32;
/// Bytes from stack to stack, counted from the same place in a page: the lanes of a warp do not contend for the same cache lines.
constexpr std::size_t kApart = 5 * 64;

/// A stack that runs `body` and can leave it in the middle.
class Fiber {
   public:
    Fiber() : stack_(new char[kStack]) {}
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// `number`: among the fibers that run by turns.
    void start(unsigned number, void (*body)(void*), void* argument);
    /// From the scheduler into the fiber, and back.
    void enter();
    void leave();

   private:
    std::unique_ptr<char[]> stack_;
#if defined(__x86_64__)
    void *inside_ = nullptr, *outside_ = nullptr;  // stack pointers
#else
    ucontext_t inside_{}, outside_{};
    void (*body_)(void*) = nullptr;
    void* argument_ = nullptr;
    static void trampoline(unsigned high, unsigned low);
#endif
    static std::size_t unused(unsigned number) { return number % kLanes * kApart; }  // at the top of the stack
};

#if defined(__x86_64__)

// Saves what the calling convention asks to keep, changes stacks. The floating point mode stays as it is.
asm(R"(
.text
.p2align 4
mottle_emulation_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
mottle_emulation_begin:
    movq %r12, %rdi
    callq *%rbx
    ud2
)");
extern "C" void mottle_emulation_switch(void** save, void* load) asm("mottle_emulation_switch");
extern "C" void mottle_emulation_begin() asm("mottle_emulation_begin");

void Fiber::start(unsigned number, void (*body)(void*), void* argument) {
    auto top = reinterpret_cast<std::uintptr_t>(stack_.get() + kStack - unused(number)) & ~std::uintptr_t{15};
    auto* frame =
        reinterpret_cast<void**>(top) - 9;  // r15 r14 r13 r12 rbx rbp, the address to return to, and the stack aligned at the call
    const std::array<void*, 8> first = {
        nullptr, nullptr, nullptr, argument, reinterpret_cast<void*>(body), nullptr, reinterpret_cast<void*>(mottle_emulation_begin),
        nullptr};
    for (std::size_t i = 0; i < first.size(); ++i) frame[i] = first[i];
    inside_ = frame;
}
void Fiber::enter() { mottle_emulation_switch(&outside_, inside_); }
void Fiber::leave() { mottle_emulation_switch(&inside_, outside_); }

#else

void Fiber::trampoline(unsigned high, unsigned low) {
    auto* fiber = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
    fiber->body_(fiber->argument_);
}
void Fiber::start(unsigned number, void (*body)(void*), void* argument) {
    body_ = body, argument_ = argument;
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.get();
    inside_.uc_stack.ss_size = kStack - unused(number);
    inside_.uc_link = nullptr;
    auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::trampoline), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}
void Fiber::enter() { swapcontext(&outside_, &inside_); }
void Fiber::leave() { swapcontext(&inside_, &outside_); }

#endif

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

struct Warp {
    std::uint64_t meetings = 0;
    unsigned arrived = 0, ended = 0;
    std::array<std::array<std::uint64_t, kLanes>, 2> values{};  // of this meeting and the one before
};

/// Bytes on the way to shared memory.
struct Copy {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
};

struct Thread {
    Fiber fiber;
    Position position;
    bool ended = false;
    std::uint64_t barrier = kNowhere, meeting = kNowhere;  ///< at which it waits: of its block, of its warp
    std::deque<std::vector<Copy>> rows = {};               ///< under way; the last one is not complete
};

constexpr std::size_t kSharedBytes = 48 * 1024;  // of a block, without asking for more
constexpr std::size_t kWord = 4;
constexpr unsigned kNobody = ~0u, kSeveral = ~1u;

/// Who wrote and read a word of shared memory since the last barrier at which somebody did.
struct Accesses {
    std::uint64_t written = ~0ull, read = ~0ull;  // barriers before
    unsigned writer = kNobody, reader = kNobody;
};

/// One block at work.
struct Block {
    const Kernel* kernel = nullptr;
    const void* const* arguments = nullptr;
    std::vector<std::unique_ptr<Thread>> threads;
    std::vector<Warp> warps;
    std::uint64_t barriers = 0;
    unsigned at_barrier = 0, ended = 0;
    std::uint64_t progress = 0;  ///< of its threads
    bool impatient = false;      ///< no block of the grid goes on: who waits for another block does so in vain
    std::string failure;
    Thread* running = nullptr;
    std::vector<unsigned char> shared = std::vector<unsigned char>(kSharedBytes + 16);
    std::size_t shared_bytes = kSharedBytes;  ///< what the last one had, or all: so much is cleared for the next one
    std::vector<Accesses> accesses = std::vector<Accesses>(kSharedBytes / kWord);
};

Block*& current_block() {
    static thread_local Block* block = nullptr;
    return block;
}
Position& plain_position() {
    static thread_local Position position;
    return position;
}

void fail(Block& block, const std::string& what) {
    if (block.failure.empty()) block.failure = what;
    block.running->fiber.leave();  // for ever
}

void body(void* argument) {
    auto& block = *static_cast<Block*>(argument);
    block.kernel->call(block.arguments);
    Thread& self = *block.running;
    self.ended = true;
    ++block.ended, ++block.progress;
    Warp& warp = block.warps[self.position.thread / kLanes];
    ++warp.ended;
    if (warp.arrived > 0)
        fail(block, "lane " + std::to_string(self.position.thread % kLanes) + " ended while others of its warp wait at a shuffle of all");
    self.fiber.leave();
}

void start_block(Block& block, unsigned index, const Launch& launch) {
    const std::size_t count = launch.threads;
    while (block.threads.size() < count) block.threads.push_back(std::make_unique<Thread>());
    block.warps.assign((count + kLanes - 1) / kLanes, Warp{});
    block.barriers = 0, block.at_barrier = 0, block.ended = 0;
    block.impatient = false;
    block.failure.clear();
    std::fill_n(block.shared.begin(), block.shared_bytes + 16, static_cast<unsigned char>(0xff));
    std::fill_n(block.accesses.begin(), (block.shared_bytes + kWord - 1) / kWord, Accesses{});
    block.shared_bytes = 0;
    for (std::size_t t = 0; t < count; ++t) {
        Thread& thread = *block.threads[t];
        thread.position = {static_cast<unsigned>(t), index, launch.threads};
        thread.ended = false;
        thread.barrier = thread.meeting = kNowhere;
        thread.rows.assign(1, {});
        thread.fiber.start(thread.position.thread, body, &block);
    }
}

/// Enters each thread of the warp that begins at `first` once, but those that others keep waiting.
void enter_warp(Block& block, std::size_t first, const Launch& launch) {
    const std::size_t lanes = std::min<std::size_t>(kLanes, launch.threads - first);
    const Warp& warp = block.warps[first / kLanes];
    for (std::size_t i = 0; i < lanes; ++i) {
        Thread& thread = *block.threads[first + (launch.reversed ? lanes - 1 - i : i)];
        if (thread.ended || thread.barrier == block.barriers || thread.meeting == warp.meetings) continue;
        thread.barrier = thread.meeting = kNowhere;
        block.running = &thread;
        thread.fiber.enter();
        if (!block.failure.empty()) throw std::runtime_error(block.failure);
    }
}

/// Runs a block until it has ended, or all of its threads wait; each warp as far as it goes alone, so that its stacks stay in the cache. False: they waited from the beginning.
bool advance_block(Block& block, const Launch& launch) {
    const std::size_t count = launch.threads;
    const std::uint64_t first = block.progress;
    current_block() = &block;
    while (block.ended < count) {
        const std::uint64_t before = block.progress;
        for (std::size_t w = 0; w < block.warps.size(); ++w) {
            const std::size_t warp = launch.reversed ? block.warps.size() - 1 - w : w;
            for (std::uint64_t seen = kNowhere; seen != block.progress;) {
                seen = block.progress;
                enter_warp(block, warp * kLanes, launch);
            }
        }
        if (block.progress == before) break;
    }
    return block.progress != first;
}

/// The first `count` blocks of this thread: they and the stacks of their threads stay for the next launch.
std::span<const std::unique_ptr<Block>> blocks_for(const Kernel& kernel, const void* const* arguments, std::size_t count) {
    static thread_local std::vector<std::unique_ptr<Block>> blocks;
    while (blocks.size() < count) blocks.push_back(std::make_unique<Block>());
    for (std::size_t b = 0; b < count; ++b) blocks[b]->kernel = &kernel, blocks[b]->arguments = arguments;
    return std::span(blocks).first(count);
}

/// Blocks that wait for each other: each goes as far ahead of the others as it can.
void run_together(const Kernel& kernel, const void* const* arguments, const Launch& launch) {
    const auto blocks = blocks_for(kernel, arguments, launch.blocks);
    for (unsigned b = 0; b < launch.blocks; ++b) start_block(*blocks[b], b, launch);
    auto all_ended = [&] {
        return std::all_of(blocks.begin(), blocks.end(), [&](const auto& each) { return each->ended == launch.threads; });
    };
    while (!all_ended()) {
        bool progress = false;
        for (unsigned b = 0; b < launch.blocks; ++b)
            progress = advance_block(*blocks[launch.reversed ? launch.blocks - 1 - b : b], launch) || progress;
        if (!progress && blocks.front()->impatient) throw std::runtime_error("threads of a grid wait for each other for ever");
        for (const auto& each : blocks) each->impatient = !progress;
    }
}

}  // namespace

void run(const Kernel& kernel, const void* const* arguments, const Launch& launch) {
    struct Reset {
        ~Reset() { current_block() = nullptr; }
    } reset;
    if (launch.together) return run_together(kernel, arguments, launch);
    for (unsigned b = 0; b < launch.blocks; ++b) {
        const unsigned index = launch.reversed ? launch.blocks - 1 - b : b;
        if (launch.meets) {
            Block& block = *blocks_for(kernel, arguments, 1).front();
            start_block(block, index, launch);
            advance_block(block, launch);
            if (block.ended < launch.threads) throw std::runtime_error("threads of a block wait for each other for ever");
            continue;
        }
        for (unsigned t = 0; t < launch.threads; ++t) {
            plain_position() = {launch.reversed ? launch.threads - 1 - t : t, index, launch.threads};
            kernel.call(arguments);
        }
    }
}

const Position& here() {
    const Block* block = current_block();
    return block ? block->running->position : plain_position();
}

std::uint64_t shuffle(std::uint64_t bits, int distance) {
    Block* block = current_block();
    if (!block) throw std::runtime_error("a shuffle in a text that was taken to have none");
    Thread& self = *block->running;
    Warp& warp = block->warps[self.position.thread / kLanes];
    const unsigned lane = self.position.thread % kLanes;
    if (warp.ended > 0)
        fail(*block, "lane " + std::to_string(lane) + " shuffles with all lanes, of which " + std::to_string(warp.ended) + " have ended");
    const std::uint64_t meeting = warp.meetings;
    warp.values[meeting % 2][lane] = bits;
    ++block->progress;
    if (++warp.arrived == kLanes) {
        warp.arrived = 0;
        ++warp.meetings;
    }
    while (warp.meetings == meeting) {
        self.meeting = meeting;
        self.fiber.leave();
    }
    const int from = static_cast<int>(lane) + distance;
    return warp.values[meeting % 2][from < 0 || from >= static_cast<int>(kLanes) ? lane : static_cast<unsigned>(from)];
}

void meet_block() {
    Block* block = current_block();
    if (!block) throw std::runtime_error("a barrier in a text that was taken to have none");
    Thread& self = *block->running;
    if (block->ended > 0) fail(*block, "a thread waits at a barrier of the block after others have ended");
    const std::uint64_t barrier = block->barriers;
    ++block->progress;
    if (++block->at_barrier == self.position.threads) {
        block->at_barrier = 0;
        ++block->barriers;
    }
    while (block->barriers == barrier) {
        self.barrier = barrier;
        self.fiber.leave();
    }
}

bool pause() {
    Block* block = current_block();
    if (!block) throw std::runtime_error("a thread waits for another block in a text that was taken to have no such thing");
    block->running->fiber.leave();
    return !block->impatient;
}

long long& packets_until_loss() {
    static long long count = 0;
    return count;
}

bool loses_packet() { return packets_until_loss() > 0 && --packets_until_loss() == 0; }

void note_progress() {
    if (Block* block = current_block()) ++block->progress;
}

void* shared(std::size_t bytes) {
    Block* block = current_block();
    if (!block) throw std::runtime_error("shared memory in a text whose threads were taken to be alone");
    if (bytes > kSharedBytes) fail(*block, "a block asks for " + std::to_string(bytes) + " bytes of shared memory");
    block->shared_bytes = std::max(block->shared_bytes, bytes);
    return block->shared.data() + (16 - reinterpret_cast<std::uintptr_t>(block->shared.data()) % 16) % 16;
}

static void note_access(const void* place, std::size_t bytes, bool write) {
    Block* block = current_block();
    if (!block) throw std::runtime_error("shared memory in a text whose threads were taken to be alone");
    const auto base = reinterpret_cast<std::uintptr_t>(block->shared.data()), start = base + (16 - base % 16) % 16;
    const auto first = reinterpret_cast<std::uintptr_t>(place);
    const unsigned self = block->running->position.thread;
    if (first < start || first + bytes > start + block->shared_bytes) fail(*block, "an access beyond the shared memory of a block");
    for (std::size_t word = (first - start) / kWord; word < (first - start + bytes) / kWord; ++word) {
        Accesses& access = block->accesses[word];
        const bool other_wrote = access.written == block->barriers && access.writer != self;
        const bool other_read = access.read == block->barriers && access.reader != self;
        if (other_wrote || (write && other_read)) {
            fail(*block, "thread " + std::to_string(self) + (write ? " writes" : " reads") + " shared word " + std::to_string(word) +
                             ", which another thread " + (other_wrote ? "wrote" : "read") + " since the last barrier");
        }
        if (write) {
            access.written = block->barriers, access.writer = self;
        } else if (access.read != block->barriers) {
            access.read = block->barriers, access.reader = self;
        } else if (access.reader != self) {
            access.reader = kSeveral;
        }
    }
}

void note_give(const void* to, std::size_t bytes) { note_access(to, bytes, true); }
void note_take(const void* from, std::size_t bytes) { note_access(from, bytes, false); }

void begin_copy(void* to, const void* from, std::size_t bytes) {
    note_give(to, bytes);
    std::memset(to, 0xff, bytes);
    current_block()->running->rows.back().push_back({to, from, bytes});
}

void end_row() { current_block()->running->rows.emplace_back(); }

void wait_for_rows(int rows) {
    auto& under_way = current_block()->running->rows;
    for (; under_way.size() > static_cast<std::size_t>(rows) + 1; under_way.pop_front()) {
        for (const Copy& copy : under_way.front()) std::memcpy(copy.to, copy.from, copy.bytes);
    }
}

std::map<std::string, Text>& corpus() {
    static std::map<std::string, Text> texts;
    return texts;
}

}  // namespace emulation
