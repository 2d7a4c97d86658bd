// mottle/backend/registry.h: which backends this machine has, and why it lacks the rest
#pragma once
#include "mottle/backend/backend.h"

#include <memory>
#include <string>
#include <vector>

namespace mottle::backend {

struct DeviceInfo {
    std::string name;  ///< what --device takes
    bool available = false;
    std::string description;  ///< or the reason why not
};
std::vector<DeviceInfo> devices();

/// "auto", "cpu", "cpu:avx512", "cpu:avx2", "cpu:portable", "reference", "cuda". What is missing for "cuda" shows when it compiles: its text can be
/// printed anywhere. Throws: InputError (unknown name), DeviceError (not here).
std::unique_ptr<Backend> create_backend(const std::string& name);

}  // namespace mottle::backend
