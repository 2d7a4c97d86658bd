// mottle/backend/surface_picture.h: what a camera sees of a surface, and the colours it is given, as tables that any backend can read
#pragma once
#include "mottle/backend/draw.h"

#include <memory>

namespace mottle::backend {

class State;

/// A visible point: the field there is f0 + (f1 - f0) u + (f2 - f0) v with u = weight[0] / 65536, v = weight[1] / 65536, one rounding per operation.
struct SurfaceSample {
    std::array<std::int32_t, 3> vertex{-1, -1, -1};  ///< -1: the background
    std::array<std::uint16_t, 2> weight{};
    std::uint16_t shade = 0;  ///< 16384 = 1: what the colour is multiplied by, in linear light
    std::uint16_t gloss = 0;  ///< 65535 = 1: what is added to it
};
inline constexpr int kEdgeSamples = 8;  ///< of a pixel where something ends; others have one

/// Shape: a pixel is the place of its first sample times 2, plus 1 if it has kEdgeSamples of them; kNoSamples where nothing is seen.
struct SurfaceSight {
    static constexpr std::uint32_t kNoSamples = ~0u;
    std::array<int, 2> size{};
    std::vector<std::uint32_t> pixels;
    std::vector<SurfaceSample> samples;
};

inline constexpr std::size_t kNoValue = 256;  ///< the index of a value that is no number

/// How indices become bytes. A sample is min(65535, (linear * shade >> 14) + gloss); a pixel the mean of its samples, /16, through `srgb`.
struct SurfaceColours {
    std::array<std::array<std::uint32_t, 3>, kNoValue + 1> linear{};  ///< of palette entries and of kNoValue; 65535 = 1
    std::array<std::uint32_t, 3> background{};
    std::array<std::uint8_t, 3> empty{};  ///< a pixel of the background
    bool transparent = false;             ///< the background is not mixed in, and alpha is the share of samples that are not background
    std::array<std::uint8_t, 4096> srgb{};
    /// Format::index: the entry for 5 bits each of red, green and blue, each byte moved by `dither`[y % 4 * 4 + x % 4] and clamped first.
    std::vector<std::uint8_t> nearest;
    std::array<int, 16> dither{};
};

/// Gives new colours to what a camera sees, beside the state on a device. Belongs to the kernel that made it.
class SurfacePainter {
   public:
    virtual ~SurfacePainter() = default;
    /// Whether it gives the host's bytes for such a picture.
    virtual bool can_draw(const Picture& picture) const = 0;
    /// As Kernel::begin_draw.
    virtual std::function<void()> begin(const State& state, const Picture& picture, const SurfaceColours& colours,
                                        std::span<std::uint8_t> out) = 0;
};

}  // namespace mottle::backend
