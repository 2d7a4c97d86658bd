// tests/unit/domain/mesh_spectrum_test.cpp: the largest eigenvalue of a mesh against exact ones and those of an independent script
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/mesh/quality.h"
#include "mottle/domain/operators/spectrum.h"
#include "test_meshes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <ostream>

namespace mesh_spectrum_test {

using namespace mottle;

domain::Mesh load(const std::string& source, int threads = 2) {
    core::ThreadTeam team(threads);
    return domain::create_mesh(domain::load_surface({source, {}}, {}, team), 1, team);
}

TEST(MeshSpectrum, of_a_square_lattice_is_that_of_the_five_point_stencil) {
    // Far inside a large plane with one diagonal the operator is the 5-point stencil, whose eigenvalues end at 8; borders, with half the mass, do not exceed it.
    const domain::Spectrum spectrum = load("plane:60x60,one").spectrum;
    EXPECT_GE(spectrum.lanczos, 8 * (1 - 0.01));
    EXPECT_LE(spectrum.lanczos, spectrum.largest);
    EXPECT_LE(spectrum.largest, spectrum.gershgorin * (1 + 1e-12));
}

TEST(MeshSpectrum, can_be_bounded_without_a_search) {
    core::ThreadTeam team(2);
    const auto surface = domain::load_surface({"snake:9000", {}}, {}, team);
    const domain::Mesh found = domain::create_mesh(surface, 2, team),
                       bounded = domain::create_mesh(surface, 2, team, false, domain::Stiffness::gershgorin);
    EXPECT_EQ(bounded.spectrum.lanczos, 0);
    EXPECT_EQ(bounded.spectrum.gershgorin, found.spectrum.gershgorin);
    EXPECT_EQ(bounded.spectrum.largest, found.spectrum.gershgorin);
    EXPECT_EQ(bounded.spectrum.worst, found.spectrum.worst);
    EXPECT_LT(found.spectrum.largest, bounded.spectrum.largest);
}

TEST(MeshSpectrum, is_the_same_for_any_number_of_threads) {
    for (const char* source : {"sphere:4", "snake:9000"}) {
        EXPECT_EQ(load(source, 1).spectrum.lanczos, load(source, 3).spectrum.lanczos);
        EXPECT_EQ(load(source, 1).spectrum.worst, load(source, 3).spectrum.worst);
    }
}

TEST(MeshSpectrum, scales_with_the_inverse_square_of_lengths) {
    core::ThreadTeam team(2);
    const auto surface = domain::load_surface({"torus:1,0.4,24", {}}, {}, team);
    const double one = domain::create_mesh(surface, 1, team).spectrum.lanczos,
                 four = domain::create_mesh(surface, 4, team).spectrum.lanczos;
    EXPECT_NEAR(one / four, 16, 1e-9);
}

/// dt*/h^2 with dt* = 2 / lmax and h the mean edge, Gershgorin / lmax, angles, obtuse triangles and negative edges in per cent: by a script of its own,
/// printed with two or three digits.
struct Known {
    std::string file;
    double dt, pessimism, least, greatest, obtuse, negative;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.file; }

class KnownSpectrum : public testing::TestWithParam<Known> {};

TEST_P(KnownSpectrum, is_found) {
    const Known& known = GetParam();
    const std::filesystem::path path = tests::mesh_file(known.file);
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no " << known.file;
    const domain::Mesh mesh = load(path.string());
    const double h = domain::mean_edge(*mesh.surface);
    EXPECT_NEAR(2 / mesh.spectrum.lanczos / (h * h) / known.dt, 1, 0.04);
    EXPECT_NEAR(mesh.spectrum.gershgorin / mesh.spectrum.lanczos / known.pessimism, 1, 0.03);
    EXPECT_GE(mesh.spectrum.largest, mesh.spectrum.lanczos);
    const domain::Quality quality = domain::quality_of(mesh);
    EXPECT_NEAR(quality.least_angle / known.least, 1, 0.06);
    EXPECT_NEAR(quality.greatest_angle, known.greatest, 0.06);
    EXPECT_NEAR(quality.obtuse_percent, known.obtuse, 0.6);
    EXPECT_NEAR(quality.negative_percent, known.negative, 0.11);
}

const std::vector<Known>& known() {
    static const std::vector<Known> files = {
        {"spot.obj", 4.7e-3, 1.67, 10, 131.7, 15, 3.1},          {"spot_remeshed.obj", 9.4e-2, 1.60, 21, 121.6, 1, 0.1},
        {"snake_tube.obj", 8.0e-4, 1.27, 2.7, 92.86, 50, 16.7},  {"bunny_hr.obj", 1.5e-1, 1.47, 18, 127.6, 1, 0.1},
        {"bunny_lowres.off", 8.9e-3, 1.68, 2.7, 172.1, 39, 9.3}, {"stanford_bunny.obj", 7.8e-3, 1.46, 0.48, 177.6, 14, 2.1},
        {"mountain.obj", 4.3e-2, 1.64, 11, 150.5, 54, 17.8},     {"plane_holes.obj", 7.6e-2, 1.71, 19, 126.3, 2, 0.3},
        {"scorpion.obj", 1.1e-3, 1.80, 0.038, 179.8, 56, 15.9},  {"human_man.obj", 6.2e-4, 1.34, 0.78, 176.2, 19, 4.9},
    };
    return files;
}

std::string known_name(const testing::TestParamInfo<Known>& info) {
    return tests::surface_test_name(testing::TestParamInfo<std::string>(info.param.file, 0));
}
INSTANTIATE_TEST_SUITE_P(files, KnownSpectrum, testing::ValuesIn(known()), known_name);

}  // namespace mesh_spectrum_test
