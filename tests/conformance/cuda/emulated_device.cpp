// tests/conformance/cuda/emulated_device.cpp: a cuda::Device that runs the texts of the corpus on the CPU
#include "conformance/cuda/emulated_device.h"

#include "conformance/cuda/emulation.h"
#include "conformance/cuda/guarded_memory.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/core/error.h"
#include "mottle/core/hash.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

namespace conformance {
namespace {

using namespace mottle::backend::cuda;
using mottle::core::DeviceError;

struct Entry {
    const emulation::Text* text;
    const emulation::Kernel* kernel;
};

class EmulatedModule final : public Module {
   public:
    explicit EmulatedModule(const emulation::Text& text) : text_(text) {}
    Function function(const std::string& name) override {
        const auto found = text_.kernels.find(name);
        if (found == text_.kernels.end()) throw mottle::core::InternalError("the text has no kernel '" + name + "'");
        entries_.push_back({&text_, &found->second});
        return &entries_.back();
    }

   private:
    const emulation::Text& text_;
    std::deque<Entry> entries_;
};

/// Copies as late as a card may (when it is waited for) or as early.
class EmulatedTransfer final : public Transfer {
   public:
    EmulatedTransfer(std::byte* to, Address from, std::size_t bytes, bool late) : to_(to), from_(from), bytes_(bytes) {
        if (late) return;
        copy();
    }
    void wait() override { copy(); }

   private:
    void copy() {
        if (to_) std::memcpy(to_, reinterpret_cast<const void*>(from_), bytes_);
        to_ = nullptr;
    }
    std::byte* to_;
    Address from_;
    std::size_t bytes_;
};

class EmulatedDevice final : public Device {
   public:
    EmulatedDevice(bool reversed, int processors, bool together) : reversed_(reversed) {
        traits_.name = "emulated";
        traits_.processors = processors;
        traits_.together = together;
    }
    const DeviceTraits& traits() const override { return traits_; }

    Address allocate(std::size_t bytes) override {
        const Address address = memory_.allocate(bytes);
        std::memset(reinterpret_cast<void*>(address), 0, bytes);
        return address;
    }
    void release(Address address) noexcept override { memory_.release(address); }
    void upload(Address to, const void* from, std::size_t bytes) override { std::memcpy(reinterpret_cast<void*>(to), from, bytes); }
    void download(void* to, Address from, std::size_t bytes) override { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); }

    void wait() override {
        if (!memory_.intact()) throw DeviceError("a kernel wrote beyond an array");
    }

    std::byte* allocate_pinned(std::size_t bytes) override { return static_cast<std::byte*>(std::malloc(bytes)); }
    void release_pinned(std::byte* memory) noexcept override { std::free(memory); }
    std::unique_ptr<Transfer> begin_download(std::byte* to, Address from, std::size_t bytes) override {
        ++emulated_transfers();
        return std::make_unique<EmulatedTransfer>(to, from, bytes, !reversed_);
    }

    std::unique_ptr<Module> load(const std::string& text, const std::filesystem::path&) override {
        const std::string hash = mottle::core::hash_hex(mottle::core::hash_text(text));
        const auto found = emulation::corpus().find(hash);
        if (found == emulation::corpus().end())
            throw DeviceError("text " + hash + " is not in the corpus: cases.h and the emitter have parted; it begins " +
                              text.substr(0, 60));
        return std::make_unique<EmulatedModule>(found->second);
    }

    void launch(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) override {
        const Launch launch = checked(function, blocks, threads, parameters);
        if (recording_) {
            recording_->launches.push_back(launch);
        } else {
            run(launch, false);
        }
    }
    void launch_together(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) override {
        const auto room = static_cast<unsigned>(traits_.processors) * (kThreadsTogether / threads);
        if (blocks > room) throw DeviceError("no room for " + std::to_string(blocks) + " blocks at the same time");
        if (recording_) throw DeviceError("blocks that are at work at the same time are not recorded");
        ++emulated_launches_together();
        run(checked(function, blocks, threads, parameters), true);
    }

    void begin_recording() override { recording_ = std::make_unique<LaunchRecording>(); }
    std::unique_ptr<Recording> end_recording() override { return std::move(recording_); }
    void replay(Recording& recording) override {
        ++emulated_replays();
        for (const Launch& launch : static_cast<LaunchRecording&>(recording).launches) run(launch, false);
    }

   private:
    struct Launch {
        const Entry* entry;
        unsigned blocks, threads;
        std::vector<std::vector<std::byte>> values;
    };
    struct LaunchRecording final : Recording {
        std::vector<Launch> launches;
    };
    static constexpr unsigned kThreadsTogether = 512;  // of a multiprocessor, with 128 registers each

    static Launch checked(Function function, unsigned blocks, unsigned threads, std::span<const Parameter> parameters) {
        Launch launch{static_cast<const Entry*>(function), blocks, threads, {}};
        std::vector<std::size_t> sizes;
        for (const Parameter& parameter : parameters) sizes.push_back(parameter.bytes);
        if (sizes != launch.entry->kernel->sizes)
            throw DeviceError("a kernel was launched with parameters of other sizes than its text declares");
        for (const Parameter& parameter : parameters) {
            const auto* bytes = static_cast<const std::byte*>(parameter.value);
            launch.values.emplace_back(bytes, bytes + parameter.bytes);
        }
        return launch;
    }

    void run(const Launch& launch, bool together) const {
        std::vector<const void*> values;
        for (const auto& value : launch.values) values.push_back(value.data());
        const emulation::Text& text = *launch.entry->text;
        emulated_meetings() += text.meets ? 1 : 0;
        const mottle::backend::FlushMode mode(!text.f64);
        emulation::run(*launch.entry->kernel, values.data(), {launch.blocks, launch.threads, text.meets, reversed_, together});
    }

    DeviceTraits traits_;
    std::unique_ptr<LaunchRecording> recording_;
    bool reversed_;
    GuardedMemory memory_;
};

}  // namespace

int& emulated_replays() {
    static int count = 0;
    return count;
}

int& emulated_transfers() {
    static int count = 0;
    return count;
}

int& emulated_launches_together() {
    static int count = 0;
    return count;
}

int& emulated_meetings() {
    static int count = 0;
    return count;
}

std::shared_ptr<Device> create_emulated_device(bool reversed, int processors, bool together) {
    return std::make_shared<EmulatedDevice>(reversed, processors, together);
}

bool has_meetings(const std::string& text) {
    return text.find("_sync(") != std::string::npos || text.find("__syncthreads") != std::string::npos ||
           text.find("    MOTTLE_SHARED(") != std::string::npos;
}

}  // namespace conformance
