// mottle/field/copy.cpp: rows out of one state and into another
#include "mottle/field/copy.h"

#include "mottle/core/error.h"
#include "mottle/core/large_array.h"
#include "mottle/core/text.h"
#include "mottle/field/all_rows.h"
#include "mottle/field/cell_kinds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mottle::field {

using core::at;
using core::Index;

namespace {

void require_same_cells(const domain::Domain& from, const domain::Domain& to) {
    if (domain::row_length(from) == domain::row_length(to) && domain::row_count(from) == domain::row_count(to)) return;
    throw core::InputError("the fields of a " + domain::describe(from) + " do not fit a " + domain::describe(to));
}

const domain::Grid& grid_of(const Field& field) {
    if (const auto* grid = std::get_if<domain::Grid>(&field.kernel().domain())) return *grid;
    throw core::InputError("boxes of cells can be read and written on grids only, and these fields are on " +
                           domain::describe(field.kernel().domain()));
}

void require_inside(const domain::Grid& grid, const CellBox& box) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (box.size[k] > 0 && box.first[k] >= 0 && box.first[k] <= grid.size[k] - box.size[k]) continue;
        throw core::InputError("the box of " + domain::describe_size(box.size) + " cells at " + std::to_string(box.first[0]) + ", " +
                               std::to_string(box.first[1]) + ", " + std::to_string(box.first[2]) + " does not lie in the " +
                               domain::describe(grid));
    }
}

/// Calls work(row of the domain, first value of that row in the box).
template <class Work>
void each_row_of(const domain::Grid& grid, const CellBox& box, const Work& work) {
    std::size_t first = 0;
    for (Index z = box.first[2]; z < box.first[2] + box.size[2]; ++z) {
        for (Index y = box.first[1]; y < box.first[1] + box.size[1]; ++y, first += at(box.size[0])) work(z * grid.size[1] + y, first);
    }
}

template <class Real>
void read_all(const Field& field, Real* values, core::ThreadTeam& team) {
    const domain::Domain& domain = field.kernel().domain();
    const std::size_t length = at(domain::row_length(domain)), rows = at(domain::row_count(domain));
    for_all_rows(domain, team, [&](Index row) {
        for (ir::Array array = 0; array < field.kernel().program().field_count(); ++array)
            field.kernel().read_row(field.state(), array, row, std::span(values + (at(array) * rows + at(row)) * length, length));
    });
}

/// Memory for `count` values: `values` if it has as many and nobody shares it.
template <class Real>
void make_room(std::shared_ptr<Real[]>& values, std::size_t before, std::size_t count) {
    if (values && before == count && values.use_count() == 1) return;
    values.reset();  // first, so that both are never there
    values = core::uninitialised<Real>(count);
}

template <class Real>
void write_all(Field& field, const Real* values, core::ThreadTeam& team) {
    const domain::Domain& domain = field.kernel().domain();
    const std::size_t length = at(domain::row_length(domain)), rows = at(domain::row_count(domain));
    for_all_rows(domain, team, [&](Index row) {
        std::vector<double> cells(length);
        for (ir::Array array = 0; array < field.kernel().program().field_count(); ++array) {
            std::copy_n(values + (at(array) * rows + at(row)) * length, length, cells.begin());
            field.kernel().write_row(field.state(), array, row, cells);
        }
    });
}

}  // namespace

void copy_fields(const Field& from, Field& to, core::ThreadTeam& team) {
    const domain::Domain& domain = to.kernel().domain();
    require_same_cells(from.kernel().domain(), domain);
    const std::vector<std::string> known = from.names(), wanted = to.names();
    std::vector<std::pair<ir::Array, ir::Array>> pairs;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto found = std::find(known.begin(), known.end(), wanted[i]);
        if (found != known.end()) pairs.emplace_back(static_cast<ir::Array>(found - known.begin()), static_cast<ir::Array>(i));
    }
    for_all_rows(domain, team, [&](Index row) {
        std::vector<double> cells(at(domain::row_length(domain)));
        for (const auto& [source, target] : pairs) {
            from.kernel().read_row(from.state(), source, row, std::span<double>(cells));
            to.kernel().write_row(to.state(), target, row, cells);
        }
    });
}

void Snapshot::take(const Field& field, core::Moment moment, core::ThreadTeam& team) {
    moment_ = moment;
    names_ = field.names();
    const std::size_t before = std::exchange(values_, names_.size() * at(domain::cell_count(field.kernel().domain())));
    if (field.kernel().program().f64) {
        f32_.reset();
        make_room(f64_, before, values_);
        read_all(field, f64_.get(), team);
    } else {
        f64_.reset();
        make_room(f32_, before, values_);
        read_all(field, f32_.get(), team);
    }
}

void Snapshot::put_row(ir::Array array, core::Index row, std::span<const double> values) {
    const std::size_t first = at(array) * (values_ / names_.size()) + at(row) * values.size();
    if (f64_)
        std::copy(values.begin(), values.end(), f64_.get() + first);
    else
        std::transform(values.begin(), values.end(), f32_.get() + first, [](double value) { return static_cast<float>(value); });
}

void Snapshot::restore(Field& field, core::ThreadTeam& team) const {
    const domain::Domain& domain = field.kernel().domain();
    const std::size_t cells = names_.size() * at(domain::cell_count(domain));
    const bool f64 = field.kernel().program().f64;
    if (field.names() != names_ || values_ != cells || f64 != (f64_ != nullptr))
        throw core::InputError("a snapshot can be restored only to a simulation with the same cells, fields and precision");
    f64 ? write_all(field, f64_.get(), team) : write_all(field, f32_.get(), team);
}

std::vector<double> read_box(const Field& field, ir::Array array, const CellBox& box) {
    const domain::Grid& grid = grid_of(field);
    require_inside(grid, box);
    std::vector<double> values(at(box.size[0] * box.size[1] * box.size[2])), cells(at(grid.size[0]));
    each_row_of(grid, box, [&](Index row, std::size_t first) {
        field.kernel().read_row(field.state(), array, row, std::span<double>(cells));
        std::copy_n(cells.begin() + box.first[0], box.size[0], values.begin() + static_cast<std::ptrdiff_t>(first));
    });
    return values;
}

void write_box(Field& field, ir::Array array, const CellBox& box, std::span<const double> values) {
    const domain::Grid& grid = grid_of(field);
    require_inside(grid, box);
    if (values.size() != at(box.size[0] * box.size[1] * box.size[2]))
        throw core::InputError("the box has " + core::grouped(box.size[0] * box.size[1] * box.size[2]) + " cells, and there are " +
                               core::grouped(static_cast<long long>(values.size())) + " values");
    const double bound = bound_of(field.kernel().program().f64);
    const auto bad = std::find_if(values.begin(), values.end(), [bound](double value) { return !(std::abs(value) < bound); });
    if (bad != values.end()) throw core::InputError("a cell cannot be " + core::number_text(*bad) + " in this precision");
    std::vector<double> cells(at(grid.size[0]));
    each_row_of(grid, box, [&](Index row, std::size_t first) {
        field.kernel().read_row(field.state(), array, row, std::span<double>(cells));
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), box.size[0], cells.begin() + box.first[0]);
        field.kernel().write_row(field.state(), array, row, cells);
    });
}

}  // namespace mottle::field
