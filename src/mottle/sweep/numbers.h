// mottle/sweep/numbers.h: what became of the members, as a table and as one array
#pragma once
#include "mottle/stepper/stepper.h"
#include "mottle/sweep/mosaic.h"
#include "mottle/sweep/spec.h"

#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace mottle::sweep {

struct Result {
    stepper::Outcome outcome;
    double dt = 0;                            ///< at the end; shorter than that of the others where it was too long
    std::vector<backend::Statistics> fields;  ///< in model order
};

/// Columns of the table between those of the axes and those of the fields, which have a point in their names.
inline constexpr std::array<std::string_view, 3> kColumns = {"verdict", "step", "time"};

/// A line of comma-separated values per member, below one of their names: the axes, kColumns, and of each field the least and greatest value,
/// mean and standard deviation (nan of one that diverged). Returns the full path. Throws: OutputError.
std::filesystem::path write_table(const Spec& spec, std::span<const Result> results);

/// The states of all members, NaN of one that diverged, as one array: (values of the second axis, if there is one, of the first, fields, [z,] y, x) or
/// (..., fields, vertices). Returns the full path. Throws: OutputError.
std::filesystem::path write_states(const Spec& spec, std::span<const Tile> members);

}  // namespace mottle::sweep
