// mottle/live/server/events.h: what a page is told, as JSON; docs/live-protocol.md has each event
#pragma once
#include "mottle/core/error.h"
#include "mottle/live/server/player.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mottle::live {

/// How fast the run goes and how it is driven.
struct Status {
    core::Moment now;
    bool playing = false, resting = false, recording = false;
    Pace pace;
    double steps_per_second = 0, cells_per_second = 0;
    std::optional<double> share;
    std::size_t undo = 0, redo = 0;
};

std::string hello_event(const run::Simulation& simulation, int threads);
/// `about`: the id of the message that this answers.
std::string model_event(const Player& player, std::optional<double> about);
std::string parameter_event(const Player& player, const std::string& name, double value);
std::string status_event(const Status& status);
/// `file`: the name of the text of the model, whose places are told.
std::string error_event(const core::Error& error, const std::string& file, const std::string& verb, std::optional<double> about,
                        const std::filesystem::path& folder = {});
std::string notice_event(const std::string& message);
std::string divergence_event(const Divergence& divergence);
std::string samples_event(core::Moment now, const std::vector<std::string>& fields, const std::map<int, std::vector<double>>& probes);
std::string file_event(const std::string& name, const std::string& url, std::uintmax_t bytes, std::optional<double> about);

/// A map of parameters, whose picture has tiles of so many pixels with a gap between.
struct MapPicture {
    std::string url;
    Index columns = 1, rows = 1, tile_width = 0, tile_height = 0, gap = 0;
    std::vector<double> x, y;
    std::string x_name, y_name;
};
std::string map_running_event(double done);
std::string map_done_event(const MapPicture& picture);
std::string map_stopped_event();

}  // namespace mottle::live
