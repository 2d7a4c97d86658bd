// mottle/backend/cuda/grid/kernel.h: a Program on a grid, run by a CUDA device
#pragma once
#include "mottle/backend/cuda/device/device_kernel.h"
#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/backend/cuda/grid/ensemble.h"
#include "mottle/backend/cuda/read_out/frames.h"
#include "mottle/backend/cuda/grid/persistent.h"

#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace mottle::backend::cuda {

class CudaKernel final : public DeviceKernel {
   public:
    CudaKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& request, std::shared_ptr<Device> device,
               core::Context& context);

    std::unique_ptr<State> create_state() override;
    /// Small planes advance in one launch, a block each, where that is predicted to be faster than one after another.
    void advance_all(std::span<const Advance> members) override;
    /// Pictures are made on the device: only their bytes come back.
    void draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const override;
    std::function<void()> begin_draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const override;

   private:
    Places places_of(ir::Array array, Index row) const override;
    DeviceCells cells_of(const State& state, ir::Array array) const override;
    void launch_all(DeviceState& state, const Advance& advance) override;
    void run_pass(DeviceState& state, const Pass& pass, const UniformTable& uniforms) override;
    void flip(DeviceState& state, const Pass& pass) const override;
    /// The kernels of a pass of `steps` steps; 0: those of single stages.
    const LoadedText& text_for(int steps, bool flush);
    void run_plane(DeviceState& state, const LoadedText& text, int steps);
    void run_volume(DeviceState& state, const LoadedText& text, int steps);
    bool together_is_faster(Index members) const;
    /// Whether the persistent kernel makes this many steps.
    bool stays_for(Index steps) const;
    void run_stages(DeviceState& state, const Pass& pass);
    void launch(const LoadedText::Kernel& kernel, DeviceState& state, Parameter shape, Index blocks, unsigned threads);
    /// How often an array lies in memory: twice if a pass reads one copy and writes the other; not at all if a pass holds it in registers.
    std::size_t copies_of(std::size_t array) const;
    std::size_t array_bytes() const { return core::at(domain::row_count(domain_) * pitch_) * cell_bytes_; }

    StepPlan plan_;
    domain::Grid grid_;
    Cut cut_;
    Index pitch_;                             ///< cells from one row to the next
    std::array<Memory, ir::kGridAxes> axes_;  ///< by ir::Axis
    std::map<std::pair<int, bool>, LoadedText> texts_;
    Ensemble ensemble_;
    Persistent persistent_;
    bool waits_in_vain_ = false;  ///< blocks of the persistent kernel have waited for each other in vain
    bool asked_;                  ///< the schedule says how each state advances
    mutable FramePainter painter_;
};

}  // namespace mottle::backend::cuda
