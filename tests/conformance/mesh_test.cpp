// tests/conformance/mesh_test.cpp: meshes on the CPU backend against the reference, bit for bit: models, shapes, schedules, threads, launches
#include "conformance/settings.h"
#include "conformance/suite.h"

#include <gtest/gtest.h>

namespace conformance {
namespace mesh_test {

struct Shape {
    const char* name;
    double scale;
};

std::vector<Shape> shapes() {
    std::vector<Shape> all = {{"sphere:0", 3},       {"plane:13x7", 1},     {"sphere:3", 10},  {"plane:2x2", 1},
                              {"plane:3x61,one", 1}, {"torus:1,0.4,16", 8}, {"plane:70x60", 1}};
    if (tiny()) all.resize(3);
    return all;
}

class MeshConformance : public testing::TestWithParam<Settings> {
   public:
    static Case on(const Shape& shape, const char* model, bool f64) {
        Case test{model, "", "no-flux", "", f64};
        test.mesh = shape.name;
        test.scale = shape.scale;
        return test;
    }
};

TEST_P(MeshConformance, Shapes) {
    for (const Shape& shape : shapes()) {
        for (const char* model : {kEverythingOnMeshes, kGrayScott})
            expect_same(on(shape, model, GetParam().f64), {GetParam().device, "", 2});
    }
}

TEST_P(MeshConformance, Schedules) {
    for (const char* schedule : {"steps=1", "steps=8", "steps=3 parts=2", "steps=4 parts=5", "steps=2 parts=9"}) {
        for (const int threads : {1, 3}) {
            for (const char* model : {kEverythingOnMeshes, kGrayScott}) {
                expect_same(on({"sphere:4", 20}, model, GetParam().f64), {GetParam().device, schedule, threads});
                expect_same(on({"plane:61x47", 1}, model, GetParam().f64), {GetParam().device, schedule, threads});
            }
        }
        if (tiny()) break;
    }
}

TEST_P(MeshConformance, Launches) {
    for (const std::vector<int>& launches :
         {std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1}, std::vector<int>{64}, std::vector<int>{33, 31}, std::vector<int>{0, 5, 59}}) {
        Case test = on({"plane:40x40", 1}, kGrayScott, GetParam().f64);
        test.launches = launches;
        expect_same(test, {GetParam().device, "steps=8 parts=3", 2});
        test.model = kEverythingOnMeshes;
        expect_same(test, {GetParam().device, "steps=5 parts=2", 2});
    }
}

TEST_P(MeshConformance, ValuesOnALoop) {
    Case test = on({"plane:30x20", 1}, kEverythingOnMeshes, GetParam().f64);
    test.boundary = "value(0.2 + 0.1*sin(t))";
    expect_same(test, {GetParam().device, "", 2});
    expect_same(test, {GetParam().device, "steps=4 parts=3", 2});
}

TEST_P(MeshConformance, Noise) {
    for (const char* schedule : {"", "steps=4 parts=3", "order=file", "order=morton"}) {
        expect_same(on({"sphere:3", 10}, kNoise, GetParam().f64), {GetParam().device, schedule, 2});
        Case test = on({"plane:30x20", 1}, kNoise, GetParam().f64);
        test.model = by_method(kNoise, "heun");
        expect_same(test, {GetParam().device, schedule, 3});
        if (tiny()) break;
    }
    Case curved = on({"plane:31x23", 1}, kNoise, GetParam().f64);
    const Result expected = run(curved, {"reference", "", 1});
    curved.curve = true;
    compare(expected, run(curved, {GetParam().device, "", 2}), "noise along a curve");
}

// The stages of a method; values on a loop at their times.
TEST_P(MeshConformance, Methods) {
    for (const char* model : {kEverythingOnMeshes, kGrayScott}) {
        for (const char* method : {"rk4", "heun", "midpoint"}) {
            Case test = on({"plane:30x20", 1}, model, GetParam().f64);
            test.model = by_method(model, method);
            test.boundary = "value(0.2 + 0.1*sin(t))";
            expect_same(test, {GetParam().device, "", 2});
            expect_same(test, {GetParam().device, "steps=4 parts=3", 2});
            expect_same(test, {GetParam().device, "order=file", 3});
            if (tiny()) break;
        }
    }
}

// Stages that are steps of the kernel.
TEST_P(MeshConformance, Stages) {
    for (const char* model : {kEverythingOnMeshes, kGrayScott}) {
        for (const auto& [method, stages] : {std::pair("rkl2", 3), std::pair("rkl1", 4), std::pair("sts2", 3)}) {
            Case test = on({"plane:30x20", 1}, model, GetParam().f64);
            test.model = by_stages(model, method, stages);
            test.boundary = "value(0.2 + 0.1*sin(t))";
            expect_same(test, {GetParam().device, "", 2});
            expect_same(test, {GetParam().device, "steps=4 parts=3", 2});
            expect_same(test, {GetParam().device, "order=file", 3});
            if (tiny()) break;
        }
    }
}

TEST_P(MeshConformance, Orders) {
    for (const char* schedule : {"order=file", "order=morton", "order=rings", "order=rings steps=4 parts=3"}) {
        for (const int threads : {1, 3}) {
            for (const Shape& shape : {Shape{"sphere:3", 10}, Shape{"plane:61x47", 1}, Shape{"plane:2x2", 1}})
                expect_same(on(shape, kEverythingOnMeshes, GetParam().f64), {GetParam().device, schedule, threads});
        }
        if (tiny()) break;
    }
    // beyond 16 bits an index takes 32
    if (!tiny()) expect_same(on({"sphere:7", 160}, kGrayScott, GetParam().f64), {GetParam().device, "order=morton", 2});
}

TEST_P(MeshConformance, Gathers) {
    for (const char* gather : {"gather=vector", "gather=words"}) {
        for (const char* schedule : {" steps=1", " steps=4 parts=3"}) {
            for (const Shape& shape : {Shape{"sphere:3", 10}, Shape{"plane:61x47", 1}, Shape{"plane:2x2", 1}})
                expect_same(on(shape, kEverythingOnMeshes, GetParam().f64), {GetParam().device, std::string(gather) + schedule, 2});
        }
        // beyond 16 bits an index takes 32
        if (!tiny())
            expect_same(on({"sphere:7", 160}, kGrayScott, GetParam().f64), {GetParam().device, std::string(gather) + " order=morton", 2});
    }
}

TEST_P(MeshConformance, Numberings) {
    for (const Shape& shape : {Shape{"sphere:3", 10}, Shape{"plane:31x23", 1}}) {
        const Case plain = on(shape, kEverythingOnMeshes, GetParam().f64);
        Case curved = plain;
        curved.curve = true;
        const Result expected = run(plain, {"reference", "", 1});
        for (const Way& way : {Way{"reference", "", 1}, Way{GetParam().device, "", 2}, Way{GetParam().device, "steps=4 parts=3", 2}})
            compare(expected, run(curved, way), std::string(shape.name) + " along a curve, " + way.device + ", \"" + way.schedule + "\"");
    }
}

TEST_P(MeshConformance, ElementaryFunctions) {
    expect_same(on({"sphere:2", 6}, kFunctions, GetParam().f64), {GetParam().device, "steps=4 parts=2", 2});
}

INSTANTIATE_TEST_SUITE_P(Cpu, MeshConformance, testing::ValuesIn(settings()), name_of);

}  // namespace mesh_test
}  // namespace conformance
