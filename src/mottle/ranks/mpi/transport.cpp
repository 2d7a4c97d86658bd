// mottle/ranks/mpi/transport.cpp: ranks that are processes, by MPI
#include "mottle/ranks/mpi/transport.h"

#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/ranks/mpi/progress.h"
#include "mottle/ranks/mpi/shared_boxes.h"
#include "mottle/ranks/mpi/wait.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <sched.h>

#define OMPI_SKIP_MPICXX 1  // bindings for C++, which would need a library of their own
#include <mpi.h>

namespace mottle::ranks {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;     // of one piece: MPI counts in int
constexpr std::size_t kMostOnTheWay = std::size_t{8} << 20;  // bytes that send_soon keeps

/// The machine that a rank shares with others.
struct Machine {
    int cores = 1;  ///< for this rank: those that it may run on, shared with the ranks that may run on the same
    int ranks = 1;  ///< on it
    int count = 1;  ///< machines of the run
    bool is_bound = false;
    std::vector<int> place;              ///< of each rank of the run among those of this machine; -1: on another one
    std::unique_ptr<SharedBoxes> boxes;  ///< between the ranks of this machine; null: halos between them are messages, too
};

/// Very many bytes as one value of MPI, which counts values in int.
class ByteBlock {
   public:
    explicit ByteBlock(std::size_t bytes) {
        const std::size_t pieces = bytes / kMostBytes;
        MPI_Datatype piece = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(static_cast<int>(kMostBytes), MPI_BYTE, &piece);
        const std::array<int, 2> counts{static_cast<int>(pieces), static_cast<int>(bytes % kMostBytes)};
        const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(pieces * kMostBytes)};
        const std::array<MPI_Datatype, 2> types{piece, MPI_BYTE};
        MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_);
        MPI_Type_free(&piece);
        MPI_Type_commit(&type_);
    }
    ByteBlock(const ByteBlock&) = delete;
    ByteBlock& operator=(const ByteBlock&) = delete;
    ~ByteBlock() { MPI_Type_free(&type_); }  // messages on their way keep it
    MPI_Datatype type() const { return type_; }

   private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Calls `talk` with the number and the type of the values that so many bytes of a message are.
template <class Talk>
void as_values(std::size_t bytes, const Talk& talk) {
    bytes <= kMostBytes ? talk(static_cast<int>(bytes), MPI_BYTE) : talk(1, ByteBlock(bytes).type());
}

/// Messages of send_soon that may not have been taken yet.
struct Sent {
    std::vector<Bytes> messages;
    std::vector<MPI_Request> requests;
    std::size_t bytes = 0;

    const Bytes& keep(std::span<const std::byte> message) {
        bytes += message.size();
        return messages.emplace_back(message.begin(), message.end());
    }
    bool all_done() {
        int done = 1;
        if (!requests.empty()) MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        if (done == 0) return false;
        messages.clear();
        requests.clear();
        bytes = 0;
        return true;
    }
};

/// What the ranks of one machine tell each other.
struct Neighbour {
    cpu_set_t cores;
    int rank;
    SharedBoxes::Address boxes;
};

/// The variable of the environment that decides whether ranks of one machine share memory: 0 or 1; -1: it is neither.
int wanted_sharing() {
    const char* text = std::getenv("MOTTLE_SHARED_HALOS");
    const std::string_view wanted = text == nullptr ? "" : text;
    if (wanted.empty() || wanted == "1") return 1;
    return wanted == "0" ? 0 : -1;
}

/// Connects the boxes of the ranks of `machine`, which are in the order of their places; or null: a rank has none, or cannot see those of another.
std::unique_ptr<SharedBoxes> connect(std::unique_ptr<SharedBoxes> boxes, const std::vector<Neighbour>& all, MPI_Comm machine) {
    std::vector<SharedBoxes::Address> addresses;
    for (const Neighbour& other : all) addresses.push_back(other.boxes);
    const int opened = boxes && boxes->open(addresses) ? 1 : 0;
    int by_all = 0;
    MPI_Allreduce(&opened, &by_all, 1, MPI_INT, MPI_MIN, machine);
    return by_all == 1 ? std::move(boxes) : nullptr;
}

Machine look_at_machine() {
    MPI_Comm neighbours = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours);
    Machine machine;
    int place = 0, ranks = 0;
    MPI_Comm_size(neighbours, &machine.ranks);
    MPI_Comm_rank(neighbours, &place);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Neighbour own{};
    MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
    CPU_ZERO(&own.cores);
    sched_getaffinity(0, sizeof own.cores, &own.cores);
    auto boxes = machine.ranks > 1 && wanted_sharing() == 1 ? std::make_unique<SharedBoxes>(place, machine.ranks) : nullptr;
    if (boxes) own.boxes = boxes->address();
    std::vector<Neighbour> all(core::at(machine.ranks));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, neighbours);
    machine.boxes = connect(std::move(boxes), all, neighbours);
    MPI_Comm_free(&neighbours);
    machine.place.assign(core::at(ranks), -1);
    for (std::size_t i = 0; i < all.size(); ++i) machine.place[core::at(all[i].rank)] = static_cast<int>(i);
    const auto same = std::count_if(all.begin(), all.end(), [&](const Neighbour& other) { return CPU_EQUAL(&own.cores, &other.cores); });
    machine.cores = std::max(1, CPU_COUNT(&own.cores) / static_cast<int>(same));
    machine.is_bound = same < machine.ranks;
    const int first = place == 0 ? 1 : 0;
    MPI_Allreduce(&first, &machine.count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return machine;
}

/// The lowest rank where something is so, or -1. All ranks ask at the same time.
int lowest_rank(int rank, bool is_so) {
    const int own = is_so ? rank : INT_MAX;
    int lowest = INT_MAX;
    MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return lowest == INT_MAX ? -1 : lowest;
}

/// The lowest rank whose build is not that of rank 0, or -1.
int rank_of_another_build(int rank) {
    std::array<char, 512> text{};
    const std::string own = core::build_id();
    std::copy_n(own.begin(), std::min(own.size(), text.size() - 1), text.begin());
    std::array<char, 512> first = text;
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    return lowest_rank(rank, first != text);
}

class MpiRank final : public Transport {
   public:
    MpiRank() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &count_);
        machine_ = look_at_machine();
    }
    ~MpiRank() override {
        progress_.reset();
        MPI_Finalize();
    }

    int rank() const override { return rank_; }
    int count() const override { return count_; }
    int cores() const override { return machine_.cores; }
    bool is_bound() const override { return machine_.is_bound; }
    double share_of_machine() const override { return static_cast<double>(machine_.ranks) / count_; }
    bool shares_memory() const override { return machine_.count == 1 && machine_.boxes; }
    std::string description() const override {
        const std::string machines = std::to_string(machine_.count) + (machine_.count == 1 ? " machine" : " machines");
        if (machine_.ranks == 1) return describe_mpi() + (", " + machines);
        return describe_mpi() + (", " + machines) + (machine_.boxes ? ", halos in shared memory" : ", halos in messages");
    }

    void send(int to, int channel, std::span<const std::byte> bytes) override {
        wait_until([&] { return sent_.all_done(); });
        as_values(bytes.size(), [&](int count, MPI_Datatype type) { MPI_Send(bytes.data(), count, type, to, channel, MPI_COMM_WORLD); });
    }

    void send_soon(int to, int channel, std::span<const std::byte> bytes) override {
        if (sent_.bytes + bytes.size() > kMostOnTheWay) wait_until([&] { return sent_.all_done(); });
        const Bytes& kept = sent_.keep(bytes);
        as_values(kept.size(), [&](int count, MPI_Datatype type) {
            MPI_Isend(kept.data(), count, type, to, channel, MPI_COMM_WORLD, &sent_.requests.emplace_back());
        });
    }

    Bytes receive(int from, int channel) override {
        std::optional<Bytes> bytes;
        wait_until([&] {
            bytes = try_receive(from, channel);
            return bytes.has_value();
        });
        return std::move(*bytes);
    }

    std::optional<Bytes> try_receive(int from, int channel) override {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Count count = 0;
        int there = 0;
        MPI_Improbe(from, channel, MPI_COMM_WORLD, &there, &message, &status);
        if (there == 0) return std::nullopt;
        MPI_Get_elements_x(&status, MPI_BYTE, &count);
        Bytes bytes(core::at(count));
        as_values(bytes.size(), [&](int values, MPI_Datatype type) { MPI_Mrecv(bytes.data(), values, type, &message, &status); });
        return bytes;
    }

    std::span<std::byte> outbox(const HaloBytes& halo) override {
        if (shares(halo)) return machine_.boxes->outbox(place(halo), halo.channel, halo.size);
        Bytes& bytes = outboxes_[{halo.rank, halo.channel}];
        bytes.resize(halo.size);
        return bytes;
    }

    void begin_exchange(std::span<const HaloBytes> outgoing, std::span<const HaloBytes> incoming, Meanwhile meanwhile) override {
        for (const HaloBytes& halo : shared_) machine_.boxes->release(place(halo), halo.channel);
        requests_.clear();
        shared_.clear();
        const auto for_pieces = [](Bytes& bytes, const auto& start) {
            for (std::size_t first = 0; first < bytes.size(); first += kMostBytes)
                start(bytes.data() + first, static_cast<int>(std::min(kMostBytes, bytes.size() - first)));
        };
        for (const HaloBytes& halo : incoming) {
            if (shares(halo)) {
                shared_.push_back(halo);
                continue;
            }
            Bytes& bytes = inboxes_[{halo.rank, halo.channel}];
            bytes.resize(halo.size);
            for_pieces(bytes, [&](std::byte* first, int count) {
                MPI_Irecv(first, count, MPI_BYTE, halo.rank, halo.channel, MPI_COMM_WORLD, &requests_.emplace_back());
            });
        }
        for (const HaloBytes& halo : outgoing) {
            if (shares(halo)) {
                machine_.boxes->post(place(halo), halo.channel);
                continue;
            }
            for_pieces(outboxes_[{halo.rank, halo.channel}], [&](const std::byte* first, int count) {
                MPI_Isend(first, count, MPI_BYTE, halo.rank, halo.channel, MPI_COMM_WORLD, &requests_.emplace_back());
            });
        }
        if (meanwhile == Meanwhile::computes && !requests_.empty()) {
            if (!progress_) progress_ = std::make_unique<Progress>([this] { return all_arrived(); });
            progress_->begin();
        }
    }

    void finish_exchange() override {
        if (progress_) progress_->end();
        wait_until([&] { return all_arrived() && all_posted(); });
    }

    std::span<const std::byte> inbox(const HaloBytes& halo) const override {
        return shares(halo) ? machine_.boxes->inbox(place(halo), halo.channel, halo.size) : inboxes_.at({halo.rank, halo.channel});
    }

    void end_all(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

   private:
    int place(const HaloBytes& halo) const { return machine_.place[core::at(halo.rank)]; }
    bool shares(const HaloBytes& halo) const { return machine_.boxes && place(halo) >= 0; }
    /// The halos of the exchange that come through shared memory.
    bool all_posted() const {
        return std::all_of(shared_.begin(), shared_.end(),
                           [&](const HaloBytes& halo) { return machine_.boxes->has_come(place(halo), halo.channel); });
    }
    /// Those that are messages.
    bool all_arrived() {
        int done = 0;
        MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    }

    int rank_ = 0, count_ = 1;
    Machine machine_;
    Sent sent_;
    std::map<std::pair<int, int>, Bytes> outboxes_, inboxes_;  ///< of messages, by rank and channel
    std::vector<MPI_Request> requests_;                        ///< of the exchange that has begun
    std::vector<HaloBytes> shared_;                            ///< halos that it reads in shared memory
    std::unique_ptr<Progress> progress_;                       ///< made when it is first needed
};

}  // namespace

const char* describe_mpi() {
    static const std::string text = [] {
        std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
        int length = 0;
        MPI_Get_library_version(version.data(), &length);
        std::string words(version.data(), core::at(length));
        words = words.substr(0, words.find(','));  // "Open MPI v4.1.4, package: ..."
        if (const std::size_t at = words.find(" v"); at != std::string::npos) words.erase(at + 1, 1);
        return words;
    }();
    return text.c_str();
}

std::unique_ptr<Transport> create_mpi_rank() {
    // Open MPI's own plug-ins look for its symbols among those of the whole process, and a module's libraries are not there.
    dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    auto rank = std::make_unique<MpiRank>();
    if (provided < MPI_THREAD_SERIALIZED)
        throw core::DeviceError("this MPI was built without support for threads (MPI_THREAD_SERIALIZED), which Mottle needs");
    if (const int other = rank_of_another_build(rank->rank()); other >= 0) {
        throw core::DeviceError("rank " + std::to_string(other) + " runs another build of Mottle than rank 0 (" + core::build_id() +
                                "); install the same on all machines");
    }
    if (const int other = lowest_rank(rank->rank(), wanted_sharing() < 0); other >= 0) {
        throw core::InputError("the variable MOTTLE_SHARED_HALOS of rank " + std::to_string(other) +
                               " is neither 0 (halos are messages) nor 1 (ranks of one machine share memory)");
    }
    return rank;
}

}  // namespace mottle::ranks
