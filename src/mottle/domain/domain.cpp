// mottle/domain/domain.cpp: what every kind of domain can tell about itself
#include "mottle/domain/domain.h"

namespace mottle::domain {

Index cell_count(const Domain& domain) { return row_length(domain) * row_count(domain); }

Index row_length(const Domain& domain) { return std::get<Grid>(domain).size[0]; }

Index row_count(const Domain& domain) {
    const Triple& size = std::get<Grid>(domain).size;
    return size[1] * size[2];
}

std::string describe(const Domain& domain) { return describe_size(std::get<Grid>(domain).size) + " grid"; }

std::vector<Index> shape(const Domain& domain) {
    const Triple& size = std::get<Grid>(domain).size;
    if (size[2] > 1) return {size[2], size[1], size[0]};
    return {size[1], size[0]};
}

}  // namespace mottle::domain
