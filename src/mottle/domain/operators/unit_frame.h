// mottle/domain/operators/unit_frame.h: a surface about its centroid in a unit box, where its operators are formed
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// Positions about the centroid, divided by a power of two so that the longest side of their box lies in 1/2..1.
struct UnitFrame {
    std::vector<Point> position;
    double length = 1;  ///< that power
};
UnitFrame unit_frame(const Surface& surface, core::ThreadTeam& team);

}  // namespace mottle::domain
