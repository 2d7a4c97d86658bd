// apps/cli/models.cpp: mottle models, mottle show
#include "commands.h"

#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"
#include "mottle/model/library.h"
#include "mottle/run/spec.h"

#include <algorithm>
#include <iostream>

namespace mottle::cli {

namespace {

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

std::string title_of(const core::Node& document) {
    const core::Node* title = document.find("title");
    return title && title->kind == core::Node::Kind::text ? title->text : "";
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

}  // namespace

std::string model_name(const std::string& argument) {
    const std::filesystem::path path(argument);
    return path.extension() == ".toml" ? path.stem().string() : path.filename().string();
}

int models() {
    std::size_t width = 0;
    for (const model::LibraryModel& entry : model::library()) width = std::max(width, entry.name.size());
    for (const model::LibraryModel& entry : model::library()) {
        const core::Node document = core::parse_document(entry.text, std::string(entry.name) + ".toml");
        const core::Node* presets = document.find("presets");
        const std::size_t count = presets ? presets->members.size() : 0;
        std::cout << padded(std::string(entry.name), width) << "  " << title_of(document);
        if (count > 0) std::cout << ", " << count << (count == 1 ? " preset" : " presets");
        std::cout << "\n";
    }
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
