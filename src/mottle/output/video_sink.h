// mottle/output/video_sink.h: frames -> .mp4 or .gif, encoded by a thread of its own
#pragma once
#include "mottle/core/files.h"
#include "mottle/frame/canvas.h"
#include "mottle/output/file_name.h"
#include "mottle/output/frame_queue.h"
#include "mottle/output/sink.h"
#include "mottle/output/video.h"

#include <optional>

namespace mottle::output {

class VideoSink : public Sink {
   public:
    VideoSink(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context);
    void write(core::Moment at, field::Field& field) override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return queue_->seconds() + finish_seconds_; }
    double waited() const override { return queue_->waited() + finish_seconds_; }
    int threads() const override { return 1; }

   private:
    std::filesystem::path path_;
    std::optional<frame::Canvas> canvas_;
    std::optional<core::AtomicFile> file_;
    std::unique_ptr<VideoEncoder> encoder_;
    std::optional<FrameQueue> queue_;  ///< last: its thread uses the encoder
    core::Index frames_ = 0;
    bool finished_ = false, kept_ = false;
    double finish_seconds_ = 0;
};

}  // namespace mottle::output
