// mottle/live/server/map.cpp: a sweep whose picture has tiles alone, no margins
#include "mottle/live/server/map.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/live/server/takeaway.h"
#include "mottle/sweep/sweep.h"

#include <algorithm>

namespace mottle::live {

namespace {

class Progress : public core::Observer {
   public:
    Progress(const std::function<bool(double)>& go_on, core::Observer& speech) : go_on_(go_on), speech_(speech) {}
    void expect(Index steps) { steps_ = steps; }
    void notice(const std::string& message) override { speech_.notice(message); }
    bool keep_going(core::Moment now, double) override {
        const double done = steps_ > 0 ? static_cast<double>(now.step) / static_cast<double>(steps_) : 0;
        return go_on_(std::min(done, 1.0));
    }

   private:
    const std::function<bool(double)>& go_on_;
    core::Observer& speech_;
    Index steps_ = 0;
};

constexpr Index kMostCells = Index{1} << 26;  // of all members together, which are prepared before the map can be stopped

/// Throws: InputError.
void require_small(const Player& player, const MakeMap& map) {
    const domain::Domain& domain = player.spec().domain;
    Index cells = std::holds_alternative<domain::Mesh>(domain) ? domain::cell_count(domain) : Index{map.cells} * map.cells;
    for (const MapAxis& axis : map.axes) cells *= axis.count;
    if (cells <= kMostCells) return;
    throw core::InputError("this map has " + core::grouped(cells) + " cells, and at most " + core::grouped(kMostCells) +
                           " are computed; ask for fewer runs, or for smaller ones");
}

std::string over_text(const MapAxis& axis) {
    return axis.parameter + "=" + core::number_text(axis.from) +
           (axis.count > 1 ? ":" + core::number_text(axis.to) + ":" + std::to_string(axis.count) : "");
}

}  // namespace

std::optional<MapPicture> make_map(const Player& player, const MakeMap& map, OfferedFiles& files, core::Context& context,
                                   const std::function<bool(double done)>& go_on) {
    require_small(player, map);
    const Project& project = player.project();
    std::vector<std::string> over;
    for (const MapAxis& axis : map.axes) over.push_back(over_text(axis));
    const std::filesystem::path path = files.place("map-%01d.png");
    sweep::Spec spec = sweep::read_spec(project.document(), project.name(), project.preset(), project.flags_of_map(map), over);
    Look look;
    look.field = map.field;
    run::Output output;
    output.sink = sink_spec(player, look, path);
    output.sink.style.scale = 1;
    output.times.frames = 1;
    spec.base.outputs = {output};
    spec.base.checkpoint.clear();
    spec.table.clear();
    spec.states.clear();

    Progress progress(go_on, context.observer);
    core::Context beside{context.team, progress, context.cache};
    sweep::Sweep sweep(spec, beside);
    progress.expect(sweep.clock().steps);
    if (!sweep.run_to_end() || sweep.files().empty()) return std::nullopt;

    const sweep::Layout layout = sweep::Layout::of(spec.base.domain, spec.columns(), spec.rows());
    const std::filesystem::path picture = path.parent_path() / "map.png";
    std::filesystem::rename(sweep.files().back(), picture);
    MapPicture made{.url = files.offer(picture),
                    .columns = spec.columns(),
                    .rows = spec.rows(),
                    .tile_width = layout.width,
                    .tile_height = layout.height,
                    .gap = layout.gap,
                    .x = spec.axes[0].values,
                    .y = {},
                    .x_name = spec.axes[0].name,
                    .y_name = ""};
    if (spec.axes.size() > 1) {
        made.y = spec.axes[1].values;
        made.y_name = spec.axes[1].name;
    }
    return made;
}

}  // namespace mottle::live
