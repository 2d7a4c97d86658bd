// mottle/model/model.h: a checked model: equations, parameters, initial state, presets
#pragma once
#include "mottle/core/document.h"
#include "mottle/model/ast.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::model {

struct Parameter {
    std::string name;
    double value = 0;                ///< 0 for a map
    std::optional<double> min, max;  ///< the declared range, inclusive
    std::string about;
    ExprPtr map;                    ///< set: the parameter is a field over the domain, not a uniform; expression of position
    ExprPtr formula;                ///< set: the value was computed from other parameters
    std::vector<std::size_t> uses;  ///< parameters in the map or formula, by their places in Model::parameters
    core::Span span;
};

struct Equation {
    std::string field;
    ExprPtr rate;  ///< right side of d(field)/dt
    ExprPtr initial;
    std::optional<std::array<double, 2>> clamp;  ///< after each step
    std::optional<std::array<double, 2>> range;  ///< declared range of values
    std::string about, unit;
};

struct Preset {
    std::string name, about;
    core::Node settings;  ///< flat keys: parameters and run keys, see run/settings/spec.h
};

/// Names of [define] are already substituted in every expression.
struct Model {
    std::string name;  ///< library name or file stem
    std::string title, source, about;
    std::vector<Equation> equations;  ///< in the order of the file
    std::vector<Parameter> parameters;
    std::vector<Preset> presets;
    std::vector<std::pair<std::string, ExprPtr>> definitions;  ///< written out, for the expressions of boundaries and regions
    std::optional<double> wavelength;                          ///< of the pattern, in lengths of the equations
    std::optional<double> reaction_rate;                       ///< [method] reaction_rate, or none
};

/// The document of a library model or a model file: `name_or_path` is a library name, or a path (contains '/' or ends in .toml).
/// Throws: InputError, unknown model with the nearest name.
core::Node load_document(const std::string& name_or_path);

/// Checks a whole document (model file, preset and flags already merged into it). `has_z`: the domain has a third axis, as volumes and surfaces have;
/// by default the three parts of its [grid] size say so.
/// Throws: ModelError for anything inside an equation string, InputError for the rest.
Model check(const core::Node& document, const std::string& name, std::optional<bool> has_z = std::nullopt);

/// The presets alone, before they are merged. Throws: InputError.
std::vector<Preset> presets_of(const core::Node& document);
/// The preset of that name, or the first for ""; nothing where there is none. Throws: InputError.
std::optional<Preset> find_preset(const core::Node& document, const std::string& name);

/// Parses and checks a boundary value: parameters of one value, numbers, t, and definitions of these. Throws: ModelError; `what` names the place in messages.
ExprPtr parse_uniform(const core::Text& text, const Model& model, const std::string& what);
/// Parses and checks an expression of position: coordinates, parameters, sources, and definitions of these. Throws: ModelError.
ExprPtr parse_position(const core::Text& text, const Model& model, const std::string& what);
/// Parses and checks an expression of n, the number of a frame. Throws: ModelError.
ExprPtr parse_frame_step(const core::Text& text, const std::string& what);

/// Words that can be no field or parameter name.
bool is_reserved(const std::string& name);

}  // namespace mottle::model
