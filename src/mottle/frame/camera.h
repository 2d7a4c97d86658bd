// mottle/frame/camera.h: the camera that looks at a surface
#pragma once
#include "mottle/frame/ray_caster.h"

#include <optional>
#include <vector>

namespace mottle::frame {

/// y is up. Azimuth 0 looks from +z, 90 from +x; elevation 90 looks down from +y.
struct Camera {
    std::optional<std::array<double, 2>>
        angles;           ///< azimuth and elevation, degrees; none: flat surfaces from the front, others from kDefaultAngles
    double distance = 1;  ///< in multiples of the distance from which the surface just fills the picture
};

inline constexpr std::array<double, 2> kDefaultAngles = {30, 15};

/// The angles of a camera: its own, or those from which a surface in a box of these sides is looked at.
std::array<double, 2> angles_of(const Camera& camera, const std::array<double, 3>& sides);

/// Unit vectors of the picture; back points at the viewer.
struct Directions {
    std::array<double, 3> right{}, up{}, back{};
};
/// `angles`: azimuth and elevation, degrees.
Directions directions_of(const std::array<double, 2>& angles);

/// An unlimited number of rays from one eye: pixel (x, y), in pixels from the top left corner, looks along corner + x across + y down.
struct Sight : Directions {
    std::array<double, 3> eye{}, corner{}, across{}, down{};
};

/// Aims at `points`, whose bounding box has its centre at the origin, so that all of them are in the picture at distance 1; for a `turning` surface all
/// of them from every azimuth.
/// `turned`: degrees added to the azimuth.
Sight aim(const Camera& camera, std::span<const Vec3> points, std::array<int, 2> pixels, double turned, bool turning);

}  // namespace mottle::frame
