// mottle/backend/cpu/backend.h: the CPU backend: Programs compiled by LLVM, swept in place with several steps fused
#pragma once
#include "mottle/backend/backend.h"

#include <memory>
#include <string>

namespace mottle::backend {

/// `isa`: "", "avx512", "avx2" or "portable"; "" is the best level that this machine runs.
/// Throws: InputError (unknown level), DeviceError (this machine does not run it).
std::unique_ptr<Backend> create_cpu_backend(const std::string& isa);

/// Opens the compiler module. Throws: DeviceError that says what to install.
std::string cpu_compiler_version();

}  // namespace mottle::backend
