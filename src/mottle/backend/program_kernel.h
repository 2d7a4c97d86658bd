// mottle/backend/program_kernel.h: what kernels of every kind have in common: a Program, a domain and a schedule of their own, and how rows are read
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mottle::backend {

/// A row that is read, in the precision of who asks.
using ReadCells = std::variant<std::span<float>, std::span<double>>;

class ProgramKernel : public Kernel {
   public:
    const ir::Program& program() const final { return program_; }
    const domain::Domain& domain() const final { return domain_; }
    const Schedule& schedule() const final { return schedule_; }
    void read_row(const State& state, ir::Array array, Index row, std::span<float> cells) const final {
        read_cells(state, array, row, cells);
    }
    void read_row(const State& state, ir::Array array, Index row, std::span<double> cells) const final {
        read_cells(state, array, row, cells);
    }

   protected:
    ProgramKernel(const ir::Program& program, const domain::Domain& domain, Schedule schedule, core::Context& context)
        : Kernel(context), program_(program), domain_(domain), schedule_(schedule) {}
    virtual void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const = 0;

    ir::Program program_;
    domain::Domain domain_;
    Schedule schedule_;
};

/// Fills `cells` by read(std::span<Real>), in the precision of a kernel, whose numbers are rounded once where another one is asked for.
template <class Read>
void read_rounded(bool f64, const ReadCells& cells, const Read& read) {
    const auto fill = [&]<class Out>(std::span<Out> out) {
        using Other = std::conditional_t<std::is_same_v<Out, double>, float, double>;
        if (f64 == std::is_same_v<Out, double>) return read(out);
        std::vector<Other> own(out.size());
        read(std::span<Other>(own));
        std::transform(own.begin(), own.end(), out.begin(), [](Other x) { return ir::round_to<Out>(x); });
    };
    std::visit(fill, cells);
}

}  // namespace mottle::backend
