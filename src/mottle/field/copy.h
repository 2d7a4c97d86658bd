// mottle/field/copy.h: fields from one simulation to another, to and from memory, and boxes of their cells
#pragma once
#include "mottle/domain/piece.h"
#include "mottle/field/field.h"

#include <span>
#include <vector>

namespace mottle::field {

/// Copies the fields of `from` into those of `to` that have their names; the others stay. Between precisions values are rounded once.
/// Throws: InputError unless both domains have as many cells in each row and as many rows.
void copy_fields(const Field& from, Field& to, core::ThreadTeam& team);

/// All fields of a simulation at one moment, in memory, in the precision of their Program.
class Snapshot {
   public:
    /// `moment`: that at which `field` stands.
    Snapshot(const Field& field, core::Moment moment, core::ThreadTeam& team) { take(field, moment, team); }
    /// Takes another state instead: in the memory of this one where it fits and no copy of the snapshot shares it.
    void take(const Field& field, core::Moment moment, core::ThreadTeam& team);
    /// Replaces the values of one row (domain::row_count) of the field with number `array`, rounded once to the precision. No copy of the snapshot may exist.
    void put_row(ir::Array array, core::Index row, std::span<const double> values);
    core::Moment moment() const { return moment_; }
    std::size_t bytes() const { return f32_ ? values_ * sizeof(float) : values_ * sizeof(double); }
    /// Puts the fields back, to the same bits. Throws: InputError where `field` has other cells or other fields.
    void restore(Field& field, core::ThreadTeam& team) const;

   private:
    core::Moment moment_;
    std::vector<std::string> names_;
    std::size_t values_ = 0;        ///< all fields together
    std::shared_ptr<float[]> f32_;  ///< field by field, each row by row; of an f64 Program none, and f64_ has them
    std::shared_ptr<double[]> f64_;
};

using domain::CellBox;

/// The values of a box, x fastest, then y, then z. Throws: InputError (no grid; a box that is empty or leaves it).
std::vector<double> read_box(const Field& field, ir::Array array, const CellBox& box);
/// Writes them, rounded once to the precision of the Program; all other cells stay.
/// Throws: InputError (as read_box; as many values as the box has cells are needed, and finite ones; values that f32 cannot hold).
void write_box(Field& field, ir::Array array, const CellBox& box, std::span<const double> values);

}  // namespace mottle::field
