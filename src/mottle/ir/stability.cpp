// mottle/ir/stability.cpp: the longest explicit time step, from the decay of the waves that a grid or a mesh holds
#include "mottle/ir/stability.h"

#include "mottle/core/text.h"
#include "mottle/ir/linearise.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace mottle::ir {

namespace {

constexpr int kSamples = 64;  // of s in 0..1: diffusion that changes sign with the wavelength has its maximum between

/// 4/h^2 for every axis in use: the checkerboard, the stiffest wave of 2 neighbours per axis.
double pair_scale(const domain::Grid& grid) {
    double scale = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid.size[d] > 1) scale += 4 / (grid.spacing[d] * grid.spacing[d]);
    }
    return scale;
}

/// The largest decay of the weights w on a wave. Mirror-symmetric weights are linear in each of cos(kx), cos(ky): the extremes are corners.
double weights_scale(const std::array<double, 9>& w, bool x_used, bool y_used) {
    const bool symmetric = w[3] == w[5] && w[1] == w[7] && w[0] == w[2] && w[0] == w[6] && w[0] == w[8];
    if (!symmetric) {
        double sum = 0;
        for (double weight : w) sum += std::abs(weight);
        return sum;
    }
    double scale = 0;
    for (double cx : {1.0, -1.0}) {
        for (double cy : {1.0, -1.0}) {
            if ((cx < 0 && !x_used) || (cy < 0 && !y_used)) continue;
            scale = std::max(scale, -(w[4] + 2 * w[3] * cx + 2 * w[1] * cy + 4 * w[0] * cx * cy));
        }
    }
    return scale;
}

WaveScales wave_scales(const domain::Grid& grid) {
    WaveScales scales;
    scales.divergence = pair_scale(grid);
    const bool x_used = grid.size[0] > 1, y_used = grid.size[1] > 1;
    const double h2 = grid.spacing[0] * grid.spacing[0];
    switch (grid.stencil.kind) {
        case domain::Stencil::Kind::five:
            scales.laplacian = scales.divergence;
            break;
        case domain::Stencil::Kind::nine: {
            const double c = 1 / (6 * h2);
            scales.laplacian = weights_scale({c, 4 * c, c, 4 * c, -20 * c, 4 * c, c, 4 * c, c}, x_used, y_used);
            break;
        }
        case domain::Stencil::Kind::custom:
            scales.laplacian = weights_scale(grid.stencil.weights, x_used, y_used);
            break;
    }
    for (std::size_t d = 0; d < 3; ++d) scales.place[d] = {0, static_cast<double>(grid.size[d]) * grid.spacing[d]};
    return scales;
}

WaveScales wave_scales(const domain::Mesh& mesh) {
    WaveScales scales;
    // A flux between vertices takes the mean of their D: no stiffer than the largest D everywhere; nor is a tensor stiffer than its larger number.
    scales.laplacian = scales.divergence = mesh.spectrum.largest;
    const domain::Box box = domain::bounds(mesh.surface->position);
    for (std::size_t d = 0; d < 3; ++d) scales.place[d] = {box.lo[d] * mesh.scale, box.hi[d] * mesh.scale};
    for (const domain::Attribute& attribute : mesh.surface->attributes) {
        const auto [low, high] = std::minmax_element(attribute.values.begin(), attribute.values.end());
        scales.attributes.emplace_back(attribute.name, Interval{*low, *high});
    }
    return scales;
}

bool is_bounded(const Wave& wave) {
    return std::all_of(wave.begin(), wave.end(), [](const Interval& term) { return term.is_bounded(); });
}

/// The decay of a wave by its spatial part: `pick` takes one number from each coefficient.
template <class Pick>
double decay(const Wave& wave, double s, Pick&& pick) {
    double sum = 0, power = s;
    for (std::size_t k = 1; k < wave.size(); ++k, power *= s) sum -= pick(wave[k]) * power;
    return sum;
}

using Complex = std::complex<double>;

/// All eigenvalues of a small real matrix: characteristic polynomial (Faddeev and LeVerrier), then its roots (Durand and Kerner).
std::vector<Complex> eigenvalues(const std::vector<std::vector<double>>& a) {
    const std::size_t n = a.size();
    if (n == 2) {
        const double middle = 0.5 * (a[0][0] + a[1][1]), half = 0.5 * (a[0][0] - a[1][1]);
        const Complex root = std::sqrt(Complex(half * half + a[0][1] * a[1][0]));
        return {middle + root, middle - root};
    }
    std::vector<double> coefficient(n + 1);
    coefficient[n] = 1;
    std::vector<std::vector<double>> m(n, std::vector<double>(n)), product = m;
    for (std::size_t k = 1; k <= n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) m[i][j] = product[i][j] + (i == j ? coefficient[n - k + 1] : 0);
        }
        double trace = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                product[i][j] = 0;
                for (std::size_t l = 0; l < n; ++l) product[i][j] += a[i][l] * m[l][j];
            }
            trace += product[i][i];
        }
        coefficient[n - k] = -trace / static_cast<double>(k);
    }
    double radius = 0;
    for (const auto& row : a) {
        double sum = 0;
        for (double x : row) sum += std::abs(x);
        radius = std::max(radius, sum);
    }
    std::vector<Complex> roots(n);
    Complex start(0.4, 0.9), turn(1);
    for (Complex& root : roots) root = (turn *= start) * radius;
    for (int round = 0; round < 200; ++round) {
        for (std::size_t i = 0; i < n; ++i) {
            Complex value(1), others(1);
            for (std::size_t k = n; k-- > 0;) value = value * roots[i] + coefficient[k];
            for (std::size_t j = 0; j < n; ++j) others *= j == i ? Complex(1) : roots[i] - roots[j];
            if (std::abs(others) > 0) roots[i] -= value / others;
        }
    }
    return roots;
}

/// Whether field a leads to field b, directly or through others.
using Reach = std::vector<std::vector<bool>>;

/// Source: Warshall 1962.
void close(Reach& reach) {
    for (std::size_t k = 0; k < reach.size(); ++k) {
        for (std::size_t a = 0; a < reach.size(); ++a) {
            for (std::size_t b = 0; b < reach.size(); ++b) reach[a][b] = reach[a][b] || (reach[a][k] && reach[k][b]);
        }
    }
}

/// The longest dt for what decays by `matrix`; infinity where nothing does.
double limit_of(const RungeKutta& method, const std::vector<std::vector<double>>& matrix) {
    double limit = kInfinity;
    for (const Complex& value : eigenvalues(matrix)) {
        if (value.real() > 0) limit = std::min(limit, longest_step(method, value));
    }
    return limit;
}

/// Right sides linearised about uniform states; what has no bound is left out and told.
class Decay {
   public:
    Decay(const System& system, const WaveScales& scales, const RungeKutta& method) : method_(method) {
        for (const model::Equation& equation : system.model.equations) {
            waves_.push_back(linearise(*equation.rate, system.model, scales));
            names_.push_back(equation.field);
        }
        for (std::size_t i = 0; i < size(); ++i) {
            for (Wave& wave : waves_[i]) {
                Wave spatial(wave);
                if (!spatial.empty()) spatial[0] = Interval{};
                if (is_bounded(spatial)) continue;
                if (unbounded_diffusion_.empty() || unbounded_diffusion_.back() != names_[i]) unbounded_diffusion_.push_back(names_[i]);
                wave.resize(1);
            }
            const Wave& own = waves_[i][i];
            const Interval rate = own.empty() ? Interval{} : own[0];
            reaction_.push_back(rate.is_bounded() ? rate.magnitude() : 0);
            if (!rate.is_bounded()) unbounded_reaction_.push_back(names_[i]);
        }
        group();
    }

    std::size_t size() const { return waves_.size(); }
    const std::string& name(std::size_t i) const { return names_[i]; }
    double reaction(std::size_t i) const { return reaction_[i]; }
    const std::vector<std::string>& unbounded_reaction() const { return unbounded_reaction_; }
    const std::vector<std::string>& unbounded_diffusion() const { return unbounded_diffusion_; }

    /// The longest dt for the spatial part of field i.
    double limit(std::size_t i) const {
        double limit = kInfinity;
        for (int n = 1; n <= kSamples; ++n) {
            const double s = static_cast<double>(n) / kSamples;
            if (groups_[i].size() == 1) {
                const double rate = decay(waves_[i][i], s, [](Interval term) { return term.lo; });
                if (rate > 0) limit = std::min(limit, longest_step(method_, rate));
                continue;
            }
            std::vector<std::vector<double>> matrix;
            for (std::size_t a : groups_[i]) {
                matrix.emplace_back();
                for (std::size_t b : groups_[i])
                    matrix.back().push_back(decay(waves_[a][b], s, [](Interval term) { return term.extreme(); }));
            }
            limit = std::min(limit, limit_of(method_, matrix));
        }
        return limit;
    }

   private:
    bool drives(std::size_t a, std::size_t b) const {
        const Wave& wave = waves_[a][b];
        return std::any_of(wave.begin() + (wave.empty() ? 0 : 1), wave.end(), [](const Interval& term) { return !term.is_zero(); });
    }

    /// Fields that diffuse into each other, directly or through others, decay together.
    void group() {
        const std::size_t n = size();
        Reach reach(n, std::vector<bool>(n));
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) reach[a][b] = a == b || drives(a, b);
        }
        close(reach);
        groups_.resize(n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                if (reach[a][b] && reach[b][a]) groups_[a].push_back(b);
            }
        }
    }

    const RungeKutta& method_;
    std::vector<std::vector<Wave>> waves_;
    std::vector<std::string> names_, unbounded_reaction_, unbounded_diffusion_;
    std::vector<double> reaction_;
    std::vector<std::vector<std::size_t>> groups_;
};

/// Fields of which one spreads by the waves of another, and that one reacts to it, as cells that climb the gradient of what they secrete: together they can
/// decay faster than each by itself, most of all on coarse meshes. The longest dt for them, over uniform states throughout the declared ranges.
class Coupling {
   public:
    Coupling(const System& system, const WaveScales& scales, const RungeKutta& method)
        : model_(system.model), scales_(scales), method_(method) {
        find_members();
    }

    const std::vector<std::size_t>& members() const { return members_; }

    double limit() {
        double limit = kInfinity;
        if (members_.empty()) return limit;
        std::size_t samples = 1;
        const std::size_t points = members_.size() == 2 ? 9 : 3;  // of each field's range, both ends included
        for (std::size_t k = 0; k < members_.size(); ++k) samples *= points;
        for (std::size_t sample = 0; sample < samples; ++sample) {
            std::size_t rest = sample;
            model::Model state = model_;
            for (const std::size_t i : members_) {
                const auto [lo, hi] = *model_.equations[i].range;
                const double value = lo + (hi - lo) * static_cast<double>(rest % points) / static_cast<double>(points - 1);
                state.equations[i].range = std::array<double, 2>{value, value};
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
        for (std::size_t k = from; k < std::min(to, wave.size()); ++k) {
            if (!wave[k].is_zero()) return true;
        }
        return false;
    }

    /// Fields on circles of influence that hold an influence through waves; circles through waves alone are Decay's.
    void find_members() {
        const std::size_t n = model_.equations.size();
        Reach reach(n, std::vector<bool>(n)), spreads = reach;
        for (std::size_t a = 0; a < n; ++a) {
            const std::vector<Wave> slopes = linearise(*model_.equations[a].rate, model_, scales_);
            for (std::size_t b = 0; b < n; ++b) {
                reach[a][b] = a == b || is_any(slopes[b], 0, slopes[b].size());
                spreads[a][b] = a != b && is_any(slopes[b], 1, slopes[b].size());
            }
        }
        close(reach);
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
        const bool ranged =
            std::all_of(members_.begin(), members_.end(), [&](std::size_t i) { return model_.equations[i].range.has_value(); });
        if (!ranged || members_.size() > kMostMembers) members_.clear();
    }

    double limit_at(const model::Model& state) const {
        std::vector<std::vector<Wave>> waves;
        for (const std::size_t a : members_) {
            const std::vector<Wave> slopes = linearise(*state.equations[a].rate, state, scales_);
            waves.emplace_back();
            for (const std::size_t b : members_) {
                if (!is_bounded(slopes[b])) return kInfinity;
                waves.back().push_back(slopes[b]);
            }
        }
        double limit = kInfinity;
        for (int n = 1; n <= kShares; ++n) {
            const double s = static_cast<double>(n) / kShares;
            auto matrix = std::vector(members_.size(), std::vector<double>(members_.size()));
            for (std::size_t a = 0; a < waves.size(); ++a) {
                for (std::size_t b = 0; b < waves.size(); ++b) {
                    const Wave& wave = waves[a][b];
                    matrix[a][b] = decay(wave, s, [](Interval term) { return term.extreme(); }) - (wave.empty() ? 0 : wave[0].extreme());
                }
            }
            limit = std::min(limit, limit_of(method_, matrix));
        }
        return limit;
    }

    const model::Model& model_;
    const WaveScales& scales_;
    const RungeKutta& method_;
    std::vector<std::size_t> members_;
};

std::string rounded(double value) {
    if (!std::isfinite(value) || value == 0) return core::number_text(value);
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));  // words for a reader, no result depends on them
    return core::number_text(std::round(value * scale) / scale);
}

}  // namespace

StableStep stable_step(const System& system, const Method& method, const domain::Domain& domain) {
    const RungeKutta& table = *find_method(method.name);
    const double most = longest_step(table, 1);  // dt times the decay of a wave that just does not grow
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    const WaveScales scales = mesh ? wave_scales(*mesh) : wave_scales(std::get<domain::Grid>(domain));
    const Decay waves(system, scales, table);
    const std::optional<double> declared = system.model.reaction_rate;
    StableStep step{kInfinity, kInfinity, "", ""};
    std::string field;
    double own_diffusion = 0, own_reaction = 0;
    for (std::size_t i = 0; i < waves.size(); ++i) {
        const double limit = waves.limit(i), reaction = declared.value_or(waves.reaction(i));
        const double both = 1 / (1 / limit + reaction / most);
        step.diffusion_limit = std::min(step.diffusion_limit, limit);
        if (both < step.limit) {
            step.limit = both;
            field = waves.name(i);
            own_diffusion = most / limit;
            own_reaction = reaction;
        }
    }
    if (field.empty() && waves.unbounded_diffusion().empty()) {
        step.reason = "no diffusion";
    } else if (!field.empty()) {
        step.reason = "field " + field + ": diffusion decays at up to " + rounded(own_diffusion) + " per unit of time, reaction " +
                      (declared ? "as declared at " : "by the declared ranges at up to ") + rounded(own_reaction);
    }
    Coupling coupling(system, scales, table);
    if (const double together = declared ? kInfinity : coupling.limit(); together < step.limit) {
        std::vector<std::string> names;
        for (const std::size_t i : coupling.members()) names.push_back(waves.name(i));
        step.limit = together;
        step.reason = "fields " + core::listed(names, "and") + " drive each other and together decay at up to " + rounded(most / together) +
                      " per unit of time";
    }
    if (!declared && !waves.unbounded_reaction().empty()) {
        step.unknown = "the reaction of " + core::listed(waves.unbounded_reaction(), "and") +
                       " counts as 0, as [fields] gives no range to bound it and [method] no reaction_rate";
    }
    if (!waves.unbounded_diffusion().empty()) {
        step.unknown += (step.unknown.empty() ? "" : "; ") + std::string("the diffusion of ") +
                        core::listed(waves.unbounded_diffusion(), "and") + " has no bound, as [fields] gives no range, and is left out";
    }
    if (!step.unknown.empty()) step.reason += (step.reason.empty() ? "" : "; ") + step.unknown;
    return step;
}

}  // namespace mottle::ir
