// mottle/run/checkpoint.h: saves the state of a run in a file, from which it resumes with the same bits
#pragma once
#include "mottle/field/contents.h"
#include "mottle/run/settings/spec.h"
#include "mottle/stepper/adaptive_progress.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::run {

/// The identity of the run that saved a state: all but `parameters` and `seed` must be the same in a run that resumes from it.
struct Identity {
    std::string program;                   ///< a hash of the program and of the numbers that the domain puts into it
    std::string domain, scale, precision;  ///< the size of the grid or the name of the mesh; its scale, "" on a grid; f32 or f64
    std::string spacing;                   ///< of a grid, as --spacing takes it
    std::string dt, stages;                ///< stages: of a step, where the method takes any number of them; else ""
    std::string seed;                      ///< of white(); "" without noise. May differ, too
    std::vector<field::Content> contents;  ///< of the files it has read
    std::vector<std::pair<std::string, std::string>>
        parameters{};           ///< numbers, exactly; expressions of maps, with the seed if they draw numbers
    bool by_tolerance = false;  ///< dt is then that of the moments
};
/// Throws: InputError (a picture cannot be read).
Identity identify(const ir::Program& program, const Spec& spec, double dt);

/// The number of frames of outputs that have any, by frames_key: in a file that holds all of them, or as numbered files.
using FramesOfFiles = std::map<std::string, Index>;
/// The full path of the file or, of numbered ones, of their pattern. In a saved state paths are relative to its folder.
std::string frames_key(const Output& output);

/// What the outputs of a run that goes on have from before: the frames in files that keep them, and the ranges of pictures, both by frames_key.
struct KeptFrames {
    FramesOfFiles frames{};
    std::map<std::string, std::array<double, 2>> ranges{};
    bool forced = false;  ///< files that cannot keep them are made anew, with a notice
};

/// What the pictures of an output look like (frame::style_text), and the range of the first of them where that is the range of all.
struct Shown {
    std::string style;
    std::optional<std::array<double, 2>> range{};
};

/// How a run of --until has ended.
struct Rest {
    double tolerance = 0;
    bool newton = false, uniform = false;
};

/// The progress of the run at a saved state.
struct Standing {
    Index step = 0;
    double origin = 0;            ///< the time of step 0, by the present dt: another one than 0 where dt has been changed
    std::vector<double> until{};  ///< SteadyTest::progress, or nothing
    std::optional<Rest> rest{};   ///< the state is the end of a run that came to rest
    bool changed = false;         ///< the run that reads it has other parameters
    FramesOfFiles frames{};
    std::map<std::string, Shown> shown{};                 ///< of the outputs that are pictures of frames, by frames_key
    std::optional<stepper::AdaptiveProgress> accuracy{};  ///< of steps by a tolerance: then the fields are those of Adaptive::kept()
};

/// Layout: the line "mottle state 1", a TOML table of identity, step and time, the line "---", the fields row by row as little-endian numbers of the run's
/// precision, and a hash of all before it (32 hexadecimal digits). Throws: OutputError; what stood in `file` before is replaced only by a whole state.
/// `standing.step` is the step at which `field` stands, `time` its time. `companion`: fields that follow those of `field`.
void save_checkpoint(const std::filesystem::path& file, const field::Field& field, const Identity& identity, const Standing& standing,
                     double time, const field::Field* companion = nullptr);

/// The dt of the run that wrote the state; nothing where there is none to read.
std::optional<double> dt_of_checkpoint(const std::filesystem::path& file);

/// Whether the file begins as a state does.
bool is_checkpoint(const std::filesystem::path& file);

/// Throws: InputError unless the file that keeps the state of `spec` is new or a state, and no output.
void require_own_file(const Spec& spec);

/// Puts the fields back, and those of `companion`, if the state has been kept with one. Parameters that have changed since are told to the observer of `context`.
/// Throws: InputError (missing, damaged, of another model, domain, precision or dt; a picture or mesh has changed).
Standing load_checkpoint(const std::filesystem::path& file, field::Field& field, const Identity& identity, core::Context& context,
                         field::Field* companion = nullptr);

/// What load_checkpoint would refuse, without a field. Throws: InputError.
Standing check_checkpoint(const std::filesystem::path& file, const Identity& identity);

/// Whether the run of `spec` is at rest where the state stands.
bool rests(const Standing& standing, const Spec& spec);

/// Whether the run of `spec`, of `steps` steps, ends where the state stands: at its last step, or at rest by its tolerance; then `notice` says so.
/// Throws: InputError if it ends before.
bool is_finished(const std::filesystem::path& file, const Standing& standing, const Spec& spec, core::Index steps, std::string& notice);

}  // namespace mottle::run
