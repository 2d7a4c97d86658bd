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
Hash hash_text(std::string_view text);
/// 32 lower-case hexadecimal digits.
std::string hash_hex(const Hash& hash);

/// The same digits for numbers, as they lie in memory.
template <class Number>
std::string hash_of(const std::vector<Number>& numbers) {
    return hash_hex(hash_bytes(std::as_bytes(std::span(numbers))));
}

}  // namespace mottle::core
