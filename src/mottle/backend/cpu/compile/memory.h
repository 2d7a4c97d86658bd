// mottle/backend/cpu/compile/memory.h: memory for fields: aligned, in huge pages where it is large
#pragma once
#include <cstddef>

namespace mottle::backend::cpu {

inline constexpr std::size_t kLine = 64;  ///< bytes of a cache line; no vector is longer

/// Memory aligned to a line, in huge pages where it is large; zeroed.
std::byte* allocate_rows(std::size_t bytes);
void free_rows(std::byte* memory);

/// Owns such memory.
class Memory {
   public:
    Memory() = default;
    explicit Memory(std::size_t bytes) : data_(allocate_rows(bytes)) {}
    Memory(Memory&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
    Memory& operator=(Memory&& other) noexcept {
        std::byte* mine = data_;
        data_ = other.data_;
        other.data_ = mine;
        return *this;
    }
    ~Memory() { free_rows(data_); }
    std::byte* data() const { return data_; }

   private:
    std::byte* data_ = nullptr;
};

}  // namespace mottle::backend::cpu
