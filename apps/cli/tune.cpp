// apps/cli/tune.cpp: mottle tune
#include "command_thread.h"
#include "commands.h"
#include "json.h"
#include "terminal.h"

#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/run/tune/tune.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>

namespace mottle::cli {

namespace {

constexpr std::size_t kShown = 10;

struct Found {
    const run::Spec& spec;
    run::Tuning tuning;
    int threads;

    double rate(const run::Trial& trial) const { return static_cast<double>(domain::cell_count(spec.domain)) / trial.seconds_per_step; }
};

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

std::string table(const Found& found) {
    const std::vector<run::Trial>& trials = found.tuning.trials;
    std::vector<std::size_t> order(trials.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return trials[a].seconds_per_step < trials[b].seconds_per_step; });
    std::string text;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t i = order[place];
        if (place >= kShown && i != 0) continue;
        char line[160];
        std::snprintf(line, sizeof line, "%-28s %9.2f us a step  %16s%s\n", backend::print(trials[i].used).c_str(),
                      1e6 * trials[i].seconds_per_step, core::si_text(found.rate(trials[i]), "cells/s").c_str(),
                      i == 0 ? "  (cost model)" : "");
        text += line;
    }
    return text;
}

std::string verdict(const run::Tuning& tuning) {
    if (tuning.trials.empty()) return "Stopped before anything was timed.\n";
    if (tuning.winner == 0) return "best     the schedule of the cost model, which runs use by default\n";
    const std::string best = "best     " + backend::print(tuning.trials[tuning.winner].used) + ", ";
    const run::Pairs& pairs = tuning.pairs;
    const std::string rounds = ", the median of " + core::counted(static_cast<long long>(pairs.rounds), "round", "rounds") +
                               " in turn, of which it won " + std::to_string(pairs.won);
    if (pairs.gain <= 0) return best + "but no faster than the cost model (" + percent(pairs.gain) + rounds + "): not stored\n";
    if (pairs.gain <= run::kTuneGain)
        return best + "but within " + percent(run::kTuneGain) + " of the cost model (" + percent(pairs.gain) + rounds + "): not stored\n";
    const std::string gain = best + percent(pairs.gain) + " faster than the cost model" + rounds + "\n";
    if (!pairs.gains(run::kTuneGain)) return gain + "Not stored: it did not win most of them.\n";
    if (tuning.remembered) return gain + "kept     " + tuning.book.string() + "; runs like this one use it from now on\n";
    if (tuning.book.empty())
        return gain + "Not stored: there is no cache folder; use --schedule \"" + backend::print(tuning.trials[tuning.winner].request) +
               "\"\n";
    if (tuning.stopped) return gain + "Not stored: too few rounds were timed.\n";
    return gain + "Not stored: " + tuning.book.string() + " cannot be written.\n";
}

std::string summary(const Found& found) {
    const run::Spec& spec = found.spec;
    return "tuned    " + spec.model.name + (spec.preset.empty() ? "" : "/" + spec.preset) + ", " + domain::describe(spec.domain) + ", " +
           (spec.method.f64 ? "f64" : "f32") + "\n" + "on       " + found.tuning.device + ", " + std::to_string(found.threads) +
           (found.threads == 1 ? " thread\n" : " threads\n") + table(found) + verdict(found.tuning);
}

std::string json(const Found& found) {
    std::string list;
    for (const run::Trial& trial : found.tuning.trials) {
        JsonObject object;
        object.add("schedule", json_text(backend::print(trial.used)))
            .add("seconds_per_step", json_number(trial.seconds_per_step))
            .add("cell_updates_per_second", json_number(found.rate(trial)))
            .add("launches", std::to_string(trial.launches));
        list += (list.empty() ? "" : ", ") + object.text();
    }
    const run::Tuning& tuning = found.tuning;
    const bool any = !tuning.trials.empty();
    JsonObject object;
    object.add("model", json_text(found.spec.model.name)).add("cells", std::to_string(domain::cell_count(found.spec.domain)));
    object.add("device", json_text(tuning.device))
        .add("precision", json_text(found.spec.method.f64 ? "f64" : "f32"))
        .add("threads", std::to_string(found.threads));
    object.add("schedules", "[" + list + "]")
        .add("cost_model", any ? json_text(backend::print(tuning.trials[0].used)) : "null")
        .add("best", any ? json_text(backend::print(tuning.trials[tuning.winner].used)) : "null")
        .add("gain", json_number(tuning.pairs.gain))
        .add("rounds", std::to_string(tuning.pairs.rounds))
        .add("won", std::to_string(tuning.pairs.won));
    object.add("remembered", tuning.remembered ? "true" : "false")
        .add("book", json_text(tuning.book.string()))
        .add("interrupted", tuning.stopped ? "true" : "false")
        .add("version", json_text(core::version()));
    return object.text() + "\n";
}

}  // namespace

int tune(const RunArguments& arguments, double seconds) {
    const ModelArguments& model = arguments.model;
    if (const core::Node* schedule = model.flags.find("schedule"))
        throw core::InputError("tune searches for a schedule; omit --schedule", schedule->span);
    const core::Node document = model::load_document(model.model);
    run::Spec spec = run::read_spec(document, model_name(model.model), model.preset, model.flags);
    const int threads = spec.threads > 0 ? spec.threads : core::available_cores();
    core::ThreadTeam team(threads);
    TerminalObserver observer(arguments.quiet);
    core::Context context{team, observer, cache_folder()};
    if (const std::string own = backend::print(spec.schedule); !own.empty())
        observer.notice("the file sets schedule = \"" + own + "\", which its runs use whatever is found here");

    const FilesOpen book;  // what was found till then is told and kept
    ProgressLine line(arguments.quiet);
    const run::TuneRequest request{spec, seconds, [&](const std::string& text) { return line.show(text); }};
    const Found found{spec, run::tune(request, context), threads};
    line.clear();
    if (arguments.json)
        std::cout << json(found);
    else if (!arguments.quiet)
        std::cout << summary(found);
    return found.tuning.stopped ? kInterrupted : kDone;
}

}  // namespace mottle::cli
