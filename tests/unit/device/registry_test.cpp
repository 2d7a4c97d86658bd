// tests/unit/device/registry_test.cpp: names of devices, and a reason for each that is not there
#include "mottle/device/registry.h"
#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mottle::backend {
namespace registry_test {

ir::Program heat_program() {
    ir::Program program;
    program.arrays = {{"u", ir::ArrayInfo::Kind::state, 0}};
    program.ghosts.resize(1);
    ir::Stage stage{"update", {}, {{0, 3}}};
    stage.code.push_back({ir::Op::load, {}, 0, {-1, 0, 0}, 0});
    stage.code.push_back({ir::Op::load, {}, 0, {0, 0, 0}, 0});
    stage.code.push_back({ir::Op::load, {}, 0, {1, 0, 0}, 0});
    stage.code.push_back({ir::Op::fma, {0, 1, 2}, 0, {}, 0});
    program.step.stages.push_back(stage);
    return program;
}

TEST(Registry, ListsEveryDeviceWithADescription) {
    std::vector<std::string> names;
    for (const auto& device : device::devices()) {
        names.push_back(device.name);
        EXPECT_FALSE(device.description.empty()) << device.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"cpu", "cpu:avx512", "cpu:avx2", "cpu:portable", "reference", "cuda"}));
}

TEST(Registry, MakesWhatItCallsAvailableAndRefusesTheRest) {
    for (const auto& device : device::devices()) {
        if (device.available) {
            EXPECT_NE(device::create_backend(device.name), nullptr);
        }
    }
    EXPECT_EQ(device::create_backend("reference")->name(), "reference");
}

// Its text can be printed anywhere, so that what is missing shows when it compiles, with the next move.
TEST(Registry, CudaWithoutACardSaysWhatIsMissing) {
    const auto list = device::devices();
    const auto cuda = std::find_if(list.begin(), list.end(), [](const device::DeviceInfo& device) { return device.name == "cuda"; });
    EXPECT_NE(cuda->description.find("NVRTC"), std::string::npos) << cuda->description;
    if (cuda->available) GTEST_SKIP() << "this machine has a card";
    const ir::Program program = heat_program();
    domain::Grid grid;
    grid.size = {8, 8, 1};
    EXPECT_NE(device::create_backend("cuda")->emit(program, grid, {}).find("__fmaf_rn"), std::string::npos);
    core::ThreadTeam team(1);
    core::Observer observer;
    core::Context context{team, observer, {}};
    try {
        device::create_backend("cuda")->compile(program, grid, {}, context);
        FAIL();
    } catch (const core::DeviceError& error) {
        EXPECT_NE(error.message().find("--device cpu"), std::string::npos) << error.message();
    }
}

TEST(Registry, UnknownNamesGetTheNearest) {
    try {
        device::create_backend("cpu:avx521");
        FAIL();
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("did you mean 'cpu:avx512'?"), std::string::npos);
    }
    EXPECT_THROW(device::create_backend("gpu"), core::InputError);
    EXPECT_THROW(device::create_backend(""), core::InputError);
}

TEST(Registry, AutomaticIsTheCpuUntilItCannotCompile) { EXPECT_EQ(device::create_backend("auto")->name(), "cpu"); }

}  // namespace registry_test
}  // namespace mottle::backend
