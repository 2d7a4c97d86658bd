// mottle/ranks/backend.cpp: rank 0's side: a backend whose kernels are spread over all ranks
#include "mottle/ranks/backend.h"

#include "mottle/core/error.h"
#include "mottle/domain/mesh/piece.h"
#include "mottle/ranks/grid_part.h"
#include "mottle/ranks/kernel.h"
#include "mottle/ranks/surface_part.h"

namespace mottle::ranks {

void Link::tell_all(const Bytes& message) {
    for (int rank = 1; rank < transport_.count(); ++rank) transport_.send(rank, channel::command, message);
}

void Link::forget(Command command, int number) {
    if (broken_ || ended_) return;
    const auto lock = this->lock();
    tell_all(pack_all(command, std::int32_t{number}));
}

void Link::end(int code) {
    if (ended_.exchange(true)) return;
    if (broken_) return transport_.end_all(code);
    tell_all(pack_all(Command::end, std::int32_t{0}));
}

namespace {

class RanksBackend final : public backend::Backend {
   public:
    RanksBackend(std::unique_ptr<backend::Backend> local, std::string device, int threads, Link& link)
        : local_(std::move(local)), device_(std::move(device)), threads_(threads), link_(link) {}

    std::string name() const override { return local_->name(); }
    std::string description() const override {
        return local_->description() + "; " + std::to_string(link_.transport().count()) + " ranks, " + link_.transport().description();
    }
    bool on_card() const override { return local_->on_card(); }
    backend::Family family(const domain::Domain& domain) const override { return local_->family(domain); }
    std::string emit(const ir::Program& program, const domain::Domain& domain, const backend::Schedule& schedule) override {
        return local_->emit(program, domain, schedule);
    }

    std::unique_ptr<backend::Kernel> compile(const ir::Program& program, const domain::Domain& domain, const backend::Schedule& schedule,
                                             core::Context& context) override {
        if (const std::string_view solver = program.solver(); !solver.empty())
            throw core::InputError("--method " + std::string(solver) +
                                   " solves over the whole domain, which ranks do not share yet; use rkl1 or rkl2, or one process");
        Transport& transport = link_.transport();
        const int steps = backend::steps_of(schedule).value_or(0);
        CompileRequest request{
            device_, backend::print(schedule), context.cache.string(), static_cast<std::int32_t>(schedule.index()), threads_, program};
        if (const auto* grid = std::get_if<domain::Grid>(&domain)) {
            request.grid = GridCut{*grid, choose_blocks(program, *grid, transport.count(), steps)};
            return std::make_unique<RanksKernel>(
                program, domain, context, link_, [&](int) { return request; },
                [&] { return std::make_unique<GridPart>(program, *grid, request.grid->blocks, schedule, *local_, context, transport); });
        }
        const auto& mesh = std::get<domain::Mesh>(domain);
        std::vector<SurfaceShare> shares = share_out(program, mesh, transport.count(), steps, context.team);
        const auto request_for = [&](int rank) {
            CompileRequest own = request;
            own.surface = SurfaceCut{domain::piece_of(mesh, shares[core::at(rank)].vertices), shares[core::at(rank)]};
            return own;
        };
        return std::make_unique<RanksKernel>(program, domain, context, link_, request_for, [&] {
            domain::Mesh piece = domain::piece_of(mesh, shares.front().vertices);
            return std::make_unique<SurfacePart>(program, std::move(piece), std::move(shares), schedule, *local_, context, transport);
        });
    }

   private:
    std::unique_ptr<backend::Backend> local_;
    std::string device_;
    int threads_;
    Link& link_;
};

}  // namespace

std::unique_ptr<backend::Backend> create_ranks_backend(std::unique_ptr<backend::Backend> local, std::string device, int threads,
                                                       Link& link) {
    return std::make_unique<RanksBackend>(std::move(local), std::move(device), threads, link);
}

}  // namespace mottle::ranks
