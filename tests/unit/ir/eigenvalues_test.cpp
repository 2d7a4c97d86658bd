// tests/unit/ir/eigenvalues_test.cpp: eigenvalues against closed forms
#include "mottle/ir/stability/eigenvalues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace eigenvalues_test {

using Complex = std::complex<double>;
using Matrix = std::vector<std::vector<double>>;

/// The largest distance of a wanted value to the nearest found one, each of which is taken once.
double distance(std::vector<Complex> wanted, std::vector<Complex> found) {
    EXPECT_EQ(wanted.size(), found.size());
    double worst = 0;
    for (const Complex& value : wanted) {
        const auto nearest = std::min_element(
            found.begin(), found.end(), [&](const Complex& a, const Complex& b) { return std::abs(a - value) < std::abs(b - value); });
        if (nearest == found.end()) return INFINITY;
        worst = std::max(worst, std::abs(*nearest - value));
        found.erase(nearest);
    }
    return worst;
}

/// Row i is the first one, turned i places to the right: its eigenvalues are the Fourier sums of that row.
void expect_circulant(const std::vector<double>& first) {
    const std::size_t n = first.size();
    Matrix matrix(n, std::vector<double>(n));
    std::vector<Complex> wanted(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            matrix[i][j] = first[(j + n - i) % n];
            wanted[i] += first[j] * std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(i * j % n) / static_cast<double>(n));
        }
    }
    EXPECT_LT(distance(wanted, mottle::ir::eigenvalues(matrix)), 1e-12 * static_cast<double>(n)) << n;
    EXPECT_LT(distance(wanted, mottle::ir::eigenvalues_by_qr(matrix)), 1e-12 * static_cast<double>(n)) << n;
}

TEST(Eigenvalues, OfCirculantsAreFourierSums) {
    for (const std::size_t n : {3U, 5U, 8U}) {
        std::vector<double> first(n);
        for (std::size_t j = 0; j < n; ++j) first[j] = std::cos(1.0 + 3.0 * static_cast<double>(j * j));
        expect_circulant(first);
    }
    for (const std::size_t n : {9U, 16U, 33U, 64U, 100U}) {
        std::vector<double> first(n);
        for (std::size_t j = 0; j < n; ++j) first[j] = std::cos(1.0 + 3.0 * static_cast<double>(j * j));
        expect_circulant(first);
    }
}

TEST(Eigenvalues, OfSecondDifferencesWithDriftAndOfTriangles) {
    // tridiagonal (a, b, c): b + 2 sqrt(a c) cos(k pi/(n + 1)), complex where a c < 0
    for (const auto& [a, c] : {std::pair(1.0, 1.0), std::pair(1.5, 0.5), std::pair(-0.75, 0.25)}) {
        const std::size_t n = 24;
        Matrix matrix(n, std::vector<double>(n));
        std::vector<Complex> wanted;
        for (std::size_t i = 0; i < n; ++i) {
            matrix[i][i] = -2;
            if (i > 0) matrix[i][i - 1] = a;
            if (i + 1 < n) matrix[i][i + 1] = c;
            wanted.push_back(-2.0 + 2.0 * std::sqrt(Complex(a * c)) * std::cos(static_cast<double>(i + 1) * std::numbers::pi / (n + 1.0)));
        }
        EXPECT_LT(distance(wanted, mottle::ir::eigenvalues(matrix)), 1e-7);  // not normal: digits go by n*log2(a/c)/2 bits
    }
    Matrix triangle(12, std::vector<double>(12));
    std::vector<Complex> diagonal;
    for (std::size_t i = 0; i < 12; ++i) {
        for (std::size_t j = i; j < 12; ++j) triangle[i][j] = static_cast<double>((7 * i + 3 * j) % 5) - 2;
        triangle[i][i] = static_cast<double>(i * i) - 30;
        diagonal.emplace_back(triangle[i][i]);
    }
    EXPECT_LT(distance(diagonal, mottle::ir::eigenvalues(triangle)), 1e-10);
    EXPECT_LT(distance(std::vector<Complex>(20), mottle::ir::eigenvalues(Matrix(20, std::vector<double>(20)))), 1e-300) << "all zero";
}

}  // namespace eigenvalues_test
