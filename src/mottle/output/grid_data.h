// mottle/output/grid_data.h: the fields of a grid as a file for other programs
#pragma once
#include "mottle/core/files.h"
#include "mottle/field/field.h"

namespace mottle::output {

/// VTK's ImageData (.vti) with raw appended arrays: a value per cell of every field, in the precision of the run. The first row has the smallest y.
/// The cells go through row by row, whatever the size of the grid. Throws: OutputError.
void write_vti(const field::Field& field, double time, core::AtomicFile& file);

}  // namespace mottle::output
