// mottle/benchmarks/baseline/peer_problems.cpp: loops over cells, with OpenMP where the compiler has it
#include "baseline/peer_problems.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace mottle::benchmarks {
namespace {

using Point = std::array<double, 3>;

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double twice_area(const Point& a, const Point& b) {
    const Point c = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return std::sqrt(dot(c, c));
}

}  // namespace

void PeerSpace::laplacian(const double* f, double* out) const {
    if (size > 0) {
#pragma omp parallel for
        for (int y = 0; y < size; ++y) {
            const double *here = f + y * size, *up = f + (y + size - 1) % size * size, *down = f + (y + 1) % size * size;
            double* to = out + y * size;
            const int last = size - 1;
            to[0] = up[0] + down[0] + here[last] + here[1] - 4 * here[0];
            for (int x = 1; x < last; ++x) to[x] = up[x] + down[x] + here[x - 1] + here[x + 1] - 4 * here[x];
            to[last] = up[last] + down[last] + here[last - 1] + here[0] - 4 * here[last];
        }
        return;
    }
#pragma omp parallel for
    for (int i = 0; i < count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        double total = 0;
        for (int e = first[at]; e < first[at + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            total += weight[entry] * (f[neighbour[entry]] - f[i]);
        }
        out[i] = total;
    }
}

PeerSpace peer_mesh(const std::vector<Point>& position, const std::vector<std::array<int, 3>>& faces) {
    std::vector<std::map<int, double>> rows(position.size());
    std::vector<double> mass(position.size());
    for (const std::array<int, 3>& face : faces) {
        for (std::size_t c = 0; c < 3; ++c) {
            const auto k = static_cast<std::size_t>(face[c]), i = static_cast<std::size_t>(face[(c + 1) % 3]),
                       j = static_cast<std::size_t>(face[(c + 2) % 3]);
            const Point a = minus(position[i], position[k]), b = minus(position[j], position[k]);
            const double area = twice_area(a, b);
            if (area == 0) continue;
            rows[i][static_cast<int>(j)] += 0.5 * dot(a, b) / area;
            rows[j][static_cast<int>(i)] += 0.5 * dot(a, b) / area;
            mass[k] += area / 6;
        }
    }
    PeerSpace space;
    space.first.push_back(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double total = 0;
        for (const auto& [j, w] : rows[i]) {
            space.neighbour.push_back(j);
            space.weight.push_back(w / mass[i]);
            total += w / mass[i];
        }
        space.sum.push_back(total);
        space.first.push_back(static_cast<int>(space.neighbour.size()));
    }
    return space;
}

PeerProblem::PeerProblem(const std::string& name, PeerSpace space) : fields_(2), space_(std::move(space)) {
    if (name == "schnakenberg") {
        kind_ = Kind::schnakenberg, diffusion_ = {1, 40};
    } else if (name == "gray-scott") {
        kind_ = Kind::gray_scott, diffusion_ = {0.16, 0.08};
    } else if (name == "fitzhugh-nagumo") {
        kind_ = Kind::fitzhugh_nagumo, diffusion_ = {1, 0};
    } else if (name == "fast-inhibitor") {
        kind_ = Kind::fast_inhibitor, diffusion_ = {1, 500};
    } else if (name == "cahn-hilliard" && space_.size > 0) {
        kind_ = Kind::cahn_hilliard, diffusion_ = {1, 0}, fields_ = 1;
    } else if (name == "kuramoto-sivashinsky" && space_.size > 0) {
        kind_ = Kind::kuramoto_sivashinsky, diffusion_ = {1, 0}, fields_ = 1;
    } else {
        throw std::runtime_error("no problem '" + name + "' here");
    }
    scratch_.resize(static_cast<std::size_t>(2 * space_.count()));
}

void PeerProblem::rates(const double* y, double* out, Part part) const {
    const int n = space_.count();
    const double whole = part == Part::rest ? 0 : 1;
    if (kind_ == Kind::cahn_hilliard) {  // lap(w), w = u^3 - u of the rest, -lap(u) of the diffusion
        double* w = scratch_.data();
        if (whole == 1)
            space_.laplacian(y, w);
        else
            std::fill(w, w + n, 0);
        const double rest = part == Part::diffusion ? 0 : 1;
#pragma omp parallel for
        for (int i = 0; i < n; ++i) w[i] = rest * (y[i] * y[i] * y[i] - y[i]) - w[i];
        space_.laplacian(w, out);
        return;
    }
    if (kind_ == Kind::kuramoto_sivashinsky) {  // cells of side 1/2: lap by 4, bilap by 16, |grad|^2 of central differences over one length
        double* w = scratch_.data();
        if (whole == 1) {
            space_.laplacian(y, w);
            space_.laplacian(w, out);
        }
        const double rest = part == Part::diffusion ? 0 : 1;
        const int side = space_.size;
#pragma omp parallel for
        for (int row = 0; row < side; ++row) {
            const double* north = y + (row + 1) % side * side;
            const double* south = y + (row + side - 1) % side * side;
            for (int x = 0; x < side; ++x) {
                const int i = row * side + x;
                const double dx = y[row * side + (x + 1) % side] - y[row * side + (x + side - 1) % side], dy = north[x] - south[x];
                out[i] = (whole == 1 ? -(4 * w[i] + 16 * out[i]) : 0) - rest * 0.5 * (dx * dx + dy * dy);
            }
        }
        return;
    }
    for (int f = 0; f < 2; ++f) {
        if (whole == 1 && diffusion_[static_cast<std::size_t>(f)] != 0)
            space_.laplacian(y + f * n, out + f * n);
        else
            std::fill(out + f * n, out + (f + 1) * n, 0);
    }
    const double du = diffusion_[0], dv = diffusion_[1], rest = part == Part::diffusion ? 0 : 1;
    const auto each = [&](const auto& reaction) {
#pragma omp parallel for
        for (int i = 0; i < n; ++i) {
            const auto [ru, rv] = reaction(y[i], y[n + i]);
            out[i] = du * out[i] + rest * ru;
            out[n + i] = dv * out[n + i] + rest * rv;
        }
    };
    using Pair = std::array<double, 2>;
    if (kind_ == Kind::schnakenberg) {
        each([](double u, double v) { return Pair{0.1 - u + u * u * v, 0.9 - u * u * v}; });
    } else if (kind_ == Kind::gray_scott) {
        each([](double u, double v) { return Pair{-u * v * v + 0.037 * (1 - u), u * v * v - 0.097 * v}; });
    } else if (kind_ == Kind::fast_inhibitor) {
        each([](double u, double v) { return Pair{u - u * u * u - v, 3 * u - 2 * v}; });
    } else {
        each([](double u, double v) { return Pair{5 * (u - u * u * u / 3 - v), 0.2 * (u + 0.7 - 0.5 * v)}; });
    }
}

std::array<double, 4> PeerProblem::block(const double* y, int cell, bool diffusion) const {
    if (kind_ == Kind::cahn_hilliard) {
        const double slope = diffusion ? 0 : 3 * y[cell] * y[cell] - 1;
        return {-20 - 4 * slope, 0, 0, 0};
    }
    if (kind_ == Kind::kuramoto_sivashinsky) return {4 * 4 - 16 * 20, 0, 0, 0};  // central differences leave the cell itself out
    const double lap = -space_.diagonal(cell);
    std::array<double, 4> block = {diffusion_[0] * lap, 0, 0, diffusion_[1] * lap};
    if (diffusion) return block;
    const double u = y[cell], v = y[space_.count() + cell];
    std::array<double, 4> slopes{};
    if (kind_ == Kind::schnakenberg)
        slopes = {-1 + 2 * u * v, u * u, -2 * u * v, -u * u};
    else if (kind_ == Kind::gray_scott)
        slopes = {-v * v - 0.037, -2 * u * v, v * v, 2 * u * v - 0.097};
    else if (kind_ == Kind::fast_inhibitor)
        slopes = {1 - 3 * u * u, -1, 3, -2};
    else
        slopes = {5 * (1 - u * u), -5, 0.2, -0.1};
    for (std::size_t i = 0; i < block.size(); ++i) block[i] += slopes[i];
    return block;
}

double PeerProblem::symbol(int field, double wave) const {
    if (kind_ == Kind::cahn_hilliard) return -wave * wave;
    if (kind_ == Kind::kuramoto_sivashinsky) return 4 * wave - 16 * wave * wave;
    return -diffusion_[static_cast<std::size_t>(field)] * wave;
}

}  // namespace mottle::benchmarks
