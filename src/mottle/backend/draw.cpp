// mottle/backend/draw.cpp: pictures drawn on the host: rows of cells to the planes of each format, enlarged by whole pixels
#include "mottle/backend/draw.h"

#include "mottle/backend/pixels.h"
#include "mottle/core/error.h"
#include "mottle/core/index.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace mottle::backend {
namespace {

using core::Index;

/// Outside these extents index 0 is drawn; see Picture.
constexpr double kSmallestExtent = 0x1p-100, kLargestExtent = 0x1p126;

bool is_drawable(const Picture& picture) {
    const double extent = picture.hi - picture.lo;
    return extent >= kSmallestExtent && extent <= kLargestExtent;
}

// ---- rows -------------------------------------------------------------------------------------------------------------------------------------------

using ReadRow = std::function<void(Index row, std::span<float> cells)>;
using ReadLine = std::function<void(Index line, std::span<std::uint8_t> indices)>;

/// Lines of palette indices from rows of cells.
class LinesOfRows {
   public:
    LinesOfRows(const Picture& picture, const domain::Grid& grid, const ReadRow& read)
        : read_(read),
          mapping_(mapping_of(picture)),
          map_(cell_mapper(picture.curve)),
          side_(core::at(picture.cells)),
          offset_(grid.size[2] / 2 * grid.size[1]),
          cells_(core::at(grid.size[0])) {
        if (side_ > 1) indices_.resize(cells_.size());
    }

    void operator()(Index line, std::span<std::uint8_t> indices) {
        if (side_ == 1) return map_row(offset_ + line, indices.data());
        sums_.assign(indices.size(), 0);
        for (std::size_t k = 0; k < side_; ++k) {
            map_row(offset_ + line * static_cast<Index>(side_) + static_cast<Index>(k), indices_.data());
            const std::uint8_t* from = indices_.data();
            for (std::uint32_t& sum : sums_) {
                for (std::size_t i = 0; i < side_; ++i) sum += *from++;
            }
        }
        const auto count = static_cast<std::uint32_t>(side_ * side_);
        std::transform(sums_.begin(), sums_.end(), indices.begin(), [count](std::uint32_t sum) { return mean_index(sum, count); });
    }

   private:
    void map_row(Index row, std::uint8_t* indices) {
        read_(row, cells_);
        map_(mapping_, cells_.data(), indices, cells_.size());
    }

    const ReadRow& read_;
    Mapping mapping_;
    MapCells map_;
    std::size_t side_;  ///< cells along a side of a pixel
    Index offset_;
    std::vector<float> cells_;
    std::vector<std::uint8_t> indices_;  ///< of a row
    std::vector<std::uint32_t> sums_;
};

/// Rows of palette indices, each repeated `scale` times; the last row of each parity is kept.
class IndexRows {
   public:
    IndexRows(const Picture& picture, PictureLines lines, const ReadLine& read)
        : read_(read), columns_(core::at(lines.length)), scale_(core::at(picture.scale)), visible_(is_drawable(picture)) {
        for (auto& slot : slots_) slot = std::make_unique<std::uint8_t[]>(columns_ * scale_);
    }

    const std::uint8_t* row(Index row) {
        const std::size_t slot = core::at(row & 1);
        std::uint8_t* indices = slots_[slot].get();
        if (held_[slot] == row || !visible_) return indices;
        held_[slot] = row;
        // The last `columns_` bytes take the narrow row; widening from the left never overtakes it.
        std::uint8_t* narrow = indices + columns_ * (scale_ - 1);
        read_(row, {narrow, columns_});
        if (scale_ == 1) return indices;
        for (std::size_t i = 0; i < columns_; ++i) {
            const std::uint8_t index = narrow[i];
            for (std::size_t k = 0; k < scale_; ++k) indices[i * scale_ + k] = index;
        }
        return indices;
    }

   private:
    const ReadLine& read_;
    std::size_t columns_, scale_;
    bool visible_;
    std::unique_ptr<std::uint8_t[]> slots_[2];
    Index held_[2] = {-1, -1};
};

/// Formats whose rows of pixels stand alone: the first row of each cell is made, the others are copies.
void draw_plain(const Picture& picture, IndexRows& rows, Index first, Index last, std::size_t width, std::size_t height,
                std::uint8_t* out) {
    const std::size_t planes = picture.format == Picture::Format::yuv444 ? 3 : 1;
    const std::size_t bytes = picture.format == Picture::Format::rgb24 ? 3 : picture.format == Picture::Format::rgba32 ? 4 : 1;
    const std::size_t pitch = bytes * width;
    const auto scale = core::at(picture.scale);
    const YuvRows yuv(pixel_table(picture));
    for (Index row = first; row < last; ++row) {
        const std::uint8_t* indices = rows.row(row);
        const std::size_t top = core::at(row) * scale;
        std::uint8_t* to = out + top * pitch;
        switch (picture.format) {
            case Picture::Format::index:
                std::memcpy(to, indices, width);
                break;
            case Picture::Format::rgb24:
                for (std::size_t x = 0; x < width; ++x) std::memcpy(to + 3 * x, picture.palette[indices[x]].data(), 3);
                break;
            case Picture::Format::rgba32:
                for (std::size_t x = 0; x < width; ++x) {
                    std::memcpy(to + 4 * x, picture.palette[indices[x]].data(), 3);
                    to[4 * x + 3] = 255;
                }
                break;
            case Picture::Format::yuv420:  // draw_420
            case Picture::Format::yuv444:
                yuv.write_444(indices, width, to, to + width * height, to + 2 * width * height);
                break;
        }
        for (std::size_t plane = 0; plane < planes; ++plane) {
            std::uint8_t* from = to + plane * width * height;
            for (std::size_t k = 1; k < scale; ++k) std::memcpy(from + k * pitch, from, pitch);
        }
    }
}

/// Two rows of pixels at a time; a pair of the same cells as the pair before is copied.
void draw_420(const Picture& picture, IndexRows& rows, std::size_t first, std::size_t last, std::size_t width, std::size_t height,
              std::uint8_t* out) {
    const auto scale = core::at(picture.scale);
    const YuvRows yuv(pixel_table(picture));
    std::uint8_t* const cb = out + width * height;
    std::uint8_t* const cr = cb + width / 2 * (height / 2);
    for (std::size_t top = first; top < last; top += 2) {
        const std::size_t upper = top / scale, lower = (top + 1) / scale;
        std::uint8_t* y = out + top * width;
        const std::size_t chroma = top / 2 * (width / 2);
        if (top > first && (top - 2) / scale == upper && upper == lower) {
            std::memcpy(y, y - 2 * width, 2 * width);
            std::memcpy(cb + chroma, cb + chroma - width / 2, width / 2);
            std::memcpy(cr + chroma, cr + chroma - width / 2, width / 2);
            continue;
        }
        const std::uint8_t* a = rows.row(static_cast<Index>(upper));
        const std::uint8_t* b = rows.row(static_cast<Index>(lower));
        yuv.write_420(a, b, width, y, y + width, cb + chroma, cr + chroma);
    }
}

}  // namespace

Mapping mapping_of(const Picture& picture) {
    if (!is_drawable(picture)) return {};
    return {static_cast<float>(picture.lo), static_cast<float>(1.0 / (picture.hi - picture.lo))};
}

PixelTable pixel_table(const Picture& picture) {
    PixelTable table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        const auto& rgb = picture.palette[i];
        switch (picture.format) {
            case Picture::Format::index:
                table[i] = i;
                break;
            case Picture::Format::rgb24:
            case Picture::Format::rgba32:
                table[i] = std::uint32_t{rgb[0]} | std::uint32_t{rgb[1]} << 8 | std::uint32_t{rgb[2]} << 16 | 0xFF000000u;
                break;
            case Picture::Format::yuv420:
            case Picture::Format::yuv444: {
                const auto [y, cb, cr] = yuv_of(rgb);
                table[i] = std::uint32_t{y} << kShiftY | std::uint32_t{cb} << kShiftCb | std::uint32_t{cr} << kShiftCr;
            }
        }
    }
    return table;
}

Index picture_rows(const domain::Domain& domain) { return std::get<domain::Grid>(domain).size[1]; }

PictureLines picture_lines(const Picture& picture, const domain::Domain& domain) {
    if (picture.cells < 1 || (picture.cells > 1 && picture.scale > 1))
        throw core::InputError("a picture with " + std::to_string(picture.cells) + " cells per pixel and " + std::to_string(picture.scale) +
                               " pixels per cell is not possible: one of them must be 1");
    const PictureLines lines{picture_rows(domain) / picture.cells, std::get<domain::Grid>(domain).size[0] / picture.cells};
    if (lines.count < 1 || lines.length < 1)
        throw core::InputError("a picture of a " + domain::describe(domain) + " with " + std::to_string(picture.cells) +
                               " cells per pixel has no pixel; use fewer cells per pixel");
    return lines;
}

std::array<int, 2> picture_size(const Picture& picture, const domain::Domain& domain) {
    const PictureLines lines = picture_lines(picture, domain);
    const Index cells[2] = {lines.length, lines.count};
    std::array<int, 2> size{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (picture.scale < 1 || cells[axis] > std::numeric_limits<std::int32_t>::max() / picture.scale) {
            throw core::InputError("a picture of a " + domain::describe(domain) + " with " + std::to_string(picture.scale) +
                                   " pixels per cell is not possible: at least 1 pixel per cell and at most 2147483647 pixels a side");
        }
        size[axis] = static_cast<int>(cells[axis]) * picture.scale;
        if (picture.format == Picture::Format::yuv420) size[axis] &= ~1;
    }
    return size;
}

std::size_t picture_bytes(Picture::Format format, std::array<int, 2> size) {
    const std::size_t pixels = core::at(size[0]) * core::at(size[1]);
    switch (format) {
        case Picture::Format::index:
            return pixels;
        case Picture::Format::yuv420:
            return pixels / 2 * 3;
        case Picture::Format::rgba32:
            return 4 * pixels;
        case Picture::Format::rgb24:
        case Picture::Format::yuv444:
            return 3 * pixels;
    }
    throw core::InternalError("a picture of no format");
}

std::size_t picture_bytes(const Picture& picture, const domain::Domain& domain) {
    return picture_bytes(picture.format, picture_size(picture, domain));
}

void map_to_indices(const Picture& picture, std::span<const float> values, std::span<std::uint8_t> indices) {
    const Mapping mapping = mapping_of(picture);
    if (mapping.gain == 0) {
        std::fill(indices.begin(), indices.end(), std::uint8_t{0});
        return;
    }
    cell_mapper(picture.curve)(mapping, values.data(), indices.data(), std::min(values.size(), indices.size()));
}

std::array<std::uint8_t, 3> yuv_of(std::array<std::uint8_t, 3> rgb) {
    constexpr int kOffsets[3] = {16, 128, 128};
    std::array<std::uint8_t, 3> result{};
    for (std::size_t k = 0; k < 3; ++k) {
        const int sum = kYuvWeights[k][0] * rgb[0] + kYuvWeights[k][1] * rgb[1] + kYuvWeights[k][2] * rgb[2];
        result[k] = static_cast<std::uint8_t>(kOffsets[k] + ((sum + 32768) >> 16));
    }
    return result;
}

void draw_rows(const Picture& picture, const domain::Domain& domain, Index first, Index last, const ReadRow& read,
               std::span<std::uint8_t> out) {
    LinesOfRows lines(picture, std::get<domain::Grid>(domain), read);
    draw_lines(picture, domain, first, last, std::ref(lines), out);
}

void draw_lines(const Picture& picture, const domain::Domain& domain, Index first, Index last, const ReadLine& read,
                std::span<std::uint8_t> out) {
    const auto size = picture_size(picture, domain);
    if (out.size() < picture_bytes(picture, domain)) {
        throw core::InternalError("draw_rows: " + std::to_string(out.size()) + " bytes for a picture of " +
                                  std::to_string(picture_bytes(picture, domain)));
    }
    const PictureLines lines = picture_lines(picture, domain);
    last = std::min(last, lines.count);
    if (first >= last) return;
    const auto width = core::at(size[0]), height = core::at(size[1]);
    IndexRows rows(picture, lines, read);
    if (picture.format != Picture::Format::yuv420) return draw_plain(picture, rows, first, last, width, height, out.data());
    const Index top = first * picture.scale, bottom = last * picture.scale;
    if (top % 2 != 0 || (bottom % 2 != 0 && last != lines.count)) {
        throw core::InternalError("draw_rows: rows " + std::to_string(first) + " to " + std::to_string(last) + " cut a pair of pixel rows");
    }
    draw_420(picture, rows, core::at(top), std::min(core::at(bottom), height), width, height, out.data());
}

}  // namespace mottle::backend
