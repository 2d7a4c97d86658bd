// mottle/backend/reference/backend.h: the interpreter: slow and obvious, the anchor of the conformance suite
#pragma once
#include "mottle/backend/backend.h"

namespace mottle::backend {

/// Runs any Program on one thread; accepts any schedule and ignores it. `note` is added to its description.
std::unique_ptr<Backend> create_reference_backend(std::string note = {});

}  // namespace mottle::backend
