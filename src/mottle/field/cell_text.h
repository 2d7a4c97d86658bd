// mottle/field/cell_text.h: a cell as messages name it
#pragma once
#include "mottle/domain/domain.h"

#include <string>

namespace mottle::field {

/// "cell (12, 7)": column and row from 0, with the plane in 3D; "vertex 12 (0.1, 2, -0.5)": the number in the file, from 0, and its coordinates there.
std::string cell_text(const domain::Domain& domain, core::Index cell);

}  // namespace mottle::field
