// mottle/field/source_image.cpp: image("file.png"): gray values stretched over the domain
#include "mottle/field/source_image.h"

#include "mottle/core/error.h"
#include "mottle/image/png.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace mottle::field {

using core::Index;

namespace {

// bt709 luma in ten thousandths, so that gray values stay exact integers: 255 * 10000 is white, 65535 * 10000 in files of 16 bits.
constexpr std::uint32_t kRed = 2126, kGreen = 7152, kBlue = 722, kAll = kRed + kGreen + kBlue;

struct GrayImage {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;
    double white = 1;

    double operator()(int x, int y) const { return pixels[core::at(y) * core::at(width) + core::at(x)] / white; }
};

GrayImage gray_of(const image::Image& image) {
    GrayImage gray{image.width, image.height, {}};
    const auto channels = core::at(image.channels);
    gray.pixels.reserve(image.pixels.size() / channels);
    auto add = [&](const auto& pixels, double white) {
        for (std::size_t i = 0; i < pixels.size(); i += channels) {
            const auto* p = &pixels[i];
            gray.pixels.push_back(channels < 3 ? p[0] * kAll : p[0] * kRed + p[1] * kGreen + p[2] * kBlue);
        }
        gray.white = white * kAll;
    };
    image.deep.empty() ? add(image.pixels, 255) : add(image.deep, 65535);
    return gray;
}

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

class ImageRows {
   public:
    ImageRows(GrayImage image, const domain::Grid& grid) : image_(std::move(image)), rows_(grid.size[1]) {
        for (Index i = 0; i < grid.size[0]; ++i) columns_.push_back(place_of(i, grid.size[0], image_.width));
    }

    void fill(Index row, Index x, std::span<double> cells) const {
        const Place y = place_of(row % rows_, rows_, image_.height);
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = sample(image_, columns_[core::at(x) + i], y);
    }

   private:
    GrayImage image_;
    Index rows_;
    std::vector<Place> columns_;
};

/// The picture at the texture coordinates of the vertices; beyond 0..1 it repeats.
RowSource create_textured(const ir::SourceCall& call, const GrayImage& image, const domain::Mesh& mesh) {
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
    image::Image image;
    try {
        image = image::read_png(initial.folder / call.text);
    } catch (const core::InputError& error) {
        throw core::InputError(error.message(), call.span);
    }
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_textured(call, gray_of(image), *mesh);
    auto rows = std::make_shared<const ImageRows>(gray_of(image), std::get<domain::Grid>(domain));
    return [rows](Index row, Index x, std::span<double> cells) { rows->fill(row, x, cells); };
}

}  // namespace mottle::field
