// tests/unit/output/ffmpeg/joiner_test.cpp: videos that go on: every frame once, in order, at its time, with the picture that was drawn
#include "mottle/core/error.h"
#include "mottle/output/sink.h"
#include "unit/frame/held_field.h"
#include "unit/output/ffmpeg/decode.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace joiner_test {

using namespace mottle;
using core::Index;
namespace fs = std::filesystem;

class Joiner : public ::testing::TestWithParam<const char*> {
   protected:
    Joiner() : folder_(fs::temp_directory_path() / ("mottle_joiner_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
    ~Joiner() override { fs::remove_all(folder_); }

    output::SinkSpec spec() const {
        output::SinkSpec result;
        result.file = folder_ / (std::string("a.") + GetParam());
        result.fps = 25;
        result.style.range = frame::Style::Range::fixed;
        return result;
    }
    /// Frame `number` is a bar at a place of its own.
    void write(output::Sink& sink, Index first, Index last) {
        for (Index number = first; number <= last; ++number) {
            world_.set("v",
                       [number](Index x, Index, Index) { return x / 8 == number % 8 ? 1 - static_cast<double>(number / 8) / 16 : 0.1; });
            sink.write({number, 0.0}, world_.field);
        }
    }
    /// The parts of a video end behind the frames of these numbers.
    video::Decoded written(const std::vector<Index>& ends) {
        const auto sink = output::create_sink(spec(), world_.field, world_.context);
        Index first = 1;
        for (const Index end : ends) {
            write(*sink, first, end);
            sink->publish();
            first = end + 1;
        }
        sink->finish();
        EXPECT_EQ(sink->files(), std::vector<fs::path>{spec().file});
        return video::decode(spec().file);
    }
    std::string refusal(const output::SinkSpec& sink) {
        try {
            output::create_sink(sink, world_.field, world_.context);
        } catch (const core::InputError& error) {
            return error.message();
        }
        return "";
    }
    void expect_same(const video::Decoded& parts, const video::Decoded& whole) {
        EXPECT_NEAR(parts.seconds, whole.seconds, 1e-6);
        EXPECT_NEAR(parts.fps, 25, 1e-9);
        ASSERT_EQ(parts.frames.size(), whole.frames.size());
        for (std::size_t i = 0; i < whole.frames.size(); ++i) {
            EXPECT_NEAR(parts.times[i], static_cast<double>(i) / 25, 1e-6);
            EXPECT_GE(video::psnr(parts.frames[i], whole.frames[i]), 34) << i;
        }
    }

    fs::path folder_;
    held::World world_{{64, 32, 1}};
};

TEST_P(Joiner, PartsMakeTheWhole) {
    const video::Decoded whole = written({60});
    ASSERT_EQ(whole.frames.size(), 60U);
    // parts of one and of two frames are encoded without frames that look ahead
    for (const std::vector<Index>& ends : {std::vector<Index>{30, 60}, {1, 2, 4, 50, 60}, {59, 60}, {20, 21, 60}})
        expect_same(written(ends), whole);
}

TEST_P(Joiner, WhatWasDrawnAfterTheStateIsDrawnAnew) {
    const video::Decoded whole = written({60});
    {
        const auto killed = output::create_sink(spec(), world_.field, world_.context);
        write(*killed, 1, 25);
        killed->publish();  // the state knows of these
        write(*killed, 26, 40);
        killed->publish();  // and not of these
        write(*killed, 41, 45);
    }
    ASSERT_EQ(video::decode(spec().file).frames.size(), 40U);
    output::SinkSpec rest = spec();
    rest.frames_kept = rest.frames_before = 25;
    const auto sink = output::create_sink(rest, world_.field, world_.context);
    write(*sink, 26, 60);
    sink->finish();
    expect_same(video::decode(spec().file), whole);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
}

TEST_P(Joiner, AnotherVideoIsRefused) {
    written({12});
    output::SinkSpec rest = spec();
    rest.frames_kept = 13;
    EXPECT_NE(refusal(rest).find("which should contain the first 13 frames: it holds 12; give another file name"), std::string::npos)
        << refusal(rest);
    rest.frames_kept = 12;
    EXPECT_EQ(refusal(rest), "");
    rest.style.scale = 2;
    EXPECT_NE(refusal(rest).find("it has 512x256 pixels, and this run draws 128x64"), std::string::npos) << refusal(rest);
    std::ofstream(spec().file) << "no video";
    rest.style.scale = 0;
    EXPECT_NE(refusal(rest).find("it is not a readable "), std::string::npos) << refusal(rest);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Joiner, testing::Values("mp4", "gif"), [](const auto& kind) { return std::string(kind.param); });

}  // namespace joiner_test
