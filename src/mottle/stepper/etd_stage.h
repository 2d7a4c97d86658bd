// mottle/stepper/etd_stage.h: a stage of ETDRK4 on neighbouring waves or cells
#pragma once
#include "mottle/core/index.h"
#include "mottle/stepper/vector_level.h"

namespace mottle::stepper {

/// Coefficients of neighbouring waves (exponential_coefficients.h), and `values`, their rates, which become the next stage's waves. The others keep what a step
/// began with, and then what it ends with but for the last rates; the rates of the first stage; and what that made.
struct EtdWaves {
    const double *half, *reach, *whole, *first, *middle, *last;
    double *values, *start, *first_rates, *predicted;
};

/// Stage 0 to 3 of `count` waves: every operation is rounded once, on every processor.
void run_etd_stage(int stage, const EtdWaves& waves, core::Index count, VectorLevel level = widest_level());

}  // namespace mottle::stepper
