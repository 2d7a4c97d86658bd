// tests/oracle/language/linear_terms.h: the terms of an equation that are linear in its own field with constant coefficients; includes nothing of Mottle
#pragma once
#include "oracle/language/expression.h"

#include <functional>
#include <map>

namespace language {

/// What a name stands for.
struct Names {
    std::map<Word, double> numbers;
    std::map<Word, Tree> definitions;
};

/// Collects the coefficients c_k of all terms c_k lap^k(f) of an equation of f, c_k made of numbers and parameters: sums are expanded, also those that constants multiply, and (`inside`) those inside lap and bilap.
class LinearTerms {
   public:
    LinearTerms(const Names& names, Word field, bool inside) : names_(names), field_(field), inside_(inside) {}

    /// By k = 0, 1, 2, ..
    std::vector<double> of(const Node& rate) {
        powers_.clear();
        add(rate, 1, 0);
        return powers_;
    }

   private:
    bool is_constant(const Node& node) const {
        if (node.form == Form::call && (node.word == words::mean || node.word == words::integral || node.word == words::white))
            return false;
        if (node.form == Form::name) {
            const auto defined = names_.definitions.find(node.word);
            return defined != names_.definitions.end() ? is_constant(*defined->second)
                                                       : names_.numbers.contains(node.word) || node.word == words::pi;
        }
        return std::all_of(node.args.begin(), node.args.end(), [&](const Tree& arg) { return is_constant(*arg); });
    }
    double constant(const Node& node) const {
        if (node.form == Form::number) return node.number;
        if (node.form == Form::name) {
            const auto defined = names_.definitions.find(node.word);
            if (defined != names_.definitions.end()) return constant(*defined->second);
            return node.word == words::pi ? std::acos(-1.0) : names_.numbers.at(node.word);
        }
        return elementary(node.word, constant(*node.args[0]), node.args.size() > 1 ? constant(*node.args[1]) : 0);
    }

    void put(std::size_t power, double coefficient) {
        if (powers_.size() <= power) powers_.resize(power + 1);
        powers_[power] += coefficient;
    }
    void add_laplacian(const Node& argument, double factor, std::size_t power) {
        if (inside_)
            add(argument, factor, power);
        else if (argument.form == Form::name && argument.word == field_)
            put(power, factor);
    }
    void add(const Node& node, double factor, std::size_t power) {
        if (node.form == Form::name) {
            if (node.word == field_) return put(power, factor);
            if (const auto defined = names_.definitions.find(node.word); defined != names_.definitions.end())
                add(*defined->second, factor, power);
            return;
        }
        if (node.form != Form::call) return;
        const Word f = node.word;
        if (f == words::plus || f == words::minus) {
            add(*node.args[0], factor, power);
            add(*node.args[1], f == words::minus ? -factor : factor, power);
        } else if (f == words::neg) {
            add(*node.args[0], -factor, power);
        } else if (f == words::times && is_constant(*node.args[0])) {
            add(*node.args[1], factor * constant(*node.args[0]), power);
        } else if ((f == words::times || f == words::over) && is_constant(*node.args[1])) {
            const double by = constant(*node.args[1]);
            add(*node.args[0], f == words::times ? factor * by : factor / by, power);
        } else if (f == words::lap) {
            add_laplacian(*node.args[0], factor, power + 1);
        } else if (f == words::bilap && inside_) {
            add_laplacian(*node.args[0], factor, power + 2);
        } else if (f == words::div) {
            add_divergence(*node.args[0], factor, power + 1);
        }
    }
    /// div(D*grad(f)) with a constant D is D*lap(f).
    void add_divergence(const Node& vector, double factor, std::size_t power) {
        if (vector.word == words::grad) return add_laplacian(*vector.args[0], factor, power);
        if (vector.word != words::times) return;
        for (const std::size_t i : {0U, 1U}) {
            if (is_constant(*vector.args[i])) return add_divergence(*vector.args[1 - i], factor * constant(*vector.args[i]), power);
        }
    }

    const Names& names_;
    Word field_;
    bool inside_;
    std::vector<double> powers_;
};

}  // namespace language
