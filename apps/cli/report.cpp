// apps/cli/report.cpp: writes what ran, on what, how fast, and where the files are
#include "report.h"

#include "json.h"
#include "mottle/run/settings/tolerance.h"
#include "mottle/core/provenance.h"
#include "mottle/core/text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace mottle::cli {

namespace {

using stepper::Verdict;

double rate(const Report& report) {
    const double seconds = report.simulation.timings().simulate;
    const stepper::AccuracyRecord* accuracy = report.simulation.accuracy();
    const core::Index steps = accuracy ? accuracy->steps : report.outcome.at.step - report.simulation.first_step();
    const auto updates = static_cast<double>(domain::cell_count(report.simulation.spec().domain)) * static_cast<double>(steps);
    return seconds > 0 ? updates / seconds : 0;
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, seconds < 10 ? "%.3f s" : "%.1f s", seconds);
    return text;
}

std::string short_text(double value) { return core::rounded_text(value, 4); }

std::string verdict_line(const Report& report) {
    const Verdict verdict = report.outcome.verdict;
    if (!stepper::is_at_rest(verdict) && verdict != Verdict::unsettled) return "";
    const field::Field& field = report.simulation.field();
    const std::string name = field.names().back();
    const backend::Statistics last = field.statistics(field.find(name));
    return std::string("verdict  ") + stepper::word_of(verdict) + " at step " + core::grouped(report.outcome.at.step) + ", amplitude of " +
           name + " " + short_text(last.max - last.min) + "\n";
}

std::string share_text(const Report& report) {
    if (!report.share) return "";
    char percent[32];
    std::snprintf(percent, sizeof percent, *report.share < 0.1 ? "%.1f" : "%.0f", 100 * *report.share);
    return std::string(", ") + percent + " % of the peak arithmetic throughput of " +
           (report.threads == 1 ? "one thread" : core::number_text(report.threads) + " threads");
}

}  // namespace

std::string method_text(const ir::Method& method, int stages) {
    if (method.name == ir::Method{}.name) return "";
    const bool staged = ir::scheme_of(method).legendre() != nullptr;
    return " by " + method.name + (staged ? ", " + core::counted(stages, "stage", "stages") + "," : "");
}

namespace {

std::string what_ran(const Report& report) {
    const run::Spec& spec = report.simulation.spec();
    std::string text = spec.model.name + (spec.preset.empty() ? "" : "/" + spec.preset) + ", " + domain::describe(spec.domain) + ", ";
    if (report.simulation.accuracy()) {
        return text + "t = " + time_text(report.outcome.at.time) + " by " + spec.method.name + ", tolerance " +
               core::number_text(*spec.tolerance) + (report.outcome.verdict == Verdict::stopped ? ", interrupted" : "");
    }
    text += core::grouped(report.outcome.at.step) + (report.outcome.at.step == 1 ? " step of " : " steps of ") +
            step_text(report.simulation.dt()) + method_text(spec.method, report.simulation.clock().stages) +
            " to t = " + time_text(report.outcome.at.time);
    if (report.simulation.first_step() > 0) text += ", from step " + core::grouped(report.simulation.first_step());
    if (report.outcome.verdict == Verdict::stopped) text += ", interrupted";
    return text;
}

std::string json_accuracy(double tolerance, const stepper::AccuracyRecord& record) {
    JsonObject object;
    object.add("tolerance", json_number(tolerance)).add("steps", std::to_string(record.steps));
    object.add("evaluations", std::to_string(record.evaluations)).add("stretches", std::to_string(record.stretches));
    object.add("rejected", std::to_string(record.rejected))
        .add("lost", std::to_string(record.lost))
        .add("error", json_number(record.error));
    object.add("largest_error", json_number(record.largest)).add("rounding", json_number(record.rounding));
    return object.add("shortest_dt", json_number(record.shortest)).add("longest_dt", json_number(record.longest)).text();
}

std::string json_steady(const run::SteadySearch& search) {
    const steady::Search& found = search.result;
    JsonObject object;
    object.add("found", found.found ? "true" : "false")
        .add("residual", json_number(found.residual))
        .add("rounding", json_number(found.rounding));
    object.add("iterations", std::to_string(found.iterations)).add("rejected", std::to_string(found.rejected));
    object.add("factors", std::to_string(found.factors));
    object.add("unknowns", std::to_string(found.unknowns)).add("conserved_sums", std::to_string(found.conserved));
    object.add("growing_directions", found.directions ? std::to_string(found.directions->growing) : "null");
    object.add("neutral_directions", found.directions ? std::to_string(found.directions->neutral) : "null");
    return object.add("moved", json_number(found.moved)).add("seconds", json_number(search.seconds)).text();
}

}  // namespace

std::string time_text(double time) { return core::rounded_text(time, 10); }

std::string took_line(const run::Timings& times, double read) {
    constexpr double kWorthTelling = 0.1;
    return "took     " + seconds_text(times.total + read) + ": " + (read < kWorthTelling ? "" : "read " + seconds_text(read) + ", ") +
           "compile " + seconds_text(times.compile) + ", start " + seconds_text(times.initial) + ", simulate " +
           seconds_text(times.simulate) + ", check " + seconds_text(times.look) + ", draw " + seconds_text(times.draw) +
           ", encode in parallel " + seconds_text(times.encode) + "\n";
}

std::string json_seconds(const run::Timings& times, double read) {
    JsonObject seconds;
    seconds.add("read", json_number(read))
        .add("compile", json_number(times.compile))
        .add("simulate", json_number(times.simulate))
        .add("check", json_number(times.look));
    seconds.add("draw", json_number(times.draw));
    return seconds.add("encode", json_number(times.encode)).add("total", json_number(times.total + read)).text();
}

std::string json_statistics(const backend::Statistics& field) {
    JsonObject object;
    object.add("min", json_number(field.min)).add("max", json_number(field.max));
    return object.add("mean", json_number(field.mean)).add("std", json_number(field.std)).text();
}

std::string json_paths(const std::vector<std::filesystem::path>& files) {
    std::string list;
    for (const std::filesystem::path& file : files) list += (list.empty() ? "" : ", ") + json_text(file.string());
    return "[" + list + "]";
}

std::string step_text(double dt) {
    constexpr std::size_t kLong = 12;
    const std::string text = core::number_text(dt);
    return text.size() <= kLong ? text : short_text(dt);
}

std::string summary(const Report& report) {
    const run::Simulation& simulation = report.simulation;
    const run::Timings times = simulation.timings();
    const std::string schedule = backend::print(simulation.kernel().schedule());
    std::string text = "ran      " + what_ran(report) + "\n";
    text += "on       " + simulation.backend().name() + " (" + simulation.backend().description() + "), " + std::to_string(report.threads) +
            (report.threads == 1 ? " thread, " : " threads, ") + (simulation.spec().method.f64 ? "f64" : "f32") +
            (schedule.empty() ? "" : ", " + schedule) + "\n";
    for (const run::Shortening& shortening : simulation.shortenings()) {
        text += "dt       " + step_text(shortening.dt) + " was too long at step " + core::grouped(shortening.at.step) +
                " (t = " + time_text(shortening.at.time) + "): restarted with " + step_text(shortening.dt / 2) + "\n";
    }
    if (const auto* accuracy = simulation.accuracy()) text += "steps    " + run::accuracy_text(*accuracy) + "\n";
    text += took_line(times, report.read);
    if (times.simulate > 0) text += "speed    " + core::si_text(rate(report), "cells/s") + share_text(report) + "\n";
    text += verdict_line(report);
    if (const auto* search = simulation.steady_search()) text += "steady   " + run::search_text(*search) + "\n";
    for (const std::string& name : simulation.field().names()) {
        const backend::Statistics s = simulation.field().statistics(simulation.field().find(name));
        text += "field    " + name + ": " + short_text(s.min) + " to " + short_text(s.max) + ", mean " + short_text(s.mean) + ", std " +
                short_text(s.std) + "\n";
    }
    const std::vector<std::filesystem::path> files = simulation.files();
    for (const std::filesystem::path& file : files) text += "wrote    " + file.string() + "\n";
    const std::filesystem::path& state = simulation.spec().checkpoint;
    if (!state.empty()) text += "state    " + std::filesystem::absolute(state).string() + " (--resume continues from it)\n";
    if (files.empty() && state.empty())
        text += std::string(report.watched ? "Nothing was written" : "Nothing was drawn or written") + "; -o name.mp4 makes a video.\n";
    return text;
}

std::string json(const Report& report) {
    const run::Simulation& simulation = report.simulation;
    const run::Spec& spec = simulation.spec();
    JsonObject fields;
    for (const std::string& name : simulation.field().names())
        fields.add(name, json_statistics(simulation.field().statistics(simulation.field().find(name))));
    JsonObject object;
    object.add("model", json_text(spec.model.name)).add("cells", std::to_string(domain::cell_count(spec.domain)));
    object.add("steps", std::to_string(report.outcome.at.step))
        .add("time", json_number(report.outcome.at.time))
        .add("seconds", json_seconds(simulation.timings(), report.read));
    std::string shortenings;
    for (const run::Shortening& each : simulation.shortenings()) {
        JsonObject one;
        one.add("dt", json_number(each.dt)).add("step", std::to_string(each.at.step)).add("time", json_number(each.at.time));
        shortenings += (shortenings.empty() ? "" : ", ") + one.add("why", json_text(each.why)).text();
    }
    object.add("dt", json_number(simulation.dt())).add("shortened", "[" + shortenings + "]");
    object.add("cell_updates_per_second", json_number(rate(report)))
        .add("fields", fields.text())
        .add("verdict", json_text(stepper::word_of(report.outcome.verdict)));
    object.add("device", json_text(simulation.backend().name())).add("schedule", json_text(backend::print(simulation.kernel().schedule())));
    object.add("method", json_text(spec.method.name))
        .add("stages", std::to_string(ir::stages_of(spec.method)))
        .add("precision", json_text(spec.method.f64 ? "f64" : "f32"));
    if (const auto* accuracy = simulation.accuracy()) object.add("accuracy", json_accuracy(*spec.tolerance, *accuracy));
    if (const auto* search = simulation.steady_search()) object.add("steady", json_steady(*search));
    object.add("threads", std::to_string(report.threads));
    object.add("seed", std::to_string(spec.initial.seed))
        .add("outputs", json_paths(simulation.files()))
        .add("version", json_text(core::version()));
    return object.text() + "\n";
}

std::string json_error(const std::string& kind, const std::string& message, const std::optional<core::Span>& span) {
    const bool placed = span && span->line > 0;
    JsonObject error;
    error.add("kind", json_text(kind))
        .add("message", json_text(message))
        .add("file", span && !span->file.empty() ? json_text(span->file) : "null");
    error.add("line", placed ? std::to_string(span->line) : "null").add("column", placed ? std::to_string(span->column) : "null");
    return JsonObject().add("error", error.text()).text() + "\n";
}

}  // namespace mottle::cli
