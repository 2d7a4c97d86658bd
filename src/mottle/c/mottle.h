// mottle/c/mottle.h: the C interface: simulations behind handles, status codes, messages; for C, Fortran, Julia and whoever calls C
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions are added with the minor number; what is there changes with the major number alone. Compare with mottle_c_version(): major * 1000 + minor. */
#define MOTTLE_C_MAJOR 1
#define MOTTLE_C_MINOR 1
int32_t mottle_c_version(void);
/* "0.1.0": of the library. */
const char* mottle_version(void);

/* What a call came to; the numbers are the exit codes of the command. */
typedef enum mottle_status {
    MOTTLE_OK = 0,
    MOTTLE_MODEL_ERROR = 2,  /* inside an equation */
    MOTTLE_INPUT_ERROR = 3,  /* every other input, null handles too */
    MOTTLE_DEVICE_ERROR = 4, /* a device or a part of the installation is missing */
    MOTTLE_DIVERGED = 5,     /* a field stopped being finite */
    MOTTLE_OUTPUT_ERROR = 6, /* a file could not be written */
    MOTTLE_INTERNAL_ERROR = 70,
    MOTTLE_STOPPED = 130 /* by keep_going */
} mottle_status;

/* A simulation; used by one thread at a time. Several run side by side, each with threads of its own. */
typedef struct mottle_simulation mottle_simulation;

/* Makes a simulation. `model`: a library name, the path of a file (with a slash, or ending in .toml) or a text (with a line end or =). `preset`: or NULL for the
   first. `settings`: TOML of keys of files and presets, or NULL: "size = '256x128'\nparameters.F = 0.04\nthreads = 2".
   On an error *simulation is NULL, and `message` (if not NULL) holds what is wrong, with its place, cut to `message_size` bytes with a final zero. */
mottle_status mottle_create(const char* model, const char* preset, const char* settings, mottle_simulation** simulation, char* message,
                            int64_t message_size);
/* NULL is nothing to free. */
void mottle_destroy(mottle_simulation* simulation);
/* What was wrong in the last call with this handle that was not MOTTLE_OK; "" before. Valid until the next call. */
const char* mottle_message(const mottle_simulation* simulation);

/* Called about ten times a second while a simulation advances, in the thread that called: 0 stops it cleanly. */
typedef int (*mottle_keep_going)(void* user, int64_t step, double time, double cells_per_second);
mottle_status mottle_observe(mottle_simulation* simulation, mottle_keep_going keep_going, void* user);

/* Goes on by so many steps. `look`: not 0 to look at the end whether all cells are finite; every 1,024th step is looked at anyway. */
mottle_status mottle_advance(mottle_simulation* simulation, int64_t steps, int look);
/* 0 for a null handle. */
int64_t mottle_step(const mottle_simulation* simulation);
double mottle_time(const mottle_simulation* simulation);
double mottle_dt(const mottle_simulation* simulation);

/* From the next step on, with the parameters and maps that are computed from it; compiles nothing. dt stays: compare it with mottle_stable_dt(). */
mottle_status mottle_set_parameter(mottle_simulation* simulation, const char* name, double value);
/* The longest dt that is known to be stable, less a tenth, for the parameters as they are now (and the stages of a step); infinity where nothing limits it, 0 where
   no step is stable, as diffusion runs backwards, and for a null handle. */
double mottle_stable_dt(mottle_simulation* simulation);
/* Other steps from here on; step and time go on. */
mottle_status mottle_set_dt(mottle_simulation* simulation, double dt);

/* Fields are numbered from 0 in the order of the model. */
int32_t mottle_field_count(const mottle_simulation* simulation);
/* NULL beyond. */
const char* mottle_field_name(const mottle_simulation* simulation, int32_t field);
/* -1 if there is none; mottle_message() has the nearest name. */
int32_t mottle_find_field(mottle_simulation* simulation, const char* name);

/* Cells of a grid are numbered along x, then y, then z, from 0: cell = x + width * (y + height * z). Vertices of a surface are cells in the order of memory.
   `size`: width, height, depth; of a surface vertices, 1, 1. */
mottle_status mottle_size(mottle_simulation* simulation, int64_t size[3]);
int64_t mottle_cell_count(const mottle_simulation* simulation);

/* All cells of a field; `count` is mottle_cell_count(). Values are rounded once; what is not finite is refused, and then nothing is written. */
mottle_status mottle_read_f64(mottle_simulation* simulation, int32_t field, double* cells, int64_t count);
mottle_status mottle_read_f32(mottle_simulation* simulation, int32_t field, float* cells, int64_t count);
mottle_status mottle_write_f64(mottle_simulation* simulation, int32_t field, const double* cells, int64_t count);
mottle_status mottle_write_f32(mottle_simulation* simulation, int32_t field, const float* cells, int64_t count);
/* One row of cells along x: row = y + height * z; `count` is the width. */
mottle_status mottle_read_row(mottle_simulation* simulation, int32_t field, int64_t row, double* cells, int64_t count);
mottle_status mottle_write_row(mottle_simulation* simulation, int32_t field, int64_t row, const double* cells, int64_t count);

/* Some cells, by their numbers: what they hold, and sources (positive) and sinks added to them, a cell that is named twice twice. On an error nothing is changed. */
mottle_status mottle_get_cells(mottle_simulation* simulation, int32_t field, const int64_t* cells, double* values, int64_t count);
mottle_status mottle_add_to_cells(mottle_simulation* simulation, int32_t field, const int64_t* cells, const double* amounts, int64_t count);

/* Least, greatest, mean, standard deviation. */
mottle_status mottle_statistics(mottle_simulation* simulation, int32_t field, double statistics[4]);
/* A picture of the fields as they are now, as a .png file. `settings`: TOML of the keys of an output, or NULL: "field = 'u'\npalette = 'magma'". */
mottle_status mottle_draw(mottle_simulation* simulation, const char* file, const char* settings);

#ifdef __cplusplus
}
#endif
