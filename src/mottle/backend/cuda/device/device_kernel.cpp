// mottle/backend/cuda/device/device_kernel.cpp: passes over states on a device, and what is read out of them
#include "mottle/backend/cuda/device/device_kernel.h"

#include "mottle/core/numbers_in.h"
#include "mottle/ir/program/evaluate.h"

#include <cstring>

namespace mottle::backend::cuda {

DeviceKernel::DeviceKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                           std::shared_ptr<Device> device, core::Context& context)
    : ProgramKernel(program, domain, schedule, context),
      device_(std::move(device)),
      cell_bytes_(program.f64 ? 8 : 4),
      recordings_(device_),
      statistics_(device_, program.f64, context.cache) {
    check_numbers(program);
}

void DeviceKernel::advance(State& state, Index first_step, Index n, UniformTable uniforms) {
    const Advance alone{&state, first_step, n, uniforms};
    advance_all({&alone, 1});
}

void DeviceKernel::advance_all(std::span<const Advance> members) {
    for (const Advance& member : members) {
        if (member.n > 0) launch_all(static_cast<DeviceState&>(*member.state), member);
    }
    device_->wait();
}

void DeviceKernel::run_passes(DeviceState& state, const Advance& advance, Index made, int steps) {
    std::vector<Pass> passes = passes_of(program_, advance.first_step + made, advance.n - made, steps, advance.uniforms.stages);
    for (Pass& pass : passes) pass.first += made;
    for (MirroredArray& array : state.arrays) array.send_to_steps();
    recordings_.make(
        program_, domain::cell_count(domain_), passes, advance.uniforms, state.arrays,
        [&](const Pass& pass) { run_pass(state, pass, advance.uniforms); }, [&](const Pass& pass) { flip(state, pass); });
}

// ---- statistics

Range DeviceKernel::range(const State& state, ir::Array array) const { return statistics_.range(cells_of(state, array)); }

std::optional<double> DeviceKernel::sum(const State& state, ir::Array array) const {
    return statistics_.sum(cells_of(state, array), domain::measures(domain_));
}

Statistics DeviceKernel::reduce(const State& state, ir::Array array) const {
    return statistics_.statistics(cells_of(state, array), domain::measures(domain_));
}

// ---- cells

MirroredArray& DeviceKernel::array_of(const State& state, std::size_t array) {
    return const_cast<DeviceState&>(static_cast<const DeviceState&>(state)).arrays[array];
}

Memory DeviceKernel::upload_numbers(std::span<const double> numbers) const {
    return core::in_precision(program_.f64, [&]<class Real>(Real) {
        std::vector<Real> rounded;
        for (const double number : numbers) rounded.push_back(ir::round_to<Real>(number));
        return upload(device_, rounded);
    });
}

void DeviceKernel::read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const {
    const Places places = places_of(array, row);
    const domain::Vertex* const order = places.order.data();
    const std::byte* const from = array_of(state, places.array).read() + places.first * cell_bytes_;
    const auto read = [&]<class Out, class Real>(std::span<Out> out, Real cell) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::memcpy(&cell, from + i * places.stride * sizeof cell, sizeof cell);
            Out& to = out[order ? core::at(order[i]) : i];
            if constexpr (std::is_same_v<Real, double>)
                to = ir::round_to<Out>(cell);
            else
                to = static_cast<Out>(cell);
        }
    };
    std::visit([&](auto out) { core::in_precision(program_.f64, [&](auto real) { read(out, real); }); }, cells);
}

void DeviceKernel::write_row(State& state, ir::Array array, Index row, std::span<const double> cells) {
    const Places places = places_of(array, row);
    const domain::Vertex* const order = places.order.data();
    std::byte* const to = array_of(state, places.array).write() + places.first * cell_bytes_;
    core::in_precision(program_.f64, [&]<class Real>(Real) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Real cell = ir::round_to<Real>(cells[order ? core::at(order[i]) : i]);
            std::memcpy(to + i * places.stride * sizeof cell, &cell, sizeof cell);
        }
    });
}

}  // namespace mottle::backend::cuda
