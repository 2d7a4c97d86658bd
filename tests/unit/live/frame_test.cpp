// tests/unit/live/frame_test.cpp: what a page is sent, against the cells themselves
#include "mottle/live/server/frame.h"

#include "unit/live/stage.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace mottle::live::frame_test {
namespace {

template <class Value>
Value at(const std::vector<std::uint8_t>& message, std::size_t offset) {
    Value value;
    std::memcpy(&value, message.data() + offset, sizeof value);
    return value;
}

/// The values that a page makes of a message.
std::vector<double> decoded(const std::vector<std::uint8_t>& message) {
    const double lo = at<float>(message, 56), hi = at<float>(message, 60);
    const std::size_t bytes = message[6], count = at<std::uint32_t>(message, 32) * at<std::uint32_t>(message, 36);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        const double level = bytes == 2 ? at<std::uint16_t>(message, kHeaderBytes + 2 * i) / 65535.0 : message[kHeaderBytes + i] / 255.0;
        values.push_back(lo + (hi - lo) * level);
    }
    return values;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double error) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], error) << "at " << i;
}

std::string grid_text(const std::string& size) {
    return "equations.u = 'lap(u)'\ninitial.u = '0.1 + sin(3*X) + 2*cos(5*Y)*X" +
           std::string(std::count(size.begin(), size.end(), 'x') == 2 ? " + Z" : "") + "'\ngrid.size = '" + size +
           "'\ntime.dt = 0.01\nrun.device = 'reference'\n";
}

TEST(Frame, HoldsTheCellsWhereThereIsAPixelForEach) {
    Stage stage;
    const Player player(stage.project(grid_text("37x23")), stage.context);
    const View view = whole_view(player.spec().domain, 0);
    const std::vector<std::uint8_t> message =
        make_frame(player.field(), view, {.frame = 17, .generation = 3, .moment = {9, 0.5}}, stage.team);
    EXPECT_EQ(std::string(message.begin(), message.begin() + 4), "MTL1");
    EXPECT_EQ(message[4], 1);
    EXPECT_EQ(at<std::uint32_t>(message, 8), 17u);
    EXPECT_EQ(at<std::uint32_t>(message, 12), 3u);
    EXPECT_EQ(at<double>(message, 16), 0.5);
    EXPECT_EQ(at<double>(message, 24), 9.0);
    EXPECT_EQ(at<std::uint32_t>(message, 32), 37u);
    EXPECT_EQ(at<std::uint32_t>(message, 36), 23u);
    const std::vector<double> cells = values(player, "u");
    const auto [lo, hi] = std::minmax_element(cells.begin(), cells.end());
    EXPECT_EQ(at<float>(message, 56), static_cast<float>(*lo));
    EXPECT_EQ(at<float>(message, 60), static_cast<float>(*hi));
    expect_near(decoded(message), cells, (*hi - *lo) / 65535 * 0.51 + 1e-6);
    View coarse = view;
    coarse.bytes = 1;
    expect_near(decoded(make_frame(player.field(), coarse, {}, stage.team)), cells, (*hi - *lo) / 255 * 0.51 + 1e-6);
}

TEST(Frame, APixelIsTheMeanOfWhatItCovers) {
    Stage stage;
    const Player player(stage.project(grid_text("37x23")), stage.context);
    const std::vector<double> cells = values(player, "u");
    View view = whole_view(player.spec().domain, 0);
    view.region = {5, 2, 34, 21};  // 29 x 19 cells
    for (const int box : {1, 2, 3, 4, 5, 6, 29}) {
        view.pixels = {(29 + box - 1) / box, 19};
        std::vector<double> expected;
        for (int y = 2; y < 21; y += box) {
            for (int x = 5; x < 34; x += box) {
                double sum = 0;
                int count = 0;
                for (int j = y; j < std::min(y + box, 21); ++j) {
                    for (int i = x; i < std::min(x + box, 34); ++i, ++count) sum += cells[static_cast<std::size_t>(j * 37 + i)];
                }
                expected.push_back(sum / count);
            }
        }
        const std::vector<std::uint8_t> message = make_frame(player.field(), view, {}, stage.team);
        EXPECT_EQ(at<std::uint32_t>(message, 32), static_cast<std::uint32_t>((29 + box - 1) / box));
        EXPECT_EQ(at<std::uint32_t>(message, 36), static_cast<std::uint32_t>((19 + box - 1) / box));
        EXPECT_EQ(at<std::int32_t>(message, 40), 5);
        EXPECT_EQ(at<std::int32_t>(message, 52), 21);
        expect_near(decoded(message), expected, 1e-4);
    }
}

TEST(Frame, VolumesAreCutAcrossEachAxis) {
    Stage stage;
    const Player player(stage.project(grid_text("9x7x5")), stage.context);
    const std::vector<double> cells = values(player, "u");
    const auto cell = [&](int x, int y, int z) { return cells[static_cast<std::size_t>((z * 7 + y) * 9 + x)]; };
    const auto cut = [&](const char* axis, Index slice) {
        ChangeView change;
        change.axis = axis[0] - 'x';
        change.slice = slice;
        return decoded(make_frame(player.field(), changed(whole_view(player.spec().domain, 0), change, player.field()), {}, stage.team));
    };
    std::vector<double> across_x, across_y, across_z;
    for (int z = 0; z < 5; ++z) {
        for (int y = 0; y < 7; ++y) across_x.push_back(cell(2, y, z));
        for (int x = 0; x < 9; ++x) across_y.push_back(cell(x, 6, z));
    }
    for (int y = 0; y < 7; ++y) {
        for (int x = 0; x < 9; ++x) across_z.push_back(cell(x, y, 4));
    }
    expect_near(cut("x", 2), across_x, 1e-4);
    expect_near(cut("y", 6), across_y, 1e-4);
    expect_near(cut("z", 4), across_z, 1e-4);
}

TEST(Frame, AViewStaysOnTheGrid) {
    Stage stage;
    const Player player(stage.project(grid_text("37x23")), stage.context);
    ChangeView change;
    change.region = {{-10, 3.7, 1e9, 4.2}};
    const View view = changed(whole_view(player.spec().domain, 0), change, player.field());
    EXPECT_EQ(view.region, (std::array<Index, 4>{0, 3, 37, 5}));
    change.region = {{50, 50, 50, 50}};
    EXPECT_EQ(changed(view, change, player.field()).region, (std::array<Index, 4>{36, 22, 37, 23}));
    change.region.reset();
    change.field = "w";
    EXPECT_THROW(changed(view, change, player.field()), core::InputError);
}

TEST(Frame, AConstantFieldIsItsValue) {
    Stage stage;
    const Player player(stage.project("equations.u = '0*u'\ninitial.u = 0.25\ngrid.size = '5x5'\ntime.dt = 1\nrun.device = 'reference'\n"),
                        stage.context);
    for (const double value : decoded(make_frame(player.field(), whole_view(player.spec().domain, 0), {}, stage.team)))
        EXPECT_EQ(value, 0.25);
}

TEST(Frame, UnpacksToItself) {
    Stage stage;
    const Player player(stage.project(grid_text("64x48")), stage.context);
    for (const int bytes : {1, 2}) {
        View view = whole_view(player.spec().domain, 0);
        view.bytes = bytes;
        const std::vector<std::uint8_t> message = make_frame(player.field(), view, {.frame = 5, .generation = 0, .moment = {}}, stage.team),
                                        small = packed(message);
        EXPECT_EQ(small[5], 1);
        EXPECT_LT(small.size(), message.size());
        const std::size_t count = 64 * 48, each = static_cast<std::size_t>(bytes);
        ASSERT_EQ(at<std::uint32_t>(small, 72), count * each);
        std::vector<std::uint8_t> planes(count * each), plain(count * each);
        uLongf size = planes.size();
        ASSERT_EQ(uncompress(planes.data(), &size, small.data() + kHeaderBytes, small.size() - kHeaderBytes), Z_OK);
        for (std::size_t plane = 0; plane < each; ++plane) {
            std::uint8_t sum = 0;
            for (std::size_t i = 0; i < count; ++i)
                plain[i * each + plane] = sum = static_cast<std::uint8_t>(sum + planes[plane * count + i]);
        }
        EXPECT_TRUE(std::equal(plain.begin(), plain.end(), message.begin() + kHeaderBytes));
    }
}

TEST(Frame, ASurfaceIsSentOnceAndItsValuesByVertex) {
    Stage stage;
    const Player player(
        stage.project(
            "equations.u = 'lap(u)'\ninitial.u = 'x + 2*y'\nmesh.shape = 'sphere:2'\ntime.dt = 0.0001\nrun.device = 'reference'\n"),
        stage.context);
    const auto& mesh = std::get<domain::Mesh>(player.spec().domain);
    const std::vector<std::uint8_t> geometry = make_geometry(mesh, 2),
                                    frame = make_frame(player.field(), whole_view(player.spec().domain, 0), {}, stage.team);
    EXPECT_EQ(geometry[4], 3);
    ASSERT_EQ(at<std::uint32_t>(geometry, kHeaderBytes), 162u);
    ASSERT_EQ(at<std::uint32_t>(geometry, kHeaderBytes + 4), 320u);
    EXPECT_EQ(frame[4], 2);
    const std::vector<double> cells = decoded(frame);
    ASSERT_EQ(cells.size(), 162u);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const float x = at<float>(geometry, kHeaderBytes + 8 + 12 * i), y = at<float>(geometry, kHeaderBytes + 12 + 12 * i),
                    z = at<float>(geometry, kHeaderBytes + 16 + 12 * i);
        EXPECT_NEAR(x * x + y * y + z * z, 1, 1e-6);
        EXPECT_NEAR(cells[i], (x + 2 * y) * mesh.scale, 1e-3 * mesh.scale);
    }
    for (std::size_t i = 0; i < 960; ++i) EXPECT_LT(at<std::uint32_t>(geometry, kHeaderBytes + 8 + 12 * 162 + 4 * i), 162u);
}

}  // namespace
}  // namespace mottle::live::frame_test
