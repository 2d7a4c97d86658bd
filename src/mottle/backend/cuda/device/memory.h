// mottle/backend/cuda/device/memory.h: device memory of its owner, and arrays of which the host keeps a copy where it looks or writes
#pragma once
#include "mottle/backend/cuda/device/device.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace mottle::backend::cuda {

/// Throws: DeviceError, if the device has less memory than a state takes; called before the state is made, so that another device can be chosen.
void check_memory(const DeviceTraits& traits, std::size_t bytes);

/// Released with its owner; holds on to the device.
class Memory {
   public:
    Memory() = default;
    Memory(std::shared_ptr<Device> device, std::size_t bytes)
        : device_(std::move(device)), address_(device_->allocate(bytes)), bytes_(bytes) {}
    ~Memory() {
        if (device_) device_->release(address_);
    }
    Memory(Memory&& other) noexcept
        : device_(std::move(other.device_)), address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
    Memory& operator=(Memory&& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(address_, other.address_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Address address() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    /// Has room for so many bytes from now on; what stood there may be lost.
    void make_room(const std::shared_ptr<Device>& device, std::size_t bytes) {
        if (bytes > bytes_) *this = Memory(device, bytes);
    }

   private:
    std::shared_ptr<Device> device_;
    Address address_ = 0;
    std::size_t bytes_ = 0;
};

/// A copy of `elements` on the device.
template <class Elements>
Memory upload(const std::shared_ptr<Device>& device, const Elements& elements) {
    const std::size_t bytes = std::span(elements).size_bytes();
    Memory memory(device, std::max<std::size_t>(1, bytes));
    if (bytes > 0) device->upload(memory.address(), std::data(elements), bytes);
    return memory;
}

/// Bytes on the device, twice if a kernel reads the old ones while it writes the new; the host's copy is made when it is asked for. Of no bytes
/// for an array that only kernels know.
class MirroredArray {
   public:
    /// `map`: no launch writes it.
    MirroredArray(std::shared_ptr<Device> device, std::size_t bytes, bool twice, bool map)
        : device_(std::move(device)),
          now_(bytes > 0 ? Memory(device_, bytes) : Memory()),
          next_(twice ? Memory(device_, bytes) : Memory()),
          map_(map) {}

    Address now() const { return now_.address(); }
    /// The memory that a kernel writes: the second copy, or the only one.
    Address next() const { return next_.address() != 0 ? next_.address() : now_.address(); }
    /// The new bytes become the current ones.
    void flip() {
        if (next_.address() != 0) std::swap(now_, next_);
    }

    /// Before launches that read it: sends what the host has written.
    void send() {
        if (age_ != Age::newer) return;
        device_->upload(now_.address(), cells_.data(), now_.bytes());
        age_ = Age::equal;
    }
    /// Before launches of steps, by which the host's copy becomes old.
    void send_to_steps() {
        send();
        if (!map_) age_ = Age::older;
    }
    /// The host's copy, up to date; from any thread. What is written into it is sent before the next launch.
    const std::byte* read() { return current(false); }
    std::byte* write() { return current(true); }

   private:
    enum class Age { older, equal, newer };

    std::byte* current(bool write) {
        const std::lock_guard lock(guard_);
        if (age_ == Age::older) {
            cells_.resize(now_.bytes());
            device_->download(cells_.data(), now_.address(), now_.bytes());
            age_ = Age::equal;
        }
        if (write) age_ = Age::newer;
        return cells_.data();
    }

    std::shared_ptr<Device> device_;
    Memory now_, next_;
    bool map_;
    std::mutex guard_;
    std::vector<std::byte> cells_;
    Age age_ = Age::older;
};

}  // namespace mottle::backend::cuda
