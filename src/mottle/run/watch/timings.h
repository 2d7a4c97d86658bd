// mottle/run/watch/timings.h: where the time of a run goes
#pragma once
#include <chrono>

namespace mottle::run {

/// Wall seconds. `look` is how long the fields were looked at for steps that are too long; `encode` runs beside the rest in the sinks' own threads; `total` is from the constructor to the end of run_to_end.
struct Timings {
    double compile = 0, initial = 0, simulate = 0, look = 0, draw = 0, encode = 0, total = 0;
};

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

}  // namespace mottle::run
