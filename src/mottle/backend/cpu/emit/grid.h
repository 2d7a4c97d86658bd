// mottle/backend/cpu/emit/grid.h: Program -> LLVM IR text of row kernels over lane-transposed rows
#pragma once
#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/backend/cpu/emit/plan.h"
#include "mottle/ir/program/program.h"

#include <string>
#include <vector>

namespace mottle::backend::cpu {

struct EmitOptions {
    Isa isa;
    int lanes = 1;           ///< cells of a vector
    bool overlap = false;    ///< the width is no multiple of `lanes`
    std::vector<bool> ones;  ///< by uniform: its value is exactly 1, so that a product with it may be left out (same bits); empty: none
};

/// One function per stage and number of rows: stage<s>_rows<r>, flush<s>_rows<r>, and border_top_<g>, ... that fill a ghost row of a group.
std::string stage_function(int stage, int rows, bool flush);
std::string border_function(domain::Side side, int group);
/// The sides that have ghost rows: top and bottom, in a volume front and back too.
std::vector<domain::Side> border_sides(const Plan& plan);
/// Whether the rows of a group beyond a side are those of the opposite side.
bool group_wraps(const ir::Program& program, const Plan& plan, std::size_t group, domain::Side side);

/// The functions that compute the stages of Plan::joined[which].
std::string joined_function(std::size_t which, bool flush);

/// The rows per call that keep the carried values, the numbers and some working values in registers; 1 to 4.
int choose_rows(const ir::Program& program, const Plan& plan, int stage, const EmitOptions& options);
/// Whether the registers hold what one loop of joined stages carries for so many rows.
bool fits_registers(const JoinedStages& joined, int rows, const EmitOptions& options);
/// Sizes of blocks: `rows`, and the smaller ones for the rows that remain at the end of a band: {4, 2, 1}, {3, 2, 1}, ...
std::vector<int> row_variants(int rows);

/// Rows that one call updates.
struct CallSizes {
    std::vector<int> rows;     ///< by stage: at most
    int block = 1;             ///< the largest of them
    std::vector<bool> joined;  ///< by Plan::joined: whether blocks of both stages are computed by one call
};

/// The whole module.
std::string emit_grid(const ir::Program& program, const Plan& plan, const CallSizes& sizes, const EmitOptions& options);

}  // namespace mottle::backend::cpu
