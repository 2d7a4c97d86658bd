// mottle/model/names.cpp: the tables of the language's names
#include "mottle/model/names.h"

#include "mottle/model/model.h"

#include <algorithm>
#include <array>

namespace mottle::model {
namespace {

constexpr std::array kFunctions = {
    Function{"+", 2, 2, Use::arithmetic, "a + b"},
    Function{"-", 2, 2, Use::arithmetic, "a - b"},
    Function{"*", 2, 2, Use::arithmetic, "a*b"},
    Function{"/", 2, 2, Use::arithmetic, "a/b"},
    Function{"^", 2, 2, Use::arithmetic, "a^b"},
    Function{"neg", 1, 1, Use::arithmetic, "-a"},
    Function{"<", 2, 2, Use::arithmetic, "a < b"},
    Function{"<=", 2, 2, Use::arithmetic, "a <= b"},
    Function{">", 2, 2, Use::arithmetic, "a > b"},
    Function{">=", 2, 2, Use::arithmetic, "a >= b"},
    Function{"==", 2, 2, Use::arithmetic, "a == b"},
    Function{"!=", 2, 2, Use::arithmetic, "a != b"},

    Function{"where", 3, 3, Use::pointwise, "where(condition, a, b)"},
    Function{"min", 2, 2, Use::pointwise, "min(a, b)"},
    Function{"max", 2, 2, Use::pointwise, "max(a, b)"},
    Function{"clamp", 3, 3, Use::pointwise, "clamp(a, low, high)"},
    Function{"abs", 1, 1, Use::pointwise, "abs(a)"},
    Function{"sign", 1, 1, Use::pointwise, "sign(a)"},
    Function{"floor", 1, 1, Use::pointwise, "floor(a)"},
    Function{"mod", 2, 2, Use::pointwise, "mod(a, b)"},
    Function{"sqrt", 1, 1, Use::pointwise, "sqrt(a)"},
    Function{"exp", 1, 1, Use::pointwise, "exp(a)"},
    Function{"log", 1, 1, Use::pointwise, "log(a)"},
    Function{"sin", 1, 1, Use::pointwise, "sin(a)"},
    Function{"cos", 1, 1, Use::pointwise, "cos(a)"},
    Function{"tan", 1, 1, Use::pointwise, "tan(a)"},
    Function{"tanh", 1, 1, Use::pointwise, "tanh(a)"},
    Function{"atan2", 2, 2, Use::pointwise, "atan2(y, x)"},
    Function{"pow", 2, 2, Use::pointwise, "pow(a, b)"},

    Function{"lap", 1, 1, Use::derivative, "lap(f)"},
    Function{"bilap", 1, 1, Use::derivative, "bilap(f)"},
    Function{"dx", 1, 1, Use::derivative, "dx(f)"},
    Function{"dy", 1, 1, Use::derivative, "dy(f)"},
    Function{"dz", 1, 1, Use::derivative, "dz(f)"},
    Function{"grad", 1, 1, Use::derivative, "grad(f)"},
    Function{"dot", 2, 2, Use::derivative, "dot(grad(f), grad(g))"},
    Function{"norm2", 1, 1, Use::derivative, "norm2(grad(f))"},
    Function{"div", 1, 1, Use::derivative, "div(D*grad(f))"},
    Function{"tensor", 3, 5, Use::derivative, "tensor(along, across, attr(\"name\")) or tensor(along, across, dx, dy, dz)"},

    Function{"noise", 2, 2, Use::source, "noise(low, high)"},
    Function{"disk", 3, 4, Use::source, "disk(cx, cy, r) or disk(cx, cy, cz, r)"},
    Function{"ring", 4, 4, Use::source, "ring(cx, cy, r, w)"},
    Function{"box", 4, 4, Use::source, "box(x0, y0, x1, y1)"},
    Function{"gauss", 3, 3, Use::source, "gauss(cx, cy, s)"},
    Function{"spots", 2, 2, Use::source, "spots(n, r)"},
    Function{"image", 1, 1, Use::source, "image(\"file.png\")"},
    Function{"near", 4, 4, Use::source, "near(x, y, z, r)"},
    Function{"attr", 1, 1, Use::source, "attr(\"name\")"},

    Function{"white", 0, 0, Use::stochastic, "white()"},

    Function{"mean", 1, 1, Use::sum, "mean(f)"},
    Function{"integral", 1, 1, Use::sum, "integral(f)"},
};

constexpr std::array<std::string_view, 13> kOtherReserved = {"x", "y", "z", "X", "Y", "Z", "t", "pi", "dt", "and", "or", "not", "if"};

struct Foreign {
    std::string_view name, hint;
};
constexpr std::array kForeign = {
    Foreign{"and", "min(a, b)"},
    Foreign{"or", "max(a, b)"},
    Foreign{"not", "1 - a"},
    Foreign{"if", "where(c, a, b)"},
    Foreign{"iif", "where(c, a, b)"},
    Foreign{"select", "where(c, a, b)"},
    Foreign{"step", "(a < b)"},
    Foreign{"heaviside", "(a >= 0)"},
    Foreign{"ln", "log(a)"},
    Foreign{"log10", "log(a)/log(10)"},
    Foreign{"log2", "log(a)/log(2)"},
    Foreign{"laplacian", "lap(f)"},
    Foreign{"laplace", "lap(f)"},
    Foreign{"gradient", "grad(f)"},
    Foreign{"nabla", "grad(f)"},
    Foreign{"divergence", "div(a)"},
    Foreign{"diff", "dx(f) or dy(f)"},
    Foreign{"flux", "it as a rule of a border: [boundary] left = \"flux(1)\""},
    Foreign{"robin", "it as a rule of a border: [boundary] left = \"robin(1, 1, 0)\""},
    Foreign{"fabs", "abs(a)"},
    Foreign{"rand", "noise(0, 1)"},
    Foreign{"random", "noise(0, 1)"},
    Foreign{"sqr", "a^2"},
    Foreign{"square", "a^2"},
    Foreign{"cbrt", "pow(a, 1/3)"},
    Foreign{"fmod", "mod(a, b)"},
    Foreign{"sinh", "(exp(a) - exp(-a))/2"},
    Foreign{"cosh", "(exp(a) + exp(-a))/2"},
    Foreign{"atan", "atan2(a, 1)"},
    Foreign{"arctan", "atan2(a, 1)"},
    Foreign{"ceil", "-floor(-a)"},
    Foreign{"round", "floor(a + 0.5)"},
    Foreign{"disc", "disk(cx, cy, r)"},
    Foreign{"circle", "disk(cx, cy, r)"},
    Foreign{"rect", "box(x0, y0, x1, y1)"},
};

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name) {
    const auto found = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
    return found == kFunctions.end() ? nullptr : &*found;
}

bool is_coordinate(std::string_view name) { return name.size() == 1 && std::string_view("xyzXYZ").find(name) != std::string_view::npos; }

std::string_view foreign_name_hint(std::string_view name) {
    const auto found = std::find_if(kForeign.begin(), kForeign.end(), [&](const Foreign& f) { return f.name == name; });
    return found == kForeign.end() ? std::string_view() : found->hint;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= kLongestName && begins_name(text[0]) && std::all_of(text.begin(), text.end(), continues_name);
}

bool is_reserved(const std::string& name) {
    return find_function(name) || std::find(kOtherReserved.begin(), kOtherReserved.end(), name) != kOtherReserved.end();
}

}  // namespace mottle::model
