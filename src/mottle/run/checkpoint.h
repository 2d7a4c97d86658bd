// mottle/run/checkpoint.h: the state of a run in a file, from which the same run goes on to the same bits
#pragma once
#include "mottle/field/field.h"

#include <filesystem>
#include <span>
#include <vector>

namespace mottle::run {

/// Fields, step and dt, with what says whose they are: a hash of the program, the size of the grid or the shape of the mesh, the parameters.
/// Layout: the line "mottle state 1", a TOML table, the line "---", the fields row by row as little-endian numbers of the run's precision, and a hash of
/// all before it (32 hexadecimal digits). Throws: OutputError; what stood in `file` before is replaced only by a whole state.
/// `until`: SteadyTest::progress, if there is such a test.
void save_checkpoint(const std::filesystem::path& file, const field::Field& field, const model::Model& model, core::Moment at, double dt,
                     std::span<const double> until);

/// Where a state stands.
struct Standing {
    core::Index step = 0;
    std::vector<double> until;  ///< SteadyTest::progress, or nothing
};

/// Whether the file begins as a state does.
bool is_checkpoint(const std::filesystem::path& file);

/// Puts the fields back. Parameters that have changed since are told to the observer of `context`.
/// Throws: InputError (missing, damaged, of another model, domain, precision or dt).
Standing load_checkpoint(const std::filesystem::path& file, field::Field& field, const model::Model& model, double dt,
                         core::Context& context);

}  // namespace mottle::run
