// mottle/run/resume.h: the files that a run finds which goes on from a saved state
#pragma once
#include "mottle/core/context.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

/// The number of frames that each output file which holds all frames keeps from before the state. Files that keep none have a notice.
/// Throws: InputError, without --force: frames are missing, or a file was written by another run.
FramesOfFiles frames_to_keep(const Spec& spec, const Standing& standing, core::Observer& observer);

/// Removes unfinished files that killed runs left under the names of the outputs and of the state of `spec`, with a notice.
void remove_orphans(const Spec& spec, core::Observer& observer);

}  // namespace mottle::run
