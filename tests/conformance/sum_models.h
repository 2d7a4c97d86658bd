// tests/conformance/sum_models.h: models whose steps sum over all cells, in every way that a step can be cut into phases
#pragma once

namespace conformance {

/// A field as it is: a step is one phase, and keeps nothing.
inline const char* const kFieldMean = R"toml(
[equations]
u = "0.1*lap(u) + u*(1 - u)*(u - 0.2) - k*(mean(u) - 0.3) - 0.1*v"
v = "0.05*lap(v) + div(mean(v)*grad(u)) - 0.1*v*mean(u)"
[parameters]
k = 0.4
[initial]
u = "X"
v = "Y"
[time]
dt = 0.1
)toml";

/// Expressions of the cell alone, with maps, coordinates, t, a clamp and a border that changes; a definition twice.
inline const char* const kExpressionMean = R"toml(
[define]
w = "u^2*m + X*v*cos(t)"
[equations]
u = "0.1*lap(u) - 0.2*mean(w) + where(mean(u*v) > 0.2, 0.1, -0.1)*u + 0.00002*integral(w)"
v = "div(m*grad(v)) + u*v - v*exp(-mean(exp(-u))) + 0.1*lap(u^2)"
[parameters]
m = "0.1 + 0.1*X*Y"
[clamp]
v = [0.05, 0.9]
[initial]
u = "X"
v = "Y"
[time]
dt = 0.1
)toml";

/// Operators and other sums inside: phases that leave the fields as they are, two of them in a row.
inline const char* const kNestedMean = R"toml(
[equations]
u = "0.1*lap(u) - u*mean(norm2(grad(u))) + 0.1*mean((u - mean(u))^2)*v - 0.01*lap(lap(u))"
v = "0.1*lap(v) + 0.3*(mean(abs(v - mean(v)) + 0.1*mean((u - mean(u))^2)) - v) + 0.0005*mean(lap(u*v)^2) + 0.01*white()*mean(white()^2*u)"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.1
)toml";

/// v is below 2^-340 when the eighth step flushes it, and so is what is summed.
inline const char* const kVanishingMean = R"toml(
[equations]
u = "0.1*lap(u) + 0.1*v + mean(v*1e100)"
v = "1e-14*lap(v) - v"
[initial]
u = "X"
v = "Y"
[time]
dt = 1
)toml";

}  // namespace conformance
