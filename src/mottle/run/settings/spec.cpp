// mottle/run/settings/spec.cpp: lays the library model, a preset, the user's file and the flags upon each other and reads the sum
#include "mottle/run/settings/spec.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/field/contents.h"
#include "mottle/run/settings/boundary_rules.h"
#include "mottle/run/settings/collisions.h"
#include "mottle/run/settings/layer.h"
#include "mottle/run/settings/memory.h"
#include "mottle/run/settings/mesh_settings.h"
#include "mottle/run/settings/outputs.h"
#include "mottle/run/settings/settings.h"
#include "mottle/run/timeline.h"

#include <algorithm>
#include <unordered_map>

namespace mottle::run {

using core::Node;

namespace {

/// The folder of the file that a document was read from; empty for the library and for text from elsewhere.
std::string file_of(const Node& document) {
    const std::string& own = document.span.file;
    return own.empty() && !document.members.empty() ? document.members.front().key_span.file : own;
}

std::filesystem::path folder_of(const Node& document) {
    const std::string file = file_of(document);
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
    if (!mesh) return;
    const auto meant = std::find_if(mesh->members.begin(), mesh->members.end(), [](const core::Member& member) {
        return member.value.kind != Node::Kind::boolean || member.value.boolean;  // delaunay = false asks for nothing
    });
    if (meant == mesh->members.end()) return;
    const core::Member& flag = *meant;
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

/// Throws: InputError (stages that the method does not have).
void require_stages(const Spec& spec) {
    const ir::Scheme& scheme = ir::scheme_of(spec.method);
    const std::string name = spec.method.name;
    if (!scheme.legendre())
        throw core::InputError("the stages of " + name + " are fixed (" + std::to_string(scheme.fewest_stages()) +
                               "); stages are chosen of --method rkl1 and rkl2");
    if (spec.stages < scheme.fewest_stages() || spec.stages > scheme.most_stages())
        throw core::InputError("a step of " + name + " has " + std::to_string(scheme.fewest_stages()) + " to " +
                               core::grouped(scheme.most_stages()) + " stages, not " + std::to_string(spec.stages));
}

/// Whether the text gives a grid of three dimensions.
bool has_depth(const Node& tables) {
    const Node* grid = tables.find("grid");
    const Node* size = grid ? grid->find("size") : nullptr;
    if (!size) return false;
    if (size->kind == Node::Kind::array) return size->items.size() == 3;
    return size->kind == Node::Kind::text && domain::parse_size({size->text, size->span})[2] > 1;
}

/// Whether the size that counts is a single number in a file: --size 256 is typed for a row, and "256x1" means one.
bool is_row_by_one_number(const Sources& sources) {
    const Node* size = nullptr;
    for (const auto& [source, layer] : sources.ordered()) {
        const Node* grid = layer->tables.find("grid");
        if (const Node* found = grid ? grid->find("size") : nullptr) size = found;
    }
    if (!size) return false;
    if (size->kind == Node::Kind::array) return size->items.size() == 1;
    return size->is_number();
}

/// What the text of the schedule says for the device and the domain of the run.
void read_schedule(Spec& spec) {
    const core::Text& text = spec.schedule_text;
    if (text.text.empty()) return;
    const backend::Family family = device::schedule_family(spec.device, spec.domain);
    try {
        spec.schedule = backend::parse_schedule(text.text, family);
    } catch (const core::InputError& error) {
        throw core::InputError(error.message(), text.span);
    }
}

/// The files that a run reads beside the numbers of others.
NamedFiles inputs_of(const Spec& spec, const Node& document) {
    NamedFiles inputs;
    const auto add_model = [&](const Node& model) {
        if (const std::string file = file_of(model); !file.starts_with('<')) inputs.emplace_back("the model", file);
    };
    add_model(document);
    if (const std::optional<Node> model = named_model(document)) add_model(*model);
    inputs.emplace_back("the mesh", spec.mesh);
    for (const std::string& picture : field::pictures_of(spec.model)) inputs.emplace_back("the picture", spec.initial.folder / picture);
    std::error_code none;
    const bool kept = spec.resume == spec.checkpoint || std::filesystem::equivalent(spec.resume, spec.checkpoint, none);
    if (!kept) inputs.emplace_back("the state", spec.resume);
    return inputs;
}

}  // namespace

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

    Source steps_source = Source::defaults, dt_source = Source::defaults, method_source = Source::defaults;
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
            if (time->find("dt")) {
                spec.dt_is_advice = advice;
                dt_source = source;
            }
            if (time->find("steps") || time->find("end")) {
                steps_source = source;
                spec.steps_are_advice = advice;
            }
        }
        if (const Node* method = layer->tables.find("method"); method && method->find("name")) method_source = source;
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
    const bool any_stages = ir::scheme_of(spec.method).legendre() != nullptr;
    if (spec.stages > 0) require_stages(spec);
    spec.method.stages = spec.stages;
    spec.model = check_model(sources, name, mesh.names_mesh() ? nullptr : &std::get<domain::Grid>(spec.domain));
    if (const Node* force = flags.find("force")) spec.force = core::expect_boolean(*force, "force");
    if (mesh.names_mesh()) {
        domain::Mesh built = mesh.make(spec);
        for (std::string& notice : apply_boundary(built, spec.model, rules)) spec.notices.push_back(std::move(notice));
        spec.domain = std::move(built);
    } else {
        auto& built = std::get<domain::Grid>(spec.domain);
        refuse_mesh_flags(sources.flags, built);
        complete_spacing(built);
        if (is_row_by_one_number(sources)) {
            const std::string cells = std::to_string(built.size[0]);
            spec.notices.push_back("size = " + cells + " is one row of " + cells + " cells; a plane is " + cells + "x" + cells);
        }
        if (built.size[2] == 1) spec.dt_is_advice = spec.steps_are_advice = false;
        for (std::string& notice : apply_boundary(built, spec.model, rules)) spec.notices.push_back(std::move(notice));
        domain::validate(built);
        if (device::sweeps_in_place(spec.device)) require_one_wrapping_of_a_volume(built, spec.model);
    }

    if (any_stages && spec.dt && dt_source < method_source) {  // it was written for another method
        spec.dt_is_advice = true;
        spec.steps_are_advice = steps_source < method_source;
    }
    read_schedule(spec);
    const OutputPlan plan =
        read_outputs({sources.preset.style, outputs, outputs_source, replaced, replaced_source, sources.flags.style, steps_source},
                     spec.model, spec.domain);
    spec.outputs = plan.outputs;
    spec.picture = plan.picture;
    refuse_collisions(spec, inputs_of(spec, document));
    end_with_frames(spec, sources);
    tell_values_out_of_range(spec);
    if (!spec.force) check_memory(spec, spec.model.equations.size());
    return spec;
}

}  // namespace mottle::run
