// mottle/run/settings/limit_share.h: how much of the arithmetic that this machine can do at most a run did
#pragma once
#include "mottle/run/simulation.h"

#include <optional>

namespace mottle::run {

/// f32 operations of a step on all cells, one in f64 counted twice; nothing for surfaces and other devices than the CPU.
std::optional<double> operations_of_step(const Simulation& simulation);

/// The run's operations per second over the multiply-adds and sums that the threads of `context` can do (f64: half as many); nothing for surfaces and other
/// devices than the CPU. The limit comes from `limits.txt` of the cache folder; where it is not there, a run of more than 2 s measures it in 20 ms.
std::optional<double> share_of_limit(const Simulation& simulation, core::Context& context);

}  // namespace mottle::run
