// mottle/run/settings/collisions.h: refuses a run that would write one file twice, or over what it reads
#pragma once
#include "mottle/run/settings/spec.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mottle::run {

/// A file and what it is: "the model".
using NamedFiles = std::vector<std::pair<std::string, std::filesystem::path>>;

/// Two names are one file when links lead to it, and a series "k-%05d.npy" has all files whose names fit it. Looks at names alone, and at links that are there.
/// Throws: InputError that names both: two outputs, an output and the state that --checkpoint keeps, an output and one of `inputs`.
void refuse_collisions(const Spec& spec, const NamedFiles& inputs);

}  // namespace mottle::run
