// mottle/domain/operators/spectrum.h: how stiff a mesh is: the largest eigenvalue of its Laplacian, which bounds explicit time steps
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// The stiffness of -lap = M^-1 L. Units: 1/length^2. The same bits for any number of threads.
/// Lanczos steps on M^-1/2 L M^-1/2 find the largest eigenvalue from below; Spectrum::largest is that and 5 % more, or Gershgorin's bound if it is lower.
Spectrum spectrum_of(const Surface& surface, const MeshOperators& operators, core::ThreadTeam& team);

/// The bound by Gershgorin alone: one look at each row. Spectrum::largest is that bound, Spectrum::lanczos is 0.
Spectrum gershgorin_of(const Surface& surface, const MeshOperators& operators, core::ThreadTeam& team);

/// Mean length of the sides of all faces, in lengths of the file.
double mean_edge(const Surface& surface);
/// The length that one side of a face in twenty exceeds.
double long_edge(const Surface& surface);
/// How many wavelengths across the surface are drawn smoothly: ten long edges in each. With fewer, stripes follow the lines of the mesh and turn by right angles.
double smooth_waves(const Surface& surface);

}  // namespace mottle::domain
