// mottle/output/surface_data.h: a surface and its fields in the numbering of its file, ready to be written
#pragma once
#include "mottle/core/files.h"
#include "mottle/frame/colour.h"
#include "mottle/frame/frame.h"

#include <string>
#include <vector>

namespace mottle::output {

/// Arrays have an entry per vertex of the file. Welded copies have the place and the values of the vertex they became; a vertex that no face uses, or
/// none inside the region, stands where it stands in the file, and its values are NaN.
struct SurfaceData {
    std::vector<domain::Point> position;  ///< in the file's coordinates
    std::vector<domain::Triangle> faces;
    std::vector<std::string> names;  ///< of the fields
    bool f64 = false;                ///< precision of the run, and of the files
    std::vector<std::vector<double>> values;
    std::vector<frame::Rgb> colours;  ///< of the field that is drawn; where it has no value frame::kPlainSurface
    double time = 0;
};

/// Where the vertices of a surface's file are, and its faces between them.
std::vector<domain::Point> places_in_file(const domain::Surface& surface);
domain::Triangle face_in_file(const domain::Surface& surface, std::size_t face);

/// Spreads one value per vertex of the surface over the vertices of its file; the rest is NaN. Shape: to.size() == surface.vertex_of.size().
template <class Real>
void spread(const domain::Surface& surface, std::span<const Real> from, std::span<Real> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        const domain::Vertex vertex = surface.vertex_of[i];
        to[i] = vertex < 0 ? std::numeric_limits<Real>::quiet_NaN() : from[core::at(vertex)];
    }
}

/// `field` lives on a mesh.
SurfaceData surface_data(const field::Field& field, frame::Painter& painter, double time);

/// The bytes of each kind of file.
std::string encode_ply(const SurfaceData& data);
std::string encode_glb(const SurfaceData& data);
/// What is wrong with a .glb of so many vertices and faces, or "": the format counts its bytes in 32 bits.
std::string complaint_about_glb(std::uint64_t vertices, std::uint64_t faces);

/// VTK's files of a surface, with the same contents. Where vertices lie in several processes, each writes the values of its own, and none has all of them.
void write_vtp(const field::Field& field, frame::Painter& painter, double time, core::AtomicFile& file);
void write_vtu(const field::Field& field, frame::Painter& painter, double time, core::AtomicFile& file);

/// An index of files by time, as ParaView reads it: a line for each, `name` relative to the folder of the index.
std::string pvd_entry(double time, const std::string& name);
std::string encode_pvd(const std::string& entries);
/// The lines of the first `count` files of such an index, or nothing if there are fewer.
std::optional<std::string> read_pvd_entries(const std::string& pvd, core::Index count);

}  // namespace mottle::output
