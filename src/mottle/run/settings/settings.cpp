// mottle/run/settings/settings.cpp: reads the tables of a run that say where, how and how long
#include "mottle/run/settings/settings.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

namespace mottle::run {

using core::Node;

namespace {

constexpr Index kMostThreads = 1024;

using core::refuse;

std::string shown(const Node& node) {
    switch (node.kind) {
        case Node::Kind::text:
            return "'" + node.text + "'";
        case Node::Kind::integer:
            return std::to_string(node.integer);
        case Node::Kind::number:
            return core::number_text(node.number);
        case Node::Kind::boolean:
            return node.boolean ? "true" : "false";
        case Node::Kind::table:
            return "a table";
        case Node::Kind::array:
            return "a list";
    }
    return "?";
}

/// "a, b, c" or [a, b, c] as one text with commas.
core::Text joined(const Node& node, std::string_view what) {
    if (node.kind != Node::Kind::array) return expect_words(node, what);
    core::Text text{"", node.span};
    for (const Node& item : node.items) {
        if (!text.text.empty()) text.text += ",";
        text.text += joined(item, what).text;
    }
    return text;
}

// ---- [grid]

/// One length for all axes, or one for each of the first.
std::vector<double> read_lengths(const Node& node) {
    const core::Text text = joined(node, "spacing");
    const std::vector<std::string> words = core::split(text.text, ',');
    if (words.empty() || words.size() > 3) refuse("spacing must be one length, or one for each axis, not '" + text.text + "'", text.span);
    std::vector<double> lengths;
    for (const std::string& word : words) {
        double value = 0;
        if (!core::parse_number(word, value)) refuse("spacing must be a length above 0, not '" + word + "'", text.span);
        if (const std::string complaint = domain::complaint_about_spacing(value); !complaint.empty()) refuse(complaint, text.span);
        lengths.push_back(value);
    }
    return lengths;
}

std::array<double, 3> read_spacing(const Node& node) {
    const std::vector<double> lengths = read_lengths(node);
    std::array<double, 3> spacing{1, 1, 1};  // an axis that the list does not reach must have one cell
    if (lengths.size() == 1) spacing.fill(lengths.front());
    std::copy(lengths.begin(), lengths.end(), spacing.begin());
    return spacing;
}

void apply_grid(domain::Grid& grid, const Node& table) {
    core::check_keys(table, {"size", "spacing", "stencil"}, "[grid]");
    if (const Node* size = table.find("size")) {
        core::Text text = joined(*size, "size");
        if (size->kind == Node::Kind::array) {
            for (char& c : text.text) c = c == ',' ? 'x' : c;
        }
        grid.size = domain::parse_size(text);
    }
    if (const Node* spacing = table.find("spacing")) grid.spacing = read_spacing(*spacing);
    if (const Node* stencil = table.find("stencil")) grid.stencil = domain::parse_stencil(joined(*stencil, "stencil"));
}

// ---- [method], [time], [run]

std::string listed_methods() {
    std::vector<std::string> names;
    for (const ir::Scheme& scheme : ir::schemes()) names.emplace_back(scheme.name);
    names.emplace_back(kAutomaticMethod);
    return core::listed(names, "and");
}

void apply_method(Spec& spec, const Node& table) {
    core::check_keys(table, {"name", "stages", "precision", "reaction_rate", "tolerance"}, "[method]");
    if (const Node* name = table.find("name")) {
        const core::Text text = expect_words(*name, "method");
        spec.method_asked = text.text == kAutomaticMethod;
        spec.method_given = !spec.method_asked;
        if (spec.method_given && !ir::find_scheme(text.text))
            refuse("unknown method '" + text.text + "': there are " + listed_methods(), text.span);
        spec.method.name = spec.method_given ? text.text : ir::Method{}.name;
    }
    if (const Node* stages = table.find("stages")) spec.stages = static_cast<int>(expect_count(*stages, "stages", 1, ir::kMostStages));
    if (const Node* tolerance = table.find("tolerance")) {
        spec.tolerance = expect_real(*tolerance, "tolerance");
        if (!(*spec.tolerance > 0 && *spec.tolerance < 1))
            refuse("tolerance is the error allowed as a share of the standard deviation, above 0 and below 1, for example 1e-3, not " +
                       shown(*tolerance),
                   tolerance->span);
    }
    if (const Node* precision = table.find("precision")) {
        const core::Text text = expect_words(*precision, "precision");
        if (text.text != "f32" && text.text != "f64") refuse("precision must be f32 or f64, not '" + text.text + "'", text.span);
        spec.method.f64 = text.text == "f64";
    }
}

/// "steady=1e-4", "steady=newton", "steady=1e-2,newton".
void read_until(Spec& spec, const Node& node) {
    const core::Text text = expect_words(node, "until");
    const std::string_view prefix = "steady=", newton = "newton";
    std::string_view rest = text.text;
    bool good = rest.starts_with(prefix);
    if (good) rest.remove_prefix(prefix.size());
    spec.newton = good && rest.ends_with(newton);
    if (spec.newton) rest.remove_suffix(newton.size());
    double tolerance = kHandOver;
    if (spec.newton && !rest.empty()) {
        good = rest.size() > 1 && rest.ends_with(',');
        if (good) rest.remove_suffix(1);
    }
    if (!spec.newton || !rest.empty()) good = good && core::parse_number(rest, tolerance) && std::isfinite(tolerance) && tolerance > 0;
    if (!good) {
        refuse("until is written steady=TOLERANCE with a tolerance above 0, for example steady=1e-4, or steady=newton, not '" + text.text +
                   "'",
               text.span);
    }
    spec.steady = tolerance;
}

void apply_time(Spec& spec, const Node& table) {
    core::check_keys(table, {"steps", "end", "dt", "until"}, "[time]");
    const Node* steps = table.find("steps");
    const Node* end = table.find("end");
    if (steps && end) refuse("steps and end (--time) both set the length of the run; give only one", end->span);
    if (steps) {
        spec.steps = expect_count(*steps, "steps", 0, kMostSteps);
        spec.end_time.reset();
    }
    if (end) {
        spec.end_time = expect_real(*end, "time");
        if (*spec.end_time < 0) refuse("the time to run must not be negative, it is " + core::number_text(*spec.end_time), end->span);
    }
    if (const Node* dt = table.find("dt")) {
        if (dt->kind == Node::Kind::text && dt->text == "auto") {
            spec.dt.reset();
        } else {
            spec.dt = expect_real(*dt, "dt");
            if (*spec.dt <= 0) refuse("dt must be above 0 (or auto), it is " + core::number_text(*spec.dt), dt->span);
        }
    }
    if (const Node* until = table.find("until")) read_until(spec, *until);
}

std::uint64_t read_seed(const Node& node) {
    if (node.kind == Node::Kind::integer && node.integer >= 0) return static_cast<std::uint64_t>(node.integer);
    std::uint64_t seed = 0;
    if (node.kind == Node::Kind::text) {
        const char* last = node.text.data() + node.text.size();
        const auto [end, error] = std::from_chars(node.text.data(), last, seed);
        if (error == std::errc() && end == last) return seed;
    }
    refuse("seed must be a whole number from 0 to 2^64 - 1, not " + shown(node), node.span);
}

std::string expect_file(const Node& node, const char* what) {
    std::string file = core::expect_text(node, what);
    if (file.empty()) refuse(std::string(what) + " names no file", node.span);
    return file;
}

/// "0,1": cards by their numbers; or names of devices.
std::vector<std::string> read_devices(const Node& node) {
    std::vector<std::string> devices;
    std::istringstream words(core::expect_text(node, "devices"));
    for (std::string word; std::getline(words, word, ',');) {
        const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
        devices.push_back(number ? "cuda:" + word : word);
        device::create_backend(devices.back());  // throws where there is no such name
    }
    if (devices.size() < 2) refuse("devices wants two or more, for example 0,1 for the first two GPUs", node.span);
    return devices;
}

void apply_run(Spec& spec, const Node& table) {
    core::check_keys(table, {"device", "devices", "threads", "schedule", "seed", "checkpoint", "checkpoint_every", "resume"}, "[run]");
    if (const Node* device = table.find("device")) spec.device = core::expect_text(*device, "device");
    if (const Node* devices = table.find("devices")) {
        spec.devices = read_devices(*devices);
        spec.device = spec.devices.front();
        if (table.find("device")) refuse("device and devices are both given; give only one", devices->span);
    }
    if (const Node* threads = table.find("threads")) spec.threads = static_cast<int>(expect_count(*threads, "threads", 1, kMostThreads));
    if (const Node* schedule = table.find("schedule")) spec.schedule_text = {core::expect_text(*schedule, "schedule"), schedule->span};
    if (const Node* seed = table.find("seed")) spec.initial.seed = read_seed(*seed);
    if (const Node* file = table.find("checkpoint")) spec.checkpoint = expect_file(*file, "checkpoint");
    if (const Node* file = table.find("resume")) spec.resume = expect_file(*file, "resume");
    if (const Node* every = table.find("checkpoint_every")) {
        spec.checkpoint_every = expect_real(*every, "checkpoint_every");
        if (!(spec.checkpoint_every > 0)) refuse("checkpoint_every is in seconds and must be above 0, not " + shown(*every), every->span);
        if (spec.checkpoint.empty()) refuse("checkpoint_every needs the file that keeps the state: --checkpoint run.state", every->span);
    }
}

}  // namespace

core::Text expect_words(const Node& node, std::string_view what) {
    if (node.kind == Node::Kind::text) return {node.text, node.span};
    if (node.kind == Node::Kind::integer) return {std::to_string(node.integer), node.span};
    if (node.kind == Node::Kind::number) return {core::number_text(node.number), node.span};
    refuse(std::string(what) + " must be text or a number, not " + shown(node), node.span);
}

double expect_real(const Node& node, std::string_view what) {
    double value = node.number;
    if (!node.is_number() && !(node.kind == Node::Kind::text && core::parse_number(node.text, value)))
        refuse(std::string(what) + " must be a number, not " + shown(node), node.span);
    if (!std::isfinite(value)) refuse(std::string(what) + " must be finite, it is " + core::number_text(value), node.span);
    return value;
}

Index expect_count(const Node& node, std::string_view what, Index lowest, Index highest) {
    const double value = expect_real(node, what);
    if (value != std::floor(value)) refuse(std::string(what) + " must be a whole number, it is " + core::number_text(value), node.span);
    if (value < static_cast<double>(lowest) || value > static_cast<double>(highest)) {
        refuse(
            std::string(what) + " must lie between " + core::grouped(lowest) + " and " + core::grouped(highest) + ", it is " + shown(node),
            node.span);
    }
    return static_cast<Index>(value);
}

void require_lengths_of_axes(const domain::Grid& grid, const Node& spacing) {
    const std::vector<double> lengths = read_lengths(spacing);
    const std::size_t axes = domain::axis_count(grid.size);
    if (lengths.size() == 1 || lengths.size() == axes) return;
    // Model texts of earlier versions give planes a third length, that of all axes or 1.
    const bool says_nothing = spacing.kind == Node::Kind::array && lengths.size() > axes && (lengths[2] == 1 || lengths[2] == lengths[0]);
    if (says_nothing) return;
    refuse("spacing gives " + std::to_string(lengths.size()) + " lengths, and the " + domain::describe(grid) + " has " +
               std::to_string(axes) + " axes; give " + std::to_string(axes) + " lengths, or one for all axes",
           spacing.span);
}

void apply_settings(Spec& spec, const Node& tables) {
    auto& grid = std::get<domain::Grid>(spec.domain);
    if (const Node* table = tables.find("grid")) apply_grid(grid, *table);
    if (const Node* table = tables.find("method")) apply_method(spec, *table);
    if (const Node* table = tables.find("time")) apply_time(spec, *table);
    if (const Node* table = tables.find("run")) apply_run(spec, *table);
}

}  // namespace mottle::run
