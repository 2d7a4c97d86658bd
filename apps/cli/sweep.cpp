// apps/cli/sweep.cpp: mottle sweep
#include "command_thread.h"
#include "commands.h"
#include "json.h"
#include "ranks.h"
#include "report.h"
#include "terminal.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/ranks/backend.h"
#include "mottle/sweep/sweep.h"

#include <algorithm>
#include <iostream>

namespace mottle::cli {

namespace {

using stepper::Verdict;

std::size_t count_of(const sweep::Sweep& sweep, Verdict verdict) {
    const auto& results = sweep.results();
    return core::at(std::count_if(results.begin(), results.end(), [&](const auto& r) { return r.outcome.verdict == verdict; }));
}

double rate(const sweep::Sweep& sweep) {
    const double seconds = sweep.timings().simulate;
    return seconds > 0 ? sweep.cell_updates() / seconds : 0;
}

/// "30 reached, 5 diverged", in the order in which they come first.
std::string verdicts(const sweep::Sweep& sweep) {
    std::vector<std::pair<std::string, int>> counts;
    for (const sweep::Result& result : sweep.results()) {
        const std::string word = stepper::word_of(result.outcome.verdict);
        auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == word; });
        if (found == counts.end()) found = counts.insert(counts.end(), {word, 0});
        ++found->second;
    }
    std::string text;
    for (const auto& [word, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
    return text;
}

/// Where the spread of a field's ends is least and greatest.
std::string field_line(const sweep::Sweep& sweep, std::size_t field) {
    const sweep::Spec& spec = sweep.spec();
    std::size_t least = 0, most = 0;
    bool any = false;
    for (std::size_t i = 0; i < sweep.results().size(); ++i) {
        if (sweep.results()[i].outcome.verdict == Verdict::diverged) continue;
        auto std_of = [&](std::size_t member) { return sweep.results()[member].fields[field].std; };
        if (!any) least = most = i;
        any = true;
        if (std_of(i) < std_of(least)) least = i;
        if (std_of(i) > std_of(most)) most = i;
    }
    if (!any) return "";
    auto text = [&](std::size_t member) {
        return core::rounded_text(sweep.results()[member].fields[field].std, 4) + " (" + spec.text(member) + ")";
    };
    return "field    " + spec.base.model.equations[field].field + ": std from " + text(least) + " to " + text(most) + "\n";
}

/// Where a table says when each run diverged.
std::string kept(const std::vector<std::filesystem::path>& files) {
    return files.empty() ? "" : "; the files written so far are kept, the last of them is " + files.back().string();
}

/// `beside`: what else it ran on.
std::string summary(const sweep::Sweep& sweep, int threads, const std::string& beside, double read) {
    const sweep::Spec& spec = sweep.spec();
    const run::Spec& base = spec.base;
    const run::Timings times = sweep.timings();
    std::string text = "swept    " + base.model.name + (base.preset.empty() ? "" : "/" + base.preset) + ", " +
                       core::counted(static_cast<long long>(spec.size()), "run", "runs") + " on a " + domain::describe(base.domain) + ", " +
                       core::counted(sweep.now().step, "step", "steps") + " of " + step_text(sweep.clock().dt) +
                       method_text(base.method, sweep.clock().stages) + " to t = " + time_text(sweep.now().time) + "\n";
    for (const sweep::Axis& axis : spec.axes) text += "over     " + sweep::describe(axis) + "\n";
    text += "on       " + sweep.backend().name() + " (" + sweep.backend().description() + beside + "), " + std::to_string(threads) +
            (threads == 1 ? " thread, " : " threads, ") + (base.method.f64 ? "f64" : "f32") + "\n";
    text += took_line(times, read);
    if (times.simulate > 0) text += "speed    " + core::si_text(rate(sweep), "cells/s") + "\n";
    text += "ended    " + verdicts(sweep) + "\n";
    for (std::size_t field = 0; field < base.model.equations.size(); ++field) text += field_line(sweep, field);
    for (const std::filesystem::path& file : sweep.files()) text += "wrote    " + file.string() + "\n";
    if (sweep.files().empty()) text += "Nothing was drawn or written; -o sheet.png draws all final states, -o table.csv lists them.\n";
    return text;
}

std::string json(const sweep::Sweep& sweep, int threads, double read) {
    const sweep::Spec& spec = sweep.spec();
    const run::Spec& base = spec.base;
    JsonObject axes;
    for (const sweep::Axis& axis : spec.axes) {
        std::string values;
        for (const double value : axis.values) values += (values.empty() ? "" : ", ") + json_number(value);
        axes.add(axis.name, "[" + values + "]");
    }
    std::string members;
    for (std::size_t i = 0; i < spec.size(); ++i) {
        const sweep::Result& result = sweep.results()[i];
        JsonObject member, values, fields;
        for (std::size_t a = 0; a < spec.axes.size(); ++a) values.add(spec.axes[a].name, json_number(spec.value(a, i)));
        for (std::size_t f = 0; f < result.fields.size(); ++f) fields.add(base.model.equations[f].field, json_statistics(result.fields[f]));
        if (result.outcome.verdict == Verdict::diverged) member.add("why", json_text(result.outcome.why));
        member.add("values", values.text()).add("verdict", json_text(stepper::word_of(result.outcome.verdict)));
        member.add("steps", std::to_string(result.outcome.at.step)).add("time", json_number(result.outcome.at.time));
        if (!base.tolerance) member.add("dt", json_number(result.dt));
        member.add("fields", fields.text());
        members += (members.empty() ? "" : ", ") + member.text();
    }
    JsonObject object;
    object.add("model", json_text(base.model.name)).add("cells", std::to_string(domain::cell_count(base.domain)));
    object.add("axes", axes.text()).add("members", "[" + members + "]").add("seconds", json_seconds(sweep.timings(), read));
    object.add("cell_updates_per_second", json_number(rate(sweep))).add("device", json_text(sweep.backend().name()));
    object.add("dt", json_number(sweep.clock().dt)).add("seed", std::to_string(base.initial.seed));
    object.add("method", json_text(base.method.name)).add("stages", std::to_string(ir::stages_of(base.method)));
    object.add("precision", json_text(base.method.f64 ? "f64" : "f32")).add("threads", std::to_string(threads));
    object.add("outputs", json_paths(sweep.files())).add("version", json_text(core::version()));
    return object.text() + "\n";
}

}  // namespace

int sweep(const RunArguments& arguments, const std::vector<std::string>& over) {
    const auto start = core::SteadyClock::now();
    const ModelArguments& model = arguments.model;
    const core::Node document = model::load_document(model.model);
    ranks::Transport* const ranks = arguments.link ? &arguments.link->transport() : nullptr;
    const double share = ranks ? ranks->share_of_machine() : 1;
    sweep::Spec spec = sweep::read_spec(document, model_name(model.model), model.preset, model.flags, over, {.share_of_machine = share});
    const double read = core::seconds_since(start);
    const int cores = ranks ? ranks->cores() : core::available_cores(), threads = spec.base.threads > 0 ? spec.base.threads : cores;
    core::ThreadTeam team(threads);
    TerminalObserver observer(arguments.quiet);
    tell_many_threads(threads, observer);
    core::Context context{team, observer, core::cache_folder()};

    const auto cells = static_cast<core::Index>(spec.size()) * domain::cell_count(spec.base.domain);
    sweep::Sweep sweep(std::move(spec), context, arguments.link);
    observer.expect([&sweep] { return sweep.clock().steps; }, cells);
    const bool complete = [&] {
        const FilesOpen files;
        return sweep.run_to_end();
    }();
    observer.clear();

    if (count_of(sweep, Verdict::diverged) == sweep.spec().size()) {
        const std::string message = "all runs diverged; " + sweep.spec().text(0) + ": " + sweep.results()[0].outcome.why + "; " +
                                    run::advice_on_divergence(sweep.clock()) + kept(sweep.files());
        print_error(message);
        if (arguments.json) std::cout << json_error("diverged", message, std::nullopt);
        return kDiverged;
    }
    if (arguments.json)
        std::cout << json(sweep, threads, read);
    else if (!arguments.quiet)
        std::cout << summary(sweep, threads, ranks ? "; " + ranks::describe(*ranks) : "", read);
    return complete ? kDone : kInterrupted;
}

}  // namespace mottle::cli
