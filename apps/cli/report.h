// apps/cli/report.h: the summary of a run, for people and as JSON
#pragma once
#include "mottle/core/error.h"
#include "mottle/run/simulation.h"

#include <optional>
#include <string>

namespace mottle::cli {

struct Report {
    const run::Simulation& simulation;
    stepper::Outcome outcome;
    int threads = 1;
    std::optional<double> share;  ///< of the arithmetic that this machine can do at most
    bool watched = false;         ///< on the terminal
    double read = 0;              ///< seconds
};

/// Lines and values that runs and sweeps tell alike. `read`: the seconds before `times` began, for the model, its mesh and pictures; a line names them where
/// they are a tenth or more.
std::string took_line(const run::Timings& times, double read);
std::string json_seconds(const run::Timings& times, double read);
std::string json_statistics(const backend::Statistics& field);
std::string json_paths(const std::vector<std::filesystem::path>& files);
/// Time is a product and may end in ...0002; a reader needs none of that.
std::string time_text(double time);

/// A dt that divides the time of a run is a fraction: four digits of it say enough. One that was typed is told as it is.
std::string step_text(double dt);
/// " by rk4", " by rkl2, 9 stages,"; nothing of Euler's method.
std::string method_text(const ir::Method& method, int stages);

std::string summary(const Report& report);
/// One object: the keys of docs/command-line.md, numbers as short as reads back.
std::string json(const Report& report);
/// {"error": {"kind", "message", "file", "line", "column"}}.
std::string json_error(const std::string& kind, const std::string& message, const std::optional<core::Span>& span);

}  // namespace mottle::cli
