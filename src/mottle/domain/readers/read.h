// mottle/domain/readers/read.h: strict readers of OBJ, PLY, OFF and STL: f64, in the order of the file, memory bounded by its size
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/repair/triangle_soup.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace mottle::domain {

/// Reads by the extension (.obj .ply .off .stl, any case). Throws: InputError with line or byte, or the reason why the file cannot be read.
/// With a `team` large OBJ files of points and triangles alone are read on all its threads, to the same bits.
TriangleSoup read_mesh(const std::filesystem::path& path, core::ThreadTeam* team = nullptr);

/// The bytes of a file; `file` is its name in messages. Polygons are cut into triangles: a fan where they are convex, else by clipping ears.
/// OBJ: v (with colours), vt, f with relative indices and continued lines; other statements of the format are skipped.
/// PLY: ascii and binary of both byte orders; further numbers per vertex become attributes, (s, t), (u, v) texture coordinates too,
/// except in the files of output/ply.cpp, where they are fields.
/// OFF: with or without colours. STL: ascii and binary.
/// read_plain_obj: what read_obj gives for a file of points and triangles alone; nothing for any other, or one with a mistake.
std::optional<TriangleSoup> read_plain_obj(std::string_view bytes, core::ThreadTeam& team);
TriangleSoup read_obj(std::string_view bytes, const std::string& file);
TriangleSoup read_ply(std::string_view bytes, const std::string& file);
TriangleSoup read_off(std::string_view bytes, const std::string& file);
TriangleSoup read_stl(std::string_view bytes, const std::string& file);

}  // namespace mottle::domain
