// mottle/ir/lower/legendre.cpp: a stage of a Runge-Kutta-Legendre method in one cell
#include "mottle/ir/lower/legendre.h"

#include "mottle/core/cancellation.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/lower/field_rate.h"

namespace mottle::ir {

std::vector<std::string> LegendreLowering::names(const System& system, const RungeKuttaLegendre& method) {
    std::vector<std::string> names;
    if (!method.factored) {
        for (const model::Equation& equation : system.model.equations) names.push_back(equation.field + " increment");
    }
    if (method.order == 1) return names;
    for (const model::Equation& equation : system.model.equations) names.push_back(equation.field + " at the start");
    return names;
}

Value LegendreLowering::number(StageInput input) {
    lowering_.uniforms().add_input(name_of(input));
    return lowering_.uniforms().value(code(), symbol(name_of(input)));
}

model::ExprPtr LegendreLowering::time() {
    lowering_.uniforms().add_input(name_of(StageInput::next));
    return symbol(name_of(StageInput::next));
}

Value LegendreLowering::stage(int field, const Rate& rate, Stores& stores) {
    Builder& b = code();
    lowering_.uniforms().add_input(name_of(StageInput::share));
    const model::ExprPtr share = multiply(symbol(name_of(StageInput::share)), symbol("dt"));
    if (method_.factored) return FieldRate(lowering_, field).euler_step(rate, share);
    const Value made = FieldRate(lowering_, field).increment(rate, share, number(StageInput::momentum), b.load(increment(field)));
    stores.emplace_back(increment(field), made);
    return b.add(b.load(field), made);
}

Value LegendreLowering::seam(int field, Value stage, Stores& stores) {
    Builder& b = code();
    Value next = stage;
    if (method_.order == 2) {
        const Value begun = b.select(is_on(StageInput::starts), b.load(field), b.load(start(field)));
        stores.emplace_back(start(field), begun);
        const Value end = b.fma(number(StageInput::weight), b.sub(stage, begun), begun);
        next = b.select(is_on(StageInput::ends), end, next);
    }
    const auto& range = system_.model.equations[static_cast<std::size_t>(field)].clamp;
    if (!range) return next;
    return b.select(is_on(StageInput::ends), clamp(b, next, b.literal((*range)[0]), b.literal((*range)[1])), next);
}

void LegendreLowering::keep_start(int field, Stores& stores) {
    if (method_.order == 2) stores.emplace_back(start(field), code().load(start(field)));
}

void lower_legendre(Lowering& lowering, const System& system, const RungeKuttaLegendre& method) {
    LegendreLowering legendre(lowering, system, method, static_cast<Array>(system.rates.size()));
    for (const Rate& rate : system.rates) {
        for (const Term& term : rate.terms) {
            for (const auto& factor : term.factors) lowering.hold_operands(factor);
        }
    }
    StageBuilder& rates = lowering.rates();
    LegendreLowering::Stores at_seam;  // what is stored there in place of what stages store
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        core::cancellation_point();
        const int field = static_cast<int>(i);
        LegendreLowering::Stores increment;
        const Value stage = legendre.stage(field, system.rates[i], increment);
        for (LegendreLowering::Stores* const stores : {&rates.stores, &at_seam})
            stores->insert(stores->end(), increment.begin(), increment.end());
        const Value next = legendre.seam(field, stage, at_seam);
        legendre.keep_start(field, rates.stores);
        rates.stores.emplace_back(field, lowering.bordered(rates, field, stage, legendre.time()));
        at_seam.emplace_back(field, next == stage ? rates.stores.back().second : lowering.bordered(rates, field, next, legendre.time()));
    }
    lowering.finish_rates("update", at_seam);
}

}  // namespace mottle::ir
