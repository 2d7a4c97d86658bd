// mottle/model/model.cpp: the document of a model, and its presets
#include "mottle/model/model.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/model/library.h"

#include <filesystem>
#include <span>
#include <system_error>

namespace mottle::model {

using core::InputError;
using core::Node;

core::Node load_document(const std::string& name_or_path) {
    if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) return core::read_document(name_or_path);
    std::vector<std::string> names;
    for (const LibraryModel& entry : library()) {
        if (entry.name == name_or_path) return core::parse_document(entry.text, "<library>/" + name_or_path + ".toml");
        names.emplace_back(entry.name);
    }
    std::string advice = "'mottle models' lists all, and a file of your own ends in .toml";
    for (const std::string& file : {name_or_path + ".toml", "./" + name_or_path}) {
        std::error_code none;
        if (!name_or_path.empty() && std::filesystem::is_regular_file(file, none))
            advice = "to read the file of that name write '" + file + "'";
    }
    throw InputError("there is no model '" + name_or_path + "'" + core::did_you_mean(name_or_path, names, advice));
}

namespace {

/// The members of [presets]. Throws: InputError.
std::span<const core::Member> preset_tables(const Node& document) {
    const Node* table = document.find("presets");
    if (!table) return {};
    if (table->kind != Node::Kind::table) throw InputError("'presets' must be tables: [presets.name]", table->span);
    return table->members;
}

/// Throws: InputError, if it is no table.
Preset preset_from(const core::Member& member) {
    if (member.value.kind != Node::Kind::table)
        throw InputError("the preset '" + member.key + "' must be a table: [presets." + member.key + "]", member.value.span);
    Preset preset{member.key, "", member.value};
    if (const Node* about = member.value.find("about")) preset.about = core::expect_text(*about, "about");
    std::erase_if(preset.settings.members, [](const core::Member& m) { return m.key == "about"; });
    return preset;
}

}  // namespace

std::vector<Preset> presets_of(const Node& document) {
    std::vector<Preset> presets;
    for (const core::Member& member : preset_tables(document)) presets.push_back(preset_from(member));
    return presets;
}

std::optional<Preset> find_preset(const Node& document, const std::string& name) {
    for (const core::Member& member : preset_tables(document)) {
        if (name.empty() || member.key == name) return preset_from(member);
    }
    return std::nullopt;
}

}  // namespace mottle::model
