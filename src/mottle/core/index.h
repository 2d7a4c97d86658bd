// mottle/core/index.h: numbers of cells and steps, and places in containers
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace mottle::core {

using Index = std::int64_t;
/// `i` as the containers of the standard library count; it is not negative.
constexpr std::size_t at(std::integral auto i) { return static_cast<std::size_t>(i); }

}  // namespace mottle::core
