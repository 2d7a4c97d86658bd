// mottle/backend/cuda/device/memory.cpp: whether a device holds what is asked for
#include "mottle/backend/cuda/device/memory.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

namespace mottle::backend::cuda {

void check_memory(const DeviceTraits& traits, std::size_t bytes) {
    if (traits.memory == 0 || bytes <= traits.memory) return;
    throw core::DeviceError(traits.name + " has " + core::si_text(static_cast<double>(traits.memory), "B") + ", and the fields take " +
                            core::si_text(static_cast<double>(bytes), "B") + "; choose a smaller --size, --precision f32, or --device cpu");
}

}  // namespace mottle::backend::cuda
