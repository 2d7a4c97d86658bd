// mottle/model/functions.cpp: looks functions up
#include "mottle/model/functions.h"

#include "mottle/core/index.h"

#include <algorithm>
#include <array>

namespace mottle::model {
namespace {

constexpr std::array kFunctions = {
#define MOTTLE_POINTWISE(id, name, arguments, use, usage, meaning, ulps, ...) \
    Function{Callee::id, name, arguments, arguments, Use::use, Shape::none, 0, ulps, usage, meaning},
#define MOTTLE_OPERATOR(id, name, least, most, use, usage, meaning, shape, ...) \
    Function{Callee::id, name, least, most, Use::use, Shape::shape, Use::use == Use::stochastic ? 1 : 0, 0, usage, meaning},
#define MOTTLE_SOURCE(id, name, least, most, usage, meaning, draws, ...) \
    Function{Callee::id, name, least, most, Use::source, Shape::none, draws, 0, usage, meaning},
#include "mottle/model/functions.def"
};

constexpr bool is_typed(const Function& function) { return function.use != Use::internal; }

constexpr std::size_t kTyped = core::at(std::count_if(kFunctions.begin(), kFunctions.end(), is_typed));

constexpr auto kTypedFunctions = [] {
    std::array<Function, kTyped> typed{};
    std::copy_if(kFunctions.begin(), kFunctions.end(), typed.begin(), is_typed);
    return typed;
}();

}  // namespace

std::span<const Function> functions() { return kTypedFunctions; }

const Function* find_function(std::string_view name) {
    const auto found = std::find_if(kTypedFunctions.begin(), kTypedFunctions.end(), [&](const Function& f) { return f.name == name; });
    return found == kTypedFunctions.end() ? nullptr : &*found;
}

const Function& function_of(Callee callee) { return kFunctions[static_cast<std::size_t>(callee) - 1]; }

}  // namespace mottle::model
