// mottle/stepper/implicit/solved_fields.cpp: the passes of several solvers, side by side
#include "mottle/stepper/implicit/solved_fields.h"

#include <algorithm>

namespace mottle::stepper {

SolvedFields::SolvedFields(const backend::Kernel& kernel)
    : rows_(domain::row_count(kernel.domain())), length_(domain::row_length(kernel.domain())) {
    for (const ir::ImplicitDiffusion& what : kernel.program().implicit) {
        Part part{what, nullptr, false};
        if (what.coefficient >= 0) part.solver = create_solver(kernel.domain(), kernel.program().arrays[core::at(what.field)].name);
        parts_.push_back(std::move(part));
    }
}

bool SolvedFields::prepare(const backend::Kernel& kernel, std::span<const double> uniforms, double share, Of of) {
    const ir::Program& program = kernel.program();
    const bool grid = std::holds_alternative<domain::Grid>(kernel.domain());
    bool any = false;
    for (Part& own : parts_) {
        if (!own.solver) continue;
        const double k = share * diffusion_of(program, own.what, uniforms);
        own.due = k > 0;
        if (!own.due) continue;
        any = true;
        std::array<AxisEnds, 3> ends;
        if (grid) ends = ends_of(program.ghosts_of(own.what.field), uniforms);
        if (of == Of::rate) {
            for (AxisEnds& axis : ends) axis.alpha = {};
        }
        own.solver->factor(k, ends);
    }
    return any;
}

void SolvedFields::each_row(Index part, Index parts,
                            const std::function<void(std::size_t i, Index row, std::size_t begin, std::size_t length)>& work) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const auto [first, end] = core::share_of(rows_, place(i, part, parts), parts);
        for (Index row = first; row < end; ++row) work(i, row, core::at(row * length_), core::at(length_));
    }
}

void SolvedFields::solve(core::ThreadTeam& team, Index part, const std::function<std::span<double>(std::size_t i)>& cells_of) {
    const Index parts = team.size();
    int passes = 0;
    for (const Part& own : parts_) passes = std::max(passes, own.due ? own.solver->passes() : 0);
    for (int pass = 0; pass < passes; ++pass) {
        if (pass > 0) team.barrier();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (parts_[i].due && pass < parts_[i].solver->passes()) parts_[i].solver->run(pass, cells_of(i), place(i, part, parts), parts);
        }
    }
    team.barrier();
}

}  // namespace mottle::stepper
