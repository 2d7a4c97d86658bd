// mottle/ranks/transport.h: how the ranks of a run talk to each other: processes by MPI, or threads of one process
#pragma once
#include "mottle/core/index.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mottle::ranks {

using core::Index;
using Bytes = std::vector<std::byte>;

/// Messages between two ranks on one channel arrive in order. Halos of grids travel on channel halo + Direction::number, those of surfaces on halo.
namespace channel {
inline constexpr int command = 1, reply = 2, halo = 3;
}

/// What a rank does while halos travel: it waits for them, or computes, and then something else must have them go on.
enum class Meanwhile { waits, computes };

/// A halo on its way. Both ranks know its size.
struct Outgoing {
    int to, channel;
    std::span<const std::byte> bytes;
};
struct Incoming {
    int from, channel;
    std::span<std::byte> bytes;
};

/// One of `count` ranks. Rank 0 decides, writes and speaks; the others do what it asks (serve.h). For one thread at a time, whichever.
class Transport {
   public:
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int count() const = 0;
    /// Cores that this rank may take for itself; at least 1.
    virtual int cores() const = 0;
    /// Whether the ranks of this machine may run on different cores, as a launcher binds them.
    virtual bool is_bound() const = 0;
    /// The part of all ranks that runs on this machine.
    virtual double share_of_machine() const = 0;
    /// "Open MPI 4.1.4, 2 machines"
    virtual std::string description() const = 0;

    /// Returns when `bytes` may change.
    virtual void send(int to, int channel, std::span<const std::byte> bytes) = 0;
    /// Waits without taking a core. Throws: InternalError, if the other rank has ended.
    virtual Bytes receive(int from, int channel) = 0;
    /// What has arrived, or nothing yet. Throws: as receive.
    virtual std::optional<Bytes> try_receive(int from, int channel) = 0;
    /// Begins to send and receive all of them; their bytes stay where they are until finish_exchange, and until then nothing else is asked of this rank's
    /// transport. One exchange at a time.
    virtual void begin_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming, Meanwhile meanwhile) = 0;
    /// Waits until all are there. Throws: as receive.
    virtual void finish_exchange() = 0;
    /// Ends all ranks at once, with this exit code; where they are threads, those that wait throw.
    virtual void end_all(int code) = 0;
};

}  // namespace mottle::ranks
