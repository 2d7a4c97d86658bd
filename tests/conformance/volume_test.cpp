// tests/conformance/volume_test.cpp: grids of three dimensions on the CPU against the reference, bit for bit
#include "conformance/settings.h"
#include "conformance/suite.h"

#include <gtest/gtest.h>

namespace conformance {
namespace volume_test {

// Every operator and kind of input along all three axes.
const char* const kAllAxes = R"toml(
[equations]
a = "div((0.1 + m*b^2)*grad(a)) + 0.1*dot(grad(a), grad(b)) - 0.2*a/(1 + b^2) + 0.05*sin(t)"
b = "D*lap(b) + 0.1*dz(a) - 0.2*dy(c) + 0.02*norm2(grad(c)) + where(Z > 0.5, 0.1, -0.1)*z/40 + 0.1*min(a, Y)"
c = "0.1*lap(c) + div(c*grad(a)) + 0.1*lap(a) - c + 0.3*abs(a - b) + 0.1*clamp(b, 0.1, 0.3)*X"
d = "0.1*(a - d)"
[parameters]
D = 0.12
m = "0.05 + 0.05*X*Y*Z"
[clamp]
c = [-1, 1]
[initial]
a = "X"
b = "Y"
c = "0.5*X*Z"
d = "0.3"
[time]
dt = 0.2
)toml";

// No neighbours along z, or along z alone.
const char* const kOnePlane = R"toml(
[equations]
u = "0.2*dx(v) - 0.1*dy(u) - 0.1*u*Z"
v = "0.1*(u - v)"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.2
)toml";

const char* const kMixedSides =
    "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux,front=robin(1, 2, 0.3*cos(t)),back=flux(0.1)";

// dt that is stable with neighbours on six sides
std::string slower(const std::string& model) { return with_dt(model, "0.005"); }

std::vector<std::string> models() {
    std::vector<std::string> all{kAllAxes, slower(kHeld)};
    if (!tiny()) all.insert(all.end(), {kGrayScott, kFunctions, kOnePlane, kAcross});
    return all;
}

class VolumeConformance : public testing::TestWithParam<Settings> {
   protected:
    void expect(const std::string& model, const std::string& size, const std::string& boundary, const std::string& schedule, int threads,
                const std::vector<int>& launches = {5, 1, 9}) {
        expect_same({model, size, boundary, "5", GetParam().f64, launches}, {GetParam().device, schedule, threads});
    }
};

TEST_P(VolumeConformance, Sizes) {
    for (const std::string& model : models()) {
        // the least, flat along each axis, rows narrower than a vector and no multiple of it
        for (const char* size : {"2x2x2", "1x9x7", "19x1x6", "5x7x2", "37x6x9", "16x11x12"}) {
            for (const char* boundary : {"periodic", kMixedSides}) expect(model, size, boundary, "", 2);
        }
    }
}

TEST_P(VolumeConformance, Conductivities) {
    const char* slopes =
        "left=flux(0.2),right=robin(1, 2, 0.3),top=robin(0.5, 1, cos(t)),bottom=flux(-0.1),front=flux(0.1),back=value(0.2)";
    for (const char* boundary : {kMixedSides, slopes}) {
        for (const char* size : {"2x2x2", "37x6x9", "5x7x2"}) expect(kConductivities, size, boundary, "", 2);
    }
}

TEST_P(VolumeConformance, Boundaries) {
    for (const std::string& model : models()) {
        for (const char* boundary :
             {"no-flux", "still", "left=periodic,right=periodic,top=no-flux,bottom=value(0.3),front=periodic,back=periodic",
              "left=still,right=no-flux,top=periodic,bottom=periodic,front=still,back=value(0.2)"})
            expect(model, "21x13x10", boundary, "steps=3 parts=2", 2);
    }
}

TEST_P(VolumeConformance, Schedules) {
    for (const std::string& model : models()) {
        for (const char* schedule : {"steps=1 parts=1 rows=1", "steps=2 parts=5", "steps=4 rows=2 parts=3", "steps=6 rows=3 parts=2"}) {
            for (const char* boundary : {"periodic", kMixedSides}) expect(model, "18x23x14", boundary, schedule, 3);
        }
    }
}

// Tiles of rows that slant from level to level: of one row, of several, at borders, in several slabs, in launches that cut passes.
TEST_P(VolumeConformance, Tiles) {
    for (const std::string& model : models()) {
        for (const char* schedule : {"steps=3 chunk=1 parts=1", "steps=6 chunk=4 parts=2", "steps=4 chunk=7 parts=1 rows=2"}) {
            for (const char* boundary : {"periodic", kMixedSides}) expect(model, "18x29x11", boundary, schedule, 2);
        }
    }
}

// Slabs that are thinner than a pass is deep, and of different heights: each tile reads what the next slab makes in the same pass.
TEST_P(VolumeConformance, ThinSlabs) {
    for (const std::string& model : {std::string(kGrayScott), std::string(kAllAxes), by_stages(kGrayScott, "rkl2", 3)}) {
        for (const char* boundary : {"periodic", kMixedSides}) {
            expect(model, "9x30x13", boundary, "steps=8 tile=2 slabs=8", 3, {17, 5});
            expect(model, "5x9x8", boundary, "steps=3 tile=2", 2, {26});
            expect(model, "4x40x11", boundary, "steps=9 tile=2", 3, {9, 9});
        }
    }
}

// Rows that one call reads only a piece of, since they would not stay in the L1; no multiple of a vector.
TEST_P(VolumeConformance, Pieces) {
    for (const std::string& model : models()) {
        for (const char* boundary : {"periodic", kMixedSides}) expect(model, "1403x5x6", boundary, "steps=2 rows=4", 2, {3, 2});
    }
}

TEST_P(VolumeConformance, Noise) {
    for (const char* model : {kNoise, kHeldNoise}) {
        for (const char* boundary : {"periodic", kMixedSides}) {
            expect(model, "19x12x9", boundary, "", 2);
            expect(model, "5x7x2", boundary, "steps=2 rows=2", 3);
        }
    }
}

// The stages of a method, each a level of its own.
TEST_P(VolumeConformance, Methods) {
    for (const std::string& model : models()) {
        for (const char* method : {"rk4", "heun"}) {
            const std::string text = by_method(model, method);
            for (const char* boundary : {"periodic", kMixedSides}) {
                expect(text, "19x12x9", boundary, "", 2);
                expect(text, "5x7x2", boundary, "steps=2 rows=2", 3);
            }
            if (tiny()) break;
        }
    }
}

// Stages that are steps of the kernel.
TEST_P(VolumeConformance, Stages) {
    for (const std::string& model : models()) {
        for (const auto& [method, stages] : {std::pair("rkl2", 3), std::pair("rkl1", 4), std::pair("sts2", 3)}) {
            const std::string text = by_stages(model, method, stages);
            for (const char* boundary : {"periodic", kMixedSides}) {
                expect(text, "19x12x9", boundary, "", 2);
                expect(text, "5x7x2", boundary, "steps=2 rows=2", 3);
            }
            if (tiny()) break;
        }
    }
}

TEST_P(VolumeConformance, ShortAndLongLaunches) {
    for (const std::vector<int>& launches : {std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1}, std::vector<int>{40}, std::vector<int>{0, 7, 11}})
        expect(kAllAxes, "17x16x15", "periodic", "steps=4 parts=2", 2, launches);
}

INSTANTIATE_TEST_SUITE_P(Cpu, VolumeConformance, testing::ValuesIn(settings()), name_of);

}  // namespace volume_test
}  // namespace conformance
