// tests/unit/output/grid_data_test.cpp: VTK's image data of grids, taken apart byte by byte
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/output/sink.h"
#include "unit/frame/held_field.h"
#include "unit/output/vtk_array.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace grid_data_test {

using namespace mottle;
namespace fs = std::filesystem;

class GridDataTest : public ::testing::Test {
   protected:
    GridDataTest() : folder_(fs::temp_directory_path() / ("mottle_grid_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
    ~GridDataTest() override { fs::remove_all(folder_); }

    std::string written(held::World& world, const std::string& name) {
        output::SinkSpec spec;
        spec.file = folder_ / name;
        spec.declared_range = {{0, 1}};
        auto sink = output::create_sink(spec, world.field, world.context);
        sink->write({3, 2.5}, world.field);
        sink->finish();
        return core::read_file(spec.file).value_or("(missing)");
    }
    fs::path folder_;
};

TEST_F(GridDataTest, CellsOfAVolume) {
    held::World world({4, 3, 2});
    world.set("v", [](core::Index x, core::Index y, core::Index z) { return static_cast<double>(x + 10 * (y + 3 * z)); });
    const std::string file = written(world, "a.vti");
    EXPECT_NE(file.find("<ImageData WholeExtent=\"0 4 0 3 0 2\" Origin=\"0 0 0\" Spacing=\"1 1 1\">"), std::string::npos)
        << file.substr(0, 400);
    EXPECT_NE(file.find("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">2.5<"), std::string::npos);
    const auto values = vtk_array<float>(file, "Float32", "v");
    ASSERT_EQ(values.size(), 24U);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<float>(i % 4 + 10 * (i / 4)));
}

TEST_F(GridDataTest, APlaneHasNoDepthAndASeriesHasAnIndex) {
    held::World world({5, 3, 1});
    EXPECT_NE(written(world, "a.vti").find("WholeExtent=\"0 5 0 3 0 0\""), std::string::npos);
    EXPECT_NE(written(world, "s.pvd").find("timestep=\"2.5\" group=\"\" part=\"0\" file=\"s-00001.vti\""), std::string::npos);
    EXPECT_TRUE(fs::exists(folder_ / "s-00001.vti"));
}

TEST_F(GridDataTest, FilesOfSurfacesAreRefused) {
    held::World world({5, 3, 1});
    EXPECT_THROW(written(world, "a.vtu"), core::InputError);
    EXPECT_FALSE(fs::exists(folder_ / "a.vtu"));
}

}  // namespace grid_data_test
