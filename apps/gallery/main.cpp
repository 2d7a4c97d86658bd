// apps/gallery/main.cpp: runs every preset of every library model and lays the last frames out on one contact sheet
#include "apps/gallery/contact_sheet.h"
#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/thread_team.h"
#include "mottle/image/png.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace mottle;

constexpr int kSide = 256;
constexpr int kColumns = 8;

std::string verdict_text(const stepper::Outcome& outcome) {
    return outcome.verdict == stepper::Verdict::diverged ? " DIVERGED: " + outcome.why : "";
}

/// Runs one preset ("": the model's own defaults) and returns its last frame; what went wrong goes to stderr and leaves the tile plain.
image::Image last_frame(const std::string& name, const std::string& preset, const fs::path& file, core::Context& context) {
    const auto start = core::SteadyClock::now();
    try {
        const core::Node flags = core::parse_document("[[output]]\nfile = '" + file.string() + "'\n", "gallery");
        run::Simulation simulation(run::read_spec(model::load_document(name), name, preset, flags), context);
        const stepper::Outcome outcome = simulation.run_to_end();
        const double seconds = core::seconds_since(start);
        std::fprintf(stderr, "%-24s %-24s %9lld steps %7.2f s%s\n", name.c_str(), preset.c_str(), static_cast<long long>(outcome.at.step),
                     seconds, verdict_text(outcome).c_str());
        return image::read_png(file);
    } catch (const core::Error& error) {
        std::fprintf(stderr, "%-24s %-24s %s\n", name.c_str(), preset.c_str(), error.what());
        return {};
    }
}

int make_gallery(const fs::path& sheet_file, const std::string& only) {
    core::ThreadTeam team(core::available_cores());
    core::Observer observer;
    core::Context context{team, observer, {}};
    const fs::path folder = sheet_file.parent_path() / "gallery";
    fs::create_directories(folder);
    std::vector<gallery::Tile> tiles;
    bool complete = true;
    for (const model::LibraryModel& entry : model::library()) {
        const std::string name(entry.name);
        if (!only.empty() && name != only) continue;
        std::vector<std::string> presets;
        for (const model::Preset& preset : model::presets_of(model::load_document(name))) presets.push_back(preset.name);
        if (presets.empty()) presets.emplace_back();
        for (const std::string& preset : presets) {
            const std::string title = preset.empty() ? name : name + "/" + preset;
            const fs::path file = folder / (name + (preset.empty() ? "" : "-" + preset) + ".png");
            tiles.push_back({title, last_frame(name, preset, file, context)});
            complete = complete && tiles.back().picture.width > 0;
        }
    }
    image::write_png(sheet_file, gallery::contact_sheet(tiles, kSide, kColumns));
    std::printf("%zu pictures in %s\n%s\n", tiles.size(), folder.c_str(), sheet_file.c_str());
    return complete ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: mottle_gallery SHEET.png [MODEL]\n");
        return 3;
    }
    try {
        return make_gallery(fs::absolute(argv[1]), argc > 2 ? argv[2] : "");
    } catch (const core::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.exit_code();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 70;
    }
}
