// mottle/domain/mesh/piece.cpp: some vertices of a mesh as a mesh of their own
#include "mottle/domain/mesh/piece.h"

namespace mottle::domain {
namespace {

using core::at;

/// Numbers of the whole -> numbers of the piece; -1: not in it.
std::vector<Vertex> places_of(const Mesh& whole, std::span<const Vertex> vertices) {
    std::vector<Vertex> place(at(whole.vertex_count()), -1);
    for (std::size_t i = 0; i < vertices.size(); ++i) place[at(vertices[i])] = static_cast<Vertex>(i);
    return place;
}

}  // namespace

Mesh piece_of(const Mesh& whole, std::span<const Vertex> vertices) {
    const std::vector<Vertex> place = places_of(whole, vertices);
    const Surface& surface = *whole.surface;
    const MeshOperators& rows = *whole.operators;
    auto own = std::make_shared<Surface>();
    own->name = surface.name;
    for (const Vertex v : vertices) {
        own->position.push_back(surface.position[at(v)]);
        own->original.push_back(surface.original[at(v)]);
    }
    for (const std::vector<Vertex>& loop : surface.loops) {  // all of them: a loop is known by its number
        std::vector<Vertex>& part = own->loops.emplace_back();
        for (const Vertex v : loop) {
            if (place[at(v)] >= 0) part.push_back(place[at(v)]);
        }
    }
    auto operators = std::make_shared<MeshOperators>();
    operators->flips = rows.flips;
    operators->first.push_back(0);
    std::vector<std::shared_ptr<std::vector<double>>> tensors;
    for (std::size_t k = 0; k < whole.tensors.size(); ++k) tensors.push_back(std::make_shared<std::vector<double>>());
    for (const Vertex v : vertices) {
        for (Index entry = rows.first[at(v)]; entry < rows.first[at(v) + 1]; ++entry) {
            const Vertex neighbour = place[at(rows.neighbour[at(entry)])];
            if (neighbour < 0) continue;
            operators->neighbour.push_back(neighbour);
            operators->cotangent.push_back(rows.cotangent[at(entry)]);
            operators->laplacian.push_back(rows.laplacian[at(entry)]);
            for (std::size_t d = 0; d < 3; ++d) operators->gradient[d].push_back(rows.gradient[d][at(entry)]);
            for (std::size_t k = 0; k < tensors.size(); ++k) tensors[k]->push_back((*whole.tensors[k].weights)[at(entry)]);
        }
        operators->first.push_back(static_cast<Index>(operators->neighbour.size()));
        operators->mass.push_back(rows.mass[at(v)]);
    }
    Mesh piece;
    piece.surface = std::move(own);
    piece.operators = std::move(operators);
    for (std::size_t k = 0; k < tensors.size(); ++k) piece.tensors.push_back({whole.tensors[k].name, std::move(tensors[k])});
    piece.spectrum = whole.spectrum;
    piece.whole_bounds = bounds(surface.position);
    piece.scale = whole.scale;
    piece.loops = whole.loops;
    piece.field_loops = whole.field_loops;
    return piece;
}

}  // namespace mottle::domain
