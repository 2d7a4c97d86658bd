// mottle/frame/palette.cpp: the palettes: tables, and those made of a rule
#include "mottle/frame/palette.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/core/text.h"

#include <string_view>

namespace mottle::frame {
namespace {

#include "mottle/frame/palette_table.inc"

constexpr Palette make_gray() {
    Palette result{};
    for (std::size_t i = 0; i < 256; ++i) result[i].fill(static_cast<std::uint8_t>(i));
    return result;
}

/// The palette of the Triton article: seven anchors joined by straight lines, bytes truncated. Several values land on whole numbers,
/// so the order of the operations decides bytes: it is that of matplotlib's LinearSegmentedColormap.from_list(anchors, N=256).
constexpr Palette make_cyberpunk() {
    constexpr double kAnchors[7][3] = {{0.02, 0.02, 0.1}, {0.1, 0.0, 0.3}, {0.0, 0.2, 0.8}, {0.0, 0.8, 0.9},
                                       {0.4, 1.0, 0.6},   {1.0, 0.8, 0.0}, {1.0, 0.2, 0.8}};
    double place[7] = {};
    for (int k = 0; k < 7; ++k) place[k] = k == 6 ? 255.0 : k * (1.0 / 6.0) * 255.0;
    Palette result{};
    int right = 1;
    for (int i = 0; i < 256; ++i) {
        const double x = i == 255 ? 255.0 : 255.0 * (i * (1.0 / 255.0));
        while (place[right] < x) ++right;
        const double share = (x - place[right - 1]) / (place[right] - place[right - 1]);
        for (int c = 0; c < 3; ++c) {
            double value = share * (kAnchors[right][c] - kAnchors[right - 1][c]) + kAnchors[right - 1][c];
            if (i == 255) value = kAnchors[6][c];
            result[core::at(i)][core::at(c)] = static_cast<std::uint8_t>(value * 255.0);
        }
    }
    return result;
}

constexpr Palette kGray = make_gray();
constexpr Palette kCyberpunk = make_cyberpunk();

struct NamedPalette {
    std::string_view name;
    const Palette& palette;
};
constexpr NamedPalette kPalettes[] = {{kDefaultPalette, kLagoon},     {"viridis", kViridis}, {"magma", kMagma},
                                      {"inferno", kInferno},          {"turbo", kTurbo},     {"gray", kGray},
                                      {kCyberpunkPalette, kCyberpunk}};

}  // namespace

const Palette& palette(const std::string& name) {
    for (const NamedPalette& entry : kPalettes) {
        if (entry.name == name) return entry.palette;
    }
    const std::vector<std::string> names = palette_names();
    throw core::InputError("unknown palette '" + name + "'" + core::did_you_mean(name, names, "there are " + core::listed(names, "and")));
}

std::vector<std::string> palette_names() {
    std::vector<std::string> names;
    for (const NamedPalette& entry : kPalettes) names.emplace_back(entry.name);
    return names;
}

}  // namespace mottle::frame
