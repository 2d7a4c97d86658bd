// mottle/field/tensors.h: the tensors of a model as rows of a mesh
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"
#include "mottle/field/field.h"

namespace mottle::field {

/// Evaluates along, across and direction of every tensor() in the equations at the vertices, in f64, and gives `mesh` their rows.
/// Throws: ModelError, InputError (no such attribute, not finite).
void add_tensors(domain::Mesh& mesh, const model::Model& model, const InitialSpec& initial, core::ThreadTeam& team);

}  // namespace mottle::field
