// mottle/backend/cpu/mesh/slice_kernel.h: how compiled mesh kernels are called
#pragma once
#include <cstddef>
#include <cstdint>

namespace mottle::backend::cpu {

/// The one argument of every compiled function: consecutive slices of one ring. A slice is as many vertices as a vector has lanes.
/// Words of a group stand in slot order. f32 values of a slice are taken into lanes in the order of `lane_element`.
struct SliceArguments {
    const std::byte* const* in;  ///< by group: the word of slot 0
    std::byte* const* out;       ///< by group: likewise, of the buffer that is written
    std::int64_t first_byte;     ///< offset of the first slice's words
    std::int64_t ring_byte;      ///< offset of the word from which the neighbours' indices count
    std::int64_t slices;
    const std::int32_t* entries;  ///< entries[s] .. entries[s+1] are the neighbours of slice s
    const std::byte* weights;     ///< [entry][edge][lane]
    const std::byte* indices;     ///< [entry][element], 16 or 32 bits
    const void* numbers;          ///< uniforms, then constants
    const char* prefetch;         ///< the first line to prefetch
    std::int64_t prefetch_lines;  ///< per slice
    void (*fma)();
    void (*floor)();
};
using SliceFunction = void (*)(const SliceArguments*);

/// The element of a slice that stands in lane `lane` of `lanes`: f32 pairs are split by shuffles inside 128 bits, which take two elements of
/// the first half of a slice and two of the second; f64 needs no splitting.
constexpr int lane_element(bool f64, int lanes, int lane) {
    if (f64) return lane;
    const int chunk = lane / 4, place = lane % 4;
    return 2 * chunk + place % 2 + (place < 2 ? 0 : lanes / 2);
}

}  // namespace mottle::backend::cpu
