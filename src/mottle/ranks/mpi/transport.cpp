// mottle/ranks/mpi/transport.cpp: ranks that are processes, by MPI
#include "mottle/ranks/mpi/transport.h"

#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/ranks/mpi/progress.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <thread>

#include <dlfcn.h>
#include <sched.h>

#define OMPI_SKIP_MPICXX 1  // bindings for C++, which would need a library of their own
#include <mpi.h>

namespace mottle::ranks {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of one message: MPI counts in int

/// Asks `done` until it is so: at once while something is about to come, then less and less often, so that a rank that waits for rank 0 takes no core.
template <class Done>
void wait_until(const Done& done) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kSoon = std::chrono::microseconds(300);
    constexpr auto kRarely = std::chrono::microseconds(500);
    const auto start = Clock::now();
    auto pause = std::chrono::microseconds(10);
    while (!done()) {
        if (Clock::now() - start < kSoon) {
            sched_yield();
        } else {
            std::this_thread::sleep_for(pause);
            pause = std::min<std::chrono::microseconds>(2 * pause, kRarely);
        }
    }
}

/// The machine that a rank shares with others.
struct Machine {
    int cores = 1;  ///< for this rank: those that it may run on, shared with the ranks that may run on the same
    int ranks = 1;  ///< on it
    bool is_bound = false;
    int count = 1;  ///< machines of the run
};

Machine look_at_machine() {
    MPI_Comm neighbours = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours);
    Machine machine;
    int place = 0;
    MPI_Comm_size(neighbours, &machine.ranks);
    MPI_Comm_rank(neighbours, &place);
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    std::vector<cpu_set_t> all(core::at(machine.ranks));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, neighbours);
    MPI_Comm_free(&neighbours);
    const auto same = std::count_if(all.begin(), all.end(), [&](const cpu_set_t& other) { return CPU_EQUAL(&own, &other); });
    machine.cores = std::max(1, CPU_COUNT(&own) / static_cast<int>(same));
    machine.is_bound = same < machine.ranks;
    const int first = place == 0 ? 1 : 0;
    MPI_Allreduce(&first, &machine.count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return machine;
}

/// The lowest rank whose build is not that of rank 0, or -1.
int rank_of_another_build(int rank) {
    std::array<char, 512> text{};
    const std::string own = core::build_id();
    std::copy_n(own.begin(), std::min(own.size(), text.size() - 1), text.begin());
    std::array<char, 512> first = text;
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    const int differs = first == text ? INT_MAX : rank;
    int lowest = INT_MAX;
    MPI_Allreduce(&differs, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return lowest == INT_MAX ? -1 : lowest;
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
    std::string description() const override {
        return std::string(describe_mpi()) + ", " + std::to_string(machine_.count) + (machine_.count == 1 ? " machine" : " machines");
    }

    void send(int to, int channel, std::span<const std::byte> bytes) override {
        if (bytes.size() > INT_MAX) throw core::InternalError("a message between ranks of more than 2 GiB");
        MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, channel, MPI_COMM_WORLD);
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
        int there = 0, count = 0;
        MPI_Improbe(from, channel, MPI_COMM_WORLD, &there, &message, &status);
        if (there == 0) return std::nullopt;
        MPI_Get_count(&status, MPI_BYTE, &count);
        Bytes bytes(core::at(count));
        MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, &status);
        return bytes;
    }

    void begin_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming, Meanwhile meanwhile) override {
        requests_.clear();
        const auto for_pieces = [](auto bytes, const auto& start) {
            for (std::size_t first = 0; first < bytes.size(); first += kMostBytes)
                start(bytes.data() + first, static_cast<int>(std::min(kMostBytes, bytes.size() - first)));
        };
        for (const Incoming& halo : incoming) {
            for_pieces(halo.bytes, [&](std::byte* first, int count) {
                MPI_Irecv(first, count, MPI_BYTE, halo.from, halo.channel, MPI_COMM_WORLD, &requests_.emplace_back());
            });
        }
        for (const Outgoing& halo : outgoing) {
            for_pieces(halo.bytes, [&](const std::byte* first, int count) {
                MPI_Isend(first, count, MPI_BYTE, halo.to, halo.channel, MPI_COMM_WORLD, &requests_.emplace_back());
            });
        }
        if (meanwhile == Meanwhile::computes) {
            if (!progress_) progress_ = std::make_unique<Progress>([this] { return all_there(); });
            progress_->begin();
        }
    }

    void finish_exchange() override {
        if (progress_) progress_->end();
        wait_until([&] { return all_there(); });
    }

    void end_all(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

   private:
    bool all_there() {
        int done = 0;
        MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    }

    int rank_ = 0, count_ = 1;
    Machine machine_;
    std::vector<MPI_Request> requests_;   ///< of the exchange that has begun
    std::unique_ptr<Progress> progress_;  ///< made when it is first needed
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
    return rank;
}

}  // namespace mottle::ranks
