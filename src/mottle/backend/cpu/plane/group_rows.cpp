// mottle/backend/cpu/plane/group_rows.cpp: the rows of one group of arrays in a band, each in a slot of a ring
#include "mottle/backend/cpu/plane/group_rows.h"

namespace mottle::backend::cpu {

// Rows a multiple of 4096 bytes apart would fall into the same cache sets.
std::size_t GroupRows::slot_bytes(const Group& group, const RowLayout& layout) {
    const std::size_t bytes = (group.arrays.size() * layout.array_pitch() + kLine - 1) / kLine * kLine;
    return bytes % 4096 == 0 ? bytes + kLine : bytes;
}

// One more cache line, because an unaligned load at the end of the last row reads beyond it.
std::size_t GroupRows::memory_bytes(const Group& group, const RowLayout& layout, Index rows) {
    return core::at(rows) * slot_bytes(group, layout) + kLine;
}

GroupRows::GroupRows(const Group& group, const RowLayout& layout, Index capacity, Index reach, std::byte* memory)
    : own_(memory == nullptr ? Memory(memory_bytes(group, layout, capacity)) : Memory()),
      shifts_(group.home == Home::shifting),
      slot_bytes_(slot_bytes(group, layout)),
      row_bytes_(group.arrays.size() * layout.array_pitch()),
      vector_bytes_(layout.vector_bytes()),
      capacity_(capacity) {
    if (memory == nullptr) memory = own_.data();
    for (Index i = 0; i < capacity + reach; ++i) vector_0_.push_back(memory + core::at(i % capacity) * slot_bytes_ + vector_bytes_);
}

}  // namespace mottle::backend::cpu
