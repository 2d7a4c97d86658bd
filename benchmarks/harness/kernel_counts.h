// mottle/benchmarks/harness/kernel_counts.h: what a mesh kernel does for each neighbour and for each vertex, counted in its text
#pragma once
#include <string>

namespace mottle::benchmarks {

/// Of one slice (as many vertices as a vector has lanes).
struct KernelCounts {
    double loaded = 0, stored = 0;  ///< bytes of vectors and indices, without the words of neighbours
    double arithmetic = 0;  ///< vector operations on numbers: sums, products, multiply-adds, comparisons, selections; a division is one
    double words = 0;       ///< of neighbours, gathered or loaded one by one
    double shuffles = 0;
    KernelCounts& operator+=(const KernelCounts& other);
};

struct MeshKernelCounts {
    KernelCounts neighbour;  ///< once per neighbour
    KernelCounts vertex;     ///< once per vertex, beside its neighbours
    int lanes = 0;
};

/// Counts in the LLVM text that `mottle emit --what kernel` prints for a model on a mesh; the stages of a step are added up.
MeshKernelCounts count_mesh_kernel(const std::string& text);

}  // namespace mottle::benchmarks
