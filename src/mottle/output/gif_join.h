// mottle/output/gif_join.h: joins GIFs: the first frames of one and all of another, block by block
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::output {

/// The blocks of a GIF (CompuServe's specification of 1990) as places in its bytes.
struct GifBlocks {
    struct Frame {
        std::size_t first = 0, end = 0;  ///< from its extensions to the end of its image
        std::size_t delay = 0;           ///< of the 16-bit delay, in hundredths of a second; 0: it has none
    };
    int width = 0, height = 0;
    std::string_view palette;  ///< RGB triples of the whole file
    std::size_t head = 0;      ///< bytes before the first frame, comments and the count of repeats included
    std::vector<Frame> frames;
};

/// Nothing if `bytes` is no whole GIF.
std::optional<GifBlocks> parse_gif(std::string_view bytes);

/// The first `kept` frames of `first` and all of `second`, shown at `fps` frames per second. Both have one size and palette, the frames of `second`
/// need none of those before.
std::string join_gifs(std::string_view first, std::size_t kept, std::string_view second, double fps);

}  // namespace mottle::output
