// mottle/core/hash.h: a 128-bit content hash for cache keys (not for security)
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mottle::core {

using Hash = std::array<std::uint64_t, 2>;
Hash hash_bytes(std::span<const std::byte> bytes);
Hash hash_text(std::string_view text);
/// 32 lower-case hexadecimal digits.
std::string hash_hex(const Hash& hash);

}  // namespace mottle::core
