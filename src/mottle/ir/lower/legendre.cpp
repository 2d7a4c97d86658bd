// mottle/ir/lower/legendre.cpp: a stage of a Runge-Kutta-Legendre method in one cell
#include "mottle/ir/lower/legendre.h"

#include "mottle/core/cancellation.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/lower/field_rate.h"

namespace mottle::ir {
namespace {

constexpr int kIncrement = 0, kStart = 1, kFirst = 2;  // the states beside a field

}  // namespace

std::vector<std::string> LegendreLowering::names(const System& system, const RungeKuttaLegendre& method) {
    std::vector<std::string> names;
    for (const char* what : {" increment", " at the start", " first increment"}) {
        for (const model::Equation& equation : system.model.equations) names.push_back(equation.field + what);
        if (method.order == 1) break;
    }
    return names;
}

Value LegendreLowering::number(StageInput input) {
    lowering_.uniforms().add_input(name_of(input));
    return lowering_.uniforms().value(code(), symbol(name_of(input)));
}

Value LegendreLowering::is_on(StageInput input) { return code().less(code().literal(0), number(input)); }

Array LegendreLowering::beside(int which, int field) const {
    return first_ + which * static_cast<int>(system_.rates.size()) + field;
}

void LegendreLowering::store(Array array, Value value, Value moves) {
    if (moves >= 0) value = code().select(moves, value, code().load(array));
    lowering_.rates().stores.emplace_back(array, value);
}

model::ExprPtr LegendreLowering::time() {
    lowering_.uniforms().add_input(name_of(StageInput::next));
    return symbol(name_of(StageInput::next));
}

// Each sum begins with +0, so that in the first stage, whose other coefficients are 0, the signs of zeros left by the step before do not matter.
Value LegendreLowering::next(int field, const Rate& rate, Value moves) {
    Builder& b = code();
    lowering_.uniforms().add_input(name_of(StageInput::share));
    const Array before = beside(kIncrement, field);
    const Value here = b.load(field);
    Value begin = b.fma(number(StageInput::momentum), b.load(before), b.literal(0));
    if (order_ == 2) {
        begin = b.fma(number(StageInput::pull), b.sub(here, b.load(beside(kStart, field))), begin);
        begin = b.fma(number(StageInput::first), b.load(beside(kFirst, field)), begin);
    }
    const model::ExprPtr share = multiply(symbol(name_of(StageInput::share)), symbol("dt"));
    const Value increment = FieldRate(lowering_, field).increment(rate, share, begin);
    store(before, increment, moves);
    if (order_ == 2) {
        const Value starts = is_on(StageInput::starts);
        store(beside(kStart, field), b.select(starts, here, b.load(beside(kStart, field))), moves);
        store(beside(kFirst, field), b.select(starts, increment, b.load(beside(kFirst, field))), moves);
    }
    const Value next = b.add(here, increment);
    const auto& range = system_.model.equations[static_cast<std::size_t>(field)].clamp;
    if (!range) return next;
    return b.select(is_on(StageInput::ends), clamp(b, next, b.literal((*range)[0]), b.literal((*range)[1])), next);
}

void lower_legendre(Lowering& lowering, const System& system, const RungeKuttaLegendre& method) {
    LegendreLowering stage(lowering, system, method, static_cast<Array>(system.rates.size()));
    for (const Rate& rate : system.rates) {
        for (const Term& term : rate.terms) {
            for (const auto& factor : term.factors) lowering.hold_operands(factor);
        }
    }
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        core::cancellation_point();
        const int field = static_cast<int>(i);
        const Value next = stage.next(field, system.rates[i]);
        lowering.rates().stores.emplace_back(field, lowering.bordered(lowering.rates(), field, next, stage.time()));
    }
    lowering.finish_rates("update");
}

}  // namespace mottle::ir
