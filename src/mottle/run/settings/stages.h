// mottle/run/settings/stages.h: how many stages a step of a Runge-Kutta-Legendre method has
#pragma once
#include "mottle/ir/stability/stability.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

/// The fewest stages whose steps may be as long as `dt`, with the usual margin below the explicit limit; of a dt that comes from diffusion and decays alone this is the
/// number that the interval of stability asks for, and what turns may ask for more. Beyond what the method has: as many as it has.
int stages_for(const Spec& spec, const ir::System& system, double dt);

/// The limits of a step of `spec`, whose method takes any number of stages, and that number in spec.method: what --stages says, else what dt needs, else
/// what the dt needs that accuracy suggests (ir::StableStep::accurate). Throws: InputError (a dt for which no number of stages is stable).
ir::StableStep settle_stages(Spec& spec, const ir::System& system);

/// The stages that the dt of `clock` and the numbers of `spec` need now, in both, where they were chosen.
void choose_stages(Spec& spec, Clock& clock);
/// Halves dt, as halve(clock) does, and chooses the stages for it. False where dt cannot be halved.
bool halve(Spec& spec, Clock& clock);
/// Halves an automatic dt in this way until it equals `dt`, the one of a saved state; changes nothing if that is not possible.
void halve_to(Spec& spec, Clock& clock, double dt);

}  // namespace mottle::run
