// mottle/ranks/backend.h: rank 0's side: a backend whose kernels are spread over all ranks
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ranks/blocks.h"
#include "mottle/ranks/hiding.h"
#include "mottle/ranks/transport.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mottle::ranks {

enum class Command : std::int32_t;

/// Rank 0's hold on the others. Outlives the backends, kernels and states that use it.
class Link {
   public:
    explicit Link(Transport& transport) : transport_(transport), asked_(core::at(transport.count())) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    Transport& transport() { return transport_; }
    /// One request and its answers at a time. Throws: what was caught at give_up, if it was.
    std::unique_lock<std::mutex> lock();
    int next_number() { return ++number_; }
    /// To every other rank.
    void tell_all(const Bytes& message);
    /// To one of them, and its answer. Threads may ask several ranks at a time, and then nothing else goes through the link but what these calls send.
    void tell(int rank, const Bytes& message);
    Bytes ask(int rank, const Bytes& message);
    /// The others drop a kernel or a state; or `rank` does.
    void forget(Command command, int number);
    void forget_on(int rank, Command command, int number);
    /// While an exception is handled that came when the others wait for halos: they can only be stopped.
    void give_up();
    /// The other ranks end; at once and with `code` after give_up. Once.
    void end(int code);

   private:
    Transport& transport_;
    std::mutex mutex_;
    std::vector<std::mutex> asked_;  ///< by rank: one question at a time
    std::atomic<int> number_ = 0;
    std::atomic<bool> broken_ = false, ended_ = false;
    std::exception_ptr failure_;
};

/// "3 ranks, Open MPI 4.1.4, 1 machine"
std::string describe(const Transport& ranks);

/// Throws: InputError (the method of `program` does more than its kernel between two steps, over the whole domain).
void require_only_kernels(const ir::Program& program);

/// How a run cuts a grid: as the schedule says. Where it says nothing of steps, as many between two exchanges as the kernel that `local` compiles for a block
/// fuses in a pass of its own, unless halos are then too deep for what these passes gain. Throws: as choose_blocks and Backend::compile.
Blocks blocks_for(const ir::Program& program, const domain::Grid& grid, int ranks, const backend::Schedule& schedule,
                  backend::Backend& local, core::Context& context);

/// Kernels whose share of rank 0 `local` compiles, and that of each other rank a backend of its device with `threads` threads (0: the rank's cores). `devices`: of each
/// rank, or one for all.
/// Their bits are those of `local` alone, and no matter how halos are `hiding`. `compile` throws: InputError (a domain that cannot be cut for so many ranks); Error of any rank.
std::unique_ptr<backend::Backend> create_ranks_backend(std::unique_ptr<backend::Backend> local, std::vector<std::string> devices,
                                                       int threads, Link& link, Hiding hiding = Hiding::measured);

/// Kernels that are wholly on one other rank, on its device `device` with `threads` threads (0: the rank's cores): for members of a sweep. `like` is a backend of
/// this rank, of the same device. `compile` throws: Error of that rank.
std::unique_ptr<backend::Backend> create_remote_backend(int rank, const backend::Backend& like, std::string device, int threads,
                                                        Link& link);

}  // namespace mottle::ranks
