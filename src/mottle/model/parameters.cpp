// mottle/model/parameters.cpp: [parameters]: numbers, expressions of other parameters, and maps
#include "mottle/model/parameters.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/model/fold.h"
#include "mottle/model/names.h"
#include "mottle/model/parse.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

namespace mottle::model {
namespace {

using core::InputError;
using core::Node;

struct Entry {
    Parameter parameter;
    const Node* value = nullptr;
    ExprPtr expr;             ///< set if the value is an expression
    bool positional = false;  ///< it uses position by itself
    int levels = 0;           ///< of a map, with all maps in it written out
};

/// A value that a parameter may have. Throws: InputError.
double finite(const Parameter& parameter, double value) {
    if (std::isfinite(value)) return value;
    throw InputError("the parameter '" + parameter.name + "' is " + core::number_text(value) + "; it must be a finite number",
                     parameter.span);
}

/// The parameters such that each comes after those it uses; those that depend on each other in a circle, and what uses them, are left out.
std::vector<std::size_t> in_order_of_use(std::size_t count, const std::function<const Parameter&(std::size_t)>& parameter) {
    std::vector<std::size_t> waiting(count);
    std::vector<std::vector<std::size_t>> users(count);
    for (std::size_t i = 0; i < count; ++i) {
        waiting[i] = parameter(i).uses.size();
        for (const std::size_t used : parameter(i).uses) users[used].push_back(i);
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < count; ++i) {
        if (waiting[i] == 0) ready.push_back(i);
    }
    for (std::size_t next = 0; next < ready.size(); ++next) {
        for (const std::size_t user : users[ready[next]]) {
            if (--waiting[user] == 0) ready.push_back(user);
        }
    }
    return ready;
}

class Reader {
   public:
    Reader(Definitions& definitions, Symbols& symbols) : definitions_(definitions), symbols_(symbols) {}

    std::vector<Parameter> read(const Node& table) {
        for (const auto& member : table.members) {
            index_.emplace(member.key, entries_.size());
            entries_.push_back(read_entry(member));
        }
        for (Entry& entry : entries_) read_value(entry);
        for (const std::size_t i : order()) evaluate(entries_[i]);
        std::vector<Parameter> parameters;
        for (Entry& entry : entries_) parameters.push_back(std::move(entry.parameter));
        return parameters;
    }

   private:
    static Entry read_entry(const core::Member& member) {
        Entry entry;
        Parameter& parameter = entry.parameter;
        parameter.name = member.key;
        entry.value = &member.value;
        if (member.value.kind == Node::Kind::table) {
            const std::string where = "[parameters] " + member.key;
            core::check_keys(member.value, {"value", "min", "max", "about"}, where);
            entry.value = member.value.find("value");
            if (!entry.value) throw InputError(where + " has no value; write " + member.key + " = { value = 0.1 }", member.key_span);
            if (const Node* node = member.value.find("min")) parameter.min = core::expect_number(*node, "min of " + member.key);
            if (const Node* node = member.value.find("max")) parameter.max = core::expect_number(*node, "max of " + member.key);
            if (const Node* node = member.value.find("about")) parameter.about = core::expect_text(*node, "about");
            if (parameter.min && parameter.max && *parameter.min > *parameter.max) {
                throw InputError("min of " + member.key + " is " + core::number_text(*parameter.min) + " and its max " +
                                     core::number_text(*parameter.max) + "; min must be the smaller one",
                                 member.value.find("min")->span);
            }
        }
        parameter.span = entry.value->span;
        return entry;
    }

    void read_value(Entry& entry) {
        Parameter& parameter = entry.parameter;
        const std::string what = "the parameter '" + parameter.name + "'";
        // A flag gives every value as text; a number in text is a number, "nan" too.
        double number = 0;
        if (entry.value->kind != Node::Kind::text) {
            number = core::expect_number(wanted(*entry.value, what), what);
        } else if (!core::parse_number(core::trim(entry.value->text), number)) {
            entry.expr = definitions_.expand(parse({entry.value->text, entry.value->span}));
            find_uses(*entry.expr, entry);
            return;
        }
        parameter.value = finite(parameter, number);
    }

    static const Node& wanted(const Node& node, const std::string& what) {
        core::expect_expression(node, what);
        return node;
    }

    void find_uses(const Expr& expr, Entry& entry) const {
        if (expr.kind == Expr::Kind::name) {
            const auto found = index_.find(expr.name);
            if (found != index_.end()) entry.parameter.uses.push_back(found->second);
            entry.positional = entry.positional || is_coordinate(expr.name);
        } else if (expr.kind == Expr::Kind::call) {
            const Function* function = find_function(expr.name);
            entry.positional = entry.positional || (function && function->use == Use::source);
        }
        for (const ExprPtr& arg : expr.args) find_uses(*arg, entry);
    }

    std::vector<std::size_t> order() const {
        std::vector<std::size_t> order =
            in_order_of_use(entries_.size(), [this](std::size_t i) -> const Parameter& { return entries_[i].parameter; });
        if (order.size() < entries_.size()) refuse_circle(order);
        return order;
    }

    /// `free`: those that no circle holds up.
    [[noreturn]] void refuse_circle(const std::vector<std::size_t>& free) const {
        std::vector<bool> held(entries_.size(), true);
        for (const std::size_t i : free) held[i] = false;
        std::size_t at = 0;
        while (!held[at]) ++at;
        std::vector<std::size_t> path;
        std::vector<bool> seen(entries_.size());
        while (!seen[at]) {
            seen[at] = true;
            path.push_back(at);
            for (const std::size_t used : entries_[at].parameter.uses) {
                if (!held[used]) continue;
                at = used;
                break;
            }
        }
        std::string names;
        bool inside = false;
        for (const std::size_t i : path) {
            inside = inside || i == at;
            if (inside) names += entries_[i].parameter.name + " -> ";
        }
        throw core::ModelError("the parameters depend on each other in a circle: " + names + entries_[at].parameter.name,
                               entries_[at].expr->span);
    }

    int levels(const Expr& expr) const {
        int most = 0;
        if (expr.kind == Expr::Kind::name) {
            const auto found = index_.find(expr.name);
            if (found != index_.end()) most = entries_[found->second].levels;
        }
        for (const ExprPtr& arg : expr.args) most = std::max(most, levels(*arg));
        return most + 1;
    }

    void evaluate(Entry& entry) {
        if (!entry.expr) return;
        Parameter& parameter = entry.parameter;
        bool map = entry.positional;
        for (const std::size_t used : parameter.uses) map = map || entries_[used].parameter.map;
        check_expression(*entry.expr, symbols_, {Place::position, "the parameter '" + parameter.name + "'", false, parameter.name});
        if (map) {
            entry.levels = levels(*entry.expr);
            if (entry.levels > kDeepestMap) {
                throw core::ModelError(
                    "maps that use other maps are nested beyond " + std::to_string(kDeepestMap) + " levels; simplify them",
                    entry.expr->span);
            }
            parameter.map = entry.expr;
            symbols_.add(parameter.name, Symbol::map);
            return;
        }
        parameter.formula = entry.expr;
        parameter.value =
            finite(parameter, fold(*entry.expr, [this](const Expr& name) { return entries_[index_.at(name.name)].parameter.value; }));
    }

    Definitions& definitions_;
    Symbols& symbols_;
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

std::vector<Parameter> read_parameters(const Node& table, Definitions& definitions, Symbols& symbols) {
    return Reader(definitions, symbols).read(table);
}

namespace {

/// Has the numbers that are computed from parameter `index` follow it. Returns what has changed.
std::vector<std::size_t> follow(std::vector<Parameter>& parameters, std::size_t index) {
    std::vector<bool> changed(parameters.size());
    changed[index] = true;
    std::vector<std::size_t> result;
    for (const std::size_t at : in_order_of_use(parameters.size(), [&](std::size_t i) -> const Parameter& { return parameters[i]; })) {
        Parameter& parameter = parameters[at];
        changed[at] = changed[at] || std::any_of(parameter.uses.begin(), parameter.uses.end(), [&](std::size_t i) { return changed[i]; });
        if (!changed[at]) continue;
        result.push_back(at);
        const auto value_of = [&](const Expr& name) {
            const auto used =
                std::find_if(parameter.uses.begin(), parameter.uses.end(), [&](std::size_t i) { return parameters[i].name == name.name; });
            return parameters[*used].value;
        };
        if (parameter.formula) parameter.value = finite(parameter, fold(*parameter.formula, value_of));
    }
    return result;
}

}  // namespace

std::vector<std::size_t> set_number(std::vector<Parameter>& parameters, std::size_t index, double value) {
    Parameter& parameter = parameters.at(index);
    parameter.value = finite(parameter, value);
    parameter.map = parameter.formula = nullptr;
    parameter.uses.clear();
    return follow(parameters, index);
}

std::vector<std::size_t> set_map(std::vector<Parameter>& parameters, std::size_t index, ExprPtr map) {
    Parameter& parameter = parameters.at(index);
    parameter.value = 0;
    parameter.map = std::move(map);
    parameter.formula = nullptr;
    parameter.uses.clear();
    return follow(parameters, index);
}

}  // namespace mottle::model
