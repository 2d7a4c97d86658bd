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
    /// `first_step`: that of a run which goes on, and `kept` the frames that files of all frames hold from before, by the names of the files. The outputs
    /// must outlive this. Throws: as output::create_sink.
    Drawing(const std::vector<Output>& outputs, Timeline timeline, Index first_step, const FramesOfFiles& kept, const field::Field& field,
            core::Context& context);

    const Timeline& timeline() const { return timeline_; }
    /// Gives their frames to the outputs that draw at `now`.
    void draw(core::Moment now, field::Field& field);
    /// Brings files of all frames up to date. Throws: OutputError.
    void publish();
    /// The frames in files of all frames, for the state of a run.
    const FramesOfFiles& frames() const { return frames_; }
    /// The run has ended here. `early`: before its last frame was due; then a still shows this state.
    void show_end(core::Moment now, field::Field& field, bool early);
    /// Closes all sinks, then throws what the first of them threw that failed.
    void close();
    /// The same after an error, which is the one to tell.
    void close_quietly() noexcept;

    /// What was written: full paths.
    std::vector<std::filesystem::path> files() const;
    /// What there is to say of the colours, once the run has ended in `field`.
    std::vector<std::string> notices(const field::Field& field) const { return range_watch_.notices(field); }
    /// Wall seconds spent here, and in the sinks' own threads.
    double draw_seconds() const { return draw_seconds_; }
    double encode_seconds() const { return encode_seconds_; }

   private:
    bool holds_all_frames(std::size_t output, const domain::Domain& domain) const;

    const std::vector<Output>& outputs_;
    Timeline timeline_;
    std::vector<std::unique_ptr<output::Sink>> sinks_;
    FramesOfFiles frames_;
    RangeWatch range_watch_;
    double draw_seconds_ = 0, encode_seconds_ = 0;
};

}  // namespace mottle::run
