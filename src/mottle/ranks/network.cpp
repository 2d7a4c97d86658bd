// mottle/ranks/network.cpp: what a network takes for a message
#include "mottle/ranks/network.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <array>
#include <cmath>
#include <utility>

namespace mottle::ranks {
namespace {

using Unit = std::pair<std::string_view, double>;
constexpr std::array<Unit, 4> kTimes = {Unit{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr std::array<Unit, 3> kRates = {Unit{"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}};

/// A positive number with one of these units behind it; 0: it is none.
template <class Units>
double quantity(std::string_view text, const Units& units) {
    text = core::trim(text);
    for (const auto& [unit, factor] : units) {
        double number = 0;
        if (!text.ends_with(unit) || !core::parse_number(core::trim(text.substr(0, text.size() - unit.size())), number)) continue;
        return number > 0 && std::isfinite(number * factor) ? number * factor : 0;
    }
    return 0;
}

}  // namespace

Network parse_network(const std::string& text) {
    const std::size_t comma = text.find(',');
    Network network;
    if (comma != std::string::npos) {
        network.latency = quantity(std::string_view(text).substr(0, comma), kTimes);
        network.bytes_per_second = quantity(std::string_view(text).substr(comma + 1), kRates);
    }
    if (comma == std::string::npos || network.latency == 0 || network.bytes_per_second == 0) {
        throw core::InputError(
            "--network is the latency and the bandwidth of a network, for example 2us,12GB/s (ns, us, ms or s; kB/s, MB/s or GB/s), not '" +
            text + "'");
    }
    return network;
}

}  // namespace mottle::ranks
