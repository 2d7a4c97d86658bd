// tests/oracle/language/model_steps.h: the steps of a model by each method in plain loops, on a domain that forms its rates; includes nothing of Mottle
#pragma once
#include "oracle/language/dense.h"
#include "oracle/language/linear_terms.h"
#include "oracle/language/model_text.h"
#include "oracle/runge_kutta.h"

#include <cmath>
#include <map>

namespace language {

/// Of a domain with
///   rate(y, t)                     the rates of all fields
///   mended(y, t)                   the fields with the values that borders prescribe
///   laplacian(f, cells, t)         the Laplacian of one array of cells by the rules of field number f
///   solved(f, k, cells, t, rates)  the solution x of (1 - k lap) x = cells; of rates, by the homogeneous rules
///   linear_terms(f, inside)        see LinearTerms
///   at_step(n)                     what white() depends on
template <class Domain>
class ModelSteps {
   public:
    using Fields = std::vector<Row>;

    ModelSteps(Domain& domain, const ModelText& model) : domain_(domain), model_(model), dt_(model.dt) {
        const bool exponential = model.method == "etdrk4";
        if (!exponential && model.method != "imex" && model.method != "imex2") return;
        for (std::size_t f = 0; f < model.fields.size(); ++f) {
            linear_.push_back(domain.linear_terms(f, exponential));
            if (!exponential) linear_.back().resize(2);
        }
    }

    Fields run(Fields state) {
        for (int step = 0; step < model_.steps; ++step) {
            domain_.at_step(step);
            state = after(state, step * dt_, (step + 1) % 8 == 0);
            state = domain_.mended(clamped(state), (step + 1) * dt_);
            // docs/numerics.md, "Underflow": every eighth step; methods of many stages, imex2 and etdrk4 every one
            const bool every = model_.stages > 0 || model_.method == "imex2" || model_.method == "etdrk4";
            if (every || (step + 1) % 8 == 0) state = flushed(state);
        }
        return state;
    }

   private:
    static Fields flushed(Fields y) {
        for (Row& cells : y) {
            for (double& x : cells) x = std::abs(x) < std::ldexp(1.0, -340) ? 0 : x;
        }
        return y;
    }
    Fields clamped(Fields y) const {
        for (std::size_t f = 0; f < y.size(); ++f) {
            const auto& clamp = model_.fields[f].clamp;
            if (!clamp) continue;
            for (double& x : y[f]) x = std::min((*clamp)[1], std::max((*clamp)[0], x));
        }
        return y;
    }

    Fields after(const Fields& y, double t, bool eighth) {
        if (model_.method == "imex") return implicit(y, t, eighth);
        if (model_.method == "imex2") return rosenbrock(y, t);
        if (model_.method == "etdrk4") return exponential(y, t);
        return oracle::step_by(
            model_.method, y, t, dt_, [&](const Fields& at, double time) { return domain_.rate(at, time); },
            [&](Fields at, double time) { return domain_.mended(std::move(at), time); }, oracle::Stages{model_.stages, model_.order},
            [](Fields at) { return flushed(std::move(at)); });
    }

    /// docs/numerics.md, "Implicit diffusion".
    Fields implicit(const Fields& y, double t, bool eighth) {
        Fields rest = domain_.rate(y, t);
        for (std::size_t f = 0; f < y.size(); ++f) {
            if (linear_[f][1] == 0) continue;
            const Row lap = domain_.laplacian(f, y[f], t);
            for (std::size_t i = 0; i < lap.size(); ++i) rest[f][i] -= linear_[f][1] * lap[i];
        }
        Fields next = clamped(oracle::moved(y, dt_, rest));
        if (eighth) next = flushed(next);
        for (std::size_t f = 0; f < y.size(); ++f) {
            if (linear_[f][1] != 0) next[f] = domain_.solved(f, dt_ * linear_[f][1], next[f], t + dt_, false);
        }
        return next;
    }
    /// k = S F(u, t), l = S (F(u + h k, t + h) - 2 k), u' = u + h (3/2 k + 1/2 l), S = (1 - g h D lap)^-1.
    Fields rosenbrock(const Fields& y, double t) {
        const double g = 1 - 1 / std::sqrt(2.0);
        const auto solved = [&](Fields rates) {
            for (std::size_t f = 0; f < y.size(); ++f) {
                if (linear_[f][1] != 0) rates[f] = domain_.solved(f, g * dt_ * linear_[f][1], rates[f], t, true);
            }
            return rates;
        };
        const Fields k = solved(domain_.rate(y, t));
        const Fields l = solved(oracle::moved(domain_.rate(oracle::moved(y, dt_, k), t + dt_), -2, k));
        return oracle::moved(oracle::moved(y, 1.5 * dt_, k), 0.5 * dt_, l);
    }
    /// docs/numerics.md, "Exponential time differencing": the functions of matrices by the eigenvectors of the Laplacian.
    Fields exponential(const Fields& y, double t) {
        const double h = dt_;
        const auto of = [&](Row Exponentials::*factors, const Fields& at) {
            Fields made;
            for (std::size_t f = 0; f < at.size(); ++f) {
                const Exponentials& functions = exponentials_of(f, at[f].size());
                made.push_back(functions.waves.apply(functions.*factors, at[f]));
            }
            return made;
        };
        const auto rest = [&](const Fields& at, double time) {
            return oracle::moved(domain_.rate(at, time), -1, of(&Exponentials::linear, at));
        };
        const auto half_step = [&](const Fields& from, const Fields& rates) {
            return oracle::moved(of(&Exponentials::half, from), h / 2, of(&Exponentials::driven, rates));
        };
        const Fields ny = rest(y, t), a = half_step(y, ny), na = rest(a, t + h / 2), b = half_step(y, na), nb = rest(b, t + h / 2);
        const Fields c = half_step(a, oracle::combined(2, nb, -1, ny)), nc = rest(c, t + h);
        Fields next = oracle::moved(of(&Exponentials::whole, y), h, of(&Exponentials::first, ny));
        next = oracle::moved(next, h, of(&Exponentials::middle, oracle::moved(na, 1, nb)));
        return oracle::moved(next, h, of(&Exponentials::last, nc));
    }

    /// Of the linear part L = p(lap) of a field, by the eigenvalues of lap: L itself, e^(z/2), phi_1(z/2), e^z and what the rates of y, of a and b, and of c are multiplied by, z = h L.
    struct Exponentials {
        SymmetricMatrix waves;
        Row linear, half, driven, whole, first, middle, last;
    };
    const Exponentials& exponentials_of(std::size_t f, std::size_t count) {
        const auto known = exponentials_.find(f);
        if (known != exponentials_.end()) return known->second;
        Matrix matrix;  // its columns are the Laplacians of single cells
        for (std::size_t i = 0; i < count; ++i) {
            Row single(count);
            single[i] = 1;
            matrix.push_back(domain_.laplacian(f, single, 0));
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (std::abs(matrix[i][j] - matrix[j][i]) > 1e-12) throw std::runtime_error("the oracle expected a symmetric Laplacian");
            }
        }
        Exponentials made{SymmetricMatrix(matrix), {}, {}, {}, {}, {}, {}, {}};
        for (const double l : made.waves.values) {
            double p = 0;
            for (std::size_t k = linear_[f].size(); k-- > 0;) p = p * l + linear_[f][k];
            const double z = dt_ * p;
            made.linear.push_back(p);
            made.half.push_back(phi(0, z / 2));
            made.driven.push_back(phi(1, z / 2));
            made.whole.push_back(phi(0, z));
            made.first.push_back(phi(1, z) - 3 * phi(2, z) + 4 * phi(3, z));
            made.middle.push_back(2 * phi(2, z) - 4 * phi(3, z));
            made.last.push_back(4 * phi(3, z) - phi(2, z));
        }
        return exponentials_.emplace(f, std::move(made)).first->second;
    }

    Domain& domain_;
    const ModelText& model_;
    double dt_;
    std::vector<std::vector<double>> linear_;  ///< by field, of methods that take a linear part out: the coefficients of lap^0, lap^1, ..
    std::map<std::size_t, Exponentials> exponentials_;
};

}  // namespace language
