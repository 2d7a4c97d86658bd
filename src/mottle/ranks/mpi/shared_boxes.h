// mottle/ranks/mpi/shared_boxes.h: halos between processes of one machine, in memory that both of them see
#pragma once
#include "mottle/ranks/transport.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>

namespace mottle::ranks {

/// A rank writes what it sends into a file without a name that lies in memory, and the other ranks of the machine read it there: nothing is copied, and
/// nothing is left behind by a process that is killed. A box has room for two messages, so that the next can be written while the last is read.
class SharedBoxes {
   public:
    /// Where other processes find the file of one.
    struct Address {
        std::int64_t process = 0;
        std::int32_t file = -1;   ///< its descriptor there; -1: there is none
        std::uint64_t token = 0;  ///< what it begins with, so that it is known to be the right one
    };

    /// Of the process that is `place` of `count` on this machine. Where the system gives no such file, `address` says so.
    SharedBoxes(int place, int count);
    ~SharedBoxes();
    SharedBoxes(const SharedBoxes&) = delete;
    SharedBoxes& operator=(const SharedBoxes&) = delete;

    const Address& address() const { return address_; }
    /// Whether the files of all of them, by place, can be read from here. Otherwise these boxes are of no use.
    bool open(std::span<const Address> all);

    /// Room for the next message to a place on a channel. Waits until the last but one has been read. Throws: DeviceError (there is no memory left).
    std::span<std::byte> outbox(int to, int channel, std::size_t size);
    /// The message that stands there may be read.
    void post(int to, int channel);
    /// Whether the next message of a place on a channel is there.
    bool has_come(int from, int channel);
    /// It, until `release`.
    std::span<const std::byte> inbox(int from, int channel, std::size_t size);
    /// It has been read.
    void release(int from, int channel);

   private:
    /// At the beginning of each file, by reader and channel.
    struct alignas(64) Slot {
        std::atomic<std::uint64_t> posted;             ///< messages so far; by the sender, as are ...
        std::array<std::uint64_t, 2> place;            ///< ... where the even ones and the odd ones stand in the file, ...
        std::array<std::uint64_t, 2> size;             ///< ... and how much room there is
        alignas(64) std::atomic<std::uint64_t> taken;  ///< messages that have been read; by the reader
    };
    /// A part of a file in the memory of this process.
    struct Piece {
        std::byte* memory = nullptr;
        std::uint64_t place = 0, size = 0;
    };
    /// The messages between this process and another on one channel.
    struct Box {
        std::uint64_t messages = 0;  ///< that were posted here, or taken
        std::array<Piece, 2> pieces;
    };
    using Key = std::pair<int, int>;  ///< place and channel

    Slot& slot(int sender, int reader, int channel) const;
    static bool try_map(int file, Piece& piece);
    static void map(int file, Piece& piece);  ///< throws where try_map fails
    static void unmap(Piece& piece);
    void enlarge(Piece& piece, std::size_t size);

    int place_, count_;
    Address address_;
    std::uint64_t end_ = 0;     ///< of the file
    std::vector<int> files_;    ///< by place
    std::vector<Piece> heads_;  ///< the slots, by place
    std::map<Key, Box> sent_, read_;
};

}  // namespace mottle::ranks
