// mottle/stepper/spectral/etd_stage.cpp: the sums of a stage of ETDRK4, for the vectors of this processor
#include "mottle/stepper/spectral/etd_stage.h"

namespace mottle::stepper {
namespace {

using core::Index;

constexpr Index kLanes = 8;  // of a row in most blocks: a vector of AVX-512

[[gnu::always_inline]] inline void stage_of(int stage, const EtdWaves& waves, Index count) {
    double* __restrict const values = waves.values;
    double* __restrict const start = waves.start;
    double* __restrict const first_rates = waves.first_rates;
    double* __restrict const predicted = waves.predicted;
    switch (stage) {
        case 0:  // a
            for (Index i = 0; i < count; ++i) {
                first_rates[i] = values[i];
                values[i] = predicted[i] = waves.half[i] * start[i] + waves.reach[i] * values[i];
            }
            return;
        case 1:  // b
            for (Index i = 0; i < count; ++i) {
                const double rate = values[i], from = start[i];
                values[i] = waves.half[i] * from + waves.reach[i] * rate;
                start[i] = (waves.whole[i] * from + waves.first[i] * first_rates[i]) + waves.middle[i] * rate;
            }
            return;
        case 2:  // c
            for (Index i = 0; i < count; ++i) {
                const double rate = values[i];
                values[i] = waves.half[i] * predicted[i] + waves.reach[i] * (2 * rate - first_rates[i]);
                start[i] += waves.middle[i] * rate;
            }
            return;
        default:  // the end of the step
            for (Index i = 0; i < count; ++i) values[i] = start[i] + waves.last[i] * values[i];
    }
}

template <bool kVector>
[[gnu::always_inline]] inline void rows_of(int stage, const EtdRows& rows) {
    const Index count = kVector ? kLanes : rows.count;
    for (Index i = 0; i < rows.rows; ++i) {
        const Index table = (rows.wraps && 2 * i > rows.rows ? rows.rows - i : i) * rows.step, kept = 2 * i * count;
        const EtdWaves& all = rows.waves;
        stage_of(stage,
                 {all.half + table, all.reach + table, all.whole + table, all.first + table, all.middle + table, all.last + table,
                  all.values + i * count, all.start + kept, all.first_rates + kept, all.predicted + kept},
                 count);
    }
}

[[gnu::always_inline]] inline void stage_of_rows(int stage, const EtdRows& rows) {
    rows.count == kLanes ? rows_of<true>(stage, rows) : rows_of<false>(stage, rows);
}

void rows_portable(int stage, const EtdRows& rows) { stage_of_rows(stage, rows); }
void stage_portable(int stage, const EtdWaves& waves, Index count) { stage_of(stage, waves, count); }
MOTTLE_TARGET("avx2") void rows_avx2(int stage, const EtdRows& rows) { stage_of_rows(stage, rows); }
MOTTLE_TARGET("avx2") void stage_avx2(int stage, const EtdWaves& waves, Index count) { stage_of(stage, waves, count); }
MOTTLE_TARGET("avx512f") void rows_avx512(int stage, const EtdRows& rows) { stage_of_rows(stage, rows); }
MOTTLE_TARGET("avx512f") void stage_avx512(int stage, const EtdWaves& waves, Index count) { stage_of(stage, waves, count); }

}  // namespace

void run_etd_stage(int stage, const EtdWaves& waves, Index count, core::VectorLevel level) {
    core::code_for(level, stage_portable, stage_avx2, stage_avx512)(stage, waves, count);
}

void run_etd_stage(int stage, const EtdRows& rows, core::VectorLevel level) {
    core::code_for(level, rows_portable, rows_avx2, rows_avx512)(stage, rows);
}

}  // namespace mottle::stepper
