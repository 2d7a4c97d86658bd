// mottle/run/settings/sources.h: where the settings of a run come from: the model, its preset, the user's file and the flags
#pragma once
#include "mottle/model/model.h"
#include "mottle/run/settings/layer.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::run {

/// The sources of settings; a later one overrides an earlier one. A file with `model = "..."` overrides its preset; any other file does not.
enum class Source { defaults, model, preset, file, flags };

/// All sources of a run's settings, not yet merged.
struct Sources {
    core::Node model;  ///< the document of the model, all layers merged
    Layer base, preset, file, flags;
    bool has_file = false;  ///< a run file that names its model
    std::string preset_name;

    /// In ascending order of priority.
    std::vector<std::pair<Source, const Layer*>> ordered() const;
};

/// `preset`: "" takes the one that the document names, else the model's first. Throws: InputError.
Sources gather_sources(const core::Node& document, const std::string& preset, const core::Node& flags);

/// The document of the model alone: preset, run file and flags merged into its tables, texts as written.
core::Node read_model_document(const core::Node& document, const std::string& preset, const core::Node& flags);

/// The presets of a document and of the model that it names, in that model's order.
std::vector<model::Preset> presets_of(const core::Node& document);

/// The preset that a run takes: the one named, else the one that the document names, else the first, if there is any. Throws: InputError (no such preset).
std::optional<model::Preset> preset_of(const core::Node& document, const std::string& name);

/// The document of the model that a run file names; nothing where the document is a model itself. Throws: InputError.
std::optional<core::Node> named_model(const core::Node& document);

/// The file that a document was read from; "" for text from elsewhere, "<...>" for a built-in model.
std::string file_of(const core::Node& document);
/// Its folder; empty where there is no file.
std::filesystem::path folder_of(const core::Node& document);

}  // namespace mottle::run
