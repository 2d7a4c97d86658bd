// mottle/sweep/shared_parts.cpp: writes the expressions of shared parts out with the numbers of each member, and compares
#include "mottle/sweep/shared_parts.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/ir/lower/tensor.h"

#include <algorithm>

namespace mottle::sweep {
namespace {

using model::ExprPtr;

/// What the values of an expression come from, parameters with their numbers and maps; random numbers aside.
struct Origin {
    std::string text;
    bool draws = false;
};

void trace(const model::Expr& expr, const model::Model& model, Origin& origin) {
    for (const ExprPtr& argument : expr.args) trace(*argument, model, origin);
    origin.draws = origin.draws || ir::draws_of(expr) > 0;
    if (expr.kind != model::Expr::Kind::name) return;
    for (const model::Parameter& parameter : model.parameters) {
        if (parameter.name != expr.name) continue;
        origin.text += parameter.name + " = " + (parameter.map ? model::print(*parameter.map) : core::number_text(parameter.value)) + "\n";
        if (parameter.map) trace(*parameter.map, model, origin);
    }
}

Origin origin_of(const std::vector<ExprPtr>& expressions, const model::Model& model) {
    Origin origin;
    for (const ExprPtr& expression : expressions) trace(*expression, model, origin);
    return origin;
}

/// The axis that changes what is made of `expressions`; none if none does.
const Axis* axis_that_changes(const std::vector<ExprPtr>& expressions, const Spec& spec) {
    const Origin first = origin_of(expressions, spec.models[0]);
    for (const Axis& axis : spec.axes) {
        if (axis.is_seed && first.draws) return &axis;
    }
    const auto differs = [&](std::size_t member) { return origin_of(expressions, spec.models[member]).text != first.text; };
    for (std::size_t member = 1; member < spec.size(); ++member) {
        if (differs(member)) return differs(member % spec.axes[0].values.size()) ? &spec.axes.front() : &spec.axes.back();
    }
    return nullptr;
}

}  // namespace

void require_shared_parts(const Spec& spec) {
    if (!std::holds_alternative<domain::Mesh>(spec.base.domain)) return;
    if (!spec.base.region.empty()) {
        const core::Text text{spec.base.region, {}};
        if (const Axis* axis = axis_that_changes({model::parse_position(text, spec.base.model, "the region")}, spec))
            throw core::InputError("all runs of a sweep share the region, and '" + spec.base.region + "' changes with " + axis->name +
                                   "; run them one by one");
    }
    for (const ir::Tensor& tensor : ir::tensors_of(spec.base.model)) {
        std::vector<ExprPtr> expressions = tensor.direction;
        expressions.insert(expressions.end(), {tensor.along, tensor.across});
        if (const Axis* axis = axis_that_changes(expressions, spec))
            throw core::InputError("all runs of a sweep share the directions and maps of tensor(), and they change with " + axis->name +
                                       "; run them one by one",
                                   tensor.span);
    }
}

}  // namespace mottle::sweep
