// mottle/domain/mesh.cpp: lookups of a mesh
#include "mottle/domain/mesh.h"

namespace mottle::domain {

const std::vector<Boundary>& Mesh::loops_of(const std::string& field) const {
    for (const auto& [name, rules] : field_loops) {
        if (name == field) return rules;
    }
    return loops;
}

}  // namespace mottle::domain
