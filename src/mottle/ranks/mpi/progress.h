// mottle/ranks/mpi/progress.h: a thread that has MPI go on with an exchange while all others compute
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mottle::ranks {

/// Large messages move only while a rank is in a function of MPI. Between begin and end, `test` is called every now and then, until it is true; nothing
/// else may call MPI then (MPI_THREAD_SERIALIZED).
class Progress {
   public:
    explicit Progress(std::function<bool()> test);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void begin();
    /// When it returns, `test` is called no more.
    void end();

   private:
    void serve();

    std::function<bool()> test_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool active_ = false, ended_ = false;
    std::thread thread_;
};

}  // namespace mottle::ranks
