// tests/conformance/cuda/listening_device.h: a cuda::Device that only keeps the texts it is given
#pragma once
#include "mottle/backend/cuda/device/device.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace mottle::backend::cuda {

class SilentModule final : public Module {
   public:
    Function function(const std::string&) override { return this; }
};

class SilentTransfer final : public Transfer {
   public:
    void wait() override {}
};

/// Keeps the texts it is given; it has memory, and its launches do nothing.
class ListeningDevice : public Device {
   public:
    /// `together`: blocks can be launched so that they wait for each other.
    explicit ListeningDevice(int processors = 132, bool together = true) { traits_.processors = processors, traits_.together = together; }

    std::vector<std::string> texts;  ///< in the order of their loading

    const DeviceTraits& traits() const override { return traits_; }
    Address allocate(std::size_t bytes) override { return reinterpret_cast<Address>(std::calloc(1, bytes)); }
    void release(Address address) noexcept override { std::free(reinterpret_cast<void*>(address)); }
    void upload(Address, const void*, std::size_t) override {}
    void download(void*, Address, std::size_t) override {}
    void wait() override {}
    std::byte* allocate_pinned(std::size_t bytes) override { return static_cast<std::byte*>(std::calloc(1, bytes)); }
    void release_pinned(std::byte* memory) noexcept override { std::free(memory); }
    std::unique_ptr<Transfer> begin_download(std::byte*, Address, std::size_t) override { return std::make_unique<SilentTransfer>(); }
    std::unique_ptr<Module> load(const std::string& text, const std::filesystem::path&) override {
        texts.push_back(text);
        return std::make_unique<SilentModule>();
    }
    void launch(Function, unsigned, unsigned, std::span<const Parameter>) override {}
    void launch_together(Function, unsigned, unsigned, std::span<const Parameter>) override {}
    void begin_recording() override {}
    std::unique_ptr<Recording> end_recording() override { return std::make_unique<Recording>(); }
    void replay(Recording&) override {}

   private:
    DeviceTraits traits_;
};

}  // namespace mottle::backend::cuda
