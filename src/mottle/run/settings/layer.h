// mottle/run/settings/layer.h: one source of settings (a file, a preset, the flags) brought to one shape: nested tables and the keys of a picture
#pragma once
#include "mottle/core/document.h"

#include <string>
#include <vector>

namespace mottle::run {

/// `tables` holds [parameters], [grid], [boundary], ... as a file has them. `style` holds the keys of [[output]] that go for every output.
struct Layer {
    core::Node tables;
    core::Node style;
};

/// From a document: its tables alone. Throws: InputError on an unknown table or key of a run.
Layer layer_of_document(const core::Node& document);

/// From the flat keys of a preset or of the flags; whole tables may stand among them. A parameter's name wins over a key of a run.
/// Throws: InputError on an unknown key, with the nearest.
Layer layer_of_settings(const core::Node& settings, const std::vector<std::string>& parameters, const std::string& where);

/// The keys that layer_of_settings takes beside the names of parameters.
std::vector<std::string> setting_names();

/// The names in [parameters] of a document.
std::vector<std::string> parameter_names(const core::Node& document);

/// Lays the tables that belong to the model (parameters, initial, clamp, ...) upon `model`. A parameter keeps its declared range.
/// `may_add`: new parameters are allowed. Throws: InputError, an unknown parameter with the nearest name.
void merge_model_tables(core::Node& model, const core::Node& over, bool may_add);

/// The document of a model alone: without the tables of a run.
core::Node model_part(const core::Node& document);

}  // namespace mottle::run
