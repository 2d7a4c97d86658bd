// mottle/backend/cuda/read_out/surface.cpp: pictures of surfaces, coloured on the device
#include "mottle/backend/cuda/read_out/surface.h"

#include "mottle/backend/cuda/read_out/emit_draw.h"
#include "mottle/backend/cuda/read_out/emit_surface.h"
#include "mottle/core/error.h"

#include <algorithm>
#include <cmath>

namespace mottle::backend::cuda {
namespace {

/// Below, subnormal differences of values, which are zero on a device, could show.
constexpr double kSmallestExtent = 0x1p-60;

}  // namespace

CudaSurfacePainter::CudaSurfacePainter(std::shared_ptr<Device> device, bool f64, const std::filesystem::path& cache,
                                       const SurfaceSight& sight, std::span<const std::int32_t> place, Cells cells)
    : device_(std::move(device)),
      cells_(std::move(cells)),
      size_(sight.size),
      text_(load(*device_, emit_surface(f64), cache)),
      slots_(device_) {
    std::vector<SurfaceSample> samples = sight.samples;
    for (SurfaceSample& sample : samples) {
        for (std::int32_t& vertex : sample.vertex) {
            if (vertex < 0) continue;
            const auto v = core::at(vertex);
            vertex = v < place.size() ? place[v] : static_cast<std::int32_t>(place.size());
        }
    }
    pixels_ = upload(device_, sight.pixels);
    samples_ = upload(device_, samples);
}

bool CudaSurfacePainter::can_draw(const Picture& picture) const {
    return FramePainter::can_draw(picture) && (mapping_of(picture).gain == 0 || picture.hi - picture.lo >= kSmallestExtent);
}

Address CudaSurfacePainter::table_of(const SurfaceColours& colours) {
    std::vector<std::uint32_t> words;
    for (const auto& linear : colours.linear) words.insert(words.end(), linear.begin(), linear.end());
    words.insert(words.end(), colours.srgb.begin(), colours.srgb.end());
    for (const int shift : colours.dither) words.push_back(static_cast<std::uint32_t>(shift));
    words.insert(words.end(), colours.nearest.begin(), colours.nearest.end());
    auto found = tables_.find(words);
    if (found == tables_.end()) {
        Memory memory = upload(device_, words);
        found = tables_.emplace(std::move(words), std::move(memory)).first;
    }
    return found->second.address();
}

std::function<void()> CudaSurfacePainter::begin(const State& state, const Picture& picture, const SurfaceColours& colours,
                                                std::span<std::uint8_t> out) {
    const std::size_t bytes = picture_bytes(picture.format, size_);
    if (out.size() < bytes) throw core::InternalError("a picture of " + std::to_string(bytes) + " bytes got " + std::to_string(out.size()));
    if (bytes == 0) return {};
    const DeviceCells cells = cells_(state, picture.array);
    const Mapping mapping = mapping_of(picture);
    const int side = picture.format == Picture::Format::yuv420 ? 2 : 1;
    SurfaceShape shape{};
    shape.width = size_[0], shape.height = size_[1];
    shape.tiles = (size_[0] / side + kDrawThreads - 1) / kDrawThreads;
    shape.vertices = static_cast<int>(cells.length), shape.stride = cells.stride;
    shape.lo = mapping.lo, shape.gain = mapping.gain;
    shape.cyberpunk = picture.curve == Picture::Curve::cyberpunk ? 1 : 0;
    shape.transparent = colours.transparent ? 1 : 0;
    const auto& empty = colours.empty;
    shape.empty =
        std::uint32_t{empty[0]} | std::uint32_t{empty[1]} << 8 | std::uint32_t{empty[2]} << 16 | (colours.transparent ? 0u : 0xFF000000u);
    std::copy(colours.background.begin(), colours.background.end(), shape.background);
    FrameSlot& slot = slots_.take(bytes);
    const auto blocks = static_cast<unsigned>(shape.tiles) * static_cast<unsigned>(size_[1] / side);
    device_->launch(text_.kernels[static_cast<std::size_t>(picture.format)].function, blocks, kDrawThreads,
                    parameters_of(shape, cells.first, pixels_.address(), samples_.address(), table_of(colours), slot.picture.address()));
    return slots_.send(slot, out.first(bytes));
}

}  // namespace mottle::backend::cuda
