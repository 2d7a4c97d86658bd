// mottle/backend/cuda/read_out/frames.cpp: pictures drawn on the device, and their way to the host
#include "mottle/backend/cuda/read_out/frames.h"

#include "mottle/backend/cuda/read_out/emit_draw.h"
#include "mottle/core/error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace mottle::backend::cuda {

using core::Index;

// ---- slots

FrameSlot::FrameSlot(std::shared_ptr<Device> on, std::size_t size)
    : device(std::move(on)), picture(device, size), pinned(device->allocate_pinned(size)) {}

FrameSlot::~FrameSlot() { device->release_pinned(pinned); }

FrameSlot& FrameSlots::take(std::size_t bytes) {
    for (const auto& slot : slots_) {
        if (slot->picture.bytes() >= bytes && !slot->held.load(std::memory_order_acquire)) return *slot;
    }
    return *slots_.emplace_back(std::make_shared<FrameSlot>(device_, bytes));
}

std::function<void()> FrameSlots::send(FrameSlot& slot, std::span<std::uint8_t> out) {
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const auto& each) { return each.get() == &slot; });
    /// Owned by the returned function; its destructor frees the slot, even if the function was never called.
    struct Way {
        Way(std::shared_ptr<FrameSlot> from, std::unique_ptr<Transfer> by) : slot(std::move(from)), transfer(std::move(by)) {
            slot->held.store(true, std::memory_order_release);
        }
        Way(const Way&) = delete;
        Way& operator=(const Way&) = delete;
        std::shared_ptr<FrameSlot> slot;
        std::unique_ptr<Transfer> transfer;
        ~Way() {
            try {
                transfer->wait();
            } catch (const core::DeviceError&) {
                // The error is reported by the wait for the picture, or by the next launch.
            }
            slot->held.store(false, std::memory_order_release);
        }
    };
    auto way = std::make_shared<Way>(*found, device_->begin_download(slot.pinned, slot.picture.address(), out.size()));
    return [way = std::move(way), out]() mutable {
        way->transfer->wait();
        std::memcpy(out.data(), way->slot->pinned, out.size());
        way.reset();
    };
}

// ---- colours

FramePainter::FramePainter(std::shared_ptr<Device> device, bool f64, std::filesystem::path cache)
    : device_(std::move(device)), f64_(f64), cache_(std::move(cache)), slots_(device_) {}

bool FramePainter::can_draw(const Picture& picture) {
    return picture.cells == 1 && std::fpclassify(mapping_of(picture).lo) != FP_SUBNORMAL;
}

void FramePainter::launch(const Picture& picture, const domain::Grid& grid, Address cells, Index pitch, Address out) {
    if (!text_.module) text_ = load(*device_, emit_draw(f64_), cache_);
    const PixelTable table = pixel_table(picture);
    auto entries = tables_.find(table);
    if (entries == tables_.end()) entries = tables_.emplace(table, upload(device_, table)).first;
    const std::array<int, 2> size = picture_size(picture, grid);
    const Mapping mapping = mapping_of(picture);
    const int side = picture.format == Picture::Format::yuv420 ? 2 : 1, threads = size[0] / side;
    DrawShape shape{};
    shape.width = size[0], shape.height = size[1], shape.scale = picture.scale;
    shape.tiles = (threads + kDrawThreads - 1) / kDrawThreads;
    shape.first = grid.size[2] / 2 * grid.size[1] * pitch, shape.pitch = pitch;
    shape.lo = mapping.lo, shape.gain = mapping.gain;
    shape.cyberpunk = picture.curve == Picture::Curve::cyberpunk ? 1 : 0;
    const Index blocks = Index{shape.tiles} * (size[1] / side);
    if (blocks == 0) return;
    if (blocks > std::numeric_limits<int>::max()) {
        throw core::InputError("a picture of " + std::to_string(size[0]) + "x" + std::to_string(size[1]) +
                               " pixels is more than the CUDA backend draws; set fewer pixels per cell, or use --device cpu");
    }
    const auto format = static_cast<std::size_t>(picture.format);  // in the order of the kernels
    device_->launch(text_.kernels[format].function, static_cast<unsigned>(blocks), kDrawThreads,
                    parameters_of(shape, cells, entries->second.address(), out));
}

std::function<void()> FramePainter::begin(const Picture& picture, const domain::Grid& grid, Address cells, Index pitch,
                                          std::span<std::uint8_t> out) {
    const std::size_t bytes = picture_bytes(picture, grid);
    if (out.size() < bytes) {
        throw core::InternalError("begin_draw: " + std::to_string(out.size()) + " bytes for a picture of " + std::to_string(bytes));
    }
    if (bytes == 0) return {};
    FrameSlot& slot = slots_.take(bytes);
    launch(picture, grid, cells, pitch, slot.picture.address());
    return slots_.send(slot, out.first(bytes));
}

}  // namespace mottle::backend::cuda
