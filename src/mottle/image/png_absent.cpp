// mottle/image/png_absent.cpp: what stands in for png.cpp in a build without libpng: every call says what to install
#include "mottle/core/error.h"
#include "mottle/image/png.h"

namespace mottle::image {
namespace {

[[noreturn]] void absent(const std::filesystem::path& path) {
    throw core::DeviceError("'" + path.string() +
                            "': this build of Mottle has no libpng and so neither reads nor writes PNG files; install libpng "
                            "(Debian, Ubuntu: libpng-dev) and build again");
}

}  // namespace

std::string png_bytes(const Image&) { absent("a PNG picture"); }
Image read_png(const std::filesystem::path& path) { absent(path); }
void read_png(const std::filesystem::path& path, const std::function<void(const ImageRow&)>&) { absent(path); }
void write_png(const std::filesystem::path& path, const Image&) { absent(path); }
void write_png(const std::filesystem::path& path, const IndexedImage&, core::Survives) { absent(path); }

}  // namespace mottle::image
