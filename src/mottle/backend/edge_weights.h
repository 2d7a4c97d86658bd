// mottle/backend/edge_weights.h: the numbers that an edge instruction of a Program stands for
#pragma once
#include "mottle/ir/program/program.h"

namespace mottle::backend {

/// One per entry of the rows of `mesh`, in f64.
inline const std::vector<double>& edge_weights(const domain::Mesh& mesh, ir::Edge edge) {
    if (edge >= ir::kEdgeTensor) return *mesh.tensors[core::at(edge - ir::kEdgeTensor)].weights;
    return edge == ir::kEdgeLaplacian ? mesh.operators->laplacian : mesh.operators->gradient[core::at(edge - ir::kEdgeGradientX)];
}

}  // namespace mottle::backend
