// mottle/stepper/spectral/spectral_field.h: a step of ETDRK4 of one field: wave by wave, or cell by cell where its linear part is a number
#pragma once
#include "mottle/domain/grid.h"
#include "mottle/ir/lower/laplacian.h"
#include "mottle/stepper/spectral/exponential_coefficients.h"
#include "mottle/stepper/spectral/line_transform.h"

#include <memory>
#include <span>
#include <vector>

namespace mottle::stepper {

/// The four stages of a step, each of which begins with rates of the fields that the one before has made.
inline constexpr int kEtdStages = 4;

/// Rows of cells go in and out in the order of the grid. Passes follow each other, each beginning when all workers have ended the one before; the bits do not depend
/// on the number of workers.
class SpectralField {
   public:
    /// The waves are those of `sides`, periodic or no-flux; `shape` says how the Laplacian multiplies them.
    SpectralField(const domain::Grid& grid, const domain::Sides& sides, const ir::LaplacianShape& shape);

    /// The linear part is the sum of powers[m] lap^m, for steps of `h`. Nothing happens where both are those of the call before.
    void set_linear_part(std::span<const double> powers, double h);

    /// The fields at the beginning of a step, or the rates of a stage: the cells of `row` go in...
    std::span<double> row_of_state(core::Index row);
    /// ... and what the stage makes of them comes out here, where rates go in too.
    std::span<double> row_of_rates(core::Index row);

    /// Of transforms from rows to waves and back; a field without waves needs none.
    int passes() const { return is_cellwise_ ? 1 : 2 * static_cast<int>(axes_.size()) - 1; }
    /// Pass `pass` of the state behind its rows: all passes but those of the last axis, which the first stage takes.
    int passes_of_state() const { return is_cellwise_ ? 0 : static_cast<int>(axes_.size()) - 1; }
    void transform_state(int pass, core::Index part, core::Index parts);
    /// Pass `pass` of stage `stage`: rates become the next stage's fields.
    void run(int stage, int pass, core::Index part, core::Index parts);
    /// By what values are to be multiplied as they go in.
    double scale() const { return is_cellwise_ ? 1 : scale_; }

   private:
    /// An axis in use, and its lines: `across` rows of `lines` neighbouring ones, whose cells lie `stride` apart.
    struct AxisLines {
        LineTransform transform;
        core::Index stride, lines, across, step;  ///< `step`: from one row of lines to the next
        core::Index reduced;                      ///< numbers of waves: those of coefficients i and n - i of a periodic line are the same
        core::Index wave_of(core::Index coefficient) const;
        core::Index blocks() const;
    };
    struct Scratch;

    double symbol(const std::array<core::Index, 3>& waves) const;
    void transform_lines(const AxisLines& axis, double* cells, bool backwards, core::Index part, core::Index parts);
    void combine_lines(int stage, core::Index part, core::Index parts);
    void combine_cells(int stage, core::Index part, core::Index parts);

    domain::Grid grid_;
    ir::LaplacianShape shape_;
    std::vector<ir::StencilTap> taps_;
    std::vector<AxisLines> axes_;
    std::array<std::vector<double>, 3> less_;  ///< 1 - cos(theta) of each wave of each axis
    double scale_ = 1;
    bool is_cellwise_ = true;
    std::vector<double> powers_;
    double h_ = 0;
    EtdTables tables_;
    std::vector<double> state_, rates_;              ///< rows
    std::vector<double> start_, first_, predicted_;  ///< what stages keep: in the order of blocks
};

}  // namespace mottle::stepper
