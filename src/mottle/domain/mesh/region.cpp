// mottle/domain/mesh/region.cpp: a part of a surface: faces dropped, vertices numbered anew
#include "mottle/domain/mesh/region.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/repair/topology.h"

namespace mottle::domain {

namespace {

using core::at;

}  // namespace

Surface part_of(const Surface& surface, const std::vector<bool>& inside, core::ThreadTeam& team) {
    Surface part;
    part.name = surface.name;
    part.outside = surface.outside;
    part.report = surface.report;
    part.report.non_manifold_edges = part.report.non_manifold_vertices = part.report.inconsistent_edges = 0;
    std::vector<Vertex> number(surface.position.size(), -1);
    for (const Triangle& face : surface.faces) {
        if (!inside[at(face[0])] || !inside[at(face[1])] || !inside[at(face[2])]) {
            part.outside.push_back({surface.original[at(face[0])], surface.original[at(face[1])], surface.original[at(face[2])]});
            continue;
        }
        part.faces.push_back(face);
        for (const Vertex v : face) number[at(v)] = 0;
    }
    part.report.outside_region = static_cast<Index>(surface.faces.size() - part.faces.size());
    if (part.faces.empty())
        throw core::InputError(surface.name + ": the region contains none of the " + core::grouped(part.report.outside_region) +
                               " triangles; it consists of those with the expression above 0 at all three vertices");
    for (Attribute& attribute : part.attributes = surface.attributes) attribute.values.clear();
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] < 0) continue;
        number[v] = static_cast<Vertex>(part.position.size());
        part.position.push_back(surface.position[v]);
        part.original.push_back(surface.original[v]);
        if (!surface.texture.empty()) part.texture.push_back(surface.texture[v]);
        for (std::size_t a = 0; a < part.attributes.size(); ++a) part.attributes[a].values.push_back(surface.attributes[a].values[v]);
    }
    for (Triangle& face : part.faces) {
        for (Vertex& v : face) v = number[at(v)];
    }
    auto bare = surface.bare.begin();
    for (const Vertex v : surface.vertex_of) {
        const auto index = static_cast<Vertex>(part.vertex_of.size());
        part.vertex_of.push_back(v < 0 ? -1 : number[at(v)]);
        if (v < 0) {
            part.bare.push_back(*bare++);
        } else if (number[at(v)] < 0) {
            part.bare.emplace_back(index, surface.position[at(v)]);
        }
    }
    find_boundary(part, incidence_of(part.faces, part.position.size(), team), team);
    return part;
}

}  // namespace mottle::domain
