// mottle/run/settings/read_spec.cpp: what all sources say becomes the Spec of a run
#include "mottle/run/settings/read_spec.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/field/contents.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/run/settings/boundary_rules.h"
#include "mottle/run/settings/collisions.h"
#include "mottle/run/settings/memory.h"
#include "mottle/run/settings/mesh_settings.h"
#include "mottle/run/settings/method_choice.h"
#include "mottle/run/settings/outputs.h"
#include "mottle/run/settings/settings.h"
#include "mottle/run/timeline.h"

#include <algorithm>

namespace mottle::run {

using core::Node;

namespace {

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
                               core::grouped(spec.steps) + "; the frames after it are omitted");
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
    throw core::InputError(flag.key + " is for surfaces, but this run is on a " + domain::describe(grid) +
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

/// What the text of the schedule says for the device and the domain of a run on `ranks`.
void read_schedule(Spec& spec, int ranks) {
    const core::Text& text = spec.schedule_text;
    if (text.text.empty()) return;
    const backend::Family family = device::schedule_family(spec.device, spec.domain);
    try {
        spec.schedule = backend::parse_schedule(text.text, family);
        const backend::Spread spread = backend::spread_of(spec.schedule);
        if (spread.blocks) backend::require_blocks(*spread.blocks, ranks);
        if (spread.halo && ranks == 1) spec.notices.emplace_back("the key halo of the schedule is for several ranks, and this run has one");
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

/// Throws: InputError (stages that the method does not have).
void require_stages(const Spec& spec) {
    const ir::Scheme& scheme = ir::scheme_of(spec.method);
    const std::string name = spec.method.name;
    if (!scheme.legendre())
        throw core::InputError("the number of stages of " + name + " is fixed (" + std::to_string(scheme.fewest_stages()) +
                               "); --stages is for --method rkl1, rkl2, sts1 and sts2");
    if (spec.stages < scheme.fewest_stages() || spec.stages > scheme.most_stages())
        throw core::InputError("a step of " + name + " has " + std::to_string(scheme.fewest_stages()) + " to " +
                               core::grouped(scheme.most_stages()) + " stages, not " + std::to_string(spec.stages));
}

/// Of --method auto, whose dt is chosen as well: what steps and a dt that were written for another method come to is a time.
/// Throws: InputError (a dt or stages beside it; no time).
void take_length_as_time(Spec& spec, bool dt_is_of_another_method) {
    const std::string chosen = std::string("--method ") + kAutomaticMethod + " chooses ";
    if (spec.stages > 0)
        throw core::InputError(chosen + "the stages as well; leave out --stages, or give a method that has any number of them, as sts2");
    if (spec.dt && !dt_is_of_another_method) throw core::InputError(chosen + "dt as well; leave out dt, or give a method");
    if (!spec.end_time && !spec.dt && spec.steps > 0)
        throw core::InputError(chosen + "dt as well, and " + core::grouped(spec.steps) +
                               " steps of no known dt are no length of a run: give --time");
    if (!spec.end_time) spec.end_time = spec.dt.value_or(0) * static_cast<double>(spec.steps);
    spec.dt.reset();
}

/// Throws: InputError (flags that a tolerance makes meaningless).
void require_free_steps(const Spec& spec, const Node& flags) {
    if (!spec.tolerance) return;
    const Node* time = flags.find("time");
    const Node* dt = time ? time->find("dt") : nullptr;
    if (dt && spec.dt) throw core::InputError("--tolerance chooses every step, and --dt sets it; give only one", dt->span);
    if (spec.stages > 0) throw core::InputError("--tolerance chooses the stages of every step; leave out --stages");
}

/// What a source says of time: a model or a preset that was made for planes gives advice, which a surface or a volume need not take.
void note_advice(Spec& spec, const Node& time, bool advice) {
    if (time.find("dt")) spec.dt_is_advice = advice;
    if (time.find("steps") || time.find("end")) spec.steps_are_advice = advice;
}

BoundaryLayer::OnMeshes on_meshes(Source source, bool own, const Node* mesh) {
    using OnMeshes = BoundaryLayer::OnMeshes;
    if (!own) return OnMeshes::passed_over;
    return source == Source::flags || (mesh && (mesh->find("file") || mesh->find("shape"))) ? OnMeshes::refused : OnMeshes::told;
}

/// What the sources say of the mesh, of the borders and of the outputs: it is read when the domain is known.
class Gathered {
   public:
    /// Applies the settings of all sources to `spec`, the winning one last. Throws: InputError.
    Gathered(Spec& spec, const Sources& sources, const Node& document) : sources_(sources), document_(document) {
        for (const auto& [source, layer] : sources.ordered()) add(spec, source, layer->tables);
        if (!sized_) {
            for (BoundaryLayer& layer : rules_) layer.size.reset();
        }
    }

    const MeshSettings& mesh() const { return mesh_; }
    std::span<const BoundaryLayer> rules() const { return rules_; }
    /// What counts of all that is said of it; nullptr where nothing is.
    const Node* spacing() const { return spacing_; }
    /// What a weaker source says of time was written for another method.
    bool dt_is_of_another_method() const { return dt_source_ < method_source_; }
    bool steps_are_of_another_method() const { return steps_source_ < method_source_; }
    OutputSources outputs() const {
        return {sources_.preset.style, outputs_, outputs_source_, replaced_, replaced_source_, sources_.flags.style, steps_source_};
    }

   private:
    void add(Spec& spec, Source source, const Node& tables) {
        apply_settings(spec, tables);
        if (const Node* grid = tables.find("grid")) {
            sized_ = sized_ || grid->find("size");
            if (const Node* spacing = grid->find("spacing")) spacing_ = spacing;
        }
        const bool own = source == Source::flags || source == Source::file || (source == Source::model && !document_.find("model"));
        mesh_.apply(tables, own, source == Source::preset, source == Source::flags ? std::filesystem::path() : folder_of(document_));
        if (const Node* time = tables.find("time")) {
            const bool for_planes = !tables.find("mesh") && !has_depth(tables);
            note_advice(spec, *time, source == Source::preset || (source == Source::model && for_planes));
            if (time->find("steps") || time->find("end")) steps_source_ = source;
            if (time->find("dt")) dt_source_ = source;
        }
        if (const Node* method = tables.find("method"); method && method->find("name")) method_source_ = source;
        if (const Node* boundary = tables.find("boundary")) {
            rules_.push_back({.rules = boundary,
                              .on_meshes = on_meshes(source, own, tables.find("mesh")),
                              .size = std::get<domain::Grid>(spec.domain).size});
        }
        if (const Node* outputs = tables.find("output")) add_outputs(source, *outputs);
    }

    void add_outputs(Source source, const Node& tables) {
        if (source == Source::flags && outputs_ && outputs_->kind == Node::Kind::array && !outputs_->items.empty()) {
            replaced_ = &outputs_->items.front();
            replaced_source_ = outputs_source_;
        }
        outputs_ = &tables;
        outputs_source_ = source;
    }

    const Sources& sources_;
    const Node& document_;
    MeshSettings mesh_;
    std::vector<BoundaryLayer> rules_;
    bool sized_ = false;  // some source says a size
    const Node* spacing_ = nullptr;
    Source steps_source_ = Source::defaults, dt_source_ = Source::defaults, method_source_ = Source::defaults;
    const Node *outputs_ = nullptr, *replaced_ = nullptr;
    Source outputs_source_ = Source::file, replaced_source_ = Source::file;
};

void add_notices(Spec& spec, std::vector<std::string> notices) {
    spec.notices.insert(spec.notices.end(), std::make_move_iterator(notices.begin()), std::make_move_iterator(notices.end()));
}

void read_mesh(Spec& spec, const Gathered& gathered, const Given& given) {
    MeshSettings::Made made = gathered.mesh().make(spec, given);
    spec.refinement = made.refinement;
    spec.mesh = made.source;
    spec.region = made.region;
    spec.lengths_of_file = made.lengths_of_file;
    add_notices(spec, std::move(made.notices));
    add_notices(spec, apply_boundary(made.mesh, spec.model, gathered.rules()));
    spec.domain = std::move(made.mesh);
}

void complete_grid(Spec& spec, const Gathered& gathered, const Sources& sources) {
    auto& grid = std::get<domain::Grid>(spec.domain);
    refuse_mesh_flags(sources.flags, grid);
    if (gathered.spacing()) require_lengths_of_axes(grid, *gathered.spacing());
    if (is_row_by_one_number(sources)) {
        const std::string cells = std::to_string(grid.size[0]);
        spec.notices.push_back("size = " + cells + " is one row of " + cells + " cells; a plane is " + cells + "x" + cells);
    }
    if (grid.size[2] == 1) spec.dt_is_advice = spec.steps_are_advice = false;
    add_notices(spec, apply_boundary(grid, spec.model, gathered.rules()));
    domain::validate(grid);
    if (device::sweeps_in_place(spec.device)) require_one_wrapping_of_a_volume(grid, spec.model);
}

}  // namespace

model::Model read_model(const Node& document, const std::string& name, const std::string& preset, const Node& flags,
                        const domain::Domain& domain) {
    const auto* grid = std::get_if<domain::Grid>(&domain);
    return model::check(gather_sources(document, preset, flags).model, name, !grid || grid->size[2] > 1);
}

int read_threads(const Node& document, const std::string& preset, const Node& flags) {
    const Sources sources = gather_sources(document, preset, flags);
    Spec spec;
    for (const auto& [source, layer] : sources.ordered()) apply_settings(spec, layer->tables);
    return spec.threads;
}

Spec read_spec(const Node& document, const std::string& name, const std::string& preset, const Node& flags, const Given& given) {
    const Sources sources = gather_sources(document, preset, flags);
    Spec spec;
    spec.preset = sources.preset_name;
    spec.initial.folder = folder_of(document);
    spec.initial.arrays = given.arrays;
    spec.share_of_machine = given.share_of_machine;
    domain::Grid grid;
    grid.size = {512, 512, 1};
    spec.domain = grid;

    const Gathered gathered(spec, sources, document);
    const bool on_mesh = gathered.mesh().names_mesh();
    spec.model = model::check(sources.model, name, on_mesh || std::get<domain::Grid>(spec.domain).size[2] > 1);
    require_free_steps(spec, sources.flags.tables);
    if (spec.stages > 0 && !spec.method_asked) require_stages(spec);
    spec.method.stages = spec.stages;
    if (const Node* force = flags.find("force")) spec.force = core::expect_boolean(*force, "force");
    if (on_mesh)
        read_mesh(spec, gathered, given);
    else
        complete_grid(spec, gathered, sources);

    if (!spec.tolerance && ir::scheme_of(spec.method).legendre() && spec.dt && gathered.dt_is_of_another_method()) {
        spec.dt_is_advice = true;
        spec.steps_are_advice = gathered.steps_are_of_another_method();
    }
    read_schedule(spec, spec.devices.empty() ? given.ranks : static_cast<int>(std::ssize(spec.devices)));
    OutputPlan plan = read_outputs(gathered.outputs(), spec.model, spec.domain, given.looks_at_folders);
    spec.outputs = std::move(plan.outputs);
    spec.picture = std::move(plan.picture);
    refuse_collisions(spec, inputs_of(spec, document));
    end_with_frames(spec, sources);
    tell_values_out_of_range(spec);
    if (spec.method_asked && !spec.tolerance && !ir::has_noise(spec.model)) take_length_as_time(spec, gathered.dt_is_of_another_method());
    spec.method_open = leaves_method_open(spec);
    if (!spec.force) check_memory(spec, spec.model.equations.size());
    return spec;
}

}  // namespace mottle::run
