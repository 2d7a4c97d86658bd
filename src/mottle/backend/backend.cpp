// mottle/backend/backend.cpp: reductions and pictures of a kernel whose rows can be read, on all threads
#include "mottle/backend/backend.h"

#include "mottle/backend/surface_picture.h"
#include "mottle/core/numbers_in.h"

#include <algorithm>
#include <vector>

namespace mottle::backend {

using core::numbers_in;

namespace {

template <class Real>
RowReader<Real> reader(const Kernel& kernel, const State& state, ir::Array array) {
    return [&kernel, &state, array](Index row, std::span<Real> cells) { kernel.read_row(state, array, row, cells); };
}

}  // namespace

void Kernel::advance_all(std::span<const Advance> members) {
    for (const Advance& member : members) advance(*member.state, member.first_step, member.n, member.uniforms);
}

void Kernel::write_row_f32(State& state, ir::Array array, Index row, std::span<const float> cells) {
    const std::vector<double> wide(cells.begin(), cells.end());
    write_row(state, array, row, wide);
}

void Kernel::read_raw_row(const State& state, ir::Array array, Index row, std::span<std::byte> numbers) const {
    program().f64 ? read_row(state, array, row, numbers_in<double>(numbers)) : read_row(state, array, row, numbers_in<float>(numbers));
}

void Kernel::write_raw_row(State& state, ir::Array array, Index row, int lanes, std::span<const std::byte> numbers) {
    const auto write = [&]<class Real>(std::span<const Real> cells) {
        std::vector<Real> sorted;
        if (lanes > 1) {
            sorted.resize(cells.size());
            const std::size_t width = core::at(lanes), columns = cells.size() / width;
            for (std::size_t i = 0; i < cells.size(); ++i) sorted[i % width * columns + i / width] = cells[i];
            cells = sorted;
        }
        write_cells(*this, state, array, row, cells);
    };
    program().f64 ? write(numbers_in<double>(numbers)) : write(numbers_in<float>(numbers));
}

namespace {

RowsInFile rows_in_file(const domain::Domain& domain) {
    const Index length = domain::row_length(domain);
    return {domain::row_count(domain), length, [length](Index row) { return row * length; }};
}

/// At all vertices of a surface.
template <class Real>
std::vector<Real> values_of(const Kernel& kernel, const State& state, ir::Array array) {
    std::vector<Real> values(core::at(domain::row_length(kernel.domain())));
    kernel.read_row(state, array, 0, std::span<Real>(values));
    return values;
}

}  // namespace

void Kernel::read_vertices(const State& state, ir::Array array, std::span<const domain::Vertex> vertices,
                           std::span<std::byte> numbers) const {
    core::in_precision(program().f64, [&]<class Real>(Real) {
        const std::vector<Real> cells = values_of<Real>(*this, state, array);
        const std::span<Real> picked = numbers_in<Real>(numbers);
        for (std::size_t i = 0; i < vertices.size(); ++i) picked[i] = cells[core::at(vertices[i])];
    });
}

void Kernel::write_vertices(State& state, ir::Array array, std::span<const domain::Vertex> vertices, std::span<const std::byte> numbers) {
    core::in_precision(program().f64, [&]<class Real>(Real) {
        std::vector<Real> cells = values_of<Real>(*this, state, array);
        const std::span<const Real> given = numbers_in<Real>(numbers);
        for (std::size_t i = 0; i < vertices.size(); ++i) cells[core::at(vertices[i])] = given[i];
        write_cells(*this, state, array, 0, std::span<const Real>(cells));
    });
}

bool Kernel::fill_array(State&, ir::Array, const ir::Expression&, std::uint64_t) { return false; }

void Kernel::save_array(const State& state, ir::Array array, const CellFile& to) const {
    core::SharedFile file = core::SharedFile::open(to.path, core::SharedFile::Use::writes);
    core::in_precision(program().f64, [&]<class Real>(Real) {
        if (!to.of_mesh_file) return save_rows(file, to, rows_in_file(domain()), reader<Real>(*this, state, array), context_.team);
        const std::vector<domain::Vertex>& vertex_of = std::get<domain::Mesh>(domain()).surface->vertex_of;
        file.write(to.first, entries_of<Real>(to, values_of<Real>(*this, state, array), vertex_of));
    });
    file.close();
}

bool Kernel::load_array(State& state, ir::Array array, const CellFile& from) {
    const core::SharedFile file = core::SharedFile::open(from.path, core::SharedFile::Use::reads);
    return core::in_precision(program().f64, [&]<class Real>(Real) {
        const auto write = [&](Index row, std::span<const Real> cells) { write_cells(*this, state, array, row, cells); };
        return load_rows<Real>(file, from, rows_in_file(domain()), write, context_.team);
    });
}

namespace {

/// Rows as the kernel keeps them: all cells in some order, which sums and ranges do not depend on. Where cells have weights it is that of cells.
template <class Real>
RowReader<Real> raw_reader(const Kernel& kernel, const State& state, ir::Array array) {
    return [&kernel, &state, array](Index row, std::span<Real> numbers) {
        kernel.read_raw_row(state, array, row, std::as_writable_bytes(numbers));
    };
}

/// What `look` finds in the rows of an array: of a cell that is not finite the place among cells, too.
template <class Look>
auto look_at(const Kernel& kernel, const State& state, ir::Array array, const Look& look) {
    return core::in_precision(kernel.program().f64, [&]<class Real>(Real) {
        const auto found = look(raw_reader<Real>(kernel, state, array));
        return found.first_bad < 0 ? found : look(reader<Real>(kernel, state, array));
    });
}

}  // namespace

Range Kernel::range(const State& state, ir::Array array) const {
    const Index rows = domain::row_count(domain()), length = domain::row_length(domain());
    return look_at(*this, state, array, [&](const auto& read) { return range_of_rows(rows, length, read, team()); });
}

Statistics Kernel::reduce(const State& state, ir::Array array) const {
    const Index rows = domain::row_count(domain()), length = domain::row_length(domain());
    return look_at(*this, state, array,
                   [&](const auto& read) { return statistics_of_rows(rows, length, read, team(), domain::measures(domain())); });
}

std::optional<double> Kernel::sum(const State& state, ir::Array array) const {
    const Index rows = domain::row_count(domain()), length = domain::row_length(domain());
    return core::in_precision(program().f64, [&]<class Real>(Real) {
        return sum_of_rows(rows, length, raw_reader<Real>(*this, state, array), team(), domain::measures(domain()));
    });
}

namespace {

// Both states keep their rows in one order, and weights are there only where that is the order of cells.
template <class Real>
void add_squares(const Kernel& kernel, const State& a, const State& b, ir::Array array, core::Share rows, CellSum& sum) {
    const std::size_t length = core::at(domain::row_length(kernel.domain()));
    const std::span<const double> weights = domain::measures(kernel.domain());
    std::vector<Real> first(length), second(length);
    std::vector<double> squares(length);
    for (Index row = rows.first; row < rows.end; ++row) {
        kernel.read_raw_row(a, array, row, std::as_writable_bytes(std::span(first)));
        kernel.read_raw_row(b, array, row, std::as_writable_bytes(std::span(second)));
        for (std::size_t i = 0; i < length; ++i) {
            const double difference = static_cast<double>(first[i]) - static_cast<double>(second[i]);
            squares[i] = difference * difference;
        }
        weights.empty() ? sum.add(squares) : sum.add_weighted(squares, weights.subspan(core::at(row) * length, length));
    }
}

}  // namespace

double Kernel::mean_square_of_difference(const State& a, const State& b, ir::Array array) const {
    const Index rows = domain::row_count(domain()), count = domain::cell_count(domain()), workers = context_.team.size();
    const std::span<const double> weights = domain::measures(domain());
    const double heaviest = weights.empty() ? 1 : *std::max_element(weights.begin(), weights.end());
    const double sum = differences_.sum(core::at(array), count, heaviest, context_.team, [&](int worker, CellSum& share) {
        const core::Share own = core::share_of(rows, worker, workers);
        program().f64 ? add_squares<double>(*this, a, b, array, own, share) : add_squares<float>(*this, a, b, array, own, share);
    });
    return sum / whole_of(count, weights);
}

void Kernel::copy_fields(State& to, const State& from) { copy(to, from, ir::ArrayInfo::Kind::state); }

void Kernel::copy_maps(State& to, const State& from) { copy(to, from, ir::ArrayInfo::Kind::input); }

void Kernel::copy(State& to, const State& from, ir::ArrayInfo::Kind kind) {
    const Index rows = domain::row_count(domain()), workers = context_.team.size();
    context_.team.run([&](int worker) {
        std::vector<std::byte> numbers(core::at(domain::row_length(domain())) * (program().f64 ? sizeof(double) : sizeof(float)));
        const auto [first, end] = core::share_of(rows, worker, workers);
        for (Index row = first; row < end; ++row) {
            for (ir::Array array = 0; array < static_cast<ir::Array>(program().arrays.size()); ++array) {
                const bool between = kind == ir::ArrayInfo::Kind::state && array >= program().field_count();
                if (program().arrays[core::at(array)].kind != kind || between) continue;
                read_raw_row(from, array, row, numbers);
                write_raw_row(to, array, row, row_lanes(), numbers);
            }
        }
    });
}

void Kernel::draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const {
    const Index rows = picture_lines(picture, domain()).count;
    const int workers = context_.team.size();
    const RowReader<float> read = reader<float>(*this, state, picture.array);
    // Shares begin on even rows: 4:2:0 halves the colour of two rows at a time.
    auto boundary = [&](int worker) { return worker == workers ? rows : rows * worker / workers / 2 * 2; };
    context_.team.run([&](int worker) {
        const Index first = boundary(worker), last = boundary(worker + 1);
        if (first < last) draw_rows(picture, domain(), first, last, read, out);
    });
}

std::function<void()> Kernel::begin_draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const {
    draw(state, picture, out);
    return {};
}

std::unique_ptr<SurfacePainter> Kernel::create_surface_painter(const SurfaceSight&) const { return nullptr; }

}  // namespace mottle::backend
