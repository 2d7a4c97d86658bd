// tests/unit/output/full_disk.h: a disk that is full
#pragma once
#include <csignal>
#include <cstdint>
#include <sys/resource.h>

namespace limited {

/// Lets no file grow beyond `bytes` while it lives, as a full disk would.
class FullDisk {
   public:
    explicit FullDisk(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &saved_);
        const rlimit limit{static_cast<rlim_t>(bytes), saved_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &saved_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

   private:
    rlimit saved_{};
    void (*handler_)(int);
};

}  // namespace limited
