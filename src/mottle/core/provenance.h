// mottle/core/provenance.h: what a result was made with: version, build id, CPU
#pragma once
#include <string>

namespace mottle::core {

std::string version();   ///< "0.1.0"
std::string build_id();  ///< version, compiler and commit; modules must carry the same
/// Of LLVM and of the code that calls it. A kernel's machine code depends on this and on the kernel's text alone, so it stays valid in the next build of Mottle.
std::string kernel_compiler_id();
std::string cpu_name();  ///< as the machine tells it, or "unknown CPU"

}  // namespace mottle::core
