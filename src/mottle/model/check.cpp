// mottle/model/check.cpp: a document -> a checked Model
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/model/expression_check.h"
#include "mottle/model/fold.h"
#include "mottle/model/model.h"
#include "mottle/model/names.h"
#include "mottle/model/parameters.h"
#include "mottle/model/parse.h"
#include "mottle/model/substitute.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace mottle::model {
namespace {

using core::InputError;
using core::Member;
using core::Node;

/// The limit of dt looks at every pair of fields, and at every field between them.
constexpr std::size_t kMostFields = 256;

const Node& empty_table() {
    static const Node kEmpty;
    return kEmpty;
}

const Node& table_of(const Node& document, const std::string& key) {
    const Node* table = document.find(key);
    if (!table) return empty_table();
    if (table->kind != Node::Kind::table) throw InputError("'" + key + "' must be a table: [" + key + "]", table->span);
    return *table;
}

std::string text_of(const Node& table, std::string_view key) {
    const Node* node = table.find(key);
    return node ? core::expect_text(*node, key) : "";
}

std::array<double, 2> expect_range(const Node& node, const std::string& what) {
    const bool pair = node.kind == Node::Kind::array && node.items.size() == 2 && node.items[0].is_number() && node.items[1].is_number();
    if (!pair) throw InputError(what + " must be two numbers, as in [0, 1]", node.span);
    const std::array<double, 2> range = {core::expect_number(node.items[0], what), core::expect_number(node.items[1], what)};
    if (range[0] >= range[1]) {
        throw InputError(what + " goes from " + core::number_text(range[0]) + " to " + core::number_text(range[1]) +
                             "; the first number must be the smaller one",
                         node.span);
    }
    return range;
}

/// The document gives a grid of three parts: "64x64x64".
bool has_depth(const Node& document) {
    const Node* grid = document.find("grid");
    const Node* size = grid ? grid->find("size") : nullptr;
    return size && size->kind == Node::Kind::text && std::count(size->text.begin(), size->text.end(), 'x') == 2;
}

class Check {
   public:
    Check(const Node& document, const std::string& name, std::optional<bool> has_z)
        : document_(document), depth_(has_z.value_or(has_depth(document))) {
        model_.name = name;
    }

    Model whole() {
        core::check_keys(document_, {"title",  "source",  "about",    "name",   "wavelength", "equations", "parameters",
                                     "define", "initial", "fields",   "clamp",  "presets",    "model",     "preset",
                                     "grid",   "mesh",    "boundary", "method", "time",       "output",    "run"},
                         "this file");
        read_heading();
        declare();
        define();
        model_.parameters = read_parameters(table_of(document_, "parameters"), definitions_, symbols_);
        read_equations();
        read_field_settings();
        model_.presets = presets_of(document_);
        return std::move(model_);
    }

   private:
    void read_heading() {
        model_.title = text_of(document_, "title");
        if (model_.title.empty()) model_.title = model_.name;
        model_.source = text_of(document_, "source");
        model_.about = text_of(document_, "about");
        text_of(document_, "name");
        if (const Node* node = document_.find("wavelength")) {
            model_.wavelength = core::expect_number(*node, "wavelength");
            if (*model_.wavelength <= 0)
                throw InputError("wavelength is " + core::number_text(*model_.wavelength) + "; it must be above 0", node->span);
        }
        const Node* method = document_.find("method");
        if (const Node* node = method ? method->find("reaction_rate") : nullptr) {
            model_.reaction_rate = core::expect_number(*node, "reaction_rate");
            if (*model_.reaction_rate < 0) {
                throw InputError("reaction_rate is " + core::number_text(*model_.reaction_rate) + "; it must be 0 or above", node->span);
            }
        }
    }

    // ---- names

    void declare() {
        const Node* equations = document_.find("equations");
        if (!equations) {
            throw InputError(
                "there is no [equations] table; a model needs one equation or more, for example: u = \"0.1*lap(u) + u*(1 - u)\"",
                document_.span);
        }
        const Node& fields = table_of(document_, "equations");
        if (fields.members.empty()) throw InputError("[equations] is empty; write one or more, for example: u = \"lap(u)\"", fields.span);
        if (fields.members.size() > kMostFields) {
            throw InputError("[equations] has " + core::grouped(static_cast<long long>(fields.members.size())) +
                                 " fields; a model may have " + std::to_string(kMostFields),
                             fields.span);
        }
        for (const Member& member : fields.members) declare(member, Symbol::field, "a field");
        for (const Member& member : table_of(document_, "parameters").members) declare(member, Symbol::number, "a parameter");
        for (const Member& member : table_of(document_, "define").members) declare(member, Symbol::definition, "a definition");
    }

    void declare(const Member& member, Symbol symbol, const std::string& role) {
        const std::string& name = member.key;
        if (!is_name(name)) refuse_name(member, role);
        if (is_reserved(name)) {
            throw InputError("'" + name + "' is reserved by the model language and cannot name " + role + "; choose another name",
                             member.key_span);
        }
        if (const auto other = roles_.find(name); other != roles_.end()) {
            const int line = other->second.second;
            throw InputError("'" + name + "' is " + role + " here and " + other->second.first +
                                 (line > 0 ? " in line " + std::to_string(line) : "") + "; give them different names",
                             member.key_span);
        }
        roles_.emplace(name, std::pair(role, member.key_span.line));
        symbols_.add(name, symbol);
    }

    [[noreturn]] static void refuse_name(const Member& member, const std::string& role) {
        const std::string& name = member.key;
        const bool derivative = name.size() > 4 && name[0] == 'd' && name.ends_with("/dt");
        if (derivative)
            throw InputError("the left side must be the name of the field: " + name.substr(1, name.size() - 4) + " = \"...\"",
                             member.key_span);
        const std::string reason =
            name.size() > kLongestName ? "is longer than " + std::to_string(kLongestName) + " characters and cannot name " : "cannot name ";
        throw InputError("'" + name + "' " + reason + role + "; names are made of a-z, A-Z, 0-9 and _ and do not begin with a digit",
                         member.key_span);
    }

    void define() {
        for (const Member& member : table_of(document_, "define").members) {
            definitions_.add(member.key, parse(core::expect_expression(member.value, member.key)));
        }
        for (const std::string& name : definitions_.names()) {
            model_.definitions.emplace_back(name, definitions_.expand_definition(name));
            check_expression(*model_.definitions.back().second, symbols_,
                             {Place::definition, "the definition '" + name + "'", false, name});
        }
    }

    // ---- fields

    void read_equations() {
        const Node& initial = table_of(document_, "initial");
        std::unordered_map<std::string, const Node*> starts;
        for (const Member& member : initial.members) {
            check_field(member, "[initial]");
            starts.emplace(member.key, &member.value);
        }
        for (const Member& member : table_of(document_, "equations").members) {
            Equation equation;
            equation.field = member.key;
            const std::string rate = "d" + member.key + "/dt", start = "the initial value of " + member.key;
            equation.rate = definitions_.expand(parse(core::expect_expression(member.value, rate)));
            check_expression(*equation.rate, symbols_, {Place::rate, rate, depth_});
            const auto found = starts.find(member.key);
            if (found == starts.end()) {
                throw InputError("the field '" + member.key + "' has no initial value; add one to [initial], for example: " + member.key +
                                     " = \"noise(0, 0.1)\"",
                                 member.key_span);
            }
            equation.initial = definitions_.expand(parse(core::expect_expression(*found->second, start)));
            check_expression(*equation.initial, symbols_, {Place::position, start});
            index_.emplace(member.key, model_.equations.size());
            model_.equations.push_back(std::move(equation));
        }
    }

    void check_field(const Member& member, const std::string& where) const {
        if (symbols_.find(member.key) == Symbol::field) return;
        std::vector<std::string> fields;
        for (const std::string& name : symbols_.names()) {
            if (symbols_.find(name) == Symbol::field) fields.push_back(name);
        }
        throw InputError(where + " names '" + member.key + "', but no equation has that field" + core::did_you_mean(member.key, fields),
                         member.key_span);
    }

    void read_field_settings() {
        for (const Member& member : table_of(document_, "clamp").members) {
            check_field(member, "[clamp]");
            model_.equations[index_.at(member.key)].clamp = expect_range(member.value, "the clamp of " + member.key);
        }
        for (const Member& member : table_of(document_, "fields").members) {
            check_field(member, "[fields]");
            if (member.value.kind == Node::Kind::array)
                throw InputError("[fields] " + member.key + " is a list; its range is written " + member.key + " = { range = [0, 1] }",
                                 member.value.span);
            core::check_keys(member.value, {"range", "about", "unit"}, "[fields] " + member.key);
            Equation& equation = model_.equations[index_.at(member.key)];
            if (const Node* range = member.value.find("range")) equation.range = expect_range(*range, "the range of " + member.key);
            equation.about = text_of(member.value, "about");
            equation.unit = text_of(member.value, "unit");
        }
    }

    const Node& document_;
    const bool depth_;
    Model model_;
    Definitions definitions_;
    Symbols symbols_;
    std::unordered_map<std::string, std::pair<std::string, int>> roles_;
    std::unordered_map<std::string, std::size_t> index_;  ///< of a field in model_.equations
};

}  // namespace

Model check(const Node& document, const std::string& name, std::optional<bool> has_z) { return Check(document, name, has_z).whole(); }

namespace {

ExprPtr parse_at(const core::Text& text, const Model& model, const Scope& scope) {
    Symbols symbols;
    for (const Equation& equation : model.equations) symbols.add(equation.field, Symbol::field);
    for (const Parameter& parameter : model.parameters) symbols.add(parameter.name, parameter.map ? Symbol::map : Symbol::number);
    Definitions definitions;
    for (const auto& [name, expr] : model.definitions) {
        definitions.add(name, expr);
        symbols.add(name, Symbol::definition);
    }
    ExprPtr expr = definitions.expand(parse(text));
    check_expression(*expr, symbols, scope);
    return expr;
}

}  // namespace

ExprPtr parse_uniform(const core::Text& text, const Model& model, const std::string& what) {
    return parse_at(text, model, {Place::uniform, what});
}

ExprPtr parse_position(const core::Text& text, const Model& model, const std::string& what) {
    return parse_at(text, model, {Place::position, what, true});
}

ExprPtr parse_frame_step(const core::Text& text, const std::string& what) {
    ExprPtr expr = parse(text);
    check_expression(*expr, Symbols(), {Place::frame, what});
    return expr;
}

}  // namespace mottle::model
