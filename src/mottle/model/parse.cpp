// mottle/model/parse.cpp: recursive descent over tokens, with a bound on its depth and on that of the tree
#include "mottle/model/parse.h"

#include "mottle/core/error.h"
#include "mottle/model/lex.h"
#include "mottle/model/names.h"

#include <algorithm>
#include <utility>

namespace mottle::model {
namespace {

/// Parentheses, calls and signs inside each other.
constexpr int kDeepestNesting = 256;

/// A node and how deep its tree is: long sums lean to the left and are as deep as they are long.
struct Built {
    ExprPtr expr;
    int depth = 1;
    std::size_t begin = 0, end = 0;
};

class Parser {
   public:
    explicit Parser(const core::Text& text) : lexer_(text) { advance(); }

    ExprPtr whole() {
        if (token_.kind == Token::Kind::end) fail("the expression is empty; write 0 for nothing");
        Built built = comparison();
        if (token_.kind != Token::Kind::end) refuse_rest();
        return built.expr;
    }

   private:
    /// Counts levels of recursion; the grammar recurses only through nesting.
    class Level {
       public:
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser_.nesting_ > kDeepestNesting) {
                parser_.fail("parentheses, calls and signs are nested beyond " + std::to_string(kDeepestNesting) +
                             " levels; name parts of it in [define]");
            }
        }
        ~Level() { --parser_.nesting_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

       private:
        Parser& parser_;
    };

    void advance() {
        previous_end_ = token_.end;
        token_ = lexer_.next();
    }
    bool at_symbol(std::string_view symbol) const { return token_.kind == Token::Kind::symbol && token_.text == symbol; }
    [[noreturn]] void fail(const std::string& message) const { throw core::ModelError(message, lexer_.span(token_.begin, token_.end)); }

    Built call(std::string name, std::vector<Built> args, std::size_t begin, std::size_t end) const {
        Expr expr{};
        expr.kind = Expr::Kind::call;
        expr.span = lexer_.span(begin, end);
        expr.name = std::move(name);
        if (const Function* function = find_function(expr.name)) expr.callee = function->callee;
        int depth = 0;
        for (Built& arg : args) {
            depth = std::max(depth, arg.depth);
            expr.args.push_back(std::move(arg.expr));
        }
        if (depth >= kDeepestTree) {
            throw core::ModelError("more than " + std::to_string(kDeepestTree) + " operations in a row; group them with parentheses",
                                   lexer_.span(end, end));
        }
        return {std::make_shared<const Expr>(std::move(expr)), depth + 1, begin, end};
    }

    Built binary(Built left, Built (Parser::*operand)()) {
        const std::string name(token_.text);
        advance();
        std::vector<Built> args;
        args.push_back(std::move(left));
        args.push_back((this->*operand)());
        const std::size_t begin = args[0].begin, end = args[1].end;
        return call(name, std::move(args), begin, end);
    }

    bool at_comparison() const {
        for (std::string_view name : {"<", "<=", ">", ">=", "==", "!="}) {
            if (at_symbol(name)) return true;
        }
        return false;
    }

    Built comparison() {
        Built left = sum();
        if (!at_comparison()) return left;
        Built result = binary(std::move(left), &Parser::sum);
        if (at_comparison()) fail("comparisons cannot be chained; write min(a < b, b < c)");
        return result;
    }

    Built sum() {
        Built left = product();
        while (at_symbol("+") || at_symbol("-")) left = binary(std::move(left), &Parser::product);
        return left;
    }

    Built product() {
        Built left = unary();
        while (at_symbol("*") || at_symbol("/")) left = binary(std::move(left), &Parser::unary);
        return left;
    }

    Built unary() {
        const bool minus = at_symbol("-");
        if (!minus && !at_symbol("+")) return power();
        const Level level(*this);
        const std::size_t begin = token_.begin;
        advance();
        Built operand = unary();
        if (!minus) return operand;
        const std::size_t end = operand.end;
        std::vector<Built> args;
        args.push_back(std::move(operand));
        return call("neg", std::move(args), begin, end);
    }

    Built power() {
        Built base = primary();
        if (!at_symbol("^")) return base;
        const Level level(*this);
        return binary(std::move(base), &Parser::unary);
    }

    Built primary() {
        const Token token = token_;
        switch (token.kind) {
            case Token::Kind::number:
                advance();
                return leaf(Expr::Kind::number, token);
            case Token::Kind::text:
                advance();
                return leaf(Expr::Kind::text, token);
            case Token::Kind::name:
                if (token.text.size() > kLongestName) fail("this name is longer than " + std::to_string(kLongestName) + " characters");
                advance();
                return at_symbol("(") ? arguments(token) : leaf(Expr::Kind::name, token);
            case Token::Kind::end:
                fail("the expression ends where a value is expected");
            case Token::Kind::symbol:
                break;
        }
        if (!at_symbol("(")) fail("a value is expected here, not '" + std::string(token.text) + "'");
        const Level level(*this);
        advance();
        Built inner = comparison();
        close(token);
        // A parenthesised span covers its parentheses, so that carets under sums read well.
        inner.begin = token.begin;
        inner.end = previous_end_;
        return inner;
    }

    Built leaf(Expr::Kind kind, const Token& token) const {
        Expr expr{};
        expr.kind = kind;
        expr.span = lexer_.span(token.begin, token.end);
        expr.number = token.number;
        if (kind != Expr::Kind::number) expr.name = std::string(token.text);
        return {std::make_shared<const Expr>(std::move(expr)), 1, token.begin, token.end};
    }

    Built arguments(const Token& name) {
        const Level level(*this);
        const Token open = token_;
        advance();
        std::vector<Built> args;
        if (!at_symbol(")")) {
            args.push_back(comparison());
            while (at_symbol(",")) {
                advance();
                args.push_back(comparison());
            }
        }
        close(open);
        return call(std::string(name.text), std::move(args), name.begin, previous_end_);
    }

    void close(const Token& open) {
        if (at_symbol(")")) return advance();
        if (token_.kind == Token::Kind::end) {
            throw core::ModelError("this parenthesis is never closed", lexer_.span(open.begin, open.end));
        }
        refuse_rest();
    }

    [[noreturn]] void refuse_rest() const {
        const std::string found = "'" + std::string(token_.text) + "'";
        if (at_symbol(")")) fail("this ')' has no matching '('");
        if (at_symbol(",")) fail("a ',' can only appear between the arguments of a function");
        if (at_symbol("(")) fail("an operator is missing before '('; to multiply write '*'");
        if (token_.kind == Token::Kind::text) fail("a string can only be used in image(\"file.png\")");
        const std::string_view hint = foreign_name_hint(token_.text);
        if (!hint.empty()) fail("there is no " + found + "; write " + std::string(hint));
        fail("an operator is missing before " + found + "; to multiply write '*'");
    }

    Lexer lexer_;
    Token token_;
    std::size_t previous_end_ = 0;
    int nesting_ = 0;
};

}  // namespace

ExprPtr parse(const core::Text& text) { return Parser(text).whole(); }

}  // namespace mottle::model
