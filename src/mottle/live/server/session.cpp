// mottle/live/server/session.cpp: the loop of a live run
#include "mottle/live/server/session.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::live {

using core::seconds_since;
using core::SteadyClock;

namespace {

constexpr double kBetweenFrames = 1.0 / 60;  // seconds
constexpr double kPiece = 0.006,
                 kLongPiece = 0.014;           // seconds of steps: at a pace, and as fast as it goes, where every piece costs a little
constexpr double kLongestPass = 0.03;          // seconds: a pass of fused steps is not cut unless it takes longer
constexpr double kLongestPassTouched = 0.012;  // while somebody paints, who waits for it
constexpr double kTouched = 0.5;               // seconds after the last part of a stroke
constexpr double kNearly = 0.0015;             // seconds: a frame comes so much early rather than a piece late
constexpr double kShareOfFrames = 0.14;        // of the time, at most, goes into making frames
constexpr double kBytesPerSecond = 7.1e7;      // of frames: sending and taking them costs the cores that compute
constexpr double kGrowth = 20;                 // seconds in which a pattern grows, at the automatic pace
constexpr double kRest = 30;                   // seconds without anybody looking
constexpr double kBetweenStatus = 0.1, kRateOver = 0.5;  // seconds
constexpr double kMostBehind = 0.1;                      // seconds of steps that are made up for
constexpr double kLongWait = 0.25;                       // seconds, to look whether the program is to end
constexpr std::size_t kMostLetters = 20000;              // that wait
constexpr std::size_t kMostLetterBytes = 2 * kMostMessageBytes;
constexpr int kMostMistakes = 100;  // in a row

}  // namespace

void Session::Speech::notice(const std::string& message) {
    also_.notice(message);
    constexpr std::size_t kMostNotices = 8;
    session_.notices_.push_back(message);
    if (session_.notices_.size() > kMostNotices) session_.notices_.pop_front();
    session_.tell_all(notice_event(message));
}

Session::Session(Project project, core::Context& context, OfferedFiles& files)
    : observer_(context.observer),
      speech_(*this, context.observer),
      context_{context.team, speech_, context.cache},
      files_(files),
      player_(std::move(project), context_),
      machine_share_(run::MachineShare::of_machine(context_)),
      frames_(context_.team) {
    accompanied_at_ = paced_at_ = looked_at_ = framed_at_ = told_at_ = measured_at_ = SteadyClock::now();
}

Session::~Session() = default;

// ---- the threads of connections

void Session::join(std::shared_ptr<Viewer> viewer) {
    const std::lock_guard lock(mutex_);
    newcomers_.push_back(std::move(viewer));
    woken_ = true;
    something_.notify_one();
}

void Session::leave(const std::shared_ptr<Viewer>& viewer) {
    viewer->close();
    const std::lock_guard lock(mutex_);
    std::erase(viewers_, viewer);
    std::erase(newcomers_, viewer);
    std::erase_if(letters_, [&](const Letter& letter) {
        if (letter.from != viewer) return false;
        letter_bytes_ -= letter.bytes;
        return true;
    });
}

bool Session::receive(const std::shared_ptr<Viewer>& viewer, std::string_view text, int& mistakes) {
    Letter letter{.from = viewer, .message = {}, .bytes = text.size(), .replaced = {}};
    const auto refuse = [&](const core::Error& error) {
        const Heading heading = heading_of(text);
        viewer->say(error_event(error, "", heading.verb, heading.id));
        return ++mistakes < kMostMistakes;
    };
    try {
        letter.message = parse_message(text);
    } catch (const core::Error& error) {
        return refuse(error);
    } catch (const std::bad_alloc&) {
        return refuse(core::DeviceError("this machine does not have enough memory for that message"));
    }
    mistakes = 0;
    if (const auto* acknowledged = std::get_if<Acknowledge>(&letter.message.request)) viewer->acknowledge(acknowledged->frame);
    const std::lock_guard lock(mutex_);
    if (letters_.size() >= kMostLetters || letter_bytes_ + letter.bytes > kMostLetterBytes) return false;
    if (std::holds_alternative<MakeMap>(letter.message.request)) letter.map = ++maps_asked_;
    if (std::holds_alternative<StopMap>(letter.message.request)) {
        maps_stopped_ = maps_asked_;
        if (map_ && map_number_ <= maps_stopped_) map_->ask();
    }
    letter_bytes_ += letter.bytes;
    letters_.push_back(std::move(letter));
    woken_ = true;
    something_.notify_one();
    return true;
}

// ---- the thread of the run

bool Session::is_asked_to_end() const {
    const core::Cancellation* cancellation = core::CancellationScope::current();
    return cancellation && cancellation->is_asked();
}

std::vector<std::shared_ptr<Viewer>> Session::viewers() const {
    const std::lock_guard lock(mutex_);
    return viewers_;
}

void Session::tell_all(const std::string& text) {
    for (const auto& viewer : viewers()) viewer->say(text);
}

void Session::run() {
    while (!is_asked_to_end()) {
        greet_newcomers();
        const bool changed = answer_letters();
        answered_ = answered_ || changed;
        if (changed) send_frames();  // before steps that may take longer
        try {
            go_on();
        } catch (const core::Error& error) {
            stop_playing(error.message());
        } catch (const std::bad_alloc&) {
            stop_playing("this machine does not have enough memory for that");
        }
        if (recording_ && recording_->seconds_to_next() <= 0) {
            try {
                recording_->follow(player_);
            } catch (const core::Error& error) {
                tell_all(notice_event("the recording has ended: " + error.message()));
                recording_.reset();
                recorder_.reset();
                status_due_ = true;
            }
        }
        watch_recording();
        for (const std::string& notice : player_.take_notices()) {
            speech_.notice(notice);
            tell_model(nullptr);
        }
        if (player_.divergence() && !divergence_told_) tell_divergence();
        measure_rate();
        send_frames();
        if (changed || status_due_ || (is_going() && seconds_since(told_at_) >= kBetweenStatus)) tell_status();
        wait(seconds_to_wait());
    }
    drop_recording();
    for (const auto& viewer : viewers()) viewer->close();
}

bool Session::is_going() const { return (playing_ || steps_to_make_ > 0) && !player_.divergence() && seconds_since(looked_at_) < kRest; }

Index Session::steps_due() {
    const double elapsed = std::min(seconds_since(paced_at_), kMostBehind);
    paced_at_ = SteadyClock::now();
    if (!playing_) return std::exchange(steps_to_make_, 0);
    if (pace_.kind == Pace::Kind::most) return run::kMostSteps;
    const double growth = std::max(static_cast<double>(player_.simulation().steps()) / kGrowth, 1.0);
    owed_steps_ += (pace_.kind == Pace::Kind::fixed ? pace_.steps_per_second : growth) * elapsed;
    const double due = std::floor(owed_steps_);
    owed_steps_ -= due;
    return static_cast<Index>(due);
}

void Session::go_on() {
    if (!is_going()) {
        paced_at_ = SteadyClock::now();
        owed_steps_ = 0;
        return;
    }
    Index due = steps_due();
    // One piece, so that letters and frames wait for no longer; what is due beyond it is owed, as far as the machine can follow at all.
    if (due <= 0) return;
    const Index before = player_.simulation().now().step;
    // pieces of the same length up to the next frame, so that it is not late by what a last short one would take
    const double until_frame = std::max(pause_of_frames() - seconds_since(framed_at_), kPiece);
    const double piece = std::max(until_frame / std::ceil(until_frame / kLongPiece), kPiece);
    const bool touched = seconds_since(touched_at_) < kTouched;
    player_.advance(pace_.kind == Pace::Kind::most && !touched ? piece : kPiece, due, touched ? kLongestPassTouched : kLongestPass);
    const Index left = due - (player_.simulation().now().step - before);
    if (!playing_) {
        steps_to_make_ += left;
        status_due_ = true;
    } else if (pace_.kind != Pace::Kind::most) {
        owed_steps_ += std::min(static_cast<double>(left), kMostBehind * static_cast<double>(due) / kPiece);
    }
}

void Session::stop_playing(const std::string& why) {
    playing_ = false;
    steps_to_make_ = 0;
    status_due_ = true;
    tell_all(notice_event("the run stands still: " + why));
}

void Session::measure_rate() {
    const double elapsed = seconds_since(measured_at_);
    if (elapsed < kRateOver) return;
    const core::Moment now = player_.simulation().now();
    steps_per_second_ = std::max(0.0, static_cast<double>(now.step - measured_.step) / elapsed);
    measured_ = now;
    measured_at_ = SteadyClock::now();
}

void Session::tell_status() {
    const run::Simulation& simulation = player_.simulation();
    Status status{.now = simulation.now(),
                  .playing = (playing_ || steps_to_make_ > 0) && !player_.divergence(),
                  .resting = seconds_since(looked_at_) >= kRest,
                  .recording = recording_ != nullptr,
                  .pace = pace_,
                  .steps_per_second = steps_per_second_,
                  .cells_per_second = steps_per_second_ * static_cast<double>(domain::cell_count(player_.spec().domain)),
                  .share = std::nullopt,
                  .undo = player_.undo_count(),
                  .redo = player_.redo_count()};
    if (const std::optional<double> each = run::operations_of_step(simulation); playing_ && each)
        status.share = machine_share_.of(*each * steps_per_second_, simulation.timings().simulate);
    for (const auto& viewer : viewers()) viewer->say_last("status", status_event(status));
    told_at_ = SteadyClock::now();
    status_due_ = false;
}

void Session::tell_divergence() {
    divergence_told_ = true;
    status_due_ = true;
    tell_all(divergence_event(*player_.divergence()));
}

void Session::greet_newcomers() {
    std::vector<std::shared_ptr<Viewer>> newcomers;
    {
        const std::lock_guard lock(mutex_);
        newcomers.swap(newcomers_);
        viewers_.insert(viewers_.end(), newcomers.begin(), newcomers.end());
    }
    for (const auto& viewer : newcomers) {
        viewer->painter = ++pages_greeted_;
        greet(*viewer);
        looked_at_ = SteadyClock::now();
    }
}

void Session::greet(Viewer& viewer) {
    viewer.say(hello_event(player_.simulation(), context_.team.size()));
    viewer.say(model_event(player_, std::nullopt));
    viewer.view = whole_view(player_.spec().domain, player_.simulation().field().find(player_.spec().model.equations.back().field));
    const std::string& shown = player_.spec().picture.sink.style.field;
    if (!shown.empty()) viewer.view.field = player_.simulation().field().find(shown);
    viewer.has_view = true;
    for (const std::string& notice : notices_) viewer.say(notice_event(notice));
    for (std::string& event : std::exchange(left_, {})) viewer.say(std::move(event));
    if (player_.divergence()) viewer.say(divergence_event(*player_.divergence()));
    status_due_ = true;
}

void Session::send_samples(Viewer& viewer) {
    if (probes_.empty()) return;
    const field::Field& field = player_.field();
    std::map<int, std::vector<double>> values;
    std::vector<double> cells(core::at(domain::row_length(player_.spec().domain)));
    for (const auto& [probe, spot] : probes_) {
        for (ir::Array array = 0; array < field.kernel().program().field_count(); ++array) {
            field.kernel().read_row(field.state(), array, spot.row, std::span<double>(cells));
            values[probe].push_back(cells[core::at(spot.cell)]);
        }
    }
    viewer.say_last("samples", samples_event(player_.simulation().now(), field.names(), values));
}

/// What a page has done is seen at once; frames take half of the time at most.
double Session::pause_of_frames() const {
    if (answered_) return frame_seconds_;
    return std::max({kBetweenFrames, frame_seconds_ / kShareOfFrames, frame_bytes_ / kBytesPerSecond});
}

void Session::send_frames() {
    if (seconds_since(framed_at_) + kNearly < pause_of_frames() && is_going()) return;
    struct Made {
        View view;
        Bytes bytes;
        std::uint32_t number;
    };
    std::vector<Made> made;
    const auto start = SteadyClock::now();
    for (const auto& viewer : viewers()) {
        if (viewer->visible) looked_at_ = SteadyClock::now();
        if (viewer->seen == player_.version() || !viewer->wants_frame()) continue;
        if (const auto* mesh = std::get_if<domain::Mesh>(&player_.spec().domain);
            mesh && viewer->knows_geometry != player_.generation() + 1) {
            viewer->send(std::make_shared<const std::vector<std::uint8_t>>(make_geometry(*mesh, player_.generation())));
            viewer->knows_geometry = player_.generation() + 1;
        }
        auto same = std::find_if(made.begin(), made.end(), [&](const Made& each) { return each.view == viewer->view; });
        if (same == made.end()) {
            const Stamp stamp{++frame_, player_.generation(), player_.simulation().now()};
            made.push_back({viewer->view, frames_.make(player_.field(), viewer->view, stamp), stamp.frame});
            same = made.end() - 1;
        }
        viewer->offer(same->bytes, same->number);
        viewer->seen = player_.version();
        send_samples(*viewer);
    }
    if (made.empty()) return;
    answered_ = false;
    frame_bytes_ = 0;
    for (const Made& each : made) frame_bytes_ += static_cast<double>(each.bytes->size());
    framed_at_ = start;
    frame_seconds_ = seconds_since(start);
}

double Session::seconds_to_wait() const {
    if (!is_going()) return kLongWait;
    const bool behind = owed_steps_ >= 1;  // a machine that cannot follow the pace does not rest
    if (playing_ && pace_.kind != Pace::Kind::most && !behind) {
        double until = pause_of_frames() - seconds_since(framed_at_);
        if (recording_) until = std::min(until, recording_->seconds_to_next());
        // Where frames are not taken, steps go on at their own pace.
        return std::clamp(until, 0.001, kBetweenFrames);
    }
    return 0;
}

void Session::wait(double seconds) {
    std::unique_lock lock(mutex_);
    const auto is_woken = [&] { return woken_ || !letters_.empty(); };
    if (seconds > 0) something_.wait_for(lock, std::chrono::duration<double>(seconds), is_woken);
    woken_ = false;
}

}  // namespace mottle::live
