// mottle/run/settings/settings.h: the tables [grid], [method], [time] and [run] -> a Spec
#pragma once
#include "mottle/run/settings/spec.h"

#include <string_view>

namespace mottle::run {

/// Applies the run tables of one layer; call it for each layer, the winning one last. Boundaries and outputs are read elsewhere.
/// Throws: InputError with place.
void apply_settings(Spec& spec, const core::Node& tables);
/// Once all sources are read: a list of lengths must have one for each axis of the grid. `spacing`: the value that counts. Throws: InputError.
void require_lengths_of_axes(const domain::Grid& grid, const core::Node& spacing);

/// A whole number in [lowest, highest]; text and numbers like 1e6 count too. Throws: InputError.
Index expect_count(const core::Node& node, std::string_view what, Index lowest, Index highest);

/// A finite number, also as text (a flag). Throws: InputError.
double expect_real(const core::Node& node, std::string_view what);

/// A number as text, or text: what a flag or a file may hold alike. Throws: InputError.
core::Text expect_words(const core::Node& node, std::string_view what);

}  // namespace mottle::run
