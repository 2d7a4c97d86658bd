// mottle/benchmarks/baseline/surface_rows.h: the discrete geometry that the rungs precompute: one-rings, weights, angles
#pragma once
#include "baseline/surface_ladder.h"

namespace mottle::benchmarks {

/// Compressed rows, neighbours ascending. All in f64; rungs round to their precision.
struct SurfaceRows {
    std::vector<int> first, neighbour;
    std::vector<double> laplacian, gx, gy, gz;  ///< per neighbour: w_ij/m_i and the vertex gradient
    std::vector<int> face_first, face;          ///< the faces of each vertex
    std::vector<double> angle;                  ///< per such face: its share of the angles round the vertex
};
SurfaceRows surface_rows(const SurfaceProblem& problem);

/// The patch of each vertex, by METIS; empty without it.
std::vector<int> metis_patches(const SurfaceRows& rows, int patch);

}  // namespace mottle::benchmarks
