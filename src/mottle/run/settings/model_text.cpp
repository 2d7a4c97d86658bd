// mottle/run/settings/model_text.cpp: writes TOML
#include "mottle/run/settings/model_text.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"
#include "mottle/domain/shapes/shapes.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/model/parse.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace mottle::run {

namespace {

/// A number that TOML reads as a float or an integer, as it likes.
std::string number(double value) {
    std::string text = core::number_text(value);
    // TOML wants digits on both sides of a point, and none of C's shorter forms.
    const std::size_t exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
    return text;
}

/// A key, in quotes where TOML needs them.
std::string key_text(const std::string& key) {
    const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    });
    return bare ? key : core::toml_string(key);
}

std::string pair(const std::array<double, 2>& range) { return "[" + number(range[0]) + ", " + number(range[1]) + "]"; }

void line(std::string& out, std::string_view key, const std::string& value) { out += std::string(key) + " = " + value + "\n"; }

void text_line(std::string& out, std::string_view key, const std::string& value) {
    if (!value.empty()) line(out, key, core::toml_string(value));
}

std::string rule_text(const domain::Boundary& boundary) {
    std::string text = domain::rule_name(boundary.rule);
    for (std::size_t i = 0; i < boundary.terms.size(); ++i) text += (i == 0 ? "(" : ", ") + boundary.terms[i].text;
    if (!boundary.terms.empty()) text += ")";
    return core::toml_string(text);
}

/// Those that the grid has: an axis of one cell has none.
void write_sides(std::string& out, const domain::Sides& sides, const domain::Grid& grid) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (grid.size[i / 2] > 1) line(out, domain::kSideNames[i], rule_text(sides[i]));
    }
}

/// A value as TOML.
std::string value_text(const core::Node& node) {
    using Kind = core::Node::Kind;
    std::string items;
    switch (node.kind) {
        case Kind::text:
            return core::toml_string(node.text);
        case Kind::integer:
            return std::to_string(node.integer);
        case Kind::number:
            return number(node.number);
        case Kind::boolean:
            return node.boolean ? "true" : "false";
        case Kind::array:
            for (const core::Node& item : node.items) items += (items.empty() ? "" : ", ") + value_text(item);
            return "[" + items + "]";
        case Kind::table:
            break;
    }
    for (const core::Member& member : node.members) items += (items.empty() ? "" : ", ") + member.key + " = " + value_text(member.value);
    return "{ " + items + " }";
}

/// One line of [parameters], [define] or [initial]; `draw` is the number of its first random draw, -1 without any.
struct Entry {
    std::string_view table;
    const core::Member* member;
    long draw = -1;
};

long first_draw(const model::Expr& expr, const ir::DrawNumbers& numbers) {
    long first = -1;
    auto consider = [&](long draw) { first = draw >= 0 && (first < 0 || draw < first) ? draw : first; };
    if (ir::draws_of(expr) > 0) consider(numbers.first(expr));
    for (const model::ExprPtr& arg : expr.args) consider(first_draw(*arg, numbers));
    return first;
}

/// The entries of the three tables; those with random draws stand in the order of their draws, which is what a reader numbers them by.
std::vector<Entry> ordered_entries(const core::Node& document, const model::Model& model) {
    const ir::DrawNumbers numbers(model);
    std::vector<Entry> entries;
    for (const std::string_view table : {"parameters", "define", "initial"}) {
        const core::Node* found = document.find(table);
        for (std::size_t i = 0; found && i < found->members.size(); ++i) {
            Entry entry{table, &found->members[i]};
            const core::Node& value = entry.member->value;
            const core::Node* text = value.kind == core::Node::Kind::table ? value.find("value") : &value;
            const bool random = text && text->kind == core::Node::Kind::text &&
                                (text->text.find("noise") != std::string::npos || text->text.find("spots") != std::string::npos);
            try {
                if (random) entry.draw = first_draw(*model::parse(core::expect_expression(*text, entry.member->key)), numbers);
            } catch (const core::InternalError&) {
                // A definition that nothing uses draws nothing.
            }
            entries.push_back(entry);
        }
    }
    std::vector<Entry> random;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(random), [](const Entry& entry) { return entry.draw >= 0; });
    std::stable_sort(random.begin(), random.end(), [](const Entry& a, const Entry& b) { return a.draw < b.draw; });
    std::erase_if(entries, [](const Entry& entry) { return entry.draw >= 0; });
    entries.insert(entries.end(), random.begin(), random.end());
    return entries;
}

/// The tables that hold random draws, in the order of these; nothing if one of them would have to be opened twice.
std::optional<std::vector<std::string_view>> table_order(const std::vector<Entry>& entries) {
    std::vector<std::string_view> order;
    for (const Entry& entry : entries) {
        if (entry.draw < 0 || (!order.empty() && order.back() == entry.table)) continue;
        if (std::find(order.begin(), order.end(), entry.table) != order.end()) return std::nullopt;
        order.push_back(entry.table);
    }
    for (const std::string_view table : {"initial", "define", "parameters"}) {
        if (std::find(order.begin(), order.end(), table) == order.end()) order.insert(order.begin(), table);
    }
    return order;
}

void write_table(std::string& out, const core::Node& document, std::string_view name) {
    const core::Node* table = document.find(name);
    if (!table || table->members.empty()) return;
    out += "\n[" + std::string(name) + "]\n";
    for (const core::Member& member : table->members) line(out, member.key, value_text(member.value));
}

void write_model(std::string& out, const model::Model& model, const core::Node& document) {
    text_line(out, "title", model.title);
    text_line(out, "source", model.source);
    text_line(out, "about", model.about);
    if (model.wavelength) line(out, "wavelength", number(*model.wavelength));
    const std::vector<Entry> entries = ordered_entries(document, model);
    const auto order = table_order(entries);
    if (!order) {  // dotted keys may stand in any order
        for (const Entry& entry : entries) line(out, std::string(entry.table) + "." + entry.member->key, value_text(entry.member->value));
    }
    write_table(out, document, "equations");
    for (const std::string_view table : order.value_or(std::vector<std::string_view>())) {
        const core::Node* found = document.find(table);
        if (!found || found->members.empty()) continue;
        out += "\n[" + std::string(table) + "]\n";
        for (const Entry& entry : entries) {
            if (entry.table == table) line(out, entry.member->key, value_text(entry.member->value));
        }
    }
    write_table(out, document, "fields");
    write_table(out, document, "clamp");
}

void write_grid(std::string& out, const domain::Grid& grid) {
    out += "\n[grid]\n";
    line(out, "size", core::toml_string(domain::describe_size(grid.size)));
    std::string lengths;
    for (std::size_t axis = 0; axis < domain::axis_count(grid.size); ++axis) lengths += (axis > 0 ? ", " : "") + number(grid.spacing[axis]);
    line(out, "spacing", "[" + lengths + "]");
    std::string stencil = grid.stencil.kind == domain::Stencil::Kind::five ? "5" : "9";
    if (grid.stencil.kind == domain::Stencil::Kind::custom) {
        stencil.clear();
        for (double weight : grid.stencil.weights) stencil += (stencil.empty() ? "" : ",") + number(weight);
    }
    line(out, "stencil", core::toml_string(stencil));
    out += "\n[boundary]\n";
    write_sides(out, grid.sides, grid);
    for (const auto& [field, sides] : grid.field_sides) {
        out += "\n[boundary." + field + "]\n";
        write_sides(out, sides, grid);
    }
}

void write_loops(std::string& out, const std::vector<domain::Boundary>& loops) {
    for (std::size_t i = 0; i < loops.size(); ++i) line(out, "loop" + std::to_string(i), rule_text(loops[i]));
}

void write_mesh(std::string& out, const domain::Mesh& mesh, const Spec& spec) {
    const std::string &source = spec.mesh, &region = spec.region;
    out += "\n[mesh]\n";
    line(out, domain::is_shape(source) ? "shape" : "file", core::toml_string(source));
    line(out, "scale", number(mesh.scale));
    text_line(out, "region", region);
    if (mesh.operators->flips >= 0) line(out, "delaunay", "true");
    if (spec.refinement.times > 0) {
        line(out, "refine", std::to_string(spec.refinement.times));
        text_line(out, "subdivision", spec.refinement.subdivision == domain::Subdivision::loop ? "loop" : "midpoint");
    }
    if (mesh.loops.empty()) return;
    out += "\n[boundary]\n";
    write_loops(out, mesh.loops);
    for (const auto& [field, loops] : mesh.field_loops) {
        out += "\n[boundary." + field + "]\n";
        write_loops(out, loops);
    }
}

/// The keys of a picture, of a grid or of a surface. Written down, frames that give way to a shorter run would no longer do so.
void write_picture(std::string& out, const Output& output, const Spec& spec, bool surface) {
    const FrameTimes& times = output.times;
    if (!times.at.text.empty()) line(out, "at", core::toml_string(times.at.text));
    if (times.every > 0)
        line(out, "every", std::to_string(times.every));
    else if (times.exact || (!spec.end_time && spec.steps >= times.frames))
        line(out, "frames", std::to_string(times.frames));
    line(out, "fps", number(output.sink.fps));
    const frame::Style& style = output.sink.style;
    text_line(out, "field", style.field);
    line(out, "palette", core::toml_string(style.palette));
    using Range = frame::Style::Range;
    if (style.range == Range::fixed)
        line(out, "range", pair({style.lo, style.hi}));
    else if (style.range == Range::every_frame)
        line(out, "range", core::toml_string("frame"));
    else if (output.sink.declared_range)
        line(out, "range", pair(*output.sink.declared_range));
    if (style.scale > 0) line(out, "scale", std::to_string(style.scale));
    if (style.cells > 0) line(out, "cells", std::to_string(style.cells));
    line(out, "chroma", output.sink.chroma444 ? "444" : "420");
    if (output.sink.encoder != output::Encoder::automatic)
        line(out, "encoder", core::toml_string(output.sink.encoder == output::Encoder::x264 ? "x264" : "nvenc"));
    if (!surface) return;
    line(out, "pixels", core::toml_string(std::to_string(style.pixels[0]) + "x" + std::to_string(style.pixels[1])));
    if (const auto& angles = style.camera.angles)
        line(out, "camera", "[" + number((*angles)[0]) + ", " + number((*angles)[1]) + ", " + number(style.camera.distance) + "]");
    if (style.turn != 0) line(out, "turn", number(style.turn));
    line(out, "background", core::toml_string(frame::background_text(style.background)));
}

}  // namespace

std::string model_text(const Spec& spec, const core::Node& document) {
    std::string out;
    write_model(out, spec.model, document);
    if (const auto* mesh = std::get_if<domain::Mesh>(&spec.domain))
        write_mesh(out, *mesh, spec);
    else
        write_grid(out, std::get<domain::Grid>(spec.domain));
    out += "\n[method]\n";
    if (spec.method_given || !spec.tolerance) line(out, "name", core::toml_string(spec.method_open ? kAutomaticMethod : spec.method.name));
    if (spec.tolerance) line(out, "tolerance", number(*spec.tolerance));
    if (spec.stages > 0) line(out, "stages", std::to_string(spec.stages));
    line(out, "precision", core::toml_string(spec.method.f64 ? "f64" : "f32"));
    if (spec.model.reaction_rate) line(out, "reaction_rate", number(*spec.model.reaction_rate));
    out += "\n[time]\n";
    if (spec.end_time)
        line(out, "end", number(*spec.end_time));
    else
        line(out, "steps", std::to_string(spec.steps));
    line(out, "dt", spec.dt ? number(*spec.dt) : core::toml_string("auto"));
    if (spec.steady) line(out, "until", core::toml_string("steady=" + number(*spec.steady) + (spec.newton ? ",newton" : "")));
    out += "\n[run]\n";
    std::string devices = spec.device;
    for (std::size_t i = 1; i < spec.devices.size(); ++i) devices += "," + spec.devices[i];
    line(out, spec.devices.empty() ? "device" : "devices", core::toml_string(devices));
    line(out, "seed", core::toml_string(std::to_string(spec.initial.seed)));
    const bool surface = std::holds_alternative<domain::Mesh>(spec.domain);
    for (const Output& output : spec.outputs) {
        out += "\n[[output]]\n";
        line(out, "file", core::toml_string(output.sink.file.string()));
        write_picture(out, output, spec, surface);
    }
    if (spec.outputs.empty()) {  // what -o will get
        out += "\n[presets." + key_text(spec.preset.empty() ? "default" : spec.preset) + "]\n";
        write_picture(out, spec.picture, spec, surface);
    }
    return out;
}

}  // namespace mottle::run
