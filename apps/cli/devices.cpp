// apps/cli/devices.cpp: mottle devices
#include "commands.h"

#include "mottle/device/registry.h"
#include "mottle/ranks/launcher.h"
#include "mottle/core/provenance.h"
#include "mottle/core/thread_team.h"

#include <iostream>

namespace mottle::cli {

int devices() {
    std::cout << core::cpu_name() << ", " << core::available_cores() << " cores\n";
    const auto line = [](std::string name, bool available, const std::string& description) {
        name.resize(std::max<std::size_t>(name.size(), 14), ' ');
        std::cout << name << (available ? "yes  " : "no   ") << description << "\n";
    };
    for (const device::DeviceInfo& device : device::devices()) line(device.name, device.available, device.description);
    const ranks::MpiReport mpi = ranks::look_for_mpi();
    line("mpirun", mpi.available, mpi.description);
    return kDone;
}

}  // namespace mottle::cli
