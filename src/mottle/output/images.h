// mottle/output/images.h: PNG files: the last frame, all frames of a row of cells, or a numbered file per frame
#pragma once
#include "mottle/frame/canvas.h"
#include "mottle/image/image.h"
#include "mottle/output/file_name.h"
#include "mottle/output/frame_queue.h"
#include "mottle/output/sink.h"

#include <optional>

namespace mottle::output {

/// A picture in the format of a canvas, palette included.
class Still {
   public:
    explicit Still(const frame::Canvas& canvas);
    std::span<std::uint8_t> pixels();
    /// Throws: OutputError.
    void write(const std::filesystem::path& path) const;

   private:
    bool indexed_;
    image::IndexedImage indices_;
    image::Image colours_;
};

/// Keeps the last frame and writes it at the end.
class LastPicture : public Sink {
   public:
    LastPicture(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context);
    void write(core::Moment at, field::Field& field) override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_; }
    double waited() const override { return seconds_; }

   private:
    FileName name_;
    frame::Canvas canvas_;
    Still still_;
    bool drawn_ = false, finished_ = false;
    double seconds_ = 0;
};

/// Of a row of cells: one picture of all frames, each a row of pixels (or of blocks of `scale`), the first at the top. Few frames are drawn higher, so
/// that the picture has kStripHeight rows.
class SpaceTimePicture : public Sink {
   public:
    /// Throws: InputError if the picture would pass 1 GiB, or the one that is to be gone on with is not there.
    SpaceTimePicture(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context);
    void write(core::Moment at, field::Field& field) override;
    void publish() override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_; }
    double waited() const override { return seconds_; }

   private:
    /// Pixel rows of each of so many frames.
    int height_of(int frames) const;
    /// The first frames of the picture in the file, as rows.
    void read_rows(const SinkSpec& spec);
    void save(core::Survives survives);

    FileName name_;
    int scale_;
    frame::Canvas canvas_;
    std::vector<std::uint8_t> strip_, rows_;
    bool changed_ = false, finished_ = false;
    double seconds_ = 0;
};

/// One file per frame, packed and written by a thread of its own.
class NumberedPictures : public Sink {
   public:
    NumberedPictures(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context);
    void write(core::Moment at, field::Field& field) override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return queue_.seconds(); }
    double waited() const override { return queue_.waited(); }
    int threads() const override { return 1; }

   private:
    FileName name_;
    frame::Canvas canvas_;
    Still still_;              ///< of the queue's thread
    core::Index first_ = 1;    ///< number
    core::Index written_ = 0;  ///< of the queue's thread, until it has ended
    bool finished_ = false;
    FrameQueue queue_;  ///< last: its thread uses the members above
};

}  // namespace mottle::output
