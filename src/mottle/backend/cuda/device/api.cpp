// mottle/backend/cuda/device/api.cpp: the CUDA driver, opened at run time
#include "mottle/backend/cuda/device/api.h"

#include "mottle/backend/cuda/device/compile.h"
#include "mottle/core/dynamic_library.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <vector>

namespace mottle::backend::cuda {
namespace {

// Declarations after the CUDA driver API reference; the numbers are part of its binary interface.
using Status = int;
using Handle = void*;  // CUcontext, CUstream, CUmodule, CUfunction, CUgraph, CUgraphExec
constexpr Status kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100, kInvalidImage = 200, kNoBinary = 209, kUnsupportedPtx = 222,
                 kTooManyTogether = 720;
constexpr int kOldestDriver = 11040;  // CUDA 11.4: the oldest driver that cubins of NVRTC 11 and the calls below are certain to run on
constexpr int kProcessorCount = 16, kCapabilityMajor = 75, kCapabilityMinor = 76, kCooperativeLaunch = 95;  // CUdevice_attribute
constexpr unsigned kNonBlocking = 1;                                                                        // CU_STREAM_NON_BLOCKING
constexpr unsigned kEventFlags = 1 | 2;  // CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING
constexpr int kCaptureThreadLocal = 1;   // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

/// Folders that the loader does not search: the drivers of WSL, and of containers that mount the host's driver.
constexpr const char* kDriverFolders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"};

core::DynamicLibrary open_driver_library() {
    const std::string name = "libcuda.so.1";
    try {
        return core::DynamicLibrary(name);
    } catch (const core::DeviceError&) {
        for (const std::filesystem::path folder : kDriverFolders) {
            std::error_code error;
            if (std::filesystem::exists(folder / name, error)) return core::DynamicLibrary(folder / name);
        }
        throw;
    }
}

struct Driver {
    core::DynamicLibrary library = open_driver_library();
    Status (*init)(unsigned) = library.function("cuInit");
    Status (*version)(int*) = library.function("cuDriverGetVersion");
    Status (*error_name)(Status, const char**) = library.function("cuGetErrorName");
    Status (*error_text)(Status, const char**) = library.function("cuGetErrorString");
    Status (*device_count)(int*) = library.function("cuDeviceGetCount");
    Status (*device)(int*, int) = library.function("cuDeviceGet");
    Status (*device_name)(char*, int, int) = library.function("cuDeviceGetName");
    Status (*attribute)(int*, int, int) = library.function("cuDeviceGetAttribute");
    Status (*total_memory)(std::size_t*, int) = library.function("cuDeviceTotalMem_v2");
    Status (*retain_context)(Handle*, int) = library.function("cuDevicePrimaryCtxRetain");
    Status (*release_context)(int) = library.function("cuDevicePrimaryCtxRelease_v2");
    Status (*set_context)(Handle) = library.function("cuCtxSetCurrent");
    Status (*memory_info)(std::size_t*, std::size_t*) = library.function("cuMemGetInfo_v2");
    Status (*allocate)(Address*, std::size_t) = library.function("cuMemAlloc_v2");
    Status (*release)(Address) = library.function("cuMemFree_v2");
    Status (*fill)(Address, unsigned char, std::size_t, Handle) = library.function("cuMemsetD8Async");
    Status (*to_device)(Address, const void*, std::size_t, Handle) = library.function("cuMemcpyHtoDAsync_v2");
    Status (*to_host)(void*, Address, std::size_t, Handle) = library.function("cuMemcpyDtoHAsync_v2");
    Status (*create_stream)(Handle*, unsigned) = library.function("cuStreamCreate");
    Status (*destroy_stream)(Handle) = library.function("cuStreamDestroy_v2");
    Status (*synchronize)(Handle) = library.function("cuStreamSynchronize");
    Status (*allocate_pinned)(void**, std::size_t, unsigned) = library.function("cuMemHostAlloc");
    Status (*release_pinned)(void*) = library.function("cuMemFreeHost");
    Status (*create_event)(Handle*, unsigned) = library.function("cuEventCreate");
    Status (*destroy_event)(Handle) = library.function("cuEventDestroy_v2");
    Status (*record_event)(Handle, Handle) = library.function("cuEventRecord");
    Status (*wait_for_event)(Handle, Handle, unsigned) = library.function("cuStreamWaitEvent");
    Status (*synchronize_event)(Handle) = library.function("cuEventSynchronize");
    Status (*load_module)(Handle*, const void*) = library.function("cuModuleLoadData");
    Status (*unload_module)(Handle) = library.function("cuModuleUnload");
    Status (*find_function)(Handle*, Handle, const char*) = library.function("cuModuleGetFunction");
    Status (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                     void**) = library.function("cuLaunchKernel");
    Status (*launch_together)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                              void**) = library.function("cuLaunchCooperativeKernel");
    Status (*begin_capture)(Handle, int) = library.function("cuStreamBeginCapture_v2");
    Status (*end_capture)(Handle, Handle*) = library.function("cuStreamEndCapture");
    Status (*instantiate)(Handle*, Handle, unsigned long long) = library.function("cuGraphInstantiateWithFlags");
    Status (*launch_graph)(Handle, Handle) = library.function("cuGraphLaunch");
    Status (*destroy_graph)(Handle) = library.function("cuGraphDestroy");
    Status (*destroy_graph_run)(Handle) = library.function("cuGraphExecDestroy");

    std::string words(Status status) const {
        const char *name = nullptr, *text = nullptr;
        error_name(status, &name);
        error_text(status, &text);
        return std::string(name ? name : "error " + std::to_string(status)) + (text ? std::string(": ") + text : "");
    }
    /// `doing`: the action that failed, as the end of "the CUDA driver failed while ...".
    void check(Status status, const std::string& doing) const {
        if (status == kSuccess) return;
        const char* next = "; the run cannot go on: look at nvidia-smi and dmesg, start again, or use --device cpu";
        if (status == kNoDevice) next = "; check nvidia-smi, or use --device cpu";
        if (status == kInvalidImage || status == kNoBinary || status == kUnsupportedPtx)
            next = "; libnvrtc and the driver do not fit together: update the driver, or use --device cpu";
        throw core::DeviceError("the CUDA driver failed while " + doing + ": " + words(status) + next);
    }
};

std::string cuda_version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

std::shared_ptr<Driver> open_driver() {
    std::shared_ptr<Driver> driver;
    try {
        driver = std::make_shared<Driver>();
    } catch (const core::DeviceError& error) {
        throw core::DeviceError("no usable NVIDIA driver (" + error.message() + "); install the driver of the GPU, or use --device cpu");
    }
    if (Status status = driver->init(0); status != kSuccess) {
        throw core::DeviceError("the NVIDIA driver finds no device to work with (" + driver->words(status) +
                                "); check nvidia-smi, or use --device cpu");
    }
    int version = 0, count = 0;
    driver->check(driver->version(&version), "telling its version");
    if (version < kOldestDriver) {
        throw core::DeviceError("the NVIDIA driver is of CUDA " + cuda_version_text(version) + ", older than " +
                                cuda_version_text(kOldestDriver) + "; update the driver, or use --device cpu");
    }
    driver->check(driver->device_count(&count), "counting devices");
    if (count == 0)
        throw core::DeviceError("the NVIDIA driver lists no device; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu");
    return driver;
}

DeviceTraits traits_of(const Driver& driver, int device) {
    DeviceTraits traits;
    char name[256] = {};
    std::size_t memory = 0;
    int together = 0;
    driver.check(driver.device_name(name, sizeof name, device), "asking for a device's name");
    driver.check(driver.attribute(&traits.major, kCapabilityMajor, device), "asking for the compute capability");
    driver.check(driver.attribute(&traits.minor, kCapabilityMinor, device), "asking for the compute capability");
    driver.check(driver.attribute(&traits.processors, kProcessorCount, device), "asking for the number of multiprocessors");
    driver.check(driver.attribute(&together, kCooperativeLaunch, device), "asking whether blocks can be at work at the same time");
    driver.check(driver.total_memory(&memory, device), "asking for the memory");
    traits.name = name;
    traits.memory = memory;
    traits.together = together != 0;
    return traits;
}

/// What the driver makes, and `destroy` destroys.
struct OwnedHandle {
    using Destroy = Status (*Driver::*)(Handle);
    OwnedHandle(std::shared_ptr<Driver> by, Handle in, Destroy how) : driver(std::move(by)), context(in), destroy(how) {}
    ~OwnedHandle() {
        if (handle != nullptr && driver->set_context(context) == kSuccess) ((*driver).*destroy)(handle);
    }
    OwnedHandle(const OwnedHandle&) = delete;
    OwnedHandle& operator=(const OwnedHandle&) = delete;

    std::shared_ptr<Driver> driver;
    Handle context, handle = nullptr;
    Destroy destroy;
};

class DriverModule final : public Module {
   public:
    DriverModule(std::shared_ptr<Driver> driver, Handle context, const std::string& image)
        : driver_(std::move(driver)), module_(driver_, context, &Driver::unload_module) {
        driver_->check(driver_->load_module(&module_.handle, image.data()), "loading a compiled kernel");
    }
    Function function(const std::string& name) override {
        Handle function = nullptr;
        driver_->check(driver_->find_function(&function, module_.handle, name.c_str()), "looking for the kernel '" + name + "'");
        return function;
    }

   private:
    std::shared_ptr<Driver> driver_;
    OwnedHandle module_;
};

struct GraphRecording final : public Recording {
    GraphRecording(std::shared_ptr<Driver> driver, Handle context) : run(std::move(driver), context, &Driver::destroy_graph_run) {}
    OwnedHandle run;
};

/// A copy on the stream of transfers, which waits for all work that was in the other stream when the copy was requested.
class DriverTransfer final : public Transfer {
   public:
    DriverTransfer(std::shared_ptr<Driver> driver, Handle context)
        : driver_(std::move(driver)), drawn_(driver_, context, &Driver::destroy_event), arrived_(driver_, context, &Driver::destroy_event) {
        driver_->check(driver_->create_event(&drawn_.handle, kEventFlags), "making an event");
        driver_->check(driver_->create_event(&arrived_.handle, kEventFlags), "making an event");
    }

    void begin(Handle work, Handle copies, void* to, Address from, std::size_t bytes) {
        driver_->check(driver_->record_event(drawn_.handle, work), "recording an event");
        driver_->check(driver_->wait_for_event(copies, drawn_.handle, 0), "waiting for an event");
        driver_->check(driver_->to_host(to, from, bytes, copies), "copying from the device");
        driver_->check(driver_->record_event(arrived_.handle, copies), "recording an event");
    }
    void wait() override {
        driver_->check(driver_->set_context(arrived_.context), "choosing a context");
        driver_->check(driver_->synchronize_event(arrived_.handle), "copying from the device");
    }

   private:
    std::shared_ptr<Driver> driver_;
    OwnedHandle drawn_, arrived_;
};

class DriverDevice final : public Device {
   public:
    DriverDevice(std::shared_ptr<Driver> driver, int number) : driver_(std::move(driver)) {
        int count = 0;
        driver_->check(driver_->device_count(&count), "counting devices");
        if (number >= count)
            throw core::DeviceError("there is no GPU " + std::to_string(number) + ": the NVIDIA driver lists " + std::to_string(count) +
                                    ", counted from 0; check nvidia-smi and CUDA_VISIBLE_DEVICES");
        driver_->check(driver_->device(&device_, number), "choosing device " + std::to_string(number));
        traits_ = traits_of(*driver_, device_);
        driver_->check(driver_->retain_context(&context_, device_), "making a context on " + traits_.name);
        use();
        driver_->check(driver_->create_stream(&stream_, kNonBlocking), "making a stream");
        driver_->check(driver_->create_stream(&copies_, kNonBlocking), "making a stream");
    }
    ~DriverDevice() override {
        if (driver_->set_context(context_) == kSuccess) {
            driver_->destroy_stream(stream_);
            driver_->destroy_stream(copies_);
        }
        driver_->release_context(device_);
    }
    DriverDevice(const DriverDevice&) = delete;
    DriverDevice& operator=(const DriverDevice&) = delete;

    const DeviceTraits& traits() const override { return traits_; }

    Address allocate(std::size_t bytes) override {
        use();
        Address address = 0;
        const Status status = driver_->allocate(&address, bytes);
        if (status == kOutOfMemory) {
            std::size_t free = 0, total = 0;
            driver_->memory_info(&free, &total);
            throw core::DeviceError("out of memory on " + traits_.name + ": " + core::si_text(static_cast<double>(bytes), "B") +
                                    " asked for, " + core::si_text(static_cast<double>(free), "B") + " of " +
                                    core::si_text(static_cast<double>(total), "B") +
                                    " free; choose a smaller --size, --precision f32, or --device cpu");
        }
        driver_->check(status, "allocating " + core::si_text(static_cast<double>(bytes), "B"));
        driver_->check(driver_->fill(address, 0, bytes, stream_), "clearing memory");
        return address;
    }
    void release(Address address) noexcept override {
        if (driver_->set_context(context_) != kSuccess) return;
        driver_->synchronize(stream_);
        driver_->synchronize(copies_);
        driver_->release(address);
    }
    void upload(Address to, const void* from, std::size_t bytes) override {
        use();
        driver_->check(driver_->to_device(to, from, bytes, stream_), "copying to the device");
        wait();  // pageable memory: the caller may change it at once
    }
    void download(void* to, Address from, std::size_t bytes) override {
        use();
        driver_->check(driver_->to_host(to, from, bytes, stream_), "copying from the device");
        wait();
    }
    void wait() override {
        use();
        driver_->check(driver_->synchronize(stream_), "running kernels");
    }
    std::byte* allocate_pinned(std::size_t bytes) override {
        use();
        void* memory = nullptr;
        driver_->check(driver_->allocate_pinned(&memory, bytes, 0),
                       "allocating " + core::si_text(static_cast<double>(bytes), "B") + " of host memory that stays in place");
        return static_cast<std::byte*>(memory);
    }
    void release_pinned(std::byte* memory) noexcept override {
        if (driver_->set_context(context_) == kSuccess) driver_->release_pinned(memory);
    }
    std::unique_ptr<Transfer> begin_download(std::byte* to, Address from, std::size_t bytes) override {
        use();
        auto transfer = std::make_unique<DriverTransfer>(driver_, context_);
        transfer->begin(stream_, copies_, to, from, bytes);
        return transfer;
    }
    std::unique_ptr<Module> load(const std::string& text, const std::filesystem::path& cache) override {
        use();
        const Architecture architecture = target_for(traits_.major, traits_.minor);
        try {
            return std::make_unique<DriverModule>(driver_, context_, image_of(text, architecture, cache));
        } catch (const core::DeviceError&) {
            if (cache.empty()) throw;
        }
        // an entry that the driver rejects, although its checksum is right, is compiled again
        cached_image(text, architecture, cache).remove();
        return std::make_unique<DriverModule>(driver_, context_, image_of(text, architecture, cache));
    }
    void launch(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) override {
        take(parameters);
        driver_->check(driver_->launch(function, blocks, 1, 1, threads, 1, 1, 0, stream_, values_.data(), nullptr), "launching a kernel");
    }
    void launch_together(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) override {
        take(parameters);
        const Status status = driver_->launch_together(function, blocks, 1, 1, threads, 1, 1, 0, stream_, values_.data());
        if (status == kTooManyTogether) {
            throw core::DeviceError(
                traits_.name + " has no room for " + std::to_string(blocks) + " blocks of " + std::to_string(threads) +
                " threads at the same time (is a part of it set aside for others?); leave strip=0 out of --schedule, or "
                "use --device cpu");
        }
        driver_->check(status, "launching a kernel whose blocks are all at work at the same time");
    }
    void begin_recording() override {
        use();
        driver_->check(driver_->begin_capture(stream_, kCaptureThreadLocal), "recording a graph");
    }
    std::unique_ptr<Recording> end_recording() override {
        use();
        auto recording = std::make_unique<GraphRecording>(driver_, context_);
        Handle graph = nullptr;
        driver_->check(driver_->end_capture(stream_, &graph), "recording a graph");
        const Status status = driver_->instantiate(&recording->run.handle, graph, 0);
        driver_->destroy_graph(graph);
        driver_->check(status, "making a graph ready");
        return recording;
    }
    void replay(Recording& recording) override {
        use();
        driver_->check(driver_->launch_graph(static_cast<GraphRecording&>(recording).run.handle, stream_), "launching a graph");
    }

   private:
    void use() { driver_->check(driver_->set_context(context_), "choosing the context of " + traits_.name); }
    void take(std::span<const Parameter> parameters) {
        use();
        values_.clear();
        for (const Parameter& parameter : parameters) values_.push_back(const_cast<void*>(parameter.value));
    }

    std::shared_ptr<Driver> driver_;
    int device_ = 0;
    Handle context_ = nullptr, stream_ = nullptr, copies_ = nullptr;
    DeviceTraits traits_;
    std::vector<void*> values_;  // of the launch in progress
};

}  // namespace

DriverReport look_for_driver() {
    try {
        const auto driver = open_driver();
        int device = 0, version = 0;
        driver->check(driver->device(&device, 0), "choosing the first device");
        driver->check(driver->version(&version), "telling its version");
        const DeviceTraits traits = traits_of(*driver, device);
        return {true, traits.name + ", compute capability " + std::to_string(traits.major) + "." + std::to_string(traits.minor) + ", " +
                          core::si_text(static_cast<double>(traits.memory), "B") + ", driver of CUDA " + cuda_version_text(version)};
    } catch (const core::DeviceError& error) {
        return {false, error.message()};
    }
}

int driver_version() {
    try {
        int version = 0;
        const Driver driver;
        return driver.version(&version) == kSuccess ? version : 0;
    } catch (const core::DeviceError&) {
        return 0;
    }
}

std::shared_ptr<Device> open_driver_device(int number) { return std::make_shared<DriverDevice>(open_driver(), number); }

}  // namespace mottle::backend::cuda
