// mottle/frame/view.cpp: values of vertices -> colours of what is seen -> rows of pixels
#include "mottle/frame/view.h"

#include "mottle/core/error.h"
#include "mottle/core/vector_level.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace mottle::frame {
namespace {

using Format = backend::Picture::Format;
using Bytes = std::vector<std::uint8_t>;
using backend::kNoValue, backend::SurfaceColours;
constexpr int kRowsAtOnce = 16;

using Linear = std::array<std::uint32_t, 3>;

Linear lit(const SurfaceColours& colours, std::size_t index, const Sample& sample) {
    Linear colour{};
    for (std::size_t k = 0; k < 3; ++k)
        colour[k] = std::min<std::uint32_t>((colours.linear[index][k] * sample.shade >> 14) + sample.gloss, 65535);
    return colour;
}

/// The red, green, blue and coverage of a row of pixels, made from samples.
class RowColours {
   public:
    RowColours(const backend::Picture& picture, std::span<const float> values, const SurfaceColours& colours, std::size_t width)
        : picture_(picture), values_(values), colours_(colours) {
        for (auto& each : plane) each.resize(width);
        coverage.resize(width);
    }

    /// Fills `plane` and `coverage`.
    void fill(const VisibleRow& row) {
        clear();
        const std::size_t count = row.samples.size();
        if (count > numbers_.size()) {
            numbers_.resize(count);
            indices_.resize(count);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Sample& sample = row.samples[i];
            if (sample.vertex[0] < 0) {
                numbers_[i] = 0;
                continue;
            }
            const float a = values_[core::at(sample.vertex[0])], b = values_[core::at(sample.vertex[1])],
                        c = values_[core::at(sample.vertex[2])];
            const float u = static_cast<float>(sample.weight[0]) * 0x1p-16F, v = static_cast<float>(sample.weight[1]) * 0x1p-16F;
            numbers_[i] = a + (b - a) * u + (c - a) * v;
        }
        backend::map_to_indices(picture_, {numbers_.data(), count}, {indices_.data(), count});
        std::size_t next = 0;
        for (const Run& run : row.runs) {
            const auto first = core::at(run.first), length = core::at(run.length);
            if (run.samples == 1)
                fill_inside(row, next, first, length);
            else
                fill_edge(row, next, first, length, core::at(run.samples));
            next += length * core::at(run.samples);
        }
    }

    Bytes plane[3], coverage;

   private:
    void clear() {
        for (std::size_t k = 0; k < 3; ++k) std::fill(plane[k].begin(), plane[k].end(), colours_.empty[k]);
        std::fill(coverage.begin(), coverage.end(), static_cast<std::uint8_t>(colours_.transparent ? 0 : 255));
    }
    std::size_t index(std::size_t sample) const { return std::isfinite(numbers_[sample]) ? indices_[sample] : kNoValue; }

    void fill_inside(const VisibleRow& row, std::size_t next, std::size_t first, std::size_t length) {
        const auto& srgb = colours_.srgb;
        for (std::size_t i = 0; i < length; ++i) {
            const Linear colour = lit(colours_, index(next + i), row.samples[next + i]);
            for (std::size_t k = 0; k < 3; ++k) plane[k][first + i] = srgb[colour[k] >> 4];
        }
        std::fill_n(coverage.begin() + static_cast<std::ptrdiff_t>(first), length, std::uint8_t{255});
    }

    void fill_edge(const VisibleRow& row, std::size_t next, std::size_t first, std::size_t length, std::size_t samples) {
        const auto& srgb = colours_.srgb;
        for (std::size_t i = 0; i < length; ++i, next += samples) {
            Linear sum{};
            std::uint32_t hits = 0;
            for (std::size_t j = next; j < next + samples; ++j) {
                const bool hit = row.samples[j].vertex[0] >= 0;
                if (hit) ++hits;
                if (!hit && colours_.transparent) continue;
                const Linear colour = hit ? lit(colours_, index(j), row.samples[j]) : colours_.background;
                for (std::size_t k = 0; k < 3; ++k) sum[k] += colour[k];
            }
            const std::uint32_t of = colours_.transparent ? std::max(hits, 1U) : static_cast<std::uint32_t>(samples);
            for (std::size_t k = 0; k < 3; ++k) plane[k][first + i] = srgb[sum[k] / of >> 4];
            if (colours_.transparent) {
                const auto all = static_cast<std::uint32_t>(samples);
                coverage[first + i] = static_cast<std::uint8_t>((255 * hits + all / 2) / all);
            }
        }
    }

    const backend::Picture& picture_;
    std::span<const float> values_;
    const SurfaceColours& colours_;
    std::vector<float> numbers_;
    Bytes indices_;
};

/// yuv_of on a row of pixels. Written once and compiled for several instruction sets; integers, so all give the same bytes.
[[gnu::always_inline]] inline void row_to_yuv(const std::uint8_t* __restrict r, const std::uint8_t* __restrict g,
                                              const std::uint8_t* __restrict b, std::uint8_t* __restrict y, std::uint8_t* __restrict cb,
                                              std::uint8_t* __restrict cr, std::size_t width,
                                              const std::array<std::array<int, 3>, 3>& weights) {
    for (std::size_t x = 0; x < width; ++x) {
        y[x] = static_cast<std::uint8_t>(16 + ((weights[0][0] * r[x] + weights[0][1] * g[x] + weights[0][2] * b[x] + 32768) >> 16));
        cb[x] = static_cast<std::uint8_t>(128 + ((weights[1][0] * r[x] + weights[1][1] * g[x] + weights[1][2] * b[x] + 32768) >> 16));
        cr[x] = static_cast<std::uint8_t>(128 + ((weights[2][0] * r[x] + weights[2][1] * g[x] + weights[2][2] * b[x] + 32768) >> 16));
    }
}

using RowToYuv = void (*)(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*,
                          std::size_t);

void yuv_portable(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, std::uint8_t* y, std::uint8_t* cb, std::uint8_t* cr,
                  std::size_t width) {
    row_to_yuv(r, g, b, y, cb, cr, width, backend::kYuvWeights);
}
MOTTLE_TARGET("avx2")
void yuv_avx2(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, std::uint8_t* y, std::uint8_t* cb, std::uint8_t* cr,
              std::size_t width) {
    row_to_yuv(r, g, b, y, cb, cr, width, backend::kYuvWeights);
}

/// Bayer's 4 x 4 pattern as an offset of a colour byte: hides the steps between 256 colours.
constexpr int kBayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
constexpr int kDither = 16;

/// Of SurfaceColours::nearest.
std::size_t key_of(const Rgb& colour) { return core::at(colour[0] >> 3) << 10 | core::at(colour[1] >> 3) << 5 | core::at(colour[2] >> 3); }

std::uint8_t dithered(const SurfaceColours& colours, std::uint8_t byte, std::size_t x, std::size_t y) {
    return static_cast<std::uint8_t>(std::clamp(byte + colours.dither[y % 4 * 4 + x % 4], 0, 255));
}

/// Writes rows of one picture; each worker has its own.
class RowWriter {
   public:
    RowWriter(Format format, std::array<int, 2> pixels, const SurfaceColours& colours, std::span<std::uint8_t> out)
        : format_(format),
          width_(core::at(pixels[0])),
          height_(core::at(pixels[1])),
          colours_(colours),
          out_(out.data()),
          to_yuv_(core::code_for(core::widest_level(), yuv_portable, yuv_avx2)) {
        for (auto& chroma : chroma_) chroma.resize(2 * width_);
    }

    void write(const RowColours& colours, std::size_t y) {
        const Bytes *plane = colours.plane, &alpha = colours.coverage;
        switch (format_) {
            case Format::index:
                for (std::size_t x = 0; x < width_; ++x) {
                    const auto moved = [&](std::size_t k) { return dithered(colours_, plane[k][x], x, y); };
                    out_[y * width_ + x] = colours_.nearest[key_of({moved(0), moved(1), moved(2)})];
                }
                return;
            case Format::rgb24:
            case Format::rgba32: {
                const std::size_t bytes = format_ == Format::rgb24 ? 3 : 4;
                std::uint8_t* to = out_ + y * width_ * bytes;
                for (std::size_t x = 0; x < width_; ++x, to += bytes) {
                    for (std::size_t k = 0; k < 3; ++k) to[k] = plane[k][x];
                    if (bytes == 4) to[3] = alpha[x];
                }
                return;
            }
            case Format::yuv444: {
                std::uint8_t *to = out_ + y * width_, *cb = to + width_ * height_, *cr = cb + width_ * height_;
                to_yuv_(plane[0].data(), plane[1].data(), plane[2].data(), to, cb, cr, width_);
                return;
            }
            case Format::yuv420:
                break;
        }
        const std::size_t half = y % 2 * width_;
        to_yuv_(plane[0].data(), plane[1].data(), plane[2].data(), out_ + y * width_, chroma_[0].data() + half, chroma_[1].data() + half,
                width_);
        if (y % 2 == 0) return;
        for (std::size_t k = 0; k < 2; ++k) {
            const std::uint8_t *upper = chroma_[k].data(), *lower = upper + width_;
            std::uint8_t* to = out_ + width_ * height_ + k * (width_ / 2 * (height_ / 2)) + y / 2 * (width_ / 2);
            for (std::size_t x = 0; x < width_ / 2; ++x) {
                to[x] = static_cast<std::uint8_t>((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
            }
        }
    }

   private:
    Format format_;
    std::size_t width_, height_;
    const SurfaceColours& colours_;
    std::uint8_t* out_;
    RowToYuv to_yuv_;
    Bytes chroma_[2];  ///< of a pair of rows
};

/// Rough weights of red, green and blue to the eye.
int distance(const std::array<int, 3>& a, const Rgb& b) {
    constexpr int kWeights[3] = {3, 6, 2};
    int sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += kWeights[k] * (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

Bytes nearest_table(const std::array<Rgb, 256>& colours) {
    Bytes table(32 * 32 * 32);
    for (std::size_t key = 0; key < table.size(); ++key) {
        const std::array<int, 3> wanted = {static_cast<int>(key >> 10) * 8 + 4, static_cast<int>(key >> 5 & 31) * 8 + 4,
                                           static_cast<int>(key & 31) * 8 + 4};
        int least = 1 << 30;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            if (const int here = distance(wanted, colours[i]); here < least) {
                least = here;
                table[key] = static_cast<std::uint8_t>(i);
            }
        }
    }
    return table;
}

/// What a light makes of a colour, as `lit` does: shade, and gloss that falls where a surface is bright.
struct Lighting {
    double shade, gloss;
};
constexpr std::array kLightings = {Lighting{0.1, 0},     Lighting{0.25, 0},    Lighting{0.42, 0},    Lighting{0.6, 0},
                                   Lighting{0.78, 0},    Lighting{0.96, 0},    Lighting{1.14, 0},    Lighting{1.1, 0.006},
                                   Lighting{1.1, 0.015}, Lighting{1.1, 0.032}, Lighting{1.1, 0.058}, Lighting{1.1, 0.09}};

}  // namespace

std::array<Rgb, 256> surface_colours(const std::array<Rgb, 256>& palette, const Background& background) {
    constexpr std::size_t kHues = 20;
    std::array<Rgb, 256> colours{};
    colours[0] = background.value_or(Rgb{0, 0, 0});
    colours[1].fill(255);
    std::size_t next = 3;  // entry 2 is black
    for (std::size_t hue = 0; hue <= kHues; ++hue) {
        const Rgb& colour = hue == kHues ? kPlainSurface : palette[hue * 255 / (kHues - 1)];
        for (const Lighting& light : kLightings) {
            for (std::size_t k = 0; k < 3; ++k) {
                const double linear = std::min(65535.0, linear_of_srgb()[colour[k]] * light.shade + 65535 * light.gloss);
                colours[next][k] = srgb_of_linear()[static_cast<std::size_t>(linear) >> 4];
            }
            ++next;
        }
    }
    return colours;
}

View::View(std::shared_ptr<const LitSurface> surface, const Camera& camera, std::array<int, 2> pixels, bool turning,
           const Background& background, core::ThreadTeam& team)
    : surface_(std::move(surface)), camera_(camera), pixels_(pixels), turning_(turning), background_(background), team_(team) {
    turn(0);
}

void View::turn(double degrees) { look(*surface_, aim(camera_, surface_->points, pixels_, degrees, turning_), pixels_, rows_, team_); }

void View::draw(const backend::Picture& picture, std::span<const float> values, std::span<std::uint8_t> out) {
    if (values.size() != surface_->vertex_count() || out.size() < backend::picture_bytes(picture.format, pixels_)) {
        throw core::InternalError("a picture of " + std::to_string(surface_->vertex_count()) + " vertices got " +
                                  std::to_string(values.size()) + " values and " + std::to_string(out.size()) + " bytes");
    }
    for (const Refinement& refinement : surface_->refinements) {
        refinement.refine(values, finer_, team_);
        std::swap(finer_, finest_);
        values = finest_;
    }
    draw_visible(rows_, pixels_, picture, colours(picture), values, out, team_);
}

const backend::SurfaceColours& View::colours(const backend::Picture& picture) {
    if (const auto wanted = std::pair{picture.palette, picture.format}; coloured_ != wanted) {
        colours_ = surface_tables(picture, background_);
        coloured_ = wanted;
    }
    return colours_;
}

void draw_visible(const std::vector<VisibleRow>& rows, std::array<int, 2> pixels, const backend::Picture& picture,
                  const backend::SurfaceColours& tables, std::span<const float> values, std::span<std::uint8_t> out,
                  core::ThreadTeam& team) {
    std::atomic<int> next = 0;
    team.run([&](int) {
        RowColours colours(picture, values, tables, core::at(pixels[0]));
        RowWriter writer(picture.format, pixels, tables, out);
        for (int first = next.fetch_add(kRowsAtOnce); first < pixels[1]; first = next.fetch_add(kRowsAtOnce)) {
            for (int y = first; y < std::min(first + kRowsAtOnce, pixels[1]); ++y) {
                colours.fill(rows[core::at(y)]);
                writer.write(colours, core::at(y));
            }
        }
    });
}

backend::SurfaceSight flatten(const std::vector<VisibleRow>& rows, std::array<int, 2> pixels) {
    backend::SurfaceSight sight;
    sight.size = pixels;
    const auto width = core::at(pixels[0]);
    sight.pixels.assign(width * core::at(pixels[1]), backend::SurfaceSight::kNoSamples);
    for (std::size_t y = 0; y < rows.size(); ++y) {
        std::size_t next = sight.samples.size();
        sight.samples.insert(sight.samples.end(), rows[y].samples.begin(), rows[y].samples.end());
        for (const Run& run : rows[y].runs) {
            for (std::size_t x = 0; x < core::at(run.length); ++x, next += core::at(run.samples))
                sight.pixels[y * width + core::at(run.first) + x] = static_cast<std::uint32_t>(2 * next + (run.samples == 1 ? 0 : 1));
        }
    }
    return sight;
}

backend::SurfaceColours surface_tables(const backend::Picture& picture, const Background& background) {
    SurfaceColours colours;
    const auto& linear = linear_of_srgb();
    const Background behind = picture.format == Format::rgba32 ? background : Background(background.value_or(Rgb{0, 0, 0}));
    colours.transparent = !behind;
    colours.empty = behind.value_or(Rgb{0, 0, 0});
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i <= kNoValue; ++i) colours.linear[i][k] = linear[i == kNoValue ? kPlainSurface[k] : picture.palette[i][k]];
        colours.background[k] = linear[colours.empty[k]];
    }
    colours.srgb = srgb_of_linear();
    for (std::size_t i = 0; i < colours.dither.size(); ++i) colours.dither[i] = (2 * kBayer[i / 4][i % 4] - 15) * kDither / 32;
    if (picture.format != Format::index) return colours;
    colours.nearest = nearest_table(surface_colours(picture.palette, background));
    for (std::size_t place = 0; place < colours.dither.size(); ++place) {  // the background is one colour, wherever dithering moves it
        Rgb moved = colours.empty;
        for (std::uint8_t& byte : moved) byte = dithered(colours, byte, place % 4, place / 4);
        colours.nearest[key_of(moved)] = 0;
    }
    return colours;
}

}  // namespace mottle::frame
