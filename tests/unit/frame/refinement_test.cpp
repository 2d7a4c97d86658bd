// tests/unit/frame/refinement_test.cpp: refined surfaces: exact on planes, close to a ball and to smooth values on it
#include "mottle/frame/refinement.h"

#include "mottle/frame/lit_surface.h"
#include "unit/frame/small_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace refinement_test {

using namespace mottle;
using frame::Refinement;
using frame::Vec3;

double worst(const std::vector<double>& errors) { return *std::max_element(errors.begin(), errors.end()); }

TEST(Refinement, CutsEachFaceIntoFour) {
    const domain::Surface square = small::square();
    const auto points = frame::normalised_points(square);
    const Refinement fine(points, frame::smooth_normals(points, square.faces), square.faces);
    EXPECT_EQ(fine.coarse_count(), 4U);
    EXPECT_EQ(fine.points().size(), 9U);  // 4 corners and 5 edges
    ASSERT_EQ(fine.faces().size(), 8U);
    double area = 0;
    for (const auto& [a, b, c] : fine.faces()) {
        const Vec3 &p = fine.points()[static_cast<std::size_t>(a)], &q = fine.points()[static_cast<std::size_t>(b)],
                   &r = fine.points()[static_cast<std::size_t>(c)];
        const double signed_area = static_cast<double>((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
        EXPECT_GT(signed_area, 0) << "the orientation stays";
        area += signed_area;
    }
    EXPECT_NEAR(area, 2, 1e-6);  // a square whose corners have distance 1 from its middle
}

TEST(Refinement, LinearValuesOnAPlaneStayLinear) {
    const domain::Surface square = small::square();
    const auto points = frame::normalised_points(square);
    const Refinement fine(points, frame::smooth_normals(points, square.faces), square.faces);
    core::ThreadTeam team(2);
    auto f = [](const Vec3& p) { return 3 * p[0] - 2 * p[1] + 0.5F; };
    std::vector<float> from, to;
    for (const Vec3& p : points) from.push_back(f(p));
    fine.refine(from, to, team);
    ASSERT_EQ(to.size(), 9U);
    for (std::size_t v = 0; v < to.size(); ++v) EXPECT_NEAR(to[v], f(fine.points()[v]), 1e-6);
}

TEST(Refinement, IsCloserToABallThanFlatFacesAre) {
    const domain::Surface ball = small::ball(3);
    const auto points = frame::normalised_points(ball);
    const Refinement fine(points, frame::smooth_normals(points, ball.faces), ball.faces);
    core::ThreadTeam team(2);
    auto f = [](double x, double y, double z) { return std::sin(3 * x) * y + z * z; };
    std::vector<float> from, to;
    for (const Vec3& p : points) from.push_back(static_cast<float>(f(p[0], p[1], p[2])));
    fine.refine(from, to, team);
    std::vector<double> off, off_flat, wrong, wrong_flat;
    for (std::size_t k = 0; k < ball.faces.size(); ++k) {
        const domain::Vertex a = ball.faces[k][0], b = ball.faces[k][1];
        const auto new_vertex = static_cast<std::size_t>(fine.faces()[4 * k][1]);  // on the edge ab
        const Vec3 &p = points[static_cast<std::size_t>(a)], &q = points[static_cast<std::size_t>(b)], &m = fine.points()[new_vertex];
        const double x = (p[0] + q[0]) / 2, y = (p[1] + q[1]) / 2, z = (p[2] + q[2]) / 2, radius = std::hypot(x, y, z);
        off.push_back(std::abs(std::hypot(m[0], m[1], m[2]) - 1));
        off_flat.push_back(std::abs(radius - 1));
        const double exact = f(x / radius, y / radius, z / radius);
        wrong.push_back(std::abs(to[new_vertex] - exact));
        wrong_flat.push_back(std::abs((from[static_cast<std::size_t>(a)] + from[static_cast<std::size_t>(b)]) / 2 - exact));
    }
    for (std::size_t v = 0; v < fine.points().size(); ++v) {
        double along = 0;
        for (std::size_t d = 0; d < 3; ++d) along += static_cast<double>(fine.points()[v][d]) * static_cast<double>(fine.normals()[v][d]);
        EXPECT_GT(along, 0.998) << "normals of a ball point outwards";
    }
    EXPECT_LT(worst(off), worst(off_flat) / 5);
    EXPECT_LT(worst(wrong), worst(wrong_flat) / 3);
    for (std::size_t v = 0; v < points.size(); ++v) EXPECT_EQ(to[v], from[v]);
}

TEST(Refinement, WhatIsNoNumberStaysWhereItIs) {
    const domain::Surface ball = small::ball(2);
    const auto points = frame::normalised_points(ball);
    const Refinement fine(points, frame::smooth_normals(points, ball.faces), ball.faces);
    core::ThreadTeam team(2);
    std::vector<float> from(points.size(), 1.0F), to;
    from[7] = std::numeric_limits<float>::quiet_NaN();
    fine.refine(from, to, team);
    std::size_t ends = 0, bad = 0;
    for (const auto& face : ball.faces) ends += static_cast<std::size_t>(std::count(face.begin(), face.end(), 7));
    for (const float value : to) {
        if (std::isnan(value))
            ++bad;
        else
            EXPECT_EQ(value, 1.0F);
    }
    EXPECT_EQ(bad, 1 + ends) << "the vertex and the edges that end there, as many as faces round it";
}

}  // namespace refinement_test
