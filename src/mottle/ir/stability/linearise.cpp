// mottle/ir/stability/linearise.cpp: values and derivatives of expressions over intervals, forward
#include "mottle/ir/stability/linearise.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/ir/lower/rewrite.h"

#include <algorithm>
#include <numbers>
#include <unordered_map>

namespace mottle::ir {

using model::Expr;

namespace {

/// what(a, b) for every pair of coefficients.
template <class What>
Wave pairwise(const Wave& a, const Wave& b, What what) {
    Wave made;
    for (std::size_t k = 0; k < std::max(a.powers.size(), b.powers.size()); ++k) made.powers.push_back(what(a.power(k), b.power(k)));
    for (std::size_t d = 0; d < made.speed.size(); ++d) made.speed[d] = what(a.speed[d], b.speed[d]);
    return made;
}

Wave operator+(const Wave& a, const Wave& b) {
    return pairwise(a, b, [](Interval x, Interval y) { return x + y; });
}
Wave either(const Wave& a, const Wave& b) { return pairwise(a, b, hull); }

Wave operator*(Interval factor, Wave wave) {
    for (Interval& term : wave.powers) term = factor * term;
    for (Interval& speed : wave.speed) speed = factor * speed;
    return wave;
}

/// A field that an expression does not hold: most, in a model of many.
bool is_absent(const Wave& wave) { return wave.powers.empty() && wave.is_zero(); }

/// The value of an expression and its derivative by every field.
struct Linear {
    Interval value;
    std::vector<Wave> slope;

    bool is_constant() const {
        return std::all_of(slope.begin(), slope.end(), [](const Wave& wave) { return wave.is_zero(); });
    }
};

class Linearisation {
   public:
    Linearisation(const model::Model& model, const WaveScales& scales, const Box& box) : model_(model), scales_(scales), box_(box) {
        for (std::size_t i = 0; i < model.equations.size(); ++i) fields_[model.equations[i].field] = i;
        for (const model::Parameter& parameter : model.parameters) parameters_.emplace(parameter.name, &parameter);
    }

    Linear of(const Expr& expr) const {
        if (expr.kind == Expr::Kind::number) return constant(point(expr.number));
        if (expr.kind == Expr::Kind::text) return constant(entire());
        return expr.kind == Expr::Kind::name ? of_name(expr.name) : of_call(expr);
    }

   private:
    Linear constant(Interval value) const { return {value, std::vector<Wave>(model_.equations.size())}; }

    Linear of_name(const std::string& name) const {
        if (auto field = fields_.find(name); field != fields_.end()) {
            Linear linear = constant(box_[field->second]);
            linear.slope[field->second].powers = {point(1)};
            return linear;
        }
        if (auto found = parameters_.find(name); found != parameters_.end()) {
            const model::Parameter& parameter = *found->second;
            return constant(parameter.map ? range_of(parameter) : point(parameter.value));
        }
        if (name == "pi") return constant(point(std::numbers::pi));
        if (name == "t") return constant(scales_.time);
        if (name == "X" || name == "Y" || name == "Z") return constant(scales_.unit[core::at(name[0] - 'X')]);
        if (name == "x" || name == "y" || name == "z") return constant(scales_.place[core::at(name[0] - 'x')]);
        return constant(entire());
    }

    // Once, however often it is used: each of a chain of maps may use the one before it twice.
    Interval range_of(const model::Parameter& map) const {
        if (const auto known = ranges_.find(map.name); known != ranges_.end()) return known->second;
        for (const auto& [name, range] : scales_.maps) {
            if (name == map.name) return range;
        }
        return ranges_[map.name] = of(*map.map).value;
    }

    static Linear chain(Interval value, Interval slope, Linear inner) {
        for (Wave& wave : inner.slope) wave = slope * wave;
        inner.value = value;
        return inner;
    }

    static Linear combine(Interval value, Interval by_a, const Linear& a, Interval by_b, const Linear& b) {
        Linear sum{value, a.slope};
        for (std::size_t j = 0; j < sum.slope.size(); ++j) {
            if (!is_absent(a.slope[j]) || !is_absent(b.slope[j])) sum.slope[j] = by_a * a.slope[j] + by_b * b.slope[j];
        }
        return sum;
    }

    static Linear choose(Interval value, const Linear& a, const Linear& b) {
        Linear sum{value, a.slope};
        for (std::size_t j = 0; j < sum.slope.size(); ++j) sum.slope[j] = either(a.slope[j], b.slope[j]);
        return sum;
    }

    /// An operator that multiplies waves by -scale s and takes constants to 0.
    static Linear raise(const Linear& inner, double scale) {
        Linear raised{point(0), inner.slope};
        for (Wave& wave : raised.slope) {
            wave.speed = {};
            if (wave.powers.empty()) continue;
            wave = point(-scale) * wave;
            wave.powers.insert(wave.powers.begin(), Interval{});
        }
        return raised;
    }

    /// The first derivative along axis d.
    static Linear derive(const Linear& inner, std::size_t d) {
        Linear derived{point(0), std::vector<Wave>(inner.slope.size())};
        for (std::size_t j = 0; j < inner.slope.size(); ++j) derived.slope[j].speed[d] = inner.slope[j].power(0);
        return derived;
    }

    /// div(a): the factors beside grad(f) are the diffusivity; sums of fluxes have been refused before.
    Linear divergence(const Expr& flux) const {
        if (flux.kind != Expr::Kind::call) return constant(point(0));
        if (flux.calls(Callee::grad)) return raise(of(*flux.args[0]), scales_.divergence);
        if (flux.calls(Callee::negate)) return chain(point(0), point(-1), divergence(*flux.args[0]));
        if (flux.calls(Callee::multiply) || flux.calls(Callee::divide)) {
            const bool left = holds_gradient(*flux.args[0]);
            if (!left && (flux.calls(Callee::divide) || !holds_gradient(*flux.args[1]))) return constant(point(0));
            const Interval factor = of(*flux.args[left ? 1 : 0]).value;
            const Linear inner = divergence(*flux.args[left ? 0 : 1]);
            return chain(point(0), flux.calls(Callee::divide) ? point(1) / factor : factor, inner);
        }
        return constant(point(0));
    }

    static bool holds_gradient(const Expr& expr) {
        if (expr.kind != Expr::Kind::call) return false;
        if (expr.calls(Callee::grad)) return true;
        if (makes_number(expr)) return false;
        return std::any_of(expr.args.begin(), expr.args.end(), [](const auto& arg) { return holds_gradient(*arg); });
    }

    Linear of_call(const Expr& call) const {
        const auto argument = [&](std::size_t i) { return of(*call.args[i]); };
        switch (call.callee) {
#define MOTTLE_POINTWISE(id, ...) \
    case Callee::id:              \
        break;
#define MOTTLE_OPERATOR(id, name, least, most, use, usage, meaning, shape, linear) \
    case Callee::id:                                                               \
        return linear;
#define MOTTLE_SOURCE(id, name, least, most, usage, meaning, draws, linear) \
    case Callee::id:                                                        \
        return linear;
#include "mottle/model/functions.def"
            case Callee::none:
                break;
        }
        std::vector<Linear> args;
        for (const auto& arg : call.args) args.push_back(of(*arg));
        return of_pointwise(call, args);
    }

    Linear of_pointwise(const Expr& call, std::span<const Linear> args) const {
        const Linear& a = args.front();
        const Linear& b = args[std::min<std::size_t>(1, args.size() - 1)];
        const Linear& c = args.back();
        const Interval x = a.value, y = b.value, z = c.value;
        switch (call.callee) {
#define MOTTLE_POINTWISE(id, name, arguments, use, usage, meaning, ulps, lowered, linear, ...) \
    case Callee::id:                                                                           \
        return linear;
#define MOTTLE_OPERATOR(id, ...) \
    case Callee::id:             \
        break;
#define MOTTLE_SOURCE(id, ...) \
    case Callee::id:           \
        break;
#include "mottle/model/functions.def"
            case Callee::none:
                break;
        }
        throw core::InternalError("'" + call.name + "' is no function of numbers");
    }

    /// Of a sum over all cells, which a wave does not change: what it is of may be any state within the declared ranges in each of them.
    Interval over_all(const Expr& expr) const {
        const Box all = declared_box(model_);
        return Linearisation(model_, scales_, all).of(expr).value;
    }

    static Linear least(const Linear& a, const Linear& b) {
        const Interval x = a.value, y = b.value;
        return x.hi < y.lo ? a : y.hi < x.lo ? b : choose(min(x, y), a, b);
    }

    static Linear greatest(const Linear& a, const Linear& b) {
        const Interval x = a.value, y = b.value;
        return x.lo > y.hi ? a : y.lo > x.hi ? b : choose(max(x, y), a, b);
    }

    static Linear power(const Linear& a, const Linear& b) {
        const Interval x = a.value, y = b.value, value = pow(x, y), by_base = y * pow(x, y - point(1));
        return combine(value, by_base, a, b.is_constant() ? point(0) : value * log(x), b);
    }

    const model::Model& model_;
    const WaveScales& scales_;
    const Box& box_;
    std::unordered_map<std::string, std::size_t> fields_;
    std::unordered_map<std::string, const model::Parameter*> parameters_;
    mutable std::unordered_map<std::string, Interval> ranges_;  // of maps
};

}  // namespace

Interval WaveScales::attribute(const std::string& name) const {
    for (const auto& [known, range] : attributes) {
        if (known == name) return range;
    }
    return entire();
}

bool Wave::is_zero() const {
    const auto zero = [](const Interval& term) { return term.is_zero(); };
    return std::all_of(powers.begin(), powers.end(), zero) && std::all_of(speed.begin(), speed.end(), zero);
}

Box declared_box(const model::Model& model) {
    Box box;
    for (const model::Equation& equation : model.equations)
        box.push_back(equation.range ? Interval{(*equation.range)[0], (*equation.range)[1]} : entire());
    return box;
}

std::vector<Wave> linearise(const Expr& rate, const model::Model& model, const WaveScales& scales, const Box& box) {
    return Linearisation(model, scales, box).of(rate).slope;
}

}  // namespace mottle::ir
