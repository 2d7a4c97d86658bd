// mottle/core/numbers_in.h: bytes seen as the numbers that stand in them, and work that is done in the precision of some numbers
#pragma once
#include <cstddef>
#include <span>

namespace mottle::core {

/// As many as there is room for; `bytes` begin where a Real may stand.
template <class Real>
std::span<Real> numbers_in(std::span<std::byte> bytes) {
    return {reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real)};
}
template <class Real>
std::span<const Real> numbers_in(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const Real*>(bytes.data()), bytes.size() / sizeof(Real)};
}

/// Calls work(Real{}), where Real is double or float.
template <class Work>
decltype(auto) in_precision(bool f64, const Work& work) {
    return f64 ? work(double{}) : work(float{});
}

}  // namespace mottle::core
