// mottle/domain/shapes/shapes.h: built-in surfaces, so that everything runs without a file
#pragma once
#include "mottle/core/span.h"
#include "mottle/domain/repair/triangle_soup.h"

#include <string_view>

namespace mottle::domain {

inline constexpr Index kMostVertices = Index{1} << 27;

/// True for "sphere", "plane:64x64", ...: the name of a shape, alone or with what follows its colon.
bool is_shape(std::string_view text);

/// What `mottle mesh` and error messages say of the shapes.
extern const char* const kShapeList;

/// Makes a shape; what is not said after the colon has the values given here.
///     sphere:5            icosphere of radius 1, 10*4^K + 2 vertices
///     torus:1,0.4,64      radii of the ring and of the tube, vertices round the tube
///     plane:128x128       W x H vertices with spacing 1 in z = 0, diagonals alternating; plane:WxH,one: all diagonals alike
///     cylinder:1,4,96     radius, length, vertices round; open ends
///     ellipsoid:1,0.7,0.5,5   three half axes, K as of the sphere
///     snake:20000         closed, tapered, bent, 24 long and at most 1.1 thick, with about so many vertices
///     kaa                 the snake with the counts and the irregularity of the mesh of a paper, open along the belly; no numbers
/// Throws: InputError with place, also where there would be more than `most_vertices`.
TriangleSoup make_shape(const core::Text& text, Index most_vertices = kMostVertices);

}  // namespace mottle::domain
