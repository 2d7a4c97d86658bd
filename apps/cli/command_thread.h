// apps/cli/command_thread.h: the thread that a command runs on, with a stack of its own and an end on Ctrl-C whatever it is doing
#pragma once
#include <functional>

namespace mottle::cli {

/// While it lives, files are open that want closing, and the work ends by itself soon after Ctrl-C; else the process may end at once.
class FilesOpen {
   public:
    FilesOpen();
    ~FilesOpen();
    FilesOpen(const FilesOpen&) = delete;
    FilesOpen& operator=(const FilesOpen&) = delete;
};

/// Runs `command` on a thread with a stack that suffices, whatever `ulimit -s` says, and gives back its exit code. Ctrl-C, SIGTERM and a terminal
/// that goes away ask it to end; where it has no files open and does not end within `kGrace`, `interrupted` says so and the process ends with
/// its code. A second signal kills.
int run_command(const std::function<int()>& command, const std::function<int()>& interrupted);

}  // namespace mottle::cli
