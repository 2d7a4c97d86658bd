// apps/cli/model_text.h: a Spec as a run file: mottle emit --what model
#pragma once
#include "mottle/run/spec.h"

#include <string>

namespace mottle::cli {

/// TOML that runs as `spec` runs, every setting written out.
std::string model_text(const run::Spec& spec);

}  // namespace mottle::cli
