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

template <class T, class Places>
std::vector<T> picked(const std::vector<T>& whole, const Places& places) {
    std::vector<T> some;
    some.reserve(places.size());
    for (const auto place : places) some.push_back(whole[at(place)]);
    return some;
}

/// Of the rows of these vertices.
std::size_t entries_of(const MeshOperators& rows, std::span<const Vertex> vertices) {
    Index count = 0;
    for (const Vertex v : vertices) count += rows.first[at(v) + 1] - rows.first[at(v)];
    return at(count);
}

}  // namespace

Mesh piece_of(const Mesh& whole, std::span<const Vertex> vertices, const PieceWeights& wanted) {
    const std::vector<Vertex> place = places_of(whole, vertices);
    const Surface& surface = *whole.surface;
    const MeshOperators& rows = *whole.operators;
    auto own = std::make_shared<Surface>();
    own->name = surface.name;
    own->position = picked(surface.position, vertices);
    own->original = picked(surface.original, vertices);
    for (const std::vector<Vertex>& loop : surface.loops) {  // all of them: a loop is known by its number
        std::vector<Vertex>& part = own->loops.emplace_back();
        for (const Vertex v : loop) {
            if (place[at(v)] >= 0) part.push_back(place[at(v)]);
        }
    }
    auto operators = std::make_shared<MeshOperators>();
    operators->flips = rows.flips;
    operators->mass = picked(rows.mass, vertices);
    operators->first.reserve(vertices.size() + 1);
    operators->first.push_back(0);
    std::vector<Index> entries;  // of the whole
    entries.reserve(entries_of(rows, vertices));
    for (const Vertex v : vertices) {
        for (Index entry = rows.first[at(v)]; entry < rows.first[at(v) + 1]; ++entry) {
            if (place[at(rows.neighbour[at(entry)])] >= 0) entries.push_back(entry);
        }
        operators->first.push_back(std::ssize(entries));
    }
    operators->neighbour.reserve(entries.size());
    for (const Index entry : entries) operators->neighbour.push_back(place[at(rows.neighbour[at(entry)])]);
    if (wanted.laplacian) operators->laplacian = picked(rows.laplacian, entries);
    for (std::size_t d = 0; d < 3; ++d) {
        if (wanted.gradient[d]) operators->gradient[d] = picked(rows.gradient[d], entries);
    }
    Mesh piece;
    piece.surface = std::move(own);
    piece.operators = std::move(operators);
    for (const TensorRows& tensor : whole.tensors)
        piece.tensors.push_back({tensor.name, std::make_shared<std::vector<double>>(picked(*tensor.weights, entries))});
    piece.spectrum = whole.spectrum;
    piece.whole_bounds = bounds(surface.position);
    piece.scale = whole.scale;
    piece.loops = whole.loops;
    piece.field_loops = whole.field_loops;
    return piece;
}

}  // namespace mottle::domain
