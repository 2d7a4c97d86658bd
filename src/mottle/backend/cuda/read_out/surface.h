// mottle/backend/cuda/read_out/surface.h: pictures of surfaces, coloured on the device from what a camera sees, which is sent there once
#pragma once
#include "mottle/backend/cuda/read_out/frames.h"
#include "mottle/backend/cuda/read_out/statistics.h"
#include "mottle/backend/surface_picture.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <map>
#include <vector>

namespace mottle::backend::cuda {

class CudaSurfacePainter final : public SurfacePainter {
   public:
    using Cells = std::function<DeviceCells(const State& state, ir::Array array)>;

    /// `place`: of each vertex on the device; vertices beyond have no value. `cells`: an array of a state as it is there.
    CudaSurfacePainter(std::shared_ptr<Device> device, bool f64, const std::filesystem::path& cache, const SurfaceSight& sight,
                       std::span<const std::int32_t> place, Cells cells);

    bool can_draw(const Picture& picture) const override;
    std::function<void()> begin(const State& state, const Picture& picture, const SurfaceColours& colours,
                                std::span<std::uint8_t> out) override;

   private:
    Address table_of(const SurfaceColours& colours);

    std::shared_ptr<Device> device_;
    Cells cells_;
    std::array<int, 2> size_;
    LoadedText text_;
    Memory pixels_, samples_;
    std::map<std::vector<std::uint32_t>, Memory> tables_;  ///< a picture has few palettes
    FrameSlots slots_;
};

}  // namespace mottle::backend::cuda
