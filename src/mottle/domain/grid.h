// mottle/domain/grid.h: a regular grid of cells, its stencil and its borders
#pragma once
#include "mottle/core/context.h"
#include "mottle/domain/boundary.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mottle::domain {

using core::Index;
using Triple = std::array<Index, 3>;

/// Sides in the order left, right (x), top, bottom (y; top = row 0), front, back (z).
enum Side { kLeft, kRight, kTop, kBottom, kFront, kBack };
using Sides = std::array<Boundary, 6>;
inline constexpr std::array<const char*, 6> kSideNames = {"left", "right", "top", "bottom", "front", "back"};

/// Laplacian stencils. five: 2 per axis. nine: (1 4 1 / 4 -20 4 / 1 4 1)/6. custom: nine weights, row-major, top row first, used as given (no 1/h^2).
struct Stencil {
    enum class Kind { five, nine, custom };
    Kind kind = Kind::five;
    std::array<double, 9> weights{};
};

/// Cell centres at ((i + 1/2) h). An axis of size 1 takes no part in derivatives.
struct Grid {
    Triple size{1, 1, 1};  ///< cells in x, y, z
    std::array<double, 3> spacing{1, 1, 1};
    Stencil stencil;
    Sides sides;
    std::vector<std::pair<std::string, Sides>> field_sides;  ///< overrides for single fields
    std::shared_ptr<const Grid> whole = {};                  ///< of a piece: the grid that it is cut from (piece.h)
    Triple first{};                                          ///< of a piece: where its cell 0 is there; below 0 beyond a side that wraps

    const Sides& sides_of(const std::string& field) const;
};

/// Whether `side` of fields without sides of their own meets the opposite one.
inline bool wraps(const Grid& grid, std::size_t side) { return grid.sides[side].rule == Rule::periodic; }

/// Parses "W", "WxH" or "WxHxD". Throws: InputError (0, negative, not a number, overflow).
Triple parse_size(const core::Text& text);
/// Parses "5", "9" or nine numbers separated by commas. Throws: InputError.
Stencil parse_stencil(const core::Text& text);
/// "512x512", or "64x64x64" if there is a depth.
std::string describe_size(const Triple& size);
/// Of a size as it is written: a row is a plane of one row, "512x1".
inline std::size_t axis_count(const Triple& size) { return size[2] > 1 ? 3 : 2; }
/// The lengths of its axes as --spacing takes them: "0.5", or "0.5,0.25" where they differ.
std::string spacing_text(const Grid& grid);
/// What is wrong with the spacing of an axis: "the spacing is 0; it must be a length from 1e-60 to 1e+60"; empty if nothing is.
std::string complaint_about_spacing(double spacing);
/// Checks sizes, spacing, stencil, opposite periodic sides. Throws: InputError.
void validate(const Grid& grid);

}  // namespace mottle::domain
