// mottle/field/cell_text.cpp: a cell as messages name it
#include "mottle/field/cell_text.h"

#include "mottle/core/text.h"

namespace mottle::field {

std::string cell_text(const domain::Domain& domain, core::Index cell) {
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) {
        const auto vertex = core::at(cell);
        const domain::Point& p = mesh->surface->position[vertex];
        return "vertex " + std::to_string(mesh->surface->original[vertex]) + " (" + core::number_text(p[0]) + ", " +
               core::number_text(p[1]) + ", " + core::number_text(p[2]) + ")";
    }
    const auto& size = std::get<domain::Grid>(domain).size;
    std::string text = "cell (" + std::to_string(cell % size[0]) + ", " + std::to_string(cell / size[0] % size[1]);
    if (size[2] > 1) text += ", " + std::to_string(cell / (size[0] * size[1]));
    return text + ")";
}

core::Index file_index(const domain::Domain& domain, core::Index cell) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    return mesh ? mesh->surface->original[core::at(cell)] : cell;
}

core::Index first_in_file(const domain::Domain& domain, core::Index lowest, const std::function<bool(core::Index cell)>& accepts) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    if (!mesh || mesh->surface->keeps_order()) return lowest;
    core::Index first = lowest;
    for (core::Index v = lowest; v < mesh->vertex_count(); ++v) {
        if (file_index(domain, v) < file_index(domain, first) && accepts(v)) first = v;
    }
    return first;
}

}  // namespace mottle::field
