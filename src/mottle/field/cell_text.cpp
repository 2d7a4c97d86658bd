// mottle/field/cell_text.cpp: a cell as messages name it
#include "mottle/field/cell_text.h"

namespace mottle::field {

std::string cell_text(const domain::Domain& domain, core::Index cell) {
    const auto& size = std::get<domain::Grid>(domain).size;
    std::string text = "cell (" + std::to_string(cell % size[0]) + ", " + std::to_string(cell / size[0] % size[1]);
    if (size[2] > 1) text += ", " + std::to_string(cell / (size[0] * size[1]));
    return text + ")";
}

}  // namespace mottle::field
