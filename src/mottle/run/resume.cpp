// mottle/run/resume.cpp: the files that a run finds which goes on
#include "mottle/run/resume.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/output/file_name.h"
#include "mottle/run/watch/range_watch.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace mottle::run {
namespace {

/// For one file that holds all frames: adds it to `kept` if its frames from before the state stay.
void keep_frames(const Output& output, const Spec& spec, const Standing& standing, const std::string& style, FramesOfFiles& kept,
                 core::Observer& observer) {
    std::error_code ignored;
    const std::string name = "'" + output.sink.file.string() + "'";
    const bool exists = std::filesystem::exists(output::FileName(output.sink.file).at(1), ignored);
    const auto known = standing.frames.find(frames_key(output));
    if (known != standing.frames.end() && known->second == 0) return;  // no frame was due: a file that is there is younger than the state
    if (known != standing.frames.end()) {
        const auto shown = standing.shown.find(frames_key(output));
        std::string obstacle;
        if (!exists)
            obstacle = " is missing, whose " + core::grouped(known->second) + " frames were drawn before step " +
                       core::grouped(standing.step) + "; put it back, give another file name, or --force";
        else if (shown != standing.shown.end() && !style.empty() && shown->second.style != style)
            obstacle = " shows " + shown->second.style + ", and this run " + style + "; give the same ones, another file name, or --force";
        if (obstacle.empty())
            kept.insert(*known);
        else if (!spec.force)
            throw core::InputError(name + obstacle);
    } else if (exists && !spec.force) {
        throw core::InputError(name + " exists, and the run that saved the state did not write it: resuming would replace it by " +
                               "the frames after step " + core::grouped(standing.step) + "; give another file name, or --force");
    }
    if (!kept.contains(frames_key(output))) observer.notice(name + " contains only the frames after step " + core::grouped(standing.step));
}

}  // namespace

KeptFrames frames_to_keep(const Spec& spec, const Standing& standing, const field::Field& field, core::Observer& observer) {
    KeptFrames kept{.forced = spec.force};
    for (const Output& output : spec.outputs) {
        if (output.make) continue;
        const std::string style = shown_style(output, field);
        const auto known = standing.frames.find(frames_key(output));
        if (output::holds_all_frames(output::FileName(output.sink.file), spec.domain))
            keep_frames(output, spec, standing, style, kept.frames, observer);
        else if (known != standing.frames.end() && !output.times.last_only)
            kept.frames.insert(*known);  // of numbered files
        const auto shown = standing.shown.find(frames_key(output));
        if (shown != standing.shown.end() && shown->second.style == style && shown->second.range)
            kept.ranges.emplace(frames_key(output), *shown->second.range);
    }
    return kept;
}

void remove_orphans(const Spec& spec, core::Observer& observer) {
    struct Ours {
        std::set<std::string, std::less<>> files;
        std::vector<output::FileName> several;  // whose files have numbers
    };
    std::map<std::filesystem::path, Ours> folders;  // each is read once, however many outputs it has
    for (const Output& output : spec.outputs) {
        if (output.make) continue;
        const output::FileName name(output.sink.file);
        const std::filesystem::path first = name.at(1);
        Ours& ours = folders[first.parent_path()];
        ours.files.insert(first.filename().string());
        if (name.numbered() || name.holds(output::Contents::index)) ours.several.push_back(name);
    }
    if (!spec.checkpoint.empty()) folders[spec.checkpoint.parent_path()].files.insert(spec.checkpoint.filename().string());
    std::vector<std::filesystem::path> removed;
    for (const auto& folder : folders) {
        const Ours& ours = folder.second;
        const auto is_ours = [&ours](std::string_view file) {
            core::cancellation_point();
            const auto may_be = [file](const output::FileName& name) { return name.may_be_called(file); };
            return ours.files.contains(file) || std::any_of(ours.several.begin(), ours.several.end(), may_be);
        };
        for (std::filesystem::path& file : core::remove_orphans(folder.first, is_ours)) removed.push_back(std::move(file));
    }
    if (removed.empty()) return;
    std::string names = "'" + removed.front().string() + "'";
    if (removed.size() > 1) names += " and " + std::to_string(removed.size() - 1) + " more";
    observer.notice("removed " + names + ", left unfinished by a killed run");
}

}  // namespace mottle::run
