// mottle/model/parameters.h: [parameters]: numbers, expressions of other parameters, and maps over the domain
#pragma once
#include "mottle/core/document.h"
#include "mottle/model/expression_check.h"
#include "mottle/model/model.h"
#include "mottle/model/substitute.h"

#include <cstddef>
#include <vector>

namespace mottle::model {

/// Reads the table. An expression that uses coordinates, noise(), disk() ... or another map is a map; any other is a number.
/// Marks the maps in `symbols`. Throws: ModelError inside expressions, InputError for the rest (also a value that is not finite).
std::vector<Parameter> read_parameters(const core::Node& table, Definitions& definitions, Symbols& symbols);

/// Makes parameter `index` this number, or this map, as if it had been written so: numbers that are computed from it follow. Returns the places of all that are
/// others now: `index`, these numbers, and the maps in whose expressions one of them is, each behind those that it uses.
/// Throws: InputError (a number that follows is not finite). Then `parameters` are left between the two; give it a copy.
std::vector<std::size_t> set_number(std::vector<Parameter>& parameters, std::size_t index, double value);
std::vector<std::size_t> set_map(std::vector<Parameter>& parameters, std::size_t index, ExprPtr map);

}  // namespace mottle::model
