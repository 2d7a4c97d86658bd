// mottle/ranks/file_piece.cpp: entries of a file brought to the ranks that write them
#include "mottle/ranks/file_piece.h"

#include "mottle/core/error.h"
#include "mottle/core/thread_team.h"

#include <algorithm>
#include <cstring>

namespace mottle::ranks {

using core::at;
using domain::Vertex;

// A message has the numbers of its entries, then their bytes. Of two ranks the lower one sends first, and each turns to the others in the order of their
// numbers: nobody waits in a circle.
FilePiece collect_entries(Transport& transport, Index count, std::span<const Vertex> numbers, std::span<const std::byte> entries,
                          std::size_t size) {
    const int ranks = transport.count(), rank = transport.rank();
    const core::Share own = core::share_of(count, rank, ranks);
    FilePiece piece{at(own.first) * size, Bytes(at(own.end - own.first) * size)};
    std::size_t taken = 0;
    const auto take = [&](const std::byte* number, const std::byte* entry, std::size_t there) {
        for (std::size_t i = 0; i < there; ++i) {
            Vertex place = 0;
            std::memcpy(&place, number + i * sizeof place, sizeof place);
            std::memcpy(&piece.bytes[at(place - own.first) * size], entry + i * size, size);
        }
        taken += there;
    };
    const auto first_of = [&](Index number) {
        return at(std::lower_bound(numbers.begin(), numbers.end(), static_cast<Vertex>(number)) - numbers.begin());
    };
    const auto with_entries_of = [&](int other, const auto& work) {
        const core::Share theirs = core::share_of(count, other, ranks);
        const std::size_t first = first_of(theirs.first), there = first_of(theirs.end) - first;
        work(std::as_bytes(numbers.subspan(first, there)), entries.subspan(first * size, there * size));
    };
    const auto send_to = [&](int other) {
        with_entries_of(other, [&](std::span<const std::byte> sent_numbers, std::span<const std::byte> sent) {
            Bytes message(sent_numbers.begin(), sent_numbers.end());
            message.insert(message.end(), sent.begin(), sent.end());
            transport.send(other, channel::entries, message);
        });
    };
    with_entries_of(rank, [&](std::span<const std::byte> own_numbers, std::span<const std::byte> kept) {
        take(own_numbers.data(), kept.data(), kept.size() / size);
    });
    for (int other = 0; other < ranks; ++other) {
        if (other == rank) continue;
        if (rank < other) send_to(other);
        const Bytes message = transport.receive(other, channel::entries);
        const std::size_t there = message.size() / (sizeof(Vertex) + size);
        take(message.data(), message.data() + there * sizeof(Vertex), there);
        if (rank > other) send_to(other);
    }
    if (taken * size != piece.bytes.size()) throw core::InternalError("a file has entries that no rank has");
    return piece;
}

}  // namespace mottle::ranks
