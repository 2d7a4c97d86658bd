// mottle/backend/cuda/device/api.h: the CUDA driver, opened at run time: own declarations of the few calls used, no CUDA header
#pragma once
#include "mottle/backend/cuda/device/device.h"

#include <memory>
#include <string>

namespace mottle::backend::cuda {

/// What was found, for `mottle devices`.
struct DriverReport {
    bool available = false;
    std::string description;  ///< "NVIDIA H200, compute capability 9.0, 150 GB, driver CUDA 13.0", or the reason why not
};
DriverReport look_for_driver();
/// The CUDA version of the driver: 13000 is 13.0; 0: there is no driver.
int driver_version();

/// The first device of the driver. Throws: DeviceError (no driver, no device, driver too old).
std::shared_ptr<Device> open_driver_device();
/// The one with this number, counted from 0. Throws: DeviceError, also where there are not so many.
std::shared_ptr<Device> open_driver_device_number(int number);

}  // namespace mottle::backend::cuda
