// mottle/domain/boundary.cpp: boundary rules as text
#include "mottle/domain/boundary.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/core/place_map.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>

namespace mottle::domain {
namespace {

using core::InputError;

constexpr std::array kRules = {Rule::periodic, Rule::no_flux, Rule::value, Rule::outside, Rule::still, Rule::flux, Rule::robin};
constexpr const char* kRuleList = "periodic, no-flux, value(c), outside(c), flux(g), robin(a, b, c) or still";

/// Names of other programs and books for our rules.
struct Alias {
    std::string_view name, rule;
};
constexpr std::array kAliases = {
    Alias{"neumann", "no-flux"},    Alias{"reflect", "no-flux"}, Alias{"mirror", "no-flux"},      Alias{"zero-flux", "no-flux"},
    Alias{"noflux", "no-flux"},     Alias{"no_flux", "no-flux"}, Alias{"wrap", "periodic"},       Alias{"torus", "periodic"},
    Alias{"dirichlet", "value(c)"}, Alias{"fixed", "value(c)"},  Alias{"constant", "outside(c)"}, Alias{"mixed", "robin(a, b, c)"},
};

std::size_t terms_of(Rule rule) {
    switch (rule) {
        case Rule::periodic:
        case Rule::no_flux:
        case Rule::still:
            return 0;
        case Rule::value:
        case Rule::outside:
        case Rule::flux:
            return 1;
        case Rule::robin:
            return 3;
    }
    return 0;
}

/// Where the parenthesis that opens at `open` is closed; npos if it is not.
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) return i;
    }
    return std::string_view::npos;
}

[[noreturn]] void refuse_rule(const std::string& word, const core::Span& span) {
    const auto alias = std::find_if(kAliases.begin(), kAliases.end(), [&](const Alias& a) { return a.name == word; });
    if (alias != kAliases.end())
        throw InputError("unknown boundary rule '" + word + "'; here it is called '" + std::string(alias->rule) + "'", span);
    std::vector<std::string> names;
    names.reserve(kRules.size());
    for (const Rule rule : kRules) names.emplace_back(rule_name(rule));
    const std::string hint = core::did_you_mean(word, names);
    throw InputError("unknown boundary rule '" + word + "'" + (hint.empty() ? std::string("; a boundary is ") + kRuleList : hint), span);
}

}  // namespace

const char* rule_name(Rule rule) {
    switch (rule) {
        case Rule::periodic:
            return "periodic";
        case Rule::no_flux:
            return "no-flux";
        case Rule::value:
            return "value";
        case Rule::outside:
            return "outside";
        case Rule::still:
            return "still";
        case Rule::flux:
            return "flux";
        case Rule::robin:
            return "robin";
    }
    return "unknown";
}

Boundary parse_boundary(const core::Text& text) {
    const std::string_view whole = text.text;
    const std::string_view trimmed = core::trim(whole);
    if (trimmed.empty()) throw InputError(std::string("the boundary rule is empty; write ") + kRuleList, text.span);
    const auto begin = core::at(trimmed.data() - whole.data());
    const std::size_t open = trimmed.find('(');
    const std::string word(core::trim(trimmed.substr(0, open)));
    const core::Span word_span = core::slice(text, begin, word.size()).span;
    const auto found = std::find_if(kRules.begin(), kRules.end(), [&](Rule rule) { return word == rule_name(rule); });
    if (found == kRules.end()) refuse_rule(word, word_span);

    Boundary boundary{*found, {}, word_span};
    const std::size_t count = terms_of(boundary.rule);
    if (count == 0) {
        if (open != std::string_view::npos) throw InputError("'" + word + "' takes no value; write it without parentheses", word_span);
        return boundary;
    }
    const bool robin = boundary.rule == Rule::robin;
    const std::string example = "; write for example " + word + (robin ? "(1, 1, 0)" : "(0)");
    const std::string needs = "'" + word + "' needs " +
                              (robin                         ? "a, b and c of a*f + b*df/dn = c"
                               : boundary.rule == Rule::flux ? "the derivative at the border"
                                                             : "the value at the border") +
                              example;
    if (open == std::string_view::npos) throw InputError(needs, word_span);
    const std::size_t close = closing(trimmed, open);
    if (close == std::string_view::npos) throw InputError("the parenthesis of '" + word + "' is not closed" + example, text.span);
    if (close + 1 < trimmed.size()) {
        const core::Text rest = core::slice(text, begin + close + 1, trimmed.size() - close - 1);
        throw InputError("'" + std::string(core::trim(rest.text)) + "' follows the closing parenthesis of '" + word +
                             "', where a rule ends; write expressions inside the parentheses, as in " + word +
                             (robin ? "(2*a, b, c)" : "(2*k)"),
                         rest.span);
    }
    boundary.terms = core::split_list(core::slice(text, begin + open + 1, trimmed.size() - open - 2));
    const bool empty = std::any_of(boundary.terms.begin(), boundary.terms.end(), [](const core::Text& term) { return term.text.empty(); });
    if (empty || boundary.terms.size() < count) throw InputError(needs, word_span);
    if (boundary.terms.size() > count) {
        throw InputError(
            "'" + word + "' takes " + (robin ? "three values, not " : "one value, not ") + std::to_string(boundary.terms.size()) + example,
            boundary.terms[count].span);
    }
    return boundary;
}

}  // namespace mottle::domain
