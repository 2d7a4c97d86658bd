// apps/cli/watch.cpp: pictures as text
#include "watch.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

namespace mottle::cli {

namespace {

constexpr auto kPause = std::chrono::milliseconds(40);
constexpr int kRest = 4;        // times what the last picture took
constexpr int kLinesBelow = 3;  // for the bar and what stood there before
constexpr int kMostCells = 3;   // across a pixel: with more a pattern is lost between them

struct Rgb {
    int red = 0, green = 0, blue = 0;
    bool operator==(const Rgb&) const = default;
};

/// Characters across, and two pixels per line down, that a picture may take.
std::array<int, 2> room_of_terminal() {
    const auto [columns, lines] = screen_size();
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
            const std::size_t at = 3 * (core::at(j) * core::at(width) + core::at(i));
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
    return kShades[core::at((light(upper) + light(lower)) * static_cast<int>(kShades.size()) / kShare)];
}

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// What the terminal says of itself.
Colours terminal_colours() {
    if (!is_coloured()) return Colours::none;
    const std::string_view colours = environment("COLORTERM");
    return colours == "truecolor" || colours == "24bit" ? Colours::all : Colours::few;
}

}  // namespace

void require_screen() {
    if (isatty(STDERR_FILENO) == 0)
        throw core::InputError("--watch draws in a terminal, but standard error is not one; -o name.mp4 makes a video");
    if (environment("TERM").empty() || environment("TERM") == "dumb")
        throw core::InputError(
            "--watch needs a terminal that can move its cursor, and TERM does not say that this one can; -o name.mp4 makes a video");
}

run::Output watched(const run::Spec& spec, TerminalObserver& screen) {
    run::Output output = spec.outputs.empty() ? spec.picture : spec.outputs.front();
    output.sink.file.clear();
    output.times.last_only = false;
    output.make = [&screen](const output::SinkSpec& sink, const field::Field& field, core::Context& context) {
        return std::make_unique<Watch>(sink, field, screen, context);
    };
    return output;
}

Watch::Watch(const output::SinkSpec& spec, const field::Field& field, TerminalObserver& screen, core::Context& context)
    : screen_(screen),
      room_(room_of_terminal()),
      canvas_(style_for(spec.style, room_), field, spec.declared_range, frame::Canvas::Format::rgb24, spec.frame_count, spec.light,
              context),
      frames_(spec.frames_before),
      rgb_(canvas_.bytes()),
      colours_(terminal_colours()) {
    fit();
}

void Watch::fit() {
    for (std::size_t k = 0; k < 2; ++k) seen_[k] = std::min(canvas_.size()[k], kMostCells * room_[k]);
    shown_ = fitted(seen_, room_);
}

void Watch::write(core::Moment at, field::Field& field) {
    ++frames_;
    if (Clock::now() >= next_) draw(at, field);
}

void Watch::end(core::Moment at, field::Field& field) {
    if (at.step != drawn_step_) draw(at, field);
}

void Watch::draw(core::Moment at, field::Field& field) {
    const Clock::time_point start = Clock::now();
    const std::array<int, 2> room = room_of_terminal();
    const bool changed = room != room_;
    room_ = room;
    if (changed) fit();
    canvas_.skip(std::max<core::Index>(frames_ - 1, 0));
    canvas_.draw(field, rgb_);
    screen_.draw(text(), shown_[1] / 2, changed);
    drawn_step_ = at.step;
    const Clock::time_point now = Clock::now();
    next_ = now + std::max<Clock::duration>(kPause, kRest * (now - start));
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
