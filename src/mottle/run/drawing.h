// mottle/run/drawing.h: the sinks of a run: opened when it begins, given their frames as it goes on, closed however it ends
#pragma once
#include "mottle/run/range_watch.h"
#include "mottle/run/timeline.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mottle::run {

class Drawing {
   public:
    /// `first_step`: that of a run which goes on. The outputs must outlive this. Throws: as output::create_sink.
    Drawing(const std::vector<Output>& outputs, Timeline timeline, Index first_step, const field::Field& field, core::Context& context);

    const Timeline& timeline() const { return timeline_; }
    /// Gives their frames to the outputs that draw at `now`.
    void draw(core::Moment now, field::Field& field);
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
    const std::vector<Output>& outputs_;
    Timeline timeline_;
    std::vector<std::unique_ptr<output::Sink>> sinks_;
    RangeWatch range_watch_;
    double draw_seconds_ = 0, encode_seconds_ = 0;
};

}  // namespace mottle::run
