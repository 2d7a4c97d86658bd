// mottle/ir/program/piece.cpp: a Program on a piece of its grid
#include "mottle/ir/program/piece.h"

#include "mottle/core/error.h"
#include "mottle/domain/piece.h"

#include <algorithm>
#include <cstdlib>

namespace mottle::ir {
namespace {

domain::Triple reach_of(const Sweep& sweep) {
    domain::Triple reach{};
    for (const Stage& stage : sweep.stages) {
        domain::Triple furthest{};
        for (const Instruction& instruction : stage.code) {
            if (instruction.op != Op::load) continue;
            for (std::size_t d = 0; d < 3; ++d) furthest[d] = std::max<domain::Index>(furthest[d], std::abs(instruction.offset[d]));
        }
        for (std::size_t d = 0; d < 3; ++d) reach[d] += furthest[d];
    }
    return reach;
}

}  // namespace

Program program_of_piece(const Program& program, const domain::Grid& piece) {
    Program made = program;
    for (GhostRule& rule : made.ghosts) {
        for (std::size_t side = 0; side < rule.size(); ++side) {
            if (!domain::is_halo(piece, side)) continue;
            if (const std::string_view solver = program.solver(); !solver.empty())
                throw core::InputError("--method " + std::string(solver) +
                                       " solves over the whole grid, which cannot be divided; use rkl1 or rkl2");
            rule[side] = {domain::Rule::no_flux, -1, -1};
        }
    }
    return made;
}

domain::Triple reach_of_step(const Program& program) {
    domain::Triple reach = reach_of(program.step);
    if (program.flush_step) {
        const domain::Triple other = reach_of(*program.flush_step);
        for (std::size_t d = 0; d < 3; ++d) reach[d] = std::max(reach[d], other[d]);
    }
    return reach;
}

}  // namespace mottle::ir
