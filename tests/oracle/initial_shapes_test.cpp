// tests/oracle/initial_shapes_test.cpp: disk, ring, box and gauss against loops written from their definitions
#include "mottle/field/source.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace initial_shapes_test {

constexpr long kNx = 37, kNy = 23;
constexpr double kHx = 0.25, kHy = 0.5;

/// Every cell by a formula of its centre: x, y in lengths, X, Y in 0..1.
using Formula = std::function<double(double x, double y, double X, double Y)>;

std::vector<double> by_loop(const Formula& formula) {
    std::vector<double> cells;
    for (long j = 0; j < kNy; ++j) {
        for (long i = 0; i < kNx; ++i) {
            const double x = (static_cast<double>(i) + 0.5) * kHx, y = (static_cast<double>(j) + 0.5) * kHy;
            cells.push_back(formula(x, y, x / (kNx * kHx), y / (kNy * kHy)));
        }
    }
    return cells;
}

std::vector<double> evaluate(const std::string& text) {
    mottle::model::Equation equation;
    equation.field = "u";
    equation.initial = mottle::model::parse({text, {"m.toml", 1, 1, 1, mottle::core::make_source(text)}});
    mottle::model::Model model;
    model.equations.push_back(equation);
    mottle::domain::Grid grid;
    grid.size = {kNx, kNy, 1};
    grid.spacing = {kHx, kHy, 1};
    const mottle::domain::Domain domain = grid;
    const auto rows = mottle::field::create_row_expression(mottle::ir::lower_position(equation.initial, model, domain), domain, {});
    std::vector<double> cells(kNx * kNy);
    for (long row = 0; row < kNy; ++row) rows(row, 0, {&cells[static_cast<std::size_t>(row * kNx)], kNx});
    return cells;
}

double distance(double x, double y, double cx, double cy) {
    const double dx = x - cx * (kNx * kHx), dy = y - cy * (kNy * kHy);
    return std::sqrt(dx * dx + dy * dy);
}

void expect_near(const std::vector<double>& result, const std::vector<double>& expected, double tolerance) {
    ASSERT_EQ(result.size(), expected.size());
    double sum = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        ASSERT_NEAR(result[i], expected[i], tolerance) << "cell " << i;
        sum += expected[i];
    }
    EXPECT_GT(sum, 0) << "the shape misses the domain and tests nothing";
}

TEST(InitialShapes, Disk) {
    expect_near(evaluate("disk(0.4, 0.6, 2.2)"),
                by_loop([](double x, double y, double, double) { return distance(x, y, 0.4, 0.6) <= 2.2 ? 1 : 0; }), 0);
    // not periodic: a disk at the border is cut off
    expect_near(evaluate("disk(0, 0, 3)"), by_loop([](double x, double y, double, double) { return x * x + y * y <= 9 ? 1 : 0; }), 0);
    // the only plane lies at z = 1/2 = Z h
    expect_near(evaluate("disk(0.4, 0.6, 0.5, 2.2)"),
                by_loop([](double x, double y, double, double) { return distance(x, y, 0.4, 0.6) <= 2.2 ? 1 : 0; }), 0);
}

TEST(InitialShapes, Ring) {
    expect_near(evaluate("ring(0.5, 0.5, 3, 1)"),
                by_loop([](double x, double y, double, double) { return std::abs(distance(x, y, 0.5, 0.5) - 3) <= 0.5 ? 1 : 0; }), 0);
}

TEST(InitialShapes, Box) {
    expect_near(evaluate("box(0.2, 0.1, 0.7, 0.35)"),
                by_loop([](double, double, double X, double Y) { return X >= 0.2 && X < 0.7 && Y >= 0.1 && Y < 0.35 ? 1 : 0; }), 0);
}

TEST(InitialShapes, BoxesSideBySideShareNoCell) {
    expect_near(evaluate("box(0, 0, 0.5, 1) + box(0.5, 0, 1, 1)"), by_loop([](double, double, double, double) { return 1; }), 0);
}

TEST(InitialShapes, Gauss) {
    expect_near(evaluate("gauss(0.3, 0.7, 1.5)"), by_loop([](double x, double y, double, double) {
                    const double d = distance(x, y, 0.3, 0.7);
                    return std::exp(-d * d / (2 * 1.5 * 1.5));
                }),
                1e-15);
}

TEST(InitialShapes, ArgumentsMayVary) {
    expect_near(evaluate("disk(0.5, 0.5, 1 + 2*X)"),
                by_loop([](double x, double y, double X, double) { return distance(x, y, 0.5, 0.5) <= 1 + 2 * X ? 1 : 0; }), 0);
}

TEST(InitialShapes, ElementaryFunctionsOfPosition) {
    expect_near(evaluate("1 + 0.3*sin(2*pi*X)*cos(4*pi*Y) + tanh(x - 4)/(1 + y^2) + sqrt(x)*exp(-y)"),
                by_loop([](double x, double y, double X, double Y) {
                    return 1 + 0.3 * std::sin(2 * M_PI * X) * std::cos(4 * M_PI * Y) + std::tanh(x - 4) / (1 + y * y) +
                           std::sqrt(x) * std::exp(-y);
                }),
                1e-14);
}

}  // namespace initial_shapes_test
