// mottle/domain/operators/tensor_weights.h: rows of anisotropic diffusion on a surface
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// A diffusion tensor at every vertex: `along` a direction and `across` it, in the tangent plane.
struct TensorField {
    std::vector<double> along, across;  ///< V each
    std::vector<Point> direction;       ///< V; its length and sign do not count
};

/// Finite-element weights t_ij of -div(T*grad(f)) over the one-ring, divided by the lumped mass: (A f)_i = sum of weight_ij (f_j - f_i).
/// In a face T is the mean over its three vertices of along d d^T + across (I - d d^T), d the vertex's direction projected to the plane of the face and
/// normalised; where less than a millionth of a direction lies in that plane, T is (along + across)/2 I. So T is as definite as along and across are
/// positive, and the natural border condition is no-flux.
/// Shape:  one weight per entry of mesh.operators, in its order.
/// Units:  those of along over length^2.
/// Sign:   as MeshOperators::laplacian, which along = across = 1 gives; t_ij is symmetric to the bit.
/// Throws: InputError naming a vertex whose numbers are not finite.
std::vector<double> tensor_weights(const Mesh& mesh, const TensorField& tensor, core::ThreadTeam& team);

}  // namespace mottle::domain
