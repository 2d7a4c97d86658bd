// mottle/backend/cuda/grid/persistent.cpp: the launches of a persistent kernel
#include "mottle/backend/cuda/grid/persistent.h"

#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/backend/cuda/grid/passes.h"
#include "mottle/core/error.h"

#include <algorithm>
#include <utility>

namespace mottle::backend::cuda {
namespace {

/// Of a launch, so that none takes longer than the driver of a card with a screen allows.
constexpr Index kMostLaunchSteps = 1 << 13;

}  // namespace

Persistent::Persistent(const StepPlan& plan, const domain::Grid& grid, Index pitch, const PersistentCut& cut,
                       std::shared_ptr<Device> device, std::filesystem::path cache)
    : plan_(plan), program_(plan.program), grid_(grid), cut_(cut), device_(std::move(device)), cache_(std::move(cache)) {
    shape_.nx = static_cast<int>(grid.size[0]), shape_.ny = static_cast<int>(grid.size[1]);
    shape_.strips = cut.strips, shape_.chunk_rows = cut.chunk_rows;
    shape_.pitch = pitch;
}

std::size_t Persistent::bytes() const {
    if (!exists()) return 0;
    const std::size_t cells = core::at(grid_.size[0]) * core::at(grid_.size[1]);
    return 2 * cells * core::at(packets_of_cell(program_)) * kPacketBytes;
}

void Persistent::load() {
    if (text_.module) return;
    LoadedText text = cuda::load(*device_, emit_persistent(plan_, grid_, cut_.tile), cache_);
    packets_ = Memory(device_, bytes());
    lost_ = Memory(device_, sizeof(unsigned));
    text_ = std::move(text);
}

Index Persistent::advance(std::deque<MirroredArray>& arrays, const Advance& advance, std::span<const Memory> axes) {
    load();
    for (MirroredArray& array : arrays) array.send_to_steps();
    const bool timed = advance.uniforms.varies();
    if (!timed) send_numbers(advance.uniforms, 0, 1);
    for (Index done = 0; done < advance.n; done += shape_.steps) {
        shape_.steps = std::min(advance.n - done, kMostLaunchSteps);
        shape_.stride = timed ? 1 : 0;
        shape_.before = advance.first_step + done;
        if (timed) send_numbers(advance.uniforms, done, shape_.steps);
        launch(arrays, axes);
        // epochs go on, so that no packet of this launch is taken for one of the next
        shape_.epoch += static_cast<unsigned>((shape_.steps - 1) / cut_.tile.steps);
        if (waited_in_vain()) return done;
        for (MirroredArray& array : arrays) array.flip();
    }
    return advance.n;
}

void Persistent::send_numbers(const UniformTable& uniforms, Index first, Index rows) {
    fill_numbers(program_, {first, static_cast<int>(rows), false}, static_cast<int>(rows), uniforms, numbers_);
    table_.make_room(device_, numbers_.size());
    device_->upload(table_.address(), numbers_.data(), numbers_.size());
}

void Persistent::launch(std::deque<MirroredArray>& arrays, std::span<const Memory> axes) {
    const LoadedText::Kernel& kernel = text_.kernels.front();
    const LaunchParameters parameters(kernel.arguments, {.shape = {&shape_, sizeof shape_},
                                                         .array = grid_arrays(&arrays, axes),
                                                         .others = {{Argument::Kind::table, table_.address()},
                                                                    {Argument::Kind::packets, packets_.address()},
                                                                    {Argument::Kind::lost, lost_.address()}}});
    device_->launch_together(kernel.function, static_cast<unsigned>(cut_.blocks()), static_cast<unsigned>(cut_.tile.threads()),
                             parameters.all());
}

// The launch has read one copy of the states and written the other, so those before it are still there.
bool Persistent::waited_in_vain() const {
    unsigned lost = 0;
    device_->download(&lost, lost_.address(), sizeof lost);
    if (lost == 0) return false;
    const unsigned none = 0;
    device_->upload(lost_.address(), &none, sizeof none);
    return true;
}

core::DeviceError Persistent::in_vain(Index step) const {
    return core::DeviceError("blocks of the persistent kernel waited for each other in vain; the fields are those after step " +
                             std::to_string(step) + "; leave strip=0 out of --schedule (and see whether others use " +
                             device_->traits().name + "), or use --device cpu");
}

}  // namespace mottle::backend::cuda
