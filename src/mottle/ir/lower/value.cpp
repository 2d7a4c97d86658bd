// mottle/ir/lower/value.cpp: expressions -> values of one cell
#include "mottle/ir/lower/value.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions/call.h"
#include "mottle/ir/lower/legendre.h"
#include "mottle/ir/lower/sums.h"
#include "mottle/ir/functions/white_noise.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace mottle::ir {

using model::Expr;
using model::ExprPtr;

namespace {

constexpr int kBehindAll = std::numeric_limits<int>::max();

/// Held operators of a conductivity have this behind their text.
constexpr const char* kMirrored = ", mirrored";

/// The states that are no fields: what sums need, then what the method keeps.
std::vector<std::string> names_beside(const System& system, const Scheme& scheme) {
    std::vector<std::string> names = plan_sums(system, scheme).names(system);
    if (const RungeKuttaLegendre* legendre = scheme.legendre()) {
        for (std::string& name : LegendreLowering::names(system, *legendre)) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

Lowering::Lowering(const System& system, const Method& method, LaplacianShape shape)
    : system_(system),
      classifier_(system.model),
      uniforms_(program_, system.model),
      time_(symbol("t")),
      shape_(std::move(shape)),
      beside_(names_beside(system, scheme_of(method))),
      fields_(system.model.equations.size()),
      rates_(method.f64, kBehindAll) {
    program_.f64 = method.f64;
    std::iota(fields_.begin(), fields_.end(), Array{0});
}

void Lowering::declare_arrays(bool grid) {
    for (std::size_t i = 0; i < system_.model.equations.size(); ++i) {
        program_.arrays.push_back({system_.model.equations[i].field, ArrayInfo::Kind::state, ghost_rule({static_cast<int>(i)}, false)});
    }
    for (const std::string& name : beside_) program_.arrays.push_back({name, ArrayInfo::Kind::state, ghost_rule({}, true)});
    program_.beside = static_cast<int>(beside_.size());
    for (std::size_t i = 0; i < system_.model.parameters.size(); ++i) {
        const auto& parameter = system_.model.parameters[i];
        if (!parameter.map) continue;
        maps_[static_cast<int>(i)] = static_cast<Array>(program_.arrays.size());
        program_.arrays.push_back({parameter.name, ArrayInfo::Kind::input, ghost_rule({}, true)});
        if (grid) program_.arrays.back().varies = classifier_.axes(*parameter.map);
    }
}

// ---- held stages

// The number of held stages that must have run before `expr` can be evaluated in a cell.
int Lowering::level(const Expr& expr) const {
    int needed = 0;
    if (expr.calls(Callee::bilap)) {
        needed = operand_level(expr) + 1;
    } else if (expr.calls(Callee::div)) {
        Flux flux = flux_of(expr);
        needed = operand_level(*call(Callee::lap, {flux.potential}));
        if (flux.conductivity) {
            needed = std::max(needed, holds(*flux.conductivity) ? level(*flux.conductivity) + 1 : 0);
        }
    } else if (makes_number(expr)) {
        for (const auto& arg : expr.args) {
            bool vector = expr.calls(Callee::dot) || expr.calls(Callee::norm2);
            Flux flux = vector ? flux_of(*call(Callee::div, {arg}, expr.span)) : Flux{nullptr, arg};
            needed = std::max(needed, operand_level(*call(Callee::lap, {flux.potential})));
            if (flux.conductivity) needed = std::max(needed, level(*flux.conductivity));
        }
    } else {
        for (const auto& arg : expr.args) needed = std::max(needed, level(*arg));
    }
    return needed;
}

int Lowering::operand_level(const Expr& expr) const {
    const Expr& arg = *expr.args[0];
    return classifier_.field(arg) >= 0 || classifier_.map(arg) >= 0 || is_in_place(arg) ? 0 : level(arg) + 1;
}

Array Lowering::hold(const ExprPtr& expr) {
    std::string text = model::print(*expr);
    if (auto found = held_.find(text); found != held_.end()) return found->second;
    return hold_as(std::move(text), expr, ghost_rule(classifier_.fields(*expr), true));
}

void Lowering::hold_parts(const ExprPtr& conductivity) {
    if (!makes_number(*conductivity) && !conductivity->calls(Callee::white)) {
        for (const auto& arg : conductivity->args) hold_parts(arg);
        return;
    }
    std::string text = model::print(*conductivity);
    if (noise_.contains(text) || held_.contains(text + kMirrored)) return;
    hold_as(text + kMirrored, conductivity, mirrored_rule(classifier_.fields(*conductivity)));
}

Array Lowering::hold_as(std::string text, const ExprPtr& expr, int ghosts) {
    auto at = core::at(level(*expr));
    while (stages_.size() <= at) stages_.emplace_back(program_.f64, static_cast<int>(stages_.size()));
    Value result = value(stages_[at], expr);
    auto array = static_cast<Array>(program_.arrays.size());
    program_.arrays.push_back({name_of(text, stage_), ArrayInfo::Kind::held, ghosts});
    stages_[at].stores.emplace_back(array, result);
    held_.emplace(std::move(text), array);
    return array;
}

void Lowering::hold_noise(const ExprPtr& expr) {
    for (const auto& arg : expr->args) hold_noise(arg);
    if (expr->calls(Callee::white)) noise_.emplace(model::print(*expr), hold(expr));
}

void Lowering::hold_operands(const ExprPtr& expr) {
    for (const auto& arg : expr->args) hold_operands(arg);
    if (expr->calls(Callee::lap) || expr->calls(Callee::dx) || expr->calls(Callee::dy) || expr->calls(Callee::dz)) {
        operand(expr->args[0]);
    } else if (expr->calls(Callee::bilap)) {
        hold(call(Callee::lap, {expr->args[0]}, expr->span));
    }
}

Array Lowering::operand(const ExprPtr& expr) {
    if (int field = classifier_.field(*expr); field >= 0) return field_array(field);
    if (int map = classifier_.map(*expr); map >= 0) return maps_.at(map);
    if (!is_in_place(*expr)) return hold(expr);
    const auto same = [&](const ExprPtr& known) { return model::equal(*known, *expr); };
    const auto found = std::find_if(in_place_.begin(), in_place_.end(), same);
    const auto place = found - in_place_.begin();
    if (found == in_place_.end()) in_place_.push_back(expr);
    return static_cast<Array>(-1 - place);
}

// ---- stages of a method

Array Lowering::hold_field(int field, const ExprPtr& time) {
    const std::string name = name_of(system_.model.equations[core::at(field)].field, stage_ + 1);
    const ExprPtr now = std::exchange(time_, time);
    const auto array = static_cast<Array>(program_.arrays.size());
    program_.arrays.push_back({name, ArrayInfo::Kind::held, ghost_rule({field}, false)});
    time_ = now;
    return array;
}

void Lowering::finish_rates(const std::string& name) {
    for (const auto& stage : stages_)
        program_.step.stages.push_back(stage.code.stage("hold " + std::to_string(program_.step.stages.size()), stage.stores));
    program_.step.stages.push_back(rates_.code.stage(name, rates_.stores));
}

void Lowering::finish_rates(const std::string& name, const std::vector<std::pair<Array, Value>>& at_seam) {
    finish_rates(name);
    if (at_seam == rates_.stores) return;
    program_.flush_step = program_.step;
    program_.flush_step->stages.back() = rates_.code.stage(name, at_seam);
}

void Lowering::begin_rates(std::vector<Array> fields, const ExprPtr& time) {
    ++stage_;
    fields_ = std::move(fields);
    time_ = time;
    held_ = noise_;
    stages_.clear();
    rates_ = StageBuilder(program_.f64, kBehindAll);
}

// ---- loads and neighbours

Value Lowering::group_sum(StageBuilder& stage, const StencilGroup& group, Array array) {
    return group.sum(stage.code, [&](int dx, int dy, int dz) { return load(stage, array, {dx, dy, dz}); });
}

Value Lowering::group_difference(StageBuilder& stage, const StencilGroup& group, Array array) {
    Builder& b = stage.code;
    Value sum = group_sum(stage, group, array);
    if (group.count == 0) return sum;
    Value centre = load(stage, array, kHere);
    if (group.count == 1) return b.sub(sum, centre);
    return b.fma(b.literal(-group.count), centre, sum);
}

Value Lowering::laplacian(StageBuilder& stage, Array array) {
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
    return shape_.residual == 0 ? sum : b.fma(b.literal(shape_.residual), load(stage, array, kHere), sum);
}

// dot(a grad f, b grad g) = a b dot(grad f, grad g)
Value Lowering::scaled_gradient_product(StageBuilder& stage, const ExprPtr& first, const ExprPtr& second) {
    Flux f = flux_of(*call(Callee::div, {first}, first->span)), g = flux_of(*call(Callee::div, {second}, second->span));
    Array left = operand(f.potential), right = operand(g.potential);
    Value product = gradient_product(stage, left, right);
    for (const auto& scale : {f.conductivity, g.conductivity}) {
        if (scale) product = stage.code.mul(value(stage, scale), product);
    }
    return product;
}

// div(c*directed*grad(f)): a uniform c stands outside.
Value Lowering::directed_divergence(StageBuilder& stage, Flux flux) {
    ExprPtr outside;
    if (flux.conductivity && classifier_.is_uniform(*flux.conductivity)) outside.swap(flux.conductivity);
    const Value sum = sum_of(stage, fluxes(stage, flux));
    return outside ? stage.code.mul(uniforms_.value(stage.code, outside), sum) : sum;
}

Value Lowering::sum_of(StageBuilder& stage, const std::vector<Weighted>& terms) {
    Builder& b = stage.code;
    Value sum = -1;
    if (terms.size() == 1 && terms[0].weight == 1) return terms[0].value;
    for (const auto& [weight, q] : terms) sum = sum < 0 ? b.mul(b.literal(weight), q) : b.fma(b.literal(weight), q, sum);
    return sum < 0 ? b.literal(0) : sum;
}

// ---- noise

Value Lowering::normal(StageBuilder& stage, const std::array<Value, 3>& cell, std::uint32_t number) {
    std::array<Value, kKeyParts> key;
    for (std::size_t part = 0; part < kKeyParts; ++part) key[part] = uniforms_.key_part(stage.code, part);
    return normal_number(stage.code, cell, key, number);
}

Value Lowering::noise_scale(StageBuilder& stage, double measure) {
    return uniforms_.value(stage.code, divide(number(1), call(Callee::sqrt, {multiply(symbol("dt"), number(measure))})));
}

// ---- expressions

Value Lowering::value(StageBuilder& stage, const ExprPtr& expr, Shift shift) {
    auto key = std::make_pair(expr, shift);
    if (auto found = stage.known.find(key); found != stage.known.end()) return found->second;
    Value result = classifier_.is_uniform(*expr) ? uniforms_.value(stage.code, expr) : lower(stage, expr, shift);
    stage.known.emplace(key, result);
    return result;
}

Value Lowering::value_of(StageBuilder& stage, const ExprPtr& expr, std::vector<Value> fields) {
    auto known = std::exchange(stage.known, {});
    given_ = std::move(fields);
    const Value result = value(stage, expr);
    given_.clear();
    stage.known = std::move(known);
    return result;
}

Value Lowering::value_with_maps(StageBuilder& stage, const ExprPtr& expr, Shift shift, std::map<int, Value> maps) {
    auto known = std::exchange(stage.known, {});
    given_maps_ = std::move(maps);
    const Value result = value(stage, expr, shift);
    given_maps_.clear();
    stage.known = std::move(known);
    return result;
}

Value Lowering::lower(StageBuilder& stage, const ExprPtr& expr, Shift shift) {
    if (expr->kind == Expr::Kind::name) return lower_name(stage, *expr, shift);
    if (makes_number(*expr) || expr->calls(Callee::white)) {
        // what an earlier stage holds anyway is read, not formed again
        const std::string text = model::print(*expr);
        auto held = held_.find(text + kMirrored);  // the same value in all cells but ghosts
        if (held == held_.end() || (shift == kHere && held_.contains(text))) held = held_.find(text);
        const bool earlier = level(*expr) < stage.level || (stage_ > 1 && noise_.contains(text));
        if (held != held_.end() && earlier) return load(stage, held->second, shift);
        if (shift != kHere)
            throw core::InternalError("an operator or white() was evaluated in a neighbouring cell: " + model::print(*expr));
        if (expr->calls(Callee::white)) return white(stage, static_cast<std::uint32_t>(expr->args.at(0)->number));
        return lower_operator(stage, expr);
    }
    if (expr->calls(Callee::add) || expr->calls(Callee::subtract)) return lower_sum(stage, *expr, shift);
    if (expr->calls(Callee::divide) && classifier_.is_uniform(*expr->args[1])) {
        Value above = value(stage, expr->args[0], shift);
        return stage.code.mul(above, uniforms_.value(stage.code, divide(number(1), expr->args[1])));
    }
    std::vector<Value> args;
    for (const auto& arg : expr->args) args.push_back(value(stage, arg, shift));
    return lower_call(stage.code, *expr, args);
}

Value Lowering::lower_name(StageBuilder& stage, const Expr& expr, Shift shift) {
    if (int field = classifier_.field(expr); field >= 0)
        return given_.empty() ? load(stage, field_array(field), shift) : given_[core::at(field)];
    if (int map = classifier_.map(expr); map >= 0) {
        const auto given = given_maps_.find(map);
        return given == given_maps_.end() ? load(stage, maps_.at(map), shift) : given->second;
    }
    const std::string names = "xyzXYZ";
    std::size_t at = names.find(expr.name);
    if (expr.name.size() != 1 || at == std::string::npos) throw core::ModelError("'" + expr.name + "' cannot be used here", expr.span);
    return stage.code.axis(static_cast<Axis>(at), shift[0], shift[1], shift[2]);
}

// The pass fuse_fma: a sum with a product is one fma; of two products the right one is fused.
Value Lowering::lower_sum(StageBuilder& stage, const Expr& expr, Shift shift) {
    Builder& b = stage.code;
    bool minus = expr.calls(Callee::subtract);
    auto is_product = [&](const ExprPtr& e) { return e->calls(Callee::multiply) && !classifier_.is_uniform(*e); };
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

Value Lowering::lower_operator(StageBuilder& stage, const ExprPtr& expr) {
    Builder& b = stage.code;
    if (expr->calls(Callee::lap)) return laplacian(stage, operand(expr->args[0]));
    if (expr->calls(Callee::bilap)) return laplacian(stage, hold(call(Callee::lap, {expr->args[0]}, expr->span)));
    if (expr->calls(Callee::dot)) return scaled_gradient_product(stage, expr->args[0], expr->args[1]);
    if (expr->calls(Callee::norm2)) return scaled_gradient_product(stage, expr->args[0], expr->args[0]);
    if (expr->calls(Callee::div)) {
        Flux flux = flux_of(*expr);
        if (flux.tensor) return directed_divergence(stage, flux);
        if (!flux.conductivity) return laplacian(stage, operand(flux.potential));
        if (classifier_.is_uniform(*flux.conductivity)) {
            return b.mul(uniforms_.value(b, flux.conductivity), laplacian(stage, operand(flux.potential)));
        }
        return sum_of(stage, fluxes(stage, flux));
    }
    return sum_of(stage, derivative(stage, *expr));
}

}  // namespace mottle::ir
