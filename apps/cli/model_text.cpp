// apps/cli/model_text.cpp: writes TOML
#include "model_text.h"

#include "mottle/core/text.h"

#include <cmath>
#include <cstdio>

namespace mottle::cli {

namespace {

std::string toml_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            out += escape;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

/// A number that TOML reads as a float or an integer, as it likes.
std::string number(double value) {
    std::string text = core::number_text(value);
    // TOML wants digits on both sides of a point, and none of C's shorter forms.
    const std::size_t exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
    return text;
}

std::string pair(const std::array<double, 2>& range) { return "[" + number(range[0]) + ", " + number(range[1]) + "]"; }

void line(std::string& out, std::string_view key, const std::string& value) { out += std::string(key) + " = " + value + "\n"; }

void text_line(std::string& out, std::string_view key, const std::string& value) {
    if (!value.empty()) line(out, key, toml_text(value));
}

std::string rule_text(const domain::Boundary& boundary) {
    std::string text = domain::rule_name(boundary.rule);
    if (boundary.rule == domain::Rule::value || boundary.rule == domain::Rule::outside) text += "(" + boundary.term.text + ")";
    return toml_text(text);
}

void write_sides(std::string& out, const domain::Sides& sides, bool three) {
    constexpr const char* kNames[] = {"left", "right", "top", "bottom", "front", "back"};
    for (std::size_t i = 0; i < (three ? 6u : 4u); ++i) line(out, kNames[i], rule_text(sides[i]));
}

void write_model(std::string& out, const model::Model& model) {
    text_line(out, "title", model.title);
    text_line(out, "source", model.source);
    text_line(out, "about", model.about);
    if (model.wavelength) line(out, "wavelength", number(*model.wavelength));
    out += "\n[equations]\n";
    for (const model::Equation& equation : model.equations) line(out, equation.field, toml_text(model::print(*equation.rate)));
    if (!model.parameters.empty()) out += "\n[parameters]\n";
    for (const model::Parameter& parameter : model.parameters) {
        std::string value = "{ value = " + (parameter.map ? toml_text(model::print(*parameter.map)) : number(parameter.value));
        if (parameter.min) value += ", min = " + number(*parameter.min);
        if (parameter.max) value += ", max = " + number(*parameter.max);
        if (!parameter.about.empty()) value += ", about = " + toml_text(parameter.about);
        line(out, parameter.name, value + " }");
    }
    out += "\n[initial]\n";
    for (const model::Equation& equation : model.equations) line(out, equation.field, toml_text(model::print(*equation.initial)));
    std::string fields, clamps;
    for (const model::Equation& equation : model.equations) {
        std::string entry;
        if (equation.range) entry += "range = " + pair(*equation.range);
        if (!equation.about.empty()) entry += (entry.empty() ? "" : ", ") + ("about = " + toml_text(equation.about));
        if (!equation.unit.empty()) entry += (entry.empty() ? "" : ", ") + ("unit = " + toml_text(equation.unit));
        if (!entry.empty()) line(fields, equation.field, "{ " + entry + " }");
        if (equation.clamp) line(clamps, equation.field, pair(*equation.clamp));
    }
    if (!fields.empty()) out += "\n[fields]\n" + fields;
    if (!clamps.empty()) out += "\n[clamp]\n" + clamps;
}

void write_grid(std::string& out, const domain::Grid& grid) {
    const bool three = grid.size[2] > 1;
    out += "\n[grid]\n";
    line(out, "size", toml_text(std::to_string(grid.size[0]) + "x" + std::to_string(grid.size[1]) + (three ? "x" + std::to_string(grid.size[2]) : "")));
    line(out, "spacing", "[" + number(grid.spacing[0]) + ", " + number(grid.spacing[1]) + ", " + number(grid.spacing[2]) + "]");
    std::string stencil = grid.stencil.kind == domain::Stencil::Kind::five ? "5" : "9";
    if (grid.stencil.kind == domain::Stencil::Kind::custom) {
        stencil.clear();
        for (double weight : grid.stencil.weights) stencil += (stencil.empty() ? "" : ",") + number(weight);
    }
    line(out, "stencil", toml_text(stencil));
    out += "\n[boundary]\n";
    write_sides(out, grid.sides, three);
    for (const auto& [field, sides] : grid.field_sides) {
        out += "\n[boundary." + field + "]\n";
        write_sides(out, sides, three);
    }
}

void write_output(std::string& out, const run::Output& output) {
    out += "\n[[output]]\n";
    line(out, "file", toml_text(output.sink.file.string()));
    if (!output.times.at.text.empty()) line(out, "at", toml_text(output.times.at.text));
    if (output.times.every > 0) line(out, "every", std::to_string(output.times.every));
    else line(out, "frames", std::to_string(output.times.frames));
    line(out, "fps", number(output.sink.fps));
    const frame::Style& style = output.sink.style;
    text_line(out, "field", style.field);
    line(out, "palette", toml_text(style.palette));
    using Range = frame::Style::Range;
    if (style.range == Range::fixed) line(out, "range", pair({style.lo, style.hi}));
    else if (style.range == Range::every_frame) line(out, "range", toml_text("frame"));
    else line(out, "range", output.sink.declared_range ? pair(*output.sink.declared_range) : toml_text("auto"));
    if (style.scale > 0) line(out, "scale", std::to_string(style.scale));
    line(out, "chroma", output.sink.chroma444 ? "444" : "420");
}

}  // namespace

std::string model_text(const run::Spec& spec) {
    std::string out;
    write_model(out, spec.model);
    write_grid(out, std::get<domain::Grid>(spec.domain));
    out += "\n[method]\n";
    line(out, "name", toml_text(spec.method.name));
    line(out, "precision", toml_text(spec.method.f64 ? "f64" : "f32"));
    if (spec.model.reaction_rate) line(out, "reaction_rate", number(*spec.model.reaction_rate));
    out += "\n[time]\n";
    if (spec.end_time) line(out, "end", number(*spec.end_time));
    else line(out, "steps", std::to_string(spec.steps));
    line(out, "dt", spec.dt ? number(*spec.dt) : toml_text("auto"));
    if (spec.steady) line(out, "until", toml_text("steady=" + number(*spec.steady)));
    out += "\n[run]\n";
    line(out, "device", toml_text(spec.device));
    line(out, "seed", toml_text(std::to_string(spec.initial.seed)));
    for (const run::Output& output : spec.outputs) write_output(out, output);
    return out;
}

}  // namespace mottle::cli
