// mottle/backend/cell_file.h: rows of cells in a file, each at its own place, so that several threads and processes write and read them at the same time
#pragma once
#include "mottle/backend/reduce.h"
#include "mottle/core/shared_file.h"

#include <filesystem>

namespace mottle::backend {

/// Where the cells of an array lie in a file: one after another in the order of their numbers, as they lie in memory, in the precision of the Program.
struct CellFile {
    std::filesystem::path path;
    std::uint64_t first = 0;  ///< the place of cell 0
    bool one_nan = false;     ///< every NaN is written as 7fc00000 (7ff8000000000000)
};

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
