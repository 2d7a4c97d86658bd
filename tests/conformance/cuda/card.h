// tests/conformance/cuda/card.h: the card of this machine, opened once for all tests
#pragma once
#include "mottle/backend/cuda/device/api.h"
#include "mottle/backend/cuda/backend.h"

#include <memory>
#include <string>

namespace conformance {

/// Why there is none; empty where there is one. It stays open to the end of the program: a context takes a third of a second to make, and cases are
/// some thousand.
inline std::string no_card() {
    if (const auto cuda = mottle::backend::look_for_cuda(); !cuda.available) return "no CUDA device: " + cuda.description;
    static const std::shared_ptr<mottle::backend::cuda::Device> kept = mottle::backend::cuda::open_driver_device();
    return "";
}

/// Whether it is the one of pretend/driver.cpp, which runs the texts of the emulation alone, slowly: there it is the driver that is tested.
inline bool pretended_card() { return mottle::backend::look_for_cuda().description.find("pretended card") != std::string::npos; }

}  // namespace conformance
