// mottle/backend/cpu/mesh/kernel.h: a Program on a mesh compiled for the CPU: parts, rings, and the skewed wavefront over them
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/cell_sum.h"
#include "mottle/backend/cpu/mesh/cut.h"
#include "mottle/backend/cpu/mesh/emit_mesh.h"
#include "mottle/backend/cpu/mesh/layout.h"
#include "mottle/backend/cpu/compile/object_code.h"
#include "mottle/backend/cpu/mesh/slice_kernel.h"

#include <memory>
#include <vector>

namespace mottle::backend::cpu {

class MeshKernel final : public ProgramKernel {
   public:
    MeshKernel(const ir::Program& program, const domain::Domain& domain, const MeshSchedule& request, const Isa& isa,
               core::Context& context);
    ~MeshKernel() override;

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;
    void read_vertices(const State& state, ir::Array array, std::span<const domain::Vertex> vertices,
                       std::span<std::byte> numbers) const override;
    void write_vertices(State& state, ir::Array array, std::span<const domain::Vertex> vertices,
                        std::span<const std::byte> numbers) override;
    std::optional<double> sum(const State& state, ir::Array array) const override;

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    class MeshState;
    struct Level;
    struct Share;

    void pack(const MeshCut& cut);
    void connect_ghosts();
    double ghost_share() const;
    void advance_shared(MeshState& state, int worker, Index first_step, Index n);
    void advance_parts(MeshState& state, int worker, Index first_step, Index n);
    void sweep(MeshState& state, std::size_t part, Index first, Index first_step, int steps);
    void fetch_ahead(const PartLayout& part, const Level& level, int s, Share share) const;
    void exchange(MeshState& state, std::size_t part, int parity) const;
    Level level(const MeshState& state, std::size_t part, Index done, Index first_step, int stage, int parity) const;
    void run(const Level& level, const PartLayout& part, std::int32_t ring, std::int32_t first, std::int32_t slices, const char* prefetch,
             std::int64_t lines) const;
    template <class Real, class Out>
    void read(const MeshState& state, ir::Array array, std::span<Out> cells) const;
    /// Where the owner of a vertex keeps its value. `place`: that of the column in words (MeshPlan::place).
    template <class Real>
    Real& value(const MeshState& state, MeshPlan::Place place, std::size_t vertex) const;
    template <class Real>
    void sum_share(const MeshState& state, ir::Array array, int worker, CellSum& sum) const;
    template <class Real>
    void write(MeshState& state, Column column, std::span<const double> cells) const;

    const domain::MeshOperators& rows_;
    Isa isa_;
    MeshPlan plan_;
    int lanes_;
    bool wide_ = false;
    MeshCut cut_;
    std::vector<PartLayout> parts_;
    std::vector<int> thread_of_;                   ///< by part
    std::vector<std::int32_t> part_of_, slot_of_;  ///< by vertex: where its owner keeps it
    std::vector<std::int32_t> shares_;             ///< shared: first slice of each thread; size threads + 1
    std::unique_ptr<ObjectCode> code_;
    std::vector<SliceFunction> stages_;
    SliceFunction flush_ = nullptr;
    NumberTable number_table_;
    mutable CellSums sums_;
    NumberRows numbers_;
    int numbers_stages_ = 1;  ///< UniformTable::stages
    ScalarFunctions scalar_;
    std::vector<std::vector<Level>> levels_;  ///< by part: of the pass in progress
};

}  // namespace mottle::backend::cpu
