// mottle/ir/stability/linearise.h: how fast small waves decay: a right side linearised about every uniform state in the declared ranges
#pragma once
#include "mottle/ir/stability/interval.h"
#include "mottle/model/model.h"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::ir {

/// What becomes of a wave, s in 0..1 being its share of the stiffest one that the domain holds: the real part is a polynomial in s, the imaginary part that of a
/// drift with these speeds along x, y, z.
struct Wave {
    std::vector<Interval> powers;  ///< coefficients by ascending power
    std::array<Interval, 3> speed;

    bool is_zero() const;
    /// Of power k; zero beyond the highest.
    Interval power(std::size_t k) const { return k < powers.size() ? powers[k] : Interval{}; }
};

/// A range for every field of a model.
using Box = std::vector<Interval>;
/// The declared ranges; a field without one may have any value.
Box declared_box(const model::Model& model);

/// What the domain's operators make of the stiffest wave: lap(f) = -laplacian f there, div(D*grad(f)) = -divergence D f.
struct WaveScales {
    double laplacian = 0, divergence = 0;
    std::array<double, 3> pairs{};                             ///< of a grid: 4/h^2 of each axis in use, else 0
    std::array<Interval, 3> place;                             ///< where x, y, z lie in the domain, for maps of them
    std::array<Interval, 3> unit{{{0, 1}, {0, 1}, {0, 1}}};    ///< the same of X, Y, Z
    Interval measure = {1, 1};                                 ///< the length, area or volume of all cells
    Interval time{0, kInfinity};                               ///< t
    std::vector<std::pair<std::string, Interval>> maps;        ///< what is known of maps beyond their expressions
    std::vector<std::pair<std::string, Interval>> attributes;  ///< ranges of the attributes of a mesh

    Interval attribute(const std::string& name) const;  ///< everything, if there is none
};

/// The derivative of `rate` by each field, as an operator on a wave: power 0 is the reaction, power 1 diffusion, power 2 bilap.
/// dx, dy and dz drift. dot(grad(a), grad(b)) and norm2 have no linear part about a uniform state; those of maps count as 0, as do dx(lap(u)) and the like.
/// Shape: one Wave per equation of `model`.
std::vector<Wave> linearise(const model::Expr& rate, const model::Model& model, const WaveScales& scales, const Box& box);

}  // namespace mottle::ir
