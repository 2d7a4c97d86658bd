// tests/conformance/settings.h: the levels of the CPU backend and the precisions that a conformance test runs with
#pragma once
#include "mottle/backend/cpu/compile/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace conformance {

/// Sanitizers make everything many times slower; they get a part of each list.
inline bool tiny() { return std::getenv("MOTTLE_TINY") != nullptr; }

struct Settings {
    std::string device;
    bool f64;
};

/// Every level that runs here, in both precisions.
inline std::vector<Settings> settings() {
    std::vector<Settings> all;
    for (const auto& isa : mottle::backend::cpu::isa_levels()) {
        if (!mottle::backend::cpu::runs_here(isa)) continue;
        for (bool f64 : {false, true}) all.push_back({"cpu:" + isa.name, f64});
    }
    return all;
}

inline std::string name_of(const testing::TestParamInfo<Settings>& info) {
    return info.param.device.substr(4) + (info.param.f64 ? "_f64" : "_f32");
}

}  // namespace conformance
