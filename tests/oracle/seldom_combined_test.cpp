// tests/oracle/seldom_combined_test.cpp: what only shows where features meet, by plain loops: noise beside sums, flushes between launches, volumes of unequal spacing
#include "kernel_cache.h"
#include "mottle/run/settings/read_spec.h"
#include "oracle/mesh_run.h"
#include "oracle/mottle_run.h"
#include "oracle/plain_noise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace oracle {
namespace seldom_combined_test {

using mottle::core::Index;

/// A run that is advanced in launches which do not begin at multiples of 8; what its fields are after each.
std::vector<Fields> in_launches(const std::string& text, const std::string& settings, const std::vector<Index>& stops,
                                const std::string& device) {
    const auto flags =
        mottle::core::parse_document("precision = \"f64\"\ndevice = \"" + device + "\"\nthreads = 2\n" + settings, "settings");
    mottle::core::ThreadTeam team(2);
    Silent observer;
    mottle::core::Context context{team, observer, kernel_cache()};
    mottle::run::Simulation simulation(mottle::run::read_spec(mottle::core::parse_document(text, "oracle.toml"), "oracle", "", flags),
                                       context);
    std::vector<Fields> found{read_fields(simulation)};
    for (const Index stop : stops) {
        simulation.advance_to(stop);
        found.push_back(read_fields(simulation));
    }
    return found;
}

class SeldomCombined : public testing::TestWithParam<const char*> {
   protected:
    void SetUp() override {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
    }
};

/// A grid of three dimensions, x fastest.
struct Box {
    std::array<int, 3> size;
    std::array<double, 3> h;
    std::size_t index(int x, int y, int z) const { return static_cast<std::size_t>((z * size[1] + y) * size[0] + x); }
    template <class Use>
    void each(Use&& use) const {
        for (int z = 0; z < size[2]; ++z) {
            for (int y = 0; y < size[1]; ++y) {
                for (int x = 0; x < size[0]; ++x) use(x, y, z);
            }
        }
    }
    /// Wraps along every axis; where `still_z`, the first and the last plane see themselves in all directions, and y has mirrors.
    double lap(const Cells& f, int x, int y, int z, bool still_z = false) const {
        const double here = f[index(x, y, z)];
        if (still_z && (z == 0 || z == size[2] - 1)) return 0;
        const auto wrap = [](int i, int n) { return (i + n) % n; };
        const auto mirror = [](int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; };
        const auto y_of = [&](int j) { return still_z ? mirror(j, size[1]) : wrap(j, size[1]); };
        const double dx = f[index(wrap(x - 1, size[0]), y, z)] + f[index(wrap(x + 1, size[0]), y, z)] - 2 * here;
        const double dy = f[index(x, y_of(y - 1), z)] + f[index(x, y_of(y + 1), z)] - 2 * here;
        const double dz = f[index(x, y, wrap(z - 1, size[2]))] + f[index(x, y, wrap(z + 1, size[2]))] - 2 * here;
        return dx / (h[0] * h[0]) + dy / (h[1] * h[1]) + dz / (h[2] * h[2]);
    }
};

void expect_near(const Cells& mine, const Cells& plain, double tolerance) {
    ASSERT_EQ(mine.size(), plain.size());
    double largest = 0;
    for (const double value : plain) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < mine.size(); ++i) ASSERT_NEAR(mine[i], plain[i], tolerance * largest) << i;
}

// The key of a step's noise is formed anew for every step, and the mean that is taken between them is that of the fields.
TEST_P(SeldomCombined, NoiseBesideAMean) {
    const std::string text =
        "[equations]\nu = \"0.2*lap(u) + 0.3*white() - 0.5*mean(u)\"\nv = \"0.1*(mean(u^2) - v) + 0.1*u*white()\"\n[initial]\nu = \"X\"\nv "
        "= "
        "\"Y\"\n";
    const double dt = 0.125, hx = 0.75, hy = 1.25;
    const Grid grid{13, 9, hx, hy};
    const std::vector<Fields> found =
        in_launches(text, "size = \"13x9\"\nspacing = \"0.75,1.25\"\ndt = 0.125\nsteps = 30\nseed = 5\n", {3, 4, 11, 30}, GetParam());
    Fields f = found[0];
    const auto mean_of = [](const Cells& cells) {
        return std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
    };
    std::size_t next = 1;
    for (std::uint64_t step = 0; step < 30; ++step) {
        const Ghosted u = grid.ghosted(f[0]);
        Cells squares = f[0];
        for (double& value : squares) value *= value;
        const double mean = mean_of(f[0]), square = mean_of(squares), scale = 1 / std::sqrt(dt * hx * hy);
        const Fields old = f;
        for (int j = 0; j < grid.ny; ++j) {
            for (int i = 0; i < grid.nx; ++i) {
                const auto c = static_cast<std::size_t>(j * grid.nx + i);
                const auto noise = [&](std::uint32_t number) {
                    return scale * plain::normal(5, step, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), 0, number);
                };
                f[0][c] += dt * (0.2 * grid.lap5(u, i, j) + 0.3 * noise(0) - 0.5 * mean);
                f[1][c] += dt * (0.1 * (square - old[1][c]) + 0.1 * old[0][c] * noise(1));
            }
        }
        if (step + 1 == 3 || step + 1 == 4 || step + 1 == 11 || step + 1 == 30) {
            for (std::size_t k = 0; k < 2; ++k) expect_near(found[next][k], f[k], 1e-6);
            ++next;
        }
    }
}

/// v falls by some 1e-14 with every step: to about 1e-95 after seven, and less than 2^-340 when the eighth ends, which makes it 0. One step earlier or later it would not.
void expect_flush_at_the_eighth(const std::vector<std::vector<double>>& v_after_seven_and_eight) {
    for (const double v : v_after_seven_and_eight[0]) EXPECT_GT(std::abs(v), 0x1p-340) << "too early";
    for (const double v : v_after_seven_and_eight[1]) EXPECT_EQ(v, 0) << "too late";
}

TEST_P(SeldomCombined, TheFlushOfPlanesVolumesAndSums) {
    for (const char* size : {"23x14", "9x7x6"}) {
        for (const char* sum : {"", " + 0.001*(mean(u) - 1)*v"}) {
            const std::string text =
                std::string("[equations]\nu = \"0*u\"\nv = \"1e-15*lap(v) - v") + sum +
                "\"\n[initial]\nu = 1\nv = \"noise(1, 2)*where(mod(floor(x) + floor(y) + floor(z), 2) > 0.5, 1, -1)\"\n";
            const std::string settings = std::string("size = \"") + size + "\"\ndt = 1\nsteps = 20\n";
            for (const std::vector<Index>& stops : {std::vector<Index>{7, 8}, {3, 7, 8}, {1, 6, 7, 8}}) {
                SCOPED_TRACE(std::string(size) + sum);
                const std::vector<Fields> found = in_launches(text, settings, stops, GetParam());
                expect_flush_at_the_eighth({found[found.size() - 2][1], found.back()[1]});
            }
        }
    }
}

// white() is as large as white noise is on cells of three unequal lengths; integral() counts their size.
TEST_P(SeldomCombined, NoiseAndIntegralsOfUnequalSpacing) {
    const Box box{{7, 5, 6}, {0.75, 1.25, 2}};
    const std::string text =
        "[equations]\nu = \"0.1*lap(u) + 0.4*white()\"\nw = \"0.01*integral(u) - 0.2*w\"\n[initial]\nu = \"X + Z\"\nw = \"Y\"\n";
    const std::vector<Fields> found =
        in_launches(text, "size = \"7x5x6\"\nspacing = \"0.75,1.25,2\"\ndt = 0.0625\nsteps = 20\nseed = 11\n", {5, 20}, GetParam());
    Fields f = found[0];
    const double size = 0.75 * 1.25 * 2, dt = 0.0625, scale = 1 / std::sqrt(dt * size);
    for (std::uint64_t step = 0; step < 20; ++step) {
        const Fields old = f;
        const double integral = size * std::accumulate(old[0].begin(), old[0].end(), 0.0);
        box.each([&](int x, int y, int z) {
            const std::size_t c = box.index(x, y, z);
            const double noise =
                plain::normal(11, step, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z), 0);
            f[0][c] += dt * (0.1 * box.lap(old[0], x, y, z) + 0.4 * scale * noise);
            f[1][c] += dt * (0.01 * integral - 0.2 * old[1][c]);
        });
        if (step + 1 == 5 || step + 1 == 20) {
            for (std::size_t k = 0; k < 2; ++k) expect_near(found[step + 1 == 5 ? 1 : 2][k], f[k], 1e-6);
        }
    }
}

// The border cells of `still` sides in z see only themselves, in all directions; those of y do not.
TEST_P(SeldomCombined, StillSidesInFrontAndBehind) {
    const Box box{{8, 7, 5}, {1, 0.75, 1.25}};
    const std::string text = "[equations]\nu = \"0.1*lap(u) + 0.2*u*(1 - u)\"\n[initial]\nu = \"noise(0, 1)\"\n";
    const std::string sides =
        "boundary = { left = \"periodic\", right = \"periodic\", top = \"no-flux\", bottom = \"no-flux\", front = \"still\", back = "
        "\"still\" }\n";
    const std::vector<Fields> found =
        in_launches(text, "size = \"8x7x5\"\nspacing = \"1,0.75,1.25\"\ndt = 0.25\nsteps = 20\n" + sides, {3, 20}, GetParam());
    Cells u = found[0][0];
    for (int step = 0; step < 20; ++step) {
        const Cells old = u;
        box.each([&](int x, int y, int z) {
            const std::size_t c = box.index(x, y, z);
            u[c] += 0.25 * (0.1 * box.lap(old, x, y, z, true) + 0.2 * old[c] * (1 - old[c]));
        });
    }
    expect_near(found[2][0], u, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(, SeldomCombined, testing::Values("reference", "cpu"),
                         [](const auto& device) { return std::string(device.param); });

// A launch on a surface may begin at any step: the flush counts the steps of the run.
TEST(SeldomCombinedOnSurfaces, TheFlushCountsTheStepsOfTheRun) {
    for (const char* device : {"reference", "cpu"}) {
        if (lacks(device)) continue;
        const std::string text = "[equations]\nv = \"3e-16*lap(v) - v\"\n[initial]\nv = \"noise(1, 2)*where(X > Y, 1, -1)\"\n";
        const auto document = mottle::core::parse_document(text, "oracle.toml");
        const auto flags = mottle::core::parse_document(std::string("precision = \"f64\"\ndevice = \"") + device +
                                                            "\"\nmesh = \"sphere:2\"\nmesh_scale = 1\ndt = 1\nsteps = 20\nforce = true\n",
                                                        "settings");
        mottle::core::ThreadTeam team(2);
        Silent observer;
        mottle::core::Context context{team, observer, kernel_cache()};
        for (const std::vector<Index>& stops : {std::vector<Index>{7, 8}, {3, 7, 8}, {1, 6, 7, 8}}) {
            mottle::run::Simulation simulation(mottle::run::read_spec(document, "oracle", "", flags), context);
            std::vector<std::vector<double>> found;
            for (const Index stop : stops) {
                simulation.advance_to(stop);
                found.push_back(read_fields(simulation)[0]);
            }
            expect_flush_at_the_eighth({found[found.size() - 2], found.back()});
        }
    }
}

// A vertex counts as much as its area, in the deviation too.
TEST(SeldomCombinedOnSurfaces, DeviationsAreWeighedByArea) {
    const std::string text = "[equations]\nu = \"0*u\"\n[initial]\nu = \"x^2 + 0.5*z\"\n";
    const auto flags = mottle::core::parse_document(
        "precision = \"f64\"\ndevice = \"reference\"\nmesh = \"torus:3,1,20\"\nmesh_scale = 1\ndt = 1\nsteps = 1\n", "settings");
    mottle::core::ThreadTeam team(2);
    Silent observer;
    mottle::core::Context context{team, observer, kernel_cache()};
    const mottle::run::Simulation simulation(mottle::run::read_spec(mottle::core::parse_document(text, "oracle.toml"), "oracle", "", flags),
                                             context);
    const plain::PlainMesh geometry = plain_of(shape("torus:3,1,20"));
    std::vector<double> area(geometry.position.size());
    for (const auto& face : geometry.faces) {
        std::array<double, 3> a{}, b{}, normal{};
        const auto corner = [&](std::size_t k) { return geometry.position[static_cast<std::size_t>(face[k])]; };
        for (std::size_t d = 0; d < 3; ++d) {
            a[d] = corner(1)[d] - corner(0)[d];
            b[d] = corner(2)[d] - corner(0)[d];
        }
        for (std::size_t d = 0; d < 3; ++d) normal[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
        for (std::size_t k = 0; k < 3; ++k)
            area[static_cast<std::size_t>(face[k])] += std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 6;
    }
    double whole = 0, mean = 0, square = 0;
    const auto u = [&](std::size_t v) { return geometry.position[v][0] * geometry.position[v][0] + 0.5 * geometry.position[v][2]; };
    for (std::size_t v = 0; v < area.size(); ++v) {
        whole += area[v];
        mean += area[v] * u(v);
    }
    mean /= whole;
    for (std::size_t v = 0; v < area.size(); ++v) square += area[v] * (u(v) - mean) * (u(v) - mean);
    const auto found = simulation.field().statistics(0);
    EXPECT_NEAR(found.mean, mean, 1e-9 * mean);
    EXPECT_NEAR(found.std, std::sqrt(square / whole), 1e-9 * found.std);
}

// Spots of a volume wrap along every axis that does: each holds as many cells wherever it lies.
TEST(SeldomCombinedStarts, SpotsWrapAlongEveryAxis) {
    const auto count = [](int seed, const std::string& boundary) {
        const std::vector<Fields> found =
            in_launches("[equations]\nu = \"0*u\"\n[initial]\nu = \"spots(1, 4)\"\n",
                        "size = \"13x12x11\"\ndt = 1\nsteps = 1\nseed = " + std::to_string(seed) + "\n" + boundary, {}, "reference");
        return std::accumulate(found[0][0].begin(), found[0][0].end(), 0.0);
    };
    const double ball = 4.0 / 3 * std::acos(-1.0) * 64;
    int cut = 0;
    for (int seed = 0; seed < 24; ++seed) {
        EXPECT_NEAR(count(seed, ""), ball, 0.08 * ball) << seed;
        cut += count(seed,
                     "boundary = { left = \"periodic\", right = \"periodic\", top = \"periodic\", bottom = \"periodic\", front = "
                     "\"no-flux\", back = \"no-flux\" }\n") < 0.9 * ball
                   ? 1
                   : 0;
    }
    EXPECT_GT(cut, 4) << "many of them reach over the ends of z";
}

}  // namespace seldom_combined_test
}  // namespace oracle
