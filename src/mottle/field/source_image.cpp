// mottle/field/source_image.cpp: image("file.png"): gray values stretched over the domain
#include "mottle/field/source_image.h"

#include "mottle/core/error.h"
#include "mottle/domain/piece.h"
#include "mottle/image/png.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace mottle::field {

using core::Index;

namespace {

// bt709 luma in ten thousandths, so that gray values stay exact integers: 255 * 10000 is white, 65535 * 10000 in files of 16 bits.
constexpr std::uint32_t kRed = 2126, kGreen = 7152, kBlue = 722, kAll = kRed + kGreen + kBlue;

/// Gray values of some rows and columns of a picture.
class GrayImage {
   public:
    struct Wanted {
        std::vector<int> columns, rows;  ///< ascending
    };
    /// Keeps of the picture at `path` what `wanted` says of one of such a size. Throws: InputError.
    GrayImage(const std::filesystem::path& path, const std::function<Wanted(int width, int height)>& wanted) {
        Wanted some;
        std::size_t next = 0;
        image::read_png(path, [&](const image::ImageRow& row) {
            if (row.y == 0) {
                width = row.width, height = row.height;
                some = wanted(width, height);
                const std::size_t count = some.columns.size() * some.rows.size();
                white_ = row.deep.empty() ? 255 : 65535;
                row.channels < 3 && row.deep.empty() ? bytes_.reserve(count) : luma_.reserve(count);
                pitch_ = some.columns.size();
            }
            if (next == some.rows.size() || some.rows[next] != row.y) return;
            row.deep.empty() ? add(row.pixels, row.channels, some.columns) : add(row.deep, row.channels, some.columns);
            ++next;
        });
    }

    /// Pixel `x` of the columns and `y` of the rows that were wanted.
    double operator()(int x, int y) const {
        const std::size_t place = core::at(y) * pitch_ + core::at(x);
        return (luma_.empty() ? bytes_[place] * kAll : luma_[place]) / (white_ * kAll);
    }

    int width = 0, height = 0;  ///< of the whole picture

   private:
    template <class Sample>
    void add(std::span<const Sample> row, int channels, const std::vector<int>& columns) {
        for (const int x : columns) {
            const Sample* const p = &row[core::at(x) * core::at(channels)];
            if constexpr (sizeof(Sample) == 1) {
                if (channels < 3) {
                    bytes_.push_back(p[0]);
                    continue;
                }
            }
            luma_.push_back(channels < 3 ? p[0] * kAll : p[0] * kRed + p[1] * kGreen + p[2] * kBlue);
        }
    }

    std::size_t pitch_ = 0;
    double white_ = 1;
    std::vector<std::uint8_t> bytes_;  ///< of a gray picture of 8 bits
    std::vector<std::uint32_t> luma_;  ///< of others
};

/// Between which two pixels a cell centre lies, and how far.
struct Place {
    int first = 0, second = 0;
    double part = 0;
};

Place place_at(double share, int pixels) {
    const double x = share * pixels - 0.5;
    const double inside = std::clamp(x, 0.0, static_cast<double>(pixels - 1));
    const int first = static_cast<int>(inside);
    return {first, std::min(first + 1, pixels - 1), inside - first};
}

Place place_of(Index cell, Index cells, int pixels) {
    return place_at((static_cast<double>(cell) + 0.5) / static_cast<double>(cells), pixels);
}

double between(double a, double b, double part) { return a + part * (b - a); }

double sample(const GrayImage& image, const Place& x, const Place& y) {
    const double above = between(image(x.first, y.first), image(x.second, y.first), x.part);
    const double below = between(image(x.first, y.second), image(x.second, y.second), x.part);
    return between(above, below, y.part);
}

/// Places of cells of a grid, or of a piece of it, along an axis.
class Places {
   public:
    /// In a picture of `count` pixels along it.
    Places(const domain::Grid& grid, std::size_t axis, int count) : first_(grid.first[axis]), whole_(domain::whole_of(grid).size[axis]) {
        for (Index i = 0; i < std::min(grid.size[axis], whole_); ++i)
            places_.push_back(place_of(domain::index_in_whole(grid, axis, i), whole_, count));
    }
    /// The pixels that they lie between, ascending; from here on `at` counts among these.
    std::vector<int> take_pixels() {
        std::vector<int> pixels;
        for (const Place& place : places_) pixels.insert(pixels.end(), {place.first, place.second});
        std::sort(pixels.begin(), pixels.end());
        pixels.erase(std::unique(pixels.begin(), pixels.end()), pixels.end());
        const auto among = [&](int pixel) {
            return static_cast<int>(std::lower_bound(pixels.begin(), pixels.end(), pixel) - pixels.begin());
        };
        for (Place& place : places_) place.first = among(place.first), place.second = among(place.second);
        return pixels;
    }
    /// Of a cell of the whole that is in the piece.
    const Place& at(Index cell) const {
        const Index i = cell - first_;
        return places_[core::at(i < 0 ? i + whole_ : i < whole_ ? i : i - whole_)];
    }

   private:
    Index first_, whole_;
    std::vector<Place> places_;
};

class ImageRows {
   public:
    ImageRows(const std::filesystem::path& path, const domain::Grid& grid)
        : rows_(domain::whole_of(grid).size[1]), image_(path, [&](int width, int height) {
              x_.emplace(grid, 0, width), y_.emplace(grid, 1, height);
              return GrayImage::Wanted{x_->take_pixels(), y_->take_pixels()};
          }) {}

    void fill(Index row, Index x, std::span<double> cells) const {
        const Place& y = y_->at(row % rows_);
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = sample(image_, x_->at(x + static_cast<Index>(i)), y);
    }

   private:
    Index rows_;
    std::optional<Places> x_, y_;
    GrayImage image_;
};

/// The picture at the texture coordinates of the vertices; beyond 0..1 it repeats.
RowSource create_textured(const ir::SourceCall& call, const std::filesystem::path& path, const domain::Mesh& mesh) {
    const GrayImage image(path, [](int width, int height) {
        GrayImage::Wanted all{std::vector<int>(core::at(width)), std::vector<int>(core::at(height))};
        std::iota(all.columns.begin(), all.columns.end(), 0);
        std::iota(all.rows.begin(), all.rows.end(), 0);
        return all;
    });
    if (mesh.surface->texture.empty()) {
        throw core::InputError("image() on a mesh is sampled at texture coordinates, and " + mesh.surface->name +
                                   " has none; a formula of x, y, z, near(x, y, z, r) or attr(\"name\") needs none",
                               call.span);
    }
    auto values = std::make_shared<std::vector<double>>();
    auto wrapped = [](double x) { return x >= 0 && x <= 1 ? x : x - std::floor(x); };
    for (const auto& [u, v] : mesh.surface->texture) {
        if (!std::isfinite(u) || !std::isfinite(v))
            throw core::InputError(mesh.surface->name + " has texture coordinates that are not finite", call.span);
        values->push_back(sample(image, place_at(wrapped(u), image.width), place_at(1 - wrapped(v), image.height)));
    }
    return [values](Index, Index first, std::span<double> cells) { std::copy_n(values->begin() + first, cells.size(), cells.begin()); };
}

}  // namespace

RowSource create_image_source(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial) {
    const std::filesystem::path path = call.picture ? std::filesystem::path(call.picture->path) : initial.folder / call.text;
    try {
        if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_textured(call, path, *mesh);
        const auto rows = std::make_shared<const ImageRows>(path, std::get<domain::Grid>(domain));
        return [rows](Index row, Index x, std::span<double> cells) { rows->fill(row, x, cells); };
    } catch (const core::InputError& error) {
        throw core::InputError(error.message(), call.span);
    }
}

}  // namespace mottle::field
