// mottle/backend/cpu/plane/kernel.h: a Program compiled for the CPU, and the bands that hold its fields
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/cell_sum.h"
#include "mottle/backend/cpu/plane/band.h"
#include "mottle/backend/cpu/plane/cut.h"
#include "mottle/backend/cpu/compile/memory.h"
#include "mottle/backend/cpu/emit/operation_count.h"

#include <memory>
#include <optional>
#include <vector>

namespace mottle::backend::cpu {

class CpuState;

class PlaneKernel final : public ProgramKernel {
   public:
    PlaneKernel(const ir::Program& program, const domain::Domain& domain, const PlaneSchedule& request, const Isa& isa,
                core::Context& context);

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;
    void write_row_f32(State& state, ir::Array array, Index row, std::span<const float> cells) override;
    int row_lanes() const override { return cut_.strips.whole() ? cut_.strips.strips[0].layout.raw_lanes() : 1; }
    void read_raw_row(const State& state, ir::Array array, Index row, std::span<std::byte> numbers) const override;
    void write_raw_row(State& state, ir::Array array, Index row, int lanes, std::span<const std::byte> numbers) override;
    std::optional<double> sum(const State& state, ir::Array array) const override;
    std::optional<int> operations_per_cell() const override { return operations_of(program_, false); }

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    template <class Real>
    void refresh_side_ghosts(Band& band, const NumberRows& numbers) const;
    /// Cells of a whole row in the kernel's precision as they are: those of the band's strip.
    template <class Real>
    void put(Band& band, ir::Array array, Index y, std::span<const Real> cells) const;
    /// Calls `work(band, y)` for the strips of a row that holds cells of its own.
    template <class Work>
    void for_strips_of(State& state, ir::Array array, Index row, const Work& work);
    template <class Real>
    void sum_band(const Band& band, ir::Array array, CellSum& sum) const;
    std::optional<double> made_sum(const CpuState& state, ir::Array array) const;
    template <class Real>
    void read(const State& state, ir::Array array, Index row, std::span<Real> cells) const;
    void make_axis_tables();
    void add_x_tables(std::vector<AxisTables>& tables);
    void add_row_tables(AxisTables& tables);
    void advance_bands(CpuState& state, const Band::Launch& launch, const Band::Pass& pass, std::size_t strip, int worker) const;
    std::pair<std::size_t, std::size_t> bands_of(int worker, std::size_t bands) const;

    const domain::Grid& grid_;
    Plan plan_;
    NumberTable number_table_;
    std::vector<ir::Array> summed_;  ///< of which steps leave the sums
    mutable CellSums sums_;
    Cut cut_;
    Variants variants_;
    NumberRows numbers_;
    std::vector<Memory> axis_memory_;                 ///< x tables, by strip
    std::vector<std::vector<std::byte>> row_tables_;  ///< y and z tables, for all bands
    std::vector<AxisTables> axis_tables_;             ///< by strip

   public:
    ~PlaneKernel() override;
};

}  // namespace mottle::backend::cpu
