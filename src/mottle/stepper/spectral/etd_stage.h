// mottle/stepper/spectral/etd_stage.h: a stage of ETDRK4 on neighbouring waves or cells
#pragma once
#include "mottle/core/index.h"
#include "mottle/core/vector_level.h"

namespace mottle::stepper {

/// Coefficients of neighbouring waves (exponential_coefficients.h), and `values`, their rates, which become the next stage's waves. The others keep what a step
/// began with, and then what it ends with but for the last rates; the rates of the first stage; and what that made.
struct EtdWaves {
    const double *half, *reach, *whole, *first, *middle, *last;
    double *values, *start, *first_rates, *predicted;
};

/// Rows of waves: `waves` has the first row's, of `count` waves. Row i has the coefficients `i * step` behind them, rows beyond half of an axis that wraps those of
/// row `rows - i`; its values are `i * count` behind the first ones, and what is kept `2 * i * count`.
struct EtdRows {
    EtdWaves waves;
    core::Index count, rows, step;
    bool wraps;
};

/// Stage 0 to 3 of `count` waves: every operation is rounded once, on every processor.
void run_etd_stage(int stage, const EtdWaves& waves, core::Index count, core::VectorLevel level = core::widest_level());
void run_etd_stage(int stage, const EtdRows& rows, core::VectorLevel level = core::widest_level());

}  // namespace mottle::stepper
