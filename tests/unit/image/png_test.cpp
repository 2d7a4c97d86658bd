// tests/unit/image/png_test.cpp: PNG files of every kind read and written; files that lie are refused
#include "mottle/image/png.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstring>
#include <fstream>
#include <unistd.h>

#if MOTTLE_HAVE_PNG

namespace png_test {

using namespace mottle;
namespace fs = std::filesystem;

class Png : public ::testing::Test {
   protected:
    Png() : folder_(fs::temp_directory_path() / ("mottle_png_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
    ~Png() override { fs::remove_all(folder_); }

    fs::path at(const std::string& name) const { return folder_ / name; }

    /// Writes rows of raw samples by libpng's own low-level calls, so that all kinds of file can be made.
    void write_raw(const fs::path& path, png_uint_32 width, png_uint_32 height, int depth, int type,
                   const std::vector<std::vector<png_byte>>& rows, bool interlaced = false, const std::vector<png_color>& palette = {},
                   const std::vector<png_byte>& alpha = {}) {
        FILE* file = std::fopen(path.c_str(), "wb");
        ASSERT_NE(file, nullptr);
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
        png_infop info = png_create_info_struct(png);
        png_init_io(png, file);
        png_set_IHDR(png, info, width, height, depth, type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
        if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
        if (!alpha.empty()) png_set_tRNS(png, info, alpha.data(), static_cast<int>(alpha.size()), nullptr);
        png_write_info(png, info);
        std::vector<png_bytep> pointers;
        for (const auto& row : rows) pointers.push_back(const_cast<png_bytep>(row.data()));
        png_write_image(png, pointers.data());
        png_write_end(png, nullptr);
        png_destroy_write_struct(&png, &info);
        std::fclose(file);
    }

    std::string bytes_of(const fs::path& path) { return core::read_file(path).value(); }
    void put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
    std::string refusal(const fs::path& path) {
        try {
            image::read_png(path);
        } catch (const core::InputError& error) {
            return error.message();
        }
        return "";
    }

    fs::path folder_;
};

image::Image pattern(int width, int height, int channels) {
    image::Image image{width, height, channels, {}};
    for (int i = 0; i < width * height * channels; ++i) image.pixels.push_back(static_cast<std::uint8_t>(i * 37 + i / 11));
    return image;
}

TEST_F(Png, ReadsBackWhatItWrote) {
    for (const int channels : {1, 3, 4}) {
        const image::Image image = pattern(23, 17, channels);
        image::write_png(at("a.png"), image);
        const image::Image back = image::read_png(at("a.png"));
        EXPECT_EQ(back.width, 23);
        EXPECT_EQ(back.height, 17);
        EXPECT_EQ(back.channels, channels);
        EXPECT_EQ(back.pixels, image.pixels);
    }
}

TEST_F(Png, WritesPaletteIndices) {
    image::IndexedImage image{5, 3, {}, {}};
    for (int i = 0; i < 15; ++i) image.indices.push_back(static_cast<std::uint8_t>(i * 17));
    for (int i = 0; i < 256; ++i) {
        for (const int value : {i, 255 - i, i * 3 % 256}) image.palette.push_back(static_cast<std::uint8_t>(value));
    }
    image::write_png(at("a.png"), image);
    EXPECT_EQ(bytes_of(at("a.png"))[25], PNG_COLOR_TYPE_PALETTE);
    const image::Image back = image::read_png(at("a.png"));
    ASSERT_EQ(back.channels, 3);
    for (std::size_t i = 0; i < 15; ++i) {
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(back.pixels[3 * i + c], image.palette[3u * image.indices[i] + c]);
    }
}

TEST_F(Png, ReadsSixteenBitsAsTheyAreAndAsTheNearestByteWithoutGamma) {
    const std::vector<int> values = {0, 128, 129, 257, 32768, 65535, 300};
    std::vector<png_byte> row;
    for (const int value : values) {
        row.push_back(static_cast<png_byte>(value >> 8));
        row.push_back(static_cast<png_byte>(value & 255));
    }
    write_raw(at("a.png"), 7, 1, 16, PNG_COLOR_TYPE_GRAY, {row});
    const image::Image image = image::read_png(at("a.png"));
    EXPECT_EQ(image.channels, 1);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(image.pixels[i], static_cast<int>(values[i] / 257.0 + 0.5)) << values[i];
    EXPECT_EQ(image.deep, (std::vector<std::uint16_t>{0, 128, 129, 257, 32768, 65535, 300}));
}

TEST_F(Png, ReadsBitsPalettesAlphaAndInterlacing) {
    write_raw(at("bits.png"), 10, 1, 1, PNG_COLOR_TYPE_GRAY, {{0b10110000, 0b01000000}});
    EXPECT_EQ(image::read_png(at("bits.png")).pixels, (std::vector<std::uint8_t>{255, 0, 255, 255, 0, 0, 0, 0, 0, 255}));

    write_raw(at("palette.png"), 3, 1, 2, PNG_COLOR_TYPE_PALETTE, {{0b00011000}}, false, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {255, 100});
    const image::Image transparent = image::read_png(at("palette.png"));
    EXPECT_EQ(transparent.channels, 4);
    EXPECT_EQ(transparent.pixels, (std::vector<std::uint8_t>{1, 2, 3, 255, 4, 5, 6, 100, 7, 8, 9, 255}));

    write_raw(at("alpha.png"), 2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, {{10, 20, 30, 40}});
    EXPECT_EQ(image::read_png(at("alpha.png")).pixels, (std::vector<std::uint8_t>{10, 10, 10, 20, 30, 30, 30, 40}));

    const image::Image whole = pattern(19, 13, 3);
    std::vector<std::vector<png_byte>> rows;
    for (int y = 0; y < 13; ++y) rows.emplace_back(whole.pixels.begin() + y * 57, whole.pixels.begin() + (y + 1) * 57);
    write_raw(at("interlaced.png"), 19, 13, 8, PNG_COLOR_TYPE_RGB, rows, true);
    EXPECT_EQ(image::read_png(at("interlaced.png")).pixels, whole.pixels);
}

TEST_F(Png, RefusesWhatIsNoPng) {
    EXPECT_NE(refusal(at("missing.png")).find("cannot read the image"), std::string::npos);
    put(at("text.png"), "not a picture at all");
    EXPECT_NE(refusal(at("text.png")).find("is not a PNG"), std::string::npos);
    put(at("empty.png"), "");
    EXPECT_NE(refusal(at("empty.png")).find("is not a PNG"), std::string::npos);
    fs::create_directory(at("folder.png"));
    EXPECT_NE(refusal(at("folder.png")).find("cannot read the image"), std::string::npos);
}

TEST_F(Png, RefusesEveryTruncation) {
    image::write_png(at("a.png"), pattern(40, 30, 3));
    const std::string bytes = bytes_of(at("a.png"));
    for (std::size_t length = 8; length < bytes.size(); length += length + 60 < bytes.size() ? 7 : 1) {
        put(at("cut.png"), bytes.substr(0, length));
        EXPECT_NE(refusal(at("cut.png")), "") << length << " of " << bytes.size();
    }
}

TEST_F(Png, RefusesDamage) {
    image::write_png(at("a.png"), pattern(40, 30, 3));
    std::string bytes = bytes_of(at("a.png"));
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
    put(at("bad.png"), bytes);
    EXPECT_NE(refusal(at("bad.png")), "");
}

/// A small file whose header promises 100000 x 100000 pixels must not make us allocate them.
TEST_F(Png, RefusesAHeaderThatPromisesTooMuch) {
    write_raw(at("a.png"), 1, 1, 8, PNG_COLOR_TYPE_GRAY, {{7}});
    std::string bytes = bytes_of(at("a.png"));
    const unsigned char size[8] = {0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0};
    std::memcpy(bytes.data() + 16, size, 8);
    std::uint32_t crc = 0xFFFFFFFFU;
    for (std::size_t i = 12; i < 29; ++i) {
        crc ^= static_cast<unsigned char>(bytes[i]);
        for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320U : crc >> 1;
    }
    crc = ~crc;
    for (int k = 0; k < 4; ++k) bytes[29 + static_cast<std::size_t>(k)] = static_cast<char>(crc >> (24 - 8 * k));
    put(at("lie.png"), bytes);
    EXPECT_NE(refusal(at("lie.png")).find("more pixels than the file can hold"), std::string::npos) << refusal(at("lie.png"));
}

TEST_F(Png, WritingFailsWithTheNameAndLeavesNothing) {
    try {
        image::write_png(at("nowhere/a.png"), pattern(2, 2, 1));
        FAIL();
    } catch (const core::OutputError& error) {
        EXPECT_NE(error.message().find("nowhere/a.png"), std::string::npos);
    }
    EXPECT_FALSE(fs::exists(at("nowhere")));
    EXPECT_THROW(image::write_png(at("a.png"), image::Image{2, 2, 3, {1, 2, 3}}), core::InternalError);
    EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace png_test

#endif
