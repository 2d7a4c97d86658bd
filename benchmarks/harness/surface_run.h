// mottle/benchmarks/harness/surface_run.h: Mottle's chemotaxis on a mesh as a contestant: kernel launches and nothing else
#pragma once
#include "baseline/surface_ladder.h"
#include "mottle/backend/backend.h"
#include "mottle/domain/repair/triangle_soup.h"

#include <memory>
#include <string>

namespace mottle::benchmarks {

/// A mesh with unit mean edge, so that one dt fits them all, and a varied start.
struct SurfaceCase {
    std::string name;
    domain::Mesh mesh;
    SurfaceProblem problem;             ///< the same in plain arrays, at the scale of the equations, vertices in the order of the file
    std::vector<domain::Vertex> order;  ///< the vertex of the mesh at each place of `problem`
    double setup_seconds = 0;           ///< reading or making, repairing, weights
};
/// `source`: a file or a shape; `refine`: times every triangle becomes four; `shuffled`: vertices and faces in random order.
SurfaceCase surface_case(const std::string& source, int refine = 0, bool shuffled = false);

/// Puts vertices and faces in a random order, the same in every run.
void shuffle(domain::TriangleSoup& soup);

class SurfaceRun {
   public:
    /// `model`: text of equations; empty: the paper's chemotaxis.
    SurfaceRun(const SurfaceCase& surface, bool f64, int threads, const std::string& schedule = {}, const std::string& model = {});
    ~SurfaceRun();
    void advance(int steps);
    void read(int field, std::vector<double>& values) const;
    std::string schedule() const;
    int fields() const;
    double setup_seconds() const { return setup_seconds_; }
    backend::Kernel& kernel() { return *kernel_; }

   private:
    struct Quiet;
    std::unique_ptr<core::ThreadTeam> team_;
    std::unique_ptr<core::Observer> observer_;
    std::unique_ptr<core::Context> context_;
    std::unique_ptr<backend::Backend> backend_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<backend::State> state_;
    std::vector<domain::Vertex> order_;
    std::vector<double> uniforms_;
    core::Index done_ = 0;
    double setup_seconds_ = 0;
};

}  // namespace mottle::benchmarks
