// mottle/sweep/axis.h: one parameter and the values that it takes in the runs of a sweep
#pragma once
#include "mottle/core/span.h"

#include <string>
#include <vector>

namespace mottle::sweep {

inline constexpr std::size_t kMostValues = 1000;  ///< of an axis
inline constexpr const char* kSeed =
    "seed";  ///< the name that stands for the seed of the run, unless the model has a parameter of this name

struct Axis {
    std::string name;
    std::vector<double> values;
    bool is_seed = false;  ///< numbers of random numbers, not of a parameter
};

/// NAME=FROM:TO:COUNT, evenly spaced with both ends, each to 12 digits; or NAME=A,B,C. `origin` is what messages call its place ("--over").
/// Throws: InputError (another form, a value that is not finite, one that comes twice, too many).
Axis parse_axis(const std::string& text, const std::string& origin);

/// "F from 0.02 to 0.06 (5)", "k 0.055, 0.06", "seed 7".
std::string describe(const Axis& axis);

}  // namespace mottle::sweep
