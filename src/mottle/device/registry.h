// mottle/device/registry.h: which backends this machine has, and why it lacks the rest
#pragma once
#include "mottle/backend/backend.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace mottle::device {

struct DeviceInfo {
    std::string name;  ///< what --device takes
    bool available = false;
    std::string description;  ///< or the reason why not
};
std::vector<DeviceInfo> devices();

/// "auto", "cpu", "cpu:avx512", "cpu:avx2", "cpu:portable", "reference", "cuda". What is missing for "cuda" shows when it compiles: its text can be
/// printed anywhere. Throws: InputError (unknown name), DeviceError (not here).
std::unique_ptr<backend::Backend> create_backend(const std::string& name);

/// Which schedules a run of `domain` on that device takes. Throws: as create_backend.
backend::Family schedule_family(const std::string& name, const domain::Domain& domain);
/// Whether a run on that device may compute on a card: "cuda", and "auto" where a driver is.
bool may_take_a_card(const std::string& name);
/// Whether it interprets Programs, and compiles nothing.
bool interprets(const std::string& name);
/// Whether its kernels are those of the CPU, which sweep rows and planes in place.
bool sweeps_in_place(const std::string& name);

/// Bytes that a kernel of that device takes for one row of `domain` in each of `arrays` arrays, filled up to whole vectors; 0 where rows are dense.
double bytes_of_row(const std::string& name, const domain::Domain& domain, std::size_t arrays, bool f64);

}  // namespace mottle::device
