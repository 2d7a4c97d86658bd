// mottle/backend/cell_file.h: rows of cells in a file, each at its own place, so that several threads and processes write and read them at the same time
#pragma once
#include "mottle/backend/draw.h"
#include "mottle/backend/reduce.h"
#include "mottle/core/shared_file.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace mottle::backend {

using Rgb = std::array<std::uint8_t, 3>;

/// The colours of cells: those of `picture`, and `none` where there is no finite number.
struct CellColours {
    Picture picture;
    Rgb none{};
};
template <class Real>
std::vector<Rgb> colours_of(const CellColours& colours, std::span<const Real> cells);

/// Where the cells of an array lie in a file: one after another in the order of their numbers, as they lie in memory, in the precision of the Program.
struct CellFile {
    std::filesystem::path path;
    std::uint64_t first = 0;  ///< the place of cell 0
    bool one_nan = false;     ///< every NaN is written as 7fc00000 (7ff8000000000000)
    /// Of a surface: in place of its vertices those of its mesh file. Welded copies have the number of the vertex they became; others that are no vertex have NaN.
    bool of_mesh_file = false;
    std::optional<CellColours> colours = {};  ///< of a surface: its colour, three bytes, in place of each number
};

/// The bytes that follow one another in a file if its entries are `cells[cell_of[0]]`, `cells[cell_of[1]]` ...; -1: of no cell.
template <class Real>
std::vector<std::byte> entries_of(const CellFile& file, std::span<const Real> cells, std::span<const domain::Vertex> cell_of);
/// Of each.
std::size_t bytes_of_entry(const CellFile& file, bool f64);

/// Rows whose cells follow one another in a file, too, but not the rows themselves.
struct RowsInFile {
    Index count = 0, length = 0;
    std::function<Index(Index row)> first_cell;  ///< the number of the first cell of a row in the file
};

/// Real is float or double; `read` and `write` are called from all threads of `team`, for rows of their own.
/// Throws: OutputError.
template <class Real>
void save_rows(const core::SharedFile& file, const CellFile& to, const RowsInFile& rows, const RowReader<Real>& read,
               core::ThreadTeam& team);
/// False where the file ends before.
template <class Real>
bool load_rows(const core::SharedFile& file, const CellFile& from, const RowsInFile& rows,
               const std::function<void(Index row, std::span<const Real> cells)>& write, core::ThreadTeam& team);

}  // namespace mottle::backend
