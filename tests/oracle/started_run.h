// tests/oracle/started_run.h: a simulation from text with all that it needs around it
#pragma once
#include "oracle/mottle_run.h"

#include <filesystem>
#include <string>

namespace oracle {

/// A run of `model` (TOML text) with `settings` (TOML text of flat keys), which stands at its start.
class StartedRun {
   public:
    StartedRun(const std::string& model, const std::string& settings, int threads = 1)
        : team_(threads),
          context_{team_, silent_, kernel_cache()},
          simulation_(mottle::run::read_spec(mottle::core::parse_document(model, "m.toml"), "m", "",
                                             mottle::core::parse_document(settings, "settings")),
                      context_) {}
    mottle::run::Simulation* operator->() { return &simulation_; }
    Fields fields() { return read_fields(simulation_); }

   private:
    mottle::core::ThreadTeam team_;
    Silent silent_;
    mottle::core::Context context_;
    mottle::run::Simulation simulation_;
};

struct StartAndEnd {
    Fields start, end;
};

/// In f64, by `method`. With a `state` the run saves it at its end, or resumes it.
inline StartAndEnd run_by(const std::string& method, const std::string& model, const std::string& settings, int steps, int threads,
                          const std::filesystem::path& state = {}, bool resume = false) {
    std::string text = "precision = \"f64\"\nmethod = \"" + method + "\"\nthreads = " + std::to_string(threads) + "\n" + settings;
    if (!state.empty()) text += (resume ? "resume = \"" : "checkpoint = \"") + state.string() + "\"\n";
    StartedRun run(model, text, threads);
    StartAndEnd made{run.fields(), {}};
    const auto reached = state.empty() ? run->advance_to(steps) : run->run_to_end();
    EXPECT_EQ(reached.at.step, steps) << reached.why;
    made.end = run.fields();
    return made;
}

}  // namespace oracle
