// tests/oracle/plain_grid.h: a grid with ghost cells and plain loops over it, written from the definitions alone; includes nothing of Mottle
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace oracle {

using Cells = std::vector<double>;  ///< nx*ny values, x fastest
using Fields = std::vector<Cells>;

enum class Rule { periodic, no_flux, value, outside, still, flux, robin };
struct Side {
    Rule rule = Rule::periodic;
    double c = 0;         ///< of value, outside and robin; the derivative of flux
    double a = 0, b = 0;  ///< robin: a f + b df/dn = c
};
/// left, right, top, bottom.
using Sides = std::array<Side, 4>;

/// The rules of a held value: c becomes 0, the rest stays.
inline Sides homogeneous(Sides sides) {
    for (Side& side : sides) side.c = 0;
    return sides;
}
inline Sides all_sides(Rule rule, double c = 0) { return {Side{rule, c}, Side{rule, c}, Side{rule, c}, Side{rule, c}}; }

constexpr int kLayers = 2;

/// Values with two layers of ghost cells: (i, j) with -2 <= i < nx + 2.
class Ghosted {
   public:
    Ghosted(const Cells& cells, int nx, int ny, const Sides& sides, double hx, double hy) : nx_(nx), ny_(ny), sides_(sides) {
        data_.resize(static_cast<std::size_t>((nx + 2 * kLayers) * (ny + 2 * kLayers)));
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) set(i, j, cells[static_cast<std::size_t>(j * nx + i)]);
        }
        // x ghosts of interior rows first, then y ghosts of whole rows with their x ghosts.
        for (int j = 0; j < ny; ++j) {
            for (int d = 0; d < kLayers; ++d) {
                set(-1 - d, j, ghost(sides[0], raw(d, j), raw(nx - 1 - d, j), (2 * d + 1) * hx));
                set(nx + d, j, ghost(sides[1], raw(nx - 1 - d, j), raw(d, j), (2 * d + 1) * hx));
            }
        }
        for (int i = -kLayers; i < nx + kLayers; ++i) {
            for (int d = 0; d < kLayers; ++d) {
                set(i, -1 - d, ghost(sides[2], raw(i, d), raw(i, ny - 1 - d), (2 * d + 1) * hy));
                set(i, ny + d, ghost(sides[3], raw(i, ny - 1 - d), raw(i, d), (2 * d + 1) * hy));
            }
        }
    }

    double at(int i, int j) const { return raw(i, j); }
    /// What cell (i, j) sees at (i + di, j + dj): on the border of a still side only itself.
    double seen(int i, int j, int di, int dj) const { return is_still(i, j) ? raw(i, j) : raw(i + di, j + dj); }

    /// function(value) in every cell and ghost cell.
    template <class Function>
    Ghosted mapped(Function function) const {
        Ghosted result = *this;
        for (double& value : result.data_) value = function(value);
        return result;
    }
    /// function(value, other's value) in every cell and ghost cell.
    template <class Function>
    Ghosted joined(const Ghosted& other, Function function) const {
        Ghosted result = *this;
        for (std::size_t c = 0; c < data_.size(); ++c) result.data_[c] = function(data_[c], other.data_[c]);
        return result;
    }

   private:
    bool is_still(int i, int j) const {
        return (i == 0 && sides_[0].rule == Rule::still) || (i == nx_ - 1 && sides_[1].rule == Rule::still) ||
               (j == 0 && sides_[2].rule == Rule::still) || (j == ny_ - 1 && sides_[3].rule == Rule::still);
    }
    /// h: from the mirrored cell to the ghost.
    static double ghost(const Side& side, double mirror, double wrapped, double h) {
        switch (side.rule) {
            case Rule::periodic:
                return wrapped;
            case Rule::no_flux:
                return mirror;
            case Rule::value:
                return 2 * side.c - mirror;
            case Rule::outside:
                return side.c;
            case Rule::still:
                return mirror;
            case Rule::flux:
                return mirror + h * side.c;
            case Rule::robin:  // a (ghost + mirror)/2 + b (ghost - mirror)/h = c
                return (side.c - (side.a / 2 - side.b / h) * mirror) / (side.a / 2 + side.b / h);
        }
        return 0;
    }
    std::size_t index(int i, int j) const { return static_cast<std::size_t>((j + kLayers) * (nx_ + 2 * kLayers) + i + kLayers); }
    double raw(int i, int j) const { return data_[index(i, j)]; }
    void set(int i, int j, double value) { data_[index(i, j)] = value; }

    int nx_, ny_;
    Sides sides_;
    std::vector<double> data_;
};

/// The grid of one oracle. The operators follow the definitions term by term.
struct Grid {
    int nx = 0, ny = 0;
    double hx = 1, hy = 1;

    template <class Function>
    Cells cells(Function function) const {
        Cells result(static_cast<std::size_t>(nx * ny));
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) result[static_cast<std::size_t>(j * nx + i)] = function(i, j);
        }
        return result;
    }
    double x(int i) const { return (i + 0.5) * hx; }
    double y(int j) const { return (j + 0.5) * hy; }

    Ghosted ghosted(const Cells& f, const Sides& sides = {}) const { return Ghosted(f, nx, ny, sides, hx, hy); }

    double lap5(const Ghosted& f, int i, int j) const {
        return (f.seen(i, j, -1, 0) - 2 * f.at(i, j) + f.seen(i, j, 1, 0)) / (hx * hx) +
               (f.seen(i, j, 0, -1) - 2 * f.at(i, j) + f.seen(i, j, 0, 1)) / (hy * hy);
    }
    double lap9(const Ghosted& f, int i, int j) const {
        double edges = 0, corners = 0;
        for (int s : {-1, 1}) {
            edges += f.seen(i, j, s, 0) + f.seen(i, j, 0, s);
            corners += f.seen(i, j, s, -1) + f.seen(i, j, s, 1);
        }
        return (4 * edges + corners - 20 * f.at(i, j)) / (6 * hx * hx);
    }
    double lap_custom(const Ghosted& f, int i, int j, const std::array<double, 9>& weights) const {
        double sum = 0;
        for (int dj = -1; dj <= 1; ++dj) {
            for (int di = -1; di <= 1; ++di) sum += weights[static_cast<std::size_t>((dj + 1) * 3 + di + 1)] * f.seen(i, j, di, dj);
        }
        return sum;
    }
    double dx(const Ghosted& f, int i, int j) const { return (f.seen(i, j, 1, 0) - f.seen(i, j, -1, 0)) / (2 * hx); }
    double dy(const Ghosted& f, int i, int j) const { return (f.seen(i, j, 0, 1) - f.seen(i, j, 0, -1)) / (2 * hy); }
    /// div(D*grad(f)) with D at the faces the mean of both cells.
    double div_grad(const Ghosted& d, const Ghosted& f, int i, int j) const {
        auto flux = [&](int di, int dj) { return 0.5 * (d.at(i, j) + d.seen(i, j, di, dj)) * (f.seen(i, j, di, dj) - f.at(i, j)); };
        return (flux(1, 0) + flux(-1, 0)) / (hx * hx) + (flux(0, 1) + flux(0, -1)) / (hy * hy);
    }
};

/// Euler steps: `rates(fields, t)` gives the right sides of all fields.
inline Fields advance(Fields fields, double dt, int steps, const std::function<Fields(const Fields&, double)>& rates) {
    for (int step = 0; step < steps; ++step) {
        const Fields rate = rates(fields, step * dt);
        for (std::size_t k = 0; k < fields.size(); ++k) {
            for (std::size_t c = 0; c < fields[k].size(); ++c) fields[k][c] += dt * rate[k][c];
        }
    }
    return fields;
}

}  // namespace oracle
