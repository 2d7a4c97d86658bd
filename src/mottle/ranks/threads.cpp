// mottle/ranks/threads.cpp: ranks that are threads of one process: letter boxes behind one lock
#include "mottle/ranks/threads.h"

#include "mottle/core/error.h"
#include "mottle/ranks/serve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace mottle::ranks {
namespace {

using Clock = std::chrono::steady_clock;

class Letterboxes {
   public:
    void put(int from, int to, int channel, Bytes bytes, Clock::time_point arrives) {
        {
            const std::lock_guard lock(mutex_);
            boxes_[{from, to, channel}].push_back({std::move(bytes), arrives});
        }
        arrived_.notify_all();
    }

    Bytes take(int from, int to, int channel) {
        std::unique_lock lock(mutex_);
        std::deque<Letter>& box = boxes_[{from, to, channel}];
        arrived_.wait(lock, [&] { return ended_ || !box.empty(); });
        if (box.empty()) throw core::InternalError(why_);
        Letter letter = std::move(box.front());
        box.pop_front();
        lock.unlock();
        if (letter.arrives != Clock::time_point()) std::this_thread::sleep_until(letter.arrives);
        return std::move(letter.bytes);
    }

    std::optional<Bytes> try_take(int from, int to, int channel) {
        const std::lock_guard lock(mutex_);
        std::deque<Letter>& box = boxes_[{from, to, channel}];
        if (box.empty() && ended_) throw core::InternalError(why_);
        if (box.empty() || box.front().arrives > Clock::now()) return std::nullopt;
        Bytes bytes = std::move(box.front().bytes);
        box.pop_front();
        return bytes;
    }

    /// `why`: what those who wait are told.
    void end(const std::string& why) {
        {
            const std::lock_guard lock(mutex_);
            if (!ended_) why_ = why;
            ended_ = true;
        }
        arrived_.notify_all();
    }

   private:
    struct Letter {
        Bytes bytes;
        Clock::time_point arrives;
    };
    std::mutex mutex_;
    std::condition_variable arrived_;
    bool ended_ = false;
    std::string why_;
    std::map<std::tuple<int, int, int>, std::deque<Letter>> boxes_;  ///< by sender, receiver and channel
};

class ThreadRank final : public Transport {
   public:
    ThreadRank(std::shared_ptr<Letterboxes> boxes, int rank, int count, int cores, const Network& network)
        : boxes_(std::move(boxes)), rank_(rank), count_(count), cores_(cores), network_(network) {}

    int rank() const override { return rank_; }
    int count() const override { return count_; }
    int cores() const override { return cores_; }
    bool is_bound() const override { return false; }
    double share_of_machine() const override { return 1; }
    bool shares_memory() const override { return network_.latency == 0 && std::isinf(network_.bytes_per_second); }
    std::string description() const override { return "threads of one process"; }

    void send(int to, int channel, std::span<const std::byte> bytes) override {
        boxes_->put(rank_, to, channel, Bytes(bytes.begin(), bytes.end()), {});
    }
    Bytes receive(int from, int channel) override { return boxes_->take(from, rank_, channel); }
    std::optional<Bytes> try_receive(int from, int channel) override { return boxes_->try_take(from, rank_, channel); }

    std::span<std::byte> outbox(const HaloBytes& halo) override {
        Bytes& bytes = outboxes_[{halo.rank, halo.channel}];
        bytes.resize(halo.size);
        return bytes;
    }
    void begin_exchange(std::span<const HaloBytes> outgoing, std::span<const HaloBytes> incoming, Meanwhile) override {
        for (const HaloBytes& halo : outgoing)
            boxes_->put(rank_, halo.rank, halo.channel, std::move(outboxes_[{halo.rank, halo.channel}]), arrival(halo.size));
        incoming_.assign(incoming.begin(), incoming.end());
    }
    void finish_exchange() override {
        for (const HaloBytes& halo : incoming_) {
            Bytes& bytes = inboxes_[{halo.rank, halo.channel}];
            bytes = receive(halo.rank, halo.channel);
            if (bytes.size() != halo.size) throw core::InternalError("a halo of another size than expected");
        }
        incoming_.clear();
    }
    std::span<const std::byte> inbox(const HaloBytes& halo) const override { return inboxes_.at({halo.rank, halo.channel}); }

    void end_all(int) override { boxes_->end("another rank has ended"); }
    void end_because(const std::string& why) { boxes_->end("rank " + std::to_string(rank_) + ": " + why); }

   private:
    /// When so many bytes that leave now are there: behind those that have left before.
    Clock::time_point arrival(std::size_t bytes) {
        if (shares_memory()) return {};
        const auto of_seconds = [](double seconds) {
            return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        };
        line_free_ = std::max(line_free_, Clock::now()) + of_seconds(static_cast<double>(bytes) / network_.bytes_per_second);
        return line_free_ + of_seconds(network_.latency);
    }

    std::shared_ptr<Letterboxes> boxes_;
    int rank_, count_, cores_;
    Network network_;
    Clock::time_point line_free_;
    std::map<std::pair<int, int>, Bytes> outboxes_, inboxes_;  ///< by rank and channel
    std::vector<HaloBytes> incoming_;                          ///< that finish_exchange waits for
};

std::vector<std::unique_ptr<Transport>> create_thread_ranks(int count, int cores, const Network& network) {
    auto boxes = std::make_shared<Letterboxes>();
    std::vector<std::unique_ptr<Transport>> ranks;
    ranks.reserve(core::at(count));
    for (int rank = 0; rank < count; ++rank) ranks.push_back(std::make_unique<ThreadRank>(boxes, rank, count, cores, network));
    return ranks;
}

/// Serves, and has the others end where that fails.
void serve_to_end(Transport& rank) {
    try {
        serve(rank);
    } catch (const std::exception& error) {
        static_cast<ThreadRank&>(rank).end_because(error.what());
    }
}

}  // namespace

ServingRanks::ServingRanks(int count, int cores, const Network& network) : ranks_(create_thread_ranks(count, cores, network)) {
    try {
        for (std::size_t rank = 1; rank < ranks_.size(); ++rank) threads_.emplace_back([this, rank] { serve_to_end(*ranks_[rank]); });
    } catch (const std::system_error& error) {
        first().end_all(1);
        for (std::thread& thread : threads_) thread.join();
        throw core::DeviceError("cannot start a thread for each of " + std::to_string(count) + " devices: " + error.code().message() +
                                "; use fewer devices");
    }
}

ServingRanks::~ServingRanks() {
    for (std::thread& thread : threads_) thread.join();
}

}  // namespace mottle::ranks
