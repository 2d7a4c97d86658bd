// mottle/model/fold.cpp: the value of an expression of constants, by operations that every machine rounds alike
#include "mottle/model/fold.h"

#include "mottle/core/error.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

namespace mottle::model {
namespace {

constexpr int kLargestPower = 16;

/// x^n as the equations define it: x^3 = (x*x)*x, x^4 = (x^2)^2, else binary from the left.
double whole_power(double x, int n) {
    if (n < 0) return 1 / whole_power(x, -n);
    double result = 1;
    for (int bit = 1 << 4; bit > 0; bit >>= 1) {
        if (n >= bit) result *= result;
        if (n & bit) result *= x;
    }
    return result;
}

std::optional<double> power(double x, double y) {
    if (y == 0.5) return std::sqrt(x);
    if (y == std::floor(y) && std::abs(y) <= kLargestPower) return whole_power(x, static_cast<int>(y));
    return std::nullopt;
}

std::optional<double> unary(std::string_view name, double a) {
    if (name == "neg") return -a;
    if (name == "abs") return std::abs(a);
    if (name == "sqrt") return std::sqrt(a);
    if (name == "floor") return std::floor(a);
    if (name == "sign") return a > 0 ? 1 : a < 0 ? -1 : a;
    return std::nullopt;
}

std::optional<double> binary(std::string_view name, double a, double b) {
    if (name == "+") return a + b;
    if (name == "-") return a - b;
    if (name == "*") return a * b;
    if (name == "/") return a / b;
    if (name == "<") return a < b;
    if (name == "<=") return a <= b;
    if (name == ">") return a > b;
    if (name == ">=") return a >= b;
    if (name == "==") return a == b;
    if (name == "!=") return a != b;
    if (name == "min") return a < b ? a : b;
    if (name == "max") return a > b ? a : b;
    if (name == "mod") return std::fma(-b, std::floor(a / b), a);
    if (name == "^" || name == "pow") return power(a, b);
    return std::nullopt;
}

std::optional<double> ternary(std::string_view name, double a, double b, double c) {
    if (name == "where") return a != 0 ? b : c;
    if (name != "clamp") return std::nullopt;
    const double low = b > a ? b : a;
    return c < low ? c : low;
}

}  // namespace

double fold(const Expr& expr, const std::function<double(const Expr&)>& value_of) {
    if (expr.kind == Expr::Kind::number) return expr.number;
    if (expr.kind == Expr::Kind::name) return expr.name == "pi" ? std::numbers::pi : value_of(expr);
    std::vector<double> args;
    for (const ExprPtr& arg : expr.args) args.push_back(fold(*arg, value_of));
    std::optional<double> value;
    if (args.size() == 1) value = unary(expr.name, args[0]);
    if (args.size() == 2) value = binary(expr.name, args[0], args[1]);
    if (args.size() == 3) value = ternary(expr.name, args[0], args[1], args[2]);
    if (value) return *value;
    const bool is_power = expr.name == "^" || expr.name == "pow";
    throw core::ModelError(
        is_power ? "the value of a parameter may use powers of -16 to 16 and 0.5 only; write the number itself"
                 : "the value of a parameter cannot use '" + expr.name + "'; write the number itself, or move it into [define]",
        expr.span);
}

}  // namespace mottle::model
