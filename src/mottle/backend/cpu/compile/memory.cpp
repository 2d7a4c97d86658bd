// mottle/backend/cpu/compile/memory.cpp: memory for fields
#include "mottle/backend/cpu/compile/memory.h"

#include <cstdlib>
#include <cstring>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

std::byte* allocate_rows(std::size_t bytes) {
    // Memory of half a huge page or more gets whole huge pages; otherwise its rows would need one TLB entry for each small page.
    const bool huge = bytes >= kHugePage / 2;
    const std::size_t rounded = huge && bytes < kHugePage ? kHugePage : (bytes + kLine - 1) / kLine * kLine;
    void* memory = nullptr;
    if (posix_memalign(&memory, huge ? kHugePage : kLine, rounded) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (huge) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    std::memset(memory, 0, rounded);
    return static_cast<std::byte*>(memory);
}

void free_rows(std::byte* memory) { std::free(memory); }

}  // namespace mottle::backend::cpu
