// mottle/benchmarks/baseline/peer_problems.h: right sides of the work-precision problems as plain loops on periodic planes and triangle meshes; they know nothing of Mottle
#pragma once
#include <array>
#include <string>
#include <vector>

namespace mottle::benchmarks {

/// Which terms: a method may treat diffusion by itself.
enum class Part { all, diffusion, rest };

/// Cells of a periodic plane, or vertices of a mesh with rows of lap.
struct PeerSpace {
    int size = 0;  ///< cells of a side; 0: a mesh
    std::vector<int> first, neighbour;
    std::vector<double> weight;  ///< w_ij / m_i, in the order of `neighbour`
    std::vector<double> sum;     ///< by row, of the weights

    int count() const { return size > 0 ? size * size : static_cast<int>(sum.size()); }
    /// Of cells of side 1.
    void laplacian(const double* f, double* out) const;
    /// -lap of the cell itself.
    double diagonal(int i) const { return size > 0 ? 4 : sum[static_cast<std::size_t>(i)]; }
};
/// Cotangent weights by lumped barycentric areas. Units: those of `position`.
PeerSpace peer_mesh(const std::vector<std::array<double, 3>>& position, const std::vector<std::array<int, 3>>& faces);

/// schnakenberg (diffusion 1 and 40), gray-scott, fitzhugh-nagumo (diffusion 1 and 0), fast-inhibitor (diffusion 1 and 500), cahn-hilliard (one field),
/// kuramoto-sivashinsky (one field, without damping, cells of side 1/2).
class PeerProblem {
   public:
    /// Throws: std::runtime_error (no problem of this name; a one-field problem on a mesh).
    PeerProblem(const std::string& name, PeerSpace space);
    const PeerSpace& space() const { return space_; }
    int fields() const { return fields_; }
    /// Shape: field after field, each with one entry per cell.
    void rates(const double* y, double* out, Part part) const;
    /// The derivatives of the rates of a cell by its own values, by rows; `diffusion`: without the reaction.
    std::array<double, 4> block(const double* y, int cell, bool diffusion) const;
    /// What the diffusion of a field makes of a wave for which lap is -wave.
    double symbol(int field, double wave) const;

   private:
    enum class Kind { schnakenberg, gray_scott, fitzhugh_nagumo, fast_inhibitor, cahn_hilliard, kuramoto_sivashinsky };
    Kind kind_;
    int fields_;
    std::array<double, 2> diffusion_;
    PeerSpace space_;
    mutable std::vector<double> scratch_;
};

}  // namespace mottle::benchmarks
