// apps/cli/bench.cpp: mottle bench: verifies, measures the machine, then Mottle on it
#include "commands.h"
#include "json.h"
#include "terminal.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/provenance.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/device/machine_limits.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/tune/race.h"
#include "mottle/run/watch/self_check.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

namespace mottle::cli {

namespace {

constexpr int kGrayScottOperations = 14;  // of one cell in one step: 5-point stencil, any dt but 1
constexpr std::size_t kMostRounds = 25, kFewestRounds = 3;
constexpr double kLimitsShare = 0.2;  // of the time

struct Job {
    const char *name, *model, *flags;
    int operations;  ///< 0: not counted, its limit is another one
    bool f64;
};
// dt = 1 would save one operation; the count is that of any other.
constexpr std::array kJobs = {
    Job{"gray-scott 256x256", "gray-scott", "size = '256x256'\ndt = 0.9\n", kGrayScottOperations, false},
    Job{"gray-scott 512x512", "gray-scott", "size = '512x512'\ndt = 0.9\n", kGrayScottOperations, false},
    Job{"gray-scott 1024x1024", "gray-scott", "size = '1024x1024'\ndt = 0.9\n", kGrayScottOperations, false},
    Job{"gray-scott 2048x2048", "gray-scott", "size = '2048x2048'\ndt = 0.9\n", kGrayScottOperations, false},
    Job{"gray-scott 512x512 f64", "gray-scott", "size = '512x512'\ndt = 0.9\nprecision = 'f64'\n", kGrayScottOperations, true},
    Job{"chemotaxis sphere:5", "chemotaxis", "mesh = 'sphere:5'\n", 0, false},
};
constexpr std::size_t kSpoken = 1;  // of the closing line

struct Measured {
    std::vector<std::string> checks;
    device::MachineLimits limits;
    std::vector<double> rates;  ///< cell updates per second, as kJobs
    std::string device;
    int threads = 1;

    /// Of the multiply-adds and sums that the threads can do; f64 has half as many.
    std::optional<double> share(std::size_t job) const {
        if (kJobs[job].operations == 0) return std::nullopt;
        return rates[job] * kJobs[job].operations / (limits.operations_all / (kJobs[job].f64 ? 2 : 1));
    }
};

/// Only the line of progress hears anything, and it alone can stop a run.
class BenchObserver final : public core::Observer {
   public:
    explicit BenchObserver(ProgressLine& line) : line_(line) {}
    bool keep_going(core::Moment, double) override { return line_.show(doing); }
    std::string doing;

   private:
    ProgressLine& line_;
};

std::unique_ptr<run::Simulation> start(const Job& job, core::Context& context) {
    const core::Node flags = core::parse_document(std::string(job.flags) + "device = 'cpu'\n", "bench");
    return std::make_unique<run::Simulation>(run::read_spec(model::load_document(job.model), job.model, "", flags), context);
}

/// False if it was interrupted.
bool measure_rates(Measured& measured, double seconds, BenchObserver& observer, core::Context& context) {
    const auto begin = core::SteadyClock::now();
    run::Race race(std::clamp(seconds / 200, 0.01, 0.2));
    std::vector<std::unique_ptr<run::Simulation>> simulations;
    for (const Job& job : kJobs) {
        observer.doing = std::string("starting ") + job.name;
        if (!observer.keep_going({}, 0)) return false;
        simulations.push_back(start(job, context));
        if (!race.enter(*simulations.back())) return false;
    }
    for (std::size_t round = 0; round < kMostRounds; ++round) {
        if (round >= kFewestRounds && core::seconds_since(begin) > seconds) break;
        observer.doing = "measuring Mottle, round " + std::to_string(round + 1);
        for (std::size_t i = 0; i < race.size(); ++i) {
            if (!race.launch(i)) return false;
        }
    }
    measured.device = simulations[0]->backend().name() + " (" + simulations[0]->backend().description() + ")";
    for (std::size_t i = 0; i < race.size(); ++i) {
        measured.rates.push_back(static_cast<double>(domain::cell_count(simulations[i]->spec().domain)) / race.median(i));
    }
    return true;
}

std::string text_of(double value, const char* format) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string row(const std::string& name, const std::string& one, const std::string& all) {
    char line[160];
    std::snprintf(line, sizeof line, "%-30s %16s %16s\n", name.c_str(), one.c_str(), all.c_str());
    return line;
}

std::string closing_line(const Measured& measured) {
    const double seconds = 512.0 * 512 * 10000 / measured.rates[kSpoken];
    return "All results agree to the last bit. 10,000 steps of a 512x512 picture take " + text_of(seconds, "%.2g") +
           " s here; Mottle reaches " + text_of(100 * *measured.share(kSpoken), "%.0f") +
           " % of the peak arithmetic throughput of this machine.\n";
}

std::string summary(const Measured& measured) {
    std::string text = core::cpu_name() + ", " + measured.limits.isa + ", " + std::to_string(measured.threads) +
                       (measured.threads == 1 ? " thread\n" : " threads\n");
    text += "verified, bit for bit against the reference\n";
    for (const std::string& check : measured.checks) text += "  " + check + "\n";
    text += row("limits of this machine", "1 thread", std::to_string(measured.threads) + (measured.threads == 1 ? " thread" : " threads"));
    text += row("  multiply-adds and sums, f32", core::si_text(measured.limits.operations_one, "op/s"),
                core::si_text(measured.limits.operations_all, "op/s"));
    for (const device::CopyLimit& copy : measured.limits.copies) {
        const double kibibytes = static_cast<double>(copy.bytes) / 1024;
        const std::string size = kibibytes < 10240 ? text_of(kibibytes, "%.0f KiB") : text_of(kibibytes / 1024, "%.0f MiB");
        text += row("  copying " + size + ", " + copy.level, core::si_text(copy.one, "B/s"), core::si_text(copy.all, "B/s"));
    }
    text += row("rates of Mottle", "cells/s", "of that");
    for (std::size_t i = 0; i < kJobs.size(); ++i) {
        const std::optional<double> share = measured.share(i);
        text +=
            row(std::string("  ") + kJobs[i].name, core::si_text(measured.rates[i], ""), share ? text_of(100 * *share, "%.0f %%") : "-");
    }
    text += "Shares count " + std::to_string(kGrayScottOperations) +
            " operations per cell, relative to the peak of all threads; a mesh kernel is limited\nby loading the values of neighbours, so "
            "it has "
            "no share.\n";
    return text + closing_line(measured);
}

std::string json(const Measured& measured) {
    std::string copies, rates, checks;
    for (const std::string& check : measured.checks) checks += (checks.empty() ? "" : ", ") + json_text(check);
    for (const device::CopyLimit& copy : measured.limits.copies) {
        JsonObject object;
        object.add("level", json_text(copy.level)).add("bytes", std::to_string(copy.bytes));
        object.add("one_thread", json_number(copy.one)).add("all_threads", json_number(copy.all));
        copies += (copies.empty() ? "" : ", ") + object.text();
    }
    for (std::size_t i = 0; i < kJobs.size(); ++i) {
        JsonObject object;
        object.add("name", json_text(kJobs[i].name)).add("precision", json_text(kJobs[i].f64 ? "f64" : "f32"));
        object.add("cell_updates_per_second", json_number(measured.rates[i]));
        const std::optional<double> share = measured.share(i);
        object.add("operations_per_cell", share ? std::to_string(kJobs[i].operations) : "null");
        object.add("share_of_limit", share ? json_number(*share) : "null");
        rates += (rates.empty() ? "" : ", ") + object.text();
    }
    JsonObject limits, object;
    limits.add("operations_per_second_one_thread", json_number(measured.limits.operations_one));
    limits.add("operations_per_second_all_threads", json_number(measured.limits.operations_all));
    limits.add("copy_bytes_per_second", "[" + copies + "]");
    object.add("verified", "[" + checks + "]").add("cpu", json_text(core::cpu_name())).add("device", json_text(measured.device));
    object.add("isa", json_text(measured.limits.isa)).add("threads", std::to_string(measured.threads));
    object.add("limits", limits.text()).add("rates", "[" + rates + "]").add("version", json_text(core::version()));
    return object.text() + "\n";
}

}  // namespace

int bench(const BenchArguments& arguments) {
    Measured measured;
    measured.threads = arguments.threads > 0 ? arguments.threads : core::available_cores();
    core::ThreadTeam team(measured.threads);
    ProgressLine line(arguments.quiet);
    BenchObserver observer(line);
    core::Context context{team, observer, core::cache_folder()};
    line.show("verifying");
    measured.checks = run::self_check("cpu", context);
    if (line.show("measuring the limits of this machine")) measured.limits = device::measure_limits(team, kLimitsShare * arguments.seconds);
    const bool done = interrupted_by() == 0 && measure_rates(measured, (1 - kLimitsShare) * arguments.seconds, observer, context);
    line.clear();
    if (!done) return kInterrupted;
    if (arguments.json)
        std::cout << json(measured);
    else if (!arguments.quiet)
        std::cout << summary(measured);
    return kDone;
}

}  // namespace mottle::cli
