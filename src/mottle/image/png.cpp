// mottle/image/png.cpp: PNG by libpng: any kind of file read as 8 bit (16 kept beside), written from memory through an atomic file
#include "mottle/image/png.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/index.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <span>
#include <string>

namespace mottle::image {
namespace {

/// Hostile files must not make us allocate much: the picture that a file unpacks to may have this many bytes.
constexpr std::size_t kLargestPicture = std::size_t{1} << 31;
/// DEFLATE packs at most 1032 bytes into one; a header that promises more is a lie.
constexpr std::size_t kLargestRatio = 1032;

/// libpng reports errors by longjmp. The functions that set the jump hold no object with a destructor; their state lives here, in the caller.
struct Work {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string error;
    std::string_view input;
    std::string output;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    static_cast<Work*>(png_get_error_ptr(png))->error = message;
    png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
    auto& input = static_cast<Work*>(png_get_io_ptr(png))->input;
    if (count > input.size()) png_error(png, "the file ends too early");
    std::memcpy(to, input.data(), count);
    input.remove_prefix(count);
}
void write_bytes(png_structp png, png_bytep from, std::size_t count) {
    static_cast<Work*>(png_get_io_ptr(png))->output.append(reinterpret_cast<const char*>(from), count);
}
void flush_bytes(png_structp) {}

/// Frees what libpng holds, however the function ends.
class Reader : public Work {
   public:
    Reader() : Work() { png = png_create_read_struct(PNG_LIBPNG_VER_STRING, static_cast<Work*>(this), on_error, on_warning); }
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
};
class Writer : public Work {
   public:
    Writer() : Work() { png = png_create_write_struct(PNG_LIBPNG_VER_STRING, static_cast<Work*>(this), on_error, on_warning); }
    ~Writer() { png_destroy_write_struct(&png, &info); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
};

/// Reads the header and asks libpng for 8- or 16-bit gray or RGB(A) of the values as stored: no gamma, since images are data here.
bool read_header(Work& work, std::size_t file_bytes) {
    if (setjmp(png_jmpbuf(work.png))) return false;
    work.info = png_create_info_struct(work.png);
    if (!work.info) png_error(work.png, "out of memory");
    png_set_read_fn(work.png, &work, read_bytes);
    png_set_user_limits(work.png, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max());
    png_read_info(work.png, work.info);
    const std::size_t height = png_get_image_height(work.png, work.info);
    const std::size_t stored = (png_get_rowbytes(work.png, work.info) + 1) * height;
    if (stored / kLargestRatio > file_bytes) png_error(work.png, "the header promises more pixels than the file can hold");
    if (std::endian::native == std::endian::little) png_set_swap(work.png);  // of 16 bits
    png_set_expand(work.png);
    png_set_packing(work.png);
    png_set_interlace_handling(work.png);
    if (png_get_color_type(work.png, work.info) == PNG_COLOR_TYPE_GRAY_ALPHA) png_set_gray_to_rgb(work.png);
    if (png_get_color_type(work.png, work.info) == PNG_COLOR_TYPE_GRAY && png_get_valid(work.png, work.info, PNG_INFO_tRNS)) {
        png_set_gray_to_rgb(work.png);
    }
    png_read_update_info(work.png, work.info);
    if (png_get_rowbytes(work.png, work.info) * height > kLargestPicture) png_error(work.png, "the picture is larger than 2 GiB");
    return true;
}

bool read_rows(Work& work, png_bytep pixels, int passes) {
    if (setjmp(png_jmpbuf(work.png))) return false;
    const std::size_t pitch = png_get_rowbytes(work.png, work.info);
    const std::size_t height = png_get_image_height(work.png, work.info);
    for (int pass = 0; pass < passes; ++pass) {
        for (std::size_t y = 0; y < height; ++y) png_read_row(work.png, pixels + y * pitch, nullptr);
    }
    png_read_end(work.png, nullptr);
    return true;
}

struct Layout {
    png_uint_32 width, height;
    int channels, colour_type;
    std::span<const png_color> palette;
};

bool write_picture(Work& work, const Layout& layout, const std::uint8_t* pixels) {
    if (setjmp(png_jmpbuf(work.png))) return false;
    work.info = png_create_info_struct(work.png);
    if (!work.info) png_error(work.png, "out of memory");
    png_set_write_fn(work.png, &work, write_bytes, flush_bytes);
    png_set_user_limits(work.png, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max());
    png_set_IHDR(work.png, work.info, layout.width, layout.height, 8, layout.colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!layout.palette.empty()) png_set_PLTE(work.png, work.info, layout.palette.data(), static_cast<int>(layout.palette.size()));
    // Palettes are ramps, so neighbouring indices are close and differences pay. Runs and Huffman codes alone: 3 ms for 512 x 512 pixels
    // of a pattern; the search for repeats, of which patterns have few, takes 10 to 20 ms more and saves 5 %.
    png_set_filter(work.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_PAETH);
    png_set_compression_strategy(work.png, Z_RLE);
    png_set_compression_level(work.png, 1);
    png_write_info(work.png, work.info);
    const std::size_t pitch = core::at(layout.width) * core::at(layout.channels);
    for (std::size_t y = 0; y < layout.height; ++y) png_write_row(work.png, pixels + y * pitch);
    png_write_end(work.png, nullptr);
    return true;
}

/// `what`: the file, for messages.
std::string encoded(const std::string& what, const Layout& layout, std::span<const std::uint8_t> pixels) {
    if (pixels.size() != std::size_t{layout.width} * layout.height * core::at(layout.channels) || pixels.empty()) {
        throw core::InternalError("write_png: " + std::to_string(pixels.size()) + " bytes for a picture of " +
                                  std::to_string(layout.width) + "x" + std::to_string(layout.height) + " pixels");
    }
    Writer writer;
    if (!writer.png || !write_picture(writer, layout, pixels.data())) {
        throw core::OutputError("cannot make " + what + ": " + (writer.error.empty() ? "out of memory" : writer.error));
    }
    return std::move(writer.output);
}

void write_file(const std::filesystem::path& path, const Layout& layout, std::span<const std::uint8_t> pixels) {
    const std::string bytes = encoded("the PNG file '" + path.string() + "'", layout, pixels);
    core::AtomicFile file(path);
    file.write(std::as_bytes(std::span(bytes)));
    file.commit();
}

Layout layout_of(const Image& image) {
    const int type = image.channels == 1 ? PNG_COLOR_TYPE_GRAY : image.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
    return {static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), image.channels, type, {}};
}

}  // namespace

Image read_png(const std::filesystem::path& path) {
    const auto bytes = core::read_file(path);
    if (!bytes) throw core::InputError("cannot read the image '" + path.string() + "'; check its name and that you may read it");
    if (bytes->size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes->data()), 0, 8) != 0) {
        throw core::InputError("'" + path.string() + "' is not a PNG image; convert it to PNG");
    }
    Reader reader;
    reader.input = *bytes;
    Image image;
    bool good = reader.png && read_header(reader, bytes->size());
    if (good) {
        image.width = static_cast<int>(png_get_image_width(reader.png, reader.info));
        image.height = static_cast<int>(png_get_image_height(reader.png, reader.info));
        image.channels = png_get_channels(reader.png, reader.info);
        const bool deep = png_get_bit_depth(reader.png, reader.info) == 16;
        const std::size_t bytes_of_all = png_get_rowbytes(reader.png, reader.info) * core::at(image.height);
        if (deep)
            image.deep.resize(bytes_of_all / 2);
        else
            image.pixels.resize(bytes_of_all);
        const int passes = png_get_interlace_type(reader.png, reader.info) == PNG_INTERLACE_NONE ? 1 : 7;
        good = read_rows(reader, deep ? reinterpret_cast<png_bytep>(image.deep.data()) : image.pixels.data(), passes);
        // as libpng rounds: 255 v / 65535 to nearest
        image.pixels.reserve(std::max(image.pixels.size(), image.deep.size()));
        for (const std::uint16_t v : image.deep) image.pixels.push_back(static_cast<std::uint8_t>((v * 255U + 32895U) >> 16));
    }
    if (!good) {
        throw core::InputError("cannot read the image '" + path.string() + "': " + (reader.error.empty() ? "out of memory" : reader.error) +
                               "; save it again as a PNG file");
    }
    return image;
}

std::string png_bytes(const Image& image) { return encoded("a PNG picture", layout_of(image), image.pixels); }

void write_png(const std::filesystem::path& path, const Image& image) { write_file(path, layout_of(image), image.pixels); }

void write_png(const std::filesystem::path& path, const IndexedImage& image) {
    std::vector<png_color> palette(image.palette.size() / 3);
    if (palette.empty() || palette.size() > 256) {
        throw core::InternalError("write_png: a palette of " + std::to_string(palette.size()) + " colours; 1 to 256 are possible");
    }
    for (std::size_t i = 0; i < palette.size(); ++i)
        palette[i] = {image.palette[3 * i], image.palette[3 * i + 1], image.palette[3 * i + 2]};
    write_file(path, {static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 1, PNG_COLOR_TYPE_PALETTE, palette},
               image.indices);
}

}  // namespace mottle::image
