// apps/cli/forecast.h: mottle check --ranks: what a run would take on any number of processes
#pragma once
#include "mottle/ranks/network.h"
#include "mottle/run/settings/preparation.h"

#include <optional>
#include <string>

namespace mottle::cli {

struct ForecastRequest {
    int ranks = 1;
    ranks::Network network;
};
/// Of --ranks and --network as typed; nothing where neither is. Throws: InputError.
std::optional<ForecastRequest> read_forecast_request(const std::string& ranks, const std::string& network);

/// Measures a block of the run on this machine for a second, and says how it is cut, what each rank holds and sends, and how fast it would be.
/// Throws: InputError (what ranks cannot share, a domain that cannot be cut so far), DeviceError.
std::string forecast_text(const ForecastRequest& request, const run::Spec& spec, const run::Preparation& made);

}  // namespace mottle::cli
