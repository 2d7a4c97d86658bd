// mottle/run/settings/boundary_rules.cpp: merges boundary rules of several sources and resolves them to sides or loops
#include "mottle/run/settings/boundary_rules.h"

#include "mottle/core/error.h"
#include "mottle/core/place_map.h"
#include "mottle/core/text.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/run/settings/settings.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mottle::run {

using core::Node;

namespace {

constexpr std::string_view kAll = "";  // the key of a rule for all sides

/// What a rule can be for: the sides of a grid, or the loops of a mesh.
struct Places {
    std::vector<std::string> names;
    const char* noun;    ///< "side"
    std::string listed;  ///< for messages

    int find(std::string_view name) const {
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? -1 : static_cast<int>(found - names.begin());
    }
};

Places sides() { return {{domain::kSideNames.begin(), domain::kSideNames.end()}, "side", "left, right, top, bottom, front, back"}; }

Places loops_of(const domain::Mesh& mesh) {
    Places places{{}, "loop", ""};
    for (std::size_t i = 0; i < mesh.loops.size(); ++i) places.names.push_back("loop" + std::to_string(i));
    if (places.names.empty())
        places.listed = "the surface has none";
    else
        places.listed = places.names.size() == 1 ? "loop0" : "loop0 to " + places.names.back();
    return places;
}

Node rule_node(const core::Text& text) {
    Node node;
    node.kind = Node::Kind::text;
    node.text = text.text;
    node.span = text.span;
    return node;
}

/// The member `key` of a table that is made from text, at its place there.
Node& named(Node& table, const core::Text& key) {
    if (!table.find(key.text)) {
        table.at(key.text);
        table.members.back().key_span = key.span;
    }
    return table.at(key.text);
}

/// Puts a rule where none is yet.
void put_rule(Node& table, const core::Text& key, const core::Text& rule, const std::string& whose) {
    if (table.find(key.text))
        throw core::InputError(
            (key.text == kAll ? "there are two rules for all sides" + whose : "'" + key.text + "'" + whose + " has two rules") +
                "; give one",
            key.text == kAll ? rule.span : key.span);
    named(table, key) = rule_node(rule);
}

/// The text "RULE" or "SIDE=RULE,u.left=RULE" as the table that a file would hold.
Node table_of_text(const core::Text& text, const Places& places) {
    Node table;
    table.span = text.span;
    for (const core::Text& part : core::split_list(text)) {
        // An equals sign after the first parenthesis belongs to an expression.
        const std::size_t equals = part.text.find_first_of("=(");
        const bool is_named = equals != std::string::npos && part.text[equals] == '=';
        const std::size_t begin = is_named ? part.text.find_first_not_of(" \t", equals + 1) : 0;
        const core::Text rule = core::slice(part, std::min(begin, part.text.size()), part.text.size());
        const core::Text all{std::string(kAll), part.span};
        const core::Text key = is_named ? core::slice(part, 0, core::trim(std::string_view(part.text).substr(0, equals)).size()) : all;
        const std::size_t dot = key.text.find('.');
        if (key.text == kAll || places.find(key.text) >= 0) {
            put_rule(table, key, rule, "");
        } else {
            const core::Text field = core::slice(key, 0, std::min(dot, key.text.size()));
            if (field.text.empty())
                throw core::InputError("a boundary rule is written SIDE=RULE, FIELD=RULE or FIELD.SIDE=RULE, not '" + part.text + "'",
                                       part.span);
            Node& own = named(table, field);
            put_rule(own, dot == std::string::npos ? all : core::slice(key, dot + 1, key.text.size()), rule, " of '" + field.text + "'");
        }
    }
    return table;
}

void require_no_table(const Node& table, const Places& places, const std::string& where) {
    for (const core::Member& member : table.members) {
        if (places.find(member.key) < 0 || member.value.kind != Node::Kind::table) continue;
        throw core::InputError(
            where + ": the rule of a " + places.noun + " is a string, as in " + member.key + " = \"value(1)\", not a table",
            member.key_span);
    }
}

/// {left = .., u = {left = ..}, u = rule}: a rule for a whole field becomes {"" = rule}.
Node normal_table(const Node& node, const model::Model& model, const Places& places) {
    Node table = node.kind == Node::Kind::table ? node : table_of_text(expect_words(node, "boundary"), places);
    require_no_table(table, places, "[boundary]");
    for (core::Member& member : table.members) {
        if (member.key == kAll || places.find(member.key) >= 0) continue;
        std::vector<std::string> known;
        for (const model::Equation& equation : model.equations) known.push_back(equation.field);
        if (std::find(known.begin(), known.end(), member.key) == known.end()) {
            known.insert(known.end(), places.names.begin(), places.names.end());
            std::string hint = core::did_you_mean(member.key, known);
            if (hint.empty() && !places.names.empty())
                hint = std::string("; for all ") + places.noun +
                       "s write boundary = \"RULE\" above the tables, for all of one field FIELD = \"RULE\" here";
            throw core::InputError(
                "[boundary]: '" + member.key + "' is neither a " + places.noun + " (" + places.listed + ") nor a field" + hint,
                member.key_span);
        }
        if (member.value.kind == Node::Kind::table) {
            require_no_table(member.value, places, "[boundary." + member.key + "]");
        } else {
            Node whole;
            whole.at(kAll) = member.value;
            member.value = whole;
        }
    }
    return table;
}

/// A rule for all sides takes back what was said before it.
void lay_rules(Node& base, const Node& over) {
    if (over.find(kAll)) base.members.clear();
    for (const core::Member& member : over.members) {
        Node& mine = base.at(member.key);
        if (member.value.kind == Node::Kind::table)
            lay_rules(mine, member.value);
        else
            mine = member.value;
        for (core::Member& known : base.members) {
            if (known.key == member.key) known.key_span = member.key_span;
        }
    }
}

void set_rules(std::span<domain::Boundary> rules, const Node& table, const std::string& where, const Places& places) {
    if (const Node* all = table.find(kAll)) std::fill(rules.begin(), rules.end(), domain::parse_boundary(expect_words(*all, "boundary")));
    for (const core::Member& member : table.members) {
        const int place = places.find(member.key);
        if (place >= 0) {
            rules[core::at(place)] = domain::parse_boundary(expect_words(member.value, "boundary"));
        } else if (member.key != kAll && member.value.kind != Node::Kind::table) {
            const std::string hint = core::did_you_mean(member.key, places.names);
            throw core::InputError(where + ": unknown " + places.noun + " '" + member.key + "'" +
                                       (hint.empty() ? std::string("; the ") + places.noun + "s are " + places.listed : hint),
                                   member.key_span);
        }
    }
}

bool is_rule_of_meshes(const domain::Boundary& boundary) {
    return boundary.rule == domain::Rule::no_flux || boundary.rule == domain::Rule::value;
}

/// Takes away what only a grid has, and names it in `dropped`: sides, or rules for more than one.
void drop_rules_of_grids(Node& table, std::vector<std::string>& dropped) {
    std::erase_if(table.members, [&](const core::Member& member) {
        std::string what = member.key;
        if (std::find(domain::kSideNames.begin(), domain::kSideNames.end(), member.key) == domain::kSideNames.end()) {
            if (member.value.kind == Node::Kind::table) return false;
            const domain::Boundary boundary = domain::parse_boundary(expect_words(member.value, "boundary"));
            if (is_rule_of_meshes(boundary)) return false;
            what = std::string("'") + domain::rule_name(boundary.rule) + "'";
        }
        if (std::find(dropped.begin(), dropped.end(), what) == dropped.end()) dropped.push_back(what);
        return true;
    });
    for (core::Member& member : table.members) {
        if (member.value.kind == Node::Kind::table) drop_rules_of_grids(member.value, dropped);
    }
}

/// Whether there are two cells or more along the axis of the side.
bool has_side(const domain::Triple& size, int side) { return size[core::at(side) / 2] > 1; }

/// Throws for a rule for a side that neither `grid` has nor `known`, the size that the rule was written for.
void require_sides(const Node& table, const domain::Grid& grid, const domain::Triple& known, const std::string& where) {
    const Places places = sides();
    for (const core::Member& member : table.members) {
        if (member.value.kind == Node::Kind::table) require_sides(member.value, grid, known, where + "." + member.key);
        const int side = places.find(member.key);
        if (side < 0 || has_side(grid.size, side) || has_side(known, side)) continue;
        std::vector<std::string> there;
        for (const std::string& name : places.names) {
            if (has_side(grid.size, places.find(name))) there.push_back(name);
        }
        throw core::InputError("[" + where + "]: the " + domain::describe(grid) + " has no side '" + member.key + "'; " +
                                   (there.empty() ? "a single cell has none" : "there are " + core::listed(there, "and")),
                               member.key_span);
    }
}

/// Takes away the rules for sides along an axis of one cell and names these in `dropped`.
void drop_missing_sides(Node& table, const domain::Grid& grid, std::vector<std::string>& dropped) {
    const Places places = sides();
    std::erase_if(table.members, [&](const core::Member& member) {
        const int side = places.find(member.key);
        if (side < 0 || has_side(grid.size, side)) return false;
        if (std::find(dropped.begin(), dropped.end(), member.key) == dropped.end()) dropped.push_back(member.key);
        return true;
    });
    for (core::Member& member : table.members) {
        if (member.value.kind == Node::Kind::table) drop_missing_sides(member.value, grid, dropped);
    }
}

void require_rules_of_meshes(std::span<const domain::Boundary> rules) {
    for (const domain::Boundary& boundary : rules) {
        if (is_rule_of_meshes(boundary)) continue;
        throw core::InputError(std::string("the boundary rule '") + domain::rule_name(boundary.rule) +
                                   "' is for grids; a loop of a surface is no-flux or value(c)",
                               boundary.span);
    }
}

/// Where every field has its own rule for an axis, the grid's own (of coordinates, and of how rows are kept) follows whether they wrap.
void settle_wrapping(domain::Grid& grid, const model::Model& model) {
    for (std::size_t side = 0; side < grid.sides.size(); side += 2) {
        const domain::Sides& first = grid.sides_of(model.equations.front().field);
        const bool wraps = first[side].rule == domain::Rule::periodic;
        const bool alike = std::all_of(model.equations.begin(), model.equations.end(), [&](const model::Equation& equation) {
            const domain::Sides& own = grid.sides_of(equation.field);
            return (own[side].rule == domain::Rule::periodic) == wraps && (own[side + 1].rule == domain::Rule::periodic) == wraps;
        });
        if (!alike || wraps == (grid.sides[side].rule == domain::Rule::periodic)) continue;
        const domain::Sides own = first;
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(side), 2, grid.sides.begin() + static_cast<std::ptrdiff_t>(side));
    }
}

/// The names in `expr`, those within a gradient aside, of which the last is kept.
void collect_names(const model::Expr& expr, std::vector<std::string>& names, const model::Expr*& gradient) {
    if (expr.calls(model::Callee::grad)) {
        gradient = expr.args[0].get();
        return;
    }
    if (ir::is_sum(expr)) return;  // one number for all cells
    if (expr.kind == model::Expr::Kind::name) names.push_back(expr.name);
    for (const model::ExprPtr& argument : expr.args) collect_names(*argument, names, gradient);
}

/// Calls visit(f, names in D) for every div(D*grad(f)) in `expr`.
template <class Visit>
void for_each_flux(const model::Expr& expr, const Visit& visit) {
    for (const model::ExprPtr& argument : expr.args) for_each_flux(*argument, visit);
    if (expr.kind != model::Expr::Kind::call || !expr.calls(model::Callee::div)) return;
    std::vector<std::string> names;
    const model::Expr* gradient = nullptr;
    collect_names(*expr.args[0], names, gradient);
    if (gradient) visit(*gradient, std::span<const std::string>(names));
}

}  // namespace

void require_finite_borders(const domain::Grid& grid, const ir::Program& program, std::span<const double> uniforms) {
    for (ir::Array array = 0; array < program.field_count(); ++array) {
        const ir::ArrayInfo& info = program.arrays[core::at(array)];
        const ir::GhostRule& rule = program.ghosts_of(array);
        for (std::size_t side = 0; side < rule.size(); ++side) {
            for (const int number : {rule[side].alpha, rule[side].beta}) {
                if (number < 0 || std::isfinite(uniforms[core::at(number)])) continue;
                const domain::Boundary& boundary = grid.sides_of(info.name)[side];
                throw core::InputError(
                    std::string("the boundary rule '") + domain::rule_name(boundary.rule) + "' of '" + info.name + "' on the side '" +
                        domain::kSideNames[side] + "' has no finite value at the start" +
                        (boundary.rule == domain::Rule::robin ? "; robin(a, b, c) needs b/h + a/2 other than 0, h being the spacing" : ""),
                    boundary.span);
            }
        }
    }
}

std::vector<std::string> notices_of_held_borders(const ir::Program& program) {
    // numbers that change with t are others in each stage; the homogeneous form has 0, which does not
    const auto as_given = [&](int here, int given) { return here == given || (here >= 0 && program.uniforms[core::at(here)].per_step); };
    const auto same = [&](const ir::Ghost& a, const ir::Ghost& b) {
        return a.rule == b.rule && as_given(a.alpha, b.alpha) && as_given(a.beta, b.beta);
    };
    std::vector<std::string> notices;
    for (const ir::Stage& stage : program.step.stages) {
        for (const auto& [array, value] : stage.stores) {
            if (program.arrays[core::at(array)].kind != ir::ArrayInfo::Kind::held) continue;
            bool at_the_cell = true, other = false;       // a value of the fields at each cell: beyond the border it would have one, too
            std::vector<char> needed(stage.code.size());  // a stage may hold several values, and each is looked at by itself
            needed[core::at(value)] = 1;
            for (std::size_t i = stage.code.size(); i-- > 0;) {
                if (!needed[i]) continue;
                const ir::Instruction& in = stage.code[i];
                for (const ir::Value argument : in.args) {
                    if (argument >= 0) needed[core::at(argument)] = 1;
                }
                if (in.op != ir::Op::load || program.arrays[core::at(in.index)].kind != ir::ArrayInfo::Kind::state) continue;
                at_the_cell = at_the_cell && in.offset == decltype(in.offset){};
                other = other || !std::equal(program.ghosts_of(array).begin(), program.ghosts_of(array).end(),
                                             program.ghosts_of(in.index).begin(), same);
            }
            if (!at_the_cell || !other) continue;
            notices.push_back(
                "'" + program.arrays[core::at(array)].name +
                "' is stored for an operator, with the homogeneous form of its fields' boundary rules (value(c) as value(0), flux as "
                "no-flux); an operator applied to the field itself uses the rule as given");
        }
    }
    return notices;
}

std::vector<std::string> notices_of_broken_wrapping(const domain::Grid& grid, const model::Model& model) {
    const ir::Classifier classifier(model);
    std::vector<std::string> notices;
    for (const model::Equation& equation : model.equations) {
        for_each_flux(*equation.rate, [&](const model::Expr& potential, std::span<const std::string> conductivity) {
            for (std::size_t side = 0; side < grid.sides.size(); side += 2) {
                const auto wraps = [&](const domain::Sides& sides) { return sides[side].rule == domain::Rule::periodic; };
                const auto wraps_here = [&](int field) { return wraps(grid.sides_of(model.equations[core::at(field)].field)); };
                const std::vector<int> fields = classifier.fields(potential);
                if (grid.size[side / 2] == 1 || fields.empty() || !std::all_of(fields.begin(), fields.end(), wraps_here)) continue;
                for (const std::string& name : conductivity) {
                    const model::Expr symbol{model::Expr::Kind::name, {}, 0, name, {}};
                    const int field = classifier.field(symbol);
                    const bool of_the_grid =
                        classifier.map(symbol) >= 0 || name == std::string(1, "xyz"[side / 2]) || name == std::string(1, "XYZ"[side / 2]);
                    if (field >= 0 ? wraps_here(field) : !of_the_grid || wraps(grid.sides)) continue;
                    const std::string ends = std::string("from ") + domain::kSideNames[side] + " to " + domain::kSideNames[side + 1] +
                                             " '" + model::print(potential) + "' is periodic and '" + name + "' in its div(...) is not: ";
                    notices.push_back(
                        ends + "the flux out of one side is not the flux into the other" +
                        (of_the_grid ? "; to make '" + name +
                                           "' periodic, too, make [boundary] periodic there and give the other fields rules of their own"
                                     : ""));
                }
            }
        });
    }
    std::sort(notices.begin(), notices.end());
    notices.erase(std::unique(notices.begin(), notices.end()), notices.end());
    return notices;
}

void require_one_wrapping_of_a_volume(const domain::Grid& grid, const model::Model& model) {
    if (grid.size[2] == 1) return;
    for (const auto& [side, way] : {std::pair{domain::kTop, "from top to bottom"}, std::pair{domain::kFront, "from front to back"}}) {
        const auto wraps = [at = side](const domain::Sides& sides) { return sides[at].rule == domain::Rule::periodic; };
        for (const model::Equation& equation : model.equations) {
            const domain::Sides& own = grid.sides_of(equation.field);
            if (wraps(own) == wraps(grid.sides)) continue;
            throw core::InputError(
                "'" + equation.field + "' is " + (wraps(own) ? "periodic " : "not periodic ") + way + " and other fields are" +
                    (wraps(own) ? " not" : "") +
                    "; on a 3D grid, compiled kernels need the same choice for all fields; --device reference accepts both",
                own[side].span);
        }
    }
}

std::vector<std::string> apply_boundary(domain::Grid& grid, const model::Model& model, std::span<const BoundaryLayer> layers) {
    const Places places = sides();
    Node rules;
    for (const BoundaryLayer& layer : layers) {
        const Node table = normal_table(*layer.rules, model, places);
        if (layer.size) require_sides(table, grid, *layer.size, "boundary");
        lay_rules(rules, table);
    }
    std::vector<std::string> missing;
    drop_missing_sides(rules, grid, missing);
    set_rules(grid.sides, rules, "[boundary]", places);
    for (const core::Member& member : rules.members) {
        if (member.value.kind != Node::Kind::table) continue;
        domain::Sides own = grid.sides;
        set_rules(own, member.value, "[boundary." + member.key + "]", places);
        grid.field_sides.emplace_back(member.key, own);
    }
    settle_wrapping(grid, model);
    if (missing.empty()) return {};
    return {"the " + domain::describe(grid) + " has no " + core::listed(missing, "or") + ": the rules for " +
            (missing.size() == 1 ? "it" : "them") + " are ignored"};
}

std::vector<std::string> apply_boundary(domain::Mesh& mesh, const model::Model& model, std::span<const BoundaryLayer> layers) {
    const Places places = loops_of(mesh);
    Node rules;
    std::vector<std::string> told, untold;
    for (const BoundaryLayer& layer : layers) {
        Node table = layer.rules->kind == Node::Kind::table ? *layer.rules : table_of_text(expect_words(*layer.rules, "boundary"), places);
        if (layer.on_meshes != BoundaryLayer::OnMeshes::refused)
            drop_rules_of_grids(table, layer.on_meshes == BoundaryLayer::OnMeshes::told ? told : untold);
        const Node* all = table.find(kAll);
        if (all)
            require_rules_of_meshes(std::array{domain::parse_boundary(expect_words(*all, "boundary"))});  // also where there is no loop
        lay_rules(rules, normal_table(table, model, places));
    }
    set_rules(mesh.loops, rules, "[boundary]", places);
    require_rules_of_meshes(mesh.loops);
    for (const core::Member& member : rules.members) {
        if (member.value.kind != Node::Kind::table) continue;
        std::vector<domain::Boundary> field = mesh.loops;
        set_rules(field, member.value, "[boundary." + member.key + "]", places);
        require_rules_of_meshes(field);
        mesh.field_loops.emplace_back(member.key, field);
    }
    if (told.empty()) return {};
    return {"a surface has no sides: the rules of the file for " + core::listed(told, "and") + " are ignored"};
}

}  // namespace mottle::run
