// mottle/image/png.h: PNG files, read to 8-bit gray or RGB(A) and written from images (libpng)
#pragma once
#include "mottle/core/files.h"
#include "mottle/image/image.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace mottle::image {

/// Row `y` of a picture of a size, its numbers as an Image holds them.
struct ImageRow {
    int width = 0, height = 0, channels = 0, y = 0;
    std::span<const std::uint8_t> pixels;
    std::span<const std::uint16_t> deep;
};

/// Reads a PNG of any kind as 8-bit, one of 16 bits as both. Throws: InputError if it cannot be read or is no PNG.
Image read_png(const std::filesystem::path& path);
/// The same row by row from the top, so that no more than a row is held, unless the file is interlaced. Rows may have been taken where this throws.
void read_png(const std::filesystem::path& path, const std::function<void(const ImageRow& row)>& take);
/// The bytes of a PNG file. Throws: OutputError.
std::string png_bytes(const Image& image);
/// Writes atomically. Throws: OutputError.
void write_png(const std::filesystem::path& path, const Image& image);
void write_png(const std::filesystem::path& path, const IndexedImage& image, core::Survives survives = core::Survives::kills);

}  // namespace mottle::image
