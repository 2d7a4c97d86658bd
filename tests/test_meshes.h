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

/// The path of a mesh of examples/meshes or of MOTTLE_TEST_MESHES; "" if it is not there.
inline std::filesystem::path mesh_file(const std::string& name) {
    const std::filesystem::path example = std::filesystem::path(MOTTLE_SOURCE_DIR) / "examples" / "meshes" / name;
    if (std::filesystem::exists(example)) return example;
    const std::filesystem::path other = more_meshes() / name;
    return !more_meshes().empty() && std::filesystem::exists(other) ? other : std::filesystem::path();
}

/// Shapes, and the files that are there and that a mesh can be made of, broken ones too.
inline std::vector<std::string> surfaces() {
    std::vector<std::string> all = {"sphere:3",        "torus:1,0.4,16", "plane:20x13", "plane:20x13,one",
                                    "cylinder:1,2,24", "ellipsoid",      "snake:3000"};
    for (const char* file : {"spot.obj",
                             "spot_remeshed.obj",
                             "snake_tube.obj",
                             "bunny_hr.obj",
                             "bunny_lowres.off",
                             "stanford_bunny.obj",
                             "mountain.obj",
                             "plane_holes.obj",
                             "scorpion.obj",
                             "human_man.obj",
                             "teapot.obj",
                             "dragon_871k.ply",
                             "dragon_res4_nonmanifold.ply",
                             "bad/fan3.obj",
                             "bad/hourglass_ico.obj",
                             "bad/moebius.obj",
                             "bad/triple_vierbein.obj",
                             "bad/stl_box_binary.stl",
                             "bad/flipped_face.obj",
                             "bad/isolated_vertex.obj",
                             "bad/zero_area.obj",
                             "bad/concave_quad.obj"}) {
        if (const std::filesystem::path path = mesh_file(file); !path.empty()) all.push_back(path.string());
    }
    return all;
}

inline std::string surface_test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = std::filesystem::path(info.param).filename().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
}

}  // namespace mottle::tests
