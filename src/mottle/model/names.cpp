// mottle/model/names.cpp: the tables of the language's names
#include "mottle/model/names.h"

#include "mottle/model/functions.h"
#include "mottle/model/model.h"

#include <algorithm>
#include <array>

namespace mottle::model {
namespace {

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
