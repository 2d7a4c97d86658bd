// tests/unit/output/surface_sink_test.cpp: files of surfaces, taken apart byte by byte
#include "mottle/output/sink.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/frame/palette.h"
#include "mottle/output/npy.h"
#include "mottle/output/surface_data.h"
#include "unit/output/mended_surface.h"
#include "unit/output/vtk_array.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <unistd.h>

namespace surface_sink_test {

using namespace mottle;
namespace fs = std::filesystem;

class SurfaceSinkTest : public ::testing::Test {
   protected:
    SurfaceSinkTest() : folder_(fs::temp_directory_path() / ("mottle_surface_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~SurfaceSinkTest() override { fs::remove_all(folder_); }

    output::SinkSpec spec(const std::string& name) const {
        output::SinkSpec result;
        result.file = folder_ / name;
        result.declared_range = {{0, 1}};
        result.style.palette = "viridis";
        return result;
    }
    std::string bytes(const std::string& name) const { return core::read_file(folder_ / name).value_or("(missing)"); }
    std::string written(const std::string& name, bool f64 = false) {
        mended::World world(f64);
        auto sink = output::create_sink(spec(name), world.field, world.context);
        sink->write({8, 2.5}, world.field);
        sink->finish();
        EXPECT_EQ(sink->files(), std::vector<fs::path>{folder_ / name});
        return bytes(name);
    }

    fs::path folder_;
};

/// The colour of v at a vertex of the file: v is declared 0..1.
frame::Rgb colour_at(std::size_t vertex) {
    const double v = mended::v_at(vertex);
    if (std::isnan(v)) return {128, 128, 128};
    return frame::palette("viridis")[static_cast<std::size_t>(std::min(255.0, std::floor(256 * v)))];
}

void expect_value(double value, double expected, bool f64) {
    if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(value));
    else
        EXPECT_EQ(value, f64 ? expected : static_cast<double>(static_cast<float>(expected)));
}

TEST_F(SurfaceSinkTest, Ply) {
    for (const bool f64 : {false, true}) {
        const std::string file = written("a.ply", f64), real = f64 ? "double" : "float";
        const std::string header =
            "ply\nformat binary_little_endian 1.0\ncomment written by Mottle, time 2.5\nelement vertex 6\nproperty double x\nproperty "
            "double y\n"
            "property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty " +
            real + " u\nproperty " + real + " v\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n";
        ASSERT_EQ(file.substr(0, header.size()), header);
        std::size_t at = header.size();
        for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(take<double>(file, at), mended::kPlaces[i][d]);
            for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(take<std::uint8_t>(file, at), colour_at(i)[k]);
            for (const double expected : {mended::u_at(i), mended::v_at(i)})
                expect_value(f64 ? take<double>(file, at) : static_cast<double>(take<float>(file, at)), expected, f64);
        }
        for (const auto& face : mended::kFaces) {
            EXPECT_EQ(take<std::uint8_t>(file, at), 3);
            for (const int corner : face) EXPECT_EQ(take<std::int32_t>(file, at), corner);
        }
        EXPECT_EQ(at, file.size());
    }
}

TEST_F(SurfaceSinkTest, Vtk) {
    for (const bool unstructured : {false, true}) {
        for (const bool f64 : {false, true}) {
            const std::string file = written(unstructured ? "a.vtu" : "a.vtp", f64);
            EXPECT_NE(file.find(unstructured ? "<Piece NumberOfPoints=\"6\" NumberOfCells=\"4\">" : "NumberOfPolys=\"4\""),
                      std::string::npos);
            EXPECT_NE(file.find("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">2.5<"), std::string::npos);
            const auto points = vtk_array<double>(file, "Float64", "Points");
            ASSERT_EQ(points.size(), 18U);
            for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(points[i], mended::kPlaces[i / 3][i % 3]);
            for (const std::string name : {"u", "v"}) {
                std::vector<double> values;
                if (f64) {
                    values = vtk_array<double>(file, "Float64", name);
                } else {
                    for (const float x : vtk_array<float>(file, "Float32", name)) values.push_back(static_cast<double>(x));
                }
                ASSERT_EQ(values.size(), 6U);
                for (std::size_t i = 0; i < 6; ++i) expect_value(values[i], name == "u" ? mended::u_at(i) : mended::v_at(i), f64);
            }
            const auto colours = vtk_array<std::uint8_t>(file, "UInt8", "rgb");
            ASSERT_EQ(colours.size(), 18U);
            for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(colours[i], colour_at(i / 3)[i % 3]);
            const auto corners = vtk_array<std::int64_t>(file, "Int64", "connectivity");
            ASSERT_EQ(corners.size(), 12U);
            for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(corners[i], mended::kFaces[i / 3][i % 3]);
            EXPECT_EQ(vtk_array<std::int64_t>(file, "Int64", "offsets"), (std::vector<std::int64_t>{3, 6, 9, 12}));
            if (unstructured) {
                EXPECT_EQ(vtk_array<std::uint8_t>(file, "UInt8", "types"), (std::vector<std::uint8_t>(4, 5)));
            }
        }
    }
}

double linear_of(double byte) { return byte / 255 <= 0.04045 ? byte / 255 / 12.92 : std::pow((byte / 255 + 0.055) / 1.055, 2.4); }

// A surface of 76 million vertices has twice as many faces and takes 76e6*32 + 152e6*12 = 4.26e9 bytes of the 4.29e9 that a length in 32 bits can tell.
TEST_F(SurfaceSinkTest, AGlbThatIsTooLongForItsFormatIsRefused) {
    EXPECT_EQ(mottle::output::complaint_about_glb(76'000'000, 152'000'000), "");
    const std::string complaint = mottle::output::complaint_about_glb(77'000'000, 154'000'000);
    EXPECT_NE(complaint.find("at most 4 GiB"), std::string::npos) << complaint;
    EXPECT_NE(complaint.find("77000000 vertices"), std::string::npos) << complaint;
}

TEST_F(SurfaceSinkTest, Glb) {
    const std::string file = written("a.glb");
    std::size_t at = 0;
    EXPECT_EQ(file.substr(0, 4), "glTF");
    at = 4;
    EXPECT_EQ(take<std::uint32_t>(file, at), 2U);
    EXPECT_EQ(take<std::uint32_t>(file, at), file.size());
    const auto length = take<std::uint32_t>(file, at);
    EXPECT_EQ(length % 4, 0U);
    EXPECT_EQ(file.substr(at, 4), "JSON");
    const std::string json = file.substr(at + 4, length);
    at += 4 + length;
    const auto binary = take<std::uint32_t>(file, at);
    EXPECT_EQ(file.substr(at, 4), std::string("BIN\0", 4));
    at += 4;
    EXPECT_EQ(at + binary, file.size());
    EXPECT_NE(json.find("\"translation\":[101,0.5,"), std::string::npos) << json;
    EXPECT_NE(json.find("\"min\":[-0.5,-0.5,"), std::string::npos) << json;
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(take<float>(file, at), static_cast<float>(mended::kPlaces[i][0] - 101));
        EXPECT_EQ(take<float>(file, at), static_cast<float>(mended::kPlaces[i][1] - 0.5));
        EXPECT_NEAR(take<float>(file, at), mended::kPlaces[i][2] - (0.1 + 1.0 / 3) / 2, 1e-7);
    }
    for (std::size_t i = 0; i < 6; ++i) {
        double length2 = 0;
        for (int d = 0; d < 3; ++d) length2 += std::pow(static_cast<double>(take<float>(file, at)), 2);
        EXPECT_NEAR(length2, 1, 1e-5);
    }
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(take<std::uint16_t>(file, at), 65535 * linear_of(colour_at(i)[k]), 0.51);
        EXPECT_EQ(take<std::uint16_t>(file, at), 65535);
    }
    for (const auto& face : mended::kFaces) {
        for (const int corner : face) EXPECT_EQ(take<std::uint32_t>(file, at), static_cast<std::uint32_t>(corner));
    }
    EXPECT_EQ(at, file.size());
}

TEST_F(SurfaceSinkTest, Npy) {
    const std::string file = written("a.npy", true), header = output::npy_header("<f8", {2, 6});
    ASSERT_EQ(file.substr(0, header.size()), header);
    std::size_t at = header.size();
    for (std::size_t i = 0; i < 6; ++i) expect_value(take<double>(file, at), mended::u_at(i), true);
    for (std::size_t i = 0; i < 6; ++i) expect_value(take<double>(file, at), mended::v_at(i), true);
    EXPECT_EQ(at, file.size());
}

TEST_F(SurfaceSinkTest, ASeriesHasAFilePerFrameAndAnIndexOfTimes) {
    mended::World world;
    auto sink = output::create_sink(spec("a & b.pvd"), world.field, world.context);
    for (int i = 1; i <= 3; ++i) {
        world.set_vertices("u", [i](core::Index) { return i; });
        sink->write({i, 0.5 * i}, world.field);
    }
    EXPECT_FALSE(fs::exists(folder_ / "a & b.pvd"));
    sink->finish();
    sink->finish();
    EXPECT_EQ(sink->files(), std::vector<fs::path>{folder_ / "a & b.pvd"});
    const std::string index = bytes("a & b.pvd");
    for (int i = 1; i <= 3; ++i) {
        const std::string name = "b-0000" + std::to_string(i) + ".vtu", time = i == 1 ? "0.5" : i == 2 ? "1" : "1.5";
        EXPECT_NE(index.find("<DataSet timestep=\"" + time + "\" group=\"\" part=\"0\" file=\"a &amp; " + name + "\"/>"), std::string::npos)
            << index;
        EXPECT_EQ(vtk_array<float>(bytes("a & " + name), "Float32", "u")[1], static_cast<float>(i));
    }
}

TEST_F(SurfaceSinkTest, AnIndexThatIsCutIsNotContinued) {
    const std::string whole = output::encode_pvd(output::pvd_entry(0.5, "s-00001.vtu") + output::pvd_entry(1, "s-00002.vtu"));
    const std::string entries = output::read_pvd_entries(whole, 2).value_or("");
    EXPECT_EQ(entries, output::pvd_entry(0.5, "s-00001.vtu") + output::pvd_entry(1, "s-00002.vtu"));
    const std::size_t first = whole.find("<DataSet"), ends = first + entries.size();
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        const std::string cut = whole.substr(0, length);
        EXPECT_EQ(output::read_pvd_entries(cut, 2).has_value(), length >= ends) << length;
        EXPECT_EQ(output::read_pvd_entries(cut, 1).value_or("none") == output::pvd_entry(0.5, "s-00001.vtu"),
                  length >= first + output::pvd_entry(0.5, "s-00001.vtu").size())
            << length;
    }
}

TEST_F(SurfaceSinkTest, NumberedFilesAndTheLastState) {
    mended::World world;
    auto numbered = output::create_sink(spec("s-%02d.vtu"), world.field, world.context);
    auto last = output::create_sink(spec("last.ply"), world.field, world.context);
    for (int i = 1; i <= 2; ++i) {
        world.set_vertices("v", [i](core::Index) { return 0.25 * i; });
        numbered->write({i, 1.0 * i}, world.field);
        last->write({i, 1.0 * i}, world.field);
    }
    numbered->finish();
    last->finish();
    EXPECT_EQ(numbered->files(), (std::vector<fs::path>{folder_ / "s-01.vtu", folder_ / "s-02.vtu"}));
    EXPECT_EQ(vtk_array<float>(bytes("s-01.vtu"), "Float32", "v")[3], 0.25F);
    EXPECT_EQ(vtk_array<float>(bytes("s-02.vtu"), "Float32", "v")[3], 0.5F);
    EXPECT_NE(bytes("last.ply").find("time 2\n"), std::string::npos);
}

TEST_F(SurfaceSinkTest, GridsAreRefused) {
    held::World world({4, 3, 1});
    for (const char* name : {"a.ply", "a.vtp", "a.vtu", "a.glb"}) {
        try {
            output::create_sink(spec(name), world.field, world.context);
            ADD_FAILURE() << name;
        } catch (const core::InputError& error) {
            EXPECT_NE(error.message().find("holds a surface, but this run is on a 4x3 grid"), std::string::npos) << error.message();
        }
    }
}

TEST_F(SurfaceSinkTest, VideosAreNotTransparent) {
    output::SinkSpec video = spec("a.mp4");
    video.style.background.reset();
    EXPECT_THROW(output::check_sink(video), core::InputError);
    video.file = folder_ / "a.png";
    EXPECT_NO_THROW(output::check_sink(video));
}

}  // namespace surface_sink_test
