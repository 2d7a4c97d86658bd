// mottle/steady/travel.h: patterns that move along as a whole
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mottle::steady {

using core::Index;

/// How a pattern moves.
struct Travel {
    std::array<double, 3> velocity{};  ///< along x, y, z. Units: lengths by time
    double cells = 0;                  ///< the speed in cells by time
    double rest = 1;                   ///< root mean square of the rates that the velocity does not explain, by that of all rates
};

/// The velocity w for which the rates are nearest to -w . grad(y), by least squares over all fields, each by its size. Derivatives are central differences of fourth
/// order, along the axes of a grid whose sides meet and along which nothing that `program` reads varies but its fields. Nothing where there is no such axis, or where y is
/// uniform along them.
/// Shape: y and rates have one entry per unknown, field f of cell i at i * sizes.size() + f; `sizes` one per field.
std::optional<Travel> find_travel(const domain::Domain& domain, const ir::Program& program, std::span<const double> y,
                                  std::span<const double> rates, std::span<const double> sizes);

/// "the pattern moves along as a whole, by 0.00033 per unit of time (x 0.00012, y -0.00031)"
std::string describe(const Travel& travel);

}  // namespace mottle::steady
