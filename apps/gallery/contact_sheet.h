// apps/gallery/contact_sheet.h: many pictures on one sheet, each with its name
#pragma once
#include "mottle/image/image.h"

#include <string>
#include <vector>

namespace gallery {

struct Tile {
    std::string name;
    mottle::image::Image picture;  ///< any size, 1, 3 or 4 channels; empty: the tile stays plain
};

/// Lays out the tiles row by row on an RGB sheet, each scaled to `side` pixels with its name below.
mottle::image::Image contact_sheet(const std::vector<Tile>& tiles, int side, int columns);

}  // namespace gallery
