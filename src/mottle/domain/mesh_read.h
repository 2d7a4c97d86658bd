// mottle/domain/mesh_read.h: strict readers of OBJ, PLY, OFF and STL: f64, in the order of the file, memory bounded by its size
#pragma once
#include "mottle/domain/triangle_soup.h"

#include <filesystem>
#include <string_view>

namespace mottle::domain {

/// Reads by the extension (.obj .ply .off .stl, any case). Throws: InputError with line or byte, or the reason why the file cannot be read.
TriangleSoup read_mesh(const std::filesystem::path& path);

/// The bytes of a file; `file` is its name in messages. Polygons are cut into triangles: a fan where they are convex, else by clipping ears.
/// OBJ: v (with colours), vt, f with relative indices and continued lines; other statements of the format are skipped.
/// PLY: ascii and binary of both byte orders; further numbers per vertex become attributes, (s, t), (u, v) texture coordinates.
/// OFF: with or without colours. STL: ascii and binary.
TriangleSoup read_obj(std::string_view bytes, const std::string& file);
TriangleSoup read_ply(std::string_view bytes, const std::string& file);
TriangleSoup read_off(std::string_view bytes, const std::string& file);
TriangleSoup read_stl(std::string_view bytes, const std::string& file);

}  // namespace mottle::domain
