// mottle/run/watch/stability_watch.h: tells when the fields of a run have come where its time step is too long for them
#pragma once
#include "mottle/core/context.h"
#include "mottle/field/field.h"
#include "mottle/ir/stability/local_stability.h"
#include "mottle/run/settings/clock.h"

#include <algorithm>
#include <optional>
#include <string>

namespace mottle::run {

/// The limits of dt that are known beforehand rest on declared ranges, which a model may lack, or its fields leave. A step somewhat too long need not diverge: a checkerboard
/// may grow until clamps or saturation hold it, and look like a pattern. So the equations are linearised about the states of some cells: at the beginning, at the steps
/// 1,024, 2,048, 4,096, ..., and at the end of what is not over at once; of methods of many stages that were chosen (method_choice.h), whose runs have few steps, at every fourth one and, from the 32nd on, when their number has grown by an eighth. These steps depend on nothing else, so that a run which shortens its step for what is found
/// there does so whatever it draws and wherever it computes.
class StabilityWatch {
   public:
    /// `spec` outlives it. Silent where `clock` has warned already, and where nobody knows how stiff a mesh is. `first`: the step at which the run begins.
    StabilityWatch(const Spec& spec, const Clock& clock, Index first);
    /// Where a run that stands at `now` stops on its way to `step`: the next step to look at, if there is one before.
    Index next_stop(Index now, Index step) const { return next_ > now ? std::min(step, next_) : step; }
    /// Once: what is wrong with dt, where waves that should decay grow in one of a hundred cells. Nothing is done at steps that are not the next one to look at, unless
    /// the run ends there.
    std::optional<std::string> look(const core::Moment& now, const field::Field& field, bool at_end = false);
    /// What would do, as far as is known: "; try --dt 0.1".
    const std::string& advice() const { return advice_; }

   private:
    struct Findings;
    Index after(Index step) const;
    std::optional<std::string> find(const core::Moment& now, const field::Field& field);
    /// The first `spread` of the cells are spread over the domain, the others are where fields are extreme.
    Findings examine(const std::vector<ir::CellState>& cells, std::size_t spread);

    const Spec& spec_;
    double dt_;
    bool silent_;
    bool follows_;  ///< dt was chosen by how fast the fields were at the start: growth that becomes faster is looked for, and more often
    Index next_, looked_ = -1;
    ir::LocalStability local_;
    std::string advice_;
};

}  // namespace mottle::run
