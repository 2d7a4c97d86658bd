// tests/conformance/cuda/guarded_memory.h: memory of an emulated device, with guards that show a write beyond it
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

namespace conformance {

class GuardedMemory {
   public:
    using Address = std::uint64_t;

    /// Aligned to 256 bytes, and full of NaN.
    Address allocate(std::size_t bytes) {
        const std::size_t whole = (bytes + 255) / 256 * 256 + 2 * kGuard;
        auto* memory = static_cast<unsigned char*>(std::aligned_alloc(256, whole));
        std::memset(memory, kGuardByte, whole);
        const auto address = reinterpret_cast<Address>(memory + kGuard);
        sizes_[address] = bytes;
        return address;
    }
    /// False: there is none at this address.
    bool release(Address address) {
        if (sizes_.erase(address) == 0) return false;
        std::free(reinterpret_cast<unsigned char*>(address) - kGuard);
        return true;
    }
    /// Whether these bytes lie in one allocation.
    bool holds(Address address, std::size_t bytes) const {
        const auto next = sizes_.upper_bound(address);
        if (next == sizes_.begin()) return false;
        const auto& [first, size] = *std::prev(next);
        return address + bytes <= first + size;
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& each : sizes_) sum += each.second;
        return sum;
    }
    /// Whether nobody wrote beyond an allocation.
    bool intact() const {
        return std::all_of(sizes_.begin(), sizes_.end(), [](const auto& each) {
            const auto* cells = reinterpret_cast<const unsigned char*>(each.first);
            auto untouched = [](const unsigned char* first, const unsigned char* last) {
                return std::all_of(first, last, [](unsigned char byte) { return byte == kGuardByte; });
            };
            return untouched(cells - kGuard, cells) && untouched(cells + each.second, cells + each.second + kGuard);
        });
    }

   private:
    static constexpr std::size_t kGuard = 4096;        // bytes on both sides
    static constexpr unsigned char kGuardByte = 0xff;  // reads there give NaN
    std::map<Address, std::size_t> sizes_;
};

}  // namespace conformance
