// mottle/ranks/regions.h: boxes of cells of a kernel's arrays as bytes, and back
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/domain/piece.h"
#include "mottle/ranks/transport.h"

#include <span>

namespace mottle::ranks {

using domain::CellBox;

/// The cells that two boxes have in common; of size 0 along an axis where there are none.
CellBox common_box(const CellBox& a, const CellBox& b);
bool is_empty(const CellBox& box);
/// The box with its cells counted from `origin`.
CellBox seen_from(const domain::Triple& origin, CellBox box);

/// The arrays that steps change, and the maps.
std::vector<ir::Array> states_of(const ir::Program& program);
std::vector<ir::Array> maps_of(const ir::Program& program);

// Boxes are those of the kernel's own grid. Shape of the bytes: how rows are ordered, then array by array the rows of a box along y, then z, in the precision of
// the Program.

/// Copies `box` of each array into `bytes`, of which there are as many as bytes_of_box says, on all threads of `team`.
void pack_box(const backend::Kernel& kernel, const backend::State& state, std::span<const ir::Array> arrays, const CellBox& box,
              core::ThreadTeam& team, std::span<std::byte> bytes);
/// The same into `bytes`, which it resizes.
void pack_box(const backend::Kernel& kernel, const backend::State& state, std::span<const ir::Array> arrays, const CellBox& box,
              core::ThreadTeam& team, Bytes& bytes);
/// Sets the cells of `part`, which lies within `box`, to what `bytes` has for `box`.
void unpack_box(backend::Kernel& kernel, backend::State& state, std::span<const ir::Array> arrays, const CellBox& box, const CellBox& part,
                core::ThreadTeam& team, std::span<const std::byte> bytes);
/// Bytes of `box` for so many arrays.
std::size_t bytes_of_box(const ir::Program& program, std::size_t arrays, const CellBox& box);

}  // namespace mottle::ranks
