// mottle/sweep/sheet.cpp: tiles on paper, and numbers beside them
#include "mottle/sweep/sheet.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/image/lettering.h"
#include "mottle/image/png.h"
#include "mottle/output/file_name.h"
#include "mottle/run/watch/timings.h"

#include <algorithm>

namespace mottle::sweep {
namespace {

constexpr Index kLeastTile = 96;  // pixels: room for a value below a tile
constexpr int kLargest = 32768;   // pixels a side
constexpr int kTileOfLetter = 192, kLargestLetter = 4;
constexpr std::uint8_t kPaper = 255, kInk = 40;
constexpr int kFewestDigits = 6, kMostDigits = 17;

frame::Style scaled(frame::Style style, int scale) {
    style.scale = scale;
    return style;
}

int widest(const std::vector<std::string>& labels, int letter) {
    int width = 0;
    for (const std::string& label : labels) width = std::max(width, image::text_width(label, letter));
    return width;
}

}  // namespace

int Sheet::scale_of(const output::SinkSpec& spec, const Layout& layout) {
    if (spec.style.scale > 0) return spec.style.scale;
    const Index most = kLargest / std::max(layout.size()[0], layout.size()[1]);
    return static_cast<int>(std::clamp<Index>((kLeastTile + layout.width - 1) / layout.width, 1, std::max<Index>(most, 1)));
}

Sheet::Sheet(const output::SinkSpec& spec, const field::Field& mosaic, const Layout& layout, const std::vector<Axis>& axes,
             std::span<const Tile> tiles, core::Context& context)
    : path_(output::FileName(spec.file).at(0)),
      layout_(layout),
      tiles_(tiles),
      scale_(scale_of(spec, layout)),
      canvas_(scaled(spec.style, scale_), mosaic, spec.declared_range, backend::Picture::Format::index, 0, nullptr, context),
      tile_width_(static_cast<int>(layout.width) * scale_),
      tile_height_(static_cast<int>(layout.height) * scale_),
      gap_(static_cast<int>(layout.gap) * scale_) {
    const bool runs_up = axes.size() == 1 && layout.columns == 1 && layout.rows > 1;  // rows of cells
    (runs_up ? aside_ : across_) = ruler_of(axes[0]);
    if (axes.size() > 1) aside_ = ruler_of(axes[1]);
    const std::array<int, 2> size = canvas_.size();
    if (std::max(size[0], size[1]) > kLargest)
        throw core::InputError("'" + spec.file.string() + "' would be " + std::to_string(size[0]) + "x" + std::to_string(size[1]) +
                               " pixels, and a sheet has at most " + std::to_string(kLargest) +
                               " a side; take a smaller --size or fewer values");
    indices_.resize(canvas_.bytes());
}

// Labels are so short that they can be told apart.
Sheet::Ruler Sheet::ruler_of(const Axis& axis) {
    Ruler ruler{axis.name, {}};
    for (int digits = kFewestDigits; digits <= kMostDigits; ++digits) {
        ruler.labels.clear();
        for (const double value : axis.values) ruler.labels.push_back(core::rounded_text(value, digits));
        std::vector<std::string> sorted = ruler.labels;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) break;
    }
    return ruler;
}

void Sheet::write(core::Moment, field::Field& mosaic) {
    canvas_.draw(mosaic, indices_);
    drawn_ = true;
}

std::vector<std::filesystem::path> Sheet::files() const { return saved_ ? std::vector{path_} : std::vector<std::filesystem::path>(); }

Sheet::Margins Sheet::margins() const {
    Margins m{};
    m.letter = std::clamp(std::min(tile_width_, std::max(tile_height_, tile_width_ / 2)) / kTileOfLetter + 1, 1, kLargestLetter);
    m.line = (image::kLetterHeight + 5) * m.letter;
    m.left = m.top = m.right = m.bottom = m.line;
    if (aside_) {
        m.left += std::max(widest(aside_->labels, m.letter), image::text_width(aside_->name, m.letter)) + m.line / 2;
        m.top += m.line;
    }
    if (across_) m.bottom += 2 * m.line;
    return m;
}

void Sheet::finish() {
    if (!drawn_ || saved_) return;
    const core::Stopwatch watch(seconds_);
    const Margins margins = this->margins();
    image::Image sheet;
    sheet.channels = 3;
    sheet.width = margins.left + canvas_.size()[0] + margins.right;
    sheet.height = margins.top + canvas_.size()[1] + margins.bottom;
    sheet.pixels.assign(core::at(sheet.width) * core::at(sheet.height) * 3, kPaper);
    place_tiles(sheet, margins);
    cross_out_lost(sheet, margins);
    if (across_) label_columns(sheet, margins);
    if (aside_) label_rows(sheet, margins);
    image::write_png(path_, sheet);
    saved_ = true;
}

void Sheet::place_tiles(image::Image& sheet, const Margins& margins) const {
    const auto [width, height] = canvas_.size();
    const std::array<frame::Rgb, 256> colours = canvas_.colours();
    for (int y = 0; y < height; ++y) {
        if (y % (tile_height_ + gap_) >= tile_height_) continue;
        const std::uint8_t* from = indices_.data() + static_cast<std::ptrdiff_t>(y) * width;
        std::uint8_t* to = sheet.pixels.data() + (static_cast<std::ptrdiff_t>(margins.top + y) * sheet.width + margins.left) * 3;
        for (int x = 0; x < width; ++x) {
            if (x % (tile_width_ + gap_) < tile_width_) std::copy_n(colours[from[x]].begin(), 3, to + static_cast<std::ptrdiff_t>(x) * 3);
        }
    }
}

// A member without values is paper with a cross.
void Sheet::cross_out_lost(image::Image& sheet, const Margins& margins) const {
    const auto set = [&](int x, int y, std::uint8_t ink) {
        std::uint8_t* pixel = sheet.pixels.data() + (static_cast<std::ptrdiff_t>(y) * sheet.width + x) * 3;
        std::fill_n(pixel, 3, ink);
    };
    for (Index row = 0; row < layout_.rows; ++row) {
        for (Index column = 0; column < layout_.columns; ++column) {
            if (!tiles_[core::at(layout_.member(column, row))].lost) continue;
            const int left = margins.left + static_cast<int>(column) * (tile_width_ + gap_),
                      top = margins.top + static_cast<int>(row) * (tile_height_ + gap_);
            for (int y = 0; y < tile_height_; ++y) {
                const int across = tile_height_ > 1 ? y * (tile_width_ - 1) / (tile_height_ - 1) : 0;
                for (int x = 0; x < tile_width_; ++x) set(left + x, top + y, x == across || x == tile_width_ - 1 - across ? kInk : kPaper);
            }
        }
    }
}

void Sheet::label_columns(image::Image& sheet, const Margins& margins) const {
    const std::vector<std::string>& labels = across_->labels;
    const int pitch = tile_width_ + gap_, top = margins.top + canvas_.size()[1] + margins.line / 2;
    auto write_at = [&](int middle, int y, const std::string& text) {
        image::write_text(sheet, middle - image::text_width(text, margins.letter) / 2, y, text, margins.letter, kInk);
    };
    const std::size_t every = core::at(widest(labels, margins.letter) + image::text_width("  ", margins.letter)) / core::at(pitch) +
                              1;  // where tiles are narrow, not each has its label
    for (std::size_t column = 0; column < labels.size(); column += every)
        write_at(margins.left + static_cast<int>(column) * pitch + tile_width_ / 2, top, labels[column]);
    write_at(margins.left + canvas_.size()[0] / 2, top + margins.line, across_->name);
}

void Sheet::label_rows(image::Image& sheet, const Margins& margins) const {
    const std::vector<std::string>& labels = aside_->labels;
    const int pitch = tile_height_ + gap_, right = margins.left - margins.line / 2;
    auto write_at = [&](int y, const std::string& text) {
        image::write_text(sheet, right - image::text_width(text, margins.letter), y, text, margins.letter, kInk);
    };
    const std::size_t every = core::at(margins.line / pitch) + 1;
    for (std::size_t value = 0; value < labels.size(); value += every) {
        const std::size_t row = labels.size() - 1 - value;
        write_at(margins.top + static_cast<int>(row) * pitch + (tile_height_ - image::kLetterHeight * margins.letter) / 2, labels[value]);
    }
    write_at(margins.line / 2, aside_->name);
}

}  // namespace mottle::sweep
