// mottle/stepper/implicit/mesh_solver.cpp: implicit diffusion on a mesh by Eigen's sparse Cholesky factor
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_VECTORIZE  // the same bits on every processor
#define EIGEN_DONT_PARALLELIZE
#include "mottle/stepper/implicit/diffusion_solver.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <Eigen/SparseCholesky>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace mottle::stepper {
namespace {

using core::Index;
using Place = std::int64_t;  // a factor may have more than 2^31 entries
using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Place>;

class MeshSolver final : public DiffusionSolver {
   public:
    MeshSolver(const domain::Mesh& mesh, std::string field) : mesh_(mesh), field_(std::move(field)) {}

    void factor(double k, const std::array<AxisEnds, 3>&) override {
        if (k == k_) return;
        k_ = -1;
        const Matrix matrix = assemble(k);
        if (!analysed_) {
            factor_.analyzePattern(matrix);
            find_pieces();
        }
        analysed_ = true;
        factor_.factorize(matrix);
        if (factor_.info() != Eigen::Success || !(factor_.vectorD().minCoeff() > 0)) {
            throw core::InputError("the matrix of the diffusion of " + field_ + " on " + mesh_.surface->name +
                                   " cannot be factored: triangles are too thin for dt times the diffusion, " + core::number_text(k) +
                                   ", in f64; remesh, or use --method rkl1");
        }
        k_ = k;
    }

    int passes() const override { return 1; }

    // By the worker that has the row.
    void run(int, std::span<double> cells, Index part, Index parts) override {
        if (const auto [first, end] = core::share_of(1, part, parts); first == end) return;
        const std::vector<double>& mass = mesh_.operators->mass;
        Eigen::VectorXd right(static_cast<Eigen::Index>(cells.size()));
        for (std::size_t i = 0; i < cells.size(); ++i) right[static_cast<Eigen::Index>(i)] = mass[i] * cells[i];
        const Eigen::VectorXd solution = factor_.solve(right);
        // Rounding changes the sum of each piece of the surface by about k/(edge length)^2 units in the last place: what is lacking is added everywhere.
        std::vector<double> lacking(piece_mass_.size());
        for (std::size_t i = 0; i < cells.size(); ++i) lacking[piece_[i]] += mass[i] * (cells[i] - solution[static_cast<Eigen::Index>(i)]);
        for (std::size_t piece = 0; piece < lacking.size(); ++piece) lacking[piece] /= piece_mass_[piece];
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = solution[static_cast<Eigen::Index>(i)] + lacking[piece_[i]];
    }

   private:
    /// Numbers the pieces of the surface that edges connect.
    void find_pieces() {
        const domain::MeshOperators& rows = *mesh_.operators;
        constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
        piece_.assign(core::at(mesh_.vertex_count()), kNone);
        std::vector<std::size_t> waiting;
        for (std::size_t begin = 0; begin < piece_.size(); ++begin) {
            if (piece_[begin] != kNone) continue;
            const auto piece = static_cast<std::uint32_t>(piece_mass_.size());
            piece_mass_.push_back(0);
            piece_[begin] = piece;
            waiting.push_back(begin);
            while (!waiting.empty()) {
                const std::size_t i = waiting.back();
                waiting.pop_back();
                piece_mass_.back() += rows.mass[i];
                for (Index e = rows.first[i]; e < rows.first[i + 1]; ++e) {
                    const std::size_t j = core::at(rows.neighbour[core::at(e)]);
                    if (piece_[j] != kNone) continue;
                    piece_[j] = piece;
                    waiting.push_back(j);
                }
            }
        }
    }

    /// M + k L, its lower half.
    Matrix assemble(double k) const {
        const domain::MeshOperators& rows = *mesh_.operators;
        const Index count = mesh_.vertex_count();
        std::vector<Eigen::Triplet<double, Place>> entries;
        entries.reserve(core::at(count) + rows.neighbour.size() / 2);
        for (Index i = 0; i < count; ++i) {
            double sum = 0;
            const Place row = i;
            for (Index e = rows.first[core::at(i)]; e < rows.first[core::at(i + 1)]; ++e) {
                const double weight = rows.cotangent[core::at(e)];
                sum += weight;
                if (const Place j = rows.neighbour[core::at(e)]; j < row) entries.emplace_back(row, j, -(k * weight));
            }
            entries.emplace_back(row, row, rows.mass[core::at(i)] + k * sum);
        }
        Matrix matrix(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
        matrix.setFromTriplets(entries.begin(), entries.end());
        return matrix;
    }

    const domain::Mesh mesh_;
    const std::string field_;
    double k_ = -1;
    bool analysed_ = false;
    std::vector<std::uint32_t> piece_;  ///< by vertex
    std::vector<double> piece_mass_;    ///< the area of each piece
    Eigen::SimplicialLDLT<Matrix, Eigen::Lower> factor_;
};

}  // namespace

std::unique_ptr<DiffusionSolver> create_mesh_solver(const domain::Mesh& mesh, std::string field) {
    return std::make_unique<MeshSolver>(mesh, std::move(field));
}

}  // namespace mottle::stepper
