// tests/oracle/eliminated_lines.h: implicit diffusion on a plain grid by elimination of the full matrix of each line
#pragma once
#include "oracle/plain_grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace oracle {

using FullMatrix = std::vector<std::vector<double>>;

/// The solution x of a x = b. Source: Gauss's elimination with the largest pivots.
inline std::vector<double> eliminated(FullMatrix a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k; i < n; ++i) {
            if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
        }
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double by = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) a[i][j] -= by * a[k][j];
            b[i] -= by * b[k];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
    return b;
}

/// One end of a line: what lies beyond is alpha + beta times the last cell.
struct LineEnd {
    double alpha, beta;
};
inline LineEnd line_end_of(const Side& side, double h) {
    switch (side.rule) {
        case Rule::value:
            return {2 * side.c, -1};
        case Rule::outside:
            return {side.c, 0};
        case Rule::flux:
            return {h * side.c, 1};
        case Rule::robin: {
            const double e = side.b / h;
            return {side.c / (e + side.a / 2), (e - side.a / 2) / (e + side.a / 2)};
        }
        case Rule::periodic:
        case Rule::no_flux:
        case Rule::still:
            break;
    }
    return {0, 1};
}

/// Solves (1 - k d^2) f' = f along a line of cells.
inline std::vector<double> solved_line(std::vector<double> f, double k, double h, const Side& first, const Side& last) {
    const std::size_t n = f.size();
    if (n == 1) return f;
    const double a = k / (h * h);
    FullMatrix matrix(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        matrix[i][i] += 1 + 2 * a;
        for (const bool up : {false, true}) {
            const bool out = up ? i + 1 == n : i == 0;
            if (!out || first.rule == Rule::periodic) {
                matrix[i][(i + (up ? 1 : n - 1)) % n] -= a;
            } else {
                const LineEnd end = line_end_of(up ? last : first, h);
                matrix[i][i] -= a * end.beta;
                f[i] += a * end.alpha;
            }
        }
    }
    return eliminated(matrix, f);
}

/// Solves along all lines of x, then of y.
inline Cells solved(const Grid& g, Cells f, double k, const Sides& sides) {
    for (int y = 0; y < g.ny; ++y) {
        std::vector<double> line(f.begin() + y * g.nx, f.begin() + (y + 1) * g.nx);
        line = solved_line(line, k, g.hx, sides[0], sides[1]);
        std::copy(line.begin(), line.end(), f.begin() + y * g.nx);
    }
    for (int x = 0; x < g.nx; ++x) {
        std::vector<double> line;
        for (int y = 0; y < g.ny; ++y) line.push_back(f[static_cast<std::size_t>(y * g.nx + x)]);
        line = solved_line(line, k, g.hy, sides[2], sides[3]);
        for (int y = 0; y < g.ny; ++y) f[static_cast<std::size_t>(y * g.nx + x)] = line[static_cast<std::size_t>(y)];
    }
    return f;
}

}  // namespace oracle
