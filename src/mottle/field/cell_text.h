// mottle/field/cell_text.h: how messages name a cell
#pragma once
#include "mottle/domain/domain.h"

#include <functional>
#include <string>

namespace mottle::field {

/// "cell (12, 7)": column and row from 0, with the plane in 3D; "vertex 12 (0.1, 2, -0.5)": the number in the file, from 0, and its coordinates there.
std::string cell_text(const domain::Domain& domain, core::Index cell);

/// The order in which messages look for the first cell: by index; on a mesh by the index in the file.
core::Index file_index(const domain::Domain& domain, core::Index cell);

/// Of the cells that `accepts` takes, the first by file_index(); `lowest` is the one of the lowest index.
core::Index first_in_file(const domain::Domain& domain, core::Index lowest, const std::function<bool(core::Index cell)>& accepts);

}  // namespace mottle::field
