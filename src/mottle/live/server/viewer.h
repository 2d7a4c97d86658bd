// mottle/live/server/viewer.h: a connected page: what it looks at, and what waits to be sent to it, of which there is never much
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/live/server/frame.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mottle::live {

/// What goes to a page next.
struct Parcel {
    std::string text;  ///< JSON, or else
    Bytes binary;      ///< values or a geometry
};

/// The thread of the run offers frames and says texts; a thread of the connection takes them, and may be as slow as its line is. Frames are not queued: at
/// most kMostUnderWay are on their way, and one that waits is replaced by the next.
class Viewer {
   public:
    static constexpr std::size_t kMostUnderWay = 2, kMostTexts = 1000, kMostTextBytes = std::size_t{64} << 20;

    // ---- the thread of the run

    std::uint64_t painter = 0;  ///< the number of this page among all that have come
    View view;
    bool visible = true;
    std::uint64_t seen = 0;            ///< the version of the run that was offered last; 0: nothing of this view
    std::uint32_t knows_geometry = 0;  ///< of this generation
    bool has_view = false;             ///< it has said what it looks at, or may be shown all

    /// Whether a frame would be sent soon.
    bool wants_frame();
    void offer(Bytes frame, std::uint32_t number);
    /// In the order of the calls. A page that does not take its texts is let go.
    void say(std::string text);
    /// Replaces what waits under the same name: states of which only the last counts.
    void say_last(const std::string& name, std::string text);
    void send(Bytes message);

    // ---- the thread of the connection

    /// Waits for something to send; nothing: the connection is to end.
    std::optional<Parcel> next();

    // ---- any thread

    void acknowledge(std::uint32_t frame);
    void close();
    bool is_closed();

   private:
    struct Waiting {
        std::string name, text;
        Bytes message;
    };
    struct UnderWay {
        std::uint32_t number = 0;
        core::SteadyClock::time_point sent;
    };
    void put(Waiting waiting);

    std::mutex mutex_;
    std::condition_variable something_;
    std::deque<Waiting> waiting_;
    std::size_t text_bytes_ = 0;  ///< of those that wait
    std::optional<std::pair<Bytes, std::uint32_t>> frame_;
    std::vector<UnderWay> under_way_;
    double seconds_ = 0;  ///< from the sending of a frame to its acknowledgement, lately
    bool packs_ = false;
    core::SteadyClock::time_point packs_since_{};
    bool closed_ = false;
};

}  // namespace mottle::live
