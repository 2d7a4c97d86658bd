// mottle/ir/linearise.h: how fast small waves decay: a right side linearised about every uniform state in the declared ranges
#pragma once
#include "mottle/ir/interval.h"
#include "mottle/model/model.h"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::ir {

/// A polynomial in s, with interval coefficients by ascending power; s in 0..1 is the share of the stiffest wave that the domain holds.
using Wave = std::vector<Interval>;

/// What the domain's operators make of the stiffest wave: lap(f) = -laplacian f there, div(D*grad(f)) = -divergence D f.
struct WaveScales {
    double laplacian = 0, divergence = 0;
    std::array<Interval, 3> place;                             ///< where x, y, z lie in the domain, for maps of them
    std::vector<std::pair<std::string, Interval>> attributes;  ///< ranges of the attributes of a mesh

    Interval attribute(const std::string& name) const;  ///< everything, if there is none
};

/// The derivative of `rate` by each field, as an operator on a wave: power 0 is the reaction, power 1 diffusion, power 2 bilap.
/// First derivatives count as 0: about a uniform state dot(grad(a), grad(b)) and norm2 have no linear part, and advection has no decay.
/// A field without a declared range may have any value. Shape: one Wave per equation of `model`.
std::vector<Wave> linearise(const model::Expr& rate, const model::Model& model, const WaveScales& scales);

}  // namespace mottle::ir
