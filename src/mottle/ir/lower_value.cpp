// mottle/ir/lower_value.cpp: expressions -> values of one cell of a grid
#include "mottle/ir/lower_value.h"

#include "mottle/core/error.h"
#include "mottle/ir/call.h"

#include <algorithm>
#include <limits>

namespace mottle::ir {

using domain::Rule;
using model::Expr;
using model::ExprPtr;

namespace {

Shift along(int axis, int step) {
    Shift shift{0, 0, 0};
    shift[static_cast<std::size_t>(axis)] = step;
    return shift;
}

bool is_operator(const Expr& expr) {
    for (const char* name : {"lap", "dx", "dy", "dz", "dot", "norm2", "bilap", "div"}) {
        if (is_call(expr, name)) return true;
    }
    return false;
}

}  // namespace

GridLowering::GridLowering(const System& system, const Method& method, const domain::Grid& grid)
    : system_(system), grid_(grid), classifier_(system.model), uniforms_(program_, system.model), shape_(laplacian_shape(grid)), last_(method.f64, std::numeric_limits<int>::max()) {
    program_.f64 = method.f64;
    for (const auto& side : grid.sides) still_ = still_ || side.rule == Rule::still;
    for (const auto& [name, sides] : grid.field_sides) {
        for (std::size_t i = 0; i < sides.size(); ++i) {
            if ((sides[i].rule == Rule::still) != (grid.sides[i].rule == Rule::still)) {
                throw core::InputError("a 'still' side holds for all fields; write it in [boundary], not for '" + name + "' alone");
            }
        }
    }
    for (std::size_t i = 0; i < system.model.equations.size(); ++i) {
        program_.arrays.push_back({system.model.equations[i].field, ArrayInfo::Kind::state, ghost_rule({static_cast<int>(i)}, false)});
    }
    for (std::size_t i = 0; i < system.model.parameters.size(); ++i) {
        const auto& parameter = system.model.parameters[i];
        if (!parameter.map) continue;
        maps_[static_cast<int>(i)] = static_cast<Array>(program_.arrays.size());
        program_.arrays.push_back({parameter.name, ArrayInfo::Kind::input, ghost_rule({}, true)});
    }
}

// ---- ghosts

Ghost GridLowering::ghost(const domain::Boundary& boundary, bool homogeneous) {
    auto affine = [&](const ExprPtr& alpha, double beta) {
        return Ghost{boundary.rule, uniforms_.index(homogeneous ? number(0) : alpha), uniforms_.index(number(beta))};
    };
    switch (boundary.rule) {
        case Rule::value: return affine(multiply(number(2), boundary_value(boundary)), -1);
        case Rule::outside: return affine(boundary_value(boundary), 0);
        case Rule::periodic: return {Rule::periodic, -1, -1};
        case Rule::no_flux:
        case Rule::still: break;  // a still cell never sees its ghost; it copies like no-flux
    }
    return {Rule::no_flux, -1, -1};
}

ExprPtr GridLowering::boundary_value(const domain::Boundary& boundary) const {
    return model::parse_uniform(boundary.term, system_.model, "a boundary value");
}

int GridLowering::ghost_rule(const std::vector<int>& fields, bool homogeneous) {
    GhostRule rule;
    for (std::size_t side = 0; side < rule.size(); ++side) {
        auto boundary = [&](int field) { return grid_.sides_of(system_.model.equations[static_cast<std::size_t>(field)].field)[side]; };
        bool alike = !fields.empty();
        for (int field : fields) alike = alike && boundary(field).rule == boundary(fields[0]).rule;
        if (alike) {
            rule[side] = ghost(boundary(fields[0]), homogeneous);
        } else {
            bool periodic = fields.empty() && grid_.sides[side].rule == Rule::periodic;
            rule[side] = {periodic ? Rule::periodic : Rule::no_flux, -1, -1};
        }
    }
    for (std::size_t i = 0; i < program_.ghosts.size(); ++i) {
        auto same = [](const Ghost& a, const Ghost& b) { return a.rule == b.rule && a.alpha == b.alpha && a.beta == b.beta; };
        if (std::equal(rule.begin(), rule.end(), program_.ghosts[i].begin(), same)) return static_cast<int>(i);
    }
    program_.ghosts.push_back(rule);
    return static_cast<int>(program_.ghosts.size()) - 1;
}

// ---- held stages

// The number of held stages that must have run before `expr` can be evaluated in a cell.
int GridLowering::level(const Expr& expr) const {
    int needed = 0;
    if (is_call(expr, "bilap")) {
        needed = operand_level(expr) + 1;
    } else if (is_call(expr, "div")) {
        Flux flux = flux_of(expr);
        needed = operand_level(*call("lap", {flux.potential}));
        if (flux.conductivity) {
            needed = std::max(needed, classifier_.needs_neighbours(*flux.conductivity) ? level(*flux.conductivity) + 1 : 0);
        }
    } else if (is_operator(expr)) {
        for (const auto& arg : expr.args) {
            bool vector = is_call(expr, "dot") || is_call(expr, "norm2");
            Flux flux = vector ? flux_of(*call("div", {arg}, expr.span)) : Flux{nullptr, arg};
            needed = std::max(needed, operand_level(*call("lap", {flux.potential})));
            if (flux.conductivity) needed = std::max(needed, level(*flux.conductivity));
        }
    } else {
        for (const auto& arg : expr.args) needed = std::max(needed, level(*arg));
    }
    return needed;
}

int GridLowering::operand_level(const Expr& expr) const {
    const Expr& arg = *expr.args[0];
    return classifier_.field(arg) >= 0 || classifier_.map(arg) >= 0 ? 0 : level(arg) + 1;
}

Array GridLowering::hold(const ExprPtr& expr) {
    std::string text = model::print(*expr);
    if (auto found = held_.find(text); found != held_.end()) return found->second;
    auto at = static_cast<std::size_t>(level(*expr));
    while (stages_.size() <= at) stages_.emplace_back(program_.f64, static_cast<int>(stages_.size()));
    Value result = value(stages_[at], expr);
    auto array = static_cast<Array>(program_.arrays.size());
    program_.arrays.push_back({text, ArrayInfo::Kind::held, ghost_rule(classifier_.fields(*expr), true)});
    stages_[at].stores.emplace_back(array, result);
    held_.emplace(std::move(text), array);
    return array;
}

void GridLowering::hold_operands(const ExprPtr& expr) {
    for (const auto& arg : expr->args) hold_operands(arg);
    if (is_call(*expr, "lap") || is_call(*expr, "dx") || is_call(*expr, "dy") || is_call(*expr, "dz")) {
        operand(expr->args[0]);
    } else if (is_call(*expr, "bilap")) {
        hold(call("lap", {expr->args[0]}, expr->span));
    }
}

Array GridLowering::operand(const ExprPtr& expr) {
    if (int field = classifier_.field(*expr); field >= 0) return field_array(field);
    if (int map = classifier_.map(*expr); map >= 0) return maps_.at(map);
    return hold(expr);
}

void GridLowering::finish() {
    for (auto& stage : stages_) {
        program_.step.stages.push_back({"hold " + std::to_string(program_.step.stages.size()), stage.code.take(), std::move(stage.stores)});
    }
    program_.step.stages.push_back({"update", last_.code.take(), std::move(last_.stores)});
}

// ---- loads and neighbours

// On a border cell of a `still` side every neighbour load gives the cell's own value.
Value GridLowering::load(StageBuilder& stage, Array array, Shift shift) {
    Builder& b = stage.code;
    Value there = b.load(array, shift[0], shift[1], shift[2]);
    if (!still_ || shift == Shift{0, 0, 0}) return there;
    Value border = -1;
    for (int d = 0; d < 3; ++d) {
        auto side = static_cast<std::size_t>(2 * d);
        if (grid_.size[static_cast<std::size_t>(d)] == 1) continue;  // an axis of one cell has no border
        if (grid_.sides[side].rule != Rule::still && grid_.sides[side + 1].rule != Rule::still) continue;
        Value mark = b.axis(static_cast<Axis>(kStillX + d));
        border = border < 0 ? mark : b.add(border, mark);
    }
    return border < 0 ? there : b.select(b.less(b.literal(0), border), b.load(array), there);
}

Value GridLowering::group_sum(StageBuilder& stage, const StencilGroup& group, Array array) {
    return group.sum(stage.code, [&](int dx, int dy, int dz) { return load(stage, array, {dx, dy, dz}); });
}

Value GridLowering::group_difference(StageBuilder& stage, const StencilGroup& group, Array array) {
    Builder& b = stage.code;
    Value sum = group_sum(stage, group, array);
    Value centre = load(stage, array, {0, 0, 0});
    if (group.count == 1) return b.sub(sum, centre);
    return b.fma(b.literal(-group.count), centre, sum);
}

Value GridLowering::laplacian(StageBuilder& stage, Array array) {
    Builder& b = stage.code;
    if (shape_.groups.empty()) return b.literal(0);
    Value sum = -1;
    for (const auto& group : shape_.groups) {
        Value difference = group_difference(stage, group, array);
        bool unit = group.weight == 1;  // decided by the spacing, which is part of the text
        if (sum < 0) {
            sum = unit ? difference : b.mul(b.literal(group.weight), difference);
        } else {
            sum = b.fma(b.literal(group.weight), difference, sum);
        }
    }
    return shape_.residual == 0 ? sum : b.fma(b.literal(shape_.residual), load(stage, array, {0, 0, 0}), sum);
}

Value GridLowering::difference(StageBuilder& stage, int axis, Array array) {
    return stage.code.sub(load(stage, array, along(axis, 1)), load(stage, array, along(axis, -1)));
}

std::vector<std::pair<double, Value>> GridLowering::fluxes(StageBuilder& stage, const Flux& flux) {
    Builder& b = stage.code;
    Array potential = operand(flux.potential);
    ExprPtr conductivity = flux.conductivity;
    bool held = classifier_.needs_neighbours(*conductivity);
    Array held_array = held ? hold(conductivity) : -1;
    auto conduct = [&](Shift shift) { return held ? load(stage, held_array, shift) : value(stage, conductivity, shift); };
    std::vector<std::pair<double, Value>> result;
    for (int axis = 2; axis >= 0; --axis) {
        if (!active(axis)) continue;
        auto face = [&](int step) {
            Value mean = b.add(conduct({0, 0, 0}), conduct(along(axis, step)));
            return b.mul(mean, b.sub(load(stage, potential, along(axis, step)), load(stage, potential, {0, 0, 0})));
        };
        result.emplace_back(1 / (2 * spacing(axis) * spacing(axis)), b.add(face(1), face(-1)));
    }
    return result;
}

// dot(a grad f, b grad g) = a b (sum over axes of f' g'), by fma from z to x.
Value GridLowering::gradient_product(StageBuilder& stage, const ExprPtr& first, const ExprPtr& second) {
    Builder& b = stage.code;
    Flux f = flux_of(*call("div", {first}, first->span)), g = flux_of(*call("div", {second}, second->span));
    Array left = operand(f.potential), right = operand(g.potential);
    Value sum = -1;
    for (int axis = 2; axis >= 0; --axis) {
        if (!active(axis)) continue;
        Value scaled = b.mul(b.literal(1 / (4 * spacing(axis) * spacing(axis))), difference(stage, axis, left));
        Value other = difference(stage, axis, right);
        sum = sum < 0 ? b.mul(scaled, other) : b.fma(scaled, other, sum);
    }
    if (sum < 0) return b.literal(0);
    for (const auto& scale : {f.conductivity, g.conductivity}) {
        if (scale) sum = b.mul(value(stage, scale), sum);
    }
    return sum;
}

// ---- expressions

Value GridLowering::value(StageBuilder& stage, const ExprPtr& expr, Shift shift) {
    auto key = std::make_pair(expr, shift);
    if (auto found = stage.known.find(key); found != stage.known.end()) return found->second;
    Value result = classifier_.is_uniform(*expr) ? uniforms_.value(stage.code, expr) : lower(stage, expr, shift);
    stage.known.emplace(key, result);
    return result;
}

Value GridLowering::lower(StageBuilder& stage, const ExprPtr& expr, Shift shift) {
    if (expr->kind == Expr::Kind::name) return lower_name(stage, *expr, shift);
    if (is_operator(*expr)) {
        // what an earlier stage holds anyway is read, not formed again
        auto held = held_.find(model::print(*expr));
        if (held != held_.end() && level(*expr) < stage.level) return load(stage, held->second, shift);
        if (shift != Shift{0, 0, 0}) throw core::InternalError("an operator was evaluated in a neighbouring cell: " + model::print(*expr));
        return lower_operator(stage, expr);
    }
    if (is_call(*expr, "+") || is_call(*expr, "-")) return lower_sum(stage, *expr, shift);
    if (is_call(*expr, "/") && classifier_.is_uniform(*expr->args[1])) {
        Value above = value(stage, expr->args[0], shift);
        return stage.code.mul(above, uniforms_.value(stage.code, divide(number(1), expr->args[1])));
    }
    std::vector<Value> args;
    for (const auto& arg : expr->args) args.push_back(value(stage, arg, shift));
    return lower_call(stage.code, *expr, args);
}

Value GridLowering::lower_name(StageBuilder& stage, const Expr& expr, Shift shift) {
    if (int field = classifier_.field(expr); field >= 0) return load(stage, field_array(field), shift);
    if (int map = classifier_.map(expr); map >= 0) return load(stage, maps_.at(map), shift);
    const std::string names = "xyzXYZ";
    std::size_t at = names.find(expr.name);
    if (expr.name.size() != 1 || at == std::string::npos) throw core::ModelError("'" + expr.name + "' cannot be used here", expr.span);
    return stage.code.axis(static_cast<Axis>(at), shift[0], shift[1], shift[2]);
}

// The pass fuse_fma: a sum with a product is one fma; of two products the right one is fused.
Value GridLowering::lower_sum(StageBuilder& stage, const Expr& expr, Shift shift) {
    Builder& b = stage.code;
    bool minus = expr.name == "-";
    auto is_product = [&](const ExprPtr& e) { return is_call(*e, "*") && !classifier_.is_uniform(*e); };
    if (is_product(expr.args[1])) {
        Value left = value(stage, expr.args[0], shift);
        Value x = value(stage, expr.args[1]->args[0], shift), y = value(stage, expr.args[1]->args[1], shift);
        return b.fma(minus ? b.neg(x) : x, y, left);
    }
    if (is_product(expr.args[0])) {
        Value x = value(stage, expr.args[0]->args[0], shift), y = value(stage, expr.args[0]->args[1], shift);
        Value right = value(stage, expr.args[1], shift);
        return b.fma(x, y, minus ? b.neg(right) : right);
    }
    Value left = value(stage, expr.args[0], shift), right = value(stage, expr.args[1], shift);
    return minus ? b.sub(left, right) : b.add(left, right);
}

Value GridLowering::lower_operator(StageBuilder& stage, const ExprPtr& expr) {
    Builder& b = stage.code;
    if (is_call(*expr, "lap")) return laplacian(stage, operand(expr->args[0]));
    if (is_call(*expr, "bilap")) return laplacian(stage, hold(call("lap", {expr->args[0]}, expr->span)));
    if (is_call(*expr, "dot")) return gradient_product(stage, expr->args[0], expr->args[1]);
    if (is_call(*expr, "norm2")) return gradient_product(stage, expr->args[0], expr->args[0]);
    if (is_call(*expr, "div")) {
        Flux flux = flux_of(*expr);
        if (!flux.conductivity) return laplacian(stage, operand(flux.potential));
        if (classifier_.is_uniform(*flux.conductivity)) {
            return b.mul(uniforms_.value(b, flux.conductivity), laplacian(stage, operand(flux.potential)));
        }
        Value sum = -1;
        for (const auto& [weight, q] : fluxes(stage, flux)) sum = sum < 0 ? b.mul(b.literal(weight), q) : b.fma(b.literal(weight), q, sum);
        return sum < 0 ? b.literal(0) : sum;
    }
    int axis = expr->name[1] - 'x';
    if (!active(axis)) return b.literal(0);
    return b.mul(b.literal(1 / (2 * spacing(axis))), difference(stage, axis, operand(expr->args[0])));
}

}  // namespace mottle::ir
