// mottle/live/server/session.h: the run and the pages that watch it: requests in, frames and events out, all by one thread
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/live/server/events.h"
#include "mottle/core/cancellation.h"
#include "mottle/live/server/map.h"
#include "mottle/live/server/takeaway.h"
#include "mottle/live/server/viewer.h"
#include "mottle/run/settings/limit_share.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mottle::live {

class Session {
   public:
    /// Begins the run of `project`. `context.observer` hears its notes, too; `files` outlives the session. Throws: Error of the model.
    Session(Project project, core::Context& context, OfferedFiles& files);
    ~Session();

    // ---- the threads of connections

    void join(std::shared_ptr<Viewer> viewer);
    void leave(const std::shared_ptr<Viewer>& viewer);
    /// Takes a message as it came. False: the connection is to end, because there were too many that cannot be read, or too many at once.
    bool receive(const std::shared_ptr<Viewer>& viewer, std::string_view message, int& mistakes);

    // ---- the thread that has the team of the context

    /// Until the cancellation of this thread is asked.
    void run();

   private:
    struct Letter {
        std::shared_ptr<Viewer> from;
        Message message;
        std::size_t bytes = 0;         ///< as it came
        std::uint64_t map = 0;         ///< if it asks for a map: their number so far, this one included
        std::vector<double> replaced;  ///< the ids of texts that came just before this one and were never looked at
    };
    /// Where a probe reads: a row of the domain, and a cell or vertex of it.
    struct Spot {
        Index row = 0, cell = 0;
    };
    /// What the run says while it is prepared and stepped.
    class Speech : public core::Observer {
       public:
        Speech(Session& session, core::Observer& also) : session_(session), also_(also) {}
        void notice(const std::string& message) override;

       private:
        Session& session_;
        core::Observer& also_;
    };

    bool is_asked_to_end() const;
    /// What has come in, for as long as frames can wait. True if there was something.
    bool answer_letters();
    std::optional<Letter> next_letter();
    /// Whether a text of a model is followed by another one of the same page, which then replaces it.
    bool is_replaced(Letter& letter);
    void answer(const Letter& letter);
    void take(const Letter& letter, const ChangeView& request);
    void take(const Letter& letter, const Acknowledge& request);
    void take(const Letter& letter, const SetVisible& request);
    void take(const Letter& letter, const Play& request);
    void take(const Letter& letter, const MakeSteps& request);
    void take(const Letter& letter, const Pace& request);
    void take(const Letter& letter, const Restart& request);
    void take(const Letter& letter, const SetParameter& request);
    void take(const Letter& letter, const Stroke& request);
    void take(const Letter& letter, const Undo& request);
    void take(const Letter& letter, const SetProbe& request);
    void take(const Letter& letter, const ChangeModel& request);
    void take(const Letter& letter, const OpenModel& request);
    void take(const Letter& letter, const TakePreset& request);
    void take(const Letter& letter, const ChangeSettings& request);
    void take(const Letter& letter, const GoBack& request);
    void take(const Letter& letter, const DropImage& request);
    void take(const Letter& letter, const MakeMap& request);
    void take(const Letter& letter, const StopMap& request);
    void take(const Letter& letter, const Record& request);
    void take(const Letter& letter, const Save& request);

    /// Goes on as `project` and tells all pages.
    void become(const Letter& letter, Project project, bool anew);
    void tell_model(const Letter* letter);
    /// Pictures that were dropped and that no start and no map names any more.
    void remove_pictures() const;
    void tell_all(const std::string& text);
    void tell_status();
    void tell_divergence();
    void offer(const Letter& letter, const std::filesystem::path& path);
    /// Throws: OutputError.
    void end_recording(const Letter* letter);
    /// Ends it because something else did; errors are told to all.
    void drop_recording();
    /// Ends it when no page is there that could.
    void watch_recording();
    void fit_views();

    /// Steps that are due now, for as long as there is time until something else is.
    void go_on();
    /// Tells all pages why.
    void stop_playing(const std::string& why);
    Index steps_due();
    bool is_going() const;
    /// The least time between two frames.
    double pause_of_frames() const;
    void send_frames();
    void send_samples(Viewer& viewer);
    void greet_newcomers();
    void greet(Viewer& viewer);
    void measure_rate();
    void wait(double seconds);
    double seconds_to_wait() const;
    std::vector<std::shared_ptr<Viewer>> viewers() const;

    core::Observer& observer_;
    Speech speech_;
    core::Context context_;
    OfferedFiles& files_;

    mutable std::mutex mutex_;
    std::condition_variable something_;
    bool woken_ = false;
    std::deque<Letter> letters_;
    std::size_t letter_bytes_ = 0;  ///< of all of them
    std::uint64_t maps_asked_ = 0;
    std::vector<std::shared_ptr<Viewer>> viewers_;
    std::vector<std::shared_ptr<Viewer>> newcomers_;
    std::uint64_t pages_greeted_ = 0;
    std::uint64_t maps_stopped_ = 0;     ///< maps up to that number are to end
    core::Cancellation* map_ = nullptr;  ///< of the map that is being made
    std::uint64_t map_number_ = 0;

    std::deque<std::string> notices_;  ///< the last ones, for pages that come later
    Player player_;                    ///< which speaks while it is made: behind all that hears it
    run::MachineShare machine_share_;
    FrameMaker frames_;
    bool playing_ = true;
    Pace pace_;
    Index steps_to_make_ = 0;  ///< single steps, while it does not play
    double owed_steps_ = 0;    ///< fractions, at a given pace
    core::SteadyClock::time_point paced_at_, looked_at_, framed_at_, told_at_, measured_at_;
    core::SteadyClock::time_point touched_at_;  ///< when somebody painted last
    bool answered_ = false;                     ///< a letter, since the last frame
    double frame_bytes_ = 0;
    double frame_seconds_ = 0;  ///< that the frames of one moment took last
    core::Moment measured_;
    double steps_per_second_ = 0;
    std::uint32_t frame_ = 0;
    bool status_due_ = true, divergence_told_ = false;
    std::map<int, Spot> probes_;
    std::unique_ptr<Recording> recording_;
    std::shared_ptr<Viewer> recorder_;
    core::SteadyClock::time_point accompanied_at_;  ///< when a page was there last
    std::vector<std::string> left_;                 ///< what is said to the next page that comes
};

}  // namespace mottle::live
