// mottle/run/tune/tune.h: tries schedules of a run against each other on this machine, and remembers the best
#pragma once
#include "mottle/run/tune/race.h"
#include "mottle/run/tune/schedule_book.h"
#include "mottle/run/settings/spec.h"

#include <functional>
#include <string>
#include <vector>

namespace mottle::run {

inline constexpr double kTuneSeconds = 30;
inline constexpr double kTuneGain = 0.02;  ///< less is noise: it is not remembered

struct TuneRequest {
    Spec spec;                      ///< its schedule and outputs are ignored
    double seconds = kTuneSeconds;  ///< in all, about
    /// Called often with a description of the current work; false ends the search with the best schedule so far.
    std::function<bool(const std::string&)> progress = [](const std::string&) { return true; };
    /// What compiles, in place of the backend of spec.device: one of several ranks.
    std::function<std::unique_ptr<backend::Backend>()> backend = {};
    int threads_alone = 0;  ///< above 0: one process with so many threads is compared, too
};

struct Trial {
    backend::Schedule request;  ///< as --schedule takes it; open for the first trial, which is the cost model's
    backend::Schedule used;     ///< as the kernel completed it
    double seconds_per_step = 0;
    std::size_t launches = 0;
};

/// One process against several ranks.
struct Alone {
    double seconds_per_step = 0, ranks_seconds_per_step = 0;
    Pairs pairs;  ///< of the ranks, as runs will take them, and the process
};

struct Tuning {
    std::vector<Trial> trials;  ///< that were timed; the first is the cost model's
    std::size_t winner = 0;
    Pairs pairs;  ///< of the cost model and the winner, launched in turn
    bool remembered = false;
    bool stopped = false;
    std::filesystem::path book;  ///< "" where there is no cache
    std::string device;
    std::optional<Alone> alone;
};

/// All kernels must give the bits of the first after some steps; then they are timed round by round, what falls far behind is left out, and the best
/// runs once more against the cost model. A gain above kTuneGain in most rounds is written to the ScheduleBook; a smaller one takes an older entry out.
/// A schedule that makes the blocks of ranks too thin is left out.
/// Throws: Error as Simulation; InputError (the run diverges; a device without schedules); InternalError (other bits).
Tuning tune(const TuneRequest& request, core::Context& context);

}  // namespace mottle::run
