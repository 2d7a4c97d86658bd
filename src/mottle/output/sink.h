// mottle/output/sink.h: sinks take frames and write files; one class per kind of file
#pragma once
#include "mottle/core/context.h"
#include "mottle/frame/frame.h"
#include "mottle/frame/lit_surface.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mottle::output {

class FileName;

/// What encodes .mp4; `automatic`: the card where it computes, if it can, else x264.
enum class Encoder { automatic, x264, nvenc };

struct SinkSpec {
    std::filesystem::path file;
    frame::Style style;
    double fps = 60;
    bool chroma444 = false;
    Encoder encoder = Encoder::automatic;
    bool on_card = false;  ///< the run computes on an NVIDIA card
    std::optional<std::array<double, 2>> declared_range;
    core::Index frames_before = 0;  ///< frames that an earlier part of the run has drawn; numbering continues from there
    /// Of a file that holds all frames: it is there, and its first `frames_kept` frames stay before those that come; 0: it is made anew.
    core::Index frames_kept = 0;
    core::Index frame_count = 0;                 ///< frames that will come (for messages and turns); 0: unknown
    std::shared_ptr<frame::SurfaceLight> light;  ///< shared by the outputs of a run; none: each has its own
};

/// Takes frames in order. A sink may own one thread; an error there is thrown by the next call here.
class Sink {
   public:
    virtual ~Sink() = default;
    virtual void write(core::Moment at, field::Field& field) = 0;
    /// The state in which a run ends, also where it ends early; after the last write and before finish, unless the run failed or diverged.
    virtual void end(core::Moment /*at*/, field::Field& /*field*/) {}
    /// For a file that holds all frames: updates it, so that a run that resumes from the state saved now finds them, also after a power failure.
    virtual void publish() {}
    /// Closes and renames the file. Also called when the run was stopped or diverged: what was written so far stays usable.
    /// A second call does nothing. Without it, a sink that is destroyed leaves no file (of a numbered sequence: those complete).
    virtual void finish() = 0;
    /// What was written, for the summary: full paths; of a numbered sequence the first and the last. Valid after finish().
    virtual std::vector<std::filesystem::path> files() const = 0;
    /// Wall seconds spent encoding, in the sink's own thread or here.
    virtual double seconds() const { return 0; }
    /// Wall seconds of write() and finish() that were not spent drawing: waiting for the sink's own thread, encoding and writing here.
    virtual double waited() const { return 0; }
    /// Busy threads of its own, for core::ThreadTeam::set_other_threads.
    virtual int threads() const { return 0; }
};

/// Makes a sink of one's own when a run begins. `spec` has the number of frames, and no file.
using SinkMaker = std::function<std::unique_ptr<Sink>(const SinkSpec& spec, const field::Field& field, core::Context& context)>;

/// By extension: .mp4 .gif .png (last frame; of a row of cells all frames, one below the other) name-%05d.png .npy (last state) name-%05d.npy .csv (statistics of all frames); of surfaces also .ply .vtp .vtu .glb,
/// of grids .vti (last state, or numbered); .pvd (all frames as name-00001.vtu or .vti, and their index). Numbers count frames from 1.
/// Throws: InputError (as check_sink; unknown field, a picture too large for its format), DeviceError (missing module), OutputError.
std::unique_ptr<Sink> create_sink(const SinkSpec& spec, const field::Field& field, core::Context& context);
/// Whether one file holds all frames of a run on `domain`: a video, an index, a table, the picture of a row of cells.
bool holds_all_frames(const FileName& name, const domain::Domain& domain);
/// Throws the InputErrors of create_sink that need no field, for checks before anything is compiled: unknown extension (lists the known ones), a wrong
/// number pattern, missing folder, frame rate, style.
void check_sink(const SinkSpec& spec);
/// What is wrong with that many frames per second, or "".
std::string complaint_about_fps(double fps);
/// Whether a check looks if files can be written where they are to lie.
enum class LooksAtFolder { no, yes };
/// Also refuses files of surfaces for a grid, and the other way round.
void check_sink(const SinkSpec& spec, const domain::Domain& domain, LooksAtFolder looks = LooksAtFolder::yes);

}  // namespace mottle::output
