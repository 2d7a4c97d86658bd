// tests/conformance/cpu_test.cpp: the CPU backend against the reference, bit for bit: models, sizes, boundaries, stencils, schedules, threads
#include "conformance/settings.h"
#include "conformance/suite.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace conformance {
namespace cpu_test {

using mottle::backend::cpu::isa_levels;
using mottle::backend::cpu::runs_here;

// Sanitizers get the two models with every kind of array and a part of each list.
template <class T>
std::vector<T> part(std::vector<T> all, std::size_t count) {
    if (tiny() && all.size() > count) all.resize(count);
    return all;
}

const std::vector<const char*> kModels = part<const char*>({kEverything, kHeld, kGrayScott, kFunctions}, 2);
const std::vector<std::string> kBoundaries = {"periodic",
                                              "no-flux",
                                              "value(0.3)",
                                              "outside(0.1 + 0.1*cos(t))",
                                              "left=flux(0.2*sin(t)),right=robin(1, 2, 0.3),top=robin(0.5, 1, cos(t)),bottom=flux(-0.1)",
                                              "still",
                                              "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"};
// one cell, one row, one column, the smallest stencil, rows narrower than a vector, no multiple of the lanes, tall and wide
const std::vector<std::string> kSizes =
    part<std::string>({"1x1", "17x61", "3x5", "1x37", "64x1", "2x2", "131x37", "16x16", "33x64", "48x40"}, 3);

class Conformance : public testing::TestWithParam<Settings> {};

TEST_P(Conformance, Sizes) {
    for (const char* model : kModels) {
        for (const auto& size : kSizes) {
            for (const char* boundary : {"periodic", "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"}) {
                expect_same({model, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
            }
        }
    }
}

TEST_P(Conformance, Boundaries) {
    for (const char* model : kModels) {
        for (const auto& boundary : part(kBoundaries, 2))
            expect_same({model, "37x29", boundary, "5", GetParam().f64}, {GetParam().device, "steps=8", 2});
    }
}

TEST_P(Conformance, Conductivities) {
    for (const auto& boundary : part(kBoundaries, 5)) {
        for (const char* size : {"37x29", "2x17", "1x9", "131x6"})
            expect_same({kConductivities, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
        expect_same({kConductivities, "40x48", boundary, "5", GetParam().f64}, {GetParam().device, "steps=5 rows=2 parts=3", 3});
    }
}

TEST_P(Conformance, Stencils) {
    for (const char* model : kModels) {
        for (const auto& stencil : part<std::string>(
                 {"9", "0.05,0.2,0.05,0.2,-1,0.2,0.05,0.2,0.05", "0,0.25,0,0.25,-1,0.25,0,0.25,0", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"},
                 1)) {
            expect_same({model, "50x33", "periodic", stencil, GetParam().f64}, {GetParam().device, "steps=6", 2});
            expect_same({model, "50x33", "outside(0.2)", stencil, GetParam().f64}, {GetParam().device, "steps=6", 2});
        }
    }
}

TEST_P(Conformance, Schedules) {
    for (const char* model : kModels) {
        for (const auto& schedule : part<std::string>({"steps=5 rows=2 parts=3", "steps=1 rows=1", "steps=2 rows=3", "steps=16 rows=4",
                                                       "steps=32 rows=6 parts=1", "steps=4 rows=5 parts=2"},
                                                      1)) {
            for (int threads : {1, 3}) {
                expect_same({model, "40x48", "periodic", "5", GetParam().f64}, {GetParam().device, schedule, threads});
                expect_same({model, "40x48", "value(0.3)", "5", GetParam().f64}, {GetParam().device, schedule, threads});
            }
        }
    }
}

// White noise: cells beyond borders, in the rows of other bands and strips, and at steps of passes of any length have the numbers of their own.
TEST_P(Conformance, Noise) {
    const char* mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    for (const char* model : {kNoise, kHeldNoise}) {
        for (const auto& size : part<std::string>({"37x29", "17x61", "1x37", "64x1", "1x1"}, 2)) {
            for (const char* boundary : {"periodic", mixed})
                expect_same({model, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
        }
        expect_same({model, "50x33", "u=still,v=still", "9", GetParam().f64, {9, 16, 3}}, {GetParam().device, "steps=5 rows=2 parts=3", 3});
        for (const char* method : {"heun", "rk4"})
            expect_same({by_method(model, method), "50x33", mixed, "5", GetParam().f64, {9, 1, 4}},
                        {GetParam().device, "steps=3 rows=3", 2});
        if (tiny()) continue;
        expect_same({model, "773x24", mixed, "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
        expect_same({model, "773x24", "periodic", "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
    }
}

// Wide rows in strips: equal and unequal ones, bands around which their own ghost rows wrap, rows for several threads, launches that cut passes.
TEST_P(Conformance, Strips) {
    for (const char* model : kModels) {
        for (const char* boundary : {"periodic", "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"}) {
            expect_same({model, "773x24", boundary, "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
        }
    }
    for (const char* boundary : {"periodic", "value(0.3)", "left=periodic,right=periodic,top=still,bottom=no-flux"}) {
        expect_same({kEverything, "530x17", boundary, "9", GetParam().f64, {13}},
                    {GetParam().device, "steps=3 chunk=256 rows=2 parts=1", 3});
        expect_same({kGrayScott, "2048x1", boundary, "5", GetParam().f64, {40, 3}}, {GetParam().device, "steps=8 chunk=500", 3});
    }
}

// Some fields wrap and others do not: rows go on beyond a border of the grid, and what does not wrap must not see across it.
TEST_P(Conformance, FieldsThatWrapBesideOthersThatDoNot) {
    const std::vector<std::string> boundaries =
        part<std::string>({"v.top=value(0.2 + 0.1*sin(t)),v.bottom=no-flux", "no-flux,v=periodic", "value(0.3),u=periodic,w=periodic",
                           "u.left=no-flux,u.right=outside(0.3),v.top=outside(0.1),v.bottom=value(0.4)"},
                          2);
    for (const auto& boundary : boundaries) {
        for (const auto& size : part<std::string>({"37x29", "17x61", "1x37", "64x1", "33x2", "3x5"}, 2))
            expect_same({kWrapping, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
        for (const char* schedule : {"steps=5 rows=2 parts=3", "steps=16 rows=4 parts=1", "steps=6 rows=3 parts=2"})
            expect_same({kWrapping, "40x48", boundary, "9", GetParam().f64, {9, 16, 3}}, {GetParam().device, schedule, 3});
        expect_same({kWrapping, "773x24", boundary, "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
    }
    expect_same({kGrayScott, "50x33", "v.top=value(0.2),v.bottom=no-flux", "5", GetParam().f64}, {GetParam().device, "steps=8", 2});
    expect_same({kHeld, "50x33", "no-flux,w=periodic", "5", GetParam().f64}, {GetParam().device, "steps=6", 2});
}

// A stage that nobody needs after all, which its reader is not joined with.
TEST_P(Conformance, WhatIsHeldAndNotRead) {
    const std::string rest = "initial.u = 'X'\ntime.dt = 0.01\n";  // dy is 0 in a single row, lap with these weights anywhere
    expect_same({"equations.u = 'dy(abs(abs(u))) + div(u*grad(u))'\n" + rest, "132x1", "periodic", "5", GetParam().f64},
                {GetParam().device, "", 2});
    expect_same({"equations.u = 'lap(abs(abs(u))) + div(u*grad(u))'\n" + rest, "40x40", "no-flux", "0,0,0,0,0,0,0,0,0", GetParam().f64},
                {GetParam().device, "", 2});
}

// A map along x is one row, of a map along y the first column is read: beside maps of both, beyond borders, through derivatives, in two stages.
TEST_P(Conformance, MapsAlongOneAxis) {
    const std::string rest =
        "initial = {u = 'X', v = 'Y'}\ntime.dt = 0.1\n[parameters]\na = '0.1 + X'\nb = 'Y^2'\nc = 'x + 1'\nm = 'X*Y'\nn = 'a*2'\n";
    const std::vector<std::string> models = {
        "equations.u = 'div(a*grad(u)) + 0.1*dot(grad(b), grad(u)) + 0.1*m*v - 0.1*u*c + 0.02*lap(a)'\n"
        "equations.v = 'div((0.1 + b)*grad(v)) + 0.1*dx(m) - 0.2*dy(b) + 0.05*dx(c) + 0.1*u*b - 0.1*n*v'\n" +
            rest,
        "equations.u = '0.1*lap(u) - lap(0.01*lap(u) + 0.001*a*u - 0.002*b*u^2) - b*u^3'\nequations.v = '0.1*lap(v) - c*u*v + dy(b*u)'\n" +
            rest};
    for (const std::string& model : models) {
        for (const char* boundary : {"periodic", "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"}) {
            for (const auto& size : part<std::string>({"37x29", "17x61", "131x37", "1x37", "64x1", "48x40"}, 2)) {
                expect_same({model, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
                expect_same({model, size, boundary, size.starts_with("1x") || size.ends_with("x1") ? "5" : "9", GetParam().f64, {9, 16, 3}},
                            {GetParam().device, "rows=3 steps=5", 3});
            }
            expect_same({model, "773x24", boundary, "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
            expect_same({model, "20x12x9", boundary, "5", GetParam().f64, {9, 4}}, {GetParam().device, "", 2});
        }
    }
}

TEST_P(Conformance, MoreThreadsThanRows) {
    expect_same({kGrayScott, "40x5", "periodic", "5", GetParam().f64}, {GetParam().device, "parts=5", 7});
    expect_same({kHeld, "40x3", "no-flux", "5", GetParam().f64}, {GetParam().device, "parts=3", 7});
}

TEST_P(Conformance, ShortAndLongLaunches) {
    for (const std::vector<int>& launches :
         {std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1}, std::vector<int>{64}, std::vector<int>{33, 31}, std::vector<int>{0, 5, 59}}) {
        expect_same({kGrayScott, "61x40", "periodic", "5", GetParam().f64, launches}, {GetParam().device, "steps=16", 2});
        expect_same({kEverything, "61x40", "no-flux", "5", GetParam().f64, launches}, {GetParam().device, "steps=16", 2});
    }
}

// A step that reaches further than the grid is high goes around it more than once.
TEST_P(Conformance, FewRowsAndAFarReach) {
    for (const char* size : {"40x1", "40x2", "40x3", "2x40", "40x2x2", "3x2x1", "8x3x2"}) {
        expect_same({kTripleLaplacian, size, "periodic", "5", GetParam().f64}, {GetParam().device, "", 2});
        expect_same({kTripleLaplacian, size, "no-flux", "5", GetParam().f64}, {GetParam().device, "", 2});
    }
}

// Two stages in one loop (unit test CpuCode.AHeldStageAndItsReader...): what the second updates where it stands, reads beside it, or moves up by a row;
// two arrays held; a third stage. Rows of one column and of two, blocks of which either stage has only a part or that meet a border, strips, flushes.
TEST_P(Conformance, AHeldStageAndItsReader) {
    const std::string fourth = "0.1*lap(u) - 0.01*bilap(u)", ends = "'\ninitial.u = 'X - 0.3*Y'\ntime.dt = 0.02\n";
    const std::vector<std::string> models = part<std::string>(
        {"equations.u = '" + fourth + " + 0.3*u - u^3" + ends, "equations.u = '" + fourth + " - 0.3*dy(u)" + ends,
         "equations.u = '" + fourth + " - u*dx(u)" + ends, "equations.u = '0.1*lap(u) + 0.1*dx(0.2*lap(u) - u^2 + 0.1*u) - u^3" + ends,
         "equations.u = '0.1*lap(u) - lap(0.01*lap(u) + 0.001*x*u - 0.002*y*u^2)" + ends,
         "equations.u = '0.001*lap(lap(lap(u) + 0.1*u^3 - 0.1*u))" + ends,
         "equations = {u = 'lap(0.1*u^3 - 0.02*lap(u)) - 0.1*v', v = '0.1*lap(0.5*v + u) - 0.02*v'}\ninitial = {u = 'X', "
         "v = 'Y'}\ntime.dt = 0.02\n"},
        2);
    for (const std::string& model : models) {
        for (const auto& size : part<std::string>({"17x61", "31x37", "33x32", "16x40", "131x21", "2x37"}, 2)) {
            for (const char* boundary : {"periodic", "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"}) {
                expect_same({model, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
                expect_same({model, size, boundary, "9", GetParam().f64, {9, 16, 3}}, {GetParam().device, "rows=1 steps=5", 3});
            }
        }
        for (const auto& schedule : part<std::string>({"steps=16 rows=4 parts=1", "steps=5 rows=2 parts=3", "steps=1 rows=3"}, 1)) {
            expect_same({model, "40x48", "periodic", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1", GetParam().f64},
                        {GetParam().device, schedule, 2});
            expect_same({model, "40x48", "top=value(0.3),bottom=still", "5", GetParam().f64}, {GetParam().device, schedule, 2});
        }
        expect_same({model, "773x24", "no-flux", "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
    }
}

// The stages of a method, with what the operators of each hold; borders at the times of the stages.
TEST_P(Conformance, Methods) {
    for (const char* model : part<const char*>({kEverything, kHeld, kGrayScott}, 2)) {
        for (const char* method : part<const char*>({"rk4", "heun", "midpoint"}, 1)) {
            const std::string text = by_method(model, method);
            for (const auto& size : part<std::string>({"37x29", "131x37", "3x5", "40x1"}, 2)) {
                for (const char* boundary : {"periodic", "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"})
                    expect_same({text, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
            }
            expect_same({text, "50x33", "periodic", "9", GetParam().f64}, {GetParam().device, "steps=3 rows=1", 3});
            expect_same({text, "773x24", "still", "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=2 chunk=250", 2});
        }
    }
}

// Stages that are steps of the kernel: launches and passes begin and end anywhere in a step of the run.
TEST_P(Conformance, Stages) {
    for (const char* model : part<const char*>({kEverything, kHeld, kGrayScott}, 2)) {
        for (const auto& [method, stages] : {std::pair("rkl1", 3), std::pair("rkl2", 5), std::pair("sts2", 6)}) {
            const std::string text = by_stages(model, method, stages);
            for (const auto& size : part<std::string>({"37x29", "131x37", "3x5", "40x1"}, 2)) {
                for (const char* boundary : {"periodic", "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux"})
                    expect_same({text, size, boundary, "5", GetParam().f64}, {GetParam().device, "", 2});
            }
            expect_same({text, "50x33", "periodic", "9", GetParam().f64}, {GetParam().device, "steps=3 rows=1", 3});
            expect_same({text, "50x33", "periodic", "5", GetParam().f64}, {GetParam().device, "steps=7 rows=2 parts=3", 2, 3});
            expect_same({text, "773x24", "still", "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=2 chunk=250", 2});
            if (tiny()) continue;
            expect_same({text, "773x24", "periodic", "5", GetParam().f64, {9, 1, 4}}, {GetParam().device, "steps=4 chunk=250", 2});
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, testing::ValuesIn(settings()), name_of);

// Values that decay through 2^-126 meet the underflow rule of f32, through 2^-340 the flush of every eighth step in f64 (docs/numerics.md,
// "Underflow"); both in some cells and not in others, in one stage and in two. (The suite fills maps, too, with random numbers from 0 to 1.)
TEST(Underflow, DecayingTails) {
    const std::string rest = "parameters.m = 'X*Y'\ninitial = {u = '1', v = '1'}\ntime.dt = 1\n";
    const std::vector<std::string> models = {
        "equations = {u = '1e-110*lap(u) - m*u', v = '1e-110*lap(v) - m*v + 0.3*u*v^2/(1 + v)'}\n" + rest,
        "equations = {u = '1e-110*lap(u) - 1e-111*bilap(u) - m*u', v = '-m*v'}\n" + rest};
    for (const std::string& model : models) {
        for (bool f64 : {false, true}) {
            Case test{model, "40x24", "no-flux", "5", f64, {60, 7, 33, 100}};
            const Result expected = run(test, {"reference", "", 1});
            EXPECT_TRUE(expected.finite);
            const auto zeros = std::count_if(expected.bits.begin(), expected.bits.end(), [](std::uint64_t bits) { return bits << 1 == 0; });
            EXPECT_GT(zeros, 0);
            EXPECT_LT(zeros, static_cast<std::ptrdiff_t>(expected.bits.size()));
            for (const auto& isa : isa_levels()) {
                if (!runs_here(isa)) continue;
                for (const char* schedule : {"steps=16", "steps=16 rows=1"})
                    EXPECT_TRUE(expected.bits == run(test, {"cpu:" + isa.name, schedule, 2}).bits)
                        << isa.name << (f64 ? " f64 " : " f32 ") << schedule;
            }
        }
    }
}

// A launch that is cut anywhere continues to the same bits.
TEST(Launches, CutsDoNotShow) {
    Case whole{kEverything, "52x44", "value(0.2 + 0.1*sin(t))", "5", false, {57}},
        cut{kEverything, "52x44", "value(0.2 + 0.1*sin(t))", "5", false, {1, 30, 2, 24}};
    EXPECT_EQ(run(whole, {"cpu", "steps=16", 2}).bits, run(cut, {"cpu", "steps=3", 1}).bits);
}

// A state goes from kernel to kernel, on planes, volumes and meshes: sweeps hand their members from thread to thread.
TEST(Launches, KernelsCompiledAlikeTakeEachOthersStates) {
    const std::vector<int> launches = {1, 30, 2, 24, 7, 16};
    for (const auto& [device, schedule] : {std::pair("cpu", "steps=4"), {"reference", ""}}) {
        for (const int threads : {1, 2}) {
            const Way alone{device, schedule, threads}, in_turn{device, schedule, threads, 3};
            for (const bool f64 : {false, true}) {
                for (const char* model : {kEverything, kHeld, kTables}) {
                    const Case plane{model, "52x44", "value(0.2 + 0.1*sin(t))", "5", f64, launches};
                    compare(run(plane, alone), run(plane, in_turn), std::string(device) + ", a plane");
                }
                const Case volume{kAcross, "16x15x14", "periodic", "5", f64, launches};
                compare(run(volume, alone), run(volume, in_turn), std::string(device) + ", a volume");
                Case mesh{kEverythingOnMeshes, "", "no-flux", "", f64, launches};
                mesh.mesh = "plane:30x20";
                compare(run(mesh, alone), run(mesh, in_turn), std::string(device) + ", a mesh");
            }
        }
    }
}

}  // namespace cpu_test
}  // namespace conformance
