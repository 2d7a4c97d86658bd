// mottle/benchmarks/baseline/surface_ladder.h: the rungs of the surface paper's optimisation as CPU programs, on one thread; they know nothing of Mottle
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace mottle::benchmarks {

struct SurfaceProblem {
    std::vector<std::array<double, 3>> position;
    std::vector<std::array<int, 3>> faces;
    std::vector<double> n, c;  ///< start
    double D = 0.25, alpha = 13, s = 1, r = 1.522, N = 1, dt = 0;
};

/// One way to step Murray's chemotaxis by Euler.
class SurfaceContestant {
   public:
    virtual ~SurfaceContestant() = default;
    virtual void advance(int steps) = 0;
    virtual void read(std::vector<double>& n, std::vector<double>& c) const = 0;
};

/// The order of the paper's Fig. 11.
enum class Rung {
    loops,          ///< seven loops: two Laplacians, two face gradients, two vertex gradients, the update; face geometry recomputed
    fused,          ///< fusion 1: both fields in each loop: three loops
    one_loop,       ///< fusion 2: one loop over the vertices, each going through its own faces; then a copy back
    double_buffer,  ///< fusion 3: the same, with two buffers that change places
    patches,        ///< "shared memory": patches of METIS with their halo copied side by side, one-ring rows
    ell,            ///< "device arrays": one-ring rows padded to equal length, entry by entry (ELLPACK)
    pairs           ///< "vector types": both fields side by side
};
const char* name_of(Rung rung);

/// `patch`: vertices of a patch (Rung::patches). Null where a rung is not built (patches without METIS).
template <class Real>
std::unique_ptr<SurfaceContestant> make_rung(Rung rung, const SurfaceProblem& problem, int patch = 512);

/// Vertices of the halos of all patches by those of the mesh; 0 without METIS.
double halo_share(const SurfaceProblem& problem, int patch);

}  // namespace mottle::benchmarks
