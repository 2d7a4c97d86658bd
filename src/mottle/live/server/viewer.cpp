// mottle/live/server/viewer.cpp: one frame, a few texts, and a line that may be slow
#include "mottle/live/server/viewer.h"

#include "mottle/core/stopwatch.h"
#include "mottle/run/watch/timings.h"

#include <algorithm>

namespace mottle::live {

namespace {

// Frames are packed for a line on which they take longer than that, and after a while as they stand again, to see.
constexpr double kSlow = 0.08, kFast = 0.02;  // seconds
constexpr double kTryAgain = 20;              // seconds
constexpr double kLastFrame = 0.2;            // the weight of the last frame in the mean

}  // namespace

bool Viewer::wants_frame() {
    const std::lock_guard lock(mutex_);
    return visible && has_view && !closed_ && !frame_ && under_way_.size() < kMostUnderWay;
}

void Viewer::offer(Bytes frame, std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    frame_.emplace(std::move(frame), number);
    something_.notify_one();
}

void Viewer::put(Waiting waiting) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (!waiting.name.empty()) {
        const auto same = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return each.name == waiting.name; });
        if (same != waiting_.end()) {
            text_bytes_ += waiting.text.size() - same->text.size();
            *same = std::move(waiting);
            return;
        }
    }
    text_bytes_ += waiting.text.size();
    waiting_.push_back(std::move(waiting));
    if (waiting_.size() > kMostTexts || text_bytes_ > kMostTextBytes) {
        closed_ = true;
        waiting_.clear();
        frame_.reset();
    }
    something_.notify_one();
}

void Viewer::say(std::string text) { put({"", std::move(text), nullptr}); }
void Viewer::say_last(const std::string& name, std::string text) { put({name, std::move(text), nullptr}); }
void Viewer::send(Bytes message) { put({"", "", std::move(message)}); }

std::optional<Parcel> Viewer::next() {
    std::unique_lock lock(mutex_);
    something_.wait(lock, [&] { return closed_ || !waiting_.empty() || frame_; });
    if (closed_) return std::nullopt;
    if (!waiting_.empty()) {
        Waiting first = std::move(waiting_.front());
        waiting_.pop_front();
        text_bytes_ -= first.text.size();
        lock.unlock();
        return Parcel{std::move(first.text), std::move(first.message)};
    }
    auto [frame, number] = *std::exchange(frame_, std::nullopt);
    under_way_.push_back({number, core::SteadyClock::now()});
    const bool packs = packs_;
    lock.unlock();
    if (packs) frame = std::make_shared<const std::vector<std::uint8_t>>(packed(*frame));
    return Parcel{{}, std::move(frame)};
}

void Viewer::acknowledge(std::uint32_t frame) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(under_way_.begin(), under_way_.end(), [&](const UnderWay& each) { return each.number == frame; });
    if (found == under_way_.end()) return;
    seconds_ += kLastFrame * (core::seconds_since(found->sent) - seconds_);
    under_way_.erase(under_way_.begin(), found + 1);
    if (!packs_ && seconds_ > kSlow) {
        packs_ = true;
        packs_since_ = core::SteadyClock::now();
    } else if (packs_ && seconds_ < kFast && core::seconds_since(packs_since_) > kTryAgain) {
        packs_ = false;
    }
}

void Viewer::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    something_.notify_all();
}

bool Viewer::is_closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
}

}  // namespace mottle::live
