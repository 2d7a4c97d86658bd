// apps/cli/devices.cpp: mottle devices
#include "commands.h"

#include "mottle/device/registry.h"
#include "mottle/core/provenance.h"
#include "mottle/core/thread_team.h"

#include <iostream>

namespace mottle::cli {

int devices() {
    std::cout << core::cpu_name() << ", " << core::available_cores() << " cores\n";
    for (const device::DeviceInfo& device : device::devices()) {
        std::string name = device.name;
        name.resize(std::max<std::size_t>(name.size(), 14), ' ');
        std::cout << name << (device.available ? "yes  " : "no   ") << device.description << "\n";
    }
    return kDone;
}

}  // namespace mottle::cli
