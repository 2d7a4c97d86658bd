// mottle/backend/cpu/compile/isa.cpp: instruction set levels of the CPU backend
#include "mottle/backend/cpu/compile/isa.h"

#include "mottle/core/vector_level.h"

namespace mottle::backend::cpu {

#if defined(__x86_64__)
namespace {

/// Intel's processors with AVX-512 whose gathers leak data ("gather data sampling", INTEL-SA-00828). The microcode against that makes eight words take 9 ns in place of
/// 3 by single loads, and a virtual machine does not tell whether it is there.
bool gathers_were_made_safe() {
    return __builtin_cpu_is("skylake-avx512") || __builtin_cpu_is("cascadelake") || __builtin_cpu_is("cooperlake") ||
           __builtin_cpu_is("cannonlake") || __builtin_cpu_is("icelake-client") || __builtin_cpu_is("icelake-server") ||
           __builtin_cpu_is("tigerlake") || __builtin_cpu_is("rocketlake");
}

}  // namespace
#endif

const std::vector<Isa>& isa_levels() {
#if defined(__x86_64__)
    // On AMD processors gathers are slower than single loads: 2.0 and 1.2 ns for eight words on Zen 5. With AVX2 the same holds for many other processors.
    __builtin_cpu_init();
    const bool gather = !__builtin_cpu_is("amd") && !gathers_were_made_safe();
    static const std::vector<Isa> levels = {
        {"avx512", 64, 32, true, true, gather, true, "+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx2,+avx,+fma,+bmi,+bmi2"},
        // without fast-gather LLVM splits gathers into single loads, but from addresses in vector registers
        {"avx2", 32, 16, true, false, false, false, "+avx2,+avx,+fma,+bmi,+bmi2,+fast-gather"},
        {"portable", 16, 16, false, true, false, false, "+sse2"},
    };
#elif defined(__aarch64__)
    static const std::vector<Isa> levels = {{"portable", 16, 32, true, true, false, false, "+neon"}};
#else
    static const std::vector<Isa> levels = {{"portable", 16, 16, false, true, false, false, ""}};
#endif
    return levels;
}

bool runs_here(const Isa& isa) {
    const core::VectorLevel widest = core::widest_level();
    if (isa.name == "avx512") return widest >= core::VectorLevel::avx512;
    if (isa.name == "avx2") return widest >= core::VectorLevel::avx2;
    return isa.name == "portable";
}

const Isa& host_isa() {
    for (const Isa& isa : isa_levels()) {
        if (runs_here(isa)) return isa;
    }
    return isa_levels().back();
}

}  // namespace mottle::backend::cpu
