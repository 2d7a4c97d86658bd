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
    void publish() override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_ + (queue_ ? queue_->seconds() : 0); }
    double waited() const override { return waited_ + (queue_ ? queue_->waited() : 0); }
    int threads() const override { return 1; }

   private:
    /// A part of the video is encoded by itself: what follows the frames that the file already holds.
    void begin_part();
    /// Closes the part and puts it behind those frames.
    void end_part(core::Survives survives);
    void put_in_place(core::Survives survives);

    std::filesystem::path path_;
    std::optional<frame::Canvas> canvas_;
    std::array<std::uint8_t, 768> palette_{};
    VideoSpec video_;
    std::optional<core::AtomicFile> file_;  ///< of the part
    std::unique_ptr<VideoEncoder> encoder_;
    std::optional<FrameQueue> queue_;  ///< last: its thread uses the encoder
    core::Index frames_ = 0;           ///< of the part
    core::Index frames_kept_ = 0;      ///< that the file already holds
    bool finished_ = false;
    double seconds_ = 0, waited_ = 0;
};

}  // namespace mottle::output
