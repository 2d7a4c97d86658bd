// mottle/backend/cpu/compile/isa.h: instruction set levels of the CPU backend, and which of them this machine runs
#pragma once
#include <string>
#include <vector>

namespace mottle::backend::cpu {

struct Isa {
    std::string name;            ///< "avx512", "avx2", "portable"
    int register_bytes = 16;     ///< of one vector register
    int registers = 16;          ///< vector registers
    bool fma = false;            ///< else every fma is a call of std::fma, lane by lane: slow, with the same bits
    bool lane_rotate = true;     ///< a rotation by one lane is one instruction without a constant from memory
    bool gather = true;          ///< gathering a vector of words takes less time than loading them one by one and joining them
    bool half_products = false;  ///< products of 32-bit words are taken in lanes of 64 bits: fewer instructions, more registers
    std::string features;        ///< for LLVM; fixed per level, so that cached kernels fit every machine of the level
};

/// The levels of this processor family, from best to simplest; "portable" is always the last.
const std::vector<Isa>& isa_levels();
/// Whether this machine runs the level.
bool runs_here(const Isa& isa);
/// The best level that runs here.
const Isa& host_isa();

}  // namespace mottle::backend::cpu
