// mottle/domain/mesh/copies.cpp: indices shifted, places moved
#include "mottle/domain/mesh/copies.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <limits>

namespace mottle::domain {
namespace {

Point moved(const Point& p, const Point& by) { return {p[0] + by[0], p[1] + by[1], p[2] + by[2]}; }

void add_faces(std::vector<Triangle>& to, const std::vector<Triangle>& faces, Vertex first) {
    for (const Triangle& face : faces) to.push_back({face[0] + first, face[1] + first, face[2] + first});
}

}  // namespace

Surface copies_of(const Surface& surface, std::span<const Point> offsets) {
    const std::size_t vertices = surface.position.size(), places = surface.vertex_of.size();
    if (std::max(vertices, places) * offsets.size() > core::at(std::numeric_limits<Vertex>::max())) {
        throw core::InputError(std::to_string(offsets.size()) + " copies of " + surface.name + " have more vertices than can be numbered");
    }
    Surface all;
    all.name = surface.name;
    all.attributes = surface.attributes;
    for (Attribute& attribute : all.attributes) attribute.values.clear();
    for (std::size_t copy = 0; copy < offsets.size(); ++copy) {
        const auto first = static_cast<Vertex>(copy * vertices), first_place = static_cast<Vertex>(copy * places);
        for (const Point& p : surface.position) all.position.push_back(moved(p, offsets[copy]));
        add_faces(all.faces, surface.faces, first);
        add_faces(all.outside, surface.outside, first_place);
        for (const Vertex place : surface.original) all.original.push_back(place + first_place);
        for (const Vertex vertex : surface.vertex_of) all.vertex_of.push_back(vertex < 0 ? vertex : vertex + first);
        for (const auto& [place, p] : surface.bare) all.bare.emplace_back(place + first_place, moved(p, offsets[copy]));
        for (const std::vector<Vertex>& loop : surface.loops) {
            all.loops.push_back(loop);
            for (Vertex& vertex : all.loops.back()) vertex += first;
        }
        for (std::size_t a = 0; a < all.attributes.size(); ++a) {
            const std::vector<double>& values = surface.attributes[a].values;
            all.attributes[a].values.insert(all.attributes[a].values.end(), values.begin(), values.end());
        }
        all.texture.insert(all.texture.end(), surface.texture.begin(), surface.texture.end());
    }
    return all;
}

}  // namespace mottle::domain
