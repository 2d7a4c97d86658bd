// mottle/backend/pixels.h: rows of cells -> palette indices -> rows of Y, Cb, Cr; vector code for several instruction sets with the same bits
#pragma once
#include "mottle/backend/draw.h"

#include <cstddef>
#include <cstdint>

namespace mottle::backend {

/// Maps `count` cells to palette indices by the rule of Picture.
using MapCells = void (*)(Mapping mapping, const float* cells, std::uint8_t* indices, std::size_t count);
/// The function for `curve` with the widest vectors that this processor has.
MapCells cell_mapper(Picture::Curve curve);

/// Looks the bytes of pixels up by palette index.
class YuvRows {
   public:
    enum class Code {
        portable,
        avx512_vbmi  ///< 64 pixels at a time; one instruction looks 64 bytes up among 128
    };
    /// What this processor runs fastest.
    static Code best_code();

    /// `table`: pixel_table() of a picture with format yuv420 or yuv444.
    explicit YuvRows(const PixelTable& table, Code code = best_code());

    /// One row of `width` pixels at full resolution.
    void write_444(const std::uint8_t* indices, std::size_t width, std::uint8_t* y, std::uint8_t* cb, std::uint8_t* cr) const;
    /// Two rows of an even number of pixels: each chroma byte is (sum of four + 2) >> 2.
    void write_420(const std::uint8_t* upper, const std::uint8_t* lower, std::size_t width, std::uint8_t* y_upper, std::uint8_t* y_lower,
                   std::uint8_t* cb, std::uint8_t* cr) const;

   private:
    PixelTable table_;
    Code code_;
    struct Bytes {
        alignas(64) std::uint8_t y[256], cb[256], cr[256];
    } bytes_;  ///< the same three numbers, apart
};

}  // namespace mottle::backend
