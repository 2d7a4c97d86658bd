// mottle/ir/stability/stability.cpp: the longest explicit time step, from the decay of the waves that a grid or a mesh holds
#include "mottle/ir/stability/stability.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/text.h"
#include "mottle/ir/lower/implicit.h"
#include "mottle/ir/lower/linear_part.h"
#include "mottle/ir/stability/eigenvalues.h"
#include "mottle/ir/stability/longest_steps.h"
#include "mottle/ir/stability/reaction_bound.h"
#include "mottle/ir/stability/wave_scales.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mottle::ir {

namespace {

using Complex = std::complex<double>;
using Matrix = std::vector<std::vector<double>>;

constexpr double kStepsOfRk4 = 9;     // of Euler, in the time of one of rk4: docs/notes/methods-and-noise.md
constexpr double kShareOfRest = 0.5;  // of the limit of explicit steps: what decays does not overshoot
// Of the limit of drift: steps of first order take c^2 dt/2 from diffusion, which at the limit is all of it.
constexpr double kShareOfDrift = 0.1;
constexpr int kSamples = 64;  // of s in 0..1: diffusion that changes sign with the wavelength has its maximum between

bool is_bounded(const Wave& wave) {
    return std::all_of(wave.powers.begin(), wave.powers.end(), [](const Interval& term) { return term.is_bounded(); });
}

/// The decay of a wave by its spatial part: `pick` takes one number from each coefficient.
template <class Pick>
double decay(const Wave& wave, double s, Pick&& pick) {
    double sum = 0, power = s;
    for (std::size_t k = 1; k < wave.powers.size(); ++k, power *= s) sum -= pick(wave.powers[k]) * power;
    return sum;
}

/// Whether field a leads to field b, directly or through others.
using Reach = std::vector<std::vector<bool>>;

/// Source: Warshall 1962.
void close_transitively(Reach& reach) {
    for (std::size_t k = 0; k < reach.size(); ++k) {
        for (std::size_t a = 0; a < reach.size(); ++a) {
            for (std::size_t b = 0; b < reach.size(); ++b) reach[a][b] = reach[a][b] || (reach[a][k] && reach[k][b]);
        }
    }
}

/// Right sides linearised about uniform states; what has no bound is left out, and named.
class Decay {
   public:
    Decay(const System& system, const WaveScales& scales, const StabilityPolynomial& method) : scales_(scales), method_(method) {
        const Box box = declared_box(system.model);
        for (const model::Equation& equation : system.model.equations) {
            waves_.push_back(linearise(*equation.rate, system.model, scales, box));
            names_.push_back(equation.field);
        }
        for (std::size_t i = 0; i < size(); ++i) {
            for (Wave& wave : waves_[i]) leave_out_unbounded(i, wave);
            const Interval rate = reaction_bound(system.model, i, scales, box);
            reaction_.push_back(rate.is_bounded() ? rate : Interval{});
            if (!rate.is_bounded()) unbounded_reaction_.push_back(names_[i]);
        }
        group();
    }

    std::size_t size() const { return waves_.size(); }
    const std::string& name(std::size_t i) const { return names_[i]; }
    double reaction(std::size_t i) const { return reaction_[i].magnitude(); }
    const std::vector<std::string>& unbounded_reaction() const { return unbounded_reaction_; }
    const std::vector<std::string>& unbounded_diffusion() const { return unbounded_diffusion_; }
    const std::vector<std::string>& unbounded_drift() const { return unbounded_drift_; }

    /// The longest dt for the diffusion of field i.
    double limit(std::size_t i) const {
        double limit = kInfinity;
        for (int n = 1; n <= kSamples; ++n) limit = std::min(limit, limit_of(method_, spatial(i, static_cast<double>(n) / kSamples)));
        return limit;
    }

    /// The longest dt for the drift of field i, which turns waves that its diffusion and reaction damp; 0, where nothing does and the method lets all grow that turns.
    double drift_limit(std::size_t i) const {
        Drift largest;  // sum of a row: no eigenvalue is beyond it (Gershgorin)
        double least = kInfinity, most = 0;
        for (const std::size_t a : groups_[i]) {
            Drift row;
            for (const std::size_t b : groups_[i]) row += drift_of(waves_[a][b], scales_);
            largest = {std::max(largest.speed, row.speed), std::max(largest.most, row.most)};
            least = std::min(least, std::max(0.0, -reaction_[a].hi));
            most = std::max(most, -reaction_[a].lo);
        }
        double limit = kInfinity;
        if (largest.speed == 0) return limit;
        const bool grows = grows_turning(method_);
        for (int n = 0; n < kSamples; ++n) {
            const double s = n == 0 ? kLongWave : static_cast<double>(n) / kSamples, turn = turning(largest, s, scales_);
            for (const Complex& value : eigenvalues(spatial(i, s))) {
                if (value.real() < 0) continue;
                for (const double damping : {least, most}) {
                    const Complex rate(value.real() + damping, std::abs(value.imag()) + turn);
                    if (rate.real() == 0 && grows) return 0;
                    limit = std::min(limit, method_.longest_step(rate));
                }
            }
        }
        return limit;
    }

    /// The same of a method that solves for what `whole` diffuses beyond this: `imex`, or `imex2` with its two stages.
    double split_drift_limit(std::size_t i, const Decay& whole, bool two_stages) const {
        const Drift drift = drift_of(waves_[i][i], scales_);
        if (groups_[i].size() > 1 || drift.speed == 0) return drift_limit(i);
        double limit = kInfinity;
        for (int n = 0; n < kSamples; ++n) {
            const double s = n == 0 ? kLongWave : static_cast<double>(n) / kSamples, turn = turning(drift, s, scales_);
            const double rest = spatial(i, s)[0][0], solved = std::max(0.0, whole.spatial(i, s)[0][0] - rest);
            if (rest < 0) continue;
            for (const double damping : {std::max(0.0, -reaction_[i].hi), std::max(0.0, -reaction_[i].lo)})
                limit = std::min(limit, longest_split_step(two_stages, solved, {rest + damping, turn}));
        }
        return limit;
    }

    /// The fields whose diffusion lets the stiffest wave grow in every state.
    std::vector<std::string> running_backwards() const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < size(); ++i) {
            if (groups_[i].size() == 1 && decay(waves_[i][i], 1, [](const Interval& term) { return term.lo; }) < 0)
                names.push_back(name(i));
        }
        return names;
    }

    double speed(std::size_t i) const {
        double speed = 0;
        for (const Wave& wave : waves_[i]) speed = std::max(speed, drift_of(wave, scales_).speed);
        return speed;
    }

   private:
    static constexpr double kLongWave = 1.0 / 4096;  // share of the stiffest; longer ones drift as these do

    void leave_out_unbounded(std::size_t i, Wave& wave) {
        const auto name_once = [&](std::vector<std::string>& names) {
            if (names.empty() || names.back() != names_[i]) names.push_back(names_[i]);
        };
        for (std::size_t k = 1; k < wave.powers.size(); ++k) {
            if (wave.powers[k].is_bounded()) continue;
            name_once(unbounded_diffusion_);
            wave.powers[k] = Interval{};
        }
        for (Interval& speed : wave.speed) {
            if (speed.is_bounded()) continue;
            name_once(unbounded_drift_);
            speed = Interval{};
        }
    }

    /// How the fields of the group of field i decay by diffusion, on a wave of share s.
    Matrix spatial(std::size_t i, double s) const {
        if (groups_[i].size() == 1) return {{decay(waves_[i][i], s, [](Interval term) { return term.lo; })}};
        Matrix matrix;
        for (const std::size_t a : groups_[i]) {
            matrix.emplace_back();
            for (const std::size_t b : groups_[i])
                matrix.back().push_back(decay(waves_[a][b], s, [](Interval term) { return term.extreme(); }));
        }
        return matrix;
    }

    bool drives(std::size_t a, std::size_t b) const {
        const Wave& wave = waves_[a][b];
        const auto acts = [](const Interval& term) { return !term.is_zero(); };
        return std::any_of(wave.powers.begin() + (wave.powers.empty() ? 0 : 1), wave.powers.end(), acts) ||
               drift_of(wave, scales_).speed > 0;
    }

    /// Fields that diffuse or drift into each other, directly or through others, decay together.
    void group() {
        const std::size_t n = size();
        Reach reach(n, std::vector<bool>(n));
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) reach[a][b] = a == b || drives(a, b);
        }
        close_transitively(reach);
        groups_.resize(n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                if (reach[a][b] && reach[b][a]) groups_[a].push_back(b);
            }
        }
    }

    const WaveScales& scales_;
    const StabilityPolynomial& method_;
    std::vector<std::vector<Wave>> waves_;
    std::vector<std::string> names_, unbounded_reaction_, unbounded_diffusion_, unbounded_drift_;
    std::vector<Interval> reaction_;
    std::vector<std::vector<std::size_t>> groups_;
};

/// Fields of which one spreads by the waves of another, and that one reacts to it, as cells that climb the gradient of what they secrete: together they can
/// decay faster than each by itself, most of all on coarse meshes. The longest dt for them, over uniform states throughout the declared ranges.
class Coupling {
   public:
    Coupling(const System& system, const WaveScales& scales, const StabilityPolynomial& method)
        : model_(system.model), scales_(scales), method_(method) {
        find_members();
    }

    const std::vector<std::size_t>& members() const { return members_; }

    double limit() {
        double limit = kInfinity;
        if (members_.empty()) return limit;
        std::size_t samples = 1;
        const std::size_t points = members_.size() == 2 ? 9 : 3;  // of each field's range, both ends included
        for (std::size_t k = 0; k < members_.size(); ++k) samples *= ranged_ ? points : 1;
        for (std::size_t sample = 0; sample < samples; ++sample) {
            core::cancellation_point();
            std::size_t rest = sample;
            Box state = declared_box(model_);
            for (const std::size_t i : members_) {
                if (!ranged_) break;
                const auto [lo, hi] = state[i];
                state[i] = point(lo + (hi - lo) * static_cast<double>(rest % points) / static_cast<double>(points - 1));
                rest /= points;
            }
            limit = std::min(limit, limit_at(state));
        }
        return limit;
    }

   private:
    static constexpr std::size_t kMostMembers = 4;
    static constexpr int kShares = 8;  // of the stiffest wave

    static bool is_any(const Wave& wave, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < std::min(to, wave.powers.size()); ++k) {
            if (!wave.powers[k].is_zero()) return true;
        }
        return false;
    }

    /// Fields on circles of influence that hold an influence through waves; circles through waves alone are Decay's.
    void find_members() {
        const std::size_t n = model_.equations.size();
        Reach reach(n, std::vector<bool>(n)), spreads = reach;
        for (std::size_t a = 0; a < n; ++a) {
            core::cancellation_point();
            const std::vector<Wave> slopes = linearise(*model_.equations[a].rate, model_, scales_, declared_box(model_));
            for (std::size_t b = 0; b < n; ++b) {
                reach[a][b] = a == b || is_any(slopes[b], 0, slopes[b].powers.size());
                spreads[a][b] = a != b && is_any(slopes[b], 1, slopes[b].powers.size());
            }
        }
        close_transitively(reach);
        std::vector<bool> member(n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                if (spreads[a][b] && reach[b][a]) member[a] = member[b] = true;
            }
        }
        for (std::size_t a = 0; a < n; ++a) {
            if (!member[a]) continue;
            for (std::size_t b = 0; b < n; ++b) member[b] = member[b] || (reach[a][b] && reach[b][a]);
        }
        for (std::size_t a = 0; a < n; ++a) {
            if (member[a]) members_.push_back(a);
        }
        ranged_ = std::all_of(members_.begin(), members_.end(), [&](std::size_t i) { return model_.equations[i].range.has_value(); });
        if (members_.size() > kMostMembers) members_.clear();
    }

    double limit_at(const Box& state) const {
        std::vector<std::vector<Wave>> waves;
        for (const std::size_t a : members_) {
            const std::vector<Wave> slopes = linearise(*model_.equations[a].rate, model_, scales_, state);
            waves.emplace_back();
            for (const std::size_t b : members_) {
                if (!is_bounded(slopes[b])) return kInfinity;
                waves.back().push_back(slopes[b]);
            }
        }
        double limit = kInfinity;
        for (int n = 1; n <= kShares; ++n) {
            const double s = static_cast<double>(n) / kShares;
            Matrix matrix(members_.size(), std::vector<double>(members_.size()));
            for (std::size_t a = 0; a < waves.size(); ++a) {
                for (std::size_t b = 0; b < waves.size(); ++b) {
                    const Wave& wave = waves[a][b];
                    matrix[a][b] = decay(wave, s, [](Interval term) { return term.extreme(); }) - wave.power(0).extreme();
                }
            }
            // the stiffest wave: a longer one may neither grow nor decay by chance, between those that do
            limit = std::min(limit, n == kShares ? limit_with_turning(method_, matrix) : limit_of(method_, matrix));
        }
        return limit;
    }

    const model::Model& model_;
    const WaveScales& scales_;
    const StabilityPolynomial& method_;
    std::vector<std::size_t> members_;
    bool ranged_ = false;  ///< all of them; else only equations count whose slopes are the same at every state
};

std::string rounded(double value) {
    if (!std::isfinite(value) || value == 0) return core::number_text(value);
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));  // words for a reader, no result depends on them
    return core::number_text(std::round(value * scale) / scale);
}

}  // namespace

namespace {

/// Finds the longest explicit step of a system. Each cause in turn may shorten it, and the last one that does is the reason that is given.
class LongestStep {
   public:
    /// `whole`: what a method that solves for diffusion has taken `system` from; null: all is explicit.
    LongestStep(const System& system, const System* whole, const Method& method, const domain::Domain& domain)
        : whole_(whole),
          method_(method),
          polynomial_(method),
          most_(polynomial_.longest_step(1)),
          scales_(wave_scales(domain)),
          waves_(system, scales_, polynomial_),
          coupling_(system, scales_, polynomial_),
          declared_(system.model.reaction_rate) {
        if (whole) with_solved_.emplace(*whole, scales_, polynomial_);
    }

    StableStep find() {
        limit_by_decay();
        bound_for_accuracy();
        if (!declared_) limit_by_coupling();
        limit_by_drift();
        name_what_is_unknown();
        return std::move(step_);
    }

   private:
    /// By diffusion and reaction, field by field.
    void limit_by_decay() {
        std::string field;
        double own_diffusion = 0, own_reaction = 0;
        for (std::size_t i = 0; i < waves_.size(); ++i) {
            const double limit = waves_.limit(i), reaction = declared_.value_or(waves_.reaction(i));
            const double both = 1 / (1 / limit + reaction / most_);
            step_.reaction = std::max(step_.reaction, reaction);
            step_.diffusion_limit = std::min(step_.diffusion_limit, limit);
            if (both < step_.limit) {
                step_.limit = both;
                field = waves_.name(i);
                own_diffusion = most_ / limit;
                own_reaction = reaction;
            }
        }
        step_.backwards = waves_.running_backwards();
        if (field.empty() && waves_.unbounded_diffusion().empty()) {
            step_.reason = step_.backwards.empty() ? "no diffusion" : "no diffusion that smooths";
        } else if (!field.empty()) {
            step_.reason = "field " + field + ": diffusion decays at up to " + rounded(own_diffusion) + " per unit of time";
            if (declared_ || own_reaction > 0)
                step_.reason += std::string(", reaction ") + (declared_ ? "as declared at " : "by the declared ranges at up to ") +
                                rounded(own_reaction);
        }
        if (!field.empty()) step_.limited_by = (own_reaction > own_diffusion ? "the reaction of " : "diffusion of ") + field;
    }

    /// Of a method with any number of stages, which would be stable with much longer steps.
    void bound_for_accuracy() {
        const RungeKuttaLegendre* legendre = scheme_of(method_).legendre();
        if (!legendre) return;
        const double one = 2 / most_ * step_.limit;
        const bool known = step_.reaction > 0 && (declared_ || waves_.unbounded_reaction().empty());
        step_.accurate = known ? std::max(one, kReactionInStep / step_.reaction) : kLongSteps[legendre->order - 1] * one;
    }

    void limit_by_coupling() {
        const double together = coupling_.limit();
        if (!(together < step_.limit)) return;
        std::vector<std::string> names;
        for (const std::size_t i : coupling_.members()) names.push_back(waves_.name(i));
        step_.limit = together;
        step_.limited_by = "the coupling of " + core::listed_briefly(names);
        step_.reason = "fields " + core::listed_briefly(names) + " are coupled and ";
        if (together > 0) {
            step_.reason += "together decay at up to " + rounded(most_ / together) + " per unit of time";
        } else {
            step_.drift_limit = 0;
            step_.reason +=
                "have undamped waves (imaginary eigenvalues), which grow in every step of " + method_.name + "; use --method rk4";
        }
    }

    void limit_by_drift() {
        const double at_rest = step_.limit;
        for (std::size_t i = 0; i < waves_.size(); ++i) {
            const double limit = whole_ ? waves_.split_drift_limit(i, *with_solved_, method_.name != "euler") : waves_.drift_limit(i);
            step_.drift_limit = std::min(step_.drift_limit, limit);
            if (limit >= step_.limit) continue;
            const bool slow = !whole_ && method_.name == "euler" && limit < at_rest / kStepsOfRk4;
            step_.limit = limit;
            step_.limited_by = "the drift of " + waves_.name(i);
            step_.reason = "field " + waves_.name(i) + " is advected at up to " + rounded(waves_.speed(i)) + ", and ";
            step_.reason +=
                limit == 0 ? "nothing damps its waves, which grow in every step of " + method_.name + "; add diffusion, or use --method rk4"
                           : "diffusion and reaction damp its waves only if dt is short enough";
            if (limit > 0 && slow) step_.reason += "; --method rk4 is stable with much longer steps";
        }
    }

    void name_what_is_unknown() {
        const auto leave_out = [&](const std::vector<std::string>& names, const std::string& what, const std::string& why) {
            if (!names.empty())
                step_.unknown += (step_.unknown.empty() ? "" : "; ") + ("the " + what + " of " + core::listed_briefly(names)) + why;
        };
        if (!declared_)
            leave_out(waves_.unbounded_reaction(), "reaction",
                      " counts as 0, as [fields] gives no range to bound it and [method] no reaction_rate");
        leave_out(waves_.unbounded_diffusion(), "diffusion", " has no bound, as [fields] gives no range, and is ignored");
        leave_out(waves_.unbounded_drift(), "drift", " has no bound, as [fields] gives no range, and is ignored");
        if (!step_.unknown.empty()) step_.reason += (step_.reason.empty() ? "" : "; ") + step_.unknown;
    }

    const System* whole_;
    const Method& method_;
    StabilityPolynomial polynomial_;
    double most_;  ///< dt times the decay of a wave that just does not grow
    WaveScales scales_;
    Decay waves_;
    Coupling coupling_;
    std::optional<double> declared_;    ///< the rate of the reaction
    std::optional<Decay> with_solved_;  ///< of `whole`
    StableStep step_;
};

/// Of a method that splits: what limits the rest, by the steps that it takes of the rest.
StableStep stable_step_of_rest(const System& system, const Method& method, const domain::Domain& domain) {
    const bool exact = scheme_of(method).takes_exponentials;
    const System rest = exact ? split_linear(system, method).rest : split_diffusion(system, method).rest;
    const Method steps{exact ? "rk4" : scheme_of(method).makes_rates ? "heun" : "euler", method.f64, 0};
    StableStep step = LongestStep(rest, exact ? nullptr : &system, steps, domain).find();
    std::string known = step.reason;
    if (const std::string none = "no diffusion"; known.starts_with(none)) known = known == none ? "" : known.substr(none.size() + 2);
    step.reason = std::string(exact ? "linear terms are exact" : "diffusion is solved for") + ", and the rest steps explicitly" +
                  (known.empty() ? "" : ": " + known);
    step.accurate = kShareOfRest * step.limit;
    if (steps.name == "euler") step.accurate = std::min(step.accurate, kShareOfDrift * step.drift_limit);
    step.backwards = Decay(system, wave_scales(domain), StabilityPolynomial(steps)).running_backwards();
    return step;
}

}  // namespace

StableStep stable_step(const System& system, const Method& method, const domain::Domain& domain) {
    if (scheme_of(method).splits()) return stable_step_of_rest(system, method, domain);
    return LongestStep(system, nullptr, method, domain).find();
}

}  // namespace mottle::ir
