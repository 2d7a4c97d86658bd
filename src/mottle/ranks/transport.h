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
inline constexpr int entries = 0, command = 1, reply = 2, halo = 3;
}

/// What a rank does while halos travel: it waits for them, or computes, and then something else must have them go on.
enum class Meanwhile { waits, computes };

/// A halo that goes to `rank` or comes from there. Both ranks know its size.
struct HaloBytes {
    int rank, channel;
    std::size_t size;
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
    /// Whether every rank sees the halos of every other in memory, as soon as they are sent: there is no way that takes time, and could be hidden.
    virtual bool shares_memory() const = 0;
    /// "Open MPI 4.1.4, 2 machines"
    virtual std::string description() const = 0;

    /// Returns when `bytes` may change and nothing more is needed from this rank for them to arrive, nor for what it has sent before.
    virtual void send(int to, int channel, std::span<const std::byte> bytes) = 0;
    /// Returns when `bytes` may change; they may need a later `send` of this rank, to whomever, to arrive. For many messages, of which none is waited for: where
    /// other programs use the cores, too, each wait costs a turn of the scheduler.
    virtual void send_soon(int to, int channel, std::span<const std::byte> bytes) { send(to, channel, bytes); }
    /// Waits without taking a core. Throws: InternalError, if the other rank has ended.
    virtual Bytes receive(int from, int channel) = 0;
    /// What has arrived, or nothing yet. Throws: as receive.
    virtual std::optional<Bytes> try_receive(int from, int channel) = 0;
    /// Where the bytes of a halo are to be written that the next exchange sends, until that begins.
    virtual std::span<std::byte> outbox(const HaloBytes& halo) = 0;
    /// Begins to send what stands in these outboxes, and to receive. Until finish_exchange nothing else is asked of this rank's transport. One exchange at a
    /// time.
    virtual void begin_exchange(std::span<const HaloBytes> outgoing, std::span<const HaloBytes> incoming, Meanwhile meanwhile) = 0;
    /// Waits until all are there. Throws: as receive.
    virtual void finish_exchange() = 0;
    /// What the last exchange has received, until the next begins.
    virtual std::span<const std::byte> inbox(const HaloBytes& halo) const = 0;
    /// Ends all ranks at once, with this exit code; where they are threads, those that wait throw.
    virtual void end_all(int code) = 0;
};

}  // namespace mottle::ranks
