// mottle/live/server/takeaway.h: a run as files: pictures, videos, data, its state and its model
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/live/server/offered_files.h"
#include "mottle/live/server/player.h"
#include "mottle/output/sink.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace mottle::live {

/// Writes what `save` asks for, as the run stands, into places of `files`. Throws: InputError (what its domain cannot have), DeviceError, OutputError.
std::vector<std::filesystem::path> save_files(Player& player, const Save& save, OfferedFiles& files, core::Context& context);

/// A video that is being recorded.
class Recording {
   public:
    /// Throws: DeviceError (no FFmpeg), InputError, OutputError.
    Recording(Player& player, const Record& record, OfferedFiles& files, core::Context& context);
    /// Adds a frame if one is due at this moment, and those that should have been before it: the video runs as the page did.
    void follow(Player& player);
    /// Seconds until the next one is due.
    double seconds_to_next() const;
    /// Ends it. Throws: OutputError.
    std::filesystem::path finish();

   private:
    std::filesystem::path path_;
    double fps_;
    core::SteadyClock::time_point start_;
    Index frames_ = 0;
    std::unique_ptr<output::Sink> sink_;
};

/// The way in which a page looks at the run, for sinks. `own`: what the model says of it.
output::SinkSpec sink_spec(const Player& player, const Look& look, const std::filesystem::path& file);

}  // namespace mottle::live
