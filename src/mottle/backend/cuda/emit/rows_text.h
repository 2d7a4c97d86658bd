// mottle/backend/cuda/emit/rows_text.h: rows of a plane that the warps of a block keep in registers: a step of all of them, in place
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

/// Registers that a thread needs for the cells of one row: states, and what of the held arrays is wanted at the same time.
int row_registers(const ir::Program& program, int columns);
/// The same for what the arithmetic of a stage has under way, at most.
int stage_registers(const ir::Program& program);

/// Writes what kernels have in common whose threads keep some rows in a `plane`, with `above` and `below` what other warps have beside them.
class RowsText : protected PlaneText {
   protected:
    /// `columns`: of a lane.
    RowsText(const ir::Program& program, const domain::Grid& grid, int steps, bool flush, int columns, const Meeting& meeting);

    /// The struct Plane and the functions by which warps meet.
    void rows_head();
    /// The variables, and the rows from y on as load_KIND reads them.
    void rows_loaded(const std::string& kind);

    /// One step: texts of what differs from kernel to kernel.
    struct Turn {
        std::string level;            ///< its number: warps meet in the halves of `edges` in turn
        std::string numbers;          ///< its uniforms
        std::string edges = "edges";  ///< what warps share
        std::string flushes = {};     ///< whether it is flush_step; "": never
        bool border = false;          ///< rows and columns beside may lie beyond the grid
    };
    /// The stages of a step one after another, each of all rows: what it makes takes the place of what nobody reads any more.
    void rows_advance(const Turn& turn);

    static std::string cells(int row) { return "plane.row[" + std::to_string(row) + "]"; }
    bool shares() const { return exchanging_stages() > 0; }

    int rows_;  ///< of a warp

   private:
    int exchanging_stages() const;
    std::string half(const Turn& turn, int met) const;
    void rows_by(const std::string& stage, const Turn& turn);

    Meeting meeting_;
};

}  // namespace mottle::backend::cuda
