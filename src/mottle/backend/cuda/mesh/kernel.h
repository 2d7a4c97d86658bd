// mottle/backend/cuda/mesh/kernel.h: a Program on a mesh, run by a CUDA device
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/cuda/device/memory.h"
#include "mottle/backend/cuda/mesh/cut.h"
#include "mottle/backend/cuda/mesh/rows.h"
#include "mottle/backend/cuda/mesh/stage.h"
#include "mottle/backend/cuda/device/recordings.h"
#include "mottle/backend/cuda/read_out/statistics.h"
#include "mottle/backend/cuda/read_out/surface.h"

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

namespace mottle::backend::cuda {

class CudaMeshKernel final : public ProgramKernel {
   public:
    CudaMeshKernel(const ir::Program& program, const domain::Domain& domain, const CardMeshSchedule& request,
                   std::shared_ptr<Device> device, core::Context& context);

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    /// Advances the states one after another, and waits once at the end.
    void advance_all(std::span<const Advance> members) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;
    /// On the device.
    Range range(const State& state, ir::Array array) const override;
    Statistics reduce(const State& state, ir::Array array) const override;
    std::optional<double> sum(const State& state, ir::Array array) const override;
    std::unique_ptr<SurfacePainter> create_surface_painter(const SurfaceSight& sight) const override;

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    /// The first array holds all fields, interleaved; then one for each held array and map.
    struct MeshState final : State {
        std::deque<MirroredArray> arrays;
    };
    /// The address of the value of a vertex.
    struct Place {
        std::size_t array, stride, first;
    };

    void upload_rows(const MeshRows& rows, bool wide);
    template <class Real>
    void upload_weights(const MeshRows& rows);
    template <class Real>
    void upload_axes();
    template <class Element>
    Memory upload(const std::vector<Element>& elements) const;
    /// Launches the steps of one state and waits for none.
    void launch_all(const Advance& advance);
    void run_pass(MeshState& state, const Pass& pass);
    void flip(MeshState& state, const Pass& pass) const;
    const ir::Sweep& sweep_of(const Pass& pass) const;
    bool stores_states(const ir::Stage& stage) const;
    /// One of the kernels; `size`: its Shape.
    void launch(std::size_t kernel, MeshState& state, int size, Index blocks);
    Place place_of(ir::Array array) const;
    /// An array of a state, as it is on the device.
    DeviceCells cells_of(const State& state, ir::Array array) const;
    template <class Out>
    void copy_row(const State& state, ir::Array array, std::span<Out> cells) const;

    std::shared_ptr<Device> device_;
    MeshCut cut_;
    MeshLayout layout_;
    std::size_t cell_bytes_;
    std::vector<Vertex> order_;
    Index patches_ = 0;  ///< 0: a launch per stage
    Memory slices_, valences_, neighbours_, weights_, records_, ghosts_;
    mutable Memory vertices_,
        measures_;  ///< of each position: its vertex and that vertex's area; computed on first use
    mutable DeviceStatistics statistics_;
    std::map<int, Memory> axes_;  ///< by ir::Axis
    ModuleText text_;
    std::unique_ptr<Module> module_;
    std::vector<Function> functions_;  ///< of text_.kernels
    std::vector<std::byte> numbers_;
    Recordings recordings_;
};

}  // namespace mottle::backend::cuda
