// mottle/core/hash.h: a 128-bit content hash for cache keys (not for security)
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::core {

using Hash = std::array<std::uint64_t, 2>;
Hash hash_bytes(std::span<const std::byte> bytes);
/// The same of bytes that come piece by piece.
class Hasher {
   public:
    void add(std::span<const std::byte> bytes);
    Hash value() const;

   private:
    static constexpr std::size_t kBlock = 16;
    void mix(const std::byte* block);

    Hash state_{};
    std::array<std::byte, kBlock> rest_{};  ///< of the last block, as far as it has come
    std::size_t held_ = 0;                  ///< bytes of it
    std::uint64_t size_ = 0;
};
Hash hash_text(std::string_view text);
/// 32 lower-case hexadecimal digits.
std::string hash_hex(const Hash& hash);

/// The same digits for numbers, as they lie in memory.
template <class Number>
std::string hash_of(const std::vector<Number>& numbers) {
    return hash_hex(hash_bytes(std::as_bytes(std::span(numbers))));
}

}  // namespace mottle::core
