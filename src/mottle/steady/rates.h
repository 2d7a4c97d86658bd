// mottle/steady/rates.h: the right sides of a model as numbers, taken from a kernel of Euler's method
#pragma once
#include "mottle/field/field.h"
#include "mottle/stepper/uniform_rows.h"

#include <span>
#include <vector>

namespace mottle::steady {

using core::Index;

/// F(y) of dy/dt = F(y): the difference that a step of Euler's method makes, by its dt. Borders, maps, meshes and operators are those of the kernel.
class Rates {
   public:
    /// `field`: of a Program in f64 of Euler's method in which nothing depends on t, without clamps and without sums over all cells; it outlives this, and its
    /// maps count. `inputs` as Program::inputs. `dt`: a power of two, so that the division is exact; rounding is that of the right sides themselves where
    /// dt is not much shorter than the explicit limit.
    Rates(field::Field& field, std::vector<double> inputs, double dt);

    const backend::Kernel& kernel() const { return field_.kernel(); }
    Index field_count() const { return fields_; }
    Index unknown_count() const { return fields_ * cells_; }
    /// Shape: y and rates have one entry per unknown, field f of cell i at i * field_count() + f. Units: rates 1/time of those of y.
    void at(std::span<const double> y, std::span<double> rates);

   private:
    field::Field& field_;
    stepper::UniformRows uniforms_;
    double dt_;
    Index fields_, cells_;
    std::vector<double> row_;
};

}  // namespace mottle::steady
