// mottle/output/sink.cpp: the sink that an output's name asks for
#include "mottle/output/sink.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/output/data_sink.h"
#include "mottle/output/images.h"
#include "mottle/output/npy.h"
#include "mottle/output/table.h"
#include "mottle/output/video_sink.h"

namespace mottle::output {
namespace {

/// Time stamps are counted in multiples of 1/fps, held as a fraction of 32-bit numbers.
constexpr double kSlowest = 0.001, kFastest = 1000;

FileName checked_name(const SinkSpec& spec) {
    FileName name(spec.file);
    core::check_writable(name.at(1));
    if (!(spec.fps >= kSlowest && spec.fps <= kFastest)) {
        throw core::InputError(core::number_text(spec.fps) + " frames per second are not possible; use " + core::number_text(kSlowest) +
                               " to " + core::number_text(kFastest));
    }
    frame::check(spec.style);
    if (name.video() && !spec.style.background) {
        throw core::InputError("'" + spec.file.string() + "' cannot be transparent; give it a background colour, or write .png files");
    }
    return name;
}

}  // namespace

void check_sink(const SinkSpec& spec) { checked_name(spec); }

void check_sink(const SinkSpec& spec, const domain::Domain& domain) {
    const FileName name = checked_name(spec);
    if (!name.data() || name.kind() == FileName::Kind::pvd) return;
    const bool surface = std::holds_alternative<domain::Mesh>(domain);
    if (surface == (name.kind() != FileName::Kind::vti)) return;
    throw core::InputError("'" + spec.file.string() + "' holds a " + (surface ? "grid" : "surface") + ", and this run is on a " +
                           domain::describe(domain) + (surface ? "; write .vtu" : "; write .vti or .npy for its values, or give a mesh"));
}

bool holds_all_frames(const FileName& name, const domain::Domain& domain) {
    return name.video() || name.series() || name.kind() == FileName::Kind::csv ||
           (name.kind() == FileName::Kind::png && !name.numbered() && frame::is_line(domain));
}

std::unique_ptr<Sink> create_sink(const SinkSpec& spec, const field::Field& field, core::Context& context) {
    check_sink(spec, field.kernel().domain());
    const FileName name(spec.file);
    if (name.data())
        return std::holds_alternative<domain::Mesh>(field.kernel().domain()) ? make_surface_sink(name, spec, field)
                                                                             : make_grid_sink(name, spec);
    switch (name.kind()) {
        case FileName::Kind::png:
            if (name.numbered()) return std::make_unique<NumberedPictures>(name, spec, field, context);
            if (frame::is_line(field.kernel().domain())) return std::make_unique<SpaceTimePicture>(name, spec, field, context);
            return std::make_unique<LastPicture>(name, spec, field, context);
        case FileName::Kind::npy:
            return std::make_unique<States>(name, spec.frames_before, field);
        case FileName::Kind::csv:
            return std::make_unique<Table>(name);
        default:
            return std::make_unique<VideoSink>(name, spec, field, context);
    }
}

}  // namespace mottle::output
