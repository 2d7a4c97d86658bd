// apps/cli/tune.cpp: mottle tune
#include "command_thread.h"
#include "commands.h"
#include "json.h"
#include "ranks.h"
#include "terminal.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/run/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numeric>

namespace mottle::cli {

namespace {

constexpr std::size_t kShown = 10;

/// Where the run is tuned.
struct Place {
    int threads;  ///< of each rank
    int ranks = 1;
    int together = 0;  ///< threads that one process would have in place of the ranks of this machine; 0: there are other machines, or cards
    bool bound = false;  ///< and rank 0 may not run on their cores
};

struct Found {
    const run::Spec& spec;
    run::Tuning tuning;
    Place place;

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
    if (order.size() > kShown)
        order.erase(std::remove_if(order.begin() + kShown, order.end(), [](std::size_t i) { return i != 0; }), order.end());
    std::size_t width = 28;
    for (const std::size_t i : order) width = std::max(width, backend::print(trials[i].used).size());
    std::string text;
    for (const std::size_t i : order) {
        std::string schedule = backend::print(trials[i].used);
        schedule.resize(width, ' ');
        char line[96];
        std::snprintf(line, sizeof line, " %9.2f us a step  %16s%s\n", 1e6 * trials[i].seconds_per_step,
                      core::si_text(found.rate(trials[i]), "cells/s").c_str(), i == 0 ? "  (cost model)" : "");
        text += schedule + line;
    }
    return text;
}

std::string threads_text(int threads) { return core::counted(threads, "thread", "threads"); }

/// Whether one process is faster than the ranks of this machine; "" where that is no question.
std::string advice(const Found& found) {
    const Place& place = found.place;
    if (place.together == 0) return "";
    const std::string one = "threads  one process with " + threads_text(place.together);
    if (place.bound)
        return one + " was not measured: ranks are bound to cores, and rank 0 may use " + std::to_string(core::available_cores()) +
               " of them; `mpirun --bind-to none` lets it use all\n";
    if (!found.tuning.alone) return "";
    const run::Alone& alone = *found.tuning.alone;
    const auto rate = [&](double seconds) {
        return core::si_text(static_cast<double>(domain::cell_count(found.spec.domain)) / seconds, "cells/s");
    };
    const std::string ranks = std::to_string(place.ranks) + " ranks";
    const std::string both = one + ": " + rate(alone.seconds_per_step) + ", " + ranks + ": " + rate(alone.ranks_seconds_per_step) + "; ";
    const auto as_fast = [&](double times) {
        return (times < 100 ? core::rounded_text(times, 3) : core::grouped(std::llround(times))) + " times as fast in the median of " +
               core::counted(static_cast<long long>(alone.pairs.rounds), "round", "rounds");
    };
    const double times = 1 + alone.pairs.gain;
    if (alone.pairs.gains(run::kTuneGain))
        return both + "one process is " + as_fast(times) + ": prefer `mottle run --threads " + std::to_string(place.together) + "`\n";
    if (times < 1 - run::kTuneGain) return both + "the ranks are " + as_fast(1 / times) + ": prefer them\n";
    return both + "neither is clearly faster\n";
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
           (spec.method.f64 ? "f64" : "f32") + "\n" + "on       " + found.tuning.device + ", " + threads_text(found.place.threads) +
           (found.place.ranks > 1 ? " on each\n" : "\n") + table(found) + verdict(found.tuning) + advice(found);
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
        .add("ranks", std::to_string(found.place.ranks))
        .add("threads", std::to_string(found.place.threads));
    object.add("schedules", "[" + list + "]")
        .add("cost_model", any ? json_text(backend::print(tuning.trials[0].used)) : "null")
        .add("best", any ? json_text(backend::print(tuning.trials[tuning.winner].used)) : "null")
        .add("gain", json_number(tuning.pairs.gain))
        .add("rounds", std::to_string(tuning.pairs.rounds))
        .add("won", std::to_string(tuning.pairs.won));
    std::string alone = "null";
    if (tuning.alone) {
        JsonObject one;
        one.add("threads", std::to_string(found.place.together))
            .add("seconds_per_step", json_number(tuning.alone->seconds_per_step))
            .add("ranks_seconds_per_step", json_number(tuning.alone->ranks_seconds_per_step))
            .add("gain", json_number(tuning.alone->pairs.gain));
        alone = one.text();
    }
    object.add("one_process", alone);
    object.add("remembered", tuning.remembered ? "true" : "false")
        .add("book", json_text(tuning.book.string()))
        .add("interrupted", tuning.stopped ? "true" : "false")
        .add("version", json_text(core::version()));
    return object.text() + "\n";
}

Place place_of(const run::Spec& spec, ranks::Link* link) {
    Place place{threads_of(spec, link)};
    if (!link) return place;
    const ranks::Transport& transport = link->transport();
    place.ranks = transport.count();
    if (transport.share_of_machine() < 1 || backend_of(spec, link, place.threads)->on_card()) return place;
    place.bound = transport.is_bound();
    const int all = place.threads * place.ranks;
    place.together = place.bound ? all : std::min(all, core::available_cores());
    return place;
}

}  // namespace

int tune(const RunArguments& arguments, double seconds) {
    const ModelArguments& model = arguments.model;
    if (const core::Node* schedule = model.flags.find("schedule"))
        throw core::InputError("tune searches for a schedule; omit --schedule", schedule->span);
    const core::Node document = model::load_document(model.model);
    run::Spec spec = run::read_spec(document, model_name(model.model), model.preset, model.flags, given_to(arguments.link));
    require_one_device(spec, arguments.link);
    const Place place = place_of(spec, arguments.link);
    core::ThreadTeam team(place.threads);
    TerminalObserver observer(arguments.quiet);
    core::Context context{team, observer, core::cache_folder()};
    if (const std::string own = backend::print(spec.schedule); !own.empty())
        observer.notice("the file sets schedule = \"" + own + "\", which its runs use whatever is found here");

    const FilesOpen book;  // what was found till then is told and kept
    ProgressLine line(arguments.quiet);
    run::TuneRequest request{.spec = spec, .seconds = seconds, .progress = [&](const std::string& text) { return line.show(text); }};
    if (arguments.link) request.backend = [&] { return backend_of(spec, arguments.link, place.threads); };
    if (!place.bound) request.threads_alone = place.together;
    const Found found{spec, run::tune(request, context), place};
    line.clear();
    if (arguments.json)
        std::cout << json(found);
    else if (!arguments.quiet)
        std::cout << summary(found);
    return found.tuning.stopped ? kInterrupted : kDone;
}

}  // namespace mottle::cli
