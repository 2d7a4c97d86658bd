// tests/unit/core/hash_test.cpp: the content hash against published values of MurmurHash3 x64 128
#include "mottle/core/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace hash_test {

using namespace mottle::core;

TEST(Hash, PublishedValues) {
    EXPECT_EQ(hash_hex(hash_text("")), "00000000000000000000000000000000");
    EXPECT_EQ(hash_hex(hash_text("hello")), "cbd8a7b341bd9b025b1e906a48ae1d19");
    EXPECT_EQ(hash_hex(hash_text("The quick brown fox jumps over the lazy dog")), "e34bbc7bbc071b6c7a433ca9c49a9347");
}

TEST(Hash, EveryLengthAndEveryByteCounts) {
    std::set<std::string> seen;
    for (std::size_t length = 0; length <= 64; ++length) {
        const std::string zeros(length, '\0');
        EXPECT_TRUE(seen.insert(hash_hex(hash_text(zeros))).second) << length;
        for (std::size_t i = 0; i < length; ++i) {
            std::string changed = zeros;
            changed[i] = '\x80';
            EXPECT_TRUE(seen.insert(hash_hex(hash_text(changed))).second) << length << " " << i;
        }
    }
}

// Pieces that end within blocks of 16 bytes, and at their ends.
TEST(Hash, PiecesComeToTheHashOfTheWhole) {
    const std::string text = "The quick brown fox jumps over the lazy dog";
    for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
            Hasher hasher;
            for (const std::string& piece : {text.substr(0, first), text.substr(first, second - first), text.substr(second)})
                hasher.add(std::as_bytes(std::span(piece)));
            EXPECT_EQ(hash_hex(hasher.value()), "e34bbc7bbc071b6c7a433ca9c49a9347") << first << " " << second;
        }
    }
}

TEST(Hash, HexIsLowerCaseAndPadded) { EXPECT_EQ(hash_hex({0x1, 0xABCDEF0000000000u}), "0000000000000001abcdef0000000000"); }

}  // namespace hash_test
