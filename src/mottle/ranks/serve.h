// mottle/ranks/serve.h: what every rank but the first does: it keeps its share and does what rank 0 asks
#pragma once
#include "mottle/ranks/transport.h"

namespace mottle::ranks {

/// Serves until rank 0 ends the run. Throws: Error in the middle of steps, when nobody is there to be answered.
void serve(Transport& transport);

}  // namespace mottle::ranks
