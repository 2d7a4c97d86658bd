// mottle/frame/frame.cpp: the ranges of pictures
#include "mottle/frame/frame.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::frame {
namespace {

using Range = std::array<double, 2>;

/// Smaller extents than this, relative to the values, are rounding noise of f32 fields.
constexpr double kSmallestExtent = 1e-6;
/// The Triton article's test for "no variation".
constexpr double kArticleExtent = 1e-6;
constexpr double kLargestAngle = 1e6, kSmallestDistance = 0.01, kLargestDistance = 1000;

std::optional<Range> measured(const field::Field& field, ir::Array array) {
    const backend::Range range = field.range(array);
    if (range.first_bad >= 0) return std::nullopt;
    return Range{range.min, range.max};
}

void check_surface_keys(const Style& style) {
    if (std::min(style.pixels[0], style.pixels[1]) < kSmallestSide || std::max(style.pixels[0], style.pixels[1]) > kLargestSide) {
        throw core::InputError("a picture of " + std::to_string(style.pixels[0]) + "x" + std::to_string(style.pixels[1]) +
                               " pixels is not possible; each side must have " + std::to_string(kSmallestSide) + " to " +
                               std::to_string(kLargestSide));
    }
    const auto& angles = style.camera.angles;
    if (angles && !(std::abs((*angles)[0]) <= kLargestAngle && std::abs((*angles)[1]) <= 90)) {
        throw core::InputError("a camera at azimuth " + core::number_text((*angles)[0]) + ", elevation " + core::number_text((*angles)[1]) +
                               " is not possible; the elevation runs from -90 to 90 degrees");
    }
    if (!(style.camera.distance >= kSmallestDistance && style.camera.distance <= kLargestDistance)) {
        throw core::InputError("a camera at distance " + core::number_text(style.camera.distance) +
                               " is not possible; 1 just shows the whole surface, " + core::number_text(kSmallestDistance) + " to " +
                               core::number_text(kLargestDistance) + " are allowed");
    }
    if (!(std::abs(style.turn) <= kLargestAngle)) {
        throw core::InputError("a turn of " + core::number_text(style.turn) + " degrees is not possible; use at most " +
                               core::number_text(kLargestAngle) + " either way");
    }
}

}  // namespace

Range widened(Range range) {
    const double size = std::max(std::abs(range[0]), std::abs(range[1]));
    if (range[1] - range[0] > kSmallestExtent * size) return range;
    const double middle = range[0] + (range[1] - range[0]) / 2, half = size > 0 ? size / 2 : 0.5;
    return {middle - half, middle + half};
}

std::string style_text(const Style& style, const std::string& field, bool surface) {
    const auto number = [](double value) { return core::number_text(value); };
    std::string text = field + ", palette " + style.palette + ", range ";
    if (style.range == Style::Range::fixed)
        text += number(style.lo) + ":" + number(style.hi);
    else
        text += style.range == Style::Range::automatic ? "auto" : "frame";
    if (!surface) return text;
    if (const auto& angles = style.camera.angles)
        text += ", camera " + number((*angles)[0]) + "," + number((*angles)[1]) + "," + number(style.camera.distance);
    if (style.turn != 0) text += ", turn " + number(style.turn);
    return text + ", background " + background_text(style.background);
}

void check(const Style& style) {
    palette(style.palette);
    if (style.scale < 0 || style.scale > kLargestScale) {
        throw core::InputError("a picture with " + std::to_string(style.scale) + " pixels per cell is not possible; use 1 to " +
                               std::to_string(kLargestScale) + ", or 0 to have it chosen");
    }
    if (style.cells < 0 || style.cells > kLargestScale || (style.cells > 1 && style.scale > 1)) {
        throw core::InputError("a picture with " + std::to_string(style.cells) + " cells per pixel and " + std::to_string(style.scale) +
                               " pixels per cell is not possible; give one of them, from 1 to " + std::to_string(kLargestScale));
    }
    if (style.range == Style::Range::fixed && !(style.lo < style.hi && std::isfinite(style.hi - style.lo))) {
        throw core::InputError("the range " + core::number_text(style.lo) + ":" + core::number_text(style.hi) +
                               " of a picture is not possible; give two finite numbers, the lower one first");
    }
    check_surface_keys(style);
}

Painter::Painter(const Style& style, const field::Field& field, std::optional<Range> declared_range)
    : style_(style), range_(declared_range) {
    check(style);
    const auto names = field.names();
    array_ = field.find(style.field.empty() ? names.back() : style.field);
    other_ = field.find(names.front());
    if (style.range == Style::Range::fixed) range_ = {style.lo, style.hi};
}

void Painter::set_article_range(const field::Field& field, backend::Picture& picture) const {
    for (const ir::Array array : {array_, other_}) {
        const auto range = measured(field, array);
        picture.array = array;
        picture.lo = picture.hi = 0;
        if (!range) return;
        if ((*range)[1] - (*range)[0] > kArticleExtent) {
            picture.lo = (*range)[0];
            picture.hi = (*range)[1];
            return;
        }
    }
}

backend::Picture Painter::picture(const field::Field& field, backend::Picture::Format format) {
    backend::Picture picture;
    picture.array = array_;
    picture.format = format;
    picture.scale = std::max(style_.scale, 1);
    picture.cells = std::max(style_.cells, 1);
    picture.palette = palette(style_.palette);
    const bool article = style_.palette == kCyberpunkPalette;
    if (article) picture.curve = backend::Picture::Curve::cyberpunk;
    if (article && style_.range != Style::Range::fixed) {
        set_article_range(field, picture);
        return picture;
    }
    auto range = style_.range == Style::Range::every_frame ? std::nullopt : range_;
    if (!range) {
        range = measured(field, array_);
        if (range) range = widened(*range);
        if (style_.range == Style::Range::automatic) range_ = range;
    }
    picture.lo = range ? (*range)[0] : 0;
    picture.hi = range ? (*range)[1] : 0;
    return picture;
}

}  // namespace mottle::frame
