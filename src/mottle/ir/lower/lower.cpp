// mottle/ir/lower/lower.cpp: equations in normal form -> the Program of one step: the stages of a method
#include "mottle/core/error.h"
#include "mottle/core/cancellation.h"
#include "mottle/ir/lower/field_rate.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/lower/domain.h"
#include "mottle/ir/lower/implicit.h"
#include "mottle/ir/lower/legendre.h"
#include "mottle/ir/lower/linear_part.h"
#include "mottle/ir/lower/phases.h"

namespace mottle::ir {
namespace {

using model::ExprPtr;

// f64: |x| < 2^-340 becomes 0, so that decaying tails never sit among subnormals; NaN stays.
Sweep with_flush(const Sweep& step) {
    Sweep flushed = step;
    Stage& last = flushed.stages.back();
    Builder b(true);
    for (const auto& instruction : last.code) b.emit(instruction);
    for (auto& [array, value] : last.stores) {
        (void)array;
        value = b.select(b.less(b.abs(value), b.literal(kFlushBelow)), b.literal(0), value);
    }
    last = b.stage(last.name, last.stores);
    return flushed;
}

void hold_operands(Lowering& lowering, const std::vector<Rate>& rates) {
    for (const Rate& rate : rates) {
        for (const Term& term : rate.terms) {
            for (const auto& factor : term.factors) lowering.hold_operands(factor);
        }
    }
}

/// The end of a step of one field: what clamps and the border make of it.
void store_end(Lowering& lowering, const System& system, int field, Value next) {
    StageBuilder& stage = lowering.rates();
    if (const auto& range = system.model.equations[core::at(field)].clamp)
        next = clamp(stage.code, next, stage.code.literal((*range)[0]), stage.code.literal((*range)[1]));
    stage.stores.emplace_back(field, lowering.bordered(stage, field, next, add(symbol("t"), symbol("dt"))));
}

void lower_euler(Lowering& lowering, const System& system) {
    hold_operands(lowering, system.rates);
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        core::cancellation_point();
        const int field = static_cast<int>(i);
        store_end(lowering, system, field, FieldRate(lowering, field).euler_step(system.rates[i]));
    }
    lowering.finish_rates("update");
}

/// The rates alone, for a method that makes steps of them.
void lower_rates_alone(Lowering& lowering, const System& system) {
    hold_operands(lowering, system.rates);
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        core::cancellation_point();
        const int field = static_cast<int>(i);
        const Value slope = FieldRate(lowering, field).slope(system.rates[i]);
        lowering.rates().stores.emplace_back(field, slope);
    }
    lowering.finish_rates("rates");
}

/// t + share*dt
ExprPtr time_at(double share) {
    if (share == 0) return symbol("t");
    return add(symbol("t"), share == 1 ? symbol("dt") : multiply(number(share), symbol("dt")));
}

/// The rates with `time` for t.
std::vector<Rate> at_time(std::vector<Rate> rates, const ExprPtr& time) {
    for (Rate& rate : rates) {
        for (Term& term : rate.terms) {
            if (term.coefficient) term.coefficient = with_name(term.coefficient, "t", time);
            for (ExprPtr& factor : term.factors) factor = with_name(factor, "t", time);
        }
    }
    return rates;
}

/// Each stage but the last holds the fields y_i that the next one begins with. A step ends with y + sum of r_i (y_(i+1) - y) + RN(weight dt) k, each by an
/// fma, i ascending, r_i = weight_i/reach_i and k the rates of the last stage: slopes need not be held, and what stands still does so exactly.
class RungeKuttaLowering {
   public:
    RungeKuttaLowering(Lowering& lowering, const System& system, const RungeKutta& method)
        : lowering_(lowering), system_(system), method_(method), last_(method.reach.size()) {}

    void lower() {
        for (const Rate& rate : system_.rates) {
            for (const Term& term : rate.terms) {
                for (const ExprPtr& factor : term.factors) lowering_.hold_noise(factor);
            }
        }
        for (std::size_t stage = 0; stage <= last_; ++stage) {
            const std::vector<Rate> rates = at_time(system_.rates, time_of(stage));
            hold_operands(lowering_, rates);
            std::vector<Array> next;
            for (std::size_t i = 0; i < rates.size(); ++i) {
                core::cancellation_point();
                const int field = static_cast<int>(i);
                const Value slope = FieldRate(lowering_, field).slope(rates[i]);
                if (stage == last_) {
                    store_end(lowering_, system_, field, end_of_step(field, slope));
                } else {
                    next.push_back(hold_next(stage, field, slope));
                }
            }
            lowering_.finish_rates(stage == last_ ? "update" : "stage " + std::to_string(stage + 1));
            if (stage == last_) return;
            lowering_.begin_rates(next, time_of(stage + 1));
            stages_.push_back(std::move(next));
        }
    }

   private:
    ExprPtr time_of(std::size_t stage) const { return time_at(stage == 0 ? 0 : method_.reach[stage - 1]); }

    Value add_slope(Value to, double share, Value slope) {
        Builder& b = lowering_.rates().code;
        const ExprPtr step = share == 1 ? symbol("dt") : multiply(number(share), symbol("dt"));
        return b.fma(lowering_.uniforms().value(b, step), slope, to);
    }

    Array hold_next(std::size_t stage, int field, Value slope) {
        StageBuilder& rates = lowering_.rates();
        const ExprPtr time = time_of(stage + 1);
        const Value next = add_slope(rates.code.load(field), method_.reach[stage], slope);
        const Array array = lowering_.hold_field(field, time);
        rates.stores.emplace_back(array, lowering_.bordered(rates, field, next, time));
        return array;
    }

    Value end_of_step(int field, Value slope) {
        Builder& b = lowering_.rates().code;
        const Value begin = b.load(field);
        Value end = begin;
        for (std::size_t i = 0; i < last_; ++i) {
            if (method_.weights[i] == 0) continue;
            const Value gone = b.sub(b.load(stages_[i][core::at(field)]), begin);
            end = b.fma(b.literal(method_.weights[i] / method_.reach[i]), gone, end);
        }
        return add_slope(end, method_.weights[last_], slope);
    }

    Lowering& lowering_;
    const System& system_;
    const RungeKutta& method_;
    std::size_t last_;                        ///< stage
    std::vector<std::vector<Array>> stages_;  ///< the fields of the stages behind the first
};

/// Throws: ModelError (the equations call white()).
void refuse_noise(const System& system, const Scheme& scheme) {
    for (const model::Equation& equation : system.model.equations) {
        if (const model::Expr* call = find_call(*equation.rate, Callee::white)) {
            throw core::ModelError("white() takes one number in a step, and the stages of " + std::string(scheme.name) +
                                       " would amplify it as if it were a rate: use --method euler, midpoint, heun or rk4",
                                   call->span);
        }
    }
}

std::unique_ptr<Lowering> create_lowering(const System& system, const Method& method, const domain::Domain& domain) {
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_mesh_lowering(system, method, *mesh);
    return create_grid_lowering(system, method, std::get<domain::Grid>(domain));
}

}  // namespace

namespace {

/// `solved_for` and `linear`: what a method splits off, by field.
Program lower_rates(const System& system, const Method& method, const domain::Domain& domain, const std::vector<model::ExprPtr>& solved_for,
                    const std::vector<PowersOfLaplacian>& linear = {}) {
    const Scheme& scheme = scheme_of(method);
    if (scheme.noise == NoiseRule::refused) refuse_noise(system, scheme);
    const std::unique_ptr<Lowering> lowering = create_lowering(system, method, domain);
    if (!system.sums.empty()) {
        lower_phases(*lowering, system, scheme);
    } else if (const RungeKuttaLegendre* legendre = scheme.legendre()) {
        lower_legendre(*lowering, system, *legendre);
    } else if (scheme.makes_rates) {
        lower_rates_alone(*lowering, system);
    } else if (scheme.table()->weights.size() == 1) {
        lower_euler(*lowering, system);
    } else {
        RungeKuttaLowering(*lowering, system, *scheme.table()).lower();
    }
    std::vector<ImplicitDiffusion> implicit;
    for (std::size_t i = 0; i < solved_for.size(); ++i) {
        if (!solved_for[i] && !scheme.makes_rates) continue;
        const int coefficient = solved_for[i] ? lowering->uniforms().index(multiply(symbol("dt"), solved_for[i])) : -1;
        implicit.push_back({static_cast<Array>(i), coefficient, system.model.equations[i].clamp});
    }
    std::vector<LinearPart> parts;
    for (std::size_t i = 0; i < linear.size(); ++i) {
        parts.push_back({static_cast<Array>(i), {}, system.model.equations[i].clamp});
        for (const ExprPtr& power : linear[i]) parts.back().powers.push_back(power ? lowering->uniforms().index(power) : -1);
    }
    Program program = std::move(lowering->program());
    program.linear = std::move(parts);
    program.implicit = std::move(implicit);
    program.makes_rates = scheme.makes_rates;
    if (const RungeKuttaLegendre* legendre = scheme.legendre()) program.staged = *legendre;
    if (program.f64 && !program.phases && !program.makes_rates) program.flush_step = with_flush(program.flush_step.value_or(program.step));
    verify(program);
    return program;
}

}  // namespace

Program lower(const System& system, const Method& method, const domain::Domain& domain) {
    if (scheme_of(method).takes_exponentials) {
        require_transformable(domain, system.model, method);
        const LinearSplit split = split_linear(system, method);
        return lower_rates(split.rest, method, domain, {}, split.linear);
    }
    if (!scheme_of(method).solves_diffusion) return lower_rates(system, method, domain, {});
    require_solvable(domain, system.model, method);
    const SplitSystem split = split_diffusion(system, method);
    return lower_rates(scheme_of(method).makes_rates ? system : split.rest, method, domain, split.constant);
}

}  // namespace mottle::ir
