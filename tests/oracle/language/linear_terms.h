// tests/oracle/language/linear_terms.h: the terms of an equation that are linear in its own field with constant coefficients; includes nothing of Mottle
#pragma once
#include "oracle/language/expression.h"

#include <functional>
#include <map>

namespace language {

/// What a name stands for.
struct Names {
    std::map<std::string, double> numbers;
    std::map<std::string, Tree> definitions;
};

/// Collects the coefficients c_k of all terms c_k lap^k(f) of an equation of f, c_k made of numbers and parameters: sums are expanded, also those that constants multiply, and (`inside`) those inside lap and bilap.
class LinearTerms {
   public:
    LinearTerms(const Names& names, std::string field, bool inside) : names_(names), field_(std::move(field)), inside_(inside) {}

    /// By k = 0, 1, 2, ..
    std::vector<double> of(const Node& rate) {
        powers_.clear();
        add(rate, 1, 0);
        return powers_;
    }

   private:
    bool is_constant(const Node& node) const {
        if (node.kind == "call" && (node.text == "mean" || node.text == "integral" || node.text == "white")) return false;
        if (node.kind == "name") {
            const auto defined = names_.definitions.find(node.text);
            return defined != names_.definitions.end() ? is_constant(*defined->second)
                                                       : names_.numbers.contains(node.text) || node.text == "pi";
        }
        return std::all_of(node.args.begin(), node.args.end(), [&](const Tree& arg) { return is_constant(*arg); });
    }
    double constant(const Node& node) const {
        if (node.kind == "number") return node.number;
        if (node.kind == "name") {
            const auto defined = names_.definitions.find(node.text);
            if (defined != names_.definitions.end()) return constant(*defined->second);
            return node.text == "pi" ? std::acos(-1.0) : names_.numbers.at(node.text);
        }
        return elementary(node.text, constant(*node.args[0]), node.args.size() > 1 ? constant(*node.args[1]) : 0);
    }

    void put(std::size_t power, double coefficient) {
        if (powers_.size() <= power) powers_.resize(power + 1);
        powers_[power] += coefficient;
    }
    void add_laplacian(const Node& argument, double factor, std::size_t power) {
        if (inside_)
            add(argument, factor, power);
        else if (argument.kind == "name" && argument.text == field_)
            put(power, factor);
    }
    void add(const Node& node, double factor, std::size_t power) {
        if (node.kind == "name") {
            if (node.text == field_) return put(power, factor);
            if (const auto defined = names_.definitions.find(node.text); defined != names_.definitions.end())
                add(*defined->second, factor, power);
            return;
        }
        if (node.kind != "call") return;
        const std::string& f = node.text;
        if (f == "+" || f == "-") {
            add(*node.args[0], factor, power);
            add(*node.args[1], f == "-" ? -factor : factor, power);
        } else if (f == "neg") {
            add(*node.args[0], -factor, power);
        } else if (f == "*" && is_constant(*node.args[0])) {
            add(*node.args[1], factor * constant(*node.args[0]), power);
        } else if ((f == "*" || f == "/") && is_constant(*node.args[1])) {
            const double by = constant(*node.args[1]);
            add(*node.args[0], f == "*" ? factor * by : factor / by, power);
        } else if (f == "lap") {
            add_laplacian(*node.args[0], factor, power + 1);
        } else if (f == "bilap" && inside_) {
            add_laplacian(*node.args[0], factor, power + 2);
        } else if (f == "div") {
            add_divergence(*node.args[0], factor, power + 1);
        }
    }
    /// div(D*grad(f)) with a constant D is D*lap(f).
    void add_divergence(const Node& vector, double factor, std::size_t power) {
        if (vector.text == "grad") return add_laplacian(*vector.args[0], factor, power);
        if (vector.text != "*") return;
        for (const std::size_t i : {0U, 1U}) {
            if (is_constant(*vector.args[i])) return add_divergence(*vector.args[1 - i], factor * constant(*vector.args[i]), power);
        }
    }

    const Names& names_;
    std::string field_;
    bool inside_;
    std::vector<double> powers_;
};

}  // namespace language
