// tests/conformance/cuda/emulated_device.h: a cuda::Device that runs the texts of the corpus on the CPU
#pragma once
#include "mottle/backend/cuda/device/device.h"

#include <memory>

namespace conformance {

/// `reversed`: blocks and threads run last first. A text that is not in the corpus is a DeviceError, as is a write beyond an allocation.
/// Transfers copy when they begin if `reversed`, else when they are waited for.
std::shared_ptr<mottle::backend::cuda::Device> create_emulated_device(bool reversed, int processors = 132, bool together = true);

/// Counts of this process: recordings that were replayed, transfers, launches of texts whose threads meet.
int& emulated_replays();
int& emulated_transfers();
int& emulated_meetings();
/// Launches whose blocks are all at work at the same time.
int& emulated_launches_together();

/// Whether threads of a text meet.
bool has_meetings(const std::string& text);

}  // namespace conformance
