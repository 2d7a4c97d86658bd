// mottle/backend/cuda/device/device.h: what the CUDA backend asks of a device: memory, modules and launches in order; tests bring one that emulates it
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace mottle::backend::cuda {

using Address = std::uint64_t;  ///< of device memory
using Function = void*;         ///< an entry of a Module

struct DeviceTraits {
    std::string name;          ///< "NVIDIA H200"
    int major = 9, minor = 0;  ///< compute capability
    int processors = 132;      ///< streaming multiprocessors
    std::uint64_t memory = 0;  ///< bytes; 0: nobody knows
    bool together = true;      ///< it can launch blocks that are all at work at the same time
};

/// The value of a kernel's parameter.
struct Parameter {
    const void* value;
    std::size_t bytes;
};

/// Loaded code.
class Module {
   public:
    virtual ~Module() = default;
    /// Throws: InternalError if there is none of this name.
    virtual Function function(const std::string& name) = 0;
};

/// Launches that were recorded together, to be repeated as one.
class Recording {
   public:
    virtual ~Recording() = default;
};

/// Bytes on their way to the host.
class Transfer {
   public:
    virtual ~Transfer() = default;
    /// Returns when they have arrived; from any thread, beside other calls.
    virtual void wait() = 0;
};

/// One device with one queue: everything happens in the order in which it was asked for. Calls may come from any thread, one at a time.
/// Transfers have a queue of their own beside it.
/// All throw DeviceError that says what to do next.
class Device {
   public:
    virtual ~Device() = default;
    virtual const DeviceTraits& traits() const = 0;

    /// Cleared memory, aligned to 256 bytes.
    virtual Address allocate(std::size_t bytes) = 0;
    virtual void release(Address address) noexcept = 0;
    virtual void upload(Address to, const void* from, std::size_t bytes) = 0;
    /// Waits for what was launched before.
    virtual void download(void* to, Address from, std::size_t bytes) = 0;
    virtual void wait() = 0;

    /// Memory of the host that the device can write to while other things go on.
    virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
    virtual void release_pinned(std::byte* memory) noexcept = 0;
    /// Begins to copy what the launches before leave, beside those that come after; they must not write there. `to`: pinned.
    virtual std::unique_ptr<Transfer> begin_download(std::byte* to, Address from, std::size_t bytes) = 0;

    /// Compiles `text`, or finds it in `cache` (empty: no cache).
    virtual std::unique_ptr<Module> load(const std::string& text, const std::filesystem::path& cache) = 0;
    /// The values are copied.
    virtual void launch(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) = 0;
    /// The same; all blocks are at work at the same time, so that they may wait for each other. Not to be recorded.
    virtual void launch_together(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) = 0;

    /// Between these calls launches are recorded and not run.
    virtual void begin_recording() = 0;
    virtual std::unique_ptr<Recording> end_recording() = 0;
    virtual void replay(Recording& recording) = 0;
};

}  // namespace mottle::backend::cuda
