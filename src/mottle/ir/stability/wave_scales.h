// mottle/ir/stability/wave_scales.h: what the operators of a domain make of its waves
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/stability/linearise.h"

namespace mottle::ir {

WaveScales wave_scales(const domain::Domain& domain);

/// How fast a drift turns waves. Central differences turn a wave along x by c sin(kh)/h per unit of time.
struct Drift {
    double speed = 0;  ///< length of the vector of speeds
    double most = 0;   ///< radians per unit of time, of any wave: the sum of c/h

    Drift& operator+=(const Drift& other) {
        speed += other.speed, most += other.most;
        return *this;
    }
};

Drift drift_of(const Wave& wave, const WaveScales& scales);
/// Radians per unit of time by which waves of share s are turned at most.
double turning(const Drift& drift, double s, const WaveScales& scales);

}  // namespace mottle::ir
