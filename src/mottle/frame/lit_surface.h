// mottle/frame/lit_surface.h: data for lighting a surface, computed once for all cameras: points, smooth normals, ambient occlusion
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/frame/refinement.h"

#include <memory>
#include <vector>

namespace mottle::frame {

/// Small surfaces are refined for pictures while they have at most so many faces, and so often.
inline constexpr std::size_t kRefinedFaces = 200'000, kRefinements = 3;

/// Points are moved and scaled so that the bounding box is centred at the origin and the farthest point has distance 1.
struct LitSurface {
    std::vector<Vec3> points;
    std::vector<Vec3> normals;    ///< unit, averaged over the incident faces by their angles; 0 where they cancel
    std::vector<float> openness;  ///< 0..1: share of the sky over a vertex that nothing near hides, smoothed
    std::vector<domain::Triangle> faces;
    std::unique_ptr<RayCaster> caster;
    std::vector<Refinement> refinements;  ///< which lead from the given surface to this one

    std::size_t vertex_count() const {
        return refinements.empty() ? points.size() : refinements.front().coarse_count();
    }  ///< of the given surface; those that only faces outside its region use come last
};

/// Positions and faces of a surface with those that its region leaves out, after its own.
domain::Surface whole_surface(const domain::Surface& surface);

std::vector<Vec3> normalised_points(const domain::Surface& surface);
std::vector<Vec3> smooth_normals(std::span<const Vec3> points, std::span<const domain::Triangle> faces);
/// Throws: DeviceError of the caster.
LitSurface light_up(const domain::Surface& surface, CasterFactory open_caster, core::ThreadTeam& team,
                    std::size_t most_faces = kRefinedFaces);

/// The one lit surface of a run, made when first asked for.
class SurfaceLight {
   public:
    /// Throws: DeviceError of the caster.
    std::shared_ptr<const LitSurface> on(const domain::Surface& surface, CasterFactory open_caster, core::ThreadTeam& team);

   private:
    const domain::Surface* of_ = nullptr;
    std::shared_ptr<const LitSurface> lit_;
};

}  // namespace mottle::frame
