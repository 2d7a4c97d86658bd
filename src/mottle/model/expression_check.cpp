// mottle/model/expression_check.cpp: names, arguments and kinds of one expression
#include "mottle/model/expression_check.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/core/text.h"
#include "mottle/model/names.h"

#include <algorithm>
#include <utility>

namespace mottle::model {
namespace {

/// Scalars and vectors; a flux is a vector made of scalars times one grad(...), directed if a tensor is among its factors.
enum class Kind { scalar, vector, tensor, directed, text };

class Checker {
   public:
    Checker(const Symbols& symbols, const Scope& scope) : symbols_(symbols), scope_(scope) {}

    void whole(const Expr& expr) {
        const Kind kind = check(expr);
        if (scope_.place == Place::definition) return;
        if (kind == Kind::tensor) refuse_tensor(expr);
        if (kind == Kind::vector || kind == Kind::directed)
            fail(scope_.what + " must be a number, but this is a vector; use div(a), dot(a, b) or norm2(a)", expr);
        if (kind == Kind::text) fail("a string can only be used in image(\"file.png\")", expr);
    }

   private:
    /// "; did you mean 'a'?", or else all names there are.
    static std::string hint(const std::string& name, const std::vector<std::string>& known) {
        std::string text = core::did_you_mean(name, known);
        if (!text.empty()) return text;
        text = "; known are ";
        const std::size_t shown = std::min<std::size_t>(known.size(), 12);
        for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + known[i];
        return text + (shown < known.size() ? ", ..." : "");
    }

    [[noreturn]] static void fail(const std::string& message, const Expr& at) { throw core::ModelError(message, at.span); }

    Kind check(const Expr& expr) {
        switch (expr.kind) {
            case Expr::Kind::number:
                return Kind::scalar;
            case Expr::Kind::text:
                return Kind::text;
            case Expr::Kind::name:
                check_name(expr);
                return Kind::scalar;
            case Expr::Kind::call:
                break;
        }
        return check_call(expr);
    }

    // ---- names

    void check_name(const Expr& expr) const {
        const std::string& name = expr.name;
        if (const auto symbol = symbols_.find(name)) return check_symbol(*symbol, expr);
        if (name == "n" && scope_.place == Place::frame) return;
        if (name == "pi") return;
        if (name == "t") return check_time(expr);
        if (is_coordinate(name)) return check_coordinate(expr);
        if (name == "dt") fail("'dt' is the time step of a run; an equation cannot use it", expr);
        if (const Function* function = find_function(name)) {
            fail("'" + name + "' is a function; it is written " + std::string(function->usage), expr);
        }
        const std::string_view foreign = foreign_name_hint(name);
        if (!foreign.empty()) fail("there is no '" + name + "'; write " + std::string(foreign), expr);
        fail("unknown name '" + name + "' in " + scope_.what + hint(name, known_names()), expr);
    }

    void check_symbol(Symbol symbol, const Expr& expr) const {
        const std::string quoted = "'" + expr.name + "'";
        if (scope_.place == Place::frame)
            fail(quoted + " cannot be used in " + scope_.what + ", only numbers and n, the number of the frame", expr);
        if (symbol == Symbol::field && scope_.place == Place::position) {
            fail(quoted + " is a field and has no value yet in " + scope_.what + "; use coordinates, parameters and shapes such as disk()",
                 expr);
        }
        if (symbol == Symbol::field && scope_.place == Place::uniform) {
            fail(quoted + " is a field; " + scope_.what + " may use parameters, numbers and t", expr);
        }
        if (symbol == Symbol::map && scope_.place == Place::uniform) {
            fail(quoted + " is a map, which differs from cell to cell; " + scope_.what + " may use parameters of one value, numbers and t",
                 expr);
        }
    }

    void check_time(const Expr& expr) const {
        if (scope_.place == Place::rate || scope_.place == Place::uniform || scope_.place == Place::definition) return;
        if (scope_.place == Place::frame)
            fail("'t' cannot be used in " + scope_.what + ", only numbers and n, the number of the frame", expr);
        fail("'t' changes with time and " + scope_.what + " does not; write t in an equation, or in a [define] that equations use", expr);
    }

    void check_coordinate(const Expr& expr) const {
        if (scope_.place != Place::uniform && scope_.place != Place::frame) return;
        const bool frame = scope_.place == Place::frame;
        fail("'" + expr.name + "' is a coordinate; " + scope_.what +
                 (frame ? " may use numbers and n" : " may use parameters, numbers and t"),
             expr);
    }

    std::vector<std::string> known_names() const {
        std::vector<std::string> known;
        if (scope_.place == Place::frame) return {"n", "pi"};
        const bool uniform = scope_.place == Place::uniform;
        for (const auto& name : symbols_.names()) {
            const std::optional<Symbol> symbol = symbols_.find(name);
            const bool refused =
                (symbol == Symbol::field && (uniform || scope_.place == Place::position)) || (symbol == Symbol::map && uniform);
            if (!refused && name != scope_.own) known.push_back(name);
        }
        if (!uniform) known.insert(known.end(), {"x", "y", "z"});
        known.insert(known.end(), {"t", "pi"});
        return known;
    }

    // ---- calls

    Kind check_call(const Expr& expr) {
        const Function* function = find_function(expr.name);
        if (!function) refuse_unknown_function(expr);
        check_count(*function, expr);
        check_use(*function, expr);
        if (expr.calls(Callee::tensor)) return check_tensor(expr);
        std::vector<Kind> kinds;
        for (const ExprPtr& arg : expr.args) kinds.push_back(check(*arg));
        return kind_of(*function, expr, kinds);
    }

    [[noreturn]] void refuse_unknown_function(const Expr& expr) const {
        const std::string quoted = "'" + expr.name + "'";
        const std::string_view foreign = foreign_name_hint(expr.name);
        if (symbols_.find(expr.name) || is_coordinate(expr.name) || expr.name == "t" || expr.name == "pi" || expr.name == "dt") {
            fail(quoted + " is not a function; to multiply write '" + expr.name + "*(...)'", expr);
        }
        if (!foreign.empty()) fail("there is no function " + quoted + "; write " + std::string(foreign), expr);
        // What is special about this place comes first, so that it is what a list shows.
        std::vector<std::string> known, pointwise;
        for (const Function& function : functions()) {
            const bool special = function.use == (scope_.place == Place::position ? Use::source : Use::derivative);
            if (special && scope_.place != Place::uniform && scope_.place != Place::frame) known.emplace_back(function.name);
            const bool noise = function.use == Use::stochastic && (scope_.place == Place::rate || scope_.place == Place::definition);
            if (function.use == Use::pointwise || noise) pointwise.emplace_back(function.name);
        }
        known.insert(known.end(), pointwise.begin(), pointwise.end());
        fail("unknown function " + quoted + " in " + scope_.what + hint(expr.name, known), expr);
    }

    static void check_count(const Function& function, const Expr& expr) {
        const std::size_t count = expr.args.size();
        if (count >= function.least && count <= function.most) return;
        std::string wanted = std::to_string(function.least);
        if (function.most > function.least) wanted += " or " + std::to_string(function.most);
        wanted += function.most == 1 ? " argument" : " arguments";
        fail("'" + expr.name + "' takes " + wanted + ", not " + std::to_string(count) + "; it is written " + std::string(function.usage),
             expr);
    }

    void check_use(const Function& function, const Expr& expr) const {
        const std::string call = "'" + expr.name + "'";
        const Place place = scope_.place;
        if (function.use == Use::derivative && place != Place::rate && place != Place::definition) {
            fail(call + " is an operator on fields; " + scope_.what + " has none", expr);
        }
        if (function.use == Use::stochastic && place == Place::position)
            fail(call + " changes with every step and " + scope_.what +
                     " does not; for random numbers that do not change use noise(low, high)",
                 expr);
        if (function.use == Use::stochastic && place != Place::rate && place != Place::definition)
            fail(call + " is a noise of cells and cannot be used in " + scope_.what, expr);
        if (function.use == Use::sum && place != Place::rate && place != Place::definition) {
            fail(call + " is a sum over all cells, formed in each step; " + scope_.what + " cannot use it: write it in an equation", expr);
        }
        if (expr.calls(Callee::dz) && place == Place::rate && !scope_.depth) {
            fail("'dz' needs a grid of three dimensions (size WxHxD); on this one use dx(f) and dy(f)", expr);
        }
        if (function.use != Use::source || place == Place::position || place == Place::definition) return;
        if (place == Place::rate) {
            fail(call + " is evaluated once, before the first step; make it a parameter, [parameters] q = '" + std::string(function.usage) +
                     "', and use q in the equation",
                 expr);
        }
        fail(call + " cannot be used in " + scope_.what, expr);
    }

    // ---- tensors

    /// Two numbers per place and a direction, all known before the first step: fields stand beside the tensor.
    Kind check_tensor(const Expr& expr) {
        const bool named = expr.args.size() == 3;
        if (expr.args.size() == 4 || (named && !expr.args[2]->calls(Callee::attr))) {
            fail(
                "the direction of tensor() is attr(\"name\"), for the attributes name_x, name_y and name_z of the mesh, or three "
                "expressions of "
                "position: tensor(1, 0.1, 0, 0, 1)",
                expr.args.size() == 4 ? expr : *expr.args[2]);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            if (check(*expr.args[i]) != Kind::scalar)
                fail("along and across of tensor() must be numbers, but this is not one", *expr.args[i]);
            if (uses_fields(*expr.args[i]) && scope_.place == Place::rate) {
                fail(
                    "along and across of tensor() cannot use fields; multiply by the field instead: div(u*tensor(1, 0.1, "
                    "attr(\"name\"))*grad(v))",
                    *expr.args[i]);
            }
        }
        Scope scope{Place::position, "the direction of tensor()", scope_.depth};
        if (scope_.place == Place::definition) scope = scope_;
        Checker direction(symbols_, scope);
        for (std::size_t i = 2; i < expr.args.size(); ++i) {
            if (direction.check(*expr.args[i]) != Kind::scalar) fail("the direction of tensor() is made of numbers", *expr.args[i]);
        }
        return Kind::tensor;
    }

    /// In the cell itself: what a sum reads is one number for all cells.
    bool uses_fields(const Expr& expr) const {
        const Function* function = expr.kind == Expr::Kind::call ? find_function(expr.name) : nullptr;
        if (function && function->use == Use::sum) return false;
        if (expr.kind == Expr::Kind::name) return symbols_.find(expr.name) == Symbol::field;
        return std::any_of(expr.args.begin(), expr.args.end(), [this](const ExprPtr& arg) { return uses_fields(*arg); });
    }

    [[noreturn]] static void refuse_tensor(const Expr& expr) {
        fail("tensor() can only be used before a gradient inside div: div(tensor(along, across, attr(\"name\"))*grad(f))", expr);
    }

    // ---- scalars, vectors, texts

    Kind kind_of(const Function& function, const Expr& expr, const std::vector<Kind>& kinds) {
        if (expr.calls(Callee::image)) {
            if (kinds[0] != Kind::text) fail("image() needs the name of a file in quotes: image(\"file.png\")", *expr.args[0]);
            if (expr.args[0]->name.empty()) fail("image() needs the name of a file: image(\"file.png\")", *expr.args[0]);
            return Kind::scalar;
        }
        if (expr.calls(Callee::attr)) {
            if (kinds[0] != Kind::text || expr.args[0]->name.empty())
                fail("attr() needs the name of an attribute in quotes: attr(\"quality\")", *expr.args[0]);
            return Kind::scalar;
        }
        if (expr.calls(Callee::given)) {
            if (kinds[0] != Kind::text || expr.args[0]->name.empty() || kinds[1] != Kind::scalar || kinds[2] != Kind::scalar)
                fail("given() needs the name of an array in quotes, and its bounds: given(\"F\", 0, 1)", *expr.args[0]);
            return Kind::scalar;
        }
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (kinds[i] == Kind::text) fail("a string can only be used in image(\"file.png\")", *expr.args[i]);
        }
        if (expr.calls(Callee::noise) || expr.calls(Callee::spots)) check_uniform_arguments(function, expr);
        if (expr.calls(Callee::dot) || expr.calls(Callee::norm2) || expr.calls(Callee::div))
            return check_vector_function(function, expr, kinds);
        const bool multiplies = expr.calls(Callee::multiply) || expr.calls(Callee::divide) || expr.calls(Callee::negate);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (kinds[i] == Kind::tensor && !multiplies) refuse_tensor(*expr.args[i]);
        }
        if (expr.calls(Callee::grad)) {
            if (kinds[0] != Kind::scalar) fail("grad() takes a field or an expression of fields, but this is a vector", *expr.args[0]);
            return Kind::vector;
        }
        const auto scalars = std::count(kinds.begin(), kinds.end(), Kind::scalar);
        return scalars == std::ssize(kinds) ? Kind::scalar : check_vector_arithmetic(expr, kinds);
    }

    static Kind check_vector_function(const Function& function, const Expr& expr, const std::vector<Kind>& kinds) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (kinds[i] == Kind::vector || (kinds[i] == Kind::directed && expr.calls(Callee::div))) continue;
            if (kinds[i] == Kind::tensor || kinds[i] == Kind::directed) refuse_tensor(*expr.args[i]);
            fail("'" + expr.name + "' takes vectors such as grad(f), but this is a number; it is written " + std::string(function.usage),
                 *expr.args[i]);
        }
        return Kind::scalar;
    }

    static Kind check_vector_arithmetic(const Expr& expr, const std::vector<Kind>& kinds) {
        if (expr.calls(Callee::negate)) return kinds[0];
        if (expr.calls(Callee::divide) && kinds[1] == Kind::scalar) return kinds[0];
        if (expr.calls(Callee::divide) && kinds[1] == Kind::tensor) refuse_tensor(expr);
        if (expr.calls(Callee::divide)) fail("cannot divide by a vector such as grad(f)", expr);
        if (expr.calls(Callee::multiply)) {
            if (kinds[0] == Kind::scalar) return kinds[1];
            if (kinds[1] == Kind::scalar) return kinds[0];
            if (kinds[0] == Kind::tensor || kinds[1] == Kind::tensor) {
                if (kinds[0] == Kind::vector || kinds[1] == Kind::vector) return Kind::directed;
                fail("a gradient takes only one tensor()", expr);
            }
            fail("the product of two vectors is written dot(a, b), that of a vector with itself norm2(a)", expr);
        }
        if (expr.calls(Callee::add) || expr.calls(Callee::subtract)) {
            if (kinds[0] == Kind::scalar || kinds[1] == Kind::scalar) fail("a number and a vector cannot be added", expr);
            fail("vectors cannot be added here; write div(a) " + expr.name + " div(b), or dot(a, c) " + expr.name + " dot(b, c)", expr);
        }
        if (expr.calls(Callee::power)) fail("a vector has no powers; its square is norm2(a)", expr);
        fail(
            "'" + expr.name + "' takes numbers, but this is a vector; use div(a), dot(a, b) or norm2(a)",
            *expr.args[core::at(std::find_if(kinds.begin(), kinds.end(), [](Kind kind) { return kind != Kind::scalar; }) - kinds.begin())]);
    }

    void check_uniform_arguments(const Function& function, const Expr& expr) const {
        for (const ExprPtr& arg : expr.args) {
            if (!varies(*arg)) continue;
            const std::string advice = expr.calls(Callee::noise) ? "; scale it outside, as in low + (high - low)*noise(0, 1)" : "";
            fail("the arguments of " + std::string(function.usage) + " must be numbers or parameters of one value" + advice, *arg);
        }
    }

    bool varies(const Expr& expr) const {
        if (expr.kind == Expr::Kind::name) return is_coordinate(expr.name) || symbols_.find(expr.name) == Symbol::map;
        const Function* function = expr.kind == Expr::Kind::call ? find_function(expr.name) : nullptr;
        if (function && function->use == Use::source) return true;
        return std::any_of(expr.args.begin(), expr.args.end(), [this](const ExprPtr& arg) { return varies(*arg); });
    }

    const Symbols& symbols_;
    const Scope& scope_;
};

}  // namespace

void Symbols::add(const std::string& name, Symbol symbol) {
    if (symbols_.insert_or_assign(name, symbol).second) names_.push_back(name);
}

std::optional<Symbol> Symbols::find(const std::string& name) const {
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) return std::nullopt;
    return found->second;
}

void check_expression(const Expr& expr, const Symbols& symbols, const Scope& scope) { Checker(symbols, scope).whole(expr); }

}  // namespace mottle::model
