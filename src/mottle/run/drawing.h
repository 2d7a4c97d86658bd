// mottle/run/drawing.h: the sinks of a run: opened when it begins, given their frames as it goes on, closed however it ends
#pragma once
#include "mottle/run/checkpoint.h"
#include "mottle/run/watch/range_watch.h"
#include "mottle/run/timeline.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mottle::run {

class Drawing {
   public:
    /// How a run ends: at its last step; before it; at rest, by --until; so, and Newton's method has put another state in place of that of the last frame.
    enum class End { planned, early, rest, found };

    /// `first_step`: the step from which a run was resumed; `kept`: what its outputs have from before. The outputs must outlive this.
    /// Throws: as output::create_sink.
    Drawing(const std::vector<Output>& outputs, Timeline timeline, Index first_step, const KeptFrames& kept, const field::Field& field,
            core::Context& context);

    const Timeline& timeline() const { return timeline_; }
    struct Which {
        bool stills = true;    ///< also the pictures of the final state
        bool goes_on = false;  ///< a longer run may go on from the state that will be saved
    };
    /// Draws a frame for each output that is due at `now`.
    void draw(core::Moment now, field::Field& field, Which which);
    void draw(core::Moment now, field::Field& field) { draw(now, field, Which{}); }
    /// Updates the files that hold all frames. Throws: OutputError.
    void publish();
    /// The number of frames of each output that has any, for the saved state: those that a longer run would have, too.
    const FramesOfFiles& frames() const { return frames_; }
    /// Standing::shown, for the same.
    std::map<std::string, Shown> shown(const field::Field& field) const;
    /// The run has ended at `now`. Where it ends before its last step, pictures of the final state show this one; at rest it is a last frame of all other
    /// outputs, too, which does not count in frames(): a run that goes on from here replaces it.
    void show_end(core::Moment now, field::Field& field, End end);
    /// Closes all sinks; then throws the first error that one of them threw. `resumes`: a state will be saved, with which a run may go on; so the files that
    /// hold all frames are published before.
    void close(bool resumes = false);
    /// The same after another error, without throwing.
    void close_quietly() noexcept;

    /// What was written: full paths.
    std::vector<std::filesystem::path> files() const;
    /// Notices about the colours, after the run has ended in `field`.
    std::vector<std::string> notices(const field::Field& field) const { return range_watch_.notices(field); }
    /// Wall seconds spent here, and in the sinks' own threads.
    double draw_seconds() const { return draw_seconds_; }
    double encode_seconds() const { return encode_seconds_; }

   private:
    /// Calls work(output, sink) for each; then throws the first error that one of them threw.
    template <class Work>
    void for_each_sink(const Work& work);
    /// Files of the frames, in one or numbered; no picture of the end, and no sink of the caller's own.
    bool is_series(std::size_t output) const;
    bool holds_all_frames(std::size_t output, const domain::Domain& domain) const;

    const std::vector<Output>& outputs_;
    Timeline timeline_;
    std::vector<std::unique_ptr<output::Sink>> sinks_;
    FramesOfFiles frames_;
    RangeWatch range_watch_;
    double draw_seconds_ = 0, encode_seconds_ = 0;
};

}  // namespace mottle::run
