// mottle/ranks/backend.cpp: rank 0's side: a backend whose kernels are spread over all ranks
#include "mottle/ranks/backend.h"

#include "mottle/core/error.h"
#include "mottle/domain/mesh/piece.h"
#include "mottle/ir/program/piece.h"
#include "mottle/ranks/grid_part.h"
#include "mottle/ranks/kernel.h"
#include "mottle/ranks/surface_part.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace mottle::ranks {

std::string describe(const Transport& ranks) { return std::to_string(ranks.count()) + " ranks, " + ranks.description(); }

std::unique_lock<std::mutex> Link::lock() {
    std::unique_lock lock(mutex_);
    if (broken_) std::rethrow_exception(failure_);
    return lock;
}

// Under the lock.
void Link::give_up() {
    failure_ = std::current_exception();
    broken_ = true;
}

void Link::tell_all(const Bytes& message) {
    for (int rank = 1; rank < transport_.count(); ++rank) transport_.send(rank, channel::command, message);
}

void Link::forget(Command command, int number) {
    if (broken_ || ended_) return;
    const auto lock = this->lock();
    tell_all(pack_all(command, std::int32_t{number}));
}

void Link::forget_on(int rank, Command command, int number) {
    if (!broken_ && !ended_) tell(rank, pack_all(command, std::int32_t{number}));
}

void Link::tell(int rank, const Bytes& message) {
    const auto lock = this->lock();
    transport_.send(rank, channel::command, message);
}

// Other threads ask other ranks meanwhile, and this one takes no core from those that compute.
Bytes Link::ask(int rank, const Bytes& message) {
    constexpr auto kShortest = std::chrono::microseconds(20), kLongest = std::chrono::microseconds(200);
    const std::lock_guard alone(asked_[core::at(rank)]);
    tell(rank, message);
    for (auto pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
        std::this_thread::sleep_for(pause);
        const auto lock = this->lock();
        if (std::optional<Bytes> answer = transport_.try_receive(rank, channel::reply)) return std::move(*answer);
    }
}

void Link::end(int code) {
    if (ended_.exchange(true)) return;
    if (broken_) return transport_.end_all(code);
    tell_all(pack_all(Command::end, std::int32_t{0}));
}

void require_only_kernels(const ir::Program& program) {
    if (const std::string_view solver = program.solver(); !solver.empty())
        throw core::InputError("--method " + std::string(solver) +
                               " solves over the whole domain, which does not work on several ranks yet; use rkl1 or rkl2, which take long "
                               "steps, too, or one process");
}

Blocks blocks_for(const ir::Program& program, const domain::Grid& grid, int ranks, const backend::Schedule& schedule,
                  backend::Backend& local, core::Context& context) {
    constexpr double kDeepestOfPlane = 0.03, kDeepestOfVolume = 0.1;  // docs/notes/ranks.md
    const CutWish wish = wish_of(schedule);
    const Blocks blocks = choose_blocks(program, grid, ranks, wish);
    if (wish.steps > 0 || ranks == 1 || program.phases) return blocks;
    const domain::Grid piece = domain::piece_of(grid, box_with_halos(grid, blocks, 0));
    const auto kernel = local.compile(ir::program_of_piece(program, piece), piece, backend::with_spread(schedule, {}), context);
    const int fused = backend::steps_of(kernel->schedule()).value_or(0);
    if (fused <= blocks.steps) return blocks;
    const Blocks deep = choose_blocks(program, grid, ranks, {fused, wish.blocks});
    return deepest_halo(grid, deep) <= (grid.size[2] > 1 ? kDeepestOfVolume : kDeepestOfPlane) ? deep : blocks;
}

namespace {

class RanksBackend final : public backend::Backend {
   public:
    RanksBackend(std::unique_ptr<backend::Backend> local, std::vector<std::string> devices, int threads, Link& link, Hiding hiding)
        : local_(std::move(local)),
          devices_(std::move(devices)),
          threads_(threads),
          link_(link),
          hiding_(hiding == Hiding::measured && link.transport().shares_memory() ? Hiding::never : hiding) {}

    std::string name() const override { return local_->name(); }
    std::string description() const override { return local_->description() + "; " + describe(link_.transport()); }
    bool on_card() const override { return local_->on_card(); }
    backend::Family family(const domain::Domain& domain) const override { return local_->family(domain); }
    std::string emit(const ir::Program& program, const domain::Domain& domain, const backend::Schedule& schedule) override {
        return local_->emit(program, domain, backend::with_spread(schedule, {}));
    }

    std::unique_ptr<backend::Kernel> compile(const ir::Program& program, const domain::Domain& domain, const backend::Schedule& whole,
                                             core::Context& context) override {
        require_only_kernels(program);
        Transport& transport = link_.transport();
        const backend::Schedule schedule = backend::with_spread(whole, {});
        CompileRequest request{devices_.front(),
                               backend::print(schedule),
                               context.cache.string(),
                               static_cast<std::int32_t>(schedule.index()),
                               threads_,
                               hiding_,
                               program};
        const auto device_of = [&](int rank) { return devices_[devices_.size() > 1 ? core::at(rank) : 0]; };
        if (const auto* grid = std::get_if<domain::Grid>(&domain)) {
            request.grid = GridCut{*grid, blocks_for(program, *grid, transport.count(), whole, *local_, context)};
            return std::make_unique<RanksKernel>(
                program, domain, hiding_, context, link_,
                [&](int rank) {
                    request.device = device_of(rank);
                    return request;
                },
                [&] {
                    return std::make_unique<GridPart>(program, *grid, request.grid->blocks, hiding_, schedule, *local_, context, transport);
                });
        }
        const auto& mesh = std::get<domain::Mesh>(domain);
        const domain::PieceWeights weights = weights_of(program);
        std::vector<SurfaceShare> shares = share_out(program, mesh, transport.count(), wish_of(whole).steps, context.team);
        const auto rim_of = [&](const SurfaceShare& share) -> std::optional<domain::Mesh> {
            if (hiding_ == Hiding::never || share.rim.vertices.empty()) return std::nullopt;
            return domain::piece_of(mesh, rim_vertices(share), weights);
        };
        const auto request_for = [&](int rank) {
            CompileRequest own = request;
            own.device = device_of(rank);
            const SurfaceShare& share = shares[core::at(rank)];
            own.surface = SurfaceCut{domain::piece_of(mesh, share.vertices, weights), rim_of(share), share};
            return own;
        };
        return std::make_unique<RanksKernel>(program, domain, hiding_, context, link_, request_for, [&] {
            domain::Mesh piece = domain::piece_of(mesh, shares.front().vertices, weights);
            std::optional<domain::Mesh> rim = rim_of(shares.front());
            return std::make_unique<SurfacePart>(program, std::move(piece), std::move(rim), std::move(shares), schedule, *local_, context,
                                                 transport);
        });
    }

   private:
    std::unique_ptr<backend::Backend> local_;
    std::vector<std::string> devices_;
    int threads_;
    Link& link_;
    Hiding hiding_;
};

}  // namespace

std::unique_ptr<backend::Backend> create_ranks_backend(std::unique_ptr<backend::Backend> local, std::vector<std::string> devices,
                                                       int threads, Link& link, Hiding hiding) {
    return std::make_unique<RanksBackend>(std::move(local), std::move(devices), threads, link, hiding);
}

}  // namespace mottle::ranks
