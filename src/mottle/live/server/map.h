// mottle/live/server/map.h: a sheet of runs for two parameters, on which a page goes where it likes
#pragma once
#include "mottle/live/server/events.h"
#include "mottle/live/server/offered_files.h"

#include <functional>
#include <optional>

namespace mottle::live {

/// Runs all members of `map` for the model of `player`, one after another piece by piece. `go_on(done)` hears the share of the steps that are made, from any thread,
/// and ends it all with false: then nothing comes back. Throws: InputError (no such parameter, too many members), Error.
std::optional<MapPicture> make_map(const Player& player, const MakeMap& map, OfferedFiles& files, core::Context& context,
                                   const std::function<bool(double done)>& go_on);

}  // namespace mottle::live
