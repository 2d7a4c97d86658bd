// mottle/domain/operators/operators.h: cotangent weights, lumped mass and vertex-gradient rows of a triangle mesh
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// Assembles the rows of `surface`, whose lengths are multiplied by `scale`.
/// Shape:  V + 1 row starts; one entry per vertex and neighbour, neighbours by ascending original index; V masses.
/// Units:  cotangent none, laplacian 1/length^2, gradient 1/length, mass length^2.
/// Sign:   cotangent is w_ij of L_ij = -w_ij; laplacian is +w_ij / m_i, so that lap(f)_i = sum of laplacian_ij (f_j - f_i).
/// Throws: InputError if a result leaves the range of f64.
/// Source: Pinkall & Polthier 1993 (weights); face gradients averaged by incident angle, docs/numerics.md "Triangle meshes".
MeshOperators assemble_operators(const Surface& surface, double scale, core::ThreadTeam& team);

/// Throws: InputError if weights would overflow in f32, or all of them vanish.
void check_f32_range(const Mesh& mesh);

/// The angle whose sine is proportional to `sine` >= 0 and whose cosine to `cosine`, in 0..pi; within 2 ulp, the same bits on every machine.
double corner_angle(double sine, double cosine);

}  // namespace mottle::domain
