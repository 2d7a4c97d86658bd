// tests/conformance/cuda/pretend/driver.cpp: a libcuda.so.1 whose card is the emulation: what the backend asks of NVIDIA's driver is asked of it
// It does everything as late as a driver may, and refuses what a driver refuses: calls without a context, launches beyond the limits, most calls
// within a recording. MOTTLE_PRETEND_CARD: the compute capability ("9.0"); MOTTLE_PRETEND_MEMORY: bytes; MOTTLE_PRETEND_DRIVER: its CUDA ("13000");
// MOTTLE_PRETEND_ROOM: blocks that it has room for at the same time ("132").
// `idle` for MOTTLE_PRETEND_KERNELS: any image is taken, launches and copies do nothing, and memory costs nothing: for what the host does beside.
#include "conformance/cuda/emulation.h"
#include "conformance/cuda/guarded_memory.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/core/hash.h"

#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

enum Status {
    kSuccess = 0,
    kInvalidValue = 1,
    kOutOfMemory = 2,
    kNotInitialized = 3,
    kNoDevice = 100,
    kInvalidImage = 200,
    kInvalidContext = 201,
    kNoBinary = 209,
    kInvalidHandle = 400,
    kNotFound = 500,
    kLaunchFailed = 719,
    kTooManyTogether = 720,
    kCaptureUnsupported = 900
};
using Address = std::uint64_t;
using Work = std::function<void()>;

constexpr const char* kDriver = "13000";

std::string setting(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

constexpr int kFirstCard = 7;
int cards() { return std::stoi(setting("MOTTLE_PRETEND_CARDS", "1")); }
bool is_card(int device) { return device >= kFirstCard && device < kFirstCard + cards(); }

/// Work in order; done when somebody waits for it.
struct Stream {
    std::deque<Work> open;
    std::uint64_t issued = 0, done = 0;
    bool recording = false;
    std::thread::id recorder;
    std::vector<Work> recorded;

    void add(Work work) {
        open.push_back(std::move(work));
        ++issued;
    }
    void reach(std::uint64_t ticket) {
        while (done < ticket) {
            const Work work = std::move(open.front());
            open.pop_front();
            ++done;
            work();
        }
    }
};
struct Event {
    Stream* stream = nullptr;
    std::uint64_t ticket = 0;
};
struct Graph {
    std::vector<Work> work;
};
struct Module {
    const emulation::Text* compiled = nullptr;  // null: idle
};
struct Function {
    const Module* module;
    const emulation::Kernel* kernel;  // null: idle
};

template <class Thing>
class Things {
   public:
    Thing* make(Thing thing = {}) { return all_.emplace_back(std::make_unique<Thing>(std::move(thing))).get(); }
    bool has(const Thing* thing) const {
        return std::any_of(all_.begin(), all_.end(), [&](const auto& each) { return each.get() == thing; });
    }
    bool drop(const Thing* thing) {
        return std::erase_if(all_, [&](const auto& each) { return each.get() == thing; }) > 0;
    }
    const std::vector<std::unique_ptr<Thing>>& all() const { return all_; }

   private:
    std::vector<std::unique_ptr<Thing>> all_;
};

struct Card {
    std::recursive_mutex guard;
    bool ready = false, lost = false;
    std::string failure;
    conformance::GuardedMemory memory;
    Address next = 1 << 20;  // of one that is idle
    std::set<void*> pinned;
    Things<Stream> streams;
    Things<Event> events;
    Things<Graph> graphs, runs;
    Things<Module> modules;
    Things<Function> functions;
    int retained = 0, contexts = 0;
};
Card& card() {
    static Card* the = new Card;  // outlives who releases late
    return *the;
}
constexpr int kContexts = 3;  // of a program, one after another
thread_local void* current = nullptr;
int context_mark;

std::size_t memory_size() { return std::stoull(setting("MOTTLE_PRETEND_MEMORY", "16000000000")); }
bool idle() { return setting("MOTTLE_PRETEND_KERNELS", "") == "idle"; }

Status fail(Status status, const std::string& why) {
    card().failure = why;
    std::fprintf(stderr, "the pretended driver: %s\n", why.c_str());
    return status;
}

/// What most calls ask for first. `records`: may be called while this thread records.
Status ready(bool records = false) {
    if (card().lost) return kLaunchFailed;
    if (!current) return fail(kInvalidContext, "a call without a context");
    for (const auto& stream : card().streams.all()) {
        if (!records && stream->recording && stream->recorder == std::this_thread::get_id())
            return fail(kCaptureUnsupported, "a call that is not allowed while a stream is recorded");
    }
    return kSuccess;
}

/// Does what is open in a stream up to a ticket.
Status reach(Stream& stream, std::uint64_t ticket) {
    try {
        stream.reach(ticket);
        if (!card().memory.intact()) throw std::runtime_error("somebody wrote beyond an allocation");
    } catch (const std::exception& error) {
        card().lost = true;
        return fail(kLaunchFailed, error.what());
    }
    return kSuccess;
}
Status reach_all() {
    for (const auto& stream : card().streams.all()) {
        if (const Status status = reach(*stream, stream->issued); status != kSuccess) return status;
    }
    return kSuccess;
}

/// In order behind what was asked of the stream before, or into the recording.
Status put(Stream* stream, Work work) {
    if (!card().streams.has(stream)) return fail(kInvalidHandle, "work for no stream");
    if (stream->recording) {
        stream->recorded.push_back(std::move(work));
    } else {
        stream->add(std::move(work));
    }
    return kSuccess;
}

/// The same for bytes of device memory at `place`.
Status touch(Stream* stream, Address place, std::size_t bytes, Work work) {
    if (idle()) return kSuccess;
    if (!card().memory.holds(place, bytes)) return fail(kInvalidValue, "bytes beyond an allocation");
    return put(stream, std::move(work));
}

/// A launch whose kind was looked at.
Status put_launch(Function* function, unsigned blocks, unsigned threads, Stream* stream, void** values, bool together) {
    if (blocks == 0 || blocks > 0x7fffffffu || threads == 0 || threads > 1024) return fail(kInvalidValue, "a launch beyond the limits");
    if (!card().functions.has(function) || !card().modules.has(function->module)) return fail(kInvalidHandle, "no kernel");
    if (!function->kernel) return put(stream, [] {});
    std::vector<std::vector<std::byte>> copies;
    for (std::size_t i = 0; i < function->kernel->sizes.size(); ++i) {
        const auto* bytes = static_cast<const std::byte*>(values[i]);
        copies.emplace_back(bytes, bytes + function->kernel->sizes[i]);
    }
    return put(stream, [function, blocks, threads, together, copies = std::move(copies)] {
        std::vector<const void*> arguments;
        for (const auto& copy : copies) arguments.push_back(copy.data());
        const mottle::backend::FlushMode mode(!function->module->compiled->f64);
        emulation::run(*function->kernel, arguments.data(), {blocks, threads, function->module->compiled->meets, false, together});
    });
}

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

#define WHEN_READY(records)        \
    const Lock lock(card().guard); \
    if (const Status status = ready(records); status != kSuccess) return status

extern "C" {

Status cuInit(unsigned flags) {
    card().ready = flags == 0;
    return card().ready ? kSuccess : kInvalidValue;
}
/// NVRTC, which keeps results of its own there, asks the driver for it.
Status cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return kNotFound;
}
Status cuDriverGetVersion(int* version) {
    *version = std::stoi(setting("MOTTLE_PRETEND_DRIVER", kDriver));
    return kSuccess;
}
Status cuGetErrorName(Status, const char** name) {
    *name = "PRETENDED_ERROR";
    return kSuccess;
}
Status cuGetErrorString(Status, const char** text) {
    *text = card().failure.c_str();
    return kSuccess;
}
Status cuDeviceGetCount(int* count) {
    *count = cards();
    return card().ready ? kSuccess : kNotInitialized;
}
Status cuDeviceGet(int* device, int which) {
    *device = kFirstCard + which;
    return which >= 0 && which < cards() ? kSuccess : kNoDevice;
}
Status cuDeviceGetName(char* name, int length, int device) {
    std::snprintf(name, static_cast<std::size_t>(length), "pretended card");
    return is_card(device) ? kSuccess : kNoDevice;
}
Status cuDeviceGetAttribute(int* value, int which, int device) {
    const std::string capability = setting("MOTTLE_PRETEND_CARD", "9.0");
    const std::size_t dot = capability.find('.');
    if (which == 16) *value = 132;
    if (which == 75) *value = std::stoi(capability.substr(0, dot));
    if (which == 76) *value = std::stoi(capability.substr(dot + 1));
    if (which == 95) *value = 1;
    return is_card(device) && (which == 16 || which == 75 || which == 76 || which == 95) ? kSuccess : kInvalidValue;
}
Status cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    *bytes = memory_size();
    return is_card(device) ? kSuccess : kNoDevice;
}
Status cuDevicePrimaryCtxRetain(void** context, int device) {
    const Lock lock(card().guard);
    if (card().retained++ == 0 && ++card().contexts > kContexts)
        return fail(kInvalidValue, "contexts are made again and again: each takes a third of a second");
    *context = &context_mark;
    return is_card(device) ? kSuccess : kNoDevice;
}
Status cuDevicePrimaryCtxRelease_v2(int device) {
    const Lock lock(card().guard);
    if (!is_card(device) || --card().retained < 0) return fail(kInvalidContext, "a context was released that nobody holds");
    const Card& it = card();
    const bool holds = it.memory.bytes() > 0 || !it.pinned.empty() || !it.streams.all().empty() || !it.events.all().empty() ||
                       !it.graphs.all().empty() || !it.runs.all().empty() || !it.modules.all().empty();
    if (it.retained == 0 && !it.lost && holds) return fail(kInvalidValue, "something was left behind");
    return kSuccess;
}
Status cuCtxSetCurrent(void* context) {
    if (context && context != &context_mark) return fail(kInvalidContext, "a context of another card");
    current = context;
    return kSuccess;
}
Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    WHEN_READY(false);
    *total = memory_size();
    *free = *total - card().memory.bytes();
    return kSuccess;
}
Status cuMemAlloc_v2(Address* address, std::size_t bytes) {
    WHEN_READY(false);
    if (bytes == 0) return fail(kInvalidValue, "an allocation of nothing");
    if (bytes > memory_size() - card().memory.bytes()) return kOutOfMemory;
    *address = idle() ? card().next : card().memory.allocate(bytes);
    card().next += (bytes + 255) / 256 * 256;
    return kSuccess;
}
Status cuMemFree_v2(Address address) {
    WHEN_READY(false);
    if (const Status status = reach_all(); status != kSuccess) return status;
    return idle() || card().memory.release(address) ? kSuccess : fail(kInvalidValue, "memory was released that is not there");
}
Status cuMemsetD8Async(Address address, unsigned char byte, std::size_t bytes, Stream* stream) {
    WHEN_READY(true);
    return touch(stream, address, bytes, [=] { std::memset(reinterpret_cast<void*>(address), byte, bytes); });
}
Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream* stream) {
    WHEN_READY(true);
    return touch(stream, to, bytes, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}
Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream* stream) {
    WHEN_READY(true);
    return touch(stream, from, bytes, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
}
Status cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    WHEN_READY(false);
    if (bytes == 0 || flags != 0) return fail(kInvalidValue, "pinned memory of no bytes, or with flags");
    card().pinned.insert(*memory = std::malloc(bytes));
    return kSuccess;
}
Status cuMemFreeHost(void* memory) {
    WHEN_READY(false);
    if (const Status status = reach_all(); status != kSuccess) return status;
    if (card().pinned.erase(memory) == 0) return fail(kInvalidValue, "pinned memory was released that is not there");
    std::free(memory);
    return kSuccess;
}

Status cuStreamCreate(Stream** stream, unsigned flags) {
    WHEN_READY(false);
    if (flags != 1) return fail(kInvalidValue, "a stream that waits for the default one");
    *stream = card().streams.make();
    return kSuccess;
}
Status cuStreamDestroy_v2(Stream* stream) {
    WHEN_READY(false);
    if (const Status status = reach_all(); status != kSuccess) return status;
    return card().streams.drop(stream) ? kSuccess : fail(kInvalidHandle, "no stream");
}
Status cuStreamSynchronize(Stream* stream) {
    WHEN_READY(false);
    if (!card().streams.has(stream)) return fail(kInvalidHandle, "no stream");
    return reach(*stream, stream->issued);
}
Status cuEventCreate(Event** event, unsigned flags) {
    WHEN_READY(false);
    *event = card().events.make();
    return flags == 3 ? kSuccess : kInvalidValue;
}
Status cuEventDestroy_v2(Event* event) {
    WHEN_READY(false);
    return card().events.drop(event) ? kSuccess : fail(kInvalidHandle, "no event");
}
Status cuEventRecord(Event* event, Stream* stream) {
    WHEN_READY(false);
    if (!card().events.has(event) || !card().streams.has(stream)) return fail(kInvalidHandle, "no event or no stream");
    *event = {stream, stream->issued};
    return kSuccess;
}
Status cuStreamWaitEvent(Stream* stream, Event* event, unsigned flags) {
    WHEN_READY(false);
    if (!card().events.has(event) || flags != 0) return fail(kInvalidHandle, "no event");
    return put(stream, [before = *event] {
        if (before.stream) before.stream->reach(before.ticket);
    });
}
Status cuEventSynchronize(Event* event) {
    WHEN_READY(false);
    if (!card().events.has(event)) return fail(kInvalidHandle, "no event");
    return event->stream ? reach(*event->stream, event->ticket) : kSuccess;
}

Status cuModuleLoadData(Module** module, const void* image) {
    WHEN_READY(false);
    if (idle()) {
        *module = card().modules.make();
        return kSuccess;
    }
    const std::string all = static_cast<const char*>(image), head = all.substr(0, all.find('\n'));
    const std::string capability = setting("MOTTLE_PRETEND_CARD", "9.0");
    const std::size_t dot = capability.find('.');
    const int card_number = std::stoi(capability.substr(0, dot) + capability.substr(dot + 1));
    int number = 0, compiler = 0;
    const bool cubin = std::sscanf(head.c_str(), "pretended sm_%d of %d", &number, &compiler) == 2;
    if (!cubin && std::sscanf(head.c_str(), "pretended compute_%d of %d", &number, &compiler) != 2) return fail(kInvalidImage, "no image");
    if (compiler > std::stoi(setting("MOTTLE_PRETEND_DRIVER", kDriver)) / 1000)
        return fail(kInvalidImage, "an image of a compiler that is newer than the driver");
    if (cubin ? number != card_number : number > card_number) return fail(kNoBinary, "an image for another card");
    const auto found = emulation::corpus().find(mottle::core::hash_hex(mottle::core::hash_text(all.substr(head.size() + 1))));
    if (found == emulation::corpus().end()) return fail(kInvalidImage, "a text that is not in the corpus");
    *module = card().modules.make({&found->second});
    return kSuccess;
}
Status cuModuleUnload(Module* module) {
    WHEN_READY(false);
    if (const Status status = reach_all(); status != kSuccess) return status;
    return card().modules.drop(module) ? kSuccess : fail(kInvalidHandle, "no module");
}
Status cuModuleGetFunction(Function** function, Module* module, const char* name) {
    WHEN_READY(false);
    if (!card().modules.has(module)) return fail(kInvalidHandle, "no module");
    const emulation::Kernel* kernel = nullptr;
    if (module->compiled) {
        const auto found = module->compiled->kernels.find(name);
        if (found == module->compiled->kernels.end()) return fail(kNotFound, "no kernel of this name");
        kernel = &found->second;
    }
    *function = card().functions.make({module, kernel});
    return kSuccess;
}
Status cuLaunchKernel(Function* function, unsigned blocks, unsigned y, unsigned z, unsigned threads, unsigned block_y, unsigned block_z,
                      unsigned shared, Stream* stream, void** values, void** extra) {
    WHEN_READY(true);
    if (y != 1 || z != 1 || block_y != 1 || block_z != 1 || shared != 0 || extra) return fail(kInvalidValue, "a launch of another kind");
    return put_launch(function, blocks, threads, stream, values, false);
}
Status cuLaunchCooperativeKernel(Function* function, unsigned blocks, unsigned y, unsigned z, unsigned threads, unsigned block_y,
                                 unsigned block_z, unsigned shared, Stream* stream, void** values) {
    WHEN_READY(false);
    if (y != 1 || z != 1 || block_y != 1 || block_z != 1 || shared != 0) return fail(kInvalidValue, "a launch of another kind");
    const auto room = static_cast<unsigned>(std::stoul(setting("MOTTLE_PRETEND_ROOM", "132")));
    if (blocks > room) return kTooManyTogether;
    return put_launch(function, blocks, threads, stream, values, true);
}
Status cuStreamBeginCapture_v2(Stream* stream, int mode) {
    WHEN_READY(false);
    if (!card().streams.has(stream) || stream->recording || mode != 1) return fail(kInvalidValue, "no stream to record");
    stream->recording = true;
    stream->recorder = std::this_thread::get_id();
    return kSuccess;
}
Status cuStreamEndCapture(Stream* stream, Graph** graph) {
    WHEN_READY(true);
    if (!card().streams.has(stream) || !stream->recording || stream->recorder != std::this_thread::get_id())
        return fail(kInvalidValue, "no recording to end");
    stream->recording = false;
    *graph = card().graphs.make({std::move(stream->recorded)});
    stream->recorded.clear();
    return kSuccess;
}
Status cuGraphInstantiateWithFlags(Graph** run, Graph* graph, unsigned long long flags) {
    WHEN_READY(false);
    if (!card().graphs.has(graph) || flags != 0) return fail(kInvalidHandle, "no graph");
    *run = card().runs.make(*graph);
    return kSuccess;
}
Status cuGraphLaunch(Graph* run, Stream* stream) {
    WHEN_READY(false);
    if (!card().runs.has(run)) return fail(kInvalidHandle, "no graph");
    return put(stream, [work = run->work] {
        for (const Work& each : work) each();
    });
}
Status cuGraphDestroy(Graph* graph) {
    WHEN_READY(false);
    return card().graphs.drop(graph) ? kSuccess : fail(kInvalidHandle, "no graph");
}
Status cuGraphExecDestroy(Graph* run) {
    WHEN_READY(false);
    return card().runs.drop(run) ? kSuccess : fail(kInvalidHandle, "no graph");
}
}
