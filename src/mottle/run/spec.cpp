// mottle/run/spec.cpp: lays the library model, a preset, the user's file and the flags upon each other and reads the sum
#include "mottle/run/spec.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/contents.h"
#include "mottle/run/boundary_rules.h"
#include "mottle/run/layer.h"
#include "mottle/run/memory.h"
#include "mottle/run/mesh_settings.h"
#include "mottle/run/outputs.h"
#include "mottle/run/settings.h"
#include "mottle/run/timeline.h"

#include <algorithm>

namespace mottle::run {

using core::Node;

namespace {

/// The folder of the file that a document was read from; empty for the library and for text from elsewhere.
std::filesystem::path folder_of(const Node& document) {
    const std::string& own = document.span.file;
    const std::string& file = own.empty() && !document.members.empty() ? document.members.front().key_span.file : own;
    return file.starts_with('<') ? std::filesystem::path() : std::filesystem::path(file).parent_path();
}

/// The model that a run file names, or nothing.
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

/// The preset of that name, else the first, else none. Throws: InputError that lists the presets.
std::optional<model::Preset> choose_preset(const std::vector<model::Preset>& presets, const std::string& name, const core::Span& span) {
    if (name.empty()) return presets.empty() ? std::nullopt : std::optional(presets.front());
    std::vector<std::string> known;
    std::string list;
    for (const model::Preset& preset : presets) {
        if (preset.name == name) return preset;
        known.push_back(preset.name);
        list += (list.empty() ? "" : ", ") + preset.name;
    }
    const std::string message =
        "unknown preset '" + name + "'" + core::did_you_mean(name, known, list.empty() ? "the model has none" : "there are " + list);
    if (span.line > 0) throw core::InputError(message, span);
    throw core::InputError(message);
}

struct Sources {
    Node model;  ///< the document of the model, all layers merged
    Layer base, preset, file, flags;
    bool has_file = false;
    std::string preset_name;

    /// In ascending order of weight.
    std::vector<std::pair<Source, const Layer*>> ordered() const {
        return {{Source::model, &base}, {Source::preset, &preset}, {Source::file, &file}, {Source::flags, &flags}};
    }
};

Sources gather(const Node& document, const std::string& preset_name, const Node& flags) {
    Sources sources;
    const std::optional<Node> named = named_model(document);
    const Node& base = named ? *named : document;
    sources.base = layer_of_document(base);
    sources.has_file = named.has_value();
    const Layer own = layer_of_document(document);
    if (named) sources.file = own;

    const std::optional<model::Preset> preset = preset_of(document, preset_name);
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

/// The check asks whether there is a third axis; a surface (no grid) lies in space.
model::Model check_model(Sources& sources, const std::string& name, const domain::Grid* grid) {
    sources.model.at("grid").at("size") = core::text_node(grid ? domain::describe_size(grid->size) : "2x2x2", "size");
    return model::check(sources.model, name);
}

/// The last frame of `at` is the end of the run, unless the number of steps was typed as a flag.
void end_with_frames(Spec& spec, const Sources& sources) {
    const Node* time = sources.flags.tables.find("time");
    const bool typed = time && (time->find("steps") || time->find("end"));
    Index last = -1;
    auto look_at = [&](const FrameTimes& times) {
        if (!times.at.text.empty()) last = std::max(last, frame_steps(times.at, times.frames).back());
    };
    for (const Output& output : spec.outputs) look_at(output.times);
    if (spec.outputs.empty()) look_at(spec.picture.times);
    if (last < 0) return;
    if (!typed) {
        spec.steps = last;
        spec.end_time.reset();
        for (Output& output : spec.outputs)
            output.times.exact = output.times.exact && !output.times.at.text.empty();  // others never chose this end
    } else if (!spec.end_time && spec.steps > 0 && spec.steps < last) {
        spec.notices.push_back("the frames go on to step " + core::grouped(last) + ", but the run ends at step " +
                               core::grouped(spec.steps) + "; the frames after it are left out");
    }
}

/// A model may say how it lies on surfaces and still run on a grid; a flag that then does nothing was meant otherwise.
void refuse_mesh_flags(const Layer& flags, const domain::Grid& grid) {
    const Node* mesh = flags.tables.find("mesh");
    if (!mesh || mesh->members.empty()) return;
    const core::Member& flag = mesh->members.front();
    throw core::InputError(flag.key + " is for surfaces, and this run is on a " + domain::describe(grid) +
                               "; leave it out, or give a mesh" + (flag.key == "scale" ? " (--scale-pixels enlarges pictures)" : ""),
                           flag.value.span);
}

/// A declared range is advice for sliders and for the time step, not a fence; but a value beyond it is worth a word.
void tell_values_out_of_range(Spec& spec) {
    for (const model::Parameter& parameter : spec.model.parameters) {
        if (parameter.map ||
            ((!parameter.min || parameter.value >= *parameter.min) && (!parameter.max || parameter.value <= *parameter.max)))
            continue;
        spec.notices.push_back("warning: " + parameter.name + " = " + core::number_text(parameter.value) +
                               " lies outside its declared range " + (parameter.min ? core::number_text(*parameter.min) : "-inf") + " to " +
                               (parameter.max ? core::number_text(*parameter.max) : "inf"));
    }
}

/// Whether the text gives a grid of three dimensions.
bool has_depth(const Node& tables) {
    const Node* grid = tables.find("grid");
    const Node* size = grid ? grid->find("size") : nullptr;
    if (!size) return false;
    if (size->kind == Node::Kind::array) return size->items.size() == 3;
    return size->kind == Node::Kind::text && domain::parse_size({size->text, size->span})[2] > 1;
}

/// A mesh or picture is not easily made again; a series of numbers is taken to be the run's own.
void refuse_outputs_over_inputs(const Spec& spec) {
    std::vector<std::pair<std::string, std::filesystem::path>> inputs;
    if (!spec.mesh.empty()) inputs.emplace_back("mesh", spec.mesh);
    for (const std::string& picture : field::pictures_of(spec.model)) inputs.emplace_back("picture", spec.initial.folder / picture);
    for (const Output& output : spec.outputs) {
        for (const auto& [what, input] : inputs) {
            std::error_code none;  // a shape is no file, and most outputs are new
            if (!std::filesystem::equivalent(output.sink.file, input, none)) continue;
            throw core::InputError("the output '" + output.sink.file.string() + "' would replace the " + what +
                                   " that the run reads; give it another name");
        }
    }
}

}  // namespace

std::vector<model::Preset> presets_of(const Node& document) {
    std::vector<model::Preset> presets;
    if (const std::optional<Node> named = named_model(document)) presets = model::presets_of(*named);
    for (model::Preset& own : model::presets_of(document)) {
        auto same = std::find_if(presets.begin(), presets.end(), [&](const model::Preset& preset) { return preset.name == own.name; });
        if (same == presets.end())
            presets.push_back(std::move(own));
        else
            *same = std::move(own);
    }
    return presets;
}

std::optional<model::Preset> preset_of(const Node& document, const std::string& name) {
    const Node* key = name.empty() ? document.find("preset") : nullptr;
    return choose_preset(presets_of(document), key ? core::expect_text(*key, "preset") : name, key ? key->span : core::Span{});
}

model::Model read_model(const Node& document, const std::string& name, const std::string& preset, const Node& flags,
                        const domain::Domain& domain) {
    Sources sources = gather(document, preset, flags);
    return check_model(sources, name, std::get_if<domain::Grid>(&domain));
}

core::Node read_model_document(const Node& document, const std::string& preset, const Node& flags) {
    return gather(document, preset, flags).model;
}

Spec read_spec(const Node& document, const std::string& name, const std::string& preset, const Node& flags) {
    Sources sources = gather(document, preset, flags);
    Spec spec;
    spec.preset = sources.preset_name;
    spec.initial.folder = folder_of(document);
    domain::Grid grid;
    grid.size = {512, 512, 1};
    spec.domain = grid;

    Source steps_source = Source::defaults;
    MeshSettings mesh;
    std::vector<BoundaryLayer> rules;
    bool sized = false;  // some source says a size
    const Node *outputs = nullptr, *replaced = nullptr;
    Source outputs_source = Source::file, replaced_source = Source::file;
    for (const auto& [source, layer] : sources.ordered()) {
        apply_settings(spec, layer->tables);
        if (const Node* table = layer->tables.find("grid")) sized = sized || table->find("size");
        const bool own = source == Source::flags || source == Source::file || (source == Source::model && !document.find("model"));
        mesh.apply(layer->tables, own, source == Source::preset, source == Source::flags ? std::filesystem::path() : folder_of(document));
        const bool for_planes = !layer->tables.find("mesh") && !has_depth(layer->tables);
        const bool advice = source == Source::preset || (source == Source::model && for_planes);
        if (const Node* time = layer->tables.find("time")) {
            if (time->find("dt")) spec.dt_is_advice = advice;
            if (time->find("steps") || time->find("end")) {
                steps_source = source;
                spec.steps_are_advice = advice;
            }
        }
        if (const Node* boundary = layer->tables.find("boundary")) {
            using OnMeshes = BoundaryLayer::OnMeshes;
            const Node* surface = layer->tables.find("mesh");
            const bool for_meshes = source == Source::flags || (surface && (surface->find("file") || surface->find("shape")));
            rules.push_back({.rules = boundary,
                             .on_meshes = !own         ? OnMeshes::passed_over
                                          : for_meshes ? OnMeshes::refused
                                                       : OnMeshes::told,
                             .size = std::get<domain::Grid>(spec.domain).size});
        }
        if (const Node* tables = layer->tables.find("output")) {
            if (source == Source::flags && outputs && outputs->kind == Node::Kind::array && !outputs->items.empty()) {
                replaced = &outputs->items.front();
                replaced_source = outputs_source;
            }
            outputs = tables;
            outputs_source = source;
        }
    }
    if (!sized) {
        for (BoundaryLayer& layer : rules) layer.size.reset();
    }
    spec.model = check_model(sources, name, mesh.names_mesh() ? nullptr : &std::get<domain::Grid>(spec.domain));
    if (const Node* force = flags.find("force")) spec.force = core::expect_boolean(*force, "force");
    if (mesh.names_mesh()) {
        domain::Mesh built = mesh.make(spec);
        for (std::string& notice : apply_boundary(built, spec.model, rules)) spec.notices.push_back(std::move(notice));
        spec.domain = std::move(built);
    } else {
        auto& built = std::get<domain::Grid>(spec.domain);
        refuse_mesh_flags(sources.flags, built);
        if (built.size[2] == 1) spec.dt_is_advice = spec.steps_are_advice = false;
        for (std::string& notice : apply_boundary(built, spec.model, rules)) spec.notices.push_back(std::move(notice));
        domain::validate(built);
        if (spec.device != "reference" && !spec.device.starts_with("cuda")) require_one_wrapping_of_a_volume(built, spec.model);
    }

    const OutputPlan plan =
        read_outputs({sources.preset.style, outputs, outputs_source, replaced, replaced_source, sources.flags.style, steps_source},
                     spec.model, spec.domain);
    spec.outputs = plan.outputs;
    spec.picture = plan.picture;
    refuse_outputs_over_inputs(spec);
    end_with_frames(spec, sources);
    tell_values_out_of_range(spec);
    if (!spec.force) check_memory(spec, spec.model.equations.size());
    return spec;
}

}  // namespace mottle::run
