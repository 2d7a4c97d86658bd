// mottle/run/settings/parameter_change.cpp: the parameters that follow another one, and what of a surface cannot follow
#include "mottle/run/settings/parameter_change.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/cell_text.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/lower/rewrite.h"
#include "mottle/ir/lower/tensor.h"
#include "mottle/ir/stability/stability.h"
#include "mottle/model/parameters.h"
#include "mottle/stepper/stepper.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

namespace mottle::run {
namespace {

using model::Expr;
using model::ExprPtr;

std::size_t place_of(const model::Model& model, const std::string& name) {
    const auto found = std::find_if(model.parameters.begin(), model.parameters.end(), [&](const auto& each) { return each.name == name; });
    if (found == model.parameters.end()) throw core::InternalError("a parameter of the program that the model lacks: " + name);
    return static_cast<std::size_t>(found - model.parameters.begin());
}

bool names_one_of(const Expr& expr, const std::set<std::string>& names) {
    if (expr.kind == Expr::Kind::name) return names.contains(expr.name);
    return std::any_of(expr.args.begin(), expr.args.end(), [&](const ExprPtr& arg) { return names_one_of(*arg, names); });
}

/// What the preparation of a surface took from one of the parameters `names`.
std::string fixed_by(const Spec& spec, const std::set<std::string>& names) {
    const auto* mesh = std::get_if<domain::Mesh>(&spec.domain);
    if (!mesh) return "";
    if (!spec.region.empty() && names_one_of(*model::parse_position({spec.region, {}}, spec.model, "the region"), names))
        return "the region of the surface";
    if (mesh->tensors.empty()) return "";
    for (const ir::Tensor& tensor : ir::tensors_of(spec.model)) {
        const auto has = [&](const ExprPtr& expr) { return names_one_of(*expr, names); };
        if (has(tensor.along) || has(tensor.across) || std::any_of(tensor.direction.begin(), tensor.direction.end(), has))
            return "tensor() on the surface";
    }
    return "";
}

/// Sorts what has changed, by places in the model of `change`, into what a run has of it.
void sort(ParameterChange& change, const std::vector<std::size_t>& changed, const Spec& spec, const ir::Program& program) {
    std::set<std::string> names;
    for (const std::size_t place : changed) {
        const model::Parameter& parameter = change.model.parameters[place];
        names.insert(parameter.name);
        const ir::Array array = program.find_array(parameter.name);
        if (!parameter.map)
            change.numbers.push_back(parameter.name);
        else if (array >= 0 && program.arrays[core::at(array)].kind == ir::ArrayInfo::Kind::input)
            change.maps.push_back(array);
    }
    change.fixed = fixed_by(spec, names);
}

/// Throws: InputError where a map varies now along an axis along which the program keeps one value.
void require_room(const ParameterChange& change, const Spec& spec, const ir::Program& program) {
    const auto* grid = std::get_if<domain::Grid>(&spec.domain);
    if (!grid) return;
    const ir::Classifier classifier(change.model);
    for (const ir::Array map : change.maps) {
        const ir::ArrayInfo& array = program.arrays[core::at(map)];
        const std::array<bool, 3> axes = classifier.axes(*change.model.parameters[place_of(change.model, array.name)].map);
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            if (grid->size[axis] > 1 && axes[axis] && !array.varies[axis])
                throw core::InputError(
                    "the map " + array.name + " does not vary along " + std::string(1, "xyz"[axis]) +
                    " in this simulation, which keeps one value of it there; give the array when the simulation is made");
        }
    }
}

ExprPtr given(const std::string& name, double low, double high) {
    Expr text{};
    text.kind = Expr::Kind::text;
    text.name = name;
    return ir::call(model::Callee::given, {std::make_shared<const Expr>(std::move(text)), ir::number(low), ir::number(high)});
}

/// The least and the greatest of the values of a map. Throws: InputError (not finite, but for NaN where a surface has no vertex, or where another copy of a vertex counts).
std::pair<double, double> bounds_of(std::span<const double> values, const domain::Domain& domain, const std::string& name) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    const Index wanted = mesh ? std::ssize(mesh->surface->vertex_of) : domain::cell_count(domain);
    if (std::ssize(values) != wanted)
        throw core::InputError("the map '" + name + "' has " + core::grouped(wanted) + " values, not " + core::grouped(std::ssize(values)));
    std::pair<double, double> bounds = {ir::kInfinity, -ir::kInfinity};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (mesh && std::isnan(values[i]) && !mesh->surface->counts(i)) continue;
        if (!std::isfinite(values[i])) {
            const Index cell = mesh ? mesh->surface->vertex_of[i] : static_cast<Index>(i);
            throw core::InputError("the map '" + name + "' cannot be " + core::number_text(values[i]) +
                                   (cell < 0 ? "" : " at " + field::cell_text(domain, cell)) + "; values must be finite");
        }
        bounds = {std::min(bounds.first, values[i]), std::max(bounds.second, values[i])};
    }
    return bounds;
}

}  // namespace

ParameterChange change_number(const Spec& spec, const ir::Program& program, const std::string& name, double value) {
    stepper::index_of_parameter(program, name, value);  // refuses what is unknown
    ParameterChange change{.model = spec.model, .initial = spec.initial, .numbers = {}, .maps = {}, .fixed = {}};
    const std::vector<std::size_t> changed = model::set_number(change.model.parameters, place_of(spec.model, name), value);
    sort(change, changed, spec, program);
    return change;
}

ParameterChange change_map(const Spec& spec, const ir::Program& program, const std::string& name,
                           std::shared_ptr<const std::vector<double>> values) {
    const std::size_t place = place_of(spec.model, name);
    const auto [low, high] = bounds_of(*values, spec.domain, name);
    ParameterChange change{.model = spec.model, .initial = spec.initial, .numbers = {}, .maps = {}, .fixed = {}};
    const std::vector<std::size_t> changed = model::set_map(change.model.parameters, place, given(name, low, high));
    change.initial.arrays[name] = std::move(values);
    sort(change, changed, spec, program);
    require_room(change, spec, program);
    return change;
}

}  // namespace mottle::run
