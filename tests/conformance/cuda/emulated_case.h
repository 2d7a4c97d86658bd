// tests/conformance/cuda/emulated_case.h: a case that the emulated device runs
#pragma once
#include "conformance/suite.h"

#include <string>
#include <vector>

namespace conformance {

struct EmulatedCase {
    std::string group;  ///< the test that runs it
    Case test;
    std::string schedule;
    int processors = 132;  ///< of the emulated card
};

}  // namespace conformance
