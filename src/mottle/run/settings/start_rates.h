// mottle/run/settings/start_rates.h: how fast the fields change at the start of a run, before there is a kernel
#pragma once
#include "mottle/ir/stability/local_stability.h"
#include "mottle/run/settings/spec.h"

#include <optional>

namespace mottle::run {

struct StartRates : ir::CellRates {
    double spreading =
        0;  ///< growth of small waves about the state that a quarter of the cells or more share to the last digit, as land that a front invades; per unit of time
};

/// What the equations make of small waves about the start: of the mean of some rows, or of a quarter of some cells (`turning`), or of any of them (`fastest`). `dt`: of Euler's
/// method. Waves up to a share `stiffest` of the stiffest count. Nothing where the start cannot be evaluated, which the run itself will tell, nor for more than 128 fields; of more than 8 the mean alone is looked at.
std::optional<StartRates> rates_of_start(const Spec& spec, const domain::Domain& domain, double dt, double stiffest = 1);

/// Throws: InputError, ModelError (a picture that cannot be read, impossible arguments): what a run would refuse of its start and its maps.
void require_readable_start(const Spec& spec);

/// The longest step of the method of `spec` that lets none of the waves about the start grow that decay, and that follows its fastest rate; infinity where the start says nothing:
/// as rates_of_start, or nothing happens there. Units: those of dt.
double longest_at_start(const Spec& spec, const domain::Domain& domain);

}  // namespace mottle::run
