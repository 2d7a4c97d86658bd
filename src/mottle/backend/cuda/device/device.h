// mottle/backend/cuda/device/device.h: what the CUDA backend asks of a device: memory, modules and launches in order; tests bring one that emulates it
#pragma once
#include <array>
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
    std::uint64_t memory = 0;  ///< bytes; 0: unknown
    bool together = true;      ///< it supports cooperative launches, in which all blocks run at the same time
};

/// What was found, for `mottle devices`.
struct DriverReport {
    bool available = false;
    std::string description;  ///< "NVIDIA H200, compute capability 9.0, 150 GB, driver CUDA 13.0", or the reason why not
};

/// The value of a kernel's parameter.
struct Parameter {
    const void* value;
    std::size_t bytes;
};
/// For a launch in the same expression, until whose end `values` stand where they are.
template <class... Value>
std::array<Parameter, sizeof...(Value)> parameters_of(const Value&... values) {
    return {Parameter{&values, sizeof values}...};
}

/// Loaded code.
class Module {
   public:
    virtual ~Module() = default;
    /// Throws: InternalError if there is none of this name.
    virtual Function function(const std::string& name) = 0;
};

/// Launches that were recorded together, to be replayed as one.
class Recording {
   public:
    virtual ~Recording() = default;
};

/// A transfer to the host in progress.
class Transfer {
   public:
    virtual ~Transfer() = default;
    /// Returns when they have arrived; from any thread, beside other calls.
    virtual void wait() = 0;
};

/// One device with one queue: all work is done in the order of the calls. Calls may come from any thread, one at a time.
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

    /// Pinned host memory, to which the device can write asynchronously.
    virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
    virtual void release_pinned(std::byte* memory) noexcept = 0;
    /// Begins to copy the results of earlier launches while later launches run; these must not write to the copied memory. `to`: pinned.
    virtual std::unique_ptr<Transfer> begin_download(std::byte* to, Address from, std::size_t bytes) = 0;

    /// Compiles `text`, or finds it in `cache` (empty: no cache).
    virtual std::unique_ptr<Module> load(const std::string& text, const std::filesystem::path& cache) = 0;
    /// The values are copied.
    virtual void launch(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) = 0;
    /// The same as a cooperative launch: all blocks run at the same time and may wait for each other. Cannot be recorded.
    virtual void launch_together(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) = 0;

    /// Between these calls launches are recorded and not run.
    virtual void begin_recording() = 0;
    virtual std::unique_ptr<Recording> end_recording() = 0;
    virtual void replay(Recording& recording) = 0;
};

}  // namespace mottle::backend::cuda
