// mottle/image/image.h: a picture in memory: 8-bit channels, row 0 at the top
#pragma once
#include <cstdint>
#include <vector>

namespace mottle::image {

/// Shape: height rows of width pixels of `channels` (1 gray, 3 RGB, 4 RGBA) bytes, no padding.
struct Image {
    int width = 0, height = 0, channels = 0;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint16_t> deep = {};  ///< of a file of 16 bits: the same, 65535 white; else empty
};

/// A picture of palette indices. `palette` holds RGB triples, `indices` height*width entries.
struct IndexedImage {
    int width = 0, height = 0;
    std::vector<std::uint8_t> indices;
    std::vector<std::uint8_t> palette;
};

}  // namespace mottle::image
