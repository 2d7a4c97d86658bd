// mottle/live/server/project.cpp: changes of a model and its settings, and which files it may name
#include "mottle/live/server/project.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/shapes/shapes.h"
#include "mottle/field/contents.h"
#include "mottle/ir/lower/tensor.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/model/lex.h"
#include "mottle/model/library.h"
#include "mottle/run/settings/method_choice.h"
#include "mottle/run/settings/model_text.h"
#include "mottle/run/settings/read_spec.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mottle::live {

using core::Node;

namespace {

constexpr std::array<std::string_view, 10> kSettings = {"size",      "spacing",  "stencil", "dt",     "method",
                                                        "precision", "boundary", "mesh",    "across", "refine"};

bool is_library_model(const std::string& name) {
    const auto models = model::library();
    return std::any_of(models.begin(), models.end(), [&](const model::LibraryModel& each) { return each.name == name; });
}

/// Calls look(text) for the value of `key` of `table`, if it is text.
template <class Look>
void look_at_text(const Node* table, std::string_view key, const Look& look) {
    const Node* value = table ? table->find(key) : nullptr;
    if (value && value->kind == Node::Kind::text) look(*value);
}

/// Calls look(node) for the file of every [mesh], those of presets too.
template <class Look>
void each_mesh(const Node& document, const Look& look) {
    const auto look_into = [&](const Node& tables) {
        look_at_text(tables.find("mesh"), "file", look);
        look_at_text(tables.find("mesh"), "shape", look);
        look_at_text(&tables, "mesh", look);
    };
    look_into(document);
    if (const Node* presets = document.find("presets")) {
        for (const core::Member& preset : presets->members) look_into(preset.value);
    }
}

/// Calls look(name, text) for the quoted name of every image("...") in an expression.
template <class Look>
void pictures_in(const Node& expression, const Look& look) {
    const core::Text text{expression.text, expression.span};
    try {
        model::Lexer lexer(text);
        std::string_view function;
        for (model::Token token = lexer.next(); token.kind != model::Token::Kind::end; token = lexer.next()) {
            if (token.kind == model::Token::Kind::name) function = token.text;
            if (token.kind == model::Token::Kind::text && function == "image") look(std::string(token.text), expression);
        }
    } catch (const core::ModelError&) {  // it is no expression, and nothing will be opened for it
    }
}

/// The same for all that stands in a document: some files are opened while it is read, those of regions for instance.
template <class Look>
void each_picture(const Node& node, const Look& look) {
    if (node.kind == Node::Kind::text) pictures_in(node, look);
    for (const Node& item : node.items) each_picture(item, look);
    for (const core::Member& member : node.members) {
        if (member.key != "title" && member.key != "about" && member.key != "source") each_picture(member.value, look);
    }
}

/// The value that a text gives a parameter, as text; "" where it gives none.
std::string value_in(const Node& document, const std::string& parameter) {
    const Node* table = document.find("parameters");
    const Node* entry = table ? table->find(parameter) : nullptr;
    if (entry && entry->kind == Node::Kind::table) entry = entry->find("value");
    if (!entry) return "";
    return entry->is_number() ? core::number_text(entry->number) : entry->text;
}

void erase_member(Node& table, std::string_view key) {
    std::erase_if(table.members, [&](const core::Member& member) { return member.key == key; });
}

bool same(const Node& a, const Node& b) {
    if (a.kind != b.kind || a.text != b.text || a.number != b.number || a.integer != b.integer || a.boolean != b.boolean) return false;
    const auto same_members = [](const core::Member& x, const core::Member& y) { return x.key == y.key && same(x.value, y.value); };
    return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_members) &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same);
}

/// Whether two tables are the same but for some of their members.
bool same_beside(Node a, Node b, std::initializer_list<std::string_view> left_out) {
    for (const std::string_view key : left_out) {
        erase_member(a, key);
        erase_member(b, key);
    }
    return same(a, b);
}

}  // namespace

Project::Project(const Options& options, std::filesystem::path folder)
    : document_(options.document),
      flags_(options.flags),
      text_(options.text),
      name_(options.name),
      preset_(options.preset),
      folder_(std::move(folder)) {
    file_name_ = document_.span.file.empty() && !document_.members.empty() ? document_.members.front().key_span.file : document_.span.file;
    if (file_name_.empty()) file_name_ = name_;
    each_mesh(document_, [&](const Node& file) { meshes_.insert(file.text); });
    each_mesh(flags_, [&](const Node& file) { meshes_.insert(file.text); });
    look_at_text(&document_, "model", [&](const Node& model) { models_.insert(model.text); });
    pictures_ = field::pictures_of(run::read_model(document_, name_, preset_, flags_, domain::Mesh{}));
    for (const Node* tables : {&document_, &flags_})
        each_picture(*tables, [&](const std::string& name, const Node&) { pictures_.insert(name); });
}

void Project::require_allowed_tables() const {
    const auto allow_mesh = [&](const Node& file) {
        if (domain::is_shape(file.text) || meshes_.contains(file.text)) return;
        throw core::InputError(
            "a page cannot open files: the mesh '" + file.text + "' is neither a built-in shape nor a file named on the command line",
            file.span);
    };
    each_mesh(document_, allow_mesh);
    each_mesh(flags_, allow_mesh);
    const auto allow_picture = [&](const std::string& name, const Node& expression) { require_allowed_picture(name, expression.span); };
    each_picture(document_, allow_picture);
    each_picture(flags_, allow_picture);
    look_at_text(&document_, "model", [&](const Node& model) {
        if (is_library_model(model.text) || models_.contains(model.text)) return;
        throw core::InputError("a page cannot open files: '" + model.text + "' is not a built-in model", model.span);
    });
}

void Project::require_allowed_pictures(const run::Spec& spec) const {
    for (const std::string& picture : field::pictures_of(spec.model)) require_allowed_picture(picture, {});
}

std::set<std::filesystem::path> Project::dropped_pictures() const {
    std::set<std::filesystem::path> found;
    for (const Node* tables : {&document_, &flags_}) {
        each_picture(*tables, [&](const std::string& name, const Node&) {
            if (std::filesystem::path(name).parent_path() == folder_) found.insert(name);
        });
    }
    return found;
}

void Project::require_allowed_picture(const std::string& picture, const core::Span& span) const {
    const bool dropped = std::filesystem::path(picture).parent_path() == folder_;
    if (dropped || pictures_.contains(picture)) return;
    throw core::InputError(
        "a page cannot open files: the picture was not named on the command line: '" + picture + "'; drop it on the page", span);
}

run::Spec Project::spec() const {
    require_allowed_tables();
    run::Given given;
    given.refines = true;
    given.looks_at_folders = output::LooksAtFolder::no;  // a page could find out which there are; its files go elsewhere
    run::Spec spec = run::read_spec(document_, name_, preset_, flags_, given);
    require_allowed_pictures(spec);
    if (spec.tolerance) throw core::InputError("a page shows steps of one dt; leave out the tolerance");
    choose_method(spec);
    if (!spec.outputs.empty()) spec.picture = spec.outputs.front();
    spec.outputs.clear();
    spec.checkpoint.clear();
    spec.resume.clear();
    spec.steady.reset();
    spec.newton = false;
    return spec;
}

void Project::choose_method(run::Spec& spec) const {
    // A surface's thin triangles may hold Euler's method to steps a thousand times shorter than the pattern needs. On a grid the page shows steps that are the same
    // for as long as somebody looks, however parameters change.
    const bool open = std::exchange(spec.method_open, false), surface = std::holds_alternative<domain::Mesh>(spec.domain);
    if (!surface || spec.method_given) return;
    spec.method_open = open;
    if (open || chosen_method_.empty() || spec.tolerance || ir::has_noise(spec.model)) return;
    spec.method.name = chosen_method_;  // a dt typed for it
    spec.method_given = true;
    spec.longest_dt = chosen_dt_;
}

void Project::remember_method(const run::Spec& spec) {
    if (spec.method_choice.empty()) return;
    chosen_method_ = spec.method_given ? spec.method.name : "";
    chosen_dt_ = spec.longest_dt;
}

run::Spec Project::spec(const Project& of, const run::Spec& before) const {
    // A region may depend on parameters, and pictures are drawn by the declared ranges of fields.
    const bool kept = std::holds_alternative<domain::Mesh>(before.domain) && before.region.empty() && preset_ == of.preset_ &&
                      name_ == of.name_ &&
                      same_beside(document_, of.document_, {"title", "source", "about", "equations", "parameters", "define", "initial"}) &&
                      same_beside(flags_, of.flags_, {"parameters", "initial"});
    if (!kept) return spec();
    run::Spec spec = before;
    spec.notices.clear();
    spec.model = run::read_model(document_, name_, preset_, flags_, before.domain);
    const bool has_tensors = !std::get<domain::Mesh>(before.domain).tensors.empty() || !ir::tensors_of(spec.model).empty();
    if (has_tensors) return this->spec();                                                   // they are made with the surface
    if (!before.method_choice.empty() || !(before.method_given || before.method_chosen)) {  // for other equations: it is chosen anew
        spec.method = {ir::Method{}.name, before.method.f64, 0};
        spec.method_given = false;
        spec.longest_dt = run::Spec{}.longest_dt;
        spec.method_choice.clear();
        spec.method_open = run::leaves_method_open(spec);
    }
    require_allowed_pictures(spec);
    return spec;
}

std::string Project::model_text(run::Spec spec, double dt, Index steps) const {
    spec.dt = dt;
    spec.end_time.reset();
    spec.steps = steps;
    std::string text = run::model_text(spec, run::read_model_document(document_, preset_, flags_));
    // Pictures that were dropped on the page stand beside the file, wherever that goes.
    const std::string folder = folder_.string() + "/";
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) text.erase(at, folder.size());
    return text;
}

core::Node Project::flags_of_map(const MakeMap& map) const {
    Node flags = flags_;
    const std::string cells = std::to_string(map.cells);
    if (!flags.find("mesh")) flags.at("size") = core::text_node(cells + "x" + cells, "the map");
    if (map.steps > 0) flags.at("steps") = core::text_node(std::to_string(map.steps), "the map");
    Node& parameters = flags.at("parameters");
    for (const MapAxis& axis : map.axes) erase_member(parameters, axis.parameter);
    return flags;
}

Project Project::with_text(const std::string& text) const {
    Project changed = *this;
    changed.document_ = core::parse_document(text, file_name_);
    changed.text_ = text;
    changed.require_allowed_tables();  // before a file is opened for its presets
    if (Node* parameters = changed.flags_.find("parameters") ? &changed.flags_.at("parameters") : nullptr) {
        std::erase_if(parameters->members, [&](const core::Member& parameter) {
            const std::string now = value_in(changed.document_, parameter.key);
            return now.empty() || now != value_in(document_, parameter.key);
        });
    }
    const std::vector<model::Preset> presets = run::presets_of(changed.document_);
    const auto found = std::find_if(presets.begin(), presets.end(), [&](const model::Preset& each) { return each.name == preset_; });
    if (found == presets.end()) changed.preset_.clear();
    return changed;
}

Project Project::with_model(const OpenModel& open) const {
    Project changed = *this;
    changed.flags_ = {};
    for (const char* kept : {"device", "threads"}) {  // of the command line, and no business of a model
        if (const Node* value = flags_.find(kept)) changed.flags_.at(kept) = *value;
    }
    changed.preset_ = open.preset;
    if (open.model.empty()) {
        changed.name_ = "model";
        changed.file_name_ = kPageFile;
        changed.text_ = open.text;
        changed.document_ = core::parse_document(open.text, changed.file_name_);
        return changed;
    }
    const auto models = model::library();
    const auto found = std::find_if(models.begin(), models.end(), [&](const model::LibraryModel& each) { return each.name == open.model; });
    if (found == models.end()) {
        std::vector<std::string> known;
        for (const model::LibraryModel& each : models) known.emplace_back(each.name);
        throw core::InputError("there is no built-in model '" + open.model + "'" + core::did_you_mean(open.model, known));
    }
    changed.name_ = open.model;
    changed.document_ = model::load_document(open.model);
    changed.file_name_ = "<" + open.model + ">";
    changed.text_ = std::string(found->text);
    return changed;
}

Project Project::with_preset(const std::string& preset) const {
    Project changed = *this;
    changed.preset_ = preset;
    if (changed.flags_.find("parameters")) erase_member(changed.flags_, "parameters");
    if (changed.flags_.find("initial")) erase_member(changed.flags_, "initial");
    return changed;
}

Project Project::with_settings(const ChangeSettings& settings) const {
    Project changed = *this;
    for (const auto& [key, value] : settings.keys) {
        if (std::find(kSettings.begin(), kSettings.end(), key) == kSettings.end()) {
            const std::vector<std::string> known(kSettings.begin(), kSettings.end());
            throw core::InputError("'" + key + "' is not a setting that a page may change" +
                                   core::did_you_mean(key, known, "there are " + core::listed(known, "and")));
        }
        erase_member(changed.flags_, key);
        if (!value) continue;
        changed.flags_.at(key) = core::text_node(*value, key);
        if (key == "mesh" || key == "size") erase_member(changed.flags_, key == "mesh" ? "size" : "mesh");
        if (key == "size") {
            erase_member(changed.flags_, "across");
            erase_member(changed.flags_, "refine");
        }
        if (key == "mesh") erase_member(changed.flags_, "initial");  // pictures that were dropped on a grid
    }
    return changed;
}

Project Project::with_parameter(const std::string& name, double value) const {
    Project changed = *this;
    changed.flags_.at("parameters").at(name) = core::number_node(value, name);
    return changed;
}

Project Project::with_seed(std::uint64_t seed) const {
    Project changed = *this;
    changed.flags_.at("seed") = core::text_node(std::to_string(seed), "seed");
    return changed;
}

Project Project::with_dt(double dt) const {
    Project changed = *this;
    changed.flags_.at("dt") = core::text_node(core::number_text(dt), "dt");
    return changed;
}

Project Project::with_image(const DropImage& image, const std::filesystem::path& file, std::array<double, 2> range) const {
    Project changed = *this;
    const std::string low = core::number_text(range[0]), extent = core::number_text(range[1] - range[0]);
    const std::string formula = "(" + low + ") + (" + extent + ")*image(\"" + file.string() + "\")";
    const bool start = !image.field.empty();
    changed.flags_.at(start ? "initial" : "parameters").at(start ? image.field : image.parameter) = core::text_node(formula, "the picture");
    return changed;
}

bool same_cells(const run::Spec& a, const run::Spec& b) {
    const auto *grid = std::get_if<domain::Grid>(&a.domain), *other = std::get_if<domain::Grid>(&b.domain);
    if (grid && other) return grid->size == other->size;
    return !grid && !other && a.mesh == b.mesh && domain::row_length(a.domain) == domain::row_length(b.domain);
}

}  // namespace mottle::live
