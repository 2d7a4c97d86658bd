// mottle/ir/method.h: how time is stepped: the methods, their coefficients, and how they are stable
#pragma once
#include <complex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mottle::ir {

/// The method of a run, by name, and the precision of its fields.
struct Method {
    std::string name = "euler";
    bool f64 = false;
    int stages = 0;  ///< of a method that takes any number of them; 0: not chosen yet
};

/// A method whose stages each begin with the rates of the one before: with k_i the rates of y_i at t + c_i dt,
/// y_1 = y, y_(i+1) = y + reach_i dt k_i, c_(i+1) = reach_i, and a step ends with y + sum of weight_i dt k_i.
/// All stages are one step of a kernel, and their coefficients are part of the Program.
struct RungeKutta {
    std::vector<double> reach;    ///< one less than there are stages
    std::vector<double> weights;  ///< one for each stage; they add up to 1
    int order;
};

/// A Runge-Kutta-Legendre method of order 1 or 2, with any number of stages: the longer the step, the more (legendre_step). Each stage is a step of a
/// kernel, and its coefficients are uniforms.
struct RungeKuttaLegendre {
    int order;
    bool factored =
        false;  ///< each stage is a step of Euler's method of its own length (euler_lengths.h), and needs nothing of the stage before it
};
/// A step of order 1 has at least 1 stage, one of order 2 at least 2; the number is limited by rounding, which grows with its square. `factored` steps have kMostLengths.
inline constexpr int kMostStages = 1000;

/// What white() is in the stages of a step.
enum class NoiseRule {
    one_number,  ///< in each cell a number that all stages see
    refused
};

/// A method as an object.
struct Scheme {
    std::string_view name;
    std::variant<RungeKutta, RungeKuttaLegendre> form;
    NoiseRule noise;
    bool solves_diffusion =
        false;  ///< diffusion with constant coefficients is solved for behind each step of `form`, which takes the rates of the rest
    bool takes_exponentials =
        false;  ///< linear terms with constant coefficients are taken exactly, wave by wave, and `form` takes the rates of the rest
    bool makes_rates = false;  ///< a step of a kernel makes rates of the fields, and the method makes steps of these
    /// Whether stiff linear terms do not limit dt.
    bool splits() const { return solves_diffusion || takes_exponentials; }

    const RungeKutta* table() const { return std::get_if<RungeKutta>(&form); }
    const RungeKuttaLegendre* legendre() const { return std::get_if<RungeKuttaLegendre>(&form); }
    int fewest_stages() const;
    int most_stages() const;
};

/// The methods there are, in the order in which they are offered; the first is Euler's.
const std::vector<Scheme>& schemes();
/// Null, if there is none of this name.
const Scheme* find_scheme(std::string_view name);
/// Throws: InternalError (there is none of this name).
const Scheme& scheme_of(const Method& method);
/// Stages of a step. Throws: InternalError (not chosen yet, or more or fewer than the method has).
int stages_of(const Method& method);
/// By which power of dt the error at a given time falls.
int order_of(const Method& method);
/// Steps of a kernel that make a step of the run.
int kernel_steps_of(const Method& method);

/// A step of a Runge-Kutta-Legendre method: from y_0 = y and d_0 = 0, stage j = 1..s makes d_j = momentum d_(j-1) + share dt k(y_(j-1), t + begin dt) and
/// y_j = y_(j-1) + d_j, and the step ends with y + weight (y_s - y). Where nothing changes every d is 0, whatever the rounding.
/// Order 1: the recursion of the article, whose polynomial is P_s(1 + 2 z/(s^2 + s)), P_s Legendre's; weight 1.
/// Order 2: its polynomial a + b P_s(1 + 4 z/(s^2 + s - 2)), with b as weight. The article spreads a and b over the stages, which takes two more arrays for each
/// field; the conditions of order 2 depend on the polynomial alone, and the errors of this form were half as large where they were compared (docs/numerics.md).
/// `factored`: the steps of euler_lengths, so that all momenta are 0; of order 1 with the same polynomial, of order 2 with one that is bounded on half as long an interval again.
struct LegendreStep {
    struct Stage {
        double begin;  ///< c_(j-1): its time is t + begin dt; in order 2 the last ones lie up to 2 dt beyond t
        double share, momentum;
    };
    std::vector<Stage> stages;
    double weight;
};
/// Source: Meyer, Balsara & Aslam 2014, J. Comput. Phys. 257, 594-626, section 2.
LegendreStep legendre_step(const RungeKuttaLegendre& method, int stages);

/// By what a step multiplies a wave, and what follows from it.
class StabilityPolynomial {
   public:
    /// Throws: InternalError (see stages_of).
    explicit StabilityPolynomial(const Method& method);

    /// Of a wave that grows at `rate` (decays, where its real part is below 0) per step.
    std::complex<double> operator()(std::complex<double> rate) const;
    /// The longest dt up to which no step makes a wave grow that decays at `rate` per unit of time (real part above 0); infinity, where it is 0.
    double longest_step(std::complex<double> rate) const;
    /// The variance of a wave that noise drives and that decays at `rate` per step (above 0, within longest_step), as a share of that in continuous time:
    /// 2/(2 - rate) of Euler's steps.
    double noise_share(double rate) const;

   private:
    std::complex<double> of_table(std::complex<double> rate) const;
    std::complex<double> of_stages(std::complex<double> rate) const;
    /// The end of the interval of the real axis where nothing grows, as published; 0 where it is not known in closed form.
    double published_interval() const;
    /// How far nothing grows in a direction of the complex plane.
    double reach(std::complex<double> direction) const;

    const Scheme& scheme_;
    int stages_;
    double real_interval_ = 0;  ///< where nothing grows, of explicit methods
    LegendreStep
        recursion_;  ///< without stages where the method has a table, or is factored: its lengths take time to find, and the interval of the real axis is known without them
};

}  // namespace mottle::ir
