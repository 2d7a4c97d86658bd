// mottle/live/server/takeaway.cpp: the sinks of every run, for one moment of this one
#include "mottle/live/server/takeaway.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/field/contents.h"
#include "mottle/run/checkpoint.h"

#include <algorithm>
#include <fstream>

namespace mottle::live {

namespace {

constexpr Index kMostFramesAtOnce = 30;  // of a video that fell behind
constexpr Index kStepsAfterwards = 1000;

/// The name of the model, without what numbers frames, parts folders, or ends a name in a header of HTTP.
std::string file_name(const Player& player, const std::string& extension) {
    std::string name = player.project().name();
    for (char& c : name) {
        if (c == '%' || c == '/' || c == '\\' || c == '"' || static_cast<unsigned char>(c) < ' ') c = '-';
    }
    return name + "." + extension;
}

std::filesystem::path save_picture(Player& player, const Save& save, OfferedFiles& files, core::Context& context) {
    const bool surface = std::holds_alternative<domain::Mesh>(player.spec().domain);
    if (!surface && (save.what == "vtu" || save.what == "ply" || save.what == "glb"))
        throw core::InputError("a ." + save.what + " holds a surface, but this run is on a " + domain::describe(player.spec().domain));
    const std::filesystem::path path = files.place(file_name(player, save.what));
    const output::SinkSpec spec = sink_spec(player, save.look, path);
    output::check_sink(spec, player.spec().domain);
    const std::unique_ptr<output::Sink> sink = output::create_sink(spec, player.field(), context);
    sink->write(player.simulation().now(), player.simulation().field());
    sink->end(player.simulation().now(), player.simulation().field());
    sink->finish();
    return path;
}

std::filesystem::path save_state(const Player& player, OfferedFiles& files) {
    const std::filesystem::path path = files.place(file_name(player, "state"));
    const run::Simulation& simulation = player.simulation();
    const run::Identity identity = run::identify(simulation.kernel().program(), player.spec(), simulation.dt());
    run::save_checkpoint(path, simulation.field(), identity, {.step = simulation.now().step, .origin = simulation.origin()},
                         simulation.now().time);
    return path;
}

/// With so many steps that a run which goes on from now has some to make.
std::filesystem::path save_model(const Player& player, OfferedFiles& files) {
    const std::filesystem::path path = files.place(file_name(player, "toml"));
    const run::Simulation& simulation = player.simulation();
    const Index now = simulation.now().step, steps = now < simulation.steps() ? simulation.steps() : now + kStepsAfterwards;
    std::ofstream(path) << player.project().model_text(player.spec(), simulation.dt(), steps) << std::flush;
    return path;
}

/// Copies of the pictures that were dropped on the page, which the model looks for beside its file.
std::vector<std::filesystem::path> dropped_pictures(const Player& player, OfferedFiles& files) {
    std::vector<std::filesystem::path> copies;
    for (const std::filesystem::path picture : field::pictures_of(player.spec().model)) {
        if (picture.parent_path() != player.project().folder()) continue;
        copies.push_back(files.place(picture.filename().string()));
        std::error_code failed;
        std::filesystem::copy_file(picture, copies.back(), failed);
        if (failed) throw core::OutputError("cannot copy the picture '" + picture.filename().string() + "'");
    }
    return copies;
}

}  // namespace

output::SinkSpec sink_spec(const Player& player, const Look& look, const std::filesystem::path& file) {
    output::SinkSpec spec = player.spec().picture.sink;
    spec.file = file;
    spec.on_card = player.simulation().backend().on_card();
    spec.frame_count = 1;
    if (!look.field.empty()) {
        spec.style.field = look.field;
        spec.declared_range.reset();
        for (const model::Equation& equation : player.spec().model.equations) {
            if (equation.field == look.field) spec.declared_range = equation.range;
        }
    }
    if (!look.palette.empty()) spec.style.palette = look.palette;
    if (look.range) {
        spec.style.range = frame::Style::Range::fixed;
        spec.style.lo = (*look.range)[0];
        spec.style.hi = (*look.range)[1];
    }
    return spec;
}

std::vector<std::filesystem::path> save_files(Player& player, const Save& save, OfferedFiles& files, core::Context& context) {
    if (save.what == "state") return {save_state(player, files)};
    if (save.what.starts_with("model")) {
        std::vector<std::filesystem::path> saved{save_model(player, files)};
        if (save.what == "model+state") saved.push_back(save_state(player, files));
        for (std::filesystem::path& picture : dropped_pictures(player, files)) saved.push_back(std::move(picture));
        return saved;
    }
    return {save_picture(player, save, files, context)};
}

Recording::Recording(Player& player, const Record& record, OfferedFiles& files, core::Context& context)
    : path_(files.place(file_name(player, "mp4"))), fps_(record.fps), start_(core::SteadyClock::now()) {
    output::SinkSpec spec = sink_spec(player, record.look, path_);
    spec.fps = record.fps;
    spec.frame_count = 0;
    output::check_sink(spec, player.spec().domain);
    sink_ = output::create_sink(spec, player.field(), context);
}

double Recording::seconds_to_next() const { return static_cast<double>(frames_) / fps_ - core::seconds_since(start_); }

void Recording::follow(Player& player) {
    for (Index i = 0; i < kMostFramesAtOnce && seconds_to_next() <= 0; ++i, ++frames_)
        sink_->write(player.simulation().now(), player.simulation().field());
    if (seconds_to_next() <= 0) {  // the machine stood still: time that nothing was drawn in is left out
        const double behind = -seconds_to_next();
        start_ += std::chrono::duration_cast<core::SteadyClock::duration>(std::chrono::duration<double>(behind));
    }
}

std::filesystem::path Recording::finish() {
    sink_->finish();
    return path_;
}

}  // namespace mottle::live
