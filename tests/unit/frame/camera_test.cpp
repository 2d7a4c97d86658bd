// tests/unit/frame/camera_test.cpp: a camera shows all of a surface, upright, whatever its shape and turn
#include "mottle/frame/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace camera_test {

using namespace mottle;
using frame::Vec3;

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The pixel through which the camera sees p: corner + x across + y down is parallel to p - eye.
std::array<double, 2> pixel_of(const frame::Sight& sight, const Vec3& p) {
    const std::array<double, 3> d = {p[0] - sight.eye[0], p[1] - sight.eye[1], p[2] - sight.eye[2]};
    const double depth = -dot(d, sight.back);
    EXPECT_GT(depth, 0);
    const std::array<double, 3> at = {d[0] / depth, d[1] / depth, d[2] / depth};
    const std::array<double, 3> from = {at[0] - sight.corner[0], at[1] - sight.corner[1], at[2] - sight.corner[2]};
    return {dot(from, sight.across) / dot(sight.across, sight.across), dot(from, sight.down) / dot(sight.down, sight.down)};
}

std::vector<Vec3> lump() {
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) {
        const float t = static_cast<float>(i) * 0.37F;
        points.push_back({0.5F * std::sin(3 * t) + 0.1F, 0.8F * std::cos(2 * t), 0.3F * std::sin(t)});
    }
    return points;
}

TEST(Camera, FillsThePictureAndCutsNothing) {
    const auto points = lump();
    for (const std::array<int, 2> pixels : {std::array{640, 360}, std::array{100, 300}}) {
        for (const std::array<double, 2> angles :
             {std::array{0.0, 0.0}, std::array{30.0, 15.0}, std::array{200.0, -70.0}, std::array{10.0, 90.0}}) {
            const frame::Sight sight = frame::aim({angles, 1}, points, pixels, 0, false);
            double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
            for (const Vec3& p : points) {
                const auto [x, y] = pixel_of(sight, p);
                left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
            }
            EXPECT_GE(std::min(left, top), 0);
            EXPECT_LE(right, pixels[0]);
            EXPECT_LE(bottom, pixels[1]);
            EXPECT_GT(std::max((right - left) / pixels[0], (bottom - top) / pixels[1]), 0.85) << angles[0] << " " << angles[1];
        }
    }
}

TEST(Camera, StandsAzimuthAndElevationAsSaid) {
    const auto points = lump();
    const frame::Sight front = frame::aim({{{0, 0}}, 1}, points, {100, 100}, 0, false);
    EXPECT_NEAR(front.back[2], 1, 1e-12);
    EXPECT_NEAR(front.right[0], 1, 1e-12);
    EXPECT_NEAR(front.up[1], 1, 1e-12);
    const frame::Sight side = frame::aim({{{60, 0}}, 1}, points, {100, 100}, 30, false);
    EXPECT_NEAR(side.back[0], 1, 1e-12);
    const frame::Sight above = frame::aim({{{0, 90}}, 1}, points, {100, 100}, 0, false);
    EXPECT_NEAR(above.back[1], 1, 1e-12);
    EXPECT_NEAR(above.up[2], -1, 1e-12);
}

TEST(Camera, TwiceTheDistanceShowsItHalfAsLarge) {
    const auto points = lump();
    const frame::Sight near = frame::aim({{{0, 0}}, 8}, points, {400, 400}, 0, false),
                       far = frame::aim({{{0, 0}}, 16}, points, {400, 400}, 0, false);
    const double a = pixel_of(near, points[3])[1] - pixel_of(near, points[40])[1],
                 b = pixel_of(far, points[3])[1] - pixel_of(far, points[40])[1];
    EXPECT_NEAR(a / b, 2, 0.03);
}

TEST(Camera, ATurningSurfaceStaysInThePicture) {
    const auto points = lump();
    double widest = 0;
    for (int k = 0; k < 36; ++k) {
        const frame::Sight sight = frame::aim({{{0, 20}}, 1}, points, {300, 200}, 10.0 * k, true);
        for (const Vec3& p : points) {
            const auto [x, y] = pixel_of(sight, p);
            EXPECT_TRUE(x >= 0 && x <= 300 && y >= 0 && y <= 200) << k;
            widest = std::max({widest, std::abs(x - 150) / 150, std::abs(y - 100) / 100});
        }
    }
    EXPECT_GT(widest, 0.6);
}

TEST(Camera, LooksAtFlatSurfacesFromTheFront) {
    const std::vector<Vec3> sheet = {{-0.5F, -0.4F, 0}, {0.5F, 0.4F, 0}, {0.1F, 0.3F, 0}}, floor = {{-0.5F, 0, -0.4F}, {0.5F, 0, 0.4F}};
    EXPECT_NEAR(frame::aim({}, sheet, {100, 100}, 0, false).back[2], 1, 1e-12);
    EXPECT_NEAR(frame::aim({}, floor, {100, 100}, 0, false).back[1], 1, 1e-12);
    EXPECT_LT(frame::aim({}, lump(), {100, 100}, 0, false).back[2], 0.9);
}

}  // namespace camera_test
