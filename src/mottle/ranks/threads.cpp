// mottle/ranks/threads.cpp: ranks that are threads of one process: letter boxes behind one lock
#include "mottle/ranks/threads.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace mottle::ranks {
namespace {

class Letterboxes {
   public:
    void put(int from, int to, int channel, std::span<const std::byte> bytes) {
        {
            const std::lock_guard lock(mutex_);
            boxes_[{from, to, channel}].emplace_back(bytes.begin(), bytes.end());
        }
        arrived_.notify_all();
    }

    Bytes take(int from, int to, int channel) {
        std::unique_lock lock(mutex_);
        std::deque<Bytes>& box = boxes_[{from, to, channel}];
        arrived_.wait(lock, [&] { return ended_ || !box.empty(); });
        if (box.empty()) throw core::InternalError("another rank has ended");
        Bytes bytes = std::move(box.front());
        box.pop_front();
        return bytes;
    }

    void end() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        arrived_.notify_all();
    }

   private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    bool ended_ = false;
    std::map<std::tuple<int, int, int>, std::deque<Bytes>> boxes_;  ///< by sender, receiver and channel
};

class ThreadRank final : public Transport {
   public:
    ThreadRank(std::shared_ptr<Letterboxes> boxes, int rank, int count, int cores)
        : boxes_(std::move(boxes)), rank_(rank), count_(count), cores_(cores) {}

    int rank() const override { return rank_; }
    int count() const override { return count_; }
    int cores() const override { return cores_; }
    double share_of_machine() const override { return 1; }
    std::string description() const override { return "threads of one process"; }

    void send(int to, int channel, std::span<const std::byte> bytes) override { boxes_->put(rank_, to, channel, bytes); }
    Bytes receive(int from, int channel) override { return boxes_->take(from, rank_, channel); }

    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
        for (const Outgoing& halo : outgoing) send(halo.to, halo.channel, halo.bytes);
        for (const Incoming& halo : incoming) {
            const Bytes bytes = receive(halo.from, halo.channel);
            if (bytes.size() != halo.bytes.size()) throw core::InternalError("a halo of another size than expected");
            std::copy(bytes.begin(), bytes.end(), halo.bytes.begin());
        }
    }

    void end_all(int) override { boxes_->end(); }

   private:
    std::shared_ptr<Letterboxes> boxes_;
    int rank_, count_, cores_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> create_thread_ranks(int count, int cores) {
    auto boxes = std::make_shared<Letterboxes>();
    std::vector<std::unique_ptr<Transport>> ranks;
    ranks.reserve(core::at(count));
    for (int rank = 0; rank < count; ++rank) ranks.push_back(std::make_unique<ThreadRank>(boxes, rank, count, cores));
    return ranks;
}

}  // namespace mottle::ranks
