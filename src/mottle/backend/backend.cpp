// mottle/backend/backend.cpp: reductions and pictures of a kernel whose rows can be read, on all threads
#include "mottle/backend/backend.h"

#include "mottle/backend/surface_picture.h"

namespace mottle::backend {
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

Range Kernel::range(const State& state, ir::Array array) const {
    const Index rows = domain::row_count(domain()), length = domain::row_length(domain());
    if (program().f64) return range_of_rows(rows, length, reader<double>(*this, state, array), context_.team);
    return range_of_rows(rows, length, reader<float>(*this, state, array), context_.team);
}

Statistics Kernel::reduce(const State& state, ir::Array array) const {
    const Index rows = domain::row_count(domain()), length = domain::row_length(domain());
    const std::span<const double> weights = domain::measures(domain());
    if (program().f64) return statistics_of_rows(rows, length, reader<double>(*this, state, array), context_.team, weights);
    return statistics_of_rows(rows, length, reader<float>(*this, state, array), context_.team, weights);
}

double Kernel::sum(const State& state, ir::Array array) const {
    const Index rows = domain::row_count(domain()), length = domain::row_length(domain());
    const std::span<const double> weights = domain::measures(domain());
    if (program().f64) return sum_of_rows(rows, length, reader<double>(*this, state, array), context_.team, weights);
    return sum_of_rows(rows, length, reader<float>(*this, state, array), context_.team, weights);
}

void Kernel::draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const {
    const Index rows = domain::row_count(domain());
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
