// mottle/benchmarks/baseline/row_kernel_avx2.cpp: the row kernels with 8 lanes; built for AVX2, so nothing of the standard library may be used here
#include "baseline/constants.h"
#include "baseline/row_kernel.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace mottle::benchmarks {
namespace {

struct Avx2 {
    using Vector = __m256;
    static constexpr int kLanes = 8;
    static Vector all(float x) { return _mm256_set1_ps(x); }
    static Vector load(const float* p) { return _mm256_load_ps(p); }
    static void store(float* p, Vector a) { _mm256_store_ps(p, a); }
    static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
    static Vector plus_product(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
    static Vector minus_product(Vector a, Vector b, Vector c) { return _mm256_fnmadd_ps(a, b, c); }
    static Vector rotate_up(Vector a) { return _mm256_permutevar8x32_ps(a, _mm256_set_epi32(6, 5, 4, 3, 2, 1, 0, 7)); }
    static Vector rotate_down(Vector a) { return _mm256_permutevar8x32_ps(a, _mm256_set_epi32(0, 7, 6, 5, 4, 3, 2, 1)); }
    static Vector select(const std::uint32_t* mask, Vector a, Vector b) {
        return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask))));
    }
};

#include "baseline/one_pass_row.inc"
#include "baseline/row_kernel.inc"

}  // namespace

RowKernel row_kernel_avx2(int rows) { return choose<Avx2>(rows); }

OnePassRow one_pass_row_avx2() { return update_row; }

}  // namespace mottle::benchmarks
#else

namespace mottle::benchmarks {

RowKernel row_kernel_avx2(int) { return nullptr; }
OnePassRow one_pass_row_avx2() { return nullptr; }

}  // namespace mottle::benchmarks
#endif
