// mottle/live/server/events.cpp: writes JSON
#include "mottle/live/server/events.h"

#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/frame/palette.h"
#include "mottle/ir/method.h"
#include "mottle/model/library.h"
#include "mottle/run/settings/read_spec.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace mottle::live {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// Names of files may hold bytes that are no UTF-8.
std::string text_of(const OrderedJson& json) { return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace); }

/// Infinity and NaN are no JSON.
OrderedJson number(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

std::string base64(const frame::Palette& palette) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string digits;
    for (const auto& colour : palette) {  // three bytes are four digits
        const unsigned word = static_cast<unsigned>(colour[0]) << 16 | static_cast<unsigned>(colour[1]) << 8 | colour[2];
        for (const int shift : {18, 12, 6, 0}) digits += kDigits[word >> shift & 63U];
    }
    return digits;
}

std::string text_at(const core::Node& document, std::string_view key) {
    const core::Node* node = document.find(key);
    return node && node->kind == core::Node::Kind::text ? node->text : std::string();
}

OrderedJson presets_json(const core::Node& document) {
    OrderedJson presets = OrderedJson::array();
    for (const model::Preset& preset : run::presets_of(document)) {
        OrderedJson numbers = OrderedJson::object();
        for (const core::Member& member : preset.settings.members) {
            if (member.value.is_number()) numbers[member.key] = member.value.number;
        }
        presets.push_back({{"name", preset.name}, {"about", preset.about}, {"parameters", numbers}});
    }
    return presets;
}

OrderedJson models_json() {
    OrderedJson models = OrderedJson::array();
    for (const model::LibraryModel& each : model::library()) {
        const core::Node document = model::load_document(std::string(each.name));
        OrderedJson presets = OrderedJson::array();
        for (const model::Preset& preset : model::presets_of(document)) presets.push_back(preset.name);
        models.push_back(
            {{"name", each.name}, {"title", text_at(document, "title")}, {"about", text_at(document, "about")}, {"presets", presets}});
    }
    return models;
}

OrderedJson domain_json(const domain::Domain& domain) {
    if (const auto* grid = std::get_if<domain::Grid>(&domain))
        return {{"kind", "grid"}, {"size", grid->size}, {"spacing", grid->spacing}, {"text", domain::describe(domain)}};
    const auto& mesh = std::get<domain::Mesh>(domain);
    return {{"kind", "mesh"},
            {"vertices", mesh.surface->position.size()},
            {"faces", mesh.surface->faces.size()},
            {"text", domain::describe(domain)},
            {"closed", mesh.surface->loops.empty()},
            {"scale", mesh.scale}};
}

/// The rule of all sides, or "mixed".
std::string boundary_of(const run::Spec& spec) {
    const auto* grid = std::get_if<domain::Grid>(&spec.domain);
    if (!grid) return "";
    std::string rule;
    for (std::size_t side = 0; side < grid->sides.size(); ++side) {
        if (grid->size[side / 2] == 1) continue;
        const std::string name = domain::rule_name(grid->sides[side].rule);
        if (!rule.empty() && rule != name) return "mixed";
        rule = name;
    }
    return grid->field_sides.empty() ? rule : "mixed";
}

OrderedJson fields_json(const Player& player) {
    OrderedJson fields = OrderedJson::array();
    for (const model::Equation& equation : player.spec().model.equations) {
        OrderedJson range = nullptr;
        if (equation.range) range = *equation.range;
        const double rest = player.resting_values()[core::at(player.field().find(equation.field))];
        fields.push_back(
            {{"name", equation.field}, {"range", range}, {"rest", number(rest)}, {"unit", equation.unit}, {"about", equation.about}});
    }
    return fields;
}

OrderedJson parameters_json(const model::Model& model) {
    OrderedJson parameters = OrderedJson::array();
    for (const model::Parameter& parameter : model.parameters) {
        parameters.push_back({{"name", parameter.name},
                              {"value", parameter.value},
                              {"min", parameter.min ? OrderedJson(*parameter.min) : OrderedJson(nullptr)},
                              {"max", parameter.max ? OrderedJson(*parameter.max) : OrderedJson(nullptr)},
                              {"about", parameter.about},
                              {"map", parameter.map != nullptr}});
    }
    return parameters;
}

/// The settings that were made beside the text.
OrderedJson settings_json(const core::Node& flags) {
    OrderedJson settings = OrderedJson::object();
    for (const core::Member& flag : flags.members) {
        if (flag.value.kind == core::Node::Kind::text) settings[flag.key] = flag.value.text;
        if (flag.value.is_number()) settings[flag.key] = core::number_text(flag.value.number);
    }
    return settings;
}

OrderedJson range_json(const output::SinkSpec& sink) {
    if (sink.style.range == frame::Style::Range::fixed) return {sink.style.lo, sink.style.hi};
    if (sink.declared_range) return *sink.declared_range;
    return nullptr;
}

OrderedJson answer(const char* event, std::optional<double> about) {
    OrderedJson json{{"event", event}};
    if (about)
        json["about"] = *about == std::floor(*about) && std::abs(*about) < 0x1p53 ? OrderedJson(static_cast<std::int64_t>(*about))
                                                                                  : OrderedJson(*about);
    return json;
}

}  // namespace

std::string hello_event(const run::Simulation& simulation, int threads) {
    OrderedJson palettes = OrderedJson::object(), methods = OrderedJson::array();
    for (const std::string& name : frame::palette_names()) palettes[name] = base64(frame::palette(name));
    for (const ir::Scheme& scheme : ir::schemes()) methods.push_back(scheme.name);
    const backend::Backend& backend = simulation.backend();
    std::string device = backend.name() + " (" + backend.description() + ")";
    if (!backend.on_card()) device += threads == 1 ? ", 1 thread" : ", " + std::to_string(threads) + " threads";
    return text_of({{"event", "hello"},
                    {"version", core::version()},
                    {"device", device},
                    {"palettes", palettes},
                    {"models", models_json()},
                    {"methods", methods},
                    {"shapes", {"sphere:5", "torus", "ellipsoid", "cylinder", "snake", "plane:128x128"}}});
}

std::string model_event(const Player& player, std::optional<double> about) {
    const run::Spec& spec = player.spec();
    const Project& project = player.project();
    const model::Model& model = spec.model;
    const std::string shown = spec.picture.sink.style.field;
    OrderedJson json = answer("model", about);
    json.update({{"generation", player.generation()},
                 {"name", project.name()},
                 {"title", model.title},
                 {"about_text", model.about},
                 {"source", model.source},
                 {"text", project.text()},
                 {"preset", spec.preset},
                 {"fields", fields_json(player)},
                 {"parameters", parameters_json(model)},
                 {"presets", presets_json(project.document())},
                 {"domain", domain_json(spec.domain)},
                 {"refinement", spec.refinement.times},
                 {"dt", player.simulation().dt()},
                 {"stable_dt", number(player.clock().stable_dt)},
                 {"dt_chosen", player.clock().automatic},
                 {"warning", player.dt_warning()},
                 {"method", spec.method.name},
                 {"precision", spec.method.f64 ? "f64" : "f32"},
                 {"seed", std::to_string(spec.initial.seed)},
                 {"steps", player.simulation().steps()},
                 {"boundary", boundary_of(spec)},
                 {"settings", settings_json(project.flags())},
                 {"palette", spec.picture.sink.style.palette},
                 {"shown_field", shown.empty() ? model.equations.back().field : shown},
                 {"range", range_json(spec.picture.sink)}});
    return text_of(json);
}

std::string parameter_event(const Player& player, const std::string& name, double value) {
    return text_of({{"event", "parameter"},
                    {"name", name},
                    {"value", value},
                    {"dt", player.simulation().dt()},
                    {"stable_dt", number(player.clock().stable_dt)},
                    {"warning", player.dt_warning()}});
}

std::string status_event(const Status& status) {
    OrderedJson pace = status.pace.steps_per_second;
    if (status.pace.kind != Pace::Kind::fixed) pace = status.pace.kind == Pace::Kind::most ? "most" : "auto";
    return text_of({{"event", "status"},
                    {"step", status.now.step},
                    {"time", number(status.now.time)},
                    {"playing", status.playing},
                    {"resting", status.resting},
                    {"pace", pace},
                    {"steps_per_second", status.steps_per_second},
                    {"cells_per_second", status.cells_per_second},
                    {"share", status.share ? OrderedJson(*status.share) : OrderedJson(nullptr)},
                    {"undo", status.undo},
                    {"redo", status.redo},
                    {"recording", status.recording}});
}

std::string error_event(const core::Error& error, const std::string& file, const std::string& verb, std::optional<double> about,
                        const std::filesystem::path& folder) {
    const auto said = [&](const std::string& message) { return folder.empty() ? message : core::without(message, folder.string() + "/"); };
    OrderedJson json = answer("error", about);
    json.update({{"do", verb}, {"message", said(error.message())}, {"line", 0}, {"column", 0}, {"length", 0}});
    if (const auto& span = error.span()) {
        const bool of_text = span->file == file && span->line > 0;
        if (of_text) {
            json["line"] = span->line;
            json["column"] = span->column;
            json["length"] = std::max(span->length, 1);
        } else if (!span->file.empty()) {
            json["message"] = said(span->file + ": " + error.message());
        }
    }
    return text_of(json);
}

std::string notice_event(const std::string& message) { return text_of({{"event", "notice"}, {"message", message}}); }

std::string divergence_event(const Divergence& divergence) {
    return text_of({{"event", "diverged"},
                    {"message", divergence.why},
                    {"advice", divergence.advice},
                    {"step", divergence.at.step},
                    {"time", number(divergence.at.time)},
                    {"can_go_back", divergence.can_go_back}});
}

std::string samples_event(core::Moment now, const std::vector<std::string>& fields, const std::map<int, std::vector<double>>& probes) {
    OrderedJson samples = OrderedJson::array();
    for (const auto& [probe, values] : probes) {
        OrderedJson named = OrderedJson::object();
        for (std::size_t i = 0; i < fields.size(); ++i) named[fields[i]] = number(values[i]);
        samples.push_back({{"probe", probe}, {"values", named}});
    }
    return text_of({{"event", "samples"}, {"step", now.step}, {"time", number(now.time)}, {"probes", samples}});
}

std::string file_event(const std::string& name, const std::string& url, std::uintmax_t bytes, std::optional<double> about) {
    OrderedJson json = answer("file", about);
    json.update({{"name", name}, {"url", url}, {"bytes", bytes}});
    return text_of(json);
}

std::string map_running_event(double done) { return text_of({{"event", "map"}, {"state", "running"}, {"done", done}}); }

std::string map_done_event(const MapPicture& picture) {
    return text_of({{"event", "map"},
                    {"state", "done"},
                    {"url", picture.url},
                    {"columns", picture.columns},
                    {"rows", picture.rows},
                    {"tile", {picture.tile_width, picture.tile_height}},
                    {"gap", picture.gap},
                    {"x", picture.x},
                    {"y", picture.y},
                    {"x_name", picture.x_name},
                    {"y_name", picture.y_name}});
}

std::string map_stopped_event() { return text_of({{"event", "map"}, {"state", "stopped"}}); }

}  // namespace mottle::live
