// mottle/run/settings/clock.h: the time step of a run and how many of them
#pragma once
#include "mottle/ir/stability/stability.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

struct Clock {
    double dt = 0;
    double stable_dt = 0;  ///< 0.9 of the explicit limit; infinity if nothing limits it
    Index steps = 0;
    int stages = 1;                    ///< of a step, each of which is a step of the kernel (ir::kernel_steps_of)
    bool automatic = false;            ///< dt was chosen here: a run that finds it too long may halve it
    int halvings = 0;                  ///< of dt since it was chosen; what was planned at a step is due at that step times 2^halvings
    ir::StableStep limits;             ///< what stable_dt comes from
    std::vector<std::string> notices;  ///< the chosen dt and why, or a dt that is too long
};

/// The method of waves that turn, which Euler's method lets grow.
inline constexpr const char* kMethodOfWaves = "rk4";

/// A run of more steps on a mesh is refused, unless forced.
inline constexpr Index kMostMeshSteps = 10'000'000;

inline constexpr int kMostHalvings = 12;

/// Of the explicit limit: an automatic dt.
inline constexpr double kShareOfLimit = 0.9;

/// A rough number of seconds that the steps of a run on a mesh take.
double seconds_of(const Spec& spec, const Clock& clock);

/// Half the dt and twice the steps, so that all times stay what they are. False where steps could no longer be counted, or after kMostHalvings.
bool halve(Clock& clock);

/// Halves an automatic dt until it is `dt`, which a run has come to that goes on from there; leaves it where it would never be that.
void halve_to(Clock& clock, double dt);

/// Whether Lanczos would tell more about the dt of `spec`: the stiffness of its mesh is only bounded, and the limits by that bound do not settle dt.
bool asks_for_lanczos(const Spec& spec, const ir::StableStep& stable);

/// The limits of dt. Where neither dt nor the method is given and waves turn so that steps of rk4 may be 8 times as long as Euler's or more, the method of `spec` becomes rk4. Of a mesh whose stiffness is only bounded Lanczos finds it first, unless the dt of `spec` is within that bound anyway. Decides the stages of a method
/// that takes any number of them.
ir::StableStep stable_step_of(Spec& spec, const ir::System& system, core::ThreadTeam& team);

/// A dt that is chosen here divides the time of the run, if there is one; of a dt that is given the nearest whole number of steps is taken.
/// Without steps any dt will do: where nothing bounds it, it is 1.
/// Throws: InputError: nothing to choose dt from; more steps than can be counted.
Clock decide_clock(const Spec& spec, const ir::StableStep& stable);

/// For a run with white(): what dt makes of the variance of the stiffest waves, and a dt that leaves it; "" where it is within a half.
std::string advice_on_noise(const Clock& clock, const ir::Method& method);

/// For a run that diverged: which limit dt is above, or that it is above none and what else may make a field grow; and what to try.
std::string advice_on_divergence(const Clock& clock);

}  // namespace mottle::run
