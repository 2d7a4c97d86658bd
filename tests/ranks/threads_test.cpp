// tests/ranks/threads_test.cpp: the conformance suite's models on ranks that are threads of this process, bit for bit against the reference
#include "conformance/settings.h"
#include "conformance/suite.h"
#include "conformance/sum_models.h"

#include "mottle/core/error.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/relay.h"
#include "mottle/ranks/threads.h"

#include <gtest/gtest.h>

namespace conformance {
namespace threads_test {

using namespace mottle;

/// Rank 0, and how often it has computed while halos travelled.
class Watched final : public ranks::Relay {
   public:
    using Relay::Relay;
    void begin_exchange(std::span<const ranks::HaloBytes> outgoing, std::span<const ranks::HaloBytes> incoming,
                        ranks::Meanwhile meanwhile) override {
        hidden += meanwhile == ranks::Meanwhile::computes ? 1 : 0;
        Relay::begin_exchange(outgoing, incoming, meanwhile);
    }

    int hidden = 0;
};

/// Ranks of this process while it lives; rank 0 is the caller.
class Ranks {
   public:
    explicit Ranks(int count) : ranks_(count), first_(ranks_.first()), link_(first_) {}
    ~Ranks() { link_.end(0); }
    std::unique_ptr<backend::Backend> backend(const std::string& device, ranks::Hiding hiding = ranks::Hiding::measured) {
        return ranks::create_ranks_backend(device::create_backend(device), {device}, 1, link_, hiding);
    }
    int hidden() const { return first_.hidden; }

   private:
    ranks::ServingRanks ranks_;
    Watched first_;
    ranks::Link link_;
};

const std::string kMixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
const std::string kClosed = kMixed + ",front=value(0.3),back=outside(0.2 + 0.1*cos(t))";
const char* const kHeldSides = "left=flux(0.01),right=robin(1, 0.3, 0.2),top=still,bottom=value(0.3)";

class RanksConformance : public testing::TestWithParam<Settings> {
   public:
    /// On these numbers of ranks, each of which must be able to have a block.
    static void expect(Case test, const std::vector<int>& counts = {1, 2, 3, 4, 7}, const std::string& schedule = "") {
        test.f64 = GetParam().f64;
        const Result expected = run(test, {"reference", "", 1});
        for (const int count : counts) {
            if (tiny() && count != 3) continue;
            Ranks ranks(count);
            const std::string what = test.size + ", " + test.boundary + ", " + std::to_string(count) + " ranks, \"" + schedule + "\", " +
                                     test.model.substr(0, 60);
            try {
                compare(expected, run_on(*ranks.backend(GetParam().device), test, {GetParam().device, schedule, 1}), what);
            } catch (const core::Error& error) {
                ADD_FAILURE() << what << ": " << error.what();
            }
        }
    }

    /// As expect, with halos hidden in every pass of so many steps; and that they were.
    static void expect_hidden(Case test, const std::vector<int>& counts, const std::string& schedule) {
        test.f64 = GetParam().f64;
        const Result expected = run(test, {"reference", "", 1});
        for (const int count : counts) {
            Ranks ranks(count);
            const std::string what = test.size + test.mesh + ", " + test.boundary + ", " + std::to_string(count) + " ranks, \"" + schedule +
                                     "\", " + test.model.substr(0, 60);
            compare(expected, run_on(*ranks.backend(GetParam().device, ranks::Hiding::always), test, {GetParam().device, schedule, 1}),
                    what);
            EXPECT_GT(ranks.hidden(), 2) << what;
        }
    }
};

const std::vector<std::string>& models() {
    static const std::vector<std::string> list = {kGrayScott, kHeld,      kEverything,     kFunctions, kTables,
                                                  kNoise,     kHeldNoise, kConductivities, kWrapping};
    return list;
}

TEST_P(RanksConformance, Planes) {
    for (const std::string& model : models()) {
        for (const std::string& boundary : {std::string("periodic"), kMixed, std::string(kHeldSides)}) expect({model, "61x103", boundary});
    }
}

// Steps per exchange are fewer where blocks are thin, down to one.
TEST_P(RanksConformance, ThinBlocks) {
    for (const char* size : {"19x29", "64x21", "131x15"}) {
        for (const std::string& boundary : {std::string("periodic"), kMixed}) {
            expect({kGrayScott, size, boundary});
            expect({kTripleLaplacian, size, boundary}, {2, 3, 4});
        }
    }
}

TEST_P(RanksConformance, Stencils) {
    for (const char* stencil : {"9", "0.1,0.2,0,0.3,-1,0.1,0,0.1,0.2"}) {
        for (const std::string& boundary : {std::string("periodic"), kMixed}) expect({kGrayScott, "43x67", boundary, stencil});
    }
}

TEST_P(RanksConformance, Schedules) {
    for (const char* schedule : {"steps=1", "steps=5", "steps=8 chunk=32", "steps=24"})
        expect({kGrayScott, "150x120", kMixed}, {2, 3}, schedule);
}

TEST_P(RanksConformance, Launches) {
    for (const std::vector<int>& launches :
         {std::vector<int>{1, 1, 1, 1, 1, 1}, std::vector<int>{64}, std::vector<int>{0, 33, 31}, std::vector<int>{15, 2, 17}}) {
        Case test{kGrayScott, "40x99", kMixed};
        test.launches = launches;
        expect(test, {2, 4});
    }
}

// Blocks beside each other at sides, edges and corners; passes that are cut short between hidden ones; maps, which rims have too.
TEST_P(RanksConformance, HiddenHalos) {
    for (const std::string& model : {std::string(kHeld), std::string(kEverything), std::string(kTables), std::string(kHeldNoise)}) {
        expect_hidden({model, "43x61", "periodic"}, {4}, "steps=2");
        expect_hidden({model, "43x61", kMixed}, {3}, "steps=2");
    }
    Case launches{kGrayScott, "96x84", "periodic"};
    launches.launches = {9, 1, 16, 2, 4};
    expect_hidden(launches, {3, 6}, "steps=4");
    Case volume{kDeepTables, "15x26x28", kClosed};
    volume.launches = {6, 1, 6};
    for (const std::string& boundary : {std::string("periodic"), kClosed}) {
        volume.boundary = boundary;
        expect_hidden(volume, {2, 8}, "steps=2");
    }
    expect_hidden({by_method(kGrayScott, "rk4"), "48x97", kMixed}, {2, 3}, "steps=2");
    expect_hidden({by_stages(kGrayScott, "rkl2", 4), "48x97", "periodic"}, {2, 3}, "steps=8");
}

TEST_P(RanksConformance, HiddenHalosOfSurfaces) {
    for (const char* mesh : {"sphere:4", "plane:41x30"}) {
        for (const char* model : {kEverythingOnMeshes, kGrayScott}) {
            Case test{model, "", "value(0.2 + 0.1*sin(t))"};
            test.mesh = mesh;
            test.scale = 20;
            expect_hidden(test, {model == kGrayScott ? 3 : 2}, "steps=1");
            if (model == kGrayScott) expect_hidden(test, {2}, "steps=3");
        }
    }
}

TEST_P(RanksConformance, Methods) {
    for (const char* method : {"midpoint", "heun", "rk4"}) {
        for (const char* model : {kGrayScott, kEverything}) {
            for (const std::string& boundary : {std::string("periodic"), kMixed})
                expect({by_method(model, method), "37x91", boundary}, {2, 4});
        }
    }
    for (const auto& [method, stages] : {std::pair("rkl1", 3), std::pair("rkl2", 4), std::pair("sts2", 4)}) {
        for (const std::string& boundary : {std::string("periodic"), kMixed})
            expect({by_stages(kGrayScott, method, stages), "37x91", boundary}, {2, 3});
    }
}

TEST_P(RanksConformance, Sums) {
    for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) {
        for (const std::string& boundary : {std::string("periodic"), kMixed}) {
            Case test{model, "37x53", boundary};
            test.launches = {3, 1, 9};
            expect(test, {1, 2, 3, 7});
        }
    }
    Case flushed{kVanishingMean, "40x20", "no-flux"};
    flushed.launches = {8, 9};
    if (GetParam().f64) expect(flushed, {2, 3});
}

TEST_P(RanksConformance, Volumes) {
    for (const std::string model : {kGrayScott, kDeepTables, kNoise, kFieldMean}) {
        for (const std::string& boundary : {std::string("periodic"), kClosed}) {
            Case test{model, "13x17x19", boundary};
            test.launches = {7, 1, 9};
            expect(test);
            if (model == kGrayScott) expect(test, {8});  // blocks that meet in a corner
            test.size = "9x23x6";
            expect(test, {2, 3, 4});
        }
    }
}

TEST_P(RanksConformance, Lines) {
    for (const char* boundary : {"periodic", "left=value(0.2 + 0.1*sin(t)),right=no-flux"}) {
        expect({kGrayScott, "301x1", boundary});
        expect({kGrayScott, "1x203", boundary[0] == 'p' ? boundary : "top=value(0.2),bottom=no-flux"});
    }
}

// Rules of single fields, which wrap or not along the same axes as the others. Where they differ, that axis is not cut.
TEST_P(RanksConformance, RulesOfFields) {
    expect({kWrapping, "51x77", "left=no-flux,right=no-flux,v.left=value(0.3),w.right=outside(0.1)"}, {2, 3, 4});
    expect({kWrapping, "77x51", "left=no-flux,right=no-flux,v.top=value(0.3),v.bottom=no-flux"}, {2, 3});
}

TEST_P(RanksConformance, Surfaces) {
    for (const auto& [mesh, scale] : {std::pair("sphere:3", 10.0), std::pair("plane:31x23", 1.0), std::pair("plane:3x61,one", 1.0),
                                      std::pair("sphere:2+torus:3,1,12", 5.0)}) {
        for (const char* model : {kEverythingOnMeshes, kGrayScott, kNoise}) {
            Case test{model, "", "value(0.2 + 0.1*sin(t))"};
            test.mesh = mesh;
            test.scale = scale;
            expect(test);
        }
    }
    Case curved{kNoise, "", "no-flux"};
    curved.mesh = "plane:31x23";
    curved.curve = true;
    expect(curved, {2, 3});
}

TEST_P(RanksConformance, SurfacesWithMethodsSumsAndSchedules) {
    Case test{kGrayScott, "", "value(0.2 + 0.1*sin(t))"};
    test.mesh = "sphere:4";
    test.scale = 20;
    for (const char* schedule : {"steps=1", "steps=3", "order=file", "order=morton"}) expect(test, {2, 5}, schedule);
    test.mesh = "plane:30x20";
    test.scale = 10;
    for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) {
        test.model = model;
        test.launches = {3, 1, 9};
        expect(test, {2, 3});
    }
    for (const std::string& model : {by_method(kEverythingOnMeshes, "rk4"), by_method(kNoise, "heun"), by_stages(kGrayScott, "rkl2", 3)}) {
        test.model = model;
        expect(test, {2, 3});
    }
}

// Bad input is answered on all ranks at once, and they go on to serve.
TEST_P(RanksConformance, RefusesWhatCannotBeCut) {
    Ranks ranks(4);
    const auto message = [&](const Case& test) {
        try {
            run_on(*ranks.backend(GetParam().device), test, {GetParam().device, "", 1});
        } catch (const core::InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(
        message({kTripleLaplacian, "5x5", "periodic"}),
        "a 5x5 grid cannot be cut for 4 ranks: a block must have at least 3 cells along each axis that is cut, as many as a step reads "
        "beyond it; run fewer ranks with more threads each");
    EXPECT_EQ(message({kWrapping, "77x3", "left=no-flux,right=no-flux,v.left=periodic,v.right=periodic"}),
              "a 77x3 grid cannot be cut for 4 ranks: along x some fields wrap and others do not, and elsewhere a block must have at least "
              "1 cell along each axis that is cut, as many as a step reads beyond it; run fewer ranks with more threads each");
    const Case fine{kGrayScott, "30x40", "periodic", "5", GetParam().f64};
    compare(run(fine, {"reference", "", 1}), run_on(*ranks.backend(GetParam().device), fine, {GetParam().device, "", 1}), "after refusals");
}

INSTANTIATE_TEST_SUITE_P(Levels, RanksConformance, testing::ValuesIn(settings()), name_of);

}  // namespace threads_test
}  // namespace conformance
