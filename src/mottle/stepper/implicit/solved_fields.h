// mottle/stepper/implicit/solved_fields.h: the fields of a Program whose diffusion is solved for, with their solvers, and how a team shares them
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/core/thread_team.h"
#include "mottle/ir/program/program.h"
#include "mottle/stepper/implicit/diffusion_solver.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace mottle::stepper {

using core::Index;

class SolvedFields {
   public:
    explicit SolvedFields(const backend::Kernel& kernel);

    std::size_t count() const { return parts_.size(); }
    const ir::ImplicitDiffusion& what(std::size_t i) const { return parts_[i].what; }
    /// Whether something is to be solved for field i since `prepare`; not where it does not diffuse.
    bool is_due(std::size_t i) const { return parts_[i].due; }

    /// What is solved for: the field itself, or its rate, whose borders have the rules of the field without their constants.
    enum class Of { field, rate };
    /// Factors the matrices for `share` of dt times the diffusion. True if some field is due. Throws: InputError (a coefficient that is below 0 or no number,
    /// a matrix that cannot be factored).
    bool prepare(const backend::Kernel& kernel, std::span<const double> uniforms, double share, Of of);

    /// Inside ThreadTeam::run, for the worker `part` of `parts`: calls work(i, row, first cell, cells of the row) for its rows of all fields.
    void each_row(Index part, Index parts,
                  const std::function<void(std::size_t i, Index row, std::size_t begin, std::size_t length)>& work) const;
    /// The same, of `team`: solves in the cells of the fields that are due. All workers have ended when it returns.
    void solve(core::ThreadTeam& team, Index part, const std::function<std::span<double>(std::size_t i)>& cells_of);

   private:
    struct Part {
        ir::ImplicitDiffusion what;
        std::unique_ptr<DiffusionSolver> solver;  ///< null: the field does not diffuse
        bool due = false;
    };
    /// A surface is one row, and each of its fields a worker's own; rows of a grid are shared.
    Index place(std::size_t i, Index part, Index parts) const { return rows_ == 1 ? (static_cast<Index>(i) + part) % parts : part; }

    Index rows_, length_;
    std::vector<Part> parts_;
};

}  // namespace mottle::stepper
