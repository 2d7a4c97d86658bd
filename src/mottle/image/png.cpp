// mottle/image/png.cpp: PNG by libpng: any kind of file read as 8 bit (16 kept beside), written from memory through an atomic file
#include "mottle/image/png.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/index.h"

#include <png.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <vector>

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
    std::FILE* input = nullptr;
    std::string output;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    static_cast<Work*>(png_get_error_ptr(png))->error = message;
    png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
    if (std::fread(to, 1, count, static_cast<Work*>(png_get_io_ptr(png))->input) < count) png_error(png, "the file ends too early");
}
void write_bytes(png_structp png, png_bytep from, std::size_t count) {
    static_cast<Work*>(png_get_io_ptr(png))->output.append(reinterpret_cast<const char*>(from), count);
}
void flush_bytes(png_structp) {}

/// Frees what libpng holds, however the function ends.
class Reader : public Work {
   public:
    Reader() : Work() { png = png_create_read_struct(PNG_LIBPNG_VER_STRING, static_cast<Work*>(this), on_error, on_warning); }
    ~Reader() {
        png_destroy_read_struct(&png, &info, nullptr);
        if (input) std::fclose(input);
    }
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

bool read_row(Work& work, png_bytep row) {
    if (setjmp(png_jmpbuf(work.png))) return false;
    png_read_row(work.png, row, nullptr);
    return true;
}

bool read_end(Work& work) {
    if (setjmp(png_jmpbuf(work.png))) return false;
    png_read_end(work.png, nullptr);
    return true;
}

/// Calls `take(y, row)`, from the top, and reads on to the end of the file. A row of an interlaced picture is complete behind the last pass.
template <class Take>
bool read_rows(Work& work, const Take& take) {
    constexpr int kPasses = 7;
    const std::size_t pitch = png_get_rowbytes(work.png, work.info), height = png_get_image_height(work.png, work.info);
    const bool interlaced = png_get_interlace_type(work.png, work.info) != PNG_INTERLACE_NONE;
    std::vector<png_byte> rows(interlaced ? pitch * height : pitch);
    for (int pass = interlaced ? 1 : kPasses; pass <= kPasses; ++pass) {
        for (std::size_t y = 0; y < height; ++y) {
            png_byte* const row = rows.data() + (interlaced ? y * pitch : 0);
            if (!read_row(work, row)) return false;
            if (pass == kPasses) take(y, std::span<const png_byte>(row, pitch));
        }
    }
    return read_end(work);
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

void write_file(const std::filesystem::path& path, const Layout& layout, std::span<const std::uint8_t> pixels, core::Survives survives) {
    const std::string bytes = encoded("the PNG file '" + path.string() + "'", layout, pixels);
    core::AtomicFile file(path);
    file.write(std::as_bytes(std::span(bytes)));
    file.commit(survives);
}

Layout layout_of(const Image& image) {
    const int type = image.channels == 1 ? PNG_COLOR_TYPE_GRAY : image.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
    return {static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), image.channels, type, {}};
}

}  // namespace

void read_png(const std::filesystem::path& path, const std::function<void(const ImageRow& row)>& take) {
    Reader reader;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) reader.input = std::fopen(path.c_str(), "rb");
    const std::uintmax_t size = reader.input ? std::filesystem::file_size(path, error) : 0;
    if (!reader.input || error)
        throw core::InputError("cannot read the image '" + path.string() + "'; check its name and that you may read it");
    std::array<png_byte, 8> signature{};
    if (std::fread(signature.data(), 1, signature.size(), reader.input) < signature.size() ||
        png_sig_cmp(signature.data(), 0, signature.size()) != 0)
        throw core::InputError("'" + path.string() + "' is not a PNG image; convert it to PNG");
    std::rewind(reader.input);
    bool good = reader.png && read_header(reader, size);
    if (good) {
        ImageRow row{static_cast<int>(png_get_image_width(reader.png, reader.info)),
                     static_cast<int>(png_get_image_height(reader.png, reader.info)),
                     png_get_channels(reader.png, reader.info),
                     0,
                     {},
                     {}};
        const bool is_deep = png_get_bit_depth(reader.png, reader.info) == 16;
        std::vector<std::uint8_t> pixels;
        std::vector<std::uint16_t> deep;
        good = read_rows(reader, [&](std::size_t y, std::span<const png_byte> bytes) {
            row.y = static_cast<int>(y);
            row.pixels = bytes;
            if (is_deep) {
                deep.resize(bytes.size() / 2);
                std::memcpy(deep.data(), bytes.data(), bytes.size());
                pixels.clear();  // as libpng rounds: 255 v / 65535 to nearest
                for (const std::uint16_t v : deep) pixels.push_back(static_cast<std::uint8_t>((v * 255U + 32895U) >> 16));
                row.pixels = pixels, row.deep = deep;
            }
            take(row);
        });
    }
    if (!good) {
        throw core::InputError("cannot read the image '" + path.string() + "': " + (reader.error.empty() ? "out of memory" : reader.error) +
                               "; save it again as a PNG file");
    }
}

Image read_png(const std::filesystem::path& path) {
    Image image;
    read_png(path, [&](const ImageRow& row) {
        if (row.y == 0) {
            image = {row.width, row.height, row.channels, {}};
            image.pixels.reserve(row.pixels.size() * core::at(row.height));
            image.deep.reserve(row.deep.size() * core::at(row.height));
        }
        image.pixels.insert(image.pixels.end(), row.pixels.begin(), row.pixels.end());
        image.deep.insert(image.deep.end(), row.deep.begin(), row.deep.end());
    });
    return image;
}

std::string png_bytes(const Image& image) { return encoded("a PNG picture", layout_of(image), image.pixels); }

void write_png(const std::filesystem::path& path, const Image& image) {
    write_file(path, layout_of(image), image.pixels, core::Survives::kills);
}

void write_png(const std::filesystem::path& path, const IndexedImage& image, core::Survives survives) {
    std::vector<png_color> palette(image.palette.size() / 3);
    if (palette.empty() || palette.size() > 256) {
        throw core::InternalError("write_png: a palette of " + std::to_string(palette.size()) + " colours; 1 to 256 are possible");
    }
    for (std::size_t i = 0; i < palette.size(); ++i)
        palette[i] = {image.palette[3 * i], image.palette[3 * i + 1], image.palette[3 * i + 2]};
    write_file(path, {static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 1, PNG_COLOR_TYPE_PALETTE, palette},
               image.indices, survives);
}

}  // namespace mottle::image
