// mottle/steady/jacobian.cpp: which cells are read, their colours, and central differences
#include "mottle/steady/jacobian.h"

#include "mottle/backend/step_plan.h"
#include "mottle/core/cancellation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mottle::steady {
namespace {

/// The cells of an axis that a cell reads, as positions along it, ascending.
std::vector<Index> along(Index at, Index size, int reach, bool wraps) {
    std::vector<Index> cells;
    for (Index i = at - reach; i <= at + reach; ++i) {
        if (i >= 0 && i < size)
            cells.push_back(i);
        else if (wraps)
            cells.push_back(((i % size) + size) % size);
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
}

Neighbourhoods boxes(const ir::Program& program, const backend::StepPlan& plan, const domain::Grid& grid) {
    std::array<std::vector<std::vector<Index>>, 3> axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        int reach = 0;
        for (const backend::StageUse& stage : plan.stages) reach += stage.reach(axis);
        const bool wraps = std::any_of(program.ghosts.begin(), program.ghosts.end(),
                                       [&](const ir::GhostRule& rule) { return backend::wraps_along(rule, static_cast<int>(axis)); });
        for (Index i = 0; i < grid.size[axis]; ++i) axes[axis].push_back(along(i, grid.size[axis], reach, wraps));
    }
    Neighbourhoods boxes{{0}, {}};
    for (const std::vector<Index>& zs : axes[2]) {
        for (const std::vector<Index>& ys : axes[1]) {
            core::cancellation_point();
            for (const std::vector<Index>& xs : axes[0]) {
                for (const Index z : zs) {
                    for (const Index y : ys) {
                        for (const Index x : xs) boxes.cell.push_back(static_cast<std::int32_t>((z * grid.size[1] + y) * grid.size[0] + x));
                    }
                }
                boxes.first.push_back(std::ssize(boxes.cell));
            }
        }
    }
    return boxes;
}

Neighbourhoods rings(const backend::StepPlan& plan, const domain::Mesh& mesh) {
    const domain::MeshOperators& rows = *mesh.operators;
    const auto reach =
        std::count_if(plan.stages.begin(), plan.stages.end(), [](const backend::StageUse& stage) { return !stage.neighbours.empty(); });
    Neighbourhoods rings{{0}, {}};
    std::vector<std::int32_t> found;
    for (Index i = 0; i < mesh.vertex_count(); ++i) {
        if (i % 4096 == 0) core::cancellation_point();
        found.assign(1, static_cast<std::int32_t>(i));
        std::size_t begin = 0;
        for (std::ptrdiff_t ring = 0; ring < reach; ++ring) {
            const std::size_t end = found.size();
            for (std::size_t k = begin; k < end; ++k) {
                const auto at = core::at(found[k]);
                for (Index e = rows.first[at]; e < rows.first[at + 1]; ++e) {
                    const domain::Vertex j = rows.neighbour[core::at(e)];
                    if (std::find(found.begin(), found.end(), j) == found.end()) found.push_back(j);
                }
            }
            begin = end;
        }
        std::sort(found.begin(), found.end());
        rings.cell.insert(rings.cell.end(), found.begin(), found.end());
        rings.first.push_back(std::ssize(rings.cell));
    }
    return rings;
}

}  // namespace

double SparseRows::largest_row_sum() const {
    double largest = 0;
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
        double sum = 0;
        for (Index e = first[i]; e < first[i + 1]; ++e) sum += std::abs(value[core::at(e)]);
        largest = std::max(largest, sum);
    }
    return largest;
}

Neighbourhoods neighbourhoods_of(const ir::Program& program, const domain::Domain& domain) {
    const backend::StepPlan plan(program);
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return rings(plan, *mesh);
    return boxes(program, plan, std::get<domain::Grid>(domain));
}

std::vector<int> coloured(const Neighbourhoods& neighbourhoods) {
    const std::size_t count = neighbourhoods.first.size() - 1;
    std::vector<int> colour(count, -1);
    std::vector<std::size_t> taken;  // by colour: the last cell, plus 1, that may not have it
    const auto each = [&](std::size_t i, const auto& work) {
        for (Index e = neighbourhoods.first[i]; e < neighbourhoods.first[i + 1]; ++e) work(core::at(neighbourhoods.cell[core::at(e)]));
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 4096 == 0) core::cancellation_point();
        each(i, [&](std::size_t row) {
            each(row, [&](std::size_t other) {
                if (colour[other] >= 0) taken[core::at(colour[other])] = i + 1;
            });
        });
        const auto free = std::find_if(taken.begin(), taken.end(), [&](std::size_t last) { return last != i + 1; });
        colour[i] = static_cast<int>(free - taken.begin());
        if (free == taken.end()) taken.push_back(0);
    }
    return colour;
}

Jacobian::Jacobian(Rates& rates)
    : rates_(rates),
      neighbourhoods_(neighbourhoods_of(rates.kernel().program(), rates.kernel().domain())),
      colour_(coloured(neighbourhoods_)) {
    for (std::size_t i = 0; i < colour_.size(); ++i) {
        for (Index e = neighbourhoods_.first[i]; e < neighbourhoods_.first[i + 1]; ++e) {
            const std::int32_t cell = neighbourhoods_.cell[core::at(e)];
            const auto colour = core::at(colour_[core::at(cell)]);
            if (colour >= entries_.size()) entries_.resize(colour + 1);
            entries_[colour].push_back({static_cast<std::int32_t>(i), cell, e});
        }
    }
}

SparseRows Jacobian::at(std::span<const double> y) {
    const auto fields = core::at(rates_.field_count());
    const double step = std::cbrt(std::numeric_limits<double>::epsilon());  // truncation and rounding are alike
    std::vector<double> size(fields);
    for (std::size_t k = 0; k < y.size(); ++k) size[k % fields] = std::max(size[k % fields], std::abs(y[k]));
    std::vector<double> blocks(neighbourhoods_.cell.size() * fields * fields), up(y.begin(), y.end()), down(up);
    std::vector<double> above(y.size()), below(y.size());
    for (std::size_t colour = 0; colour < entries_.size(); ++colour) {
        for (std::size_t g = 0; g < fields; ++g) {
            const auto moved = [&](const auto& move) {
                for (std::size_t i = 0; i < colour_.size(); ++i) {
                    if (core::at(colour_[i]) == colour) move(i * fields + g);
                }
            };
            const double by = step * (size[g] > 0 ? size[g] : 1);
            moved([&](std::size_t k) { up[k] = y[k] + by, down[k] = y[k] - by; });
            rates_.at(up, above);
            rates_.at(down, below);
            for (const Entry& entry : entries_[colour]) {
                const std::size_t column = core::at(entry.cell) * fields + g, row = core::at(entry.row) * fields;
                for (std::size_t f = 0; f < fields; ++f) {
                    blocks[(core::at(entry.place) * fields + f) * fields + g] =
                        (above[row + f] - below[row + f]) / (up[column] - down[column]);
                }
            }
            moved([&](std::size_t k) { up[k] = down[k] = y[k]; });
        }
    }
    return compressed(blocks);
}

SparseRows Jacobian::compressed(const std::vector<double>& blocks) const {
    const auto fields = core::at(rates_.field_count());
    SparseRows rows{{0}, {}, {}};
    for (std::size_t i = 0; i < colour_.size(); ++i) {
        for (std::size_t f = 0; f < fields; ++f) {
            for (Index e = neighbourhoods_.first[i]; e < neighbourhoods_.first[i + 1]; ++e) {
                for (std::size_t g = 0; g < fields; ++g) {
                    const std::size_t column = core::at(neighbourhoods_.cell[core::at(e)]) * fields + g;
                    const double value = blocks[(core::at(e) * fields + f) * fields + g];
                    if (value == 0 && column != i * fields + f) continue;
                    rows.column.push_back(static_cast<std::int32_t>(column));
                    rows.value.push_back(value);
                }
            }
            rows.first.push_back(std::ssize(rows.column));
        }
    }
    return rows;
}

}  // namespace mottle::steady
