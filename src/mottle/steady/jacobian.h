// mottle/steady/jacobian.h: the derivatives of the right sides by all unknowns, by differences of coloured groups of cells
#pragma once
#include "mottle/steady/rates.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mottle::steady {

/// Row i lists the cells that the rates of cell i may read, ascending, itself among them. Symmetric. Shape: first has one entry more than there are cells.
struct Neighbourhoods {
    std::vector<Index> first;
    std::vector<std::int32_t> cell;
};

/// On a grid the box that the stages of a step reach together, on a mesh as many rings as there are stages that read neighbours.
Neighbourhoods neighbourhoods_of(const ir::Program& program, const domain::Domain& domain);

/// By cell: numbers from 0 such that no rate reads two cells of one number. Greedy, in the order of the cells.
/// Source: Curtis, Powell and Reid, J. Inst. Maths Applics 13 (1974) 117.
std::vector<int> coloured(const Neighbourhoods& neighbourhoods);

/// A sparse square matrix by rows. Shape: first has one entry more than there are rows; the columns of a row are ascending.
struct SparseRows {
    std::vector<Index> first;
    std::vector<std::int32_t> column;
    std::vector<double> value;

    Index size() const { return std::ssize(first) - 1; }
    /// Of absolute values: no eigenvalue is larger.
    double largest_row_sum() const;
};

/// dF/dy by central differences, two evaluations for each colour and field. Entries that are 0 are left out, those of the diagonal are kept.
class Jacobian {
   public:
    explicit Jacobian(Rates& rates);
    /// Units: 1/time, times those of the row's field by those of the column's.
    SparseRows at(std::span<const double> y);
    int colours() const { return static_cast<int>(entries_.size()); }

   private:
    struct Entry {
        std::int32_t row, cell;
        Index place;  ///< in Neighbourhoods::cell
    };
    SparseRows compressed(const std::vector<double>& blocks) const;

    Rates& rates_;
    Neighbourhoods neighbourhoods_;
    std::vector<int> colour_;
    std::vector<std::vector<Entry>> entries_;  ///< by colour of their column
};

}  // namespace mottle::steady
