// mottle/stepper/spectral/vector_level.h: the instruction sets for which loops of the host are compiled; their results are the same bits
#pragma once

namespace mottle::stepper {

enum class VectorLevel { portable, avx2, avx512 };

/// The widest that this processor has.
inline VectorLevel widest_level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return VectorLevel::avx512;
    if (__builtin_cpu_supports("avx2")) return VectorLevel::avx2;
#endif
    return VectorLevel::portable;
}

}  // namespace mottle::stepper
