// tests/cli/surface_test.cpp: runs on surfaces as typed: pictures, videos and data files
#include "cli/program.h"

#include "mottle/image/png.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace surface_test {

using cli::Folder;
using cli::Result;

constexpr const char* kModel = R"toml(
[equations]
u = "0.01*lap(u)"
[fields]
u = { range = [0, 1] }
[initial]
u = "where(Y > 0.5, 1, 0)"
)toml";

TEST(Surface, DataFilesNeedNoRayCasting) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run(
        "mottle run m.toml --mesh sphere:2 --dt 0.01 --steps 40 --frames 2 -o a.ply -o a.vtp -o a.vtu -o a.glb -o a.npy -o s.pvd -o "
        "n-%d.vtu");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(folder.read("a.ply").substr(0, 4), "ply\n");
    EXPECT_NE(folder.read("a.vtp").find("PolyData"), std::string::npos);
    EXPECT_NE(folder.read("a.vtu").find("NumberOfPoints=\"162\" NumberOfCells=\"320\""), std::string::npos);
    EXPECT_EQ(folder.read("a.glb").substr(0, 4), "glTF");
    EXPECT_NE(folder.read("a.npy").find("'shape': (1, 162)"), std::string::npos);
    EXPECT_NE(folder.read("s.pvd").find("timestep=\"0.2\" group=\"\" part=\"0\" file=\"s-00001.vtu\""), std::string::npos);
    EXPECT_EQ(folder.read("s-00002.vtu"), folder.read("a.vtu"));
    EXPECT_EQ(folder.read("n-1.vtu"), folder.read("s-00001.vtu"));
}

TEST(Surface, FieldsOfAPlyFileOfMottleAreReadBack) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = '0.01*lap(u)'\nv = '0.02*lap(v)'\n[initial]\nu = 'Y'\nv = 'X*Y'\n");
    folder.write("again.toml", "[equations]\nu = 'lap(u)'\nv = 'lap(v)'\n[initial]\nu = \"attr('u')\"\nv = \"attr('v')\"\n");
    const Result result = folder.run(
        "mottle run m.toml --mesh sphere:2 --dt 0.01 --steps 40 -o a.ply -o a.npy && mottle mesh info a.ply && "
        "mottle run again.toml --mesh a.ply --dt 1e-5 --steps 0 -o b.npy -o b.ply");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(folder.read("b.npy"), folder.read("a.npy"));
    EXPECT_NE(result.out.find("red, green, blue, u, v\n"), std::string::npos) << "and no texture coordinates:\n" << result.out;
    folder.write("image.toml", "[equations]\nu = 'lap(u)'\n[initial]\nu = \"image('a.png')\"\n");
    const Result image =
        folder.run("mottle run m.toml --size 8x8 --dt 0.01 --steps 1 -o a.png && mottle run image.toml --mesh a.ply --steps 0");
    EXPECT_EQ(image.code, 3);
    EXPECT_NE(image.err.find("texture coordinates"), std::string::npos) << image.err;
}

#if MOTTLE_HAVE_EMBREE && MOTTLE_HAVE_PNG

TEST(Surface, IsDrawnUprightBeforeItsBackground) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run(
        "mottle run m.toml --mesh sphere:3 --dt 0.01 --steps 10 --palette gray --pixels 90x60 --camera 0,0 --background '#0000ff' -o a.png "
        "&&"
        "mottle run m.toml --mesh sphere:3 --dt 0.01 --steps 10 --pixels 90x60 --background transparent -o b.png");
    ASSERT_EQ(result.code, 0) << result.err;
    const auto image = mottle::image::read_png(folder.path() / "a.png");
    ASSERT_EQ(image.width, 90);
    ASSERT_EQ(image.height, 60);
    ASSERT_EQ(image.channels, 3);
    auto red = [&](std::size_t x, std::size_t y) { return image.pixels[3 * (90 * y + x)]; };
    EXPECT_EQ(red(1, 1), 0);
    EXPECT_EQ(image.pixels[3 * 91 + 2], 255);
    EXPECT_GT(red(45, 12), 120) << "u is 1 above";
    EXPECT_LT(red(45, 50), 60) << "u is 0 below";
    const auto glass = mottle::image::read_png(folder.path() / "b.png");
    ASSERT_EQ(glass.channels, 4);
    EXPECT_EQ(glass.pixels[3], 0);
    EXPECT_EQ(glass.pixels[4 * (90 * 30 + 45) + 3], 255);
}

TEST(Surface, TurnsInVideos) {
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "built without FFmpeg";
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run(
        "mottle run m.toml --mesh torus:1,0.4,16 --dt 0.001 --steps 12 --frames 6 --pixels 65x49 --turn 360 -o a.mp4 -o a.gif -o f-%d.png");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(folder.read("a.mp4").substr(4, 4), "ftyp");
    EXPECT_EQ(folder.read("a.gif").substr(0, 3), "GIF");
    const auto first = mottle::image::read_png(folder.path() / "f-1.png"), other = mottle::image::read_png(folder.path() / "f-3.png");
    EXPECT_NE(first.pixels, other.pixels);
}

#else

TEST(Surface, WithoutEmbreeAPictureNamesThePackage) {
    const Folder folder;
    folder.write("m.toml", kModel);
    const Result result = folder.run("mottle run m.toml --mesh sphere:2 --dt 0.01 --steps 10 -o a.png");
    EXPECT_EQ(result.code, 4);
    EXPECT_NE(result.err.find("libembree-dev"), std::string::npos) << result.err;
}

#endif

}  // namespace surface_test
