// tests/unit/run/self_check_test.cpp: the check of a machine passes where it should, and sees a single wrong value
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/watch/self_check.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/run/settings/limit_share.h"
#include "mottle/device/machine_limits.h"
#include "mottle/run/tune/race.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace self_check_test {

using namespace mottle;

struct Bench {
    core::ThreadTeam team{2};
    core::Observer observer;
    core::Context context{team, observer, {}};
    run::Simulation simulation(const std::string& flags) {
        return run::Simulation(
            run::read_spec(
                model::load_document("gray-scott"), "gray-scott", "",
                core::parse_document(
                    "device = 'reference'\n" + (flags.find("size") == std::string::npos ? "size = '33x21'\n" + flags : flags), "flags")),
            context);
    }
};

TEST(SelfCheck, PassesWithCompiledKernels) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    Bench bench;
    EXPECT_EQ(run::self_check("cpu", bench.context).size(), 3u);
}

TEST(SelfCheck, SeesTheLastBitOfOneCell) {
    Bench bench;
    for (const char* precision : {"precision = 'f32'\n", "precision = 'f64'\n"}) {
        run::Simulation a = bench.simulation(precision), b = bench.simulation(precision);
        a.advance_to(3);
        b.advance_to(3);
        EXPECT_NO_THROW(run::require_same_bits("case", a, b));
        std::vector<double> row(33);
        a.kernel().read_row(a.field().state(), 1, 20, row);
        const bool f64 = a.kernel().program().f64;
        row[32] = f64 ? std::nextafter(row[32], 9.0) : static_cast<double>(std::nextafter(static_cast<float>(row[32]), 9.0F));
        a.field().kernel().write_row(a.field().state(), 1, 20, row);
        try {
            run::require_same_bits("case", a, b);
            FAIL() << "not seen";
        } catch (const core::InternalError& error) {
            EXPECT_EQ(error.exit_code(), 70);
            EXPECT_NE(error.message().find("case, field 'v', cell (32, 20), step 3"), std::string::npos) << error.message();
        }
    }
}

TEST(MachineLimits, AreKeptByThreads) {
    const std::filesystem::path cache = std::filesystem::temp_directory_path() / ("mottle_limits_" + std::to_string(getpid()));
    core::ThreadTeam one(1), two(2);
    EXPECT_FALSE(device::kept_operations(cache, 1));
    EXPECT_FALSE(device::kept_operations({}, 1));
    const double first = device::keep_operations(one, cache, 0.01), both = device::keep_operations(two, cache, 0.01);
    EXPECT_GT(first, 1e8);
    EXPECT_EQ(device::kept_operations(cache, 1), first);
    EXPECT_EQ(device::kept_operations(cache, 2), both);
    EXPECT_GE(device::keep_operations(one, cache, 0.01), first) << "a disturbed measurement takes nothing away";
    EXPECT_GE(*device::kept_operations(cache, 1), first);
    EXPECT_EQ(device::kept_operations(cache, 2), both);
    EXPECT_GT(device::keep_operations(one, {}, 0.01), 0) << "no folder, no file";
    std::ofstream(cache / "limits.txt") << "rubbish";
    EXPECT_FALSE(device::kept_operations(cache, 2));
    std::filesystem::remove_all(cache);
}

class LimitShareTest : public testing::Test {
   protected:
    LimitShareTest() : cache_(std::filesystem::temp_directory_path() / ("mottle_share_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(cache_);
    }
    ~LimitShareTest() override { std::filesystem::remove_all(cache_); }

    run::Simulation gray_scott(const std::string& flags) {
        return run::Simulation(
            run::read_spec(model::load_document("gray-scott"), "gray-scott", "", core::parse_document("device = 'cpu'\n" + flags, "flags")),
            context_);
    }
    /// Keeps a limit that no machine has, so that no run of a busy one seems to pass it.
    double keep_large_limit() {
        device::keep_operations(team_, cache_, 0.005);
        const std::string line = core::read_file(cache_ / "limits.txt").value();
        std::ofstream(cache_ / "limits.txt") << line.substr(0, line.find(' ')) << " 1e18\n";
        return 1e18;
    }

    std::filesystem::path cache_;
    core::ThreadTeam team_{1};
    core::Observer observer_;
    core::Context context_{team_, observer_, cache_};
};

// Gray-Scott costs 14 operations in a plane, counted by hand in cpu_code_test.cpp, and 4 sums of neighbours more in a volume.
TEST_F(LimitShareTest, ComparesARunWithWhatIsKept) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    struct Case {
        const char* flags;
        double operations;  // of all cells in one step, f32
    };
    for (const Case& run :
         {Case{"size = '64x48'\nprecision = 'f32'\n", 14.0 * 64 * 48}, Case{"size = '64x48'\nprecision = 'f64'\n", 28.0 * 64 * 48},
          Case{"size = '20x9x5'\nprecision = 'f32'\n", 18.0 * 20 * 9 * 5}}) {
        std::filesystem::remove(cache_ / "limits.txt");
        run::Simulation simulation = gray_scott(std::string("dt = 0.9\n") + run.flags);
        EXPECT_FALSE(run::share_of_limit(simulation, context_)) << "nothing was simulated";
        simulation.advance_to(400);
        EXPECT_FALSE(run::share_of_limit(simulation, context_)) << "a short run measures nothing";
        const double limit = keep_large_limit();
        const auto share = run::share_of_limit(simulation, context_);
        ASSERT_TRUE(share) << run.flags;
        EXPECT_NEAR(*share * limit, run.operations * 400 / simulation.timings().simulate, 1e-6 * *share * limit) << run.flags;
    }
}

TEST_F(LimitShareTest, CountsTheStepsOfThisRunAlone) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const double limit = keep_large_limit();
    const std::string flags = "size = '64x48'\nprecision = 'f32'\ndt = 0.9\n", state = "'" + (cache_ / "a.state").string() + "'\n";
    gray_scott(flags + "steps = 1000\ncheckpoint = " + state).run_to_end();
    run::Simulation rest = gray_scott(flags + "steps = 1010\nresume = " + state);
    rest.run_to_end();
    const auto share = run::share_of_limit(rest, context_);
    ASSERT_TRUE(share);
    EXPECT_NEAR(*share * limit, 14.0 * 64 * 48 * 10 / rest.timings().simulate, 1e-6 * *share * limit);
}

TEST_F(LimitShareTest, IsLeftOutOnOtherDevices) {
    keep_large_limit();
    Bench bench;
    run::Simulation reference = bench.simulation("precision = 'f32'\n");
    reference.advance_to(3);
    EXPECT_FALSE(run::share_of_limit(reference, context_));
}

TEST(MachineShare, MeasuresOnceAndNotForEveryStatus) {
    int asked = 0, measured = 0;
    run::MachineShare share({[&]() -> std::optional<double> {
                                 ++asked;
                                 return std::nullopt;
                             },
                             [&] {
                                 ++measured;
                                 return 100.0;
                             }});
    EXPECT_FALSE(share.of(50, 1.9)) << "a short run measures nothing";
    for (int i = 0; i < 100; ++i) EXPECT_EQ(share.of(50, 2.1), 0.5);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(share.of(101, 2.1)) << "more than all of it";
    EXPECT_EQ(share.of(25, 9), 0.25);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(measured, 1);
    run::MachineShare known({[] { return std::optional(10.0); },
                             [&] {
                                 ++measured;
                                 return 20.0;
                             }});
    EXPECT_EQ(known.of(5, 0.1), 0.5);
    EXPECT_EQ(known.of(15, 3), 0.75) << "a run that passes the limit shows that its measurement was disturbed";
    EXPECT_EQ(measured, 2);
}

TEST(MachineLimits, ArePossible) {
    core::ThreadTeam team(2);
    const device::MachineLimits limits = device::measure_limits(team, 0.4);
    // The widest cores do two multiply-adds and two sums of 16 numbers per cycle at 6 GHz; an emulated one may be slow.
    EXPECT_GT(limits.operations_one, 1e7);
    EXPECT_LT(limits.operations_one, 4e11) << "work was left out or counted twice";
    EXPECT_GT(limits.operations_all, 1e7);
    EXPECT_LT(limits.operations_all, 8e11);
    ASSERT_EQ(limits.copies.size(), 3u);
    for (const device::CopyLimit& copy : limits.copies) {
        EXPECT_GT(copy.one, 1e7) << copy.level;
        EXPECT_LT(copy.one, 2e12) << copy.level;
    }
    EXPECT_LT(limits.copies[0].bytes, limits.copies[1].bytes);
    EXPECT_LT(limits.copies[1].bytes, limits.copies[2].bytes);
}

TEST(Race, TimesEachRunnerByItself) {
    Bench bench;
    run::Simulation a = bench.simulation(""), b = bench.simulation("size = '66x42'\n");
    run::Race race(0.002);
    ASSERT_TRUE(race.enter(a) && race.enter(b));
    EXPECT_TRUE(std::isinf(race.median(0))) << "the first advances are not counted";
    const core::Index before = a.now().step;
    for (int round = 0; round < 3; ++round) ASSERT_TRUE(race.launch(0));
    ASSERT_TRUE(race.launch(1));
    EXPECT_EQ(race.launches(0), 3u);
    EXPECT_EQ(race.launches(1), 1u);
    EXPECT_EQ(race.median(1), race.seconds(1).front());
    EXPECT_GT(a.now().step, before);
    EXPECT_GT(race.median(0), 0);
    EXPECT_LT(race.median(0), 1);
}

}  // namespace self_check_test
