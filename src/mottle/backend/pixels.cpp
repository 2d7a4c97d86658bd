// mottle/backend/pixels.cpp: the curve of a picture over rows of cells, and its colours over rows of indices
#include "mottle/backend/pixels.h"

#include "mottle/core/vector_level.h"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mottle::backend {
namespace {

// ---- cells -> indices -------------------------------------------------------------------------------------------------------------------------------

/// Written once and compiled for several instruction sets. No operation may contract, so all give the same bits.
template <bool kCyberpunk>
[[gnu::always_inline]] inline void map_cells(Mapping mapping, const float* __restrict cells, std::uint8_t* __restrict indices,
                                             std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        float s = (cells[i] - mapping.lo) * mapping.gain;
        s = s > 0.0F ? s : 0.0F;
        s = s < 1.0F ? s : 1.0F;
        if constexpr (kCyberpunk) {
            s = 1.2F * std::sqrt(s) - 0.1F;
            s = s > 0.0F ? s : 0.0F;
            s = s < 1.0F ? s : 1.0F;
        }
        const int index = static_cast<int>(256.0F * s);
        indices[i] = static_cast<std::uint8_t>(index < 255 ? index : 255);
    }
}

template <bool kCyberpunk>
void map_portable(Mapping mapping, const float* cells, std::uint8_t* indices, std::size_t count) {
    map_cells<kCyberpunk>(mapping, cells, indices, count);
}

template <bool kCyberpunk>
MOTTLE_TARGET("avx2")
void map_avx2(Mapping mapping, const float* cells, std::uint8_t* indices, std::size_t count) {
    map_cells<kCyberpunk>(mapping, cells, indices, count);
}
template <bool kCyberpunk>
MOTTLE_TARGET("avx512f,avx512bw,avx512vl")
void map_avx512(Mapping mapping, const float* cells, std::uint8_t* indices, std::size_t count) {
    map_cells<kCyberpunk>(mapping, cells, indices, count);
}

template <bool kCyberpunk>
MapCells choose_map() {
    return core::code_for(core::widest_level(), map_portable<kCyberpunk>, map_avx2<kCyberpunk>, map_avx512<kCyberpunk>);
}

// ---- indices -> planes ------------------------------------------------------------------------------------------------------------------------------

#if defined(__x86_64__)

#define MOTTLE_VBMI gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")

constexpr std::size_t kVectorPixels = 64;

/// 256 bytes in registers.
struct ByteTable {
    __m512i quarter[4];
};

[[MOTTLE_VBMI, gnu::always_inline]] inline ByteTable load_table(const std::uint8_t* bytes) {
    return {{_mm512_load_si512(bytes), _mm512_load_si512(bytes + kVectorPixels), _mm512_load_si512(bytes + 2 * kVectorPixels),
             _mm512_load_si512(bytes + 3 * kVectorPixels)}};
}

/// The low seven bits of an index choose among 128 bytes, the highest bit between the halves of the table.
[[MOTTLE_VBMI, gnu::always_inline]] inline __m512i look_up(const ByteTable& table, __m512i index) {
    const __m512i low = _mm512_permutex2var_epi8(table.quarter[0], index, table.quarter[1]);
    const __m512i high = _mm512_permutex2var_epi8(table.quarter[2], index, table.quarter[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

/// Of each pair of columns of two rows: (sum of four + 2) >> 2.
[[MOTTLE_VBMI, gnu::always_inline]] inline __m256i mean_of_four(__m512i upper, __m512i lower) {
    const __m512i ones = _mm512_set1_epi8(1);
    const __m512i sum = _mm512_add_epi16(_mm512_maddubs_epi16(upper, ones), _mm512_maddubs_epi16(lower, ones));
    // the masked form, since g++ 12 warns of the other one's undefined register
    return _mm512_maskz_cvtepi16_epi8(~__mmask32{0}, _mm512_srli_epi16(_mm512_add_epi16(sum, _mm512_set1_epi16(2)), 2));
}

/// The first `count` of a block's pixels, or all.
__mmask64 first_pixels(std::size_t count) { return count >= kVectorPixels ? ~__mmask64{0} : (__mmask64{1} << count) - 1; }

[[MOTTLE_VBMI]] void look_up_row(const std::uint8_t* bytes, const std::uint8_t* indices, std::size_t width, std::uint8_t* out) {
    const ByteTable table = load_table(bytes);
    for (std::size_t x = 0; x < width; x += kVectorPixels) {
        const __mmask64 mask = first_pixels(width - x);
        _mm512_mask_storeu_epi8(out + x, mask, look_up(table, _mm512_maskz_loadu_epi8(mask, indices + x)));
    }
}

/// Looks two rows up; `means` has the rounded mean of each four.
[[MOTTLE_VBMI]] void look_up_means(const std::uint8_t* bytes, const std::uint8_t* upper, const std::uint8_t* lower, std::size_t width,
                                   std::uint8_t* means) {
    const ByteTable table = load_table(bytes);
    for (std::size_t x = 0; x < width; x += kVectorPixels) {
        const __mmask64 mask = first_pixels(width - x);
        const __m512i a = look_up(table, _mm512_maskz_loadu_epi8(mask, upper + x));
        const __m512i b = look_up(table, _mm512_maskz_loadu_epi8(mask, lower + x));
        _mm256_mask_storeu_epi8(means + x / 2, static_cast<__mmask32>(first_pixels((width - x + 1) / 2)), mean_of_four(a, b));
    }
}

#undef MOTTLE_VBMI
#endif

/// Two rows of an even number of pixels, one word of the table at a time.
void write_420_portable(const PixelTable& table, const std::uint8_t* __restrict upper, const std::uint8_t* __restrict lower,
                        std::size_t width, std::uint8_t* __restrict y_upper, std::uint8_t* __restrict y_lower, std::uint8_t* __restrict cb,
                        std::uint8_t* __restrict cr) {
    for (std::size_t x = 0; x < width; x += 2) {
        const std::uint32_t a = table[upper[x]], b = table[upper[x + 1]], c = table[lower[x]], d = table[lower[x + 1]];
        y_upper[x] = static_cast<std::uint8_t>(a >> kShiftY);
        y_upper[x + 1] = static_cast<std::uint8_t>(b >> kShiftY);
        y_lower[x] = static_cast<std::uint8_t>(c >> kShiftY);
        y_lower[x + 1] = static_cast<std::uint8_t>(d >> kShiftY);
        const std::uint32_t sum = (a + b) + (c + d);
        cb[x / 2] = static_cast<std::uint8_t>(((sum >> kShiftCb & 0x3FF) + 2) >> 2);
        cr[x / 2] = static_cast<std::uint8_t>(((sum >> kShiftCr & 0x3FF) + 2) >> 2);
    }
}

}  // namespace

MapCells cell_mapper(Picture::Curve curve) { return curve == Picture::Curve::cyberpunk ? choose_map<true>() : choose_map<false>(); }

YuvRows::Code YuvRows::best_code() {
#if defined(__x86_64__)
    if (core::widest_level() == core::VectorLevel::avx512 && __builtin_cpu_supports("avx512vbmi")) return Code::avx512_vbmi;
#endif
    return Code::portable;
}

YuvRows::YuvRows(const PixelTable& table, Code code) : table_(table), code_(code) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        bytes_.y[i] = static_cast<std::uint8_t>(table[i] >> kShiftY);
        bytes_.cb[i] = static_cast<std::uint8_t>(table[i] >> kShiftCb);
        bytes_.cr[i] = static_cast<std::uint8_t>(table[i] >> kShiftCr);
    }
}

void YuvRows::write_444(const std::uint8_t* indices, std::size_t width, std::uint8_t* y, std::uint8_t* cb, std::uint8_t* cr) const {
#if defined(__x86_64__)
    if (code_ == Code::avx512_vbmi) {
        look_up_row(bytes_.y, indices, width, y);
        look_up_row(bytes_.cb, indices, width, cb);
        look_up_row(bytes_.cr, indices, width, cr);
        return;
    }
#endif
    for (std::size_t x = 0; x < width; ++x) {
        y[x] = bytes_.y[indices[x]];
        cb[x] = bytes_.cb[indices[x]];
        cr[x] = bytes_.cr[indices[x]];
    }
}

void YuvRows::write_420(const std::uint8_t* upper, const std::uint8_t* lower, std::size_t width, std::uint8_t* y_upper,
                        std::uint8_t* y_lower, std::uint8_t* cb, std::uint8_t* cr) const {
#if defined(__x86_64__)
    if (code_ == Code::avx512_vbmi) {
        look_up_row(bytes_.y, upper, width, y_upper);
        look_up_row(bytes_.y, lower, width, y_lower);
        look_up_means(bytes_.cb, upper, lower, width, cb);
        look_up_means(bytes_.cr, upper, lower, width, cr);
        return;
    }
#endif
    write_420_portable(table_, upper, lower, width, y_upper, y_lower, cb, cr);
}

}  // namespace mottle::backend
