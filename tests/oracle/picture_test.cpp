// tests/oracle/picture_test.cpp: palettes, index rule and YUV against plain loops written from their definitions
#include "mottle/backend/draw.h"
#include "mottle/frame/palette.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace picture_test {

using namespace mottle;

// ---- the Triton article's palette and contrast ------------------------------------------------------------------------------------------------------

/// Bytes 15 k of the article's program run under Python 3.11 with matplotlib 3.6.3:
/// (LinearSegmentedColormap.from_list("cyberpunk", colors, N=256)(i)[:3] * 255).astype(uint8).
constexpr int kArticle[18][3] = {{5, 5, 25},      {12, 3, 43},    {19, 1, 61},   {24, 2, 83},    {15, 21, 129},   {6, 39, 174},
                                 {0, 68, 207},    {0, 123, 216},  {0, 177, 225}, {18, 213, 216}, {54, 231, 189},  {90, 249, 162},
                                 {137, 243, 117}, {192, 225, 62}, {246, 206, 8}, {255, 158, 60}, {255, 104, 132}, {255, 51, 204}};

TEST(PictureOracle, CyberpunkAnchorsJoinedByLines) {
    constexpr double kAnchors[7][3] = {{.02, .02, .1}, {.1, 0, .3}, {0, .2, .8}, {0, .8, .9}, {.4, 1, .6}, {1, .8, 0}, {1, .2, .8}};
    const frame::Palette& palette = frame::palette("cyberpunk");
    for (int i = 0; i < 256; ++i) {
        const double place = i / 255.0 * 6;
        const int left = std::min(static_cast<int>(place), 5);
        for (int c = 0; c < 3; ++c) {
            const double value = 255 * (kAnchors[left][c] + (place - left) * (kAnchors[left + 1][c] - kAnchors[left][c]));
            const int byte = palette[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
            // truncated; where the value is a whole number up to rounding, either side
            EXPECT_GE(value + 1e-9, byte) << i;
            EXPECT_LT(value - 1e-9, byte + 1) << i;
        }
    }
    for (std::size_t k = 0; k < 18; ++k) {
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(palette[15 * k][c], kArticle[k][c]) << 15 * k;
    }
}

std::vector<std::uint8_t> draw(const backend::Picture& picture, std::size_t width, std::size_t height, const std::vector<float>& cells) {
    domain::Grid grid;
    grid.size = {static_cast<core::Index>(width), static_cast<core::Index>(height), 1};
    std::vector<std::uint8_t> out(backend::picture_bytes(picture, grid));
    backend::draw_rows(
        picture, grid, 0, grid.size[1],
        [&](core::Index row, std::span<float> to) {
            for (std::size_t x = 0; x < width; ++x) to[x] = cells[static_cast<std::size_t>(row) * width + x];
        },
        out);
    return out;
}

std::vector<float> field_of(std::size_t count) {
    std::mt19937 random(11);
    std::vector<float> cells(count);
    for (float& x : cells) x = std::uniform_real_distribution<float>(-0.05F, 0.45F)(random);
    return cells;
}

/// One rounding per operation, in f32, one cell after the other; volatile keeps the compiler from joining or widening anything.
int index_f32(float x, double lo, double hi, bool cyberpunk) {
    volatile float s = x - static_cast<float>(lo);
    s = s * static_cast<float>(1.0 / (hi - lo));
    if (!(s > 0)) s = 0;
    if (!(s < 1)) s = 1;
    if (cyberpunk) {
        s = std::sqrt(s);
        s = 1.2F * s;
        s = s - 0.1F;
        if (!(s > 0)) s = 0;
        if (!(s < 1)) s = 1;
    }
    s = 256.0F * s;
    const int index = static_cast<int>(s);
    return index > 255 ? 255 : index;
}

/// The rule as the article writes it, in f64.
int index_f64(double x, double lo, double hi, bool cyberpunk) {
    double s = (x - lo) / (hi - lo);
    if (cyberpunk) s = std::pow(std::max(s, 0.0), 0.5) * 1.2 - 0.1;
    s = std::min(std::max(s, 0.0), 1.0);
    return std::min(255, static_cast<int>(256 * s));
}

/// Sizes that leave tails behind every vector width.
TEST(PictureOracle, IndexRule) {
    for (const std::size_t width : {1U, 7U, 16U, 31U, 64U, 511U}) {
        const std::size_t height = 97;
        const std::vector<float> cells = field_of(width * height);
        for (const bool cyberpunk : {false, true}) {
            backend::Picture picture;
            picture.format = backend::Picture::Format::index;
            picture.curve = cyberpunk ? backend::Picture::Curve::cyberpunk : backend::Picture::Curve::linear;
            picture.lo = 0.013;
            picture.hi = 0.37;
            const auto out = draw(picture, width, height, cells);
            std::size_t off_by_one = 0;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                ASSERT_EQ(out[i], index_f32(cells[i], picture.lo, picture.hi, cyberpunk)) << cells[i];
                const int exact = index_f64(static_cast<double>(cells[i]), picture.lo, picture.hi, cyberpunk);
                ASSERT_LE(std::abs(out[i] - exact), 1) << cells[i];
                off_by_one += out[i] != exact;
            }
            EXPECT_LE(off_by_one, cells.size() / 1000 + 1);
        }
    }
}

/// Around each of the 255 thresholds the last bit decides, and with it the order of the operations and the place of each rounding.
TEST(PictureOracle, IndexRuleAtItsThresholds) {
    for (const auto& [lo, hi] : {std::pair{0.0, 1.0}, {0.013, 0.37}, {-0.7, 1.9}, {0.1, 0.3}, {1e-5, 3e-4}, {-1000.0, -3.0}}) {
        for (const bool cyberpunk : {false, true}) {
            std::vector<float> cells;
            for (int index = 1; index < 256; ++index) {
                float below = static_cast<float>(lo), above = static_cast<float>(hi);
                while (std::nextafter(below, above) < above) {
                    const float middle = below + (above - below) / 2;
                    (index_f32(middle, lo, hi, cyberpunk) < index ? below : above) = middle;
                }
                for (int k = 0; k < 3; ++k) below = std::nextafter(below, static_cast<float>(lo) - 1);
                for (int k = 0; k < 8; ++k, below = std::nextafter(below, static_cast<float>(hi) + 1)) cells.push_back(below);
            }
            backend::Picture picture;
            picture.format = backend::Picture::Format::index;
            picture.curve = cyberpunk ? backend::Picture::Curve::cyberpunk : backend::Picture::Curve::linear;
            picture.lo = lo;
            picture.hi = hi;
            const auto out = draw(picture, cells.size(), 1, cells);
            for (std::size_t i = 0; i < cells.size(); ++i)
                ASSERT_EQ(out[i], index_f32(cells[i], lo, hi, cyberpunk)) << cells[i] << " in " << lo << ":" << hi;
        }
    }
}

// ---- YUV --------------------------------------------------------------------------------------------------------------------------------------------

/// ITU-R BT.709-6: luma weights, limited range of 8 bits.
std::array<double, 3> yuv_exact(double r, double g, double b) {
    const double y = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
    const double cb = (b / 255 - y) / 1.8556, cr = (r / 255 - y) / 1.5748;
    return {16 + 219 * y, 128 + 224 * cb, 128 + 224 * cr};
}

TEST(PictureOracle, YuvIsBt709Rounded) {
    std::size_t wrong = 0, count = 0;
    for (int r = 0; r < 256; r += 3) {
        for (int g = 0; g < 256; g += 5) {
            for (int b = 0; b < 256; b += 3) {
                const auto yuv =
                    backend::yuv_of({static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)});
                const auto exact = yuv_exact(r, g, b);
                for (std::size_t k = 0; k < 3; ++k) {
                    ASSERT_LE(std::abs(yuv[k] - exact[k]), 0.51);
                    wrong += yuv[k] != static_cast<int>(std::floor(exact[k] + 0.5));
                    ++count;
                }
            }
        }
    }
    EXPECT_LE(wrong, count / 100);  // 16-bit weights decide a few halves differently
}

/// Boxes of cells: the mean of their indices, a half upwards; what does not fill a box is left out.
TEST(PictureOracle, BoxesOfCells) {
    const std::size_t width = 67, height = 45;
    const std::vector<float> cells = field_of(width * height);
    for (const std::size_t side : {2U, 3U, 7U, 20U}) {
        backend::Picture picture;
        picture.format = backend::Picture::Format::index;
        picture.lo = 0.013;
        picture.hi = 0.37;
        picture.cells = static_cast<int>(side);
        const auto out = draw(picture, width, height, cells);
        ASSERT_EQ(out.size(), (width / side) * (height / side));
        for (std::size_t y = 0; y < height / side; ++y) {
            for (std::size_t x = 0; x < width / side; ++x) {
                int sum = 0;
                for (std::size_t i = 0; i < side * side; ++i)
                    sum += index_f32(cells[(y * side + i / side) * width + x * side + i % side], picture.lo, picture.hi, false);
                const double mean = static_cast<double>(sum) / static_cast<double>(side * side);
                ASSERT_EQ(out[y * (width / side) + x], std::floor(mean + 0.5)) << side;
            }
        }
    }
}

TEST(PictureOracle, Planes420) {
    const std::size_t width = 38, height = 26;
    const std::vector<float> cells = field_of(width * height);
    backend::Picture picture;
    picture.format = backend::Picture::Format::yuv420;
    picture.curve = backend::Picture::Curve::cyberpunk;
    picture.hi = 0.4;
    picture.palette = frame::palette("cyberpunk");
    const auto out = draw(picture, width, height, cells);
    auto yuv = [&](std::size_t x, std::size_t y) {
        const auto& rgb = picture.palette[static_cast<std::size_t>(index_f32(cells[y * width + x], 0, 0.4, true))];
        // 65536 * 219/255 * (.2126, .7152, .0722); 65536 * 224/255 * (-.2126, -.7152, .9278)/1.8556 and (.7874, -.7152, -.0722)/1.5748
        auto fixed = [&](int offset, int wr, int wg, int wb) { return offset + ((wr * rgb[0] + wg * rgb[1] + wb * rgb[2] + 32768) >> 16); };
        return std::array{fixed(16, 11966, 40254, 4064), fixed(128, -6596, -22189, 28784), fixed(128, 28784, -26145, -2639)};
    };
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) EXPECT_EQ(out[y * width + x], yuv(x, y)[0]);
    }
    for (std::size_t k : {1U, 2U}) {
        const std::uint8_t* plane = out.data() + width * height + (k - 1) * (width / 2) * (height / 2);
        for (std::size_t y = 0; y < height; y += 2) {
            for (std::size_t x = 0; x < width; x += 2) {
                const int sum = yuv(x, y)[k] + yuv(x + 1, y)[k] + yuv(x, y + 1)[k] + yuv(x + 1, y + 1)[k];
                EXPECT_EQ(plane[y / 2 * (width / 2) + x / 2], (sum + 2) >> 2);
            }
        }
    }
}

// ---- the maps of matplotlib, and our own ------------------------------------------------------------------------------------------------------------

/// Published values (matplotlib's _cm_listed.py; Google's turbo_colormap.c), times 255, to the nearest.
TEST(PictureOracle, PublishedMaps) {
    struct Row {
        const char* name;
        std::size_t index;
        double r, g, b;
    };
    constexpr Row kRows[] = {
        {"viridis", 0, 0.267004, 0.004874, 0.329415},   {"viridis", 1, 0.26851, 0.009605, 0.335427},
        {"viridis", 64, 0.229739, 0.322361, 0.545706},  {"viridis", 127, 0.128729, 0.563265, 0.551229},
        {"viridis", 200, 0.440137, 0.811138, 0.340967}, {"viridis", 255, 0.993248, 0.906157, 0.143936},
        {"magma", 0, 0.001462, 0.000466, 0.013866},     {"magma", 1, 0.002258, 0.001295, 0.018331},
        {"magma", 64, 0.316654, 0.07169, 0.48538},      {"magma", 127, 0.709962, 0.212797, 0.477201},
        {"magma", 200, 0.992785, 0.594891, 0.410283},   {"magma", 255, 0.987053, 0.991438, 0.749504},
        {"inferno", 0, 0.001462, 0.000466, 0.013866},   {"inferno", 1, 0.002267, 0.00127, 0.01857},
        {"inferno", 64, 0.3415, 0.062325, 0.429425},    {"inferno", 127, 0.729909, 0.212759, 0.333861},
        {"inferno", 200, 0.985952, 0.61575, 0.025592},  {"inferno", 255, 0.988362, 0.998364, 0.644924},
        {"turbo", 0, 0.18995, 0.07176, 0.23217},        {"turbo", 1, 0.19483, 0.08339, 0.26149},
        {"turbo", 64, 0.15844, 0.73551, 0.92305},       {"turbo", 127, 0.63323, 0.99195, 0.23937},
        {"turbo", 200, 0.95801, 0.39958, 0.08831},      {"turbo", 255, 0.4796, 0.01583, 0.01055},
    };
    for (const Row& row : kRows) {
        const auto& entry = frame::palette(row.name)[row.index];
        EXPECT_EQ(entry[0], std::lround(row.r * 255)) << row.name << " " << row.index;
        EXPECT_EQ(entry[1], std::lround(row.g * 255)) << row.name << " " << row.index;
        EXPECT_EQ(entry[2], std::lround(row.b * 255)) << row.name << " " << row.index;
    }
    for (std::size_t i = 0; i < 256; ++i) {
        for (const std::uint8_t c : frame::palette("gray")[i]) EXPECT_EQ(c, i);
    }
}

/// CIE lightness L* of an sRGB colour (IEC 61966-2-1, CIE 15).
double lightness(const std::array<std::uint8_t, 3>& rgb) {
    double linear[3];
    for (std::size_t c = 0; c < 3; ++c) {
        const double s = rgb[c] / 255.0;
        linear[c] = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    }
    const double y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
}

/// A field that grows must look as if it grew, also in gray print.
TEST(PictureOracle, LightnessRises) {
    for (const char* name : {"lagoon", "viridis", "magma", "inferno", "gray"}) {
        const frame::Palette& palette = frame::palette(name);
        for (std::size_t i = 8; i < 256; i += 8) EXPECT_GT(lightness(palette[i]), lightness(palette[i - 8]) + 0.5) << name << " " << i;
        EXPECT_LT(lightness(palette[0]), 16) << name;
        EXPECT_GT(lightness(palette[255]), 85) << name;
    }
}

}  // namespace picture_test
