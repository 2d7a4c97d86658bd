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

std::optional<double> pointwise(Callee callee, std::span<const double> args) {
    const auto argument = [&](std::size_t i) { return i < args.size() ? args[i] : 0; };
    const double x = argument(0), y = argument(1), z = argument(2);
    switch (callee) {
#define NO_FOLDING std::nullopt
#define MOTTLE_POINTWISE(id, name, arguments, use, usage, meaning, ulps, lowered, linear, folded) \
    case Callee::id:                                                                              \
        return folded;
#define MOTTLE_OPERATOR(id, ...) \
    case Callee::id:             \
        break;
#define MOTTLE_SOURCE(id, ...) \
    case Callee::id:           \
        break;
#include "mottle/model/functions.def"
#undef NO_FOLDING
        case Callee::none:
            break;
    }
    return std::nullopt;
}

}  // namespace

double fold(const Expr& expr, const std::function<double(const Expr&)>& value_of) {
    if (expr.kind == Expr::Kind::number) return expr.number;
    if (expr.kind == Expr::Kind::name) return expr.name == "pi" ? std::numbers::pi : value_of(expr);
    std::vector<double> args;
    for (const ExprPtr& arg : expr.args) args.push_back(fold(*arg, value_of));
    if (const std::optional<double> value = pointwise(expr.callee, args)) return *value;
    const bool is_power = expr.calls(Callee::power) || expr.calls(Callee::pow);
    throw core::ModelError(
        is_power ? "the value of a parameter may use powers of -16 to 16 and 0.5 only; write the number itself"
                 : "the value of a parameter cannot use '" + expr.name + "'; write the number itself, or move it into [define]",
        expr.span);
}

}  // namespace mottle::model
