// mottle/run/resume.h: the files that a run finds which goes on from a saved state
#pragma once
#include "mottle/core/context.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

/// What the outputs of `spec` keep from before the state, for the fields `field`. Files of all frames that keep none have a notice.
/// Throws: InputError, without --force: frames are missing, a file was written by another run, or a video shows another field, palette, range or side.
KeptFrames frames_to_keep(const Spec& spec, const Standing& standing, const field::Field& field, core::Observer& observer);

/// Removes unfinished files that killed runs left under the names of the outputs and of the state of `spec`, with a notice.
void remove_orphans(const Spec& spec, core::Observer& observer);

}  // namespace mottle::run
