// mottle/ranks/file_piece.h: entries of a file that are scattered over the ranks, brought together so that each rank writes one piece of the file
#pragma once
#include "mottle/domain/mesh/mesh.h"
#include "mottle/ranks/transport.h"

#include <cstdint>
#include <span>

namespace mottle::ranks {

/// Bytes that follow one another in a file.
struct FilePiece {
    std::uint64_t first = 0;  ///< from the place of entry 0
    Bytes bytes;
};

/// The piece of this rank of `count` entries of `size` bytes each, every one of which is on one rank. `numbers`: those on this rank, ascending; `entries`: their bytes.
/// All ranks ask at the same time. Throws: as Transport::receive.
FilePiece collect_entries(Transport& transport, Index count, std::span<const domain::Vertex> numbers, std::span<const std::byte> entries,
                          std::size_t size);

}  // namespace mottle::ranks
