// tests/unit/field/point_tree_test.cpp: the nearest of points, ties included, and those within a radius, beside a loop over all points
#include "mottle/field/point_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace point_tree_test {

using namespace mottle;
using domain::Point;
using domain::Vertex;

double squared_distance(const Point& a, const Point& b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/// A lattice of whole numbers, shuffled: distances from multiples of 1/2 are exact, and most places have several nearest points.
std::vector<Point> shuffled_lattice() {
    std::vector<Point> points;
    for (int x = 0; x < 6; ++x) {
        for (int y = 0; y < 5; ++y) {
            for (int z = 0; z < 4; ++z) points.push_back({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        }
    }
    std::shuffle(points.begin(), points.end(), std::mt19937_64(7));
    return points;
}

template <class Check>
void for_each_place(Check&& check) {
    for (double x = -1; x <= 6; x += 0.5) {
        for (double y = -1; y <= 5; y += 0.5) {
            for (double z = -1; z <= 4; z += 0.5) check(Point{x, y, z});
        }
    }
}

TEST(PointTree, OfSeveralNearestPointsFindsTheLowestIndex) {
    const std::vector<Point> points = shuffled_lattice();
    const field::PointTree tree(points);
    int ties = 0;
    for_each_place([&](const Point& place) {
        std::size_t lowest = 0;
        for (std::size_t i = 1; i < points.size(); ++i) {
            if (squared_distance(points[i], place) < squared_distance(points[lowest], place)) lowest = i;
        }
        for (std::size_t i = lowest + 1; i < points.size(); ++i) {
            if (squared_distance(points[i], place) == squared_distance(points[lowest], place)) ++ties;
        }
        EXPECT_EQ(tree.nearest(place), static_cast<Vertex>(lowest)) << place[0] << ", " << place[1] << ", " << place[2];
    });
    EXPECT_GT(ties, 1000);
}

TEST(PointTree, FindsAllPointsWithinARadiusThoseAtTheRadiusIncluded) {
    const std::vector<Point> points = shuffled_lattice();
    const field::PointTree tree(points);
    for (const double radius : {0.0, 0.5, 1.0, 1.5, 2.5}) {
        for_each_place([&](const Point& place) {
            std::vector<Vertex> expected, found;
            for (std::size_t i = 0; i < points.size(); ++i) {
                if (std::sqrt(squared_distance(points[i], place)) <= radius) expected.push_back(static_cast<Vertex>(i));
            }
            tree.within(place, radius, [&](Vertex vertex) { found.push_back(vertex); });
            std::sort(found.begin(), found.end());
            EXPECT_EQ(found, expected) << radius;
        });
    }
}

TEST(PointTree, FewPlacesAndManyAreSearchedAlike) {
    const std::vector<Point> points = shuffled_lattice();
    const field::PointTree tree(points);
    std::vector<Point> places;
    for_each_place([&](const Point& place) { places.push_back(place); });
    std::shuffle(places.begin(), places.end(), std::mt19937_64(8));
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{9}, std::size_t{63}, std::size_t{64}, std::size_t{200}}) {
        const std::span<const Point> some = std::span(places).first(count);
        const std::vector<Vertex> nearest = field::nearest_points(points, some);
        ASSERT_EQ(nearest.size(), count);
        std::vector<std::uint8_t> expected(points.size());
        for (std::size_t k = 0; k < count; ++k) {
            EXPECT_EQ(nearest[k], tree.nearest(places[k]));
            tree.within(places[k], 1, [&](Vertex vertex) { expected[static_cast<std::size_t>(vertex)] = 1; });
        }
        EXPECT_EQ(field::points_within(points, some, 1), expected) << count;
    }
}

}  // namespace point_tree_test
