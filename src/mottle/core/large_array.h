// mottle/core/large_array.h: arrays of many MB: huge pages where the system has them, and no writing of zeros that are overwritten
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace mottle::core {

/// Asks the system to back the whole pages in `bytes` bytes from `memory` by huge ones; only a hint. Before the first touch: faults are then 512 times rarer.
void advise_huge_pages(void* memory, std::size_t bytes);

/// `count` elements of indeterminate value.
template <class T>
std::unique_ptr<T[]> uninitialised(std::size_t count) {
    auto array = std::make_unique_for_overwrite<T[]>(count);
    advise_huge_pages(array.get(), count * sizeof(T));
    return array;
}

/// vector.reserve(count) with huge pages.
template <class T>
void reserve_large(std::vector<T>& vector, std::size_t count) {
    vector.reserve(count);
    advise_huge_pages(vector.data(), count * sizeof(T));
}

}  // namespace mottle::core
