// mottle/image/png.h: PNG files, read to 8-bit gray or RGB(A) and written from images (libpng)
#pragma once
#include "mottle/image/image.h"

#include <filesystem>
#include <string>

namespace mottle::image {

/// Reads a PNG of any kind as 8-bit, one of 16 bits as both. Throws: InputError if it cannot be read or is no PNG.
Image read_png(const std::filesystem::path& path);
/// The bytes of a PNG file. Throws: OutputError.
std::string png_bytes(const Image& image);
/// Writes atomically. Throws: OutputError.
void write_png(const std::filesystem::path& path, const Image& image);
void write_png(const std::filesystem::path& path, const IndexedImage& image);

}  // namespace mottle::image
