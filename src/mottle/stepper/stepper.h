// mottle/stepper/stepper.h: advances a field to given moments, tests for divergence, reports progress
#pragma once
#include "mottle/field/field.h"

#include <span>
#include <string>
#include <vector>

namespace mottle::stepper {

using core::Index;

enum class Verdict { reached, steady, diverged, stopped };

struct Outcome {
    Verdict verdict = Verdict::reached;
    core::Moment at;
    std::string why;  ///< diverged: interval, field, cell; steady: patterned or uniform
};

/// Time of step n is start + n dt. Finiteness is tested where every advance ends and at every step that is a multiple of 1,024.
class Stepper {
   public:
    /// `inputs` as Program::inputs; "dt" and "t" are filled in here.
    Stepper(field::Field& field, std::vector<double> inputs, double dt, core::Context& context);

    Outcome advance_to(Index step);
    /// Takes effect from the next step on.
    void set_parameter(const std::string& name, double value);
    core::Moment now() const;
    /// Wall seconds inside Kernel::advance so far.
    double seconds() const { return seconds_; }

   private:
    field::Field& field_;
    std::vector<double> inputs_;
    double dt_;
    core::Context& context_;
    Index step_ = 0;
    double seconds_ = 0;
    std::vector<double> table_;
};

}  // namespace mottle::stepper
