// tests/cli/colours_test.cpp: the colours of what a run writes, and what it tells of them
#include "cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace colours_test {

using cli::Folder;

TEST(Colours, ColoursThatNoLongerFitAreTold) {
    const Folder folder;
    folder.write(
        "m.toml",
        "[equations]\nu = '-r*u'\n[parameters]\nr = 1\n[initial]\nu = 'X'\n[grid]\nsize = '16x16'\n[time]\nsteps = 100\ndt = 0.05\n");
    const std::string run = "mottle run m.toml --frames 50 -o f-%02d.png ";
    const std::string fades = folder.run(run).err, grows = folder.run(run + "--set r=-1").err;
    EXPECT_NE(fades.find("--range 0.000185:0.00574 shows the end"), std::string::npos) << fades << "in a range of both it is as dark";
    EXPECT_NE(grows.find("note: 'f-%02d.png' uses the range of its first picture"), std::string::npos) << grows;
    EXPECT_NE(grows.find(" shows both, "), std::string::npos) << grows;
    EXPECT_EQ(folder.run(run + "--set r=0.01").err, "");
    EXPECT_EQ(folder.run(run + "--range frame").err, "");
    EXPECT_EQ(folder.run("mottle run m.toml -o a.png -o b-%03d.npy -o c-%03d.vti -o d.pvd").err, "") << "the end alone, and numbers";
    const std::string even = "mottle run m.toml --set r=0 --steps 5 --size 1x16 -o ";
    EXPECT_NE(folder.run(even + "e.png").err.find("the picture is uniform"), std::string::npos);
    EXPECT_EQ(folder.run(even + "e.vti").err, "") << "values, and no colours";
    const std::string several = folder.run(run + "-o g-%03d.png").err;
    EXPECT_EQ(several.find("note: 'f-%02d.png' and 'g-%03d.png' use the range of their first picture, u from "), 0U) << several;
    EXPECT_EQ(std::count(several.begin(), several.end(), '\n'), 1) << several;
}

TEST(Colours, AVideoAndAStillInTwoRangesAreTold) {
    const Folder folder;
    // u = X exp(-t/2): from 1/32 .. 31/32 to the same times exp(-1/2)
    folder.write("m.toml",
                 "equations = {u = '-r*u', v = '0'}\ninitial = {u = 'X', v = '1'}\nparameters.r = 0.5\ngrid.size = '16x16'\n"
                 "time = {steps = 1000, dt = 0.001}\noutput = []\n");
    const std::string run = "mottle run m.toml --field u --frames 1000 -o f-%04d.png -o a.png -o b.png ";
    const std::string told = folder.run(run).err;
    EXPECT_NE(told.find("'f-%04d.png' and 'a.png' show u in two colour ranges, from 0.0312 to 0.968 (its first picture) and from 0.019 to "
                        "0.587 (the end): --range 0.019:0.968 gives both the same colours"),
              std::string::npos)
        << told;
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << "once for a field: " << told;
    EXPECT_EQ(folder.run(run + "--range 0.019:0.968").err, "");
    EXPECT_EQ(folder.run(run + "--set r=0.02").err, "") << "hardly different";
    EXPECT_EQ(folder.run("mottle run m.toml --field u -o a.png -o b.png").err, "") << "one range";
}

TEST(Colours, PicturesOfARowOfCellsHaveOneColourForACell) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without libpng";
    const Folder folder;
    folder.write("m.toml",
                 "equations.u = '0*u'\ninitial.u = 'X'\ngrid.size = '64x1'\ntime = {steps = 4, dt = 1}\nfields.u.range = [0, 1]\n");
    ASSERT_EQ(folder.run("mottle run m.toml --palette gray --frames 4 -o a.png -o f-%d.png").code, 0);
    // The picture is a map again: cell for cell the ramp that was drawn.
    for (const auto& [picture, high] : {std::pair("a.png", 64), std::pair("f-4.png", 64)}) {
        folder.write("back.toml", "equations.u = '0*u'\ninitial.u = \"image('" + std::string(picture) + "')\"\ngrid.size = '64x" +
                                      std::to_string(high) + "'\ntime = {steps = 1, dt = 1}\n");
        ASSERT_EQ(folder.run("mottle run back.toml --precision f64 -o back.npy").code, 0);
        const std::string bytes = folder.read("back.npy");
        const std::size_t cells = 64 * static_cast<std::size_t>(high), start = bytes.size() - 8 * cells;
        for (std::size_t i = 0; i < cells; ++i) {
            double value = 0;
            std::memcpy(&value, bytes.data() + start + 8 * i, 8);
            ASSERT_NEAR(value, (static_cast<double>(i % 64) + 0.5) / 64, 0.011) << picture << " pixel " << i;
        }
    }
}

TEST(Colours, WhatAVideoCannotShowIsTold) {
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "built without FFmpeg";
    const Folder folder;
    const std::string run = "mottle run gray-scott --steps 10 --frames 2 -o a";
    const auto notes = [&](const std::string& rest) { return folder.run(run + rest).err; };
    EXPECT_NE(notes(".mp4 --size 513x40").find("'a.mp4' shows 512x40 of 513x40 pixels"), std::string::npos);
    EXPECT_EQ(notes(".mp4 --size 513x40 --chroma 444").find("shows"), std::string::npos);
    EXPECT_EQ(notes(".mp4 --size 33x21").find("shows"), std::string::npos) << "enlarged by an even number";
    EXPECT_NE(notes(".gif --size 32x32 --fps 60").find("'a.gif' shows 50 frames per second, the most"), std::string::npos);
    EXPECT_NE(notes(".gif --size 32x32 --fps 0.001").find("'a.gif' shows 0.00153 frames per second, the fewest"), std::string::npos);
    EXPECT_EQ(notes(".gif --size 32x32 --fps 0.01").find("shows"), std::string::npos);
}

}  // namespace colours_test
