// tests/unit/backend/registry_test.cpp: names of devices, and a reason for each that is not there
#include "mottle/backend/registry.h"
#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mottle::backend {
namespace {

TEST(Registry, ListsEveryDeviceWithADescription) {
    std::vector<std::string> names;
    for (const auto& device : devices()) {
        names.push_back(device.name);
        EXPECT_FALSE(device.description.empty()) << device.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"cpu", "cpu:avx512", "cpu:avx2", "cpu:portable", "reference", "cuda"}));
}

TEST(Registry, MakesWhatItCallsAvailableAndRefusesTheRest) {
    for (const auto& device : devices()) {
        if (device.available) {
            EXPECT_NE(create_backend(device.name), nullptr);
        } else if (device.name == "cuda") {
            EXPECT_THROW(create_backend(device.name), core::DeviceError);
        }
    }
    EXPECT_EQ(create_backend("reference")->name(), "reference");
}

TEST(Registry, UnknownNamesGetTheNearest) {
    try {
        create_backend("cpu:avx521");
        FAIL();
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("did you mean 'cpu:avx512'?"), std::string::npos);
    }
    EXPECT_THROW(create_backend("gpu"), core::InputError);
    EXPECT_THROW(create_backend(""), core::InputError);
}

TEST(Registry, AutomaticIsTheCpuUntilItCannotCompile) { EXPECT_EQ(create_backend("auto")->name(), "cpu"); }

}  // namespace
}  // namespace mottle::backend
