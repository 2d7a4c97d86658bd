// mottle/output/sink.cpp: the sink that an output's name asks for
#include "mottle/output/sink.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/frame/canvas.h"
#include "mottle/output/file_name.h"

namespace mottle::output {
namespace {

FileName checked_name(const SinkSpec& spec, LooksAtFolder looks) {
    FileName name(spec.file);
    if (looks == LooksAtFolder::yes) core::check_writable(name.at(1));
    if (const std::string complaint = complaint_about_fps(spec.fps); !complaint.empty()) throw core::InputError(complaint);
    frame::check(spec.style);
    if (name.video() && !spec.style.background) {
        throw core::InputError("'" + spec.file.string() + "' cannot be transparent; give it a background colour, or write .png files");
    }
    return name;
}

}  // namespace

// Time stamps are counted in multiples of 1/fps, held as a fraction of 32-bit numbers.
std::string complaint_about_fps(double fps) {
    constexpr double kSlowest = 0.001, kFastest = 1000;
    if (fps >= kSlowest && fps <= kFastest) return "";
    return "fps must lie between " + core::number_text(kSlowest) + " and " + core::number_text(kFastest) + ", it is " +
           core::number_text(fps);
}

void check_sink(const SinkSpec& spec) { checked_name(spec, LooksAtFolder::yes); }

void check_sink(const SinkSpec& spec, const domain::Domain& domain, LooksAtFolder looks) {
    const FileName name = checked_name(spec, looks);
    const bool surface = std::holds_alternative<domain::Mesh>(domain);
    if (surface ? name.format().on_surfaces : name.format().on_grids) return;
    throw core::InputError("'" + spec.file.string() + "' holds a " + (surface ? "grid" : "surface") + ", but this run is on a " +
                           domain::describe(domain) + (surface ? "; write .vtu" : "; write .vti or .npy for its values, or give a mesh"));
}

bool holds_all_frames(const FileName& name, const domain::Domain& domain) {
    return !name.format().why_one_file.empty() || (name.holds(Contents::picture) && !name.numbered() && frame::is_line(domain));
}

std::unique_ptr<Sink> create_sink(const SinkSpec& spec, const field::Field& field, core::Context& context) {
    check_sink(spec, field.kernel().domain());
    const FileName name(spec.file);
    const bool surface = std::holds_alternative<domain::Mesh>(field.kernel().domain());
    return (surface ? name.format().on_surfaces : name.format().on_grids)(name, spec, field, context);
}

}  // namespace mottle::output
