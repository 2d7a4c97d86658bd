// mottle/field/sampled_cells.cpp: rows are read here and there
#include "mottle/field/sampled_cells.h"

#include "mottle/core/index.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mottle::field {
namespace {

constexpr Index kRowsOfExtremes = 32;  // looked through for the least and the largest values

}  // namespace

std::vector<Place> spread_places(const domain::Domain& domain, Index count) {
    const Index rows = domain::row_count(domain), length = domain::row_length(domain);
    const Index sampled_rows = std::min(rows, static_cast<Index>(std::sqrt(static_cast<double>(count))));
    const Index per_row = std::min(length, count / sampled_rows);
    std::vector<Place> places;
    for (Index r = 0; r < sampled_rows; ++r) {
        // cells of one column in all rows would see one part of a pattern of stripes
        for (Index i = 0; i < per_row; ++i)
            places.push_back({(2 * r + 1) * rows / (2 * sampled_rows), ((2 * i + 1) * length / (2 * per_row) + r) % length});
    }
    return places;
}

std::vector<Place> extreme_places(const Field& field, std::size_t most_fields) {
    const backend::Kernel& kernel = field.kernel();
    const Index rows = domain::row_count(kernel.domain()), read = std::min(rows, kRowsOfExtremes);
    std::vector<double> row(core::at(domain::row_length(kernel.domain())));
    struct Extremes {
        double spread;  ///< as a share of the largest value
        Place lowest, highest;
    };
    std::vector<Extremes> fields;
    for (ir::Array a = 0; a < kernel.program().field_count(); ++a) {
        double least = INFINITY, most = -INFINITY;
        Place lowest{}, highest{};
        for (Index r = 0; r < read; ++r) {
            const Index y = (2 * r + 1) * rows / (2 * read);
            kernel.read_row(field.state(), a, y, std::span<double>(row));
            const auto [low, high] = std::minmax_element(row.begin(), row.end());
            if (*low < least) least = *low, lowest = {y, low - row.begin()};
            if (*high > most) most = *high, highest = {y, high - row.begin()};
        }
        const double size = std::max(std::abs(least), std::abs(most));
        fields.push_back({size > 0 && std::isfinite(size) ? (most - least) / size : 0, lowest, highest});
    }
    if (fields.size() > most_fields) {
        std::ranges::stable_sort(fields, std::ranges::greater(), &Extremes::spread);
        fields.resize(most_fields);
    }
    std::vector<Place> places;
    for (const Extremes& each : fields) {
        places.push_back(each.lowest);
        places.push_back(each.highest);
    }
    return places;
}

std::vector<ir::CellState> states_at(const Field& field, std::span<const Place> places) {
    const backend::Kernel& kernel = field.kernel();
    const ir::Program& program = kernel.program();
    std::vector<ir::CellState> cells(places.size());
    std::vector<double> row(core::at(domain::row_length(kernel.domain())));
    for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
        const ir::ArrayInfo& array = program.arrays[core::at(a)];
        if (array.kind == ir::ArrayInfo::Kind::held) continue;
        if (array.kind == ir::ArrayInfo::Kind::state && a >= program.field_count()) continue;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (i == 0 || places[i].row != places[i - 1].row) kernel.read_row(field.state(), a, places[i].row, std::span<double>(row));
            const double value = row[core::at(places[i].x)];
            if (array.kind == ir::ArrayInfo::Kind::state) {
                cells[i].fields.push_back(value);
            } else {
                cells[i].maps.emplace_back(array.name, value);
            }
        }
    }
    return cells;
}

}  // namespace mottle::field
