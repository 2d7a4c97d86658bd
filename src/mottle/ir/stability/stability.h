// mottle/ir/stability/stability.h: the explicit limit of dt from diffusion and declared ranges; run/settings/clock.h makes the dt of a run of it
#pragma once
#include "mottle/ir/stability/interval.h"
#include "mottle/ir/lower/system.h"

#include <string>
#include <vector>

namespace mottle::ir {

struct StableStep {
    double diffusion_limit = kInfinity;  ///< largest dt for diffusion alone; infinity without diffusion
    double drift_limit = kInfinity;      ///< for what first derivatives carry along; 0 where every step lets it grow
    double limit = kInfinity;            ///< for all of this, and the reaction
    double accurate = kInfinity;         ///< of a method with any number of stages: a dt that follows the reaction; see stable_step
    std::string reason;   ///< which field, how fast it decays by diffusion and reaction, and where that came from; then `unknown`
    double reaction = 0;  ///< the largest rate of a reaction that is declared or bounded by ranges, per unit of time; 0 where none is known
    std::string limited_by;  ///< the same in few words: "diffusion of v", "the reaction of u"; "" where nothing limits dt
    std::vector<std::string>
        backwards;  ///< fields whose diffusion lets the stiffest wave grow, and shorter ones on finer grids faster: the equations are ill-posed
    std::string unknown;  ///< what the limits leave out because nothing bounds it; "" if that is nothing
};

/// Of orders 1 and 2: steps of 5 and of 9 stages. Euler's error grows some 10 and 1.5 times by them, where the fields diffuse at rates as far apart as 1 and
/// 40 (docs/numerics.md).
inline constexpr double kLongSteps[2] = {15, 22};
/// Bounds hold at the ends of the declared ranges; where the fields mostly are, reactions are several times slower.
inline constexpr double kReactionInStep = 4;

/// dt (D lambda_max + |df/df|) < 2 (what the method bears: longest_step of 1) for every field, the model linearised about the uniform states within the declared ranges. D lambda_max comes from
/// lap, div(D*grad()), bilap and nested operators; fields that diffuse into each other take the eigenvalues of their coupling.
/// Where one of two fields spreads by the waves of the other and that one reacts to it, the pair is taken together, at states throughout the ranges.
/// |df/df| is [method] reaction_rate, else a bound over the declared ranges (reaction_bound), else 0 (the reason says so). dx, dy and dz turn waves by up to
/// c sin(kh)/h per unit of time; diffusion and reaction have to damp that as the method needs it: Euler's dt <= 2 D/c^2 beside diffusion alone.
/// `accurate` does not depend on the number of stages: where the reaction is bounded and not 0, kReactionInStep by the largest bound, or the longest stable
/// step of one evaluation of the rates, if that is longer; else that step times kLongSteps.
/// Of a method that solves for diffusion the limits are those of Euler's (imex2: heun's) steps of the rest, of one that takes exponentials those of rk4's, and `accurate` is half
/// of that, and with imex a tenth of the limit of drift, which the diffusion that is solved for damps.
StableStep stable_step(const System& system, const Method& method, const domain::Domain& domain);

}  // namespace mottle::ir
