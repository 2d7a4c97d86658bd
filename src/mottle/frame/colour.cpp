// mottle/frame/colour.cpp: names of colours, and the transfer function of sRGB (IEC 61966-2-1)
#include "mottle/frame/colour.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <cmath>
#include <string_view>

namespace mottle::frame {
namespace {

struct NamedColour {
    std::string_view name;
    Rgb colour;
};
constexpr std::array kNamed = {NamedColour{"black", {0, 0, 0}},      NamedColour{"white", {255, 255, 255}},
                               NamedColour{"gray", {128, 128, 128}}, NamedColour{"paper", kDefaultBackground},
                               NamedColour{"night", {22, 25, 31}},   NamedColour{"sky", {168, 204, 230}},
                               NamedColour{"sand", {222, 207, 178}}, NamedColour{"green", {0, 177, 64}}};

constexpr const char* kTransparent = "transparent";

std::optional<Rgb> hexadecimal(const std::string& text) {
    if (text.empty() || text[0] != '#' || (text.size() != 4 && text.size() != 7)) return std::nullopt;
    const std::size_t digits = text.size() == 4 ? 1 : 2;
    Rgb colour{};
    for (std::size_t k = 0; k < 3; ++k) {
        int value = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            const char c = text[1 + k * digits + (digits == 2 ? i : 0)];
            const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
            if (digit == std::string_view::npos) return std::nullopt;
            value = 16 * value + static_cast<int>(digit % 16);
        }
        colour[k] = static_cast<std::uint8_t>(value);
    }
    return colour;
}

std::optional<Rgb> find_colour(const std::string& text) {
    for (const NamedColour& named : kNamed) {
        if (named.name == text) return named.colour;
    }
    return hexadecimal(text);
}

/// `more`: words that may stand beside the names of colours.
[[noreturn]] void fail_unknown(const std::string& text, std::vector<std::string> more) {
    std::vector<std::string> names;
    names.reserve(kNamed.size() + more.size());
    for (const NamedColour& named : kNamed) names.emplace_back(named.name);
    names.insert(names.end(), more.begin(), more.end());
    throw core::InputError("'" + text + "' is not a colour" +
                           core::did_you_mean(text, names, "write #rrggbb, " + core::listed(names, "or")));
}

double to_linear(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }
double to_srgb(double l) { return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

}  // namespace

Rgb parse_colour(const std::string& text) {
    if (const auto colour = find_colour(text)) return *colour;
    fail_unknown(text, {});
}

Background parse_background(const std::string& text) {
    if (text == kTransparent) return std::nullopt;
    if (const auto colour = find_colour(text)) return colour;
    fail_unknown(text, {kTransparent});
}

std::string background_text(const Background& background) {
    if (!background) return kTransparent;
    std::string text = "#";
    for (const std::uint8_t byte : *background) {
        text += "0123456789abcdef"[byte / 16];
        text += "0123456789abcdef"[byte % 16];
    }
    return text;
}

const std::array<std::uint16_t, 256>& linear_of_srgb() {
    static const auto table = [] {
        std::array<std::uint16_t, 256> values{};
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::uint16_t>(std::lround(65535 * to_linear(static_cast<double>(i) / 255)));
        return values;
    }();
    return table;
}

const std::array<std::uint8_t, 4096>& srgb_of_linear() {
    static const auto table = [] {
        std::array<std::uint8_t, 4096> values{};
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::uint8_t>(std::lround(255 * to_srgb((static_cast<double>(i) + 0.5) / 4096)));
        return values;
    }();
    return table;
}

}  // namespace mottle::frame
