// mottle/backend/cuda/read_out/frames.h: pictures drawn on the device, and their way to the host beside the steps that follow
#pragma once
#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/backend/draw.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace mottle::backend::cuda {

/// Memory for a picture on the device and for its bytes on the host. It is in use until the picture has been handed over, or is no longer wanted.
struct FrameSlot {
    FrameSlot(std::shared_ptr<Device> device, std::size_t size);
    ~FrameSlot();
    FrameSlot(const FrameSlot&) = delete;
    FrameSlot& operator=(const FrameSlot&) = delete;

    std::shared_ptr<Device> device;
    Memory picture;
    std::byte* pinned;
    std::atomic<bool> held = false;
};

/// Slots, created on demand: as many as there are pictures in transit at a time.
class FrameSlots {
   public:
    explicit FrameSlots(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    /// A free slot of at least `bytes`.
    FrameSlot& take(std::size_t bytes);
    /// Starts the copy to the host of the picture that earlier launches draw into `slot`. The returned function waits for it, copies its first bytes into `out`
    /// and frees the slot.
    std::function<void()> send(FrameSlot& slot, std::span<std::uint8_t> out);

   private:
    std::shared_ptr<Device> device_;
    std::vector<std::shared_ptr<FrameSlot>> slots_;
};

/// Colours planes of cells that lie on the device.
class FramePainter {
   public:
    FramePainter(std::shared_ptr<Device> device, bool f64, std::filesystem::path cache);

    /// Whether the device makes the same bytes as the host. It does unless the range begins at a subnormal number.
    static bool can_draw(const Picture& picture);
    /// Launches the kernel that draws the plane of `grid` shown in pictures into `out`. `cells` are those of the whole grid, with rows `pitch` cells apart.
    void launch(const Picture& picture, const domain::Grid& grid, Address cells, core::Index pitch, Address out);
    /// The same into a slot, and starts the copy to `out`; see Kernel::begin_draw.
    std::function<void()> begin(const Picture& picture, const domain::Grid& grid, Address cells, core::Index pitch,
                                std::span<std::uint8_t> out);

   private:
    std::shared_ptr<Device> device_;
    bool f64_;
    std::filesystem::path cache_;
    LoadedText text_;                      ///< loaded when it is first asked for
    std::map<PixelTable, Memory> tables_;  ///< a picture has few palettes
    FrameSlots slots_;
};

}  // namespace mottle::backend::cuda
