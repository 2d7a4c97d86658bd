// mottle/backend/reference/padded_array.h: one array of the reference backend, dense, with ghost cells around it
#pragma once
#include "mottle/domain/grid.h"

#include <vector>

namespace mottle::backend::reference {

using domain::Index;
using domain::Triple;

template <class Real>
class PaddedArray {
   public:
    /// `pad` ghost cells on both sides of each axis; all zero.
    PaddedArray(const Triple& size, const Triple& pad) : size_(size), pad_(pad) {
        Index cells = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            extent_[d] = size[d] + 2 * pad[d];
            cells *= extent_[d];
        }
        cells_.resize(core::at(cells));
    }

    const Triple& size() const { return size_; }
    const Triple& pad() const { return pad_; }

    /// The interior cell 0 of row (y, z); ghost rows have y < 0 or y >= size, and ghost cells stand before and behind each row.
    Real* row(Index y, Index z) { return cells_.data() + offset(y, z); }
    const Real* row(Index y, Index z) const { return cells_.data() + offset(y, z); }

   private:
    Index offset(Index y, Index z) const { return ((z + pad_[2]) * extent_[1] + (y + pad_[1])) * extent_[0] + pad_[0]; }

    Triple size_, pad_, extent_{};
    std::vector<Real> cells_;
};

}  // namespace mottle::backend::reference
