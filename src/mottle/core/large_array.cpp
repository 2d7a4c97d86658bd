// mottle/core/large_array.cpp: the system's call for huge pages
#include "mottle/core/large_array.h"

#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mottle::core {

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
    if (bytes < 2 * kHugePage) return;
    const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(memory) % kPage) % kPage;  // the first whole page
    madvise(static_cast<std::byte*>(memory) + before, (bytes - before) / kPage * kPage, MADV_HUGEPAGE);
#endif
}

}  // namespace mottle::core
