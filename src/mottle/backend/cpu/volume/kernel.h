// mottle/backend/cpu/volume/kernel.h: a Program compiled for grids of three dimensions on the CPU
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/cell_sum.h"
#include "mottle/backend/cpu/emit/operation_count.h"
#include "mottle/backend/cpu/plane/cut.h"
#include "mottle/backend/cpu/volume/slab.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace mottle::backend::cpu {

struct VolumeState;

class VolumeKernel final : public ProgramKernel {
   public:
    VolumeKernel(const ir::Program& program, const domain::Domain& domain, const VolumeSchedule& request, const Isa& isa,
                 core::Context& context);

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;
    void write_row_f32(State& state, ir::Array array, Index row, std::span<const float> cells) override;
    int row_lanes() const override { return layout_.raw_lanes(); }
    void read_raw_row(const State& state, ir::Array array, Index row, std::span<std::byte> numbers) const override;
    void write_raw_row(State& state, ir::Array array, Index row, int lanes, std::span<const std::byte> numbers) override;
    std::optional<double> sum(const State& state, ir::Array array) const override;
    std::optional<int> operations_per_cell() const override { return operations_of(program_, true); }

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    template <class Real>
    void refresh_side_ghosts(Slab& slab, const NumberRows& numbers) const;
    /// Writes a row of the kernel's precision.
    template <class Real>
    void put(State& state, ir::Array array, Index row, std::span<const Real> cells) const;
    std::byte* find_row(const State& state, ir::Array array, Index row) const;
    void make_axis_tables();
    SlabShape shape_of(int part) const;
    void sweep(const VolumeState& state, const core::Share& own, std::uint64_t before) const;

    const domain::Grid& grid_;
    Plan plan_;
    NumberTable number_table_;
    mutable CellSums sums_;
    Cut cut_;
    Variants variants_;
    const RowLayout& layout_;
    std::vector<Memory> tables_;                          ///< of coordinates
    std::array<const std::byte*, ir::kGridAxes> axes_{};  ///< where they begin, by ir::Axis
};

}  // namespace mottle::backend::cpu
