// mottle/ir/stability/eigenvalues.cpp: eigenvalues of small real matrices: characteristic polynomial by Faddeev and LeVerrier, its roots by Durand and Kerner
#include "mottle/ir/stability/eigenvalues.h"

#include <algorithm>
#include <cmath>

namespace mottle::ir {

using Complex = std::complex<double>;

std::vector<Complex> eigenvalues_by_polynomial(const std::vector<std::vector<double>>& a) {
    const std::size_t n = a.size();
    if (n == 1) return {a[0][0]};
    if (n == 2) {
        const double middle = 0.5 * (a[0][0] + a[1][1]), half = 0.5 * (a[0][0] - a[1][1]);
        const Complex root = std::sqrt(Complex(half * half + a[0][1] * a[1][0]));
        return {middle + root, middle - root};
    }
    std::vector<double> coefficient(n + 1);
    coefficient[n] = 1;
    std::vector<std::vector<double>> m(n, std::vector<double>(n)), product = m;
    for (std::size_t k = 1; k <= n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) m[i][j] = product[i][j] + (i == j ? coefficient[n - k + 1] : 0);
        }
        double trace = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                product[i][j] = 0;
                for (std::size_t l = 0; l < n; ++l) product[i][j] += a[i][l] * m[l][j];
            }
            trace += product[i][i];
        }
        coefficient[n - k] = -trace / static_cast<double>(k);
    }
    double radius = 0;
    for (const auto& row : a) {
        double sum = 0;
        for (double x : row) sum += std::abs(x);
        radius = std::max(radius, sum);
    }
    std::vector<Complex> roots(n);
    Complex start(0.4, 0.9), turn(1);
    for (Complex& root : roots) root = (turn *= start) * radius;
    for (int round = 0; round < 200; ++round) {
        const std::vector<Complex> before = roots;
        for (std::size_t i = 0; i < n; ++i) {
            Complex value(1), others(1);
            for (std::size_t k = n; k-- > 0;) value = value * roots[i] + coefficient[k];
            for (std::size_t j = 0; j < n; ++j) others *= j == i ? Complex(1) : roots[i] - roots[j];
            if (std::abs(others) > 0) roots[i] -= value / others;
        }
        if (roots == before) break;
    }
    return roots;
}

}  // namespace mottle::ir
