// mottle/backend/cpu/plane/transpose.h: segments of a row into vectors, one lane each, and back
#pragma once
#include "mottle/core/index.h"

#include <span>

namespace mottle::backend::cpu {

/// Cell j of the segment that begins at cells[starts[lane]] becomes lane `lane` of vector j, for j < `columns`; by the widest vectors of this machine that
/// `starts.size()` lanes fill. Nothing is rounded.
/// Shape: vectors has columns * starts.size() entries. Segments may overlap.
template <class Real>
void to_lanes(const Real* cells, std::span<const core::Index> starts, core::Index columns, Real* vectors);
/// The other way: where segments overlap, their lanes must agree.
template <class Real>
void from_lanes(const Real* vectors, std::span<const core::Index> starts, core::Index columns, Real* cells);

}  // namespace mottle::backend::cpu
