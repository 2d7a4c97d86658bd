// mottle/core/hash.cpp: MurmurHash3 x64 128 (Austin Appleby, public domain), seed 0
#include "mottle/core/hash.h"

#include <bit>

namespace mottle::core {
namespace {

constexpr std::uint64_t kFirst = 0x87c37b91114253d5u;
constexpr std::uint64_t kSecond = 0x4cf5ad432745937fu;

std::uint64_t mix_first(std::uint64_t k) { return std::rotl(k * kFirst, 31) * kSecond; }
std::uint64_t mix_second(std::uint64_t k) { return std::rotl(k * kSecond, 33) * kFirst; }

std::uint64_t finish(std::uint64_t k) {
    k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdu;
    k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53u;
    return k ^ (k >> 33);
}

/// `count` <= 8 bytes as a little-endian number.
std::uint64_t load(const std::byte* bytes, std::size_t count) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    return word;
}

}  // namespace

Hash hash_bytes(std::span<const std::byte> bytes) {
    std::uint64_t a = 0, b = 0;
    const std::size_t whole = bytes.size() / 16 * 16;
    for (std::size_t i = 0; i < whole; i += 16) {
        a = (std::rotl(a ^ mix_first(load(&bytes[i], 8)), 27) + b) * 5 + 0x52dce729u;
        b = (std::rotl(b ^ mix_second(load(&bytes[i + 8], 8)), 31) + a) * 5 + 0x38495ab5u;
    }
    const std::size_t rest = bytes.size() - whole;
    if (rest > 8) b ^= mix_second(load(bytes.data() + whole + 8, rest - 8));
    if (rest > 0) a ^= mix_first(load(bytes.data() + whole, rest < 8 ? rest : 8));
    a ^= bytes.size();
    b ^= bytes.size();
    a += b;
    b += a;
    a = finish(a);
    b = finish(b);
    a += b;
    b += a;
    return {a, b};
}

Hash hash_text(std::string_view text) { return hash_bytes(std::as_bytes(std::span(text.data(), text.size()))); }

std::string hash_hex(const Hash& hash) {
    std::string hex;
    for (const std::uint64_t word : hash) {
        for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15u];
    }
    return hex;
}

}  // namespace mottle::core
