// mottle/backend/cuda/grid/ensemble.h: many small planes advance in one launch, a block each
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/backend/cuda/emit/whole.h"
#include "mottle/backend/cuda/device/launch_parameters.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace mottle::backend::cuda {

/// The fields of one member, and what it is to do.
struct Member {
    std::deque<MirroredArray>* arrays = nullptr;
    const Advance* advance = nullptr;
};

/// The members of one kernel; what they have of it is compiled when they first advance.
class Ensemble {
   public:
    Ensemble(const StepPlan& plan, const domain::Grid& grid, Index pitch, std::shared_ptr<Device> device, std::filesystem::path cache);

    /// The block that holds a member; of no warps, if none does.
    const WholePlane& plane() const { return plane_; }
    /// Launches all steps of all members, each of which has some. `axes`: addresses of the tables of coordinates, by ir::Axis.
    void advance(std::span<const Member> members, std::span<const Memory> axes);

   private:
    /// The steps after the first `done` of each, at most `most` of a member.
    void launch(std::span<const Member> members, std::span<const Memory> axes, Index done, Index most);
    void send_table(std::span<const Member> members, Index done, Index most);

    const StepPlan& plan_;
    const ir::Program& program_;
    const domain::Grid& grid_;
    WholePlane plane_;
    WholeShape shape_;
    MemberLayout layout_;
    std::shared_ptr<Device> device_;
    std::filesystem::path cache_;
    LoadedText text_;
    Memory table_;
    std::vector<std::byte> bytes_, numbers_;  ///< of the launch in progress
};

}  // namespace mottle::backend::cuda
