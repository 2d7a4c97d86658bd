// mottle/sweep/memory.h: refuses a sweep that this machine's memory cannot hold, pictures of all members included
#pragma once
#include "mottle/run/settings/memory.h"
#include "mottle/sweep/spec.h"

namespace mottle::sweep {

/// What a sweep takes, in bytes.
struct MemoryNeed {
    double fields = 0;    ///< of all members that this machine holds
    double copies = 0;    ///< of their surface, as they are seen and written
    double pictures = 0;  ///< of all outputs
    std::string largest;  ///< the output that takes most: 'all.mp4', 4096x4096 pixels
    double total() const { return fields + copies + pictures; }
};

/// `arrays`: of a member's Program.
MemoryNeed memory_need(const Spec& spec, std::size_t arrays);

/// Throws: InputError, with what is needed for what and what is available, unless a sweep fits.
void check_memory(const Spec& spec, std::size_t arrays, double available = static_cast<double>(core::available_memory()));

}  // namespace mottle::sweep
