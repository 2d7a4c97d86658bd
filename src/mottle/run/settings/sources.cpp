// mottle/run/settings/sources.cpp: lays the built-in model, a preset, the user's file and the flags side by side
#include "mottle/run/settings/sources.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <unordered_map>

namespace mottle::run {

using core::Node;

std::string file_of(const Node& document) {
    const std::string& own = document.span.file;
    return own.empty() && !document.members.empty() ? document.members.front().key_span.file : own;
}

std::filesystem::path folder_of(const Node& document) {
    const std::string file = file_of(document);
    return file.starts_with('<') ? std::filesystem::path() : std::filesystem::path(file).parent_path();
}

std::optional<Node> named_model(const Node& document) {
    const Node* name = document.find("model");
    if (!name) return std::nullopt;
    const std::string& text = core::expect_text(*name, "model");
    const bool is_path = text.find('/') != std::string::npos || text.ends_with(".toml");
    Node model;
    try {
        model = model::load_document(is_path ? (folder_of(document) / text).string() : text);
    } catch (const core::InputError& error) {
        if (error.span()) throw;  // inside that model
        throw core::InputError(error.message(), name->span);
    }
    if (model.find("model")) throw core::InputError("model = \"" + text + "\" is itself a run file; name the model it runs", name->span);
    return model;
}

namespace {

[[noreturn]] void refuse_preset(const std::vector<model::Preset>& presets, const std::string& name, const core::Span& span) {
    std::vector<std::string> known;
    std::string list;
    for (const model::Preset& preset : presets) {
        known.push_back(preset.name);
        list += (list.empty() ? "" : ", ") + preset.name;
    }
    const std::string message =
        "unknown preset '" + name + "'" + core::did_you_mean(name, known, list.empty() ? "the model has none" : "there are " + list);
    if (span.line > 0) throw core::InputError(message, span);
    throw core::InputError(message);
}

/// One preset, as presets_of lists it; only that one is copied, as there may be thousands.
std::optional<model::Preset> find_preset(const Node& document, const std::optional<Node>& named, const std::string& name) {
    const std::optional<model::Preset> below = named ? model::find_preset(*named, name) : std::nullopt;
    std::optional<model::Preset> own = model::find_preset(document, below ? below->name : name);
    return own ? own : below;
}

/// The preset of that name, else the one that the document names, else the first, else none. Throws: InputError that lists the presets.
std::optional<model::Preset> choose_preset(const Node& document, const std::optional<Node>& named, const std::string& typed) {
    const Node* key = typed.empty() ? document.find("preset") : nullptr;
    const std::string& name = key ? core::expect_text(*key, "preset") : typed;
    std::optional<model::Preset> preset = find_preset(document, named, name);
    if (!preset && !name.empty()) refuse_preset(presets_of(document), name, key ? key->span : core::Span{});
    return preset;
}

}  // namespace

std::vector<std::pair<Source, const Layer*>> Sources::ordered() const {
    return {{Source::model, &base}, {Source::preset, &preset}, {Source::file, &file}, {Source::flags, &flags}};
}

Sources gather_sources(const Node& document, const std::string& preset_name, const Node& flags) {
    Sources sources;
    const std::optional<Node> named = named_model(document);
    const Node& base = named ? *named : document;
    sources.base = layer_of_document(base);
    sources.has_file = named.has_value();
    const Layer own = layer_of_document(document);
    if (named) sources.file = own;

    const std::optional<model::Preset> preset = choose_preset(document, named, preset_name);
    sources.model = model_part(base);
    const bool own_equations = named && document.find("equations");
    // A preset of a run file may speak of parameters that the same file adds.
    std::vector<std::string> parameters = parameter_names(base);
    if (own_equations) {
        for (const std::string& name : parameter_names(document)) parameters.push_back(name);
    }
    if (preset) {
        sources.preset_name = preset->name;
        sources.preset = layer_of_settings(preset->settings, parameters, "[presets." + preset->name + "]");
        merge_model_tables(sources.model, sources.preset.tables, own_equations);
    }
    if (named) merge_model_tables(sources.model, document, own_equations);
    sources.flags = layer_of_settings(flags, {}, "the settings");
    merge_model_tables(sources.model, sources.flags.tables, false);
    return sources;
}

std::vector<model::Preset> presets_of(const Node& document) {
    std::vector<model::Preset> presets;
    if (const std::optional<Node> named = named_model(document)) presets = model::presets_of(*named);
    std::unordered_map<std::string, std::size_t> index;
    for (const model::Preset& preset : presets) index.emplace(preset.name, index.size());
    for (model::Preset& own : model::presets_of(document)) {
        const auto [at, fresh] = index.emplace(own.name, presets.size());
        if (fresh)
            presets.push_back(std::move(own));
        else
            presets[at->second] = std::move(own);
    }
    return presets;
}

std::optional<model::Preset> preset_of(const Node& document, const std::string& name) {
    return choose_preset(document, named_model(document), name);
}

core::Node read_model_document(const Node& document, const std::string& preset, const Node& flags) {
    return gather_sources(document, preset, flags).model;
}

}  // namespace mottle::run
