// mottle/ranks/network.h: what a network takes for a message
#pragma once
#include <limits>
#include <string>

namespace mottle::ranks {

/// A message is there `latency` seconds after its last byte has left, and what leaves one rank leaves it byte after byte.
struct Network {
    double latency = 0;
    double bytes_per_second = std::numeric_limits<double>::infinity();

    double seconds(double bytes) const { return latency + bytes / bytes_per_second; }
};

/// "2us,12GB/s": a time in ns, us, ms or s, and a rate in kB/s, MB/s or GB/s. Throws: InputError.
Network parse_network(const std::string& text);

}  // namespace mottle::ranks
