// tests/conformance/sums_test.cpp: steps with sums over all cells, on the CPU backend against the reference, bit for bit
#include "conformance/settings.h"
#include "conformance/suite.h"
#include "conformance/sum_models.h"

#include <gtest/gtest.h>

namespace conformance {
namespace sums_test {

const std::string kMixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
const std::string kClosed = kMixed + ",front=value(0.3),back=outside(0.2 + 0.1*cos(t))";
const std::vector<int> kLaunches = {3, 1, 9};

class SumConformance : public testing::TestWithParam<Settings> {};

TEST_P(SumConformance, Sizes) {
    for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) {
        for (const char* size : {"1x1", "17x61", "3x5", "1x37", "64x1", "131x37", "33x64"}) {
            if (tiny() && std::string(size).size() > 4) continue;
            for (const std::string& boundary : {std::string("periodic"), kMixed})
                expect_same({model, size, boundary, "5", GetParam().f64, kLaunches}, {GetParam().device, "", 2});
        }
    }
}

TEST_P(SumConformance, Methods) {
    for (const char* method : {"midpoint", "heun", "rk4"}) {
        for (const char* model : {kFieldMean, kExpressionMean, kNestedMean})
            expect_same({by_method(model, method), "37x29", kMixed, "9", GetParam().f64, kLaunches}, {GetParam().device, "", 2});
    }
}

TEST_P(SumConformance, Stages) {
    std::string nested = kNestedMean;
    const std::size_t noise = nested.find(" + 0.01*white()");  // not for these methods
    ASSERT_NE(noise, std::string::npos);
    nested.erase(noise, nested.find('"', noise) - noise);
    for (const auto& [method, stages] : {std::pair("rkl1", 3), std::pair("rkl2", 4), std::pair("sts2", 4)}) {
        for (const std::string& model : {std::string(kFieldMean), std::string(kExpressionMean), nested})
            expect_same({by_stages(model, method, stages), "37x29", kMixed, "9", GetParam().f64, kLaunches}, {GetParam().device, "", 2});
    }
}

TEST_P(SumConformance, SchedulesAndThreads) {
    for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) {
        const Case test{model, tiny() ? "70x13" : "200x53", kMixed, "5", GetParam().f64, kLaunches};
        for (const char* schedule : {"steps=8", "rows=1", "rows=4 chunk=64", "parts=3", "chunk=40 parts=2"}) {
            for (const int threads : {1, 2, 3}) {
                if (tiny() && threads != 2) continue;
                expect_same(test, {GetParam().device, schedule, threads});
            }
        }
        expect_same(test, {GetParam().device, "", 2, 3});  // states go from kernel to kernel
    }
}

TEST_P(SumConformance, Volumes) {
    for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) {
        for (const char* size : {"21x13x9", "64x5x7", "9x1x5"}) {
            for (const std::string& boundary : {std::string("periodic"), kClosed})
                expect_same({model, size, boundary, "5", GetParam().f64, kLaunches}, {GetParam().device, "", 2});
        }
    }
    expect_same({by_method(kExpressionMean, "rk4"), "21x13x9", kClosed, "5", GetParam().f64, kLaunches}, {GetParam().device, "", 2});
}

TEST_P(SumConformance, Meshes) {
    for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) {
        for (const char* mesh : {"sphere:3", "plane:13x9", "sphere:2+torus:3,1,12"}) {
            for (const int threads : {1, 2})
                expect_same({model, "", "value(0.2 + 0.1*sin(t))", "", GetParam().f64, kLaunches, mesh, 10},
                            {GetParam().device, "", threads});
        }
        expect_same({by_method(model, "heun"), "", "value(0.2 + 0.1*sin(t))", "", GetParam().f64, kLaunches, "plane:13x9", 10},
                    {GetParam().device, "parts=2", 2});
    }
}

TEST_P(SumConformance, FlushesWhatIsSummed) {
    if (!GetParam().f64) return;  // every result is flushed
    for (const int later : {1, 9})
        expect_same({kVanishingMean, "40x20", "no-flux", "5", GetParam().f64, {8, later}}, {GetParam().device, "", 2});
}

INSTANTIATE_TEST_SUITE_P(Levels, SumConformance, testing::ValuesIn(settings()), name_of);

}  // namespace sums_test
}  // namespace conformance
