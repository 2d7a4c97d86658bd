// mottle/field/point_tree.h: search for the nearest points in space
#pragma once
#include "mottle/domain/mesh/mesh.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mottle::field {

/// A k-d tree over points that outlive it.
class PointTree {
   public:
    explicit PointTree(const std::vector<domain::Point>& points);

    /// The nearest point; of several at one distance that with the lowest index.
    domain::Vertex nearest(const domain::Point& place) const;
    /// Calls `found` for every point at a distance of at most `radius`.
    void within(const domain::Point& place, double radius, const std::function<void(domain::Vertex)>& found) const;

   private:
    void build(std::size_t begin, std::size_t end);
    void search(std::size_t begin, std::size_t end, const domain::Point& place, double& best, domain::Vertex& who) const;
    void search(std::size_t begin, std::size_t end, const domain::Point& place, double radius,
                const std::function<void(domain::Vertex)>& found) const;

    const std::vector<domain::Point>& points_;
    std::vector<domain::Vertex> order_;  ///< a range is split at its middle point
    std::vector<std::uint8_t> axis_;     ///< along which the range of that middle was split
};

/// The same for several places or centres: where they are few by comparing all points with them, which takes less time than to make a tree.
std::vector<domain::Vertex> nearest_points(const std::vector<domain::Point>& points, std::span<const domain::Point> places);
/// Whether each point is at a distance of at most `radius` from one of `centres`.
std::vector<std::uint8_t> points_within(const std::vector<domain::Point>& points, std::span<const domain::Point> centres, double radius);

}  // namespace mottle::field
