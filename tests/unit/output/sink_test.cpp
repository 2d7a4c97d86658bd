// tests/unit/output/sink_test.cpp: what create_sink makes and check_sink refuses; pictures and states as files
#include "mottle/output/sink.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/image/png.h"
#include "mottle/output/npy.h"
#include "unit/frame/held_field.h"
#include "unit/output/full_disk.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace sink_test {

using namespace mottle;
using core::Index;
namespace fs = std::filesystem;

class SinkTest : public ::testing::Test {
   protected:
    SinkTest() : folder_(fs::temp_directory_path() / ("mottle_sink_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
    ~SinkTest() override { fs::remove_all(folder_); }

    output::SinkSpec spec(const std::string& name) const {
        output::SinkSpec result;
        result.file = folder_ / name;
        result.declared_range = {{0, 1}};
        return result;
    }
    std::string refusal(const output::SinkSpec& sink) const {
        try {
            output::check_sink(sink);
        } catch (const core::InputError& error) {
            return error.message();
        }
        return "";
    }
    std::string bytes(const std::string& name) const { return core::read_file(folder_ / name).value_or("(missing)"); }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& entry : fs::directory_iterator(folder_)) result.push_back(entry.path().filename().string());
        std::sort(result.begin(), result.end());
        return result;
    }

    fs::path folder_;
};

TEST_F(SinkTest, ChecksNamesFoldersRatesAndStyles) {
    EXPECT_EQ(refusal(spec("a.mp4")), "");
    EXPECT_EQ(refusal(spec("a-%05d.png")), "");
    EXPECT_NE(refusal(spec("a.avi")).find("unknown extension '.avi'; known: .mp4, .gif, .png, .npy"), std::string::npos)
        << refusal(spec("a.avi"));
    EXPECT_NE(refusal(spec("nowhere/a.mp4")).find("nowhere"), std::string::npos);
    fs::create_directory(folder_ / "b.mp4");
    EXPECT_NE(refusal(spec("b.mp4")), "");
    for (const double fps : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
        output::SinkSpec sink = spec("a.mp4");
        sink.fps = fps;
        EXPECT_NE(refusal(sink).find("fps must lie between 0.001 and 1000"), std::string::npos) << fps;
    }
    output::SinkSpec sink = spec("a.mp4");
    sink.style.palette = "virids";
    EXPECT_NE(refusal(sink).find("did you mean 'viridis'?"), std::string::npos);
    EXPECT_EQ(names(), std::vector<std::string>{"b.mp4"});  // checking leaves nothing behind
    held::World world({4, 3, 1});
    EXPECT_THROW(output::create_sink(spec("a.avi"), world.field, world.context), core::InputError);
    sink = spec("a.png");
    sink.style.field = "w";
    EXPECT_THROW(output::create_sink(sink, world.field, world.context), core::InputError);
}

// ---- .npy -------------------------------------------------------------------------------------------------------------------------------------------

/// The header as numpy.lib.format describes version 1.0.
TEST(Npy, Header) {
    const std::string header = output::npy_header("<f4", {2, 3, 4});
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const auto length = static_cast<unsigned char>(header[8]) + 256U * static_cast<unsigned char>(header[9]);
    EXPECT_EQ(length + 10, header.size());
    EXPECT_EQ(header.substr(10, 62), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }");
    EXPECT_EQ(header.back(), '\n');
    EXPECT_NE(output::npy_header("<f8", {5}).find("'shape': (5, ), }"), std::string::npos);
}

template <class Real>
std::vector<Real> values_of(const std::string& bytes, std::size_t header) {
    std::vector<Real> values((bytes.size() - header) / sizeof(Real));
    std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(Real));
    return values;
}

TEST_F(SinkTest, NpyHoldsTheLastStateWritten) {
    held::World world({5, 3, 2});
    auto sink = output::create_sink(spec("a.npy"), world.field, world.context);
    sink->write({1, 1}, world.field);
    world.set("u", [](Index x, Index y, Index z) { return static_cast<double>(x + 10 * y + 100 * z); });
    world.set("v", [](Index x, Index y, Index z) { return -0.1 * static_cast<double>(x + 10 * y + 100 * z); });
    sink->write({2, 2}, world.field);
    world.set("u", [](Index, Index, Index) { return 7.0; });  // after the last write
    EXPECT_FALSE(fs::exists(folder_ / "a.npy")) << "under another name until it is whole";
    sink->finish();
    sink->finish();
    EXPECT_EQ(sink->files(), std::vector<fs::path>{folder_ / "a.npy"});
    const std::string header = output::npy_header("<f4", {2, 2, 3, 5}), file = bytes("a.npy");
    ASSERT_EQ(file.substr(0, header.size()), header);
    const auto values = values_of<float>(file, header.size());
    ASSERT_EQ(values.size(), 60U);
    std::size_t i = 0;
    for (const double factor : {1.0, -0.1}) {
        for (int z = 0; z < 2; ++z) {
            for (int y = 0; y < 3; ++y) {
                for (int x = 0; x < 5; ++x) EXPECT_EQ(values[i++], static_cast<float>(factor * static_cast<double>(x + 10 * y + 100 * z)));
            }
        }
    }
}

TEST_F(SinkTest, NpyHasThePrecisionOfTheRunAndOneKindOfNaN) {
    held::World world({3, 2, 1}, true, {"u"});
    world.set("u", [](Index x, Index y, Index) {
        if (x == 1) return -std::numeric_limits<double>::signaling_NaN();
        return static_cast<double>(x) / 3 + static_cast<double>(y);
    });
    auto sink = output::create_sink(spec("a.npy"), world.field, world.context);
    sink->write({1, 1}, world.field);
    sink->finish();
    const std::string header = output::npy_header("<f8", {1, 2, 3});
    EXPECT_EQ(bytes("a.npy").substr(0, header.size()), header);
    const auto values = values_of<double>(bytes("a.npy"), header.size());
    ASSERT_EQ(values.size(), 6U);
    EXPECT_EQ(values[2], 2.0 / 3);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(values[1]), 0x7FF8000000000000U);

    held::World single({3, 1, 1}, false, {"u"});
    single.set("u", [](Index, Index, Index) { return -std::numeric_limits<double>::quiet_NaN(); });
    sink = output::create_sink(spec("b.npy"), single.field, single.context);
    sink->write({1, 1}, single.field);
    sink->finish();
    for (const float x : values_of<float>(bytes("b.npy"), 128)) EXPECT_EQ(std::bit_cast<std::uint32_t>(x), 0x7FC00000U);
}

// What a spreadsheet reads; the numbers read back as they were.
TEST_F(SinkTest, ATableHasALineForEachFrame) {
    held::World world({4, 2, 1}, true, {"u", "v"});
    world.set("u", [](Index x, Index, Index) { return static_cast<double>(x); });
    world.set("v", [](Index, Index y, Index) { return y == 0 ? 0.1 : -0.3; });
    auto sink = output::create_sink(spec("a.csv"), world.field, world.context);
    sink->write({0, 0}, world.field);
    world.set("u", [](Index, Index, Index) { return 7.0; });
    sink->write({30, 1.5}, world.field);
    EXPECT_EQ(bytes("a.csv"), "(missing)") << "before it is whole";
    sink->finish();
    sink->finish();
    EXPECT_EQ(sink->files(), std::vector<fs::path>{folder_ / "a.csv"});
    const std::string text = bytes("a.csv");
    EXPECT_TRUE(text.starts_with("step,time,u.min,u.max,u.mean,u.std,v.min,v.max,v.mean,v.std\n0,0,0,3,1.5,1.118033988749895,-0.3,0.1,"))
        << text;
    EXPECT_NE(text.find("\n30,1.5,7,7,7,0,-0.3,0.1,"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
    EXPECT_EQ(names(), std::vector<std::string>{"a.csv"});
    EXPECT_NE(refusal(spec("a-%05d.csv")).find("one table has a line for each of them"), std::string::npos);
}

TEST_F(SinkTest, NumberedStates) {
    held::World world({2, 2, 1}, false, {"u"});
    auto sink = output::create_sink(spec("s-%03d.npy"), world.field, world.context);
    for (int i = 1; i <= 3; ++i) {
        world.set("u", [i](Index, Index, Index) { return i; });
        sink->write({i, 1.0 * i}, world.field);
    }
    sink->finish();
    EXPECT_EQ(names(), (std::vector<std::string>{"s-001.npy", "s-002.npy", "s-003.npy"}));
    EXPECT_EQ(sink->files(), (std::vector<fs::path>{folder_ / "s-001.npy", folder_ / "s-003.npy"}));
    EXPECT_EQ(values_of<float>(bytes("s-002.npy"), 128), (std::vector<float>{2, 2, 2, 2}));
}

// ---- .png -------------------------------------------------------------------------------------------------------------------------------------------

#if MOTTLE_HAVE_PNG

// x across, time down: each frame a row; few frames are drawn as blocks so high that one can see them.
TEST_F(SinkTest, PngOfARowOfCellsShowsEveryFrame) {
    held::World world({7, 1, 1});
    for (const auto& [frames, scale, high] : {std::array{3, 0, 22}, {100, 0, 1}, {100, 3, 3}, {1, 0, 64}}) {
        output::SinkSpec png = spec("line.png");
        png.frame_count = frames;
        png.style.scale = scale;
        png.style.range = frame::Style::Range::fixed;
        auto sink = output::create_sink(png, world.field, world.context);
        std::vector<std::vector<std::array<std::uint8_t, 3>>> expected;
        const auto colours = frame::palette(png.style.palette);
        for (int i = 0; i < frames; ++i) {
            auto value = [&](Index x) { return static_cast<double>((3 * x + 5 * i) % 11) / 10; };
            world.set("v", [&](Index x, Index, Index) { return value(x); });
            sink->write({i + 1, 0.0}, world.field);
            auto& row = expected.emplace_back();
            for (Index x = 0; x < 7; ++x) row.push_back(colours[static_cast<std::size_t>(std::min(255.0, std::floor(256 * value(x))))]);
        }
        sink->finish();
        EXPECT_EQ(sink->files(), std::vector<fs::path>{folder_ / "line.png"});
        const image::Image image = image::read_png(folder_ / "line.png");
        const int wide = std::max(scale, 1);
        ASSERT_EQ(image.width, 7 * wide);
        ASSERT_EQ(image.height, frames * high);
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x) {
                const auto* pixel = image.pixels.data() + static_cast<std::ptrdiff_t>(image.channels) * (y * image.width + x);
                const auto& colour = expected[static_cast<std::size_t>(y / high)][static_cast<std::size_t>(x / wide)];
                ASSERT_TRUE(std::equal(colour.begin(), colour.end(), pixel)) << frames << " frames, pixel " << x << ", " << y;
            }
        }
    }
    output::SinkSpec huge = spec("huge.png");
    huge.frame_count = Index{1} << 40;
    EXPECT_THROW(output::create_sink(huge, world.field, world.context), core::InputError);
}

TEST_F(SinkTest, NumberedPngsOfARowOfCellsAreHighEnoughToSee) {
    held::World world({70, 1, 1});
    world.set("v", [](Index x, Index, Index) { return static_cast<double>(x) / 70; });
    auto sink = output::create_sink(spec("row-%d.png"), world.field, world.context);
    sink->write({1, 1}, world.field);
    sink->finish();
    const image::Image image = image::read_png(folder_ / "row-1.png");
    ASSERT_EQ(image.width, 70);
    ASSERT_EQ(image.height, 64);
    const std::size_t row = image.pixels.size() / 64;
    for (std::size_t y = 1; y < 64; ++y)
        EXPECT_TRUE(std::equal(image.pixels.begin(), image.pixels.begin() + static_cast<std::ptrdiff_t>(row),
                               image.pixels.begin() + static_cast<std::ptrdiff_t>(y * row)))
            << y;
}

TEST_F(SinkTest, PngHoldsTheLastFrameWritten) {
    held::World world({6, 4, 1});
    output::SinkSpec png = spec("a.png");
    png.style.scale = 2;
    auto sink = output::create_sink(png, world.field, world.context);
    sink->write({1, 1}, world.field);
    world.set("v", [](Index x, Index y, Index) { return 0.1 * static_cast<double>(x) + 0.1 * static_cast<double>(y); });
    sink->write({2, 2}, world.field);
    world.set("v", [](Index, Index, Index) { return 0.0; });
    EXPECT_TRUE(names().empty());
    sink->finish();
    EXPECT_EQ(sink->files(), std::vector<fs::path>{folder_ / "a.png"});
    const image::Image image = image::read_png(folder_ / "a.png");
    ASSERT_EQ(image.width, 12);
    ASSERT_EQ(image.height, 8);
    ASSERT_EQ(image.channels, 3);
    const auto& palette = frame::palette("lagoon");
    for (std::size_t y = 0; y < 8; ++y) {
        for (std::size_t x = 0; x < 12; ++x) {
            const auto value = static_cast<float>(0.1 * static_cast<double>(x / 2) + 0.1 * static_cast<double>(y / 2));
            const auto& colour = palette[static_cast<std::size_t>(256 * value)];
            for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(image.pixels[3 * (12 * y + x) + c], colour[c]) << x << "," << y;
        }
    }
}

TEST_F(SinkTest, NumberedPictures) {
    held::World world({6, 4, 1});
    auto sink = output::create_sink(spec("f-%05d.png"), world.field, world.context);
    EXPECT_EQ(sink->threads(), 1);
    for (int i = 1; i <= 20; ++i) {
        world.set("v", [i](Index, Index, Index) { return i / 21.0; });
        sink->write({i, 1.0 * i}, world.field);
    }
    sink->finish();
    EXPECT_EQ(names().size(), 20U);
    EXPECT_EQ(sink->files(), (std::vector<fs::path>{folder_ / "f-00001.png", folder_ / "f-00020.png"}));
    for (const int i : {1, 13, 20}) {
        const image::Image image =
            image::read_png(sink->files()[0].parent_path() / ("f-000" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".png"));
        EXPECT_EQ(image.pixels[0], frame::palette("lagoon")[static_cast<std::size_t>(256 * static_cast<float>(i / 21.0))][0]);
    }
    EXPECT_GT(sink->seconds(), 0);
}

#endif

// ---- what goes wrong --------------------------------------------------------------------------------------------------------------------------------

TEST_F(SinkTest, WithoutFramesThereIsNoFile) {
    held::World world({4, 4, 1});
    for (const char* name : {"a.png", "a.npy", "a-%d.png", "a-%d.npy"}) {
        auto sink = output::create_sink(spec(name), world.field, world.context);
        sink->finish();
        EXPECT_TRUE(sink->files().empty()) << name;
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(SinkTest, WithoutFinishThereIsNoFile) {
    held::World world({4, 4, 1});
    for (const char* name : {"a.png", "a.npy"}) {
        auto sink = output::create_sink(spec(name), world.field, world.context);
        sink->write({1, 1}, world.field);
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(SinkTest, AFullDiskIsAnErrorAndLeavesTheOldFile) {
    held::World world({128, 128, 1});
    world.set("v", [](Index x, Index y, Index) { return static_cast<double>((x * 7919 + y * 104729) % 1000) / 1000; });
    for (const char* name : {"a.npy", "a.png"}) {
        std::ofstream(folder_ / name) << "old";
        auto sink = output::create_sink(spec(name), world.field, world.context);
        const limited::FullDisk full(2000);
        EXPECT_THROW(
            {
                sink->write({1, 1}, world.field);
                sink->finish();
            },
            core::OutputError)
            << name;
        EXPECT_TRUE(bytes(name) == "old") << name;
    }
    auto sink = output::create_sink(spec("n-%d.npy"), world.field, world.context);
    {
        const limited::FullDisk full(2000);
        EXPECT_THROW(sink->write({1, 1}, world.field), core::OutputError);
    }
    sink = output::create_sink(spec("n-%d.png"), world.field, world.context);
    {
        const limited::FullDisk full(2000);
        EXPECT_THROW(
            {
                for (int i = 0; i < 100; ++i) sink->write({i, 0.0}, world.field);
                sink->finish();
            },
            core::OutputError);
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"a.npy", "a.png"}));
}

}  // namespace sink_test
