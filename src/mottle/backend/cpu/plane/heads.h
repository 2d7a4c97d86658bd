// mottle/backend/cpu/plane/heads.h: the first rows of a band at every step of a pass, which the band before it takes as those behind its own last ones
#pragma once
#include "mottle/backend/cpu/compile/memory.h"
#include "mottle/core/context.h"

namespace mottle::backend::cpu {

using core::Index;

/// A band of another worker is read from two copies, so that it may begin its next pass while the one before it ends the last. This is all of a band that
/// another worker touches: it reads the rows that are given, and raises `taken`. Both counts begin at 0 with every launch.
class Heads {
   public:
    /// `rows` of `row_bytes` at each of `steps` times.
    Heads(Index rows, int steps, std::size_t row_bytes, int copies)
        : rows_(rows),
          copies_(copies),
          time_bytes_(core::at(rows) * row_bytes),
          copy_bytes_(core::at(steps) * time_bytes_),
          memory_(core::at(copies) * copy_bytes_ + kLine) {}  // an unaligned load at the end of the last row reads past it

    Index rows() const { return rows_; }
    /// The rows as they stand after `time` steps of a pass: of each group those of the state, one after the other.
    std::byte* at(Index pass, Index time) const {
        return memory_.data() + core::at(pass % copies_) * copy_bytes_ + core::at(time) * time_bytes_;
    }

    /// Fetches these rows, which another core may have written.
    void prefetch(Index pass, Index time) const {
        const std::byte* from = at(pass, time);
        for (std::size_t i = 0; i < time_bytes_; i += kLine) __builtin_prefetch(from + i);
    }

    core::Milestone given;  ///< steps of the launch whose rows stand here, or have stood
    core::Milestone taken;  ///< passes of the launch whose rows the reader needs no more

   private:
    Index rows_, copies_;
    std::size_t time_bytes_, copy_bytes_;
    Memory memory_;
};

}  // namespace mottle::backend::cpu
