// mottle/device/registry.h: the names of devices, which of them this machine has, and why it lacks the others
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

/// "auto", "cpu", "cpu:avx512", "cpu:avx2", "cpu:portable", "reference", "cuda" (the first card), "cuda:1" (cards are counted from 0). A missing driver or compiler for "cuda" is an error only when it compiles: its text can be
/// printed anywhere. Throws: InputError (unknown name), DeviceError (not here).
std::unique_ptr<backend::Backend> create_backend(const std::string& name);

/// Which schedules a run of `domain` on that device takes. Throws: as create_backend.
backend::Family schedule_family(const std::string& name, const domain::Domain& domain);
/// Whether a run on that device may use a GPU: "cuda", and "auto" if there is a driver.
bool may_take_a_card(const std::string& name);
/// Whether the device interprets Programs instead of compiling them.
bool interprets(const std::string& name);
/// Whether its kernels are those of the CPU, which sweep rows and planes in place.
bool sweeps_in_place(const std::string& name);

/// Bytes that a kernel of that device takes for one row of `domain` in each of `arrays` arrays, filled up to whole vectors; 0 where rows are dense.
double bytes_of_row(const std::string& name, const domain::Domain& domain, std::size_t arrays, bool f64);

}  // namespace mottle::device
