// mottle/domain/repair/topology.h: the connectivity of a surface: duplicate faces, boundary, manifoldness, components
#pragma once
#include "mottle/domain/mesh/incidence.h"

namespace mottle::domain {

/// Removes every face that has the three vertices of one before it; the order of the others stays. Returns how many.
Index drop_copies(std::vector<Triangle>& faces, const Incidence& incidence, core::ThreadTeam& team);

/// Fills Surface::loops and the counts of edges and vertices in its report. A loop is a connected piece of the edges that have one face, walked in the
/// direction of the faces from its vertex of the lowest original index.
void find_boundary(Surface& surface, const Incidence& incidence, core::ThreadTeam& team);

struct Topology {
    Index edges = 0;
    Index components = 0;  ///< pieces connected through vertices
};
Topology topology_of(const Surface& surface);

}  // namespace mottle::domain
