// mottle/backend/cuda/grid/persistent.h: the launches of a persistent kernel: packets, numbers, epochs, and what happens when blocks wait in vain
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/backend/cuda/emit/persistent.h"
#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/core/error.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace mottle::backend::cuda {

/// The persistent kernel of a Program on a plane; its states share the memory of packets, since launches come one after another.
class Persistent {
   public:
    /// `cut` of no warps: there is none.
    Persistent(const StepPlan& plan, const domain::Grid& grid, Index pitch, const PersistentCut& cut, std::shared_ptr<Device> device,
               std::filesystem::path cache);

    bool exists() const { return cut_.tile.warps > 0; }
    const PersistentTile& tile() const { return cut_.tile; }
    /// Bytes on the device beside the states.
    std::size_t bytes() const;
    /// Compiles and loads the text, and takes the memory.
    void load();
    /// Makes the steps of one state, and waits. `axes`: addresses of the tables of coordinates, by ir::Axis. Returns the number of steps made: fewer than
    /// asked for, if blocks of a launch waited for each other in vain; the fields are then those before this launch.
    /// Throws: DeviceError, if the device has no room for all blocks at once.
    Index advance(std::deque<MirroredArray>& arrays, const Advance& advance, std::span<const Memory> axes);
    /// The error of a run that asks for this kernel, and whose blocks waited in vain; the fields are at `step`.
    core::DeviceError in_vain(Index step) const;

   private:
    void send_numbers(const UniformTable& uniforms, Index first, Index rows);
    void launch(std::deque<MirroredArray>& arrays, std::span<const Memory> axes);
    bool waited_in_vain() const;

    const StepPlan& plan_;
    const ir::Program& program_;
    const domain::Grid& grid_;
    PersistentCut cut_;
    PersistentShape shape_{};
    std::shared_ptr<Device> device_;
    std::filesystem::path cache_;
    LoadedText text_;
    Memory packets_, lost_, table_;
    std::vector<std::byte> numbers_;  ///< of the launch in progress
};

}  // namespace mottle::backend::cuda
