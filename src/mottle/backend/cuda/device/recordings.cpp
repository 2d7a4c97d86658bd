// mottle/backend/cuda/device/recordings.cpp: launches that repeat are recorded
#include "mottle/backend/cuda/device/recordings.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

constexpr std::size_t kGroup = 32;  // passes recorded together; even, so that the copies of the arrays stand as before
constexpr std::size_t kRecordings = 16;
constexpr Index kRecordedCells = 1 << 23;  // above, a launch costs nothing beside what it does

std::string key_of(const ir::Program& program, std::span<const Pass> passes, const UniformTable& uniforms,
                   const std::deque<MirroredArray>& arrays) {
    std::vector<std::byte> numbers;
    fill_numbers(program, passes.front(), passes.front().steps, uniforms, numbers);
    std::string key(reinterpret_cast<const char*>(numbers.data()), numbers.size());
    for (const MirroredArray& array : arrays) key += "/" + std::to_string(array.now()) + "/" + std::to_string(array.next());
    for (const Pass& pass : passes) key += "/" + std::to_string(pass.steps) + (pass.flush ? "f" : "");
    return key;
}

}  // namespace

void Recordings::make(const ir::Program& program, Index cells, std::span<const Pass> passes, const UniformTable& uniforms,
                      const std::deque<MirroredArray>& arrays, const Action& run, const Action& flip) {
    const bool repeats = !uniforms.varies() && cells <= kRecordedCells;
    for (std::size_t done = 0; done < passes.size(); done += kGroup) {
        const auto group = passes.subspan(done, std::min(kGroup, passes.size() - done));
        if (repeats && group.size() > 1) {
            make_group(key_of(program, group, uniforms, arrays), group, run, flip);
        } else {
            std::for_each(group.begin(), group.end(), run);
        }
    }
}

void Recordings::make_group(const std::string& key, std::span<const Pass> passes, const Action& run, const Action& flip) {
    if (recordings_.size() >= kRecordings) recordings_.clear();
    auto [found, first] = recordings_.try_emplace(key);
    if (first) {
        std::for_each(passes.begin(), passes.end(), run);
        return;
    }
    if (found->second) {
        std::for_each(passes.begin(), passes.end(), flip);
    } else {
        device_->begin_recording();
        try {
            std::for_each(passes.begin(), passes.end(), run);
        } catch (...) {
            device_->end_recording();  // a queue that goes on recording takes no other call
            throw;
        }
        found->second = device_->end_recording();
    }
    device_->replay(*found->second);
}

}  // namespace mottle::backend::cuda
