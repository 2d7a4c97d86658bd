// mottle/backend/cuda/device/device_kernel.h: what kernels on grids and on meshes have in common: states on a device, passes, and what is read out of them
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/cuda/device/recordings.h"
#include "mottle/backend/cuda/read_out/statistics.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace mottle::backend::cuda {

class DeviceKernel : public ProgramKernel {
   public:
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) final;
    /// Advances the states one after another, and waits once at the end.
    void advance_all(std::span<const Advance> members) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) final;
    /// Statistics are made on the device: only their numbers come back.
    Range range(const State& state, ir::Array array) const final;
    Statistics reduce(const State& state, ir::Array array) const final;
    std::optional<double> sum(const State& state, ir::Array array) const final;

   protected:
    struct DeviceState final : State {
        std::deque<MirroredArray> arrays;
    };
    /// Where the cells of a row stand in an array of a state: number i at `first` + i * `stride` is cell `order[i]`, or cell i where there is no order.
    struct Places {
        std::size_t array, first, stride;
        std::span<const domain::Vertex> order = {};
    };

    DeviceKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule, std::shared_ptr<Device> device,
                 core::Context& context);
    virtual Places places_of(ir::Array array, Index row) const = 0;
    /// An array of a state, as it is on the device.
    virtual DeviceCells cells_of(const State& state, ir::Array array) const = 0;
    /// Launches the steps of one state; waits for none, unless the kernel is persistent.
    virtual void launch_all(DeviceState& state, const Advance& advance) = 0;
    virtual void run_pass(DeviceState& state, const Pass& pass, const UniformTable& uniforms) = 0;
    /// What a pass does to the copies of the arrays.
    virtual void flip(DeviceState& state, const Pass& pass) const = 0;
    /// Launches the steps that follow the first `made`, in passes of up to `steps`.
    void run_passes(DeviceState& state, const Advance& advance, Index made, int steps);
    /// What a state holds does not change when it is looked at, but where a copy of it lies does.
    static MirroredArray& array_of(const State& state, std::size_t array);
    /// In the precision of the Program.
    Memory upload_numbers(std::span<const double> numbers) const;

    std::shared_ptr<Device> device_;
    std::size_t cell_bytes_;
    std::vector<std::byte> numbers_;  ///< of the pass in progress

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const final;

    Recordings recordings_;
    mutable DeviceStatistics statistics_;
};

}  // namespace mottle::backend::cuda
