// mottle/ir/lower/phases.cpp: a step with sums over all cells, as phases between which they are formed
#include "mottle/ir/lower/phases.h"

#include "mottle/ir/lower/field_rate.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/lower/legendre.h"
#include "mottle/ir/lower/sums.h"

#include <array>
#include <utility>

namespace mottle::ir {
namespace {

using model::ExprPtr;

/// What a phase does, as numbers: one code serves them all, by selects that read no cell. In the order of kSwitchNames.
struct Switches {
    double moves = 0;  ///< the fields go on
    double ends = 0;   ///< with the step
    double rests = 0;  ///< the fields at the start and the weighted sum become what the fields are
    double adds = 0;   ///< to the weighted sum
    double share = 1;  ///< of dt, by which the rates are multiplied
    double ratio = 0;  ///< by which the way from the start is multiplied in the weighted sum

    std::vector<double> list() const { return {moves, ends, rests, adds, share, ratio}; }
};
constexpr std::array<const char*, 6> kSwitchNames = {"phase.moves", "phase.ends",  "phase.rests",
                                                     "phase.adds",  "phase.share", "phase.ratio"};
constexpr const char *kHeldTime = "t.held", *kNextTime = "t.next", *kFlush = "flush.below";

const RungeKutta kOneStage = {{}, {1}, 1};

class PhaseLowering {
   public:
    PhaseLowering(Lowering& lowering, const System& system, const Scheme& scheme)
        : lowering_(lowering),
          system_(system),
          method_(scheme.table() ? *scheme.table() : kOneStage),
          plan_(plan_sums(system, scheme)),
          fields_(static_cast<int>(system.rates.size())),
          last_(method_.reach.size()) {
        if (const RungeKuttaLegendre* legendre = scheme.legendre()) {
            legendre_.emplace(lowering, system, *legendre, fields_ + static_cast<Array>(plan_.names(system).size()));
        }
    }

    void lower() {
        declare_inputs();
        hold_operands();
        std::vector<Value> next;
        next.reserve(core::at(fields_));
        for (int field = 0; field < fields_; ++field)
            next.push_back(legendre_ ? legendre_step(field) : last_ == 0 ? euler_step(field) : stage_of_step(field));
        store_summed(next);
        lowering_.finish_rates("update");
        list_phases();
        lowering_.program().phases = std::move(phases_);
    }

   private:
    Builder& code() { return lowering_.rates().code; }
    Value number_of(const char* name) { return lowering_.uniforms().value(code(), symbol(name)); }
    Value is_on(const char* name) { return code().less(code().literal(0), number_of(name)); }
    const Rate& rate(int field) const { return system_.rates[core::at(field)]; }

    // ---- inputs and arrays

    void declare_inputs() {
        Uniforms& uniforms = lowering_.uniforms();
        for (std::size_t i = 0; i < system_.sums.size(); ++i) {
            const Array array = plan_.sums[i].made == SumPlan::Made::field ? plan_.sums[i].array : summed(plan_.sums[i].array);
            phases_.sums.push_back({array, system_.sums[i].integral, uniforms.add_input(system_.sums[i].name)});
        }
        if (lowering_.program().f64) phases_.flush = uniforms.add_input(kFlush);
        if (!plan_.switched) return;
        const int held = uniforms.add_input(kHeldTime), next = uniforms.add_input(kNextTime);
        phases_.differ = {held, next, uniforms.add_input(kSwitchNames[0])};
        for (const char* name : kSwitchNames) uniforms.add_input(name);
    }

    Array start(int field) const { return fields_ + field; }
    Array weighted(int field) const { return 2 * fields_ + field; }
    Array summed(int array) const { return fields_ * (1 + (plan_.starts ? 1 : 0) + (plan_.weighted ? 1 : 0)) + array; }

    void hold_operands() {
        for (const Rate& rate : system_.rates) {
            for (const Term& term : rate.terms) {
                for (const ExprPtr& factor : term.factors) lowering_.hold_operands(factor);
            }
        }
        for (const ExprPtr& array : plan_.arrays) lowering_.hold_operands(array);
    }

    // ---- fields

    Value clamped(int field, Value next) {
        const auto& range = system_.model.equations[core::at(field)].clamp;
        return range ? clamp(code(), next, code().literal((*range)[0]), code().literal((*range)[1])) : next;
    }

    /// Tiny values become 0 where Program::is_seam.
    Value flushed(Value value) {
        Builder& b = code();
        return b.f64() ? b.select(b.less(b.abs(value), number_of(kFlush)), b.literal(0), value) : value;
    }

    /// Behind clamps: the border, the flush, and nothing new in a phase that leaves the fields as they are. Stores it.
    Value finished(int field, Value next) {
        Builder& b = code();
        const ExprPtr time = legendre_ ? legendre_->time() : plan_.switched ? symbol(kHeldTime) : add(symbol("t"), symbol("dt"));
        next = lowering_.bordered(lowering_.rates(), field, next, time);
        next = flushed(next);
        if (plan_.switched) next = b.select(is_on("phase.moves"), next, b.load(field));
        lowering_.rates().stores.emplace_back(field, next);
        return next;
    }

    Value euler_step(int field) { return finished(field, clamped(field, FieldRate(lowering_, field).euler_step(rate(field)))); }

    Value legendre_step(int field) {
        LegendreLowering::Stores stores;
        const Value stage = legendre_->stage(field, rate(field), stores), next = legendre_->seam(field, stage, stores);
        for (const auto& [array, value] : stores) {
            const Value ended = flushed(value);
            const Value kept = plan_.switched ? code().select(is_on("phase.moves"), ended, code().load(array)) : ended;
            lowering_.rates().stores.emplace_back(array, kept);
        }
        return finished(field, next);
    }

    /// The same for every stage: what it adds its rates to, and which share of dt, are numbers of the phase.
    Value stage_of_step(int field) {
        Builder& b = code();
        const Value slope = FieldRate(lowering_, field).slope(rate(field)), begin = b.load(start(field));
        const Value ends = is_on("phase.ends"), sum = plan_.weighted ? b.load(weighted(field)) : begin;
        const Value from = plan_.weighted ? b.select(ends, sum, begin) : begin;
        const Value dt = lowering_.uniforms().value(b, multiply(symbol("phase.share"), symbol("dt")));
        Value next = b.fma(dt, slope, from);
        if (const Value limited = clamped(field, next); limited != next) next = b.select(ends, limited, next);
        next = finished(field, next);
        const Value rests = is_on("phase.rests");
        lowering_.rates().stores.emplace_back(start(field), b.select(rests, next, begin));
        if (plan_.weighted) {
            const Value added = b.fma(number_of("phase.ratio"), b.sub(next, begin), sum);
            lowering_.rates().stores.emplace_back(weighted(field), b.select(rests, next, b.select(is_on("phase.adds"), added, sum)));
        }
        return next;
    }

    // ---- what is summed

    void store_summed(const std::vector<Value>& next) {
        std::vector<char> stored(plan_.arrays.size());
        for (const SumPlan::Place& place : plan_.sums) {
            if (place.made == SumPlan::Made::field || std::exchange(stored[core::at(place.array)], 1)) continue;
            const ExprPtr& of = plan_.arrays[core::at(place.array)];
            const bool within = place.made == SumPlan::Made::within;
            const Value value = within ? lowering_.value(lowering_.rates(), of)
                                       : lowering_.value_of(lowering_.rates(), with_name(of, "t", symbol(kNextTime)), next);
            lowering_.rates().stores.emplace_back(summed(place.array), value);
        }
    }

    // ---- phases

    Phase phase(double time, int level) const {
        Phase made;
        made.time = made.next = time;
        for (std::size_t i = 0; i < plan_.sums.size(); ++i) {
            if (plan_.sums[i].level == level) made.sums.push_back(static_cast<int>(i));
        }
        if (plan_.switched) made.switches = Switches{}.list();
        return made;
    }

    void list_phases() {
        for (std::size_t stage = 0; stage <= last_; ++stage) {
            const double time = stage == 0 ? 0 : method_.reach[stage - 1];
            for (int level = 0; level < plan_.levels; ++level) phases_.step.push_back(phase(time, level));
            Phase moving = phase(time, plan_.levels);
            moving.ends = stage == last_;
            moving.held = moving.next = moving.ends ? 1 : method_.reach[stage];
            if (plan_.switched) moving.switches = switches(stage).list();
            phases_.step.push_back(std::move(moving));
        }
        if (!plan_.switched) return;
        phases_.begin = phase(0, -1);
        Switches switches;
        switches.rests = 1;
        phases_.begin->switches = switches.list();
    }

    Switches switches(std::size_t stage) const {
        Switches result;
        const bool ends = stage == last_;
        result.moves = 1;
        result.ends = result.rests = ends ? 1 : 0;
        result.share = ends ? method_.weights[last_] : method_.reach[stage];
        if (!ends && method_.weights[stage] != 0) {
            result.adds = 1;
            result.ratio = method_.weights[stage] / method_.reach[stage];
        }
        return result;
    }

    Lowering& lowering_;
    const System& system_;
    const RungeKutta& method_;  ///< of a method whose stages are steps of the kernel: one stage
    const SumPlan plan_;
    const int fields_;
    const std::size_t last_;  ///< stage
    std::optional<LegendreLowering> legendre_;
    Phases phases_;
};

}  // namespace

void lower_phases(Lowering& lowering, const System& system, const Scheme& scheme) { PhaseLowering(lowering, system, scheme).lower(); }

}  // namespace mottle::ir
