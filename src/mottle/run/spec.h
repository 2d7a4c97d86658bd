// mottle/run/spec.h: everything a run needs, read from a model or run file, a preset and flags
#pragma once
#include "mottle/backend/schedule.h"
#include "mottle/core/document.h"
#include "mottle/domain/domain.h"
#include "mottle/field/field.h"
#include "mottle/ir/system.h"
#include "mottle/model/model.h"
#include "mottle/output/sink.h"

#include <optional>
#include <string>
#include <vector>

namespace mottle::run {

using core::Index;

/// When frames are drawn; exactly one of the three is used (at, else every, else frames).
struct FrameTimes {
    Index frames = 300;          ///< frame i of n over S steps is drawn at step floor(i*S/n)
    Index every = 0;             ///< steps k, 2k, ... and S
    std::string at;              ///< expression of n: the step of frame n = 1..frames, rounded; S = the last
};

struct Spec {
    model::Model model;
    std::string preset;                 ///< "" if none
    domain::Domain domain;
    ir::Method method;
    std::optional<double> dt;           ///< none: 0.9 of the explicit bound
    Index steps = 10000;
    std::optional<double> end_time;     ///< set: steps = round(end_time / dt)
    std::optional<double> steady;       ///< --until steady=tol
    FrameTimes times;
    std::vector<output::SinkSpec> outputs;
    std::string device = "auto";
    int threads = 0;                    ///< 0: all cores
    backend::Schedule schedule;
    field::InitialSpec initial;
    bool force = false;
};

/// Reads a document: merges `preset` ("": the document's `preset` key, else the model's first) and `flags` (a document of the same keys; it wins), checks
/// everything that needs no kernel. Throws: ModelError, InputError.
Spec read_spec(const core::Node& document, const std::string& name, const std::string& preset, const core::Node& flags);

}  // namespace mottle::run
