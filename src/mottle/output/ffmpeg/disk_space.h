// mottle/output/ffmpeg/disk_space.h: takes disk space before it is written, so that a video that fills the disk can still be closed
#pragma once
#include <cstdint>
#include <string>

namespace mottle::output::ffmpeg {

/// Space held for one file beyond what it needs at the moment. Where the file system cannot hold space, all of it counts as held.
class DiskSpace {
   public:
    explicit DiskSpace(const std::string& file);
    ~DiskSpace();
    DiskSpace(const DiskSpace&) = delete;
    DiskSpace& operator=(const DiskSpace&) = delete;

    /// 0 if the file may grow to `bytes`, which are then held; else the errno.
    int hold(std::int64_t bytes);
    /// Gives back what is held beyond the end of the file.
    void release();

   private:
    int descriptor_ = -1;
    std::int64_t held_ = 0, largest_;
};

}  // namespace mottle::output::ffmpeg
