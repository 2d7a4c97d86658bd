// mottle/domain/mesh/mesh.h: a triangulated surface, the report of its repair, and its discrete operators
#pragma once
#include "mottle/core/context.h"
#include "mottle/domain/boundary.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::domain {

using core::Index;
using Vertex = std::int32_t;
using Point = std::array<double, 3>;
using Triangle = std::array<Vertex, 3>;

/// The corners of the axis-parallel box round some points.
struct Box {
    Point lo{}, hi{};
};
Box bounds(const std::vector<Point>& points);
Point sides(const Box& box);
double longest_side(const Box& box);

/// Where the vertices of a finer mesh lie. `loop`: as Loop's subdivision puts them, which is smooth where the surface is closed (C. Loop, Smooth subdivision
/// surfaces based on triangles, 1987); borders, and edges of more than two faces, stay where they are. `midpoint`: in the middle of edges; no place changes.
enum class Subdivision { loop, midpoint };

inline constexpr int kMostRefinements = 8;

/// How a mesh is made finer than its file.
struct Refinement {
    int times = 0;
    Subdivision subdivision = Subdivision::loop;
};

/// A number per vertex that came with the file ("red", "quality", ...).
struct Attribute {
    std::string name;
    std::vector<double> values;  ///< one per vertex of Surface::position
};

/// What reading and repairing did, in counts of the file's own vertices and faces.
struct MeshReport {
    Index file_vertices = 0, file_faces = 0;  ///< as stored, polygons counted once
    Index welded = 0;                         ///< vertices that are exact copies of one before them
    Index unreferenced = 0;                   ///< vertices without a usable face
    Index zero_area_faces = 0, repeated_index_faces = 0, duplicate_faces = 0;
    Index non_manifold_edges = 0, non_manifold_vertices = 0, inconsistent_edges = 0;
    Index outside_region = 0;  ///< faces dropped by `region`
};

/// The geometry after repair. Vertices are the unknowns, one for each place that faces use. They are numbered in ascending order of their lowest original index or, in large files
/// whose numbers scatter neighbours, along a curve (vertex_order.h): a number is a place in memory, and nothing that a user sees depends on it. Faces keep the order of the file.
struct Surface {
    std::string name;             ///< "spot.obj", "sphere:5": for summaries and messages
    std::vector<Point> position;  ///< in the file's coordinates
    std::vector<Triangle> faces;
    std::vector<Vertex> original;                ///< vertex -> the lowest index it has in the file
    std::vector<Vertex> vertex_of;               ///< index in the file -> vertex; -1: none
    std::vector<std::vector<Vertex>> loops;      ///< boundary loops, by ascending lowest original index, where they start
    std::vector<std::pair<Vertex, Point>> bare;  ///< what vertex_of gives no vertex, ascending: index in the file, place
    std::vector<Triangle> outside;               ///< faces that `region` dropped, by indices of the file
    std::vector<Attribute> attributes;
    std::vector<std::array<double, 2>> texture;  ///< per vertex, or empty
    MeshReport report;

    /// Whether vertex `in_file` of the file is one of the surface, and the first of its copies, whose values count.
    bool counts(std::size_t in_file) const {
        const Vertex vertex = vertex_of[in_file];
        return vertex >= 0 && core::at(original[core::at(vertex)]) == in_file;
    }
    /// Whether vertices are numbered in the order of the file.
    bool keeps_order() const;
    /// The vertices by ascending original index.
    std::vector<Vertex> in_file_order() const;
};

/// Discrete operators as rows over the one-ring: (A f)_i = sum over j of weight_ij (f_j - f_i), neighbours by ascending original index.
/// Cotangent Laplacian with lumped barycentric mass, and the vertex gradient that averages face gradients by their incident angles,
/// both formed in f64 about the centroid (docs/numerics.md, "Triangle meshes"). Lengths are those of the equations (file times scale).
struct MeshOperators {
    std::vector<Index> first;  ///< size V + 1: row i is first[i] .. first[i+1]
    std::vector<Vertex> neighbour;
    std::vector<double> cotangent;  ///< w_ij = half the sum of the cotangents opposite the edge; symmetric
    std::vector<double> laplacian;  ///< w_ij / m_i
    std::array<std::vector<double>, 3> gradient;
    std::vector<double> mass;  ///< m_i: a third of the incident areas
    Index flips = -1;          ///< edges that make_delaunay() flipped; -1: it was not asked
};

/// Rows of div(T*grad(f)) for a diffusion tensor T of the tangent planes: see tensor_weights().
struct TensorRows {
    std::string name;                                    ///< by which a Program finds them
    std::shared_ptr<const std::vector<double>> weights;  ///< one per entry of MeshOperators
};

/// The largest eigenvalue of -lap, which bounds explicit time steps: see spectrum_of(). Units: 1/length^2.
struct Spectrum {
    double largest = 0;     ///< the estimate to rely on
    double lanczos = 0;     ///< found from below
    double gershgorin = 0;  ///< a bound from above
    Vertex worst = 0;       ///< whose row gives that bound
};

/// A surface as a domain. Copies share the geometry.
struct Mesh {
    std::shared_ptr<const Surface> surface;
    std::shared_ptr<const MeshOperators> operators;
    std::vector<TensorRows> tensors;  ///< those that the equations need
    Spectrum spectrum;
    std::optional<Box> whole_bounds = {};                                    ///< of a piece: those of the whole surface (mesh/piece.h)
    double scale = 1;                                                        ///< lengths inside the equations per length of the file
    std::vector<Boundary> loops;                                             ///< one rule per loop: no_flux or value
    std::vector<std::pair<std::string, std::vector<Boundary>>> field_loops;  ///< overrides for single fields

    Index vertex_count() const { return static_cast<Index>(surface->position.size()); }
    const std::vector<Boundary>& loops_of(const std::string& field) const;
};

}  // namespace mottle::domain
