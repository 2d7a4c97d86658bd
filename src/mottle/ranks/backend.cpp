// mottle/ranks/backend.cpp: rank 0's side: a backend whose kernels are spread over all ranks
#include "mottle/ranks/backend.h"

#include "mottle/core/error.h"
#include "mottle/ranks/kernel.h"

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
        const auto* grid = std::get_if<domain::Grid>(&domain);
        if (!grid)
            throw core::InputError("a surface runs on one rank: start Mottle without mpirun, or with `mpirun -n 1`, and give --threads");
        const Blocks blocks = choose_blocks(program, *grid, link_.transport().count(), backend::steps_of(schedule).value_or(0));
        CompileRequest request{device_,
                               backend::print(schedule),
                               context.cache.string(),
                               static_cast<std::int32_t>(schedule.index()),
                               threads_,
                               blocks,
                               program,
                               *grid};
        return std::make_unique<RanksKernel>(std::move(request), schedule, *local_, context, link_);
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
