// mottle/field/sampled_cells.h: some cells of a field, for what is asked about all of them
#pragma once
#include "mottle/field/field.h"
#include "mottle/ir/stability/local_stability.h"

#include <cstddef>
#include <span>
#include <vector>

namespace mottle::field {

using core::Index;

struct Place {
    Index row, x;
};

/// `count` cells, here and there.
std::vector<Place> spread_places(const domain::Domain& domain, Index count);
/// Of some rows, the cells in which each field is least and largest; only those of the `most_fields` that differ most from cell to cell.
std::vector<Place> extreme_places(const Field& field, std::size_t most_fields);
/// The states of cells; those of one row should follow each other.
std::vector<ir::CellState> states_at(const Field& field, std::span<const Place> places);

}  // namespace mottle::field
