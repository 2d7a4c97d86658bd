// mottle/ir/lower/domain.h: the lowerings of the kinds of domain
#pragma once
#include "mottle/ir/lower/value.h"

namespace mottle::ir {

std::unique_ptr<Lowering> create_grid_lowering(const System& system, const Method& method, const domain::Grid& grid);
std::unique_ptr<Lowering> create_mesh_lowering(const System& system, const Method& method, const domain::Mesh& mesh);

}  // namespace mottle::ir
