// apps/cli/watch.cpp: pictures as text
#include "watch.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace mottle::cli {

namespace {

constexpr auto kPause = std::chrono::milliseconds(40);
constexpr int kLinesBelow = 3;  // for the bar and what stood there before
constexpr int kMostCells = 3;   // across a pixel: with more a pattern is lost between them

struct Rgb {
    int red = 0, green = 0, blue = 0;
    bool operator==(const Rgb&) const = default;
};

/// Characters across, and two pixels per line down, that a picture may take.
std::array<int, 2> room_of_terminal() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    const int columns = known ? size.ws_col : 80, lines = known ? size.ws_row : 24;
    return {columns, 2 * std::max(lines - kLinesBelow, 1)};
}

frame::Style style_for(frame::Style style, std::array<int, 2> room) {
    style.scale = 1;
    for (std::size_t k = 0; k < 2; ++k) style.pixels[k] = std::max(room[k], frame::kSmallestSide);
    if (!style.background) style.background = frame::kDefaultBackground;
    return style;
}

/// As large as the room allows, with the sides in proportion and an even number of rows.
std::array<int, 2> fitted(std::array<int, 2> size, std::array<int, 2> room) {
    const double scale = std::min(static_cast<double>(room[0]) / size[0], static_cast<double>(room[1]) / size[1]);
    const auto side = [&](std::size_t k) { return std::clamp(static_cast<int>(std::lround(size[k] * scale)), 1, room[k]); };
    return {side(0), (side(1) + 1) / 2 * 2};
}

Rgb mean_of(std::span<const std::uint8_t> rgb, int width, std::array<int, 2> x, std::array<int, 2> y) {
    std::array<long, 3> sums{};
    for (int j = y[0]; j < y[1]; ++j) {
        for (int i = x[0]; i < x[1]; ++i) {
            const std::size_t at = 3 * (static_cast<std::size_t>(j) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i));
            for (std::size_t k = 0; k < 3; ++k) sums[k] += rgb[at + k];
        }
    }
    const long count = static_cast<long>(x[1] - x[0]) * (y[1] - y[0]);
    return {static_cast<int>(sums[0] / count), static_cast<int>(sums[1] / count), static_cast<int>(sums[2] / count)};
}

/// What pixel `at` of `count` covers of `size` from `first` on, at least one.
std::array<int, 2> covered(int at, int count, int size, int first) {
    const auto edge = [&](int i) { return first + static_cast<int>(static_cast<long>(i) * size / count); };
    return {edge(at), std::max(edge(at + 1), edge(at) + 1)};
}

std::string colour_code(const char* layer, const Rgb& colour, Colours colours) {
    const std::string begin = std::string("\033[") + layer;
    if (colours == Colours::all)
        return begin + ";2;" + std::to_string(colour.red) + ";" + std::to_string(colour.green) + ";" + std::to_string(colour.blue) + "m";
    const auto step = [](int value) { return (value * 5 + 127) / 255; };  // of the 6 x 6 x 6 cube that begins at colour 16
    return begin + ";5;" + std::to_string(16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue)) + "m";
}

char shade(const Rgb& upper, const Rgb& lower) {
    constexpr std::string_view kShades = " .:-=+*#%@";
    constexpr int kShare = 2 * 255 * 1000 + 1;
    const auto light = [](const Rgb& c) { return 299 * c.red + 587 * c.green + 114 * c.blue; };
    return kShades[static_cast<std::size_t>((light(upper) + light(lower)) * static_cast<int>(kShades.size()) / kShare)];
}

/// What the terminal says of itself.
Colours terminal_colours() {
    const auto says = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (!says("NO_COLOR").empty() || says("TERM") == "dumb" || says("TERM").empty()) return Colours::none;
    return says("COLORTERM") == "truecolor" || says("COLORTERM") == "24bit" ? Colours::all : Colours::few;
}

}  // namespace

Watch::Watch(const output::SinkSpec& look, core::Index last_step, const field::Field& field, TerminalObserver& screen,
             core::Context& context)
    : last_step_(last_step),
      screen_(screen),
      room_(room_of_terminal()),
      canvas_(style_for(look.style, room_), field, look.declared_range, frame::Canvas::Format::rgb24, look.frame_count, look.light,
              context),
      rgb_(canvas_.bytes()),
      seen_(canvas_.size()),
      colours_(terminal_colours()) {
    if (isatty(STDERR_FILENO) == 0) throw core::InputError("--watch draws in a terminal, and stderr is none; -o name.mp4 makes a video");
    for (std::size_t k = 0; k < 2; ++k) seen_[k] = std::min(seen_[k], kMostCells * room_[k]);
    shown_ = fitted(seen_, room_);
}

void Watch::write(core::Moment at, field::Field& field) {
    const auto now = std::chrono::steady_clock::now();
    if (at.step != last_step_ && now - drawn_at_ < kPause) return;
    drawn_at_ = now;
    canvas_.draw(field, rgb_);
    screen_.draw(text(), shown_[1] / 2);
}

std::string Watch::text() const {
    const int width = canvas_.size()[0], left = (width - seen_[0]) / 2, top = (canvas_.size()[1] - seen_[1]) / 2;
    std::string text;
    for (int row = 0; row < shown_[1]; row += 2) {
        std::string upper_code, lower_code;
        for (int column = 0; column < shown_[0]; ++column) {
            const auto x = covered(column, shown_[0], seen_[0], left);
            const Rgb upper = mean_of(rgb_, width, x, covered(row, shown_[1], seen_[1], top));
            const Rgb lower = mean_of(rgb_, width, x, covered(row + 1, shown_[1], seen_[1], top));
            if (colours_ == Colours::none) {
                text += shade(upper, lower);
                continue;
            }
            const auto change = [&](std::string& code, std::string wanted) {
                if (code != wanted) text += code = std::move(wanted);
            };
            change(upper_code, colour_code("38", upper, colours_));
            change(lower_code, colour_code("48", lower, colours_));
            text += "\u2580";  // the upper half of a character
        }
        text += colours_ == Colours::none ? "\n" : "\033[0m\n";
    }
    return text;
}

}  // namespace mottle::cli
