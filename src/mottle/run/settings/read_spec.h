// mottle/run/settings/read_spec.h: a model or run file, a preset and flags -> the Spec of a run
#pragma once
#include "mottle/run/settings/sources.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

/// Reads a document: merges `preset` ("": the document's `preset` key, else the model's first) and `flags` (the keys of a preset and of a run file; they
/// win), and checks everything that needs no kernel. The order, later wins: the model of `model = "..."`, the preset, the document's own tables, the flags;
/// a document with no `model` key is the model itself, below its preset.
/// Throws: ModelError, InputError.
Spec read_spec(const core::Node& document, const std::string& name, const std::string& preset, const core::Node& flags,
               const Given& given = {});

/// The model alone, as read_spec has it, where everything else stays: `domain` is that of the run. Throws: ModelError, InputError.
model::Model read_model(const core::Node& document, const std::string& name, const std::string& preset, const core::Node& flags,
                        const domain::Domain& domain);

/// The number of threads alone, 0 being one for each core: no mesh is read for it. Throws: InputError.
int read_threads(const core::Node& document, const std::string& preset, const core::Node& flags);

}  // namespace mottle::run
