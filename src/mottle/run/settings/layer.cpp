// mottle/run/settings/layer.cpp: presets, flags and files as layers of the same tables
#include "mottle/run/settings/layer.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mottle::run {

using core::Node;

namespace {

struct FlatKey {
    std::string_view key, table, name;
};
constexpr std::array kFlatKeys = {
    FlatKey{"size", "grid", "size"},
    FlatKey{"spacing", "grid", "spacing"},
    FlatKey{"stencil", "grid", "stencil"},
    FlatKey{"method", "method", "name"},
    FlatKey{"stages", "method", "stages"},
    FlatKey{"precision", "method", "precision"},
    FlatKey{"reaction_rate", "method", "reaction_rate"},
    FlatKey{"tolerance", "method", "tolerance"},
    FlatKey{"steps", "time", "steps"},
    FlatKey{"time", "time", "end"},
    FlatKey{"end", "time", "end"},
    FlatKey{"dt", "time", "dt"},
    FlatKey{"until", "time", "until"},
    FlatKey{"device", "run", "device"},
    FlatKey{"devices", "run", "devices"},
    FlatKey{"threads", "run", "threads"},
    FlatKey{"schedule", "run", "schedule"},
    FlatKey{"seed", "run", "seed"},
    FlatKey{"checkpoint", "run", "checkpoint"},
    FlatKey{"checkpoint_every", "run", "checkpoint_every"},
    FlatKey{"resume", "run", "resume"},
    FlatKey{"mesh", "mesh", "file"},
    FlatKey{"across", "mesh", "across"},
    FlatKey{"region", "mesh", "region"},
    FlatKey{"delaunay", "mesh", "delaunay"},
    FlatKey{"refine", "mesh", "refine"},
    FlatKey{"subdivision", "mesh", "subdivision"},
    FlatKey{"mesh_scale", "mesh", "scale"},
};
constexpr std::array<std::string_view, 15> kStyleKeys = {"frames", "every",  "at",      "fps",    "palette", "field", "range",     "scale",
                                                         "cells",  "chroma", "encoder", "pixels", "camera",  "turn",  "background"};
constexpr std::array<std::string_view, 12> kModelTables = {"title",      "source", "about", "name",   "wavelength", "equations",
                                                           "parameters", "fields", "clamp", "define", "initial",    "presets"};
constexpr std::array<std::string_view, 9> kRunTables = {"model", "preset", "grid", "mesh", "boundary", "time", "output", "run", "method"};
// What a preset or the flags may hold as a whole.
constexpr std::array<std::string_view, 15> kWholeKeys = {"parameters", "initial", "clamp",      "boundary", "grid",
                                                         "mesh",       "method",  "time",       "run",      "output",
                                                         "about",      "source",  "wavelength", "define",   "force"};

template <class List>
bool contains(const List& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_style_key(std::string_view key) { return contains(kStyleKeys, key); }

/// A copy that leaves out whole tables: presets may be thousands.
Node without_tables(const Node& document, const std::vector<std::string_view>& left_out) {
    Node rest;
    rest.kind = document.kind;
    rest.span = document.span;
    for (const core::Member& member : document.members) {
        if (!contains(left_out, member.key)) rest.members.push_back(member);
    }
    return rest;
}

[[noreturn]] void fail_unknown(const core::Member& member, const std::string& where, const std::vector<std::string>& known) {
    throw core::InputError("unknown key '" + member.key + "' in " + where + core::did_you_mean(member.key, known), member.key_span);
}

/// A key of a preset that stands above the tables of a file. Throws: InputError that says where it belongs.
void refuse_flat(const core::Member& member) {
    const auto flat = std::find_if(kFlatKeys.begin(), kFlatKeys.end(), [&](const FlatKey& key) { return key.key == member.key; });
    std::string place;
    if (flat != kFlatKeys.end()) place = "write " + std::string(flat->table) + "." + std::string(flat->name) + " = ...";
    if (place.empty() && is_style_key(member.key)) place = "it belongs to an output: [[output]], below its file = \"name.mp4\"";
    if (!place.empty()) throw core::InputError("'" + member.key + "' is in the wrong table; " + place, member.key_span);
}

}  // namespace

std::vector<std::string> setting_names() {
    std::vector<std::string> names;
    for (const FlatKey& key : kFlatKeys) names.emplace_back(key.key);
    names.insert(names.end(), kStyleKeys.begin(), kStyleKeys.end());
    names.insert(names.end(), kWholeKeys.begin(), kWholeKeys.end());
    return names;
}

std::vector<std::string> parameter_names(const Node& document) {
    std::vector<std::string> names;
    if (const Node* parameters = document.find("parameters")) {
        for (const core::Member& member : parameters->members) names.push_back(member.key);
    }
    return names;
}

Layer layer_of_document(const Node& document) {
    std::vector<std::string> known;
    known.reserve(kModelTables.size() + kRunTables.size());
    for (std::string_view key : kModelTables) known.emplace_back(key);
    for (std::string_view key : kRunTables) known.emplace_back(key);
    for (const core::Member& member : document.members) {
        if (contains(known, member.key)) continue;
        refuse_flat(member);
        fail_unknown(member, "the file", known);
    }
    return Layer{without_tables(document, {"presets"}), Node{}};
}

Layer layer_of_settings(const Node& settings, const std::vector<std::string>& parameters, const std::string& where) {
    Layer layer;
    for (const core::Member& member : settings.members) {
        const bool whole = member.value.kind == Node::Kind::table;
        auto flat = std::find_if(kFlatKeys.begin(), kFlatKeys.end(), [&](const FlatKey& key) { return key.key == member.key; });
        auto put = [&](Node& table, std::string_view key) { table.at(key) = member.value; };
        if (member.key == "about" || member.key == "source") continue;  // of the preset alone
        if (contains(parameters, member.key)) {
            put(layer.tables.at("parameters"), member.key);
        } else if (flat != kFlatKeys.end() && !whole) {
            put(layer.tables.at(flat->table), flat->name);
        } else if (is_style_key(member.key)) {
            put(layer.style, member.key);
        } else if (contains(kWholeKeys, member.key)) {
            put(layer.tables, member.key);
        } else {
            std::vector<std::string> known = parameters;
            for (std::string& name : setting_names()) known.push_back(std::move(name));
            fail_unknown(member, where, known);
        }
    }
    return layer;
}

void merge_model_tables(Node& model, const Node& over, bool may_add) {
    const std::vector<std::string> known = parameter_names(model);
    for (const core::Member& member : over.members) {
        if (member.key == "parameters") {
            for (const core::Member& parameter : member.value.members) {
                if (!may_add && !contains(known, parameter.key)) {
                    const Node* define = model.find("define");
                    const bool defined = define && define->find(parameter.key);
                    std::string advice = "; the model has no parameters";
                    if (!known.empty()) advice = core::did_you_mean(parameter.key, known, "there are " + core::listed(known, "and"));
                    if (defined) advice = "; it is a definition: change it under [define], or make it a parameter";
                    throw core::InputError("there is no parameter '" + parameter.key + "'" + advice,
                                           parameter.key_span.file.empty() ? parameter.value.span : parameter.key_span);
                }
                Node& mine = model.at("parameters").at(parameter.key);
                // A bare value changes the value alone; min, max and about stay.
                const bool keeps_range =
                    mine.kind == Node::Kind::table && !mine.members.empty() && parameter.value.kind != Node::Kind::table;
                if (keeps_range)
                    mine.at("value") = parameter.value;
                else
                    core::merge(mine, parameter.value);
            }
        } else if (contains(kModelTables, member.key) && member.key != "presets") {
            Node part;
            part.at(member.key) = member.value;
            core::merge(model, part);
        } else if (member.key == "method") {
            if (const Node* rate = member.value.find("reaction_rate")) model.at("method").at("reaction_rate") = *rate;
        }
    }
}

Node model_part(const Node& document) {
    std::vector<std::string_view> of_run(kRunTables.begin(), kRunTables.end());
    of_run.emplace_back("presets");
    Node part = without_tables(document, of_run);
    const Node* method = document.find("method");
    if (const Node* rate = method ? method->find("reaction_rate") : nullptr) part.at("method").at("reaction_rate") = *rate;
    return part;
}

}  // namespace mottle::run
