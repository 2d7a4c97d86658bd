// mottle/ranks/program_parcel.cpp: Programs, grids and surfaces as bytes
#include "mottle/ranks/program_parcel.h"

#include "mottle/ranks/parcel.h"

// The types are of other floors, and these functions are found beside them.
namespace mottle::ir {

template <class Parcel>
void carry(Parcel& parcel, ArrayInfo& array) {
    ranks::carry_all(parcel, array.name, array.kind, array.ghost_rule, array.varies);
}
template <class Parcel>
void carry(Parcel& parcel, Uniform& uniform) {
    ranks::carry_all(parcel, uniform.name, uniform.code, uniform.per_step);
}
template <class Parcel>
void carry(Parcel& parcel, Stage& stage) {
    ranks::carry_all(parcel, stage.name, stage.code, stage.stores);
}
template <class Parcel>
void carry(Parcel& parcel, Sweep& sweep) {
    ranks::carry_all(parcel, sweep.stages);
}
template <class Parcel>
void carry(Parcel& parcel, Phase& phase) {
    ranks::carry_all(parcel, phase.sums, phase.time, phase.held, phase.next, phase.ends, phase.switches);
}
template <class Parcel>
void carry(Parcel& parcel, SourceCall& call) {
    ranks::carry_all(parcel, call.function, call.args, call.text, call.draw, call.centres, call.picture);
}
template <class Parcel>
void carry(Parcel& parcel, Phases& phases) {
    ranks::carry_all(parcel, phases.sums, phases.differ, phases.flush, phases.begin, phases.step);
}

}  // namespace mottle::ir

namespace mottle::domain {

template <class Parcel>
void carry(Parcel& parcel, Boundary& boundary) {
    ranks::carry_all(parcel, boundary.rule);
}

}  // namespace mottle::domain

namespace mottle::ranks {
namespace {

template <class Parcel>
void carry_sides(Parcel& parcel, domain::Sides& sides) {
    for (domain::Boundary& side : sides) carry(parcel, side);
}

template <class Parcel>
void carry_program(Parcel& parcel, ir::Program& program) {
    carry_all(parcel, program.f64, program.arrays, program.ghosts, program.inputs, program.parameter_end, program.uniforms, program.step,
              program.flush_step, program.phases, program.staged, program.beside);
}

template <class Parcel>
void carry_grid(Parcel& parcel, domain::Grid& grid) {
    carry_all(parcel, grid.size, grid.spacing, grid.stencil.kind, grid.stencil.weights);
    carry_sides(parcel, grid.sides);
    carry_size(parcel, grid.field_sides);
    for (auto& [field, sides] : grid.field_sides) {
        carry(parcel, field);
        carry_sides(parcel, sides);
    }
}

/// What is filled while it is read, and is shared and constant afterwards. A packer only looks at it.
template <class Parcel, class T>
std::shared_ptr<T> changeable(const std::shared_ptr<const T>& shared) {
    return Parcel::kReads ? std::make_shared<T>() : std::const_pointer_cast<T>(shared);
}

template <class Parcel>
void carry_mesh(Parcel& parcel, domain::Mesh& mesh) {
    const std::shared_ptr<domain::Surface> surface = changeable<Parcel>(mesh.surface);
    const std::shared_ptr<domain::MeshOperators> rows = changeable<Parcel>(mesh.operators);
    carry_all(parcel, surface->name, surface->position, surface->original, surface->loops, rows->first, rows->neighbour, rows->cotangent,
              rows->laplacian, rows->gradient[0], rows->gradient[1], rows->gradient[2], rows->mass, rows->flips, mesh.whole_bounds,
              mesh.scale);
    carry_size(parcel, mesh.tensors);
    for (domain::TensorRows& tensor : mesh.tensors) {
        const std::shared_ptr<std::vector<double>> weights = changeable<Parcel>(tensor.weights);
        carry_all(parcel, tensor.name, *weights);
        tensor.weights = weights;
    }
    mesh.surface = surface;
    mesh.operators = rows;
}

}  // namespace

void carry(Packer& parcel, ir::Program& program) { carry_program(parcel, program); }
void carry(Unpacker& parcel, ir::Program& program) { carry_program(parcel, program); }
void carry(Packer& parcel, ir::Expression& expression) { carry_all(parcel, expression.code, expression.sources); }
void carry(Unpacker& parcel, ir::Expression& expression) { carry_all(parcel, expression.code, expression.sources); }
void carry(Packer& parcel, domain::Grid& grid) { carry_grid(parcel, grid); }
void carry(Unpacker& parcel, domain::Grid& grid) { carry_grid(parcel, grid); }
void carry(Packer& parcel, domain::Mesh& mesh) { carry_mesh(parcel, mesh); }
void carry(Unpacker& parcel, domain::Mesh& mesh) { carry_mesh(parcel, mesh); }

}  // namespace mottle::ranks
