// mottle/backend/cuda/grid/ensemble.cpp: many small planes advance in one launch, a block each
#include "mottle/backend/cuda/grid/ensemble.h"

#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/backend/cuda/grid/passes.h"
#include "mottle/core/error.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mottle::backend::cuda {
namespace {

/// Bytes: where uniforms depend on t, a launch takes a row of them for each step of each member.
constexpr std::size_t kNumbersOfLaunch = 1 << 20;

}  // namespace

Ensemble::Ensemble(const StepPlan& plan, const domain::Grid& grid, Index pitch, std::shared_ptr<Device> device, std::filesystem::path cache)
    : plan_(plan),
      program_(plan.program),
      grid_(grid),
      plane_(whole_plane(plan, grid)),
      shape_{static_cast<int>(grid.size[0]), static_cast<int>(grid.size[1]), pitch},
      layout_(plane_.warps > 0 ? member_layout(plan) : MemberLayout{}),
      device_(std::move(device)),
      cache_(std::move(cache)) {}

void Ensemble::advance(std::span<const Member> members, std::span<const Memory> axes) {
    if (!text_.module) text_ = load(*device_, emit_whole(plan_, grid_, plane_), cache_);
    Index longest = 0, timed = 0;
    for (const Member& member : members) {
        for (MirroredArray& array : *member.arrays) array.send_to_steps();
        longest = std::max(longest, member.advance->n);
        timed += member.advance->uniforms.varies() ? 1 : 0;
    }
    fill_numbers(program_, {0, 1, false}, 1, members[0].advance->uniforms, numbers_);
    const Index rows = static_cast<Index>(kNumbersOfLaunch / numbers_.size()),
                most = timed > 0 ? std::max<Index>(1, rows / timed) : longest;
    for (Index done = 0; done < longest; done += most) launch(members, axes, done, most);
}

// The table of members, and behind it their numbers.
void Ensemble::send_table(std::span<const Member> members, Index done, Index most) {
    using Word = std::uint64_t;
    std::vector<Word> words;
    const std::size_t table = members.size() * layout_.words() * sizeof(Word);
    bytes_.assign(table, std::byte{});
    for (const Member& member : members) {
        const Advance& advance = *member.advance;
        const Index steps = std::clamp<Index>(advance.n - done, 0, most);
        const bool timed = advance.uniforms.varies();
        words.insert(words.end(),
                     {bytes_.size(), timed ? Word{1} : 0, static_cast<Word>(steps), static_cast<Word>(advance.first_step + done)});
        for (const ir::Array array : layout_.arrays) words.push_back((*member.arrays)[core::at(array)].now());
        if (steps == 0) continue;
        const int rows = timed ? static_cast<int>(steps) : 1;
        fill_numbers(program_, {timed ? done : 0, rows, false}, rows, advance.uniforms, numbers_);
        bytes_.insert(bytes_.end(), numbers_.begin(), numbers_.end());
    }
    table_.make_room(device_, bytes_.size());
    for (std::size_t i = 0; i < words.size(); i += layout_.words()) words[i] += table_.address();
    std::memcpy(bytes_.data(), words.data(), table);
    device_->upload(table_.address(), bytes_.data(), bytes_.size());
}

void Ensemble::launch(std::span<const Member> members, std::span<const Memory> axes, Index done, Index most) {
    send_table(members, done, most);
    const LoadedText::Kernel& kernel = text_.kernels.front();
    const LaunchParameters parameters(
        kernel.arguments,
        {.shape = {&shape_, sizeof shape_}, .array = grid_arrays(nullptr, axes), .others = {{Argument::Kind::table, table_.address()}}});
    device_->launch(kernel.function, static_cast<unsigned>(members.size()), static_cast<unsigned>(plane_.threads()), parameters.all());
}

}  // namespace mottle::backend::cuda
