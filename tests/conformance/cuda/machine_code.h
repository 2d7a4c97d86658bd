// tests/conformance/cuda/machine_code.h: how many instructions a loop of a cubin has, counted without a disassembler
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>
#include <utility>

namespace conformance {

/// The instructions of the loop of `kernel` that shuffles most, in a cubin for a compute capability of 8 or 9: from where its branch goes back to, to that
/// branch. (The compiler adds blocks in which the lanes of a warp, had they come apart, wait for each other before every shuffle, and go back from there.)
/// None, if no loop shuffles, or if behind the last instruction there is no branch to itself, as there is in every kernel that is read rightly. An
/// instruction is 16 bytes. A branch is told by its low 12 bits, and counts words of 4 bytes from the instruction behind it: a signed number of 48 bits
/// from bit 34 on, from 9 on with 8 more below it, which stand at bit 16.
inline std::optional<int> shuffling_loop(const std::string& cubin, const std::string& kernel, int capability) {
    constexpr std::uint64_t kBranch = 0x947, kShuffle = 0x89;  // the latter of the low 8 bits
    constexpr std::size_t kInstruction = 16;
    constexpr std::int64_t kWords = 4;  // of an instruction
    const auto at = [&]<class T>(T value, std::size_t offset) {
        if (offset + sizeof(T) <= cubin.size()) std::memcpy(&value, cubin.data() + offset, sizeof(T));
        return value;
    };
    const auto header = at(Elf64_Ehdr{}, 0);
    const auto section = [&](std::size_t i) { return at(Elf64_Shdr{}, header.e_shoff + i * header.e_shentsize); };
    const Elf64_Shdr names = section(header.e_shstrndx);
    for (std::size_t s = 0; s < header.e_shnum; ++s) {
        const Elf64_Shdr text = section(s);
        if (cubin.c_str() + names.sh_offset + text.sh_name != ".text." + kernel) continue;
        const std::size_t count = text.sh_size / kInstruction;
        const auto branch = [&](std::size_t i) -> std::optional<std::int64_t> {
            const std::size_t here = text.sh_offset + i * kInstruction;
            const auto low = at(std::uint64_t{}, here), high = at(std::uint64_t{}, here + 8);
            if ((low & 0xfff) != kBranch) return std::nullopt;
            const auto words = static_cast<std::int64_t>(((low >> 34) | (high << 30)) << 16) >> 16;
            return capability < 9 ? words : words * 256 + static_cast<std::int64_t>(low >> 16 & 0xff);
        };
        const auto shuffles = [&](std::size_t first, std::size_t last) {
            int found = 0;
            for (std::size_t i = first; i <= last; ++i)
                found += (at(std::uint64_t{}, text.sh_offset + i * kInstruction) & 0xff) == kShuffle ? 1 : 0;
            return found;
        };
        std::pair<int, int> best{0, 0};  // shuffles; instructions, negative, since a shorter one is better
        bool trusted = false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto words = branch(i);
            trusted = trusted || words == -kWords;
            if (!words || *words >= -kWords || *words % kWords != 0) continue;
            const auto instructions = static_cast<std::size_t>(-*words / kWords);
            if (instructions <= i + 1) best = std::max(best, std::pair{shuffles(i + 1 - instructions, i), -static_cast<int>(instructions)});
        }
        return trusted && best.first > 0 ? std::optional(-best.second) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace conformance
