// mottle/backend/cpu/compile/compile.h: LLVM IR text -> executable kernels, through the cache on disk or the module with LLVM
#pragma once
#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/backend/cpu/compile/object_code.h"

#include <filesystem>
#include <memory>
#include <string>

namespace mottle::backend::cpu {

/// A cached object is used if its checksum holds; anything else is compiled anew. `cache` empty: no cache.
/// Throws: DeviceError (the module is missing), InternalError (the text does not compile).
std::unique_ptr<ObjectCode> compile_text(const std::string& text, const Isa& isa, const std::filesystem::path& cache);

/// "LLVM 19.1.7". Throws: DeviceError if the module is missing.
std::string compiler_version();

}  // namespace mottle::backend::cpu
