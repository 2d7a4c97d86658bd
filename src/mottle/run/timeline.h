// mottle/run/timeline.h: the events of a run as one merged, generated sequence
#pragma once
#include "mottle/run/settings/spec.h"

#include <optional>
#include <vector>

namespace mottle::run {

struct Event {
    Index step = 0;
    bool draw = false;  ///< some output gets a frame; Timeline::draws says which
    bool test = false;  ///< check --until
    bool end = false;
};

/// The steps of frames 1..frames. Throws: ModelError (the expression), InputError (not finite, negative, not strictly increasing).
std::vector<Index> frame_steps(const core::Text& at, Index frames);

class Timeline {
   public:
    /// `outputs` say when each of them draws. Throws: InputError (more frames than steps, no frame at all, those of frame_steps).
    /// `tests`: steps between two tests for rest; 0: there are none. `factor`: every step that was planned is that many steps now.
    Timeline(const std::vector<FrameTimes>& outputs, Index steps, Index tests, Index factor = 1);
    Index steps() const { return steps_ * factor_; }
    /// The first event after step `after`; nothing when the run is over. Start with -1: without steps the start itself is the one event.
    std::optional<Event> next(Index after) const;
    bool draws(std::size_t output, Index step) const;
    /// Whether the frame of `output` at the last step is drawn only because the run ends there: no multiple of --every, which a longer run lacks.
    bool draws_end_alone(std::size_t output, Index step) const;
    Index frame_count(std::size_t output) const;
    /// Frames at steps up to `step`.
    Index frames_until(std::size_t output, Index step) const;

   private:
    struct Frames {
        FrameTimes times;
        std::vector<Index> at;
    };
    /// The first step after `after` at which `frames` draws, or nothing.
    std::optional<Index> next_frame(const Frames& frames, Index after) const;
    std::optional<Event> next_planned(Index after) const;
    bool draws_planned(std::size_t output, Index step) const { return next_frame(outputs_[output], step - 1) == step; }

    std::vector<Frames> outputs_;
    Index steps_;  ///< planned
    Index tests_;
    Index factor_;
};

}  // namespace mottle::run
