// mottle/run/stability_watch.h: tells when the fields of a run have come where its time step is too long for them
#pragma once
#include "mottle/core/context.h"
#include "mottle/field/field.h"
#include "mottle/ir/local_stability.h"
#include "mottle/run/clock.h"

#include <string>

namespace mottle::run {

/// The limits of dt that are known beforehand rest on declared ranges, which a model may lack, or its fields leave. A step somewhat too long need not diverge: a checkerboard
/// may grow until clamps or saturation hold it, and look like a pattern. So the equations are linearised about the states of some cells: at the beginning, at stops from
/// step 1,024 on (each at twice the step of the one before), and at the end of what is not over at once.
class StabilityWatch {
   public:
    /// `spec` outlives it. Silent where `clock` has warned already, and where nobody knows how stiff a mesh is.
    StabilityWatch(const Spec& spec, const Clock& clock);
    /// Once: a warning, where waves that should decay grow in one of a hundred cells.
    std::string look(const core::Moment& now, const field::Field& field, bool at_end = false);

   private:
    const Spec& spec_;
    double dt_;
    bool silent_;
    Index next_ = 0;  ///< step
    ir::LocalStability local_;
};

}  // namespace mottle::run
