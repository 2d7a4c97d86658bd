// mottle/frame/refinement.h: a finer surface for pictures: every face cut into four, places and values rounded along the edges
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/frame/ray_caster.h"

#include <vector>

namespace mottle::frame {

/// New vertices stand in the middle of the edges, after the old ones, on the cubic with the slopes of both ends: of places from the normals, which bend on a
/// quadratic (Vlachos et al., Curved PN triangles, 2001), of values from the gradients of the vertices. Old vertices keep place and value. Edges that meet at a crease stay straight.
class Refinement {
   public:
    Refinement(std::span<const Vec3> points, std::span<const Vec3> normals, std::span<const domain::Triangle> faces);

    const std::vector<Vec3>& points() const { return points_; }
    const std::vector<Vec3>& normals() const { return normals_; }
    const std::vector<domain::Triangle>& faces() const { return faces_; }
    std::size_t coarse_count() const { return coarse_; }

    /// A value without a number leaves the edges that end there without one. Shape: from coarse_count(), to points().size().
    void refine(std::span<const float> from, std::vector<float>& to, core::ThreadTeam& team) const;

   private:
    struct Edge {
        domain::Vertex a, b;
    };
    void add_middle(Edge edge);
    void add_middles(std::span<const domain::Triangle> faces);
    void prepare_gradients(std::span<const Vec3> points, std::span<const domain::Triangle> faces);

    std::size_t coarse_;
    std::vector<Vec3> points_, normals_;
    std::vector<domain::Triangle> faces_, coarse_faces_;
    std::vector<Edge> edges_;                     ///< of the new vertices, in their order
    std::vector<std::array<Vec3, 2>> face_rows_;  ///< gradient in a face = (fb - fa) row 0 + (fc - fa) row 1
    std::vector<std::int32_t> first_, around_;    ///< faces around vertex v: around_[first_[v]] ...
    std::vector<float> angle_;                    ///< their angles there
};

}  // namespace mottle::frame
