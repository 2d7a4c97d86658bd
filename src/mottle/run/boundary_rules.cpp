// mottle/run/boundary_rules.cpp: merges boundary rules of several sources and resolves them to sides
#include "mottle/run/boundary_rules.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/run/settings.h"

#include <algorithm>
#include <array>

namespace mottle::run {

using core::Node;

namespace {

constexpr std::array kSideNames = {"left", "right", "top", "bottom", "front", "back"};  // in the order of domain::Side
constexpr std::string_view kAll = "";                                                   // the key of a rule for all sides

int side_of(std::string_view name) {
    const auto* found = std::find(kSideNames.begin(), kSideNames.end(), name);
    return found == kSideNames.end() ? -1 : static_cast<int>(found - kSideNames.begin());
}

/// Splits at commas outside parentheses: "left=value(min(a,1)),right=still".
std::vector<core::Text> split_rules(const core::Text& text) {
    std::vector<core::Text> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.text.size(); ++i) {
        const bool end = i == text.text.size();
        if (!end) depth += text.text[i] == '(' ? 1 : text.text[i] == ')' ? -1 : 0;
        if (!end && (text.text[i] != ',' || depth > 0)) continue;
        core::Text part{text.text.substr(begin, i - begin), text.span};
        part.span.column += part.span.column > 0 ? static_cast<int>(begin) : 0;
        parts.push_back(part);
        begin = i + 1;
    }
    return parts;
}

Node rule_node(const core::Text& text) {
    Node node;
    node.kind = Node::Kind::text;
    node.text = text.text;
    node.span = text.span;
    return node;
}

/// The text "RULE" or "SIDE=RULE,u.left=RULE" as the table that a file would hold.
Node table_of_text(const core::Text& text) {
    Node table;
    table.span = text.span;
    for (const core::Text& part : split_rules(text)) {
        // An equals sign after the first parenthesis belongs to an expression.
        const std::size_t equals = part.text.find_first_of("=(");
        const bool named = equals != std::string::npos && part.text[equals] == '=';
        const std::string key(named ? core::trim(std::string_view(part.text).substr(0, equals)) : kAll);
        const std::size_t skipped = named ? equals + 1 : 0;
        core::Text rule{part.text.substr(skipped), part.span};
        const std::size_t blanks = std::min(rule.text.find_first_not_of(" \t"), rule.text.size());
        rule.span.column += rule.span.column > 0 ? static_cast<int>(skipped + blanks) : 0;
        rule.text = std::string(core::trim(rule.text));
        const std::size_t dot = key.find('.');
        Node& place = dot == std::string::npos ? table.at(key) : table.at(key.substr(0, dot)).at(key.substr(dot + 1));
        place = rule_node(rule);
    }
    for (core::Member& member : table.members) {
        member.key_span = text.span;
        for (core::Member& inner : member.value.members) inner.key_span = text.span;
    }
    return table;
}

/// {left = .., u = {left = ..}, u = rule}: a rule for a whole field becomes {"" = rule}.
Node normal_table(const Node& node, const model::Model& model) {
    Node table = node.kind == Node::Kind::table ? node : table_of_text(expect_words(node, "boundary"));
    for (core::Member& member : table.members) {
        if (member.key == kAll || side_of(member.key) >= 0) continue;
        std::vector<std::string> known;
        for (const model::Equation& equation : model.equations) known.push_back(equation.field);
        if (std::find(known.begin(), known.end(), member.key) == known.end()) {
            known.insert(known.end(), kSideNames.begin(), kSideNames.end());
            throw core::InputError("[boundary]: '" + member.key +
                                       "' is neither a side (left, right, top, bottom, front, back) nor a field" +
                                       core::did_you_mean(member.key, known),
                                   member.key_span);
        }
        if (member.value.kind != Node::Kind::table) {
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

void set_sides(domain::Sides& sides, const Node& table, const std::string& where) {
    if (const Node* all = table.find(kAll)) sides.fill(domain::parse_boundary(expect_words(*all, "boundary")));
    for (const core::Member& member : table.members) {
        const int side = side_of(member.key);
        if (side >= 0) {
            sides[static_cast<std::size_t>(side)] = domain::parse_boundary(expect_words(member.value, "boundary"));
        } else if (member.key != kAll && member.value.kind != Node::Kind::table) {
            const std::vector<std::string> known(kSideNames.begin(), kSideNames.end());
            throw core::InputError(where + ": unknown side '" + member.key + "'" + core::did_you_mean(member.key, known), member.key_span);
        }
    }
}

}  // namespace

void apply_boundary(domain::Grid& grid, const model::Model& model, std::span<const Node* const> layers) {
    Node rules;
    for (const Node* layer : layers) lay_rules(rules, normal_table(*layer, model));
    set_sides(grid.sides, rules, "[boundary]");
    for (const core::Member& member : rules.members) {
        if (member.value.kind != Node::Kind::table) continue;
        domain::Sides sides = grid.sides;
        set_sides(sides, member.value, "[boundary." + member.key + "]");
        grid.field_sides.emplace_back(member.key, sides);
    }
}

}  // namespace mottle::run
