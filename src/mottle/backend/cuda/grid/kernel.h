// mottle/backend/cuda/grid/kernel.h: a Program on a grid, run by a CUDA device
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/backend/cuda/device/device.h"
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/backend/cuda/grid/ensemble.h"
#include "mottle/backend/cuda/read_out/frames.h"
#include "mottle/backend/cuda/device/memory.h"
#include "mottle/backend/cuda/grid/persistent.h"
#include "mottle/backend/cuda/device/recordings.h"
#include "mottle/backend/cuda/read_out/statistics.h"

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mottle::backend::cuda {

class CudaKernel final : public ProgramKernel {
   public:
    CudaKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& request, std::shared_ptr<Device> device,
               core::Context& context);

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    /// Small planes advance in one launch, a block each, where that is predicted to be faster than one after another.
    void advance_all(std::span<const Advance> members) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;
    /// Statistics and pictures are made on the device: only their numbers and bytes come back.
    Range range(const State& state, ir::Array array) const override;
    Statistics reduce(const State& state, ir::Array array) const override;
    std::optional<double> sum(const State& state, ir::Array array) const override;
    void draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const override;
    std::function<void()> begin_draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const override;

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    struct CudaState final : State {
        std::deque<MirroredArray> arrays;
    };
    struct Entry {
        Function function;
        std::vector<Argument> arguments;
    };
    struct Loaded {
        std::unique_ptr<Module> module;
        std::vector<Entry> entries;
    };

    /// The kernels of a pass of `steps` steps; 0: those of single stages.
    Loaded& module_for(int steps, bool flush);
    void run_plane(CudaState& state, const Loaded& loaded, int steps);
    void run_volume(CudaState& state, const Loaded& loaded, int steps);
    void run_pass(CudaState& state, const Pass& pass, const UniformTable& uniforms);
    /// Launches the steps of one state; waits for none, unless the kernel is persistent.
    void launch_all(const Advance& advance);
    bool together_is_faster(Index members) const;
    /// Whether the persistent kernel makes this many steps.
    bool stays_for(Index steps) const;
    void flip(CudaState& state) const;
    void run_stages(CudaState& state, const Pass& pass);
    void launch(const Entry& entry, CudaState& state, Parameter shape, Index blocks, unsigned threads);
    void upload_axes();
    /// How often an array lies in memory: twice if a pass reads one copy and writes the other; not at all if a pass holds it in registers.
    std::size_t copies_of(std::size_t array) const;
    std::size_t row_offset(Index row) const { return core::at(row * pitch_) * cell_bytes_; }
    std::size_t array_bytes() const { return row_offset(domain::row_count(domain_)); }
    /// An array of a state, as it is on the device.
    DeviceCells cells_of(const State& state, ir::Array array) const;
    template <class Out>
    void copy_row(const State& state, ir::Array array, Index row, std::span<Out> cells) const;

    StepPlan plan_;
    domain::Grid grid_;
    std::shared_ptr<Device> device_;
    Cut cut_;
    std::size_t cell_bytes_;
    Index pitch_;                             ///< cells from one row to the next
    std::array<Memory, ir::kGridAxes> axes_;  ///< by ir::Axis
    std::map<std::pair<int, bool>, Loaded> modules_;
    Recordings recordings_;
    Ensemble ensemble_;
    Persistent persistent_;
    bool waits_in_vain_ = false;  ///< blocks of the persistent kernel have waited for each other in vain
    bool asked_;                  ///< the schedule says how each state advances
    mutable DeviceStatistics statistics_;
    mutable FramePainter painter_;
    std::vector<std::byte> numbers_;  ///< of the pass in progress
};

}  // namespace mottle::backend::cuda
