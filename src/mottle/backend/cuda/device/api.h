// mottle/backend/cuda/device/api.h: the CUDA driver, opened at run time: own declarations of the few calls used, no CUDA header
#pragma once
#include "mottle/backend/cuda/device/device.h"

#include <memory>
#include <string>

namespace mottle::backend::cuda {

DriverReport look_for_driver();
/// The CUDA version of the driver: 13000 is 13.0; 0: there is no driver.
int driver_version();

/// The driver's device with this number, counted from 0. Throws: DeviceError (no driver, driver too old, not so many devices).
std::shared_ptr<Device> open_driver_device(int number = 0);

}  // namespace mottle::backend::cuda
