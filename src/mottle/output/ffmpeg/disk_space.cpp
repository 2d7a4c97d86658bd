// mottle/output/ffmpeg/disk_space.cpp: takes disk space before it is written
#include "mottle/output/ffmpeg/disk_space.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mottle::output::ffmpeg {
namespace {

constexpr std::int64_t kShare = std::int64_t{1} << 20;  // taken at a time

}  // namespace

DiskSpace::DiskSpace(const std::string& file)
    : descriptor_(open(file.c_str(), O_WRONLY | O_CLOEXEC)), largest_(std::numeric_limits<std::int64_t>::max()) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) largest_ = static_cast<std::int64_t>(limit.rlim_cur);
}

DiskSpace::~DiskSpace() {
    if (descriptor_ >= 0) close(descriptor_);
}

int DiskSpace::hold(std::int64_t bytes) {
    if (bytes > largest_) return EFBIG;
    if (bytes <= held_ || descriptor_ < 0) return 0;
    for (const std::int64_t wanted : {std::min(bytes + kShare, largest_), bytes}) {
        if (fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, wanted) == 0) {
            held_ = wanted;
            return 0;
        }
        if (errno != ENOSPC && errno != EDQUOT) {  // a file system that holds nothing
            held_ = std::numeric_limits<std::int64_t>::max();
            return 0;
        }
    }
    return errno;
}

void DiskSpace::release() {
    struct stat status {};
    if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0) static_cast<void>(ftruncate(descriptor_, status.st_size) == 0);
}

}  // namespace mottle::output::ffmpeg
