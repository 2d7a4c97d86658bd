// apps/cli/models.cpp: mottle models, mottle show
#include "commands.h"
#include "json.h"

#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"
#include "mottle/model/library.h"
#include "mottle/run/settings/read_spec.h"

#include <algorithm>
#include <iostream>

namespace mottle::cli {

namespace {

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

std::string text_of(const core::Node& document, std::string_view key) {
    const core::Node* text = document.find(key);
    return text && text->kind == core::Node::Kind::text ? text->text : "";
}

/// One line of a text of several.
std::string on_one_line(const std::string& text) {
    std::string line;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
    }
    return std::string(core::trim(line));
}

/// What a file says for a key of a table: a number or the text of an expression.
std::string written(const core::Node& node) {
    if (node.kind == core::Node::Kind::text) return on_one_line(node.text);
    return node.is_number() ? core::number_text(node.number) : "";
}

void print_expressions(const core::Node& document, std::string_view table, std::string_view before, std::string_view between) {
    const core::Node* found = document.find(table);
    if (!found || found->members.empty()) return;
    std::cout << "\n" << table << "\n";
    std::size_t width = 0;
    for (const core::Member& member : found->members) width = std::max(width, member.key.size());
    for (const core::Member& member : found->members) {
        std::cout << "  " << before << padded(member.key, width) << between << written(member.value) << "\n";
    }
}

void print_parameters(const model::Model& model) {
    if (model.parameters.empty()) return;
    std::cout << "\nparameters\n";
    std::size_t width = 0;
    for (const model::Parameter& parameter : model.parameters) width = std::max(width, parameter.name.size());
    for (const model::Parameter& parameter : model.parameters) {
        std::string line = "  " + padded(parameter.name, width) + " = ";
        const std::string value = parameter.map ? model::print(*parameter.map) : core::number_text(parameter.value);
        line += parameter.min || parameter.max || !parameter.about.empty() ? padded(value, 9) : value;
        if (parameter.min || parameter.max) {
            line += " [" + (parameter.min ? core::number_text(*parameter.min) : "") + " .. " +
                    (parameter.max ? core::number_text(*parameter.max) : "") + "]";
        }
        if (!parameter.about.empty()) line += "  " + parameter.about;
        std::cout << line << "\n";
    }
}

/// The keys of a table as a list of names.
std::string json_names(const core::Node& document, std::string_view table) {
    std::string names;
    if (const core::Node* found = document.find(table)) {
        for (const core::Member& member : found->members) names += (names.empty() ? "" : ", ") + json_text(member.key);
    }
    return "[" + names + "]";
}

std::string json_model(const std::string& name, const core::Node& document) {
    std::string presets;
    for (const model::Preset& preset : model::presets_of(document)) {
        JsonObject object;
        object.add("name", json_text(preset.name)).add("about", json_text(preset.about));
        presets += (presets.empty() ? "" : ", ") + object.text();
    }
    JsonObject object;
    object.add("name", json_text(name));
    for (const std::string_view key : {"title", "about", "source"}) object.add(key, json_text(on_one_line(text_of(document, key))));
    object.add("fields", json_names(document, "equations")).add("parameters", json_names(document, "parameters"));
    return object.add("presets", "[" + presets + "]").text();
}

}  // namespace

std::string model_name(const std::string& argument) {
    const std::filesystem::path path(argument);
    return path.extension() == ".toml" ? path.stem().string() : path.filename().string();
}

int models(bool json) {
    std::size_t width = 0;
    std::string list;
    for (const model::LibraryModel& entry : model::library()) width = std::max(width, entry.name.size());
    for (const model::LibraryModel& entry : model::library()) {
        const core::Node document = core::parse_document(entry.text, std::string(entry.name) + ".toml");
        if (json) {
            list += (list.empty() ? "" : ",\n ") + json_model(std::string(entry.name), document);
            continue;
        }
        const auto presets = std::ssize(model::presets_of(document));
        std::cout << padded(std::string(entry.name), width) << "  " << text_of(document, "title");
        if (presets > 0) std::cout << ", " << core::counted(presets, "preset", "presets");
        std::cout << "\n" << std::string(width + 2, ' ') << on_one_line(text_of(document, "about")) << "\n";
    }
    if (json) std::cout << "[" << list << "]\n";
    return kDone;
}

int show(const std::string& name) {
    const core::Node document = model::load_document(name);
    const core::Node no_flags;
    const run::Spec spec = run::read_spec(document, model_name(name), "", no_flags);
    std::cout << core::printable_text(spec.model.title) << (spec.model.title.empty() ? spec.model.name : " (" + spec.model.name + ")")
              << "\n";
    if (!spec.model.about.empty()) std::cout << spec.model.about << "\n";
    if (!spec.model.source.empty()) std::cout << "Source: " << spec.model.source << "\n";
    const core::Node model = run::read_model_document(document, "", no_flags);
    print_expressions(model, "equations", "d", "/dt = ");
    print_parameters(spec.model);
    print_expressions(model, "define", "", " = ");
    print_expressions(model, "initial", "", " = ");
    const std::vector<model::Preset> presets = run::presets_of(document);
    if (!presets.empty()) {
        const bool first = spec.preset == presets.front().name;
        std::cout << "\npresets (" << (first ? "the first" : spec.preset) << " is the default)\n";
    }
    std::size_t width = 0;
    for (const model::Preset& preset : presets) width = std::max(width, preset.name.size());
    for (const model::Preset& preset : presets) std::cout << "  " << padded(preset.name, width) << "  " << preset.about << "\n";
    return kDone;
}

}  // namespace mottle::cli
