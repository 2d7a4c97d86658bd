// tests/unit/model_library/pattern.h: what the tests of presets measure in a picture: wavelength, spots, symmetry, coverage
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <vector>

namespace pattern {

/// A field of nx x ny cells, x fastest.
struct Field {
    int nx = 0, ny = 0;
    std::vector<double> cells;

    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x);
    }
    double at(int x, int y) const { return cells[index(x, y)]; }
};

struct Moments {
    double low = 0, high = 0, mean = 0, deviation = 0;
};

inline Moments moments(const Field& field) {
    Moments result;
    const auto [low, high] = std::minmax_element(field.cells.begin(), field.cells.end());
    const auto count = static_cast<double>(field.cells.size());
    result.low = *low;
    result.high = *high;
    result.mean = std::accumulate(field.cells.begin(), field.cells.end(), 0.0) / count;
    double sum = 0;
    for (double value : field.cells) sum += (value - result.mean) * (value - result.mean);
    result.deviation = std::sqrt(sum / count);
    return result;
}

/// In place; the length is a power of two.
inline void transform(std::vector<std::complex<double>>& values) {
    const std::size_t n = values.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(values[i], values[j]);
    }
    for (std::size_t length = 2; length <= n; length <<= 1) {
        const std::complex<double> step = std::polar(1.0, -2 * std::acos(-1.0) / static_cast<double>(length));
        for (std::size_t i = 0; i < n; i += length) {
            std::complex<double> turn = 1;
            for (std::size_t k = 0; k < length / 2; ++k, turn *= step) {
                const std::complex<double> even = values[i + k], odd = values[i + k + length / 2] * turn;
                values[i + k] = even + odd;
                values[i + k + length / 2] = even - odd;
            }
        }
    }
}

/// The wavelength, in cells, where the power spectrum summed over rings has its peak; the field is square with a power of two on a side.
inline double wavelength(const Field& field) {
    const int n = field.nx;
    const auto size = static_cast<std::size_t>(n);
    const double mean = moments(field).mean;
    std::vector<std::complex<double>> plane(size * size), line(size);
    for (std::size_t y = 0; y < size; ++y) {
        for (std::size_t x = 0; x < size; ++x) line[x] = field.cells[y * size + x] - mean;
        transform(line);
        for (std::size_t x = 0; x < size; ++x) plane[y * size + x] = line[x];
    }
    std::vector<double> power(size, 0.0);
    for (std::size_t x = 0; x < size; ++x) {
        for (std::size_t y = 0; y < size; ++y) line[y] = plane[y * size + x];
        transform(line);
        for (std::size_t y = 0; y < size; ++y) {
            const auto a = static_cast<double>(std::min(x, size - x)), b = static_cast<double>(std::min(y, size - y));
            power[static_cast<std::size_t>(std::lround(std::hypot(a, b)))] += std::norm(line[y]);
        }
    }
    const auto begin = power.begin() + 1, end = power.begin() + n / 2;
    const auto peak = std::max_element(begin, end) - power.begin();
    // The centre of the peak, a quarter to either side.
    double weight = 0, sum = 0;
    for (auto q = std::max<std::ptrdiff_t>(1, peak - peak / 4 - 1); q <= peak + peak / 4 + 1 && q < n / 2; ++q) {
        weight += power[static_cast<std::size_t>(q)];
        sum += power[static_cast<std::size_t>(q)] * static_cast<double>(q);
    }
    return n / (sum / weight);
}

/// Connected regions (4 neighbours, wrapped) of cells above `threshold`, or of those below it.
inline int count_regions(const Field& field, double threshold, bool above) {
    std::vector<bool> left(field.cells.size());
    for (std::size_t c = 0; c < left.size(); ++c) left[c] = (field.cells[c] > threshold) == above;
    int regions = 0;
    std::vector<std::pair<int, int>> edge;
    for (int y = 0; y < field.ny; ++y) {
        for (int x = 0; x < field.nx; ++x) {
            if (!left[field.index(x, y)]) continue;
            ++regions;
            left[field.index(x, y)] = false;
            edge.assign(1, {x, y});
            while (!edge.empty()) {
                const auto [cx, cy] = edge.back();
                edge.pop_back();
                for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
                    const int nx = (cx + dx + field.nx) % field.nx, ny = (cy + dy + field.ny) % field.ny;
                    if (!left[field.index(nx, ny)]) continue;
                    left[field.index(nx, ny)] = false;
                    edge.push_back({nx, ny});
                }
            }
        }
    }
    return regions;
}

/// Largest difference to the nearest of the mirror images: left-right, top-bottom and, of a square, the two diagonals.
inline double asymmetry(const Field& field) {
    const int nx = field.nx, ny = field.ny;
    double worst[4] = {};
    for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
            const double here = field.at(x, y);
            worst[0] = std::max(worst[0], std::abs(here - field.at(nx - 1 - x, y)));
            worst[1] = std::max(worst[1], std::abs(here - field.at(x, ny - 1 - y)));
            if (nx != ny) continue;
            worst[2] = std::max(worst[2], std::abs(here - field.at(y, x)));
            worst[3] = std::max(worst[3], std::abs(here - field.at(nx - 1 - y, nx - 1 - x)));
        }
    }
    return *std::min_element(worst, worst + (nx == ny ? 4 : 2));
}

/// Largest difference between two fields of one size.
inline double difference(const Field& a, const Field& b) {
    double worst = 0;
    for (std::size_t c = 0; c < a.cells.size(); ++c) worst = std::max(worst, std::abs(a.cells[c] - b.cells[c]));
    return worst;
}

/// The share of 8 x 8 blocks over which the field varies by more than `amount`.
inline double coverage(const Field& field, double amount) {
    constexpr int kBlocks = 8;
    int covered = 0;
    for (int by = 0; by < kBlocks; ++by) {
        for (int bx = 0; bx < kBlocks; ++bx) {
            double low = field.at(bx * field.nx / kBlocks, by * field.ny / kBlocks), high = low;
            for (int y = by * field.ny / kBlocks; y < (by + 1) * field.ny / kBlocks; ++y) {
                for (int x = bx * field.nx / kBlocks; x < (bx + 1) * field.nx / kBlocks; ++x) {
                    low = std::min(low, field.at(x, y));
                    high = std::max(high, field.at(x, y));
                }
            }
            covered += high - low > amount;
        }
    }
    return static_cast<double>(covered) / (kBlocks * kBlocks);
}

}  // namespace pattern
