// mottle/field/source_image.h: image("file.png"): gray values stretched over the domain
#pragma once
#include "mottle/field/source.h"

namespace mottle::field {

/// See create_source. Throws: InputError with the place of the call if the file cannot be read.
RowSource create_image_source(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial);

}  // namespace mottle::field
