// mottle/backend/cuda/mesh/kernel.h: a Program on a mesh, run by a CUDA device
#pragma once
#include "mottle/backend/cuda/device/device_kernel.h"
#include "mottle/backend/cuda/mesh/cut.h"
#include "mottle/backend/cuda/mesh/rows.h"
#include "mottle/backend/cuda/mesh/stage.h"
#include "mottle/backend/cuda/read_out/surface.h"

#include <cstddef>
#include <map>
#include <vector>

namespace mottle::backend::cuda {

class CudaMeshKernel final : public DeviceKernel {
   public:
    CudaMeshKernel(const ir::Program& program, const domain::Domain& domain, const CardMeshSchedule& request,
                   std::shared_ptr<Device> device, core::Context& context);

    std::unique_ptr<State> create_state() override;
    /// On the device.
    std::unique_ptr<SurfacePainter> create_surface_painter(const SurfaceSight& sight) const override;

   private:
    /// The first array of a state holds all fields, interleaved; then one for each held array and map.
    Places places_of(ir::Array array, Index row) const override;
    DeviceCells cells_of(const State& state, ir::Array array) const override;
    void launch_all(DeviceState& state, const Advance& advance) override;
    void run_pass(DeviceState& state, const Pass& pass, const UniformTable& uniforms) override;
    void flip(DeviceState& state, const Pass& pass) const override;
    /// `values`, one per vertex, in the order in which vertices lie on the device.
    std::vector<double> ordered(std::span<const double> values) const;
    void upload_rows(const MeshRows& rows, bool wide);
    const ir::Sweep& sweep_of(const Pass& pass) const;
    bool stores_states(const ir::Stage& stage) const;
    /// One of the kernels; `size`: its Shape.
    void launch(std::size_t kernel, DeviceState& state, int size, Index blocks);

    MeshCut cut_;
    MeshLayout layout_;
    std::vector<Vertex> order_;
    Index patches_ = 0;  ///< 0: a launch per stage
    Memory slices_, valences_, neighbours_, weights_, records_, ghosts_;
    mutable Memory vertices_,
        measures_;                ///< of each position: its vertex and that vertex's area; computed on first use
    std::map<int, Memory> axes_;  ///< by ir::Axis
    LoadedText text_;
};

}  // namespace mottle::backend::cuda
