// tests/oracle/language/expression.h: the expressions of the model language, read by a parser of their own; includes nothing of Mottle
#pragma once
#include "oracle/language/word.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace language {

enum class Form { number, name, call };

/// A number, a name, or a call of a function or a sign.
struct Node {
    Form form = Form::name;
    Word word;  ///< the name; the function or sign of a call
    double number = 0;
    std::vector<std::shared_ptr<const Node>> args{};
    int white = -1;  ///< of white(): its place among those of the file
};
using Tree = std::shared_ptr<const Node>;

/// Functions and signs of one or two numbers.
inline double elementary(Word f, double a, double b) {
    if (f == words::neg) return -a;
    if (f == words::sin) return std::sin(a);
    if (f == words::cos) return std::cos(a);
    if (f == words::exp) return std::exp(a);
    if (f == words::tanh) return std::tanh(a);
    if (f == words::sqrt) return std::sqrt(a);
    if (f == words::abs) return std::abs(a);
    if (f == words::plus) return a + b;
    if (f == words::minus) return a - b;
    if (f == words::times) return a * b;
    if (f == words::over) return a / b;
    if (f == words::to_the) return std::pow(a, b);
    if (f == words::below) return a < b;
    if (f == words::above) return a > b;
    if (f == words::at_most) return a <= b;
    if (f == words::at_least) return a >= b;
    if (f == words::min) return std::min(a, b);
    if (f == words::max) return std::max(a, b);
    throw std::runtime_error("the oracle knows no " + f.text() + "()");
}

/// Recursive descent, loosest first: comparisons, sums, products, signs, powers (which bind to the right).
class Parser {
   public:
    /// `whites` counts the white() of a file across its equations.
    Parser(std::string_view text, int& whites) : text_(text), whites_(whites) {}

    Tree whole() {
        Tree tree = comparison();
        skip();
        if (at_ != text_.size()) throw std::runtime_error("the oracle cannot read '" + std::string(text_.substr(at_)) + "'");
        return tree;
    }

   private:
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool take(std::string_view sign) {
        skip();
        if (text_.substr(at_, sign.size()) != sign) return false;
        at_ += sign.size();
        return true;
    }
    static Tree call(Word word, std::vector<Tree> args) { return std::make_shared<const Node>(Node{Form::call, word, 0, std::move(args)}); }
    Tree comparison() {
        Tree left = sum();
        for (const char* sign : {"<=", ">=", "<", ">"}) {
            if (take(sign)) return call(sign, {left, sum()});
        }
        return left;
    }
    Tree sum() {
        Tree left = product();
        while (true) {
            if (take("+"))
                left = call("+", {left, product()});
            else if (take("-"))
                left = call("-", {left, product()});
            else
                return left;
        }
    }
    Tree product() {
        Tree left = sign();
        while (true) {
            if (take("*"))
                left = call("*", {left, sign()});
            else if (take("/"))
                left = call("/", {left, sign()});
            else
                return left;
        }
    }
    Tree sign() { return take("-") ? call("neg", {sign()}) : power(); }
    Tree power() {
        Tree base = atom();
        return take("^") ? call("^", {base, sign()}) : base;
    }
    Tree atom() {
        skip();
        if (take("(")) {
            Tree inner = comparison();
            if (!take(")")) throw std::runtime_error("the oracle misses a )");
            return inner;
        }
        Node node;
        if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) {
            const std::string rest(text_.substr(at_));
            char* end = nullptr;
            node.form = Form::number;
            node.number = std::strtod(rest.c_str(), &end);
            at_ += static_cast<std::size_t>(end - rest.c_str());
            return std::make_shared<const Node>(std::move(node));
        }
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        if (at_ == begin) throw std::runtime_error("the oracle expected more behind '" + std::string(text_.substr(0, at_)) + "'");
        node.word = Word(text_.substr(begin, at_ - begin));
        if (!take("(")) return std::make_shared<const Node>(std::move(node));
        node.form = Form::call;
        if (node.word == words::white) node.white = whites_++;
        if (take(")")) return std::make_shared<const Node>(std::move(node));
        do node.args.push_back(comparison());
        while (take(","));
        if (!take(")")) throw std::runtime_error("the oracle misses a ) of " + node.word.text());
        return std::make_shared<const Node>(std::move(node));
    }

    std::string_view text_;
    int& whites_;
    std::size_t at_ = 0;
};

}  // namespace language
