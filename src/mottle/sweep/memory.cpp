// mottle/sweep/memory.cpp: bytes of fields, of copies of a surface, of pictures and what encodes them
#include "mottle/sweep/memory.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/output/file_name.h"
#include "mottle/output/video.h"
#include "mottle/sweep/mosaic.h"
#include "mottle/sweep/sheet.h"

#include <algorithm>

namespace mottle::sweep {
namespace {

// Measured as the peak of the process, with FFmpeg 5.1 (x264 164) and Embree 3: docs/notes/sweeps.md.
constexpr double kVertexOfCopies = 320;  // places, faces, normals, light, and the tree of the ray caster
constexpr double kSeenPixel = 40;        // samples of a surface
constexpr double kStillPixel = 3, kSheetPixel = 5.5, kGifPixel = 13;
// frames that wait in x264, fewer where they are large; 4:4:4 takes twice as much
constexpr double kVideoPixel = 110, kLargeVideoPixel = 66;

double bytes_per_pixel(const output::SinkSpec& sink, bool surface, double pixels) {
    const output::FileName name(sink.file);
    if (name.holds(output::Contents::animation)) return kGifPixel;
    if (name.video())
        return (pixels > static_cast<double>(output::kLargeFrame) ? kLargeVideoPixel : kVideoPixel) * (sink.chroma444 ? 2 : 1);
    return surface || name.numbered() ? kStillPixel : kSheetPixel;
}

std::array<double, 2> picture_size(const output::SinkSpec& sink, const Spec& spec) {
    if (std::holds_alternative<domain::Mesh>(spec.base.domain))
        return {static_cast<double>(sink.style.pixels[0]), static_cast<double>(sink.style.pixels[1])};
    const Layout layout = Layout::of(spec.base.domain, spec.columns(), spec.rows());
    const output::FileName name(sink.file);
    const bool sheet = name.holds(output::Contents::picture) && !name.numbered();
    const double scale = sheet ? Sheet::scale_of(sink, layout) : std::max(sink.style.scale, 1);
    return {static_cast<double>(layout.size()[0]) * scale, static_cast<double>(layout.size()[1]) * scale};
}

}  // namespace

MemoryNeed memory_need(const Spec& spec, std::size_t arrays) {
    const run::Spec& base = spec.base;
    const std::size_t remembered = base.steady ? base.model.equations.size() : 0;  // one step before a test for rest
    MemoryNeed need;
    need.fields = run::bytes_of_state(base.domain, arrays + remembered, base.method.f64, base.device) * static_cast<double>(spec.size()) *
                      base.share_of_machine * (base.tolerance ? 6 : 1) +
                  run::kBytesBeside;
    const auto* mesh = std::get_if<domain::Mesh>(&base.domain);
    if (mesh && !base.outputs.empty()) {
        const std::size_t places = std::max(mesh->surface->position.size(), mesh->surface->vertex_of.size());
        need.copies = kVertexOfCopies * static_cast<double>(places) * static_cast<double>(spec.size());
    }
    double most = 0;
    for (const run::Output& output : base.outputs) {
        if (output::FileName(output.sink.file).data()) continue;
        const std::array<double, 2> size = picture_size(output.sink, spec);
        const double pixels = size[0] * size[1];
        const double bytes = pixels * (bytes_per_pixel(output.sink, mesh != nullptr, pixels) + (mesh ? kSeenPixel : 0));
        need.pictures += bytes;
        if (bytes <= most) continue;
        most = bytes;
        need.largest = "'" + output.sink.file.string() + "', " + core::number_text(size[0]) + "x" + core::number_text(size[1]) + " pixels";
    }
    return need;
}

void check_memory(const Spec& spec, std::size_t arrays, double available) {
    const MemoryNeed need = memory_need(spec, arrays);
    if (need.total() <= available) return;
    std::string parts, advice = "take fewer values";
    if (need.copies > 0) parts += ", " + core::si_text(need.copies, "B") + " for copies of the surface";
    if (need.pictures > 0) parts += ", " + core::si_text(need.pictures, "B") + " for pictures, most for " + need.largest;
    if (!parts.empty()) parts = " (" + core::si_text(need.fields, "B") + " for fields" + parts + ")";
    if (need.pictures > need.fields) advice += ", or write smaller pictures";
    const bool surface = std::holds_alternative<domain::Mesh>(spec.base.domain);
    throw core::InputError("a sweep of " + core::counted(static_cast<long long>(spec.size()), "run", "runs") + " on a " +
                           domain::describe(spec.base.domain) + " needs " + core::si_text(need.total(), "B") + " of memory" + parts + ", " +
                           core::si_text(available, "B") + " are available; " + advice + ", or a smaller " + (surface ? "mesh" : "--size"));
}

}  // namespace mottle::sweep
