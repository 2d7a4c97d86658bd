// mottle/backend/cpu/compile/memory.h: memory for fields: aligned, in huge pages where it is large
#pragma once
#include <cstddef>
#include <utility>

namespace mottle::backend::cpu {

inline constexpr std::size_t kLine = 64;  ///< bytes of a cache line; no vector is longer

/// Owns memory that is aligned to a line, zero at first, and in huge pages where it is large.
class Memory {
   public:
    Memory() = default;
    /// Throws: std::bad_alloc.
    explicit Memory(std::size_t bytes);
    Memory(Memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Memory& operator=(Memory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Memory();
    std::byte* data() const { return data_; }

   private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace mottle::backend::cpu
