// tests/unit/output/ffmpeg/encoder_test.cpp: videos are decoded again: count, size, time, colour tags, and the picture itself
#include "mottle/output/ffmpeg/encoder.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/output/sink.h"
#include "unit/frame/held_field.h"
#include "unit/output/ffmpeg/decode.h"
#include "unit/output/full_disk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace encoder_test {

using namespace mottle;
using core::Index;
using output::VideoSpec;
namespace fs = std::filesystem;
using video::Bytes, video::decode, video::Decoded, video::psnr;

/// Spots that drift, over stripes that move the other way.
double value_at(Index x, Index y, int frame) {
    const double a = std::sin(0.11 * static_cast<double>(x) + 0.05 * frame) * std::sin(0.09 * static_cast<double>(y) - 0.04 * frame);
    const double b = std::sin(0.031 * static_cast<double>(x - 2 * y) - 0.08 * frame);
    return 0.5 + 0.35 * a + 0.12 * b;
}

class Video : public ::testing::Test {
   protected:
    Video() : folder_(fs::temp_directory_path() / ("mottle_video_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
    ~Video() override { fs::remove_all(folder_); }

    output::SinkSpec spec(const std::string& name) const {
        output::SinkSpec result;
        result.file = folder_ / name;
        result.style.range = frame::Style::Range::fixed;
        result.style.palette = "cyberpunk";
        return result;
    }
    std::size_t file_count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
    }

    /// Writes `frames` frames of the moving pattern through a sink; what was drawn comes back.
    std::vector<Bytes> write(held::World& world, const output::SinkSpec& sink_spec, int frames, backend::Picture::Format format,
                             int scale) {
        auto sink = output::create_sink(sink_spec, world.field, world.context);
        frame::Style style = sink_spec.style;
        style.scale = scale;
        frame::Painter painter(style, world.field, std::nullopt);
        std::vector<Bytes> drawn;
        for (int i = 0; i < frames; ++i) {
            world.set("v", [i](Index x, Index y, Index) { return value_at(x, y, i); });
            sink->write({i, 0.0}, world.field);
            const backend::Picture picture = painter.picture(world.field, format);
            drawn.emplace_back(backend::picture_bytes(picture, world.kernel.domain()));
            world.kernel.draw(world.field.state(), picture, drawn.back());
        }
        sink->finish();
        EXPECT_EQ(sink->files(), std::vector<fs::path>{sink_spec.file});
        EXPECT_GT(sink->seconds(), 0);
        return drawn;
    }

    fs::path folder_;
};

TEST_F(Video, Mp4HasTheFramesSizeTimeTagsAndPicture) {
    held::World world({512, 288, 1});
    const auto drawn = write(world, spec("a.mp4"), 75, backend::Picture::Format::yuv420, 1);
    EXPECT_EQ(file_count(), 1U);
    const Decoded video = decode(folder_ / "a.mp4");
    EXPECT_EQ(video.width, 512);
    EXPECT_EQ(video.height, 288);
    EXPECT_EQ(video.format, AV_PIX_FMT_YUV420P);
    EXPECT_EQ(video.range, AVCOL_RANGE_MPEG);
    EXPECT_EQ(video.space, AVCOL_SPC_BT709);
    EXPECT_EQ(video.primaries, AVCOL_PRI_BT709);
    EXPECT_EQ(video.transfer, AVCOL_TRC_BT709);
    EXPECT_NEAR(video.seconds, 75 / 60.0, 1e-3);
    EXPECT_NEAR(video.fps, 60, 1e-9);
    ASSERT_EQ(video.frames.size(), 75U);
    double mean = 0;
    for (std::size_t i = 0; i < 75; ++i) {
        EXPECT_NEAR(video.times[i], static_cast<double>(i) / 60, 1e-4);
        ASSERT_EQ(video.frames[i].size(), drawn[i].size());
        const std::size_t luma = 512 * 288;
        const double quality = psnr(std::span(video.frames[i]).first(luma), std::span(drawn[i]).first(luma));
        EXPECT_GE(quality, 38) << "luma of frame " << i;  // the last ones have no later frame to serve, and get fewer bits
        mean += quality / 75;
        for (const std::size_t plane : {0U, 1U}) {
            const std::size_t first = luma + plane * luma / 4;
            EXPECT_GE(psnr(std::span(video.frames[i]).subspan(first, luma / 4), std::span(drawn[i]).subspan(first, luma / 4)), 35)
                << "chroma of frame " << i;
        }
    }
    EXPECT_GE(mean, 40);
}

TEST_F(Video, FullChroma) {
    held::World world({64, 48, 1});
    output::SinkSpec sink = spec("a.mp4");
    sink.chroma444 = true;
    sink.fps = 29.97;
    sink.style.scale = 3;
    const auto drawn = write(world, sink, 20, backend::Picture::Format::yuv444, 3);
    const Decoded video = decode(folder_ / "a.mp4");
    EXPECT_EQ(video.width, 192);
    EXPECT_EQ(video.height, 144);
    EXPECT_EQ(video.format, AV_PIX_FMT_YUV444P);
    EXPECT_NEAR(video.fps, 29.97, 1e-6);
    ASSERT_EQ(video.frames.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_GE(psnr(video.frames[i], drawn[i]), 36) << i;
}

/// Small grids are enlarged until 512 wide, 4:2:0 loses an odd row.
TEST_F(Video, SmallGridsAreEnlarged) {
    struct Case {
        domain::Triple grid;
        int scale, width, height;
    };
    for (const Case& c :
         {Case{{100, 61, 1}, 0, 600, 366}, Case{{1, 1, 1}, 0, 512, 512}, Case{{512, 1, 1}, 0, 1024, 64}, Case{{513, 7, 1}, 0, 512, 6},
          Case{{100, 61, 1}, 1, 100, 60}, Case{{16, 2000, 1}, 0, 32, 4000}, Case{{10, 9, 5}, 3, 30, 26}}) {
        held::World world(c.grid);
        output::SinkSpec sink = spec("a.mp4");
        sink.style.scale = c.scale;
        auto out = output::create_sink(sink, world.field, world.context);
        for (int i = 0; i < 2; ++i) out->write({i, 0.0}, world.field);
        out->finish();
        const Decoded video = decode(folder_ / "a.mp4");
        EXPECT_EQ(video.width, c.width);
        EXPECT_EQ(video.height, c.height);
        EXPECT_EQ(video.frames.size(), 2U);
    }
}

TEST_F(Video, GifHasTheColoursOfThePaletteExactly) {
    held::World world({256, 40, 1});
    output::SinkSpec sink = spec("a.gif");
    sink.fps = 25;
    const auto drawn = write(world, sink, 12, backend::Picture::Format::index, 2);
    const Decoded video = decode(folder_ / "a.gif");
    EXPECT_EQ(video.width, 512);
    EXPECT_EQ(video.height, 80);
    ASSERT_EQ(video.format, AV_PIX_FMT_BGRA);
    ASSERT_EQ(video.frames.size(), 12U);
    EXPECT_TRUE(world.listener.notices.empty());
    const auto& palette = frame::palette("cyberpunk");
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_NEAR(video.times[i], static_cast<double>(i) / 25, 1e-6);
        for (std::size_t k = 0; k < drawn[i].size(); ++k) {
            const auto& colour = palette[drawn[i][k]];
            const std::uint8_t* bgra = &video.frames[i][4 * k];
            ASSERT_TRUE(bgra[2] == colour[0] && bgra[1] == colour[1] && bgra[0] == colour[2]) << "frame " << i << " pixel " << k;
        }
    }
}

/// Viewers show faster GIFs at a tenth of their rate.
TEST_F(Video, GifsAreSlowedToWhatViewersKeepUpWith) {
    held::World world({64, 64, 1});
    write(world, spec("a.gif"), 30, backend::Picture::Format::index, 8);
    const Decoded video = decode(folder_ / "a.gif");
    ASSERT_EQ(video.frames.size(), 30U);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(video.times[i], 0.02 * static_cast<double>(i), 1e-6);
    ASSERT_EQ(world.listener.notices.size(), 1U);
    EXPECT_NE(world.listener.notices[0].find("50 frames per second"), std::string::npos);
}

TEST_F(Video, StoppedEarlyItPlays) {
    held::World world({64, 64, 1});
    for (const char* name : {"a.mp4", "a.gif"}) {
        output::SinkSpec sink = spec(name);
        sink.frame_count = 300;
        write(world, sink, 1, name[2] == 'g' ? backend::Picture::Format::index : backend::Picture::Format::yuv420, 8);
        const Decoded video = decode(folder_ / name);
        EXPECT_EQ(video.frames.size(), 1U);
        EXPECT_GT(video.seconds, 0.9 / 60);
    }
}

TEST_F(Video, WithoutFramesOrFinishThereIsNoFile) {
    held::World world({64, 64, 1});
    for (const char* name : {"a.mp4", "a.gif"}) {
        auto sink = output::create_sink(spec(name), world.field, world.context);
        sink->finish();
        EXPECT_TRUE(sink->files().empty());
        sink = output::create_sink(spec(name), world.field, world.context);
        for (int i = 0; i < 20; ++i) sink->write({i, 0.0}, world.field);
        sink.reset();
        EXPECT_EQ(file_count(), 0U) << name;
    }
}

TEST_F(Video, TooLargePicturesAreRefused) {
    held::World world({20000, 2, 1});
    try {
        output::create_sink(spec("a.mp4"), world.field, world.context);
        FAIL();
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("16384 pixels a side at most"), std::string::npos) << error.message();
    }
    held::World thin({600, 1, 1});
    output::SinkSpec sink = spec("a.mp4");
    sink.style.scale = 1;
    EXPECT_THROW(output::create_sink(sink, thin.field, thin.context), core::InputError);
    EXPECT_EQ(file_count(), 0U);
}

/// The file stops growing, early or only with its last byte: an error with the video's name. Frames before it make a video that plays; without any, the
/// file that was there stays.
TEST_F(Video, AFullDiskIsAnErrorAndKeepsTheFramesBefore) {
    held::World world({128, 128, 1});
    for (const char* name : {"a.mp4", "a.gif"}) {
        auto run = [&] {
            output::SinkSpec small = spec(name);
            small.style.scale = 1;
            auto sink = output::create_sink(small, world.field, world.context);
            for (int i = 0; i < 20; ++i) {
                world.set("v",
                          [i](Index x, Index y, Index) { return std::fmod(0.137 * static_cast<double>((x * x + 3 * y * i) % 997), 1.0); });
                try {
                    sink->write({i, 0.0}, world.field);
                } catch (const core::OutputError&) {
                    break;  // finish() tells it again, as in a run
                }
            }
            sink->finish();
        };
        run();
        const std::uintmax_t size = fs::file_size(folder_ / name);
        std::ofstream(folder_ / name) << "old";
        for (const std::uintmax_t limit : {std::uintmax_t{10}, size / 3, size - 200, size - 1}) {
            std::string message;
            try {
                const limited::FullDisk full(limit);
                run();
            } catch (const core::OutputError& error) {
                message = error.message();
            }
            EXPECT_NE(message.find(name), std::string::npos) << limit << " of " << size << ": " << message;
            EXPECT_EQ(message.find(".tmp"), std::string::npos) << message;
            if (limit < 20000) {
                EXPECT_EQ(core::read_file(folder_ / name).value(), "old");
                continue;
            }
            const Decoded video = decode(folder_ / name);
            EXPECT_GT(video.frames.size(), 2U) << limit << " of " << size;
            EXPECT_LT(video.frames.size(), 20U) << limit << " of " << size;
            EXPECT_NE(message.find("; the " + std::to_string(video.frames.size()) + " frames before are kept"), std::string::npos)
                << message;
            EXPECT_LE(fs::file_size(folder_ / name), limit);
        }
    }
    EXPECT_EQ(file_count(), 2U);
}

TEST_F(Video, WhatCannotBeOpenedIsAnError) {
    VideoSpec video;
    video.file = (folder_ / "nowhere" / "a.mp4").string();
    video.name = "a.mp4";
    video.width = video.height = 64;
    EXPECT_THROW(output::ffmpeg::open_encoder(video), core::OutputError);
    video.file = "/dev/full";
    Bytes planes(64 * 64 * 3 / 2);
    EXPECT_THROW(
        {
            auto encoder = output::ffmpeg::open_encoder(video);
            encoder->write(planes);
            encoder->finish();
        },
        core::OutputError);
}

/// Nothing below the program prints, and neither may FFmpeg on our behalf.
/// Whether a card here encodes 128 x 128 pixels.
bool has_nvenc(const fs::path& folder) {
    VideoSpec video;
    video.file = video.name = (folder / "trial.mp4").string();
    video.width = video.height = 128;
    video.encoders = {output::H264::nvenc};
    try {
        return output::ffmpeg::open_encoder(video)->on_card();
    } catch (const core::DeviceError&) {
        return false;
    }
}

TEST_F(Video, WhereNoCardEncodesX264DoesToTheSameBytes) {
    if (has_nvenc(folder_)) GTEST_SKIP() << "a card encodes here";
    held::World world({128, 96, 1});
    testing::internal::CaptureStderr();
    for (const char* name : {"plain.mp4", "card.mp4", "named.mp4"}) {
        output::SinkSpec sink = spec(name);
        sink.on_card = name != std::string("plain.mp4");
        if (name == std::string("named.mp4")) sink.encoder = output::Encoder::x264;
        write(world, sink, 12, backend::Picture::Format::yuv420, 4);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    const auto plain = core::read_file(folder_ / "plain.mp4");
    ASSERT_TRUE(plain);
    EXPECT_EQ(core::read_file(folder_ / "card.mp4"), plain);
    EXPECT_EQ(core::read_file(folder_ / "named.mp4"), plain);
}

TEST_F(Video, ACardThatIsAskedForAndCannotEncodeIsAnError) {
    if (has_nvenc(folder_)) GTEST_SKIP() << "a card encodes here";
    held::World world({128, 96, 1});
    output::SinkSpec sink = spec("a.mp4");
    sink.encoder = output::Encoder::nvenc;
    testing::internal::CaptureStderr();
    try {
        output::create_sink(sink, world.field, world.context);
        ADD_FAILURE() << "no error";
    } catch (const core::DeviceError& error) {
        EXPECT_NE(error.message().find("no GPU can encode"), std::string::npos) << error.message();
        EXPECT_NE(error.message().find("; use --encoder x264"), std::string::npos) << error.message();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "FFmpeg logs nothing";
    EXPECT_EQ(file_count(), 0U);
    sink = spec("a.gif");
    sink.encoder = output::Encoder::nvenc;
    EXPECT_NO_THROW(output::create_sink(sink, world.field, world.context)) << "of .mp4 alone";
}

// What a card makes plays as what x264 makes: the same size, times and tags, and a picture as good. Runs where a card encodes.
TEST_F(Video, WhatACardEncodesIsTheSameVideo) {
    if (!has_nvenc(folder_)) GTEST_SKIP() << "no card encodes here";
    held::World world({512, 288, 1});
    output::SinkSpec sink = spec("a.mp4");
    sink.on_card = true;
    const auto drawn = write(world, sink, 75, backend::Picture::Format::yuv420, 1);
    const Decoded video = decode(folder_ / "a.mp4");
    EXPECT_EQ(video.range, AVCOL_RANGE_MPEG);
    EXPECT_EQ(video.space, AVCOL_SPC_BT709);
    ASSERT_EQ(video.frames.size(), 75U);
    for (std::size_t i = 0; i < 75; ++i) {
        EXPECT_NEAR(video.times[i], static_cast<double>(i) / 60, 1e-4);
        const std::size_t luma = 512 * 288;
        EXPECT_GE(psnr(std::span(video.frames[i]).first(luma), std::span(drawn[i]).first(luma)), 38) << "luma of frame " << i;
    }
}

TEST_F(Video, IsSilent) {
    held::World world({64, 64, 1});
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    for (const char* name : {"a.mp4", "a.gif"}) {
        auto sink = output::create_sink(spec(name), world.field, world.context);
        for (int i = 0; i < 20; ++i) sink->write({i, 0.0}, world.field);
        sink->finish();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace encoder_test
