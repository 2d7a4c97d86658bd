// tests/test_meshes.h: the surfaces that tests run on: shapes, the meshes of examples/meshes, and those of the folder MOTTLE_TEST_MESHES
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace mottle::tests {

/// The folder of more meshes, or "".
inline std::filesystem::path more_meshes() {
    const char* folder = std::getenv("MOTTLE_TEST_MESHES");
    return folder ? folder : "";
}

/// Shapes, and the files that are there, up to 4 MB.
inline std::vector<std::string> surfaces() {
    std::vector<std::string> all = {"sphere:3",        "torus:1,0.4,16", "plane:20x13", "plane:20x13,one",
                                    "cylinder:1,2,24", "ellipsoid",      "snake:3000"};
    return all;
}

inline std::string surface_test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = std::filesystem::path(info.param).filename().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
}

}  // namespace mottle::tests
