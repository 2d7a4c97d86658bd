// mottle/benchmarks/harness/models.h: models as a user types them, as text
#pragma once

namespace mottle::benchmarks {

/// Three fields, cyclic competition (May and Leonard 1975 with diffusion).
inline constexpr const char* kThreeSpecies = R"toml(
[equations]
a = "D*lap(a) + a*(1 - a - alpha*b - beta*c)"
b = "D*lap(b) + b*(1 - b - alpha*c - beta*a)"
c = "D*lap(c) + c*(1 - c - alpha*a - beta*b)"
[parameters]
D = 0.15
alpha = 1.9
beta = 0.6
[initial]
a = "0.3 + noise(-0.2, 0.2)"
b = "0.3 + noise(-0.2, 0.2)"
c = "0.3 + noise(-0.2, 0.2)"
[time]
dt = 0.3
)toml";

/// FitzHugh-Nagumo with a saturating activation and a rate that falls off: Turing patterns.
inline constexpr const char* kExpTanh = R"toml(
[equations]
u = "Du*lap(u) + 2*tanh(u) - u - v"
v = "Dv*lap(v) + eps*exp(-0.2*u^2)*(u - a*v)"
[parameters]
Du = 0.5
Dv = 10
eps = 4
a = 0.5
[initial]
u = "noise(-0.2, 0.2)"
v = "noise(-0.2, 0.2)"
[time]
dt = 0.02
)toml";

/// A held stage: lap(u) is kept for bilap(u).
inline constexpr const char* kSwiftHohenberg = R"toml(
[equations]
u = "(r - 1)*u - 2*lap(u) - bilap(u) + g*u^2 - u^3"
[parameters]
r = 0.3
g = 0.5
[initial]
u = "noise(-0.2, 0.2)"
[time]
dt = 0.02
)toml";

}  // namespace mottle::benchmarks
