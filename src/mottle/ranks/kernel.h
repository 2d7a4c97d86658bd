// mottle/ranks/kernel.h: a kernel whose cells are spread over all ranks, as rank 0 sees it
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/hiding.h"
#include "mottle/ranks/part.h"
#include "mottle/ranks/requests.h"

#include <functional>
#include <memory>
#include <vector>

namespace mottle::ranks {

class RanksState;

class RanksKernel final : public backend::Kernel {
   public:
    /// Compiles on all ranks: `request_for` makes the request of each other rank, and `make_own` the part of this one.
    /// Throws: Error of the lowest rank that has one.
    RanksKernel(const ir::Program& program, const domain::Domain& domain, Hiding hiding, core::Context& context, Link& link,
                const std::function<CompileRequest(int rank)>& request_for, const std::function<std::unique_ptr<Part>()>& make_own);
    ~RanksKernel() override;

    const ir::Program& program() const override { return program_; }
    const domain::Domain& domain() const override { return domain_; }
    const backend::Schedule& schedule() const override { return schedule_; }
    std::optional<int> operations_per_cell() const override { return part_->kernel().operations_per_cell(); }

    std::unique_ptr<backend::State> create_state() override;
    void advance(backend::State& state, Index first_step, Index n, backend::UniformTable uniforms) override;
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<float> cells) const override;
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<double> cells) const override;
    void write_row(backend::State& state, ir::Array array, Index row, std::span<const double> cells) override;
    bool fill_array(backend::State& state, ir::Array array, const ir::Expression& expression, std::uint64_t seed) override;
    bool is_distributed() const override { return true; }
    bool settle() const override;
    void save_array(const backend::State& state, ir::Array array, const backend::CellFile& to) const override;
    bool load_array(backend::State& state, ir::Array array, const backend::CellFile& from) override;
    void draw(const backend::State& state, const backend::Picture& picture, std::span<std::uint8_t> out) const override;
    backend::Range range(const backend::State& state, ir::Array array) const override;
    backend::Statistics reduce(const backend::State& state, ir::Array array) const override;
    std::optional<double> sum(const backend::State& state, ir::Array array) const override;
    double mean_square_of_difference(const backend::State& a, const backend::State& b, ir::Array array) const override;

   protected:
    void copy(backend::State& to, const backend::State& from, ir::ArrayInfo::Kind kind) override;

   private:
    template <class Real>
    void copy_row(const backend::State& state, ir::Array array, Index row, std::span<Real> cells) const;
    /// Rows first .. end - 1 from the ranks that own them.
    Bytes fetch(const RanksState& state, ir::Array array, Index first, Index end) const;
    /// Does with a file what `own` does, as the other ranks were told to; what all say of it. Throws: as work_and_hear.
    FileAnswer work_on_file(const FileRequest& request, core::SharedFile::Use use,
                            const std::function<bool(const core::SharedFile& file)>& own) const;
    SumShare sum_of_all(const RanksState& state, ir::Array array, const SumTerms& terms, const RanksState* minus = nullptr) const;
    /// `sum_of`: the share of all ranks, of terms that are split as `sums` expects.
    double exact_sum(backend::CellSums& sums, ir::Array array, const std::function<SumShare(const SumTerms& terms)>& sum_of) const;

    Link& link_;
    std::int32_t number_;
    ir::Program program_;
    domain::Domain domain_;
    std::unique_ptr<Part> part_;
    backend::Schedule schedule_;
    HidingChoice hiding_;
    double heaviest_ = 1;                       ///< the largest area of a vertex
    mutable backend::CellSums sums_, squares_;  ///< of arrays, and of squares of differences
};

}  // namespace mottle::ranks
