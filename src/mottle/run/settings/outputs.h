// mottle/run/settings/outputs.h: [[output]] tables and the keys of a picture -> the outputs of a run
#pragma once
#include "mottle/run/settings/sources.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

/// The picture keys of the three sources. The flags win; a preset stands above the [[output]] tables of its own model and below those of a run file.
struct OutputSources {
    const core::Node& preset;
    const core::Node* tables;  ///< the array [[output]], or nullptr
    Source tables_source;
    const core::Node* inherited;  ///< for outputs given by flags: the first [[output]] that they replace, whose look they keep; or nullptr
    Source inherited_source;
    const core::Node& flags;
    Source steps_source;  ///< the source of the number of steps: a number of frames of an earlier source is reduced to fit
};

struct OutputPlan {
    std::vector<Output> outputs;
    Output picture;  ///< without a file: the preset and the flags alone
};

/// Throws: InputError with place: unknown key, field, palette; the same file twice; a key that only the other kind of domain has (a preset, made for both,
/// may hold it); what output::check_sink refuses.
OutputPlan read_outputs(const OutputSources& sources, const model::Model& model, const domain::Domain& domain, output::LooksAtFolder looks);

/// `picture`, which is of a run with `model` on `domain`, with other keys of a picture: all of [[output]] but `file`. Throws: InputError as read_outputs.
Output read_picture(const Output& picture, const core::Node& keys, const model::Model& model, const domain::Domain& domain);

}  // namespace mottle::run
