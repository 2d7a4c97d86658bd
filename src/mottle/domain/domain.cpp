// mottle/domain/domain.cpp: what every kind of domain can tell about itself
#include "mottle/domain/domain.h"

#include "mottle/core/text.h"

namespace mottle::domain {

Index cell_count(const Domain& domain) { return row_length(domain) * row_count(domain); }

Index row_length(const Domain& domain) {
    if (const auto* mesh = std::get_if<Mesh>(&domain)) return mesh->vertex_count();
    return std::get<Grid>(domain).size[0];
}

Index row_count(const Domain& domain) {
    const auto* grid = std::get_if<Grid>(&domain);
    return grid ? grid->size[1] * grid->size[2] : 1;
}

std::span<const double> measures(const Domain& domain) {
    const auto* mesh = std::get_if<Mesh>(&domain);
    return mesh ? std::span<const double>(mesh->operators->mass) : std::span<const double>();
}

double cell_size(const Domain& domain) {
    const auto* grid = std::get_if<Grid>(&domain);
    double size = 1;
    for (std::size_t d = 0; grid && d < grid->size.size(); ++d) size *= grid->size[d] > 1 ? grid->spacing[d] : 1;
    return size;
}

std::string describe(const Domain& domain) {
    if (const auto* mesh = std::get_if<Mesh>(&domain))
        return mesh->surface->name + " (" + core::grouped(mesh->vertex_count()) + " vertices)";
    return describe_size(std::get<Grid>(domain).size) + " grid";
}

std::vector<Index> shape(const Domain& domain) {
    if (const auto* mesh = std::get_if<Mesh>(&domain)) return {static_cast<Index>(mesh->surface->vertex_of.size())};
    const Triple& size = std::get<Grid>(domain).size;
    if (size[2] > 1) return {size[2], size[1], size[0]};
    return {size[1], size[0]};
}

}  // namespace mottle::domain
