// mottle/run/settings/clock.h: the time step of a run and how many of them
#pragma once
#include "mottle/ir/stability/stability.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

struct Clock {
    double dt = 0;
    double stable_dt = 0;     ///< 0.9 of the explicit limit; infinity if nothing limits it, 0 if diffusion runs backwards
    double automatic_dt = 0;  ///< what is chosen where no dt is given: stable_dt, or less for white()
    Index steps = 0;
    int stages = 1;                    ///< of a step, each of which is a step of the kernel (ir::kernel_steps_of)
    bool by_tolerance = false;         ///< dt only counts moments, and steps follow a tolerance
    bool automatic = false;            ///< dt was chosen here
    int halvings = 0;                  ///< how often dt was halved; what was planned at step s is due at step s * 2^halvings
    ir::StableStep limits;             ///< what stable_dt comes from
    std::vector<std::string> notices;  ///< the chosen dt and why, or a dt that is too long
};

/// A time step that proved too long: the run was restarted with half of it.
struct Shortening {
    double dt = 0;    ///< the step that was too long
    core::Moment at;  ///< when this was found
    std::string why;
};

/// The method for weakly damped waves, for which Euler's method is unstable.
inline constexpr const char* kMethodOfWaves = "rk4";
/// The method whose steps a tolerance chooses, where none is given.
inline constexpr const char* kMethodOfTolerance = "rkl2";

/// A run of more steps on a mesh is refused, unless forced.
inline constexpr Index kMostMeshSteps = 10'000'000;

inline constexpr int kMostHalvings = 12;

/// Of the explicit limit: an automatic dt.
inline constexpr double kShareOfLimit = 0.9;
/// The same for equations with white(): closer to the limit the stiffest waves have too much of their variance, which the squares of slopes sum up.
inline constexpr double kShareWithNoise = 0.06;

/// A rough number of seconds that the steps of a run on a mesh take.
double seconds_of(const Spec& spec, const Clock& clock);

/// Halves dt and doubles the steps, so that all times stay the same. False after kMostHalvings, or if the steps could no longer be counted.
bool halve(Clock& clock);

/// Whether the time step of `spec` needs a Lanczos estimate: only a bound of the stiffness of its mesh is known, and dt is not within it.
bool asks_for_lanczos(const Spec& spec, const ir::StableStep& stable);

/// The limits of dt, and the method and spectrum that they are for.
struct StepLimits {
    ir::StableStep stable;
    std::string method;                        ///< instead of that of the spec; "": that one
    bool waves = false;                        ///< it is that of waves
    std::optional<domain::Spectrum> spectrum;  ///< of a mesh whose stiffness was only bounded
    int stages = 0;                            ///< of a step, of a method that takes any number of them
    double longest_dt = ir::kInfinity;         ///< Spec::longest_dt
    std::string choice;                        ///< Spec::method_choice
};
/// If neither dt nor the method is given and rk4 allows steps at least 8 times as long as Euler's method (weakly damped waves), the method is rk4. If only a
/// bound of the stiffness of a mesh is known, a Lanczos estimate replaces it, unless the dt of `spec` is within that bound. Where the method is open, choose_method has
/// the last word.
StepLimits limits_of_step(const Spec& spec, const ir::System& system, core::ThreadTeam& team);
/// Stores the method, its stages and the spectrum of `limits` in `spec`, where nothing is open then.
void adopt(Spec& spec, const StepLimits& limits);

/// An automatic dt is shortened such that it divides the time of the run, if one is given; for a given dt, the number of steps is rounded to the nearest.
/// For a run without steps, a dt that nothing limits is 1.
/// Throws: InputError: nothing to choose dt from; more steps than can be counted.
Clock decide_clock(const Spec& spec, const ir::StableStep& stable);

/// Whether a run that finds dt too long may halve it: one that was chosen here, for equations that some step makes stable.
inline bool may_shorten(const Clock& clock) { return clock.automatic && clock.limits.backwards.empty(); }

/// Of equations that no step makes stable, as the diffusion of a field runs backwards: says so; else "".
std::string complaint_about_diffusion(const ir::StableStep& limits);

/// For a run with white(): how dt changes the variance of the stiffest waves, and a dt at which it is right; "" if the factor is between 1/1.5 and 1.5.
std::string advice_on_noise(const Clock& clock, const ir::Method& method);

/// For a run that diverged: the limit that dt exceeds, or that it exceeds none and what else makes a field grow; and what to try.
std::string advice_on_divergence(const Clock& clock);

/// Steps from test to test for rest (SteadyTest): as many as 1,024 steps of Euler's method take time, 16 or more of methods with stages; of a run whose steps follow a tolerance, moments. 0: nobody asks whether
/// `spec` comes to rest.
core::Index steps_between_tests(const Spec& spec, const Clock& clock);

}  // namespace mottle::run
