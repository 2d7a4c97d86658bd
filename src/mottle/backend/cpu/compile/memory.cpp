// mottle/backend/cpu/compile/memory.cpp: memory for fields
#include "mottle/backend/cpu/compile/memory.h"

#include <cstdlib>
#include <cstring>
#include <new>
#if defined(__linux__)
#include <cstdint>

#include <sys/mman.h>
#endif

namespace mottle::backend::cpu {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::byte* allocate_lines(std::size_t bytes) {
    void* memory = nullptr;
    const std::size_t rounded = rounded_up(bytes, kLine);
    if (posix_memalign(&memory, kLine, rounded) != 0) throw std::bad_alloc();
    std::memset(memory, 0, rounded);
    return static_cast<std::byte*>(memory);
}

#ifdef MADV_HUGEPAGE
constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;

/// Memory of half a huge page or more gets whole huge pages; otherwise its rows would need one TLB entry for each small page.
bool takes_huge_pages(std::size_t bytes) { return bytes >= kHugePage / 2; }

/// One huge page, or several and what small pages the rest takes.
std::size_t mapped_bytes(std::size_t bytes) { return bytes < kHugePage ? kHugePage : rounded_up(bytes, kPage); }

// The system's pages are zero: no byte of them is written here but one of each, by which the calling thread gets them from its own part of the memory.
std::byte* allocate_pages(std::size_t bytes) {
    const std::size_t rounded = mapped_bytes(bytes);
    void* const mapped = mmap(nullptr, rounded + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
    if (before > 0) munmap(begin, before);
    if (before < kHugePage) munmap(begin + before + rounded, kHugePage - before);
    std::byte* const memory = begin + before;
    madvise(memory, rounded, MADV_HUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += kPage) *static_cast<volatile std::byte*>(memory + at) = std::byte{0};
    return memory;
}
#endif

}  // namespace

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
#ifdef MADV_HUGEPAGE
    if (takes_huge_pages(bytes)) {
        data_ = allocate_pages(bytes);
        return;
    }
#endif
    data_ = allocate_lines(bytes);
}

Memory::~Memory() {
#ifdef MADV_HUGEPAGE
    if (data_ && takes_huge_pages(bytes_)) {
        munmap(data_, mapped_bytes(bytes_));
        return;
    }
#endif
    std::free(data_);
}

}  // namespace mottle::backend::cpu
