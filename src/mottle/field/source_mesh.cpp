// mottle/field/source_mesh.cpp: noise, spots and attributes on the vertices of a mesh
#include "mottle/field/source_mesh.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/point_tree.h"
#include "mottle/ir/functions/philox.h"

#include <algorithm>

namespace mottle::field {

using core::Index;

RowSource create_mesh_noise(double lo, double width, std::uint64_t seed, std::uint32_t draw, const domain::Mesh& mesh) {
    return [lo, width, seed, draw, surface = mesh.surface](Index, Index first, std::span<double> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto number = static_cast<std::uint64_t>(surface->original[core::at(first) + i]);
            cells[i] = lo + width * ir::uniform_draw(seed, number, ir::kInitialStep, draw);
        }
    };
}

std::vector<domain::Point> spot_centres(const ir::SourceCall& call, const domain::Mesh& mesh, std::uint64_t seed) {
    const std::vector<domain::Point>& position = mesh.surface->position;
    const domain::Box box = domain::bounds(position);
    std::vector<domain::Point> centres(static_cast<std::size_t>(call.args[0]));
    for (std::uint64_t spot = 0; spot < centres.size(); ++spot) {
        for (std::uint32_t d = 0; d < 3; ++d)
            centres[spot][d] = box.lo[d] + ir::uniform_draw(seed, spot, ir::kInitialStep, call.draw + d) * (box.hi[d] - box.lo[d]);
    }
    const std::vector<domain::Vertex> nearest = nearest_points(position, centres);
    std::transform(nearest.begin(), nearest.end(), centres.begin(), [&](domain::Vertex v) { return position[core::at(v)]; });
    return centres;
}

RowSource create_mesh_spots(const ir::SourceCall& call, const domain::Mesh& mesh, const InitialSpec& initial) {
    const double radius = call.args[1] / mesh.scale;  // in lengths of the file
    const std::vector<domain::Point> centres = call.centres.has_value() ? *call.centres : spot_centres(call, mesh, initial.seed);
    const auto marked = std::make_shared<const std::vector<std::uint8_t>>(points_within(mesh.surface->position, centres, radius));
    return [marked](Index, Index first, std::span<double> cells) { std::copy_n(marked->begin() + first, cells.size(), cells.begin()); };
}

RowSource create_attribute(const ir::SourceCall& call, const domain::Mesh& mesh) {
    std::vector<std::string> names;
    std::string list;
    for (const domain::Attribute& attribute : mesh.surface->attributes) {
        if (attribute.name == call.text) {
            return [surface = mesh.surface, &values = attribute.values](Index, Index first, std::span<double> cells) {
                std::copy_n(values.begin() + first, cells.size(), cells.begin());
            };
        }
        names.push_back(attribute.name);
        list += (list.empty() ? "" : ", ") + attribute.name;
    }
    throw core::InputError(mesh.surface->name + " has no attribute '" + call.text + "'" + core::did_you_mean(call.text, names) +
                               (list.empty() ? "; its vertices have only coordinates" : "; there are " + list),
                           call.span);
}

}  // namespace mottle::field
