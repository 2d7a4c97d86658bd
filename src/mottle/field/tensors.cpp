// mottle/field/tensors.cpp: evaluates the tensors of a model at the vertices of a mesh
#include "mottle/field/tensors.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/tensor_weights.h"
#include "mottle/field/source.h"
#include "mottle/ir/lower/rewrite.h"
#include "mottle/ir/lower/tensor.h"

#include <algorithm>

namespace mottle::field {

using model::ExprPtr;

namespace {

ExprPtr attribute(const std::string& name, const core::Span& span) {
    model::Expr text{};
    text.kind = model::Expr::Kind::text;
    text.name = name;
    text.span = span;
    return ir::call(model::Callee::attr, {std::make_shared<const model::Expr>(std::move(text))}, span);
}

/// attr("d") stands for the attributes d_x, d_y, d_z, or dx, dy, dz as in "nx ny nz".
std::vector<ExprPtr> components(const std::vector<ExprPtr>& direction, const domain::Surface& surface) {
    if (direction.size() == 3) return direction;
    const model::Expr& named = *direction[0];
    const std::string& name = named.args[0]->name;
    std::vector<std::string> known;
    for (const domain::Attribute& a : surface.attributes) known.push_back(a.name);
    for (const char* joint : {"_", ""}) {
        std::vector<ExprPtr> parts;
        for (const char* axis : {"x", "y", "z"}) {
            const std::string part = name + joint + axis;
            if (std::find(known.begin(), known.end(), part) != known.end()) parts.push_back(attribute(part, named.span));
        }
        if (parts.size() == 3) return parts;
    }
    std::string list;
    for (const std::string& other : known) list += (list.empty() ? "; there are " : ", ") + other;
    throw core::InputError(surface.name + " has no direction '" + name + "', which is three attributes " + name + "_x, " + name +
                               "_y and " + name + "_z" + (list.empty() ? "; its vertices have only coordinates" : list) +
                               "; or write three expressions: tensor(1, 0.1, 0, 0, 1)",
                           named.span);
}

}  // namespace

void add_tensors(domain::Mesh& mesh, const model::Model& model, const InitialSpec& initial, core::ThreadTeam& team) {
    mesh.tensors.clear();
    const domain::Domain domain = mesh;
    const std::size_t count = mesh.surface->position.size();
    for (const ir::Tensor& tensor : ir::tensors_of(model)) {
        if (mesh.operators->flips >= 0)
            throw core::InputError("tensor() uses the triangles as they are, but delaunay flips their edges; omit --delaunay", tensor.span);
        auto evaluate = [&](const ExprPtr& expr) {
            std::vector<double> values(count);
            create_row_expression(ir::lower_position(expr, model, domain), domain, initial)(0, 0, values);
            return values;
        };
        domain::TensorField field{evaluate(tensor.along), evaluate(tensor.across), std::vector<domain::Point>(count)};
        const std::vector<ExprPtr> direction = components(tensor.direction, *mesh.surface);
        for (std::size_t d = 0; d < 3; ++d) {
            const std::vector<double> values = evaluate(direction[d]);
            for (std::size_t v = 0; v < count; ++v) field.direction[v][d] = values[v];
        }
        mesh.tensors.push_back({tensor.name, std::make_shared<const std::vector<double>>(domain::tensor_weights(mesh, field, team))});
    }
}

}  // namespace mottle::field
