// tests/unit/output/surface_readers_slow_test.cpp: what meshio (PLY, VTU) and assimp (glTF) read from our files
#include "mottle/output/sink.h"

#include "mottle/core/files.h"
#include "unit/frame/small_surface.h"
#include "unit/output/mended_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <unistd.h>

namespace surface_readers_slow_test {

using namespace mottle;
namespace fs = std::filesystem;

struct Read {
    std::vector<std::array<double, 3>> points;
    std::vector<std::array<int, 3>> faces;
    std::map<std::string, std::vector<double>> fields;
};

bool has(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

Read read_back(const fs::path& file) {
    const fs::path text = file.string() + ".txt";
    const std::string command = std::string("/usr/bin/python3 " MOTTLE_SOURCE_DIR "/tests/unit/output/read_back.py '") + file.string() +
                                "' > '" + text.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::istringstream words(core::read_file(text).value_or(""));
    std::size_t points = 0, faces = 0;
    words >> points >> faces;
    Read read;
    read.points.resize(points);
    read.faces.resize(faces);
    std::string word;
    for (auto& point : read.points) {
        for (double& x : point) words >> word, x = std::stod(word);
    }
    for (auto& face : read.faces) {
        for (int& corner : face) words >> corner;
    }
    for (std::string line; std::getline(words, line);) {
        std::istringstream parts(line);
        std::string name;
        parts >> word >> name;
        if (word != "field" || line.empty()) continue;
        while (parts >> word) read.fields[name].push_back(std::stod(word));
    }
    return read;
}

class SurfaceReadersTest : public ::testing::Test {
   protected:
    SurfaceReadersTest() : folder_(fs::temp_directory_path() / ("mottle_readers_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~SurfaceReadersTest() override { fs::remove_all(folder_); }
    fs::path write(const std::string& name, held::World& world) {
        output::SinkSpec spec;
        spec.file = folder_ / name;
        spec.declared_range = {{0, 1}};
        auto sink = output::create_sink(spec, world.field, world.context);
        sink->write({1, 1}, world.field);
        sink->finish();
        return spec.file;
    }
    fs::path folder_;
};

TEST_F(SurfaceReadersTest, MeshioReadsPlyAndVtu) {
    if (!has("/usr/bin/python3 -c 'import meshio'")) GTEST_SKIP() << "meshio is not installed (Debian: python3-meshio)";
    for (const bool f64 : {false, true}) {
        mended::World world(f64);
        for (const char* name : {"a.ply", "a.vtu"}) {
            const Read read = read_back(write(name, world));
            ASSERT_EQ(read.points.size(), 6U) << name;
            for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(read.points[i], mended::kPlaces[i]) << name;
            EXPECT_EQ(read.faces, mended::kFaces) << name;
            for (std::size_t i = 1; i < 6; ++i) {
                EXPECT_NEAR(read.fields.at("u").at(i), mended::u_at(i), f64 ? 0 : 1e-7) << name;
                EXPECT_NEAR(read.fields.at("v").at(i), mended::v_at(i), 0) << name;
            }
            EXPECT_TRUE(std::isnan(read.fields.at("u").at(0)));
        }
    }
}

TEST_F(SurfaceReadersTest, AssimpReadsGlb) {
    if (!has("assimp version")) GTEST_SKIP() << "assimp is not installed (Debian: assimp-utils)";
    const domain::Surface ball = small::ball(2);
    held::World world(held::mesh_of(ball));
    world.set_vertices("v", [](core::Index vertex) { return vertex % 2 == 0 ? 0.0 : 1.0; });
    const Read read = read_back(write("a.glb", world));
    ASSERT_EQ(read.faces.size(), ball.faces.size());
    // The reader may number and share vertices as it likes: corners are compared.
    for (std::size_t f = 0; f < read.faces.size(); ++f) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& point = read.points.at(static_cast<std::size_t>(read.faces[f][k]));
            const auto& place = ball.position[static_cast<std::size_t>(ball.faces[f][k])];
            for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(point[d], place[d], 1e-6);
        }
    }
}

}  // namespace surface_readers_slow_test
