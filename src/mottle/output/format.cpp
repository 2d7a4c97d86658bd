// mottle/output/format.cpp: the table of formats
#include "mottle/output/format.h"

#include "mottle/core/error.h"
#include "mottle/output/data_sink.h"
#include "mottle/output/grid_data.h"
#include "mottle/output/images.h"
#include "mottle/output/npy.h"
#include "mottle/output/surface_data.h"
#include "mottle/output/table.h"
#include "mottle/output/video_sink.h"

#include <algorithm>
#include <array>

namespace mottle::output {
namespace {

using Made = std::unique_ptr<Sink>;

template <class Kind>
Made make(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context) {
    return std::make_unique<Kind>(name, spec, field, context);
}

Made picture_of_grid(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context) {
    if (name.numbered()) return make<NumberedPictures>(name, spec, field, context);
    if (frame::is_line(field.kernel().domain())) return make<SpaceTimePicture>(name, spec, field, context);
    return make<LastPicture>(name, spec, field, context);
}

Made picture_of_surface(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context) {
    return name.numbered() ? make<NumberedPictures>(name, spec, field, context) : make<LastPicture>(name, spec, field, context);
}

Made values(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context&) {
    return std::make_unique<States>(name, spec.frames_before, field);
}

Made statistics(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context&) {
    return std::make_unique<Table>(name, spec, field);
}

Made geometry_of_grid(const FileName& name, const SinkSpec& spec, const field::Field&, core::Context&) {
    return std::make_unique<DataSink>(
        name, ".vti", spec, [](core::Moment at, field::Field& state, core::AtomicFile& file) { write_vti(state, at.time, file); });
}

using WriteSurface = void (*)(const field::Field& field, frame::Painter& painter, double time, core::AtomicFile& file);

template <std::string (*encode)(const SurfaceData&)>
void write_encoded(const field::Field& field, frame::Painter& painter, double time, core::AtomicFile& file) {
    const std::string bytes = encode(surface_data(field, painter, time));
    file.write(std::as_bytes(std::span(bytes)));
}

template <WriteSurface write>
Made geometry_of_surface(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context&) {
    const auto painter = std::make_shared<frame::Painter>(spec.style, field, spec.declared_range);
    return std::make_unique<DataSink>(name, ".vtu", spec, [painter](core::Moment at, field::Field& state, core::AtomicFile& file) {
        write(state, *painter, at.time, file);
    });
}

Made glb(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context) {
    const domain::Surface& surface = *std::get<domain::Mesh>(field.kernel().domain()).surface;
    if (const std::string complaint = complaint_about_glb(surface.vertex_of.size(), surface.faces.size()); !complaint.empty())
        throw core::InputError(spec.file.string() + ": " + complaint);
    return geometry_of_surface<write_encoded<encode_glb>>(name, spec, field, context);
}

constexpr const char* kOneVideo = "all frames of a video go into one file";
constexpr const char* kPictures = "name-%05d.png";

constexpr std::array kFormats = {
    Format{".mp4", Contents::video, make<VideoSink>, make<VideoSink>, kOneVideo, kPictures},
    Format{".gif", Contents::animation, make<VideoSink>, make<VideoSink>, kOneVideo, kPictures},
    Format{".png", Contents::picture, picture_of_grid, picture_of_surface},
    Format{".npy", Contents::values, values, values},
    Format{".csv", Contents::statistics, statistics, statistics, "one table has a line for each of them"},
    Format{".pvd", Contents::index, geometry_of_grid, geometry_of_surface<write_vtu>, "one .pvd names all of them",
           "name-%05d.vtu (of a grid name-%05d.vti)"},
    Format{".vti", Contents::geometry, geometry_of_grid, nullptr},
    Format{".ply", Contents::geometry, nullptr, geometry_of_surface<write_encoded<encode_ply>>},
    Format{".vtp", Contents::geometry, nullptr, geometry_of_surface<write_vtp>},
    Format{".vtu", Contents::geometry, nullptr, geometry_of_surface<write_vtu>},
    Format{".glb", Contents::geometry, nullptr, glb},
};

constexpr bool has_row(Contents contents) {
    return std::any_of(kFormats.begin(), kFormats.end(), [&](const Format& format) { return format.contents == contents; });
}

/// Contents without a row do not compile: the switch names all of them.
constexpr bool all_have_rows() {
    for (int number = 0;; ++number) {
        switch (const auto contents = static_cast<Contents>(number)) {
            case Contents::video:
            case Contents::animation:
            case Contents::picture:
            case Contents::values:
            case Contents::statistics:
            case Contents::geometry:
            case Contents::index:
                if (!has_row(contents)) return false;
                continue;
        }
        return true;  // behind the last
    }
}
static_assert(all_have_rows());

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view extension) {
    const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) { return format.extension == extension; });
    return found == kFormats.end() ? nullptr : &*found;
}

std::string known_formats() {
    std::string both, grids, surfaces;
    for (const Format& format : kFormats) {
        std::string& list = !format.on_surfaces ? grids : !format.on_grids ? surfaces : both;
        list.append(list.empty() ? "" : ", ").append(format.extension);
    }
    return both + ", of grids " + grids + ", of surfaces " + surfaces +
           ", and one file per frame: name-%05d.png, name-%05d.npy, name-%05d.vtu";
}

}  // namespace mottle::output
