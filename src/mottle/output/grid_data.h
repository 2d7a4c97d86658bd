// mottle/output/grid_data.h: the fields of a grid as a file for other programs
#pragma once
#include "mottle/field/field.h"

#include <string>

namespace mottle::output {

/// VTK's ImageData (.vti) with raw appended arrays: a value per cell of every field, in the precision of the run. The first row has the smallest y.
std::string encode_vti(const field::Field& field, double time);

}  // namespace mottle::output
