// mottle/benchmarks/baseline/row_kernel_avx512.cpp: the row kernels with 16 lanes; built for AVX-512, so nothing of the standard library may be used here
#include "baseline/constants.h"
#include "baseline/row_kernel.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace mottle::benchmarks {
namespace {

struct Avx512 {
    using Vector = __m512;
    static constexpr int kLanes = 16;
    static constexpr __mmask16 kAll = 0xffff;  // the form without a mask makes g++ 12 warn inside its own header
    static Vector all(float x) { return _mm512_set1_ps(x); }
    static Vector load(const float* p) { return _mm512_load_ps(p); }
    static void store(float* p, Vector a) { _mm512_store_ps(p, a); }
    static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
    static Vector plus_product(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
    static Vector minus_product(Vector a, Vector b, Vector c) { return _mm512_fnmadd_ps(a, b, c); }
    static Vector rotate_up(Vector a) {
        return _mm512_maskz_permutexvar_ps(kAll, _mm512_set_epi32(14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15), a);
    }
    static Vector rotate_down(Vector a) {
        return _mm512_maskz_permutexvar_ps(kAll, _mm512_set_epi32(0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1), a);
    }
    static Vector select(const std::uint32_t* mask, Vector a, Vector b) {
        const __m512i bits = _mm512_loadu_si512(mask);
        return _mm512_mask_blend_ps(_mm512_test_epi32_mask(bits, bits), b, a);
    }
};

#include "baseline/one_pass_row.inc"
#include "baseline/row_kernel.inc"

}  // namespace

RowKernel row_kernel_avx512(int rows) { return choose<Avx512>(rows); }

OnePassRow one_pass_row_avx512() { return update_row; }

}  // namespace mottle::benchmarks
#else

namespace mottle::benchmarks {

RowKernel row_kernel_avx512(int) { return nullptr; }
OnePassRow one_pass_row_avx512() { return nullptr; }

}  // namespace mottle::benchmarks
#endif
