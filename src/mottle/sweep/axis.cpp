// mottle/sweep/axis.cpp: reads the values of a parameter
#include "mottle/sweep/axis.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::sweep {
namespace {

constexpr int kDigits = 12;         // of a value between the ends
constexpr std::size_t kListed = 6;  // values that a description lists

[[noreturn]] void fail(const std::string& message, const std::string& origin) { throw core::InputError(origin + " " + message); }

double number(const std::string& word, const Axis& axis, const std::string& origin) {
    double value = 0;
    if (!core::parse_number(word, value)) fail("takes numbers for " + axis.name + ", not '" + word + "'", origin);
    if (!std::isfinite(value)) fail("takes finite numbers for " + axis.name + ", not " + word, origin);
    return value;
}

std::vector<double> evenly_spaced(double from, double to, std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(count - 1);
        double value = from * (1 - share) + to * share;
        core::parse_number(core::rounded_text(value, kDigits), value);
        values.push_back(i == 0 ? from : i + 1 == count ? to : value);
    }
    return values;
}

}  // namespace

Axis parse_axis(const std::string& text, const std::string& origin) {
    const std::size_t equals = text.find('=');
    Axis axis{std::string(core::trim(text.substr(0, equals))), {}};
    if (equals == std::string::npos || axis.name.empty())
        fail("is written NAME=FROM:TO:COUNT or NAME=A,B,C, for example F=0.02:0.06:9, not '" + text + "'", origin);
    const std::string list = text.substr(equals + 1);
    if (list.find(':') != std::string::npos) {
        const std::vector<std::string> words = core::split(list, ':');
        if (words.size() != 3) fail("takes FROM:TO:COUNT for " + axis.name + ", for example 0.02:0.06:9, not '" + list + "'", origin);
        const double from = number(words[0], axis, origin), to = number(words[1], axis, origin), count = number(words[2], axis, origin);
        if (count != std::floor(count) || count < 2 || count > static_cast<double>(kMostValues)) {
            fail("takes a whole number of values from 2 to " + std::to_string(kMostValues) + " for " + axis.name + ", not " + words[2],
                 origin);
        }
        axis.values = evenly_spaced(from, to, static_cast<std::size_t>(count));
    } else {
        for (const std::string& word : core::split(list, ',')) axis.values.push_back(number(word, axis, origin));
        if (axis.values.empty()) fail("needs values for " + axis.name + ": FROM:TO:COUNT or A,B,C", origin);
        if (axis.values.size() > kMostValues)
            fail(
                "takes at most " + std::to_string(kMostValues) + " values for " + axis.name + ", not " + std::to_string(axis.values.size()),
                origin);
    }
    std::vector<double> sorted = axis.values;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        fail("gives " + axis.name + " the value " + core::number_text(*twice) + " twice", origin);
    return axis;
}

std::string describe(const Axis& axis) {
    const std::vector<double>& values = axis.values;
    if (values.size() > kListed)
        return axis.name + " from " + core::number_text(values.front()) + " to " + core::number_text(values.back()) + " (" +
               std::to_string(values.size()) + ")";
    std::string text = axis.name;
    for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : " ") + core::number_text(values[i]);
    return text;
}

}  // namespace mottle::sweep
