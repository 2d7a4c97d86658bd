// apps/gallery/contact_sheet.cpp: scales pictures to tiles by area, and writes their names below
#include "apps/gallery/contact_sheet.h"

#include "mottle/image/lettering.h"

#include <algorithm>
#include <cstdint>

namespace gallery {
namespace {

using mottle::image::Image;

constexpr int kGap = 8;
constexpr int kLabel = 16;
constexpr std::uint8_t kPaper = 24, kInk = 224;

std::uint8_t channel(const Image& picture, int x, int y, int wanted) {
    const int c = picture.channels < 3 ? 0 : wanted;
    return picture.pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)) *
                              static_cast<std::size_t>(picture.channels) +
                          static_cast<std::size_t>(c)];
}

std::uint8_t& at(Image& sheet, int x, int y, int c) {
    return sheet.pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(sheet.width) + static_cast<std::size_t>(x)) * 3 +
                        static_cast<std::size_t>(c)];
}

/// The mean over the cells of the picture that a pixel of the tile covers; at least one cell.
void draw_picture(Image& sheet, int left, int top, int side, const Image& picture) {
    const int longest = std::max(picture.width, picture.height);
    const int width = std::max(1, side * picture.width / longest), height = std::max(1, side * picture.height / longest);
    left += (side - width) / 2;
    top += (side - height) / 2;
    for (int y = 0; y < height; ++y) {
        const int y0 = y * picture.height / height, y1 = std::max(y0 + 1, (y + 1) * picture.height / height);
        for (int x = 0; x < width; ++x) {
            const int x0 = x * picture.width / width, x1 = std::max(x0 + 1, (x + 1) * picture.width / width);
            for (int c = 0; c < 3; ++c) {
                int sum = 0;
                for (int v = y0; v < y1; ++v) {
                    for (int u = x0; u < x1; ++u) sum += channel(picture, u, v, c);
                }
                at(sheet, left + x, top + y, c) = static_cast<std::uint8_t>(sum / ((x1 - x0) * (y1 - y0)));
            }
        }
    }
}

}  // namespace

Image contact_sheet(const std::vector<Tile>& tiles, int side, int columns) {
    const int count = static_cast<int>(tiles.size());
    columns = std::clamp(columns, 1, std::max(count, 1));
    const int rows = std::max(1, (count + columns - 1) / columns);
    Image sheet;
    sheet.width = kGap + columns * (side + kGap);
    sheet.height = kGap + rows * (side + kLabel + kGap);
    sheet.channels = 3;
    sheet.pixels.assign(static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(sheet.height) * 3, kPaper);
    for (int i = 0; i < count; ++i) {
        const Tile& tile = tiles[static_cast<std::size_t>(i)];
        const int left = kGap + i % columns * (side + kGap), top = kGap + i / columns * (side + kLabel + kGap);
        if (tile.picture.width > 0 && tile.picture.height > 0) draw_picture(sheet, left, top, side, tile.picture);
        std::string name = tile.name;
        while (mottle::image::text_width(name, 1) > side) name.pop_back();
        mottle::image::write_text(sheet, left, top + side + 5, name, 1, kInk);
    }
    return sheet;
}

}  // namespace gallery
