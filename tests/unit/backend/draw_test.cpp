// tests/unit/backend/draw_test.cpp: pictures: the index rule at its edges, formats, scales, parts, every instruction set
#include "mottle/backend/draw.h"
#include "mottle/backend/pixels.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace draw_test {

using namespace mottle;
using backend::Picture;
using core::Index;
using Format = Picture::Format;

domain::Domain grid(Index nx, Index ny, Index nz = 1) {
    domain::Grid result;
    result.size = {nx, ny, nz};
    return result;
}

Picture picture_of(Format format, Picture::Curve curve = Picture::Curve::linear) {
    Picture picture;
    picture.format = format;
    picture.curve = curve;
    for (std::size_t i = 0; i < 256; ++i) {
        picture.palette[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i / 2), static_cast<std::uint8_t>(i * i / 255)};
    }
    return picture;
}

using Cells = std::vector<float>;

std::vector<std::uint8_t> draw(const Picture& picture, const domain::Domain& domain, const Cells& cells, std::vector<Index> cuts = {}) {
    std::vector<std::uint8_t> out(backend::picture_bytes(picture, domain), 0xEE);
    const auto length = static_cast<std::size_t>(domain::row_length(domain));
    auto read = [&](Index row, std::span<float> to) {
        ASSERT_EQ(to.size(), length);
        std::copy_n(cells.begin() + row * static_cast<Index>(length), length, to.begin());
    };
    cuts.insert(cuts.begin(), 0);
    cuts.push_back(backend::picture_lines(picture, domain).count);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) backend::draw_rows(picture, domain, cuts[i], cuts[i + 1], read, out);
    return out;
}

std::uint8_t index_of(Picture picture, float x) {
    picture.format = Format::index;
    return draw(picture, grid(1, 1), {x})[0];
}

Cells noise(std::size_t count) {
    std::mt19937 random(5);
    Cells cells(count);
    for (float& x : cells) x = std::uniform_real_distribution<float>(-0.2F, 1.2F)(random);
    return cells;
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

TEST(Draw, IndexRuleAtItsEdges) {
    Picture picture = picture_of(Format::index);
    EXPECT_EQ(index_of(picture, 0), 0);
    EXPECT_EQ(index_of(picture, 1), 255);
    EXPECT_EQ(index_of(picture, 0.5F), 128);
    EXPECT_EQ(index_of(picture, std::nextafter(0.5F, 0.0F)), 127);
    EXPECT_EQ(index_of(picture, std::nextafter(1.0F, 0.0F)), 255);
    EXPECT_EQ(index_of(picture, -3), 0);
    EXPECT_EQ(index_of(picture, 3), 255);
    EXPECT_EQ(index_of(picture, kInfinity), 255);
    EXPECT_EQ(index_of(picture, -kInfinity), 0);
    EXPECT_EQ(index_of(picture, kNaN), 0);
    EXPECT_EQ(index_of(picture, -kNaN), 0);
    picture.lo = -2;
    picture.hi = 2;
    EXPECT_EQ(index_of(picture, 0), 128);
}

TEST(Draw, CyberpunkCurve) {
    const Picture picture = picture_of(Format::index, Picture::Curve::cyberpunk);
    EXPECT_EQ(index_of(picture, 0), 0);
    EXPECT_EQ(index_of(picture, 0.006F), 0);   // 1.2 sqrt(s) < 0.1
    EXPECT_EQ(index_of(picture, 0.25F), 128);  // 1.2/2 - 0.1
    EXPECT_EQ(index_of(picture, 0.85F), 255);  // above (1.1/1.2)^2
    EXPECT_EQ(index_of(picture, kNaN), 0);
    EXPECT_EQ(index_of(picture, -1), 0);
}

TEST(Draw, ARangeWithoutExtentIsIndexZero) {
    Picture picture = picture_of(Format::index);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [lo, hi] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {0.0, 0x1p-101}, {nan, 1.0}, {0.0, nan}}) {
        picture.lo = lo;
        picture.hi = hi;
        for (const float x : {-5.0F, 0.0F, 1.0F, 5.0F, kInfinity}) EXPECT_EQ(index_of(picture, x), 0) << lo << ":" << hi;
    }
    picture.lo = 0;
    picture.hi = 0x1p-100;
    EXPECT_EQ(index_of(picture, 0x1p-101F), 128);
}

/// A range whose reciprocal f32 cannot hold as a normal number is drawn by no device.
TEST(Draw, HugeRanges) {
    Picture picture = picture_of(Format::index);
    for (const double half : {1e308, 3e38, 0x1.8p125}) {
        picture.lo = -half;
        picture.hi = half;
        for (const float x : {0.0F, 3e38F, kInfinity}) EXPECT_EQ(index_of(picture, x), 0);
    }
    picture.lo = -0x1p125;
    picture.hi = 0x1p125;
    EXPECT_EQ(index_of(picture, 0), 128);
    EXPECT_EQ(index_of(picture, 3e38F), 255);
}

TEST(Draw, SizesAndBytes) {
    Picture picture = picture_of(Format::yuv420);
    EXPECT_EQ(backend::picture_size(picture, grid(7, 5)), (std::array{6, 4}));
    EXPECT_EQ(backend::picture_bytes(picture, grid(7, 5)), 36U);
    picture.scale = 3;
    EXPECT_EQ(backend::picture_size(picture, grid(7, 5)), (std::array{20, 14}));
    picture.format = Format::rgb24;
    EXPECT_EQ(backend::picture_size(picture, grid(7, 5, 9)), (std::array{21, 15}));
    EXPECT_EQ(backend::picture_bytes(picture, grid(7, 5, 9)), 945U);
    EXPECT_THROW(backend::picture_size(picture, grid(800'000'000, 1)), core::InputError);
    picture.scale = 0;
    EXPECT_THROW(backend::picture_size(picture, grid(8, 8)), core::InputError);
}

TEST(Draw, YuvOfBlackWhiteAndPrimaries) {
    using Yuv = std::array<std::uint8_t, 3>;
    EXPECT_EQ(backend::yuv_of({0, 0, 0}), (Yuv{16, 128, 128}));
    EXPECT_EQ(backend::yuv_of({255, 255, 255}), (Yuv{235, 128, 128}));
    EXPECT_EQ(backend::yuv_of({255, 0, 0}), (Yuv{63, 102, 240}));
    EXPECT_EQ(backend::yuv_of({0, 255, 0}), (Yuv{173, 42, 26}));
    EXPECT_EQ(backend::yuv_of({0, 0, 255}), (Yuv{32, 240, 118}));
}

/// Each format in every scale, against the definition pixel by pixel.
TEST(Draw, FormatsAndScales) {
    for (const auto& cells_along : {std::pair<Index, Index>{1, 1}, {1, 6}, {2, 2}, {3, 5}, {67, 9}, {130, 4}}) {
        const Index nx = cells_along.first, ny = cells_along.second;  // clang lets no lambda capture a binding
        const domain::Domain domain = grid(nx, ny);
        const Cells cells = noise(static_cast<std::size_t>(nx * ny));
        for (int scale = 1; scale <= 5; ++scale) {
            Picture picture = picture_of(Format::index);
            const auto base = draw(picture, domain, cells);
            picture.scale = scale;
            auto index = [&](int x, int y) { return base[static_cast<std::size_t>(y / scale * static_cast<int>(nx) + x / scale)]; };
            for (const Format format : {Format::index, Format::rgb24, Format::rgba32, Format::yuv420, Format::yuv444}) {
                picture.format = format;
                const auto out = draw(picture, domain, cells);
                const auto size = backend::picture_size(picture, domain);
                const int width = size[0], height = size[1];
                std::vector<std::uint8_t> expected;
                auto plane = [&](std::size_t k) {
                    for (int y = 0; y < height; ++y) {
                        for (int x = 0; x < width; ++x) expected.push_back(backend::yuv_of(picture.palette[index(x, y)])[k]);
                    }
                };
                auto halved = [&](std::size_t k) {
                    for (int y = 0; y < height; y += 2) {
                        for (int x = 0; x < width; x += 2) {
                            int sum = 2;
                            for (const int dy : {0, 1}) {
                                for (const int dx : {0, 1}) sum += backend::yuv_of(picture.palette[index(x + dx, y + dy)])[k];
                            }
                            expected.push_back(static_cast<std::uint8_t>(sum >> 2));
                        }
                    }
                };
                switch (format) {
                    case Format::index:
                        for (int y = 0; y < height; ++y) {
                            for (int x = 0; x < width; ++x) expected.push_back(index(x, y));
                        }
                        break;
                    case Format::rgb24:
                        for (int y = 0; y < height; ++y) {
                            for (int x = 0; x < width; ++x) {
                                for (const std::uint8_t c : picture.palette[index(x, y)]) expected.push_back(c);
                            }
                        }
                        break;
                    case Format::rgba32:
                        for (int y = 0; y < height; ++y) {
                            for (int x = 0; x < width; ++x) {
                                for (const std::uint8_t c : picture.palette[index(x, y)]) expected.push_back(c);
                                expected.push_back(255);
                            }
                        }
                        break;
                    case Format::yuv420:
                        plane(0), halved(1), halved(2);
                        break;
                    case Format::yuv444:
                        plane(0), plane(1), plane(2);
                        break;
                }
                EXPECT_EQ(out, expected) << nx << "x" << ny << " scale " << scale << " format " << static_cast<int>(format);
            }
        }
    }
}

/// Each code of YuvRows, whatever this processor runs fastest, at widths around its vectors; bytes beyond a row stay as they are.
TEST(Draw, EveryCodeOfRowsOfYuv) {
    using Code = backend::YuvRows::Code;
    std::vector<Code> codes = {Code::portable};
    if (backend::YuvRows::best_code() != Code::portable) codes.push_back(backend::YuvRows::best_code());
    std::mt19937 random(7);
    backend::PixelTable table{};
    for (std::uint32_t& word : table)
        word = static_cast<std::uint32_t>((random() & 0xFF) << 24 | (random() & 0xFF) << 12 | (random() & 0xFF));
    const auto y = [&](std::uint8_t i) { return table[i] >> 24; };
    const auto cb = [&](std::uint8_t i) { return table[i] & 0xFF; };
    const auto cr = [&](std::uint8_t i) { return table[i] >> 12 & 0xFF; };
    for (const Code code : codes) {
        const backend::YuvRows rows(table, code);
        for (const std::size_t width : {2U, 30U, 62U, 64U, 66U, 126U, 128U, 130U, 512U}) {
            std::vector<std::uint8_t> upper(width), lower(width);
            for (auto* row : {&upper, &lower}) std::generate(row->begin(), row->end(), [&] { return static_cast<std::uint8_t>(random()); });
            std::vector<std::uint8_t> out[4], expected[4];
            for (auto& plane : out) plane.assign(width + 1, 99);
            for (std::size_t x = 0; x < width; ++x) {
                expected[0].push_back(static_cast<std::uint8_t>(y(upper[x])));
                expected[1].push_back(static_cast<std::uint8_t>(cb(upper[x])));
                expected[2].push_back(static_cast<std::uint8_t>(cr(upper[x])));
            }
            for (auto& plane : expected) plane.push_back(99);
            rows.write_444(upper.data(), width, out[0].data(), out[1].data(), out[2].data());
            for (int k = 0; k < 3; ++k) EXPECT_EQ(out[k], expected[k]) << "width " << width << " plane " << k;
            for (auto& plane : out) plane.assign(width + 1, 99);
            for (auto& plane : expected) plane.assign(width + 1, 99);
            for (std::size_t x = 0; x < width; ++x) {
                expected[0][x] = static_cast<std::uint8_t>(y(upper[x]));
                expected[1][x] = static_cast<std::uint8_t>(y(lower[x]));
                if (x % 2 == 1) continue;
                const auto mean = [&](const auto& part) {
                    return static_cast<std::uint8_t>((part(upper[x]) + part(upper[x + 1]) + part(lower[x]) + part(lower[x + 1]) + 2) >> 2);
                };
                expected[2][x / 2] = mean(cb);
                expected[3][x / 2] = mean(cr);
            }
            rows.write_420(upper.data(), lower.data(), width, out[0].data(), out[1].data(), out[2].data(), out[3].data());
            for (int k = 0; k < 4; ++k) EXPECT_EQ(out[k], expected[k]) << "width " << width << " plane " << k;
        }
    }
}

TEST(Draw, PartsMakeTheWhole) {
    const domain::Domain domain = grid(37, 11);
    const Cells cells = noise(37 * 11);
    for (const Format format : {Format::index, Format::rgb24, Format::rgba32, Format::yuv420, Format::yuv444}) {
        for (int scale = 1; scale <= 3; ++scale) {
            Picture picture = picture_of(format, Picture::Curve::cyberpunk);
            picture.scale = scale;
            EXPECT_EQ(draw(picture, domain, cells, {2, 4, 10}), draw(picture, domain, cells));
        }
    }
    const Picture picture = picture_of(Format::yuv420);
    EXPECT_THROW(draw(picture, domain, cells, {3}), core::InternalError);
}

TEST(Draw, BoxesInParts) {
    const domain::Domain domain = grid(37, 29);
    const Cells cells = noise(37 * 29);
    for (const Format format : {Format::index, Format::rgb24, Format::yuv420}) {
        Picture picture = picture_of(format);
        picture.cells = 3;
        EXPECT_EQ(backend::picture_size(picture, domain), (std::array{12, format == Format::yuv420 ? 8 : 9}));
        EXPECT_EQ(draw(picture, domain, cells, {2, 6}), draw(picture, domain, cells));
    }
}

TEST(Draw, RefusesBoxesLargerThanThePictureAndBothSizes) {
    Picture picture = picture_of(Format::index);
    picture.cells = 5;
    EXPECT_THROW(backend::picture_size(picture, grid(37, 4)), core::InputError);
    EXPECT_THROW(backend::picture_size(picture, grid(4, 37)), core::InputError);
    EXPECT_NO_THROW(backend::picture_size(picture, grid(5, 5)));
    picture.scale = 2;
    EXPECT_THROW(backend::picture_size(picture, grid(37, 37)), core::InputError);
}

TEST(Draw, ThePlaneInTheMiddle) {
    Cells cells(5 * 4 * 3);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i) / 60;
    const Cells middle(cells.begin() + 20, cells.begin() + 40);
    EXPECT_EQ(draw(picture_of(Format::index), grid(5, 4, 3), cells, {4, 8}), draw(picture_of(Format::index), grid(5, 4), middle));
}

TEST(Draw, TooSmallABufferIsABug) {
    std::vector<std::uint8_t> out(3);
    EXPECT_THROW(backend::draw_rows(
                     picture_of(Format::index), grid(2, 2), 0, 2, [](Index, std::span<float>) {}, out),
                 core::InternalError);
}

}  // namespace draw_test
