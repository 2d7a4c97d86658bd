// mottle/benchmarks/baseline/gray_scott.cpp: the common start, the folded constants and the comparison of results
#include "baseline/gray_scott.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace mottle::benchmarks {

Constants fold(const GrayScott& model) {
    const auto weight_u = static_cast<float>(model.du * model.dt), weight_v = static_cast<float>(model.dv * model.dt);
    const double decay_u = -(model.feed * model.dt), decay_v = -((model.feed + model.kill) * model.dt);
    return {.centre_u = static_cast<float>(1 + decay_u - 4 * static_cast<double>(weight_u)),
            .centre_v = static_cast<float>(1 + decay_v - 4 * static_cast<double>(weight_v)),
            .weight_u = weight_u,
            .weight_v = weight_v,
            .dt = static_cast<float>(model.dt),
            .feed = static_cast<float>(model.feed * model.dt)};
}

Fields initial_fields(int width, int height) {
    Fields fields(width, height);
    std::uint32_t random = 12345;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            random = random * 1664525U + 1013904223U;
            const float noise = static_cast<float>(random >> 8) * 0x1p-24F;
            const bool block = std::abs(x - width / 2) < width / 4 && std::abs(y - height / 3) < height / 4;
            const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
            fields.u[at] = block ? 0.5F + 0.05F * noise : 1.0F;
            fields.v[at] = block ? 0.25F + 0.05F * noise : 0.0F;
        }
    }
    return fields;
}

Comparison compare(const Fields& got, const Fields& want) {
    Comparison result;
    result.bitwise = got.width == want.width && std::memcmp(got.u.data(), want.u.data(), got.u.size() * sizeof(float)) == 0 &&
                     std::memcmp(got.v.data(), want.v.data(), got.v.size() * sizeof(float)) == 0;
    result.finite = true;
    float low = got.u[0], high = got.u[0];
    for (std::size_t i = 0; i < got.count(); ++i) {
        result.finite = result.finite && std::isfinite(got.u[i]) && std::isfinite(got.v[i]);
        low = std::min(low, got.u[i]);
        high = std::max(high, got.u[i]);
        result.difference = std::max(
            {result.difference, static_cast<double>(std::abs(got.u[i] - want.u[i])), static_cast<double>(std::abs(got.v[i] - want.v[i]))});
    }
    result.varying = high - low > 1e-3F;
    return result;
}

}  // namespace mottle::benchmarks
