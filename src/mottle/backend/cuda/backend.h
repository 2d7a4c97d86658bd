// mottle/backend/cuda/backend.h: the CUDA backend: Programs as CUDA C++ text, compiled by NVRTC, run by the driver
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/backend/cuda/device/device.h"

#include <functional>
#include <memory>
#include <string>

namespace mottle::backend {

/// Opens nothing: text can be printed on any machine. compile() opens the device `open` gives, the driver's first one if it is empty.
/// Throws: compile(): DeviceError (no driver, no device, no NVRTC).
std::unique_ptr<Backend> create_cuda_backend(std::function<std::shared_ptr<cuda::Device>()> open = {});
/// The driver's device with this number, counted from 0.
std::unique_ptr<Backend> create_cuda_backend(int number);

/// What of CUDA this machine has: the card, the driver and the compiler, or why not.
cuda::DriverReport look_for_cuda();
/// Whether a driver with a device is here; the compiler is not looked for.
bool has_cuda_driver();

}  // namespace mottle::backend
