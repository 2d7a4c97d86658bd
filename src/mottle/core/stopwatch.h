// mottle/core/stopwatch.h: wall time that passes, in seconds
#pragma once
#include <chrono>

namespace mottle::core {

/// The clock of all measurements: it never jumps when the time of the day is set.
using SteadyClock = std::chrono::steady_clock;

inline double seconds_since(SteadyClock::time_point start) { return std::chrono::duration<double>(SteadyClock::now() - start).count(); }

/// Adds the wall time of a scope to a figure.
class Stopwatch {
   public:
    explicit Stopwatch(double& seconds) : seconds_(seconds), start_(SteadyClock::now()) {}
    ~Stopwatch() { seconds_ += seconds_since(start_); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    double& seconds_;
    SteadyClock::time_point start_;
};

}  // namespace mottle::core
