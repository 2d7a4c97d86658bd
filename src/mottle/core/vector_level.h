// mottle/core/vector_level.h: the instruction sets for which loops of the host are compiled, and the choice among them
#pragma once

/// Before a function: the compiler may use these instructions in it. On other processors than x86-64 they mean nothing.
#if defined(__x86_64__)
#define MOTTLE_TARGET(instructions) [[gnu::target(instructions)]]
#else
#define MOTTLE_TARGET(instructions)
#endif

namespace mottle::core {

/// A loop that is compiled for all levels gives the same bits at each, as the compiler contracts nothing. avx2: AVX2 and FMA. avx512: besides, the parts F, VL, DQ
/// and BW of AVX-512, which come together on all processors but Xeon Phi.
enum class VectorLevel { portable, avx2, avx512 };

/// The widest that this processor has.
inline VectorLevel widest_level() {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return VectorLevel::portable;
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw");
    return avx512 ? VectorLevel::avx512 : VectorLevel::avx2;
#else
    return VectorLevel::portable;
#endif
}

/// The function for `level` among those of one loop.
template <class Function>
Function* code_for([[maybe_unused]] VectorLevel level, Function* portable, [[maybe_unused]] Function* avx2,
                   [[maybe_unused]] Function* avx512) {
#if defined(__x86_64__)
    if (level == VectorLevel::avx512) return avx512;
    if (level == VectorLevel::avx2) return avx2;
#endif
    return portable;
}
/// Of a loop that gains nothing by AVX-512.
template <class Function>
Function* code_for(VectorLevel level, Function* portable, Function* avx2) {
    return code_for(level, portable, avx2, avx2);
}

}  // namespace mottle::core
