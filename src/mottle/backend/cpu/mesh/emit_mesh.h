// mottle/backend/cpu/mesh/emit_mesh.h: Program -> LLVM IR text of mesh kernels over slices
#pragma once
#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/backend/cpu/mesh/plan.h"

#include <string>

namespace mottle::backend::cpu {

/// Vertices of a slice.
int mesh_lanes(const Isa& isa, bool f64);
/// mesh_stage<s>, and mesh_flush: the last stage of a step that flushes (ir::is_flush_step; f64).
std::string mesh_function(int stage, bool flush);
/// How a kernel reads the words of neighbours.
struct Fetch {
    bool wide = false;    ///< indices of 32 bits, else of 16
    bool gather = false;  ///< by instructions that gather vectors, else word by word
};
/// The whole module.
std::string emit_mesh(const ir::Program& program, const MeshPlan& plan, const Isa& isa, Fetch fetch);

}  // namespace mottle::backend::cpu
