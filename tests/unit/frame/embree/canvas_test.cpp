// tests/unit/frame/embree/canvas_test.cpp: pictures of fields, on grids and on surfaces
#include "mottle/frame/canvas.h"

#include "mottle/core/error.h"
#include "unit/frame/held_field.h"
#include "unit/frame/small_surface.h"

#include <gtest/gtest.h>

namespace canvas_test {

using namespace mottle;
using Format = backend::Picture::Format;
using Range = std::array<double, 2>;

TEST(Canvas, DrawsGridsAsTheirKernelDoes) {
    held::World world({8, 6, 1});
    world.set("v", [](core::Index x, core::Index y, core::Index) { return 0.1 * static_cast<double>(x + y); });
    frame::Style style;
    style.scale = 3;
    frame::Canvas canvas(style, world.field, Range{0, 1}, Format::rgb24, 1, nullptr, world.context);
    EXPECT_EQ(canvas.size(), (std::array{24, 18}));
    EXPECT_EQ(canvas.colours(), frame::palette(style.palette));
    EXPECT_EQ(frame::still_format(style, world.kernel.domain()), Format::index);
    std::vector<std::uint8_t> drawn(canvas.bytes()), direct(canvas.bytes());
    canvas.draw(world.field, drawn);
    backend::Picture picture;
    picture.array = world.field.find("v");
    picture.scale = 3;
    picture.palette = frame::palette(style.palette);
    world.kernel.draw(world.field.state(), picture, direct);
    EXPECT_EQ(drawn, direct);
}

TEST(Canvas, DrawsSurfacesThroughAView) {
    const domain::Surface square = small::square();
    held::World world(held::mesh_of(square));
    world.set_vertices("v", [](core::Index vertex) { return vertex < 2 ? 0.0 : 1.0; });  // grows upwards
    frame::Style style;
    style.pixels = {65, 49};
    style.palette = "gray";
    style.background = frame::Rgb{10, 20, 30};
    EXPECT_EQ(frame::still_format(style, world.kernel.domain()), Format::rgb24);
    frame::Canvas canvas(style, world.field, Range{0, 1}, Format::rgb24, 1, nullptr, world.context);
    EXPECT_EQ(canvas.size(), (std::array{65, 49}));
    std::vector<std::uint8_t> rgb(canvas.bytes());
    canvas.draw(world.field, rgb);
    auto pixel = [&](std::size_t x, std::size_t y) {
        return frame::Rgb{rgb[3 * (y * 65 + x)], rgb[3 * (y * 65 + x) + 1], rgb[3 * (y * 65 + x) + 2]};
    };
    EXPECT_EQ(pixel(0, 0), (frame::Rgb{10, 20, 30}));
    for (std::size_t y = 6; y < 40; ++y) EXPECT_GE(pixel(32, y)[0], pixel(32, y + 2)[0]) << y;
    EXPECT_GT(pixel(32, 6)[0], 200);
    EXPECT_LT(pixel(32, 44)[0], 90);
    EXPECT_EQ(frame::Canvas(style, world.field, Range{0, 1}, Format::yuv420, 1, nullptr, world.context).size(), (std::array{64, 48}));
    style.background.reset();
    EXPECT_EQ(frame::still_format(style, world.kernel.domain()), Format::rgba32);
}

TEST(Canvas, TurnsOnceOverTheWholeVideo) {
    held::World world(held::mesh_of(small::ball(2)));
    world.set_vertices("v", [](core::Index vertex) { return static_cast<double>(vertex % 7); });
    frame::Style style;
    style.pixels = {48, 48};
    style.turn = 360;
    frame::Canvas canvas(style, world.field, Range{0, 6}, Format::rgb24, 4, nullptr, world.context);
    std::vector<std::vector<std::uint8_t>> frames(5, std::vector<std::uint8_t>(canvas.bytes()));
    for (auto& frame : frames) canvas.draw(world.field, frame);
    EXPECT_EQ(frames[0], frames[4]) << "the frame after the last is the first again";
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NE(frames[k], frames[k + 1]);
    // The second frame is what a camera a quarter further on sees, framed alike.
    style.camera.angles = {{frame::kDefaultAngles[0] + 90, frame::kDefaultAngles[1]}};
    frame::Canvas further(style, world.field, Range{0, 6}, Format::rgb24, 4, nullptr, world.context);
    std::vector<std::uint8_t> other(further.bytes());
    further.draw(world.field, other);
    EXPECT_EQ(other, frames[1]);
}

TEST(Canvas, RefusesCamerasAndSizesThatCannotBe) {
    auto refusal = [](auto change) {
        frame::Style style;
        change(style);
        try {
            frame::check(style);
        } catch (const core::InputError& error) {
            return error.message();
        }
        return std::string();
    };
    EXPECT_EQ(refusal([](frame::Style&) {}), "");
    EXPECT_NE(refusal([](frame::Style& s) { s.pixels = {15, 100}; }).find("15x100"), std::string::npos);
    EXPECT_NE(refusal([](frame::Style& s) { s.pixels = {100, 20000}; }).find("16384"), std::string::npos);
    EXPECT_NE(refusal([](frame::Style& s) { s.camera.angles = {{0, 91}}; }).find("-90 to 90"), std::string::npos);
    EXPECT_NE(refusal([](frame::Style& s) { s.camera.distance = 0; }).find("distance 0"), std::string::npos);
    EXPECT_NE(refusal([](frame::Style& s) { s.turn = HUGE_VAL; }).find("turn"), std::string::npos);
}

}  // namespace canvas_test
