// mottle/ir/stability/interval.cpp: interval arithmetic; elementary functions are Mottle's own, so that a dt chosen from them is the same everywhere
#include "mottle/ir/stability/interval.h"

#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::ir {

namespace {

using Unary = Value (*)(Builder&, Value);
using Binary = Value (*)(Builder&, Value, Value);

// A model asks for hundreds of values of the same few functions: the code of each is made once.
template <Unary function>
double apply(double x) {
    static const Code code = [] {
        Builder builder(true);
        return builder.code_of(function(builder, builder.uniform(0)));
    }();
    return evaluate(code, {&x, 1});
}

template <Binary function>
double apply(double x, double y) {
    static const Code code = [] {
        Builder builder(true);
        const Value a = builder.uniform(0), b = builder.uniform(1);
        return builder.code_of(function(builder, a, b));
    }();
    const double inputs[] = {x, y};
    return evaluate(code, inputs);
}

/// 0 * infinity is 0: the unbounded end is never reached.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval ordered(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return entire();
    return {std::min(a, b), std::max(a, b)};
}

/// The interval of a rising function.
template <Unary function>
Interval rising(Interval a) {
    return ordered(apply<function>(a.lo), apply<function>(a.hi));
}

template <Unary function>
Interval of_point(Interval a, Interval otherwise) {
    return a.is_point() ? ordered(apply<function>(a.lo), apply<function>(a.lo)) : otherwise;
}

}  // namespace

double Interval::magnitude() const { return std::max(std::abs(lo), std::abs(hi)); }

Interval entire() { return {-kInfinity, kInfinity}; }
Interval point(double x) { return {x, x}; }
Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Interval operator+(Interval a, Interval b) { return {a.lo + b.lo, a.hi + b.hi}; }
Interval operator-(Interval a) { return {-a.hi, -a.lo}; }
Interval operator-(Interval a, Interval b) { return a + -b; }

Interval operator*(Interval a, Interval b) {
    const double ends[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
    return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Interval operator/(Interval a, Interval b) { return b.contains(0) ? entire() : a * ordered(1 / b.lo, 1 / b.hi); }

Interval min(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Interval max(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Interval abs(Interval a) {
    if (a.lo >= 0) return a;
    if (a.hi <= 0) return -a;
    return {0, a.magnitude()};
}

Interval floor(Interval a) { return {std::floor(a.lo), std::floor(a.hi)}; }

Interval sign(Interval a) {
    auto of = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
    return {of(a.lo), of(a.hi)};
}

Interval sqrt(Interval a) { return a.hi < 0 ? entire() : Interval{std::sqrt(std::max(a.lo, 0.0)), std::sqrt(a.hi)}; }
Interval exp(Interval a) { return rising<ir::exp>(a); }
Interval log(Interval a) { return a.hi <= 0 ? entire() : rising<ir::log>({std::max(a.lo, 0.0), a.hi}); }
Interval tanh(Interval a) { return rising<ir::tanh>(a); }
Interval sin(Interval a) { return of_point<ir::sin>(a, {-1, 1}); }
Interval cos(Interval a) { return of_point<ir::cos>(a, {-1, 1}); }
Interval tan(Interval a) { return of_point<ir::tan>(a, entire()); }

Interval atan2(Interval y, Interval x) {
    return y.is_point() && x.is_point() ? ordered(apply<ir::atan2>(y.lo, x.lo), apply<ir::atan2>(y.lo, x.lo))
                                        : Interval{-std::numbers::pi, std::numbers::pi};
}

Interval mod(Interval a, Interval b) {
    if (a.is_point() && b.is_point()) return ordered(apply<ir::mod>(a.lo, b.lo), apply<ir::mod>(a.lo, b.lo));
    return b.lo > 0 ? Interval{0, b.hi} : b.hi < 0 ? Interval{b.lo, 0} : entire();
}

namespace {

/// A product: a model asks for thousands of whole powers, and to evaluate the program of pow() takes a hundred times as long.
double whole_power(double base, int exponent) {
    double power = 1;
    for (int i = 0; i < std::abs(exponent); ++i) power *= base;
    return exponent < 0 ? 1 / power : power;
}

}  // namespace

Interval pow(Interval a, Interval b) {
    constexpr double kFewFactors = 16;
    const bool whole = b.is_point() && b.lo == std::floor(b.lo);
    if (a.lo < 0 && !whole) return entire();
    const bool even = whole && std::fmod(b.lo, 2) == 0;
    if (whole && b.lo < 0 && a.contains(0)) return entire();
    if (even) a = abs(a);
    if (whole && std::abs(b.lo) <= kFewFactors) {
        const int exponent = static_cast<int>(b.lo);
        return ordered(whole_power(a.lo, exponent), whole_power(a.hi, exponent));
    }
    // Monotone in each of base and exponent over what is left, so the ends hold the extremes.
    const double ends[] = {apply<ir::pow>(a.lo, b.lo), apply<ir::pow>(a.lo, b.hi), apply<ir::pow>(a.hi, b.lo), apply<ir::pow>(a.hi, b.hi)};
    if (std::any_of(ends, ends + 4, [](double end) { return std::isnan(end); })) return entire();
    return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

}  // namespace mottle::ir
