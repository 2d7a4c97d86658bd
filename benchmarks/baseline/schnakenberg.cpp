// mottle/benchmarks/baseline/schnakenberg.cpp: Schnakenberg's model by short steps of rk4, as plain loops
#include "baseline/schnakenberg.h"

#include <cstddef>

namespace mottle::benchmarks {
namespace {

SchnakenbergState rates(const SchnakenbergState& f, double diffusion) {
    SchnakenbergState k = f;
    const int n = f.size;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            const auto at = [n](int i, int j) { return static_cast<std::size_t>((j + n) % n * n + (i + n) % n); };
            const auto lap = [&](const std::vector<double>& a) {
                return a[at(x + 1, y)] + a[at(x - 1, y)] + a[at(x, y + 1)] + a[at(x, y - 1)] - 4 * a[at(x, y)];
            };
            const std::size_t c = at(x, y);
            const double made = f.u[c] * f.u[c] * f.v[c];
            k.u[c] = lap(f.u) + 0.1 - f.u[c] + made;
            k.v[c] = diffusion * lap(f.v) + 0.9 - made;
        }
    }
    return k;
}

SchnakenbergState moved(SchnakenbergState y, double share, const SchnakenbergState& k) {
    for (std::size_t i = 0; i < y.u.size(); ++i) {
        y.u[i] += share * k.u[i];
        y.v[i] += share * k.v[i];
    }
    return y;
}

}  // namespace

SchnakenbergState schnakenberg_after(SchnakenbergState y, double diffusion, double time, int steps) {
    const auto rates_of = [diffusion](const SchnakenbergState& f) { return rates(f, diffusion); };
    const double dt = time / steps;
    for (int n = 0; n < steps; ++n) {
        const SchnakenbergState k1 = rates_of(y), k2 = rates_of(moved(y, dt / 2, k1)), k3 = rates_of(moved(y, dt / 2, k2)),
                                k4 = rates_of(moved(y, dt, k3));
        y = moved(moved(moved(moved(y, dt / 6, k1), dt / 3, k2), dt / 3, k3), dt / 6, k4);
    }
    return y;
}

}  // namespace mottle::benchmarks
