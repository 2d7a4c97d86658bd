// mottle/run/settings/model_text.h: a Spec as a run file: mottle emit --what model
#pragma once
#include "mottle/run/settings/spec.h"

#include <string>

namespace mottle::run {

/// TOML that runs as `spec` runs, every setting written out. `document` holds the tables of its model (read_model_document): equations and
/// definitions stay as they were written, and random draws keep their numbers.
std::string model_text(const Spec& spec, const core::Node& document);

}  // namespace mottle::run
