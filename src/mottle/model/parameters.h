// mottle/model/parameters.h: [parameters]: numbers, expressions of other parameters, and maps over the domain
#pragma once
#include "mottle/core/document.h"
#include "mottle/model/expression_check.h"
#include "mottle/model/model.h"
#include "mottle/model/substitute.h"

#include <vector>

namespace mottle::model {

/// Reads the table. An expression that uses coordinates, noise(), disk() ... or another map is a map; any other is a number.
/// Marks the maps in `symbols`. Throws: ModelError inside expressions, InputError for the rest (also a value that is not finite).
std::vector<Parameter> read_parameters(const core::Node& table, Definitions& definitions, Symbols& symbols);

}  // namespace mottle::model
