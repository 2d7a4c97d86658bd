// tests/unit/ir/function_table_test.cpp: every function of the language by its entry: value, error, range and derivative against long double
#include "mottle/core/document.h"
#include "mottle/ir/functions/call.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/stability/linearise.h"
#include "mottle/model/functions.h"
#include "mottle/model/model.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

namespace mottle::ir {
namespace function_table_test {

using model::Callee;
using model::Function;
using model::Use;

using Numbers = std::array<long double, 3>;

/// Written from the definitions of docs/model-language.md. An entry of the table that is not here fails the tests.
const std::map<Callee, std::function<long double(const Numbers&)>>& definitions() {
    static const std::map<Callee, std::function<long double(const Numbers&)>> all = {
        {Callee::add, [](const Numbers& n) { return n[0] + n[1]; }},
        {Callee::subtract, [](const Numbers& n) { return n[0] - n[1]; }},
        {Callee::multiply, [](const Numbers& n) { return n[0] * n[1]; }},
        {Callee::divide, [](const Numbers& n) { return n[0] / n[1]; }},
        {Callee::power, [](const Numbers& n) { return std::pow(n[0], n[1]); }},
        {Callee::pow, [](const Numbers& n) { return std::pow(n[0], n[1]); }},
        {Callee::negate, [](const Numbers& n) { return -n[0]; }},
        {Callee::less, [](const Numbers& n) { return n[0] < n[1] ? 1 : 0; }},
        {Callee::less_equal, [](const Numbers& n) { return n[0] <= n[1] ? 1 : 0; }},
        {Callee::greater, [](const Numbers& n) { return n[0] > n[1] ? 1 : 0; }},
        {Callee::greater_equal, [](const Numbers& n) { return n[0] >= n[1] ? 1 : 0; }},
        {Callee::equal, [](const Numbers& n) { return n[0] == n[1] ? 1 : 0; }},
        {Callee::not_equal, [](const Numbers& n) { return n[0] != n[1] ? 1 : 0; }},
        {Callee::where, [](const Numbers& n) { return n[0] != 0 ? n[1] : n[2]; }},
        {Callee::min, [](const Numbers& n) { return std::fmin(n[0], n[1]); }},
        {Callee::max, [](const Numbers& n) { return std::fmax(n[0], n[1]); }},
        {Callee::clamp, [](const Numbers& n) { return std::fmin(n[2], std::fmax(n[1], n[0])); }},
        {Callee::abs, [](const Numbers& n) { return std::fabs(n[0]); }},
        {Callee::sign, [](const Numbers& n) { return n[0] > 0   ? 1
                                                     : n[0] < 0 ? -1
                                                                : 0; }},
        {Callee::floor, [](const Numbers& n) { return std::floor(n[0]); }},
        {Callee::mod, [](const Numbers& n) { return n[0] - n[1] * std::floor(n[0] / n[1]); }},
        {Callee::sqrt, [](const Numbers& n) { return std::sqrt(n[0]); }},
        {Callee::exp, [](const Numbers& n) { return std::exp(n[0]); }},
        {Callee::log, [](const Numbers& n) { return std::log(n[0]); }},
        {Callee::sin, [](const Numbers& n) { return std::sin(n[0]); }},
        {Callee::cos, [](const Numbers& n) { return std::cos(n[0]); }},
        {Callee::tan, [](const Numbers& n) { return std::tan(n[0]); }},
        {Callee::tanh, [](const Numbers& n) { return std::tanh(n[0]); }},
        {Callee::atan2, [](const Numbers& n) { return std::atan2(n[0], n[1]); }},
    };
    return all;
}

bool is_pointwise(const Function& function) { return function.use == Use::arithmetic || function.use == Use::pointwise; }

/// A call of fields a, b, c as it is typed.
std::string call_of(const Function& function) {
    if (function.callee == Callee::negate) return "(-a)";
    if (function.use == Use::arithmetic) return "(a " + std::string(function.name) + " b)";
    std::string text = std::string(function.name) + "(a";
    for (std::size_t i = 1; i < function.least; ++i) text += std::string(", ") + "abc"[i];
    return text + ")";
}

long double exact(const Function& function, const Numbers& at) { return definitions().at(function.callee)(at); }

class FunctionTable : public testing::Test {
   protected:
    double between(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
    /// Arguments above 0, where every function has a value and all but those with steps a derivative; the bounds of clamp in order.
    Numbers place(const Function& function) {
        Numbers at = {between(0.1, 4), between(0.1, 4), between(0.1, 4)};
        if (function.callee == Callee::clamp && at[1] > at[2]) std::swap(at[1], at[2]);
        return at;
    }
    std::mt19937_64 random_{7};
};

TEST_F(FunctionTable, EveryNumberHasADefinitionHere) {
    for (const Function& function : model::functions()) {
        EXPECT_EQ(definitions().contains(function.callee), is_pointwise(function)) << function.name;
        EXPECT_FALSE(function.meaning.empty()) << function.name;
        EXPECT_EQ(model::find_function(function.name), &function);
        EXPECT_EQ(model::function_of(function.callee).name, function.name);
    }
}

TEST_F(FunctionTable, ValuesAreWithinTheirStatedError) {
    for (const Function& function : model::functions()) {
        if (!is_pointwise(function)) continue;
        const model::ExprPtr call = model::parse({call_of(function), {}});
        Builder builder(true);
        std::vector<Value> args;
        for (std::size_t i = 0; i < function.least; ++i) args.push_back(builder.uniform(static_cast<int>(i)));
        const Code code = builder.code_of(lower_call(builder, *call, args));
        double worst = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            const Numbers at = place(function);
            const double inputs[] = {static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])};
            const long double expected = exact(function, at);
            const double unit = std::ldexp(1.0, std::ilogb(expected) - 52);
            const long double off = std::fabs(static_cast<long double>(evaluate(code, inputs)) - expected);
            if (off > 0) worst = std::max(worst, static_cast<double>(off / unit));
        }
        // mod subtracts what is nearly alike: its error is that of the terms, once rounded
        if (function.callee == Callee::mod) continue;
        EXPECT_LE(worst, function.ulps == 0 ? 0.5 : function.ulps) << function.name;
    }
}

/// The derivative by each of a, b, c and by w of w*f(a, b, c): that is the range of f.
std::vector<Wave> slopes_of(const Function& function, const Box& box) {
    const model::Model model =
        model::check(core::parse_document("equations = {a = 'w*" + call_of(function) +
                                              "', b = '0', c = '0', w = '0'}\ninitial = {a = '1', b = '1', c = '1', w = '1'}\n",
                                          "table.toml"),
                     "table");
    return linearise(*model.equations[0].rate, model, {}, box);
}

TEST_F(FunctionTable, RangesAndDerivativesHoldWhatTheyAreOf) {
    constexpr long double kStep = 1e-7L, kRoom = 1e-6L;
    for (const Function& function : model::functions()) {
        if (!is_pointwise(function)) continue;
        for (int trial = 0; trial < 40; ++trial) {
            const Numbers lo = place(function);
            Box box;
            Numbers size{};
            for (std::size_t i = 0; i < 3; ++i) {
                size[i] = trial % 4 == 0 ? 0 : between(0, 0.5);
                box.push_back({static_cast<double>(lo[i]), static_cast<double>(lo[i] + size[i])});
            }
            box.push_back(point(1));
            const std::vector<Wave> waves = slopes_of(function, box);
            for (int inner = 0; inner < 20; ++inner) {
                Numbers at = lo;
                for (std::size_t i = 0; i < 3; ++i) at[i] += size[i] * between(0, 1);
                const auto holds = [&](std::size_t field, long double value) {
                    const Interval range = waves[field].power(0);
                    const long double room = kRoom * (1 + std::fabs(value));
                    return range.lo - room <= value && value <= range.hi + room;
                };
                const long double value = exact(function, at);
                EXPECT_TRUE(holds(3, value)) << function.name << ": the value " << value;
                for (std::size_t i = 0; i < function.least; ++i) {
                    Numbers less = at, more = at;
                    less[i] -= kStep, more[i] += kStep;
                    const long double left = (value - exact(function, less)) / kStep, right = (exact(function, more) - value) / kStep;
                    if (std::fabs(left - right) > 1e-3L * (1 + std::fabs(left))) continue;  // a step or a corner
                    EXPECT_TRUE(holds(i, (left + right) / 2)) << function.name << ": the derivative by "
                                                              << "abc"[i] << ", " << left;
                }
            }
        }
    }
}

/// The derivative of `rate` by u, of which `range` is declared.
Interval slope_of(const std::string& rate, Interval range) {
    const model::Model model =
        model::check(core::parse_document("equations = {u = '" + rate + "'}\ninitial = {u = '1'}\n", "slope.toml"), "slope");
    return linearise(*model.equations[0].rate, model, {}, {range})[0].power(0);
}

// Ranges that hold 0: even powers fall and rise, and what is divided by 0 may be anything.
TEST(Slopes, HoldAcrossZero) {
    struct Case {
        const char* rate;
        Interval range;
        std::function<double(double)> slope;
        double close;  ///< the range may be wider by this factor
    };
    const std::vector<Case> cases = {{"u^2", {-2, 1}, [](double u) { return 2 * u; }, 1},
                                     {"u^3", {-2, 1}, [](double u) { return 3 * u * u; }, 2},
                                     {"u^4", {-2, 1}, [](double u) { return 4 * u * u * u; }, 1},
                                     {"u*u^2", {-2, 1}, [](double u) { return 3 * u * u; }, 4}};
    for (const Case& test : cases) {
        const Interval found = slope_of(test.rate, test.range);
        double least = 1e300, most = -1e300;
        for (double u = test.range.lo; u <= test.range.hi; u += 0.01) {
            least = std::min(least, test.slope(u));
            most = std::max(most, test.slope(u));
        }
        EXPECT_LE(found.lo, least + 1e-12) << test.rate;
        EXPECT_GE(found.hi, most - 1e-12) << test.rate;
        EXPECT_LE(found.magnitude(), 1e-12 + test.close * std::max(std::abs(least), std::abs(most))) << test.rate;
    }
    for (const char* rate : {"1/u", "u^-2", "0.1*u/(u - 0.5)"}) EXPECT_FALSE(slope_of(rate, {-2, 1}).is_bounded()) << rate;
    EXPECT_TRUE(slope_of("1/u", {0.5, 1}).is_bounded());
}

}  // namespace function_table_test
}  // namespace mottle::ir
