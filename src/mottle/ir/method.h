// mottle/ir/method.h: how time is stepped: explicit Runge-Kutta methods
#pragma once
#include <complex>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::ir {

/// The method of a run, by name, and the precision of its fields.
struct Method {
    std::string name = "euler";
    bool f64 = false;
};

/// A method whose stages each begin with the rates of the one before: with k_i the rates of y_i at t + c_i dt,
/// y_1 = y, y_(i+1) = y + reach_i dt k_i, c_(i+1) = reach_i, and a step ends with y + sum of weight_i dt k_i.
struct RungeKutta {
    std::string_view name;
    std::vector<double> reach;    ///< one less than there are stages
    std::vector<double> weights;  ///< one for each stage; they add up to 1
};

/// The methods there are, in the order in which they are offered; the first is Euler's.
const std::vector<RungeKutta>& methods();
/// Null, if there is none of this name.
const RungeKutta* find_method(std::string_view name);

/// The factor by which a step changes a wave that grows at `rate` (decays, where its real part is below 0) per step: the stability polynomial.
std::complex<double> growth(const RungeKutta& method, std::complex<double> rate);
/// The longest dt up to which no step makes a wave grow that decays at `rate` per unit of time (real part above 0); infinity, where it is 0.
double longest_step(const RungeKutta& method, std::complex<double> rate);
/// The variance of a wave that noise drives and that decays at `rate` per step (above 0, within longest_step), as a share of that in continuous time:
/// 2/(2 - rate) of Euler's steps.
double noise_share(const RungeKutta& method, double rate);

}  // namespace mottle::ir
