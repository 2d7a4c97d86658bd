// mottle/core/hash.cpp: MurmurHash3 x64 128 (Austin Appleby, public domain), seed 0
#include "mottle/core/hash.h"

#include <algorithm>
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

void Hasher::mix(const std::byte* block) {
    auto& [a, b] = state_;
    a = (std::rotl(a ^ mix_first(load(block, 8)), 27) + b) * 5 + 0x52dce729u;
    b = (std::rotl(b ^ mix_second(load(block + 8, 8)), 31) + a) * 5 + 0x38495ab5u;
}

void Hasher::add(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    if (held_ > 0) {
        const std::size_t count = std::min(kBlock - held_, bytes.size());
        std::copy_n(bytes.begin(), count, rest_.begin() + static_cast<std::ptrdiff_t>(held_));
        held_ += count;
        bytes = bytes.subspan(count);
        if (held_ < kBlock) return;
        mix(rest_.data());
        held_ = 0;
    }
    for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) mix(bytes.data());
    std::copy(bytes.begin(), bytes.end(), rest_.begin());
    held_ = bytes.size();
}

Hash Hasher::value() const {
    auto [a, b] = state_;
    if (held_ > 8) b ^= mix_second(load(rest_.data() + 8, held_ - 8));
    if (held_ > 0) a ^= mix_first(load(rest_.data(), held_ < 8 ? held_ : 8));
    a ^= size_;
    b ^= size_;
    a += b;
    b += a;
    a = finish(a);
    b = finish(b);
    a += b;
    b += a;
    return {a, b};
}

Hash hash_bytes(std::span<const std::byte> bytes) {
    Hasher hasher;
    hasher.add(bytes);
    return hasher.value();
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
