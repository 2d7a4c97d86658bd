// tests/conformance/cuda/cuda_test.cpp: the texts of the CUDA backend, run by threads emulated on the CPU, against the reference, bit for bit
#include "conformance/cuda/card.h"
#include "conformance/cuda/cases.h"
#include "conformance/cuda/emulated_device.h"
#include "conformance/cuda/emulation.h"
#include "conformance/cuda/flush_edge.h"
#include "conformance/cuda/listening_device.h"
#include "conformance/cuda/surface_cases.h"
#include "mottle/backend/cuda/device/api.h"
#include "mottle/backend/cuda/backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

namespace conformance {
namespace cuda_test {

class EmulatedCuda : public testing::TestWithParam<std::string> {};

std::vector<std::string> groups() {
    std::vector<std::string> names;
    for (const EmulatedCase& each : emulated_cases()) {
        if (std::find(names.begin(), names.end(), each.group) == names.end()) names.push_back(each.group);
    }
    return names;
}

constexpr const char* kCache = MOTTLE_BUILD_DIR "/tests/kernel-cache";
const std::string kOnCard = ", on the device";

/// Runs those of the cases that are of a group on a device.
void expect_bits(const std::vector<EmulatedCase>& cases, const std::string& group,
                 const std::function<std::shared_ptr<mottle::backend::cuda::Device>(int processors)>& open, const std::string& where) {
    for (const EmulatedCase& each : cases) {
        if (each.group != group) continue;
        const Result expected = run(each.test, {"reference", "", 1});
        auto backend = mottle::backend::create_cuda_backend([&] { return open(each.processors); });
        const int before = emulated_meetings(), before_together = emulated_launches_together();
        const Result actual = run_on(*backend, each.test, {"", each.schedule, 1});
        // several steps went through registers where that is what the case is for; a column alone has no neighbours to shuffle with
        if (where != kOnCard && !each.test.size.starts_with("1x")) {
            EXPECT_EQ(emulated_meetings() > before, group.starts_with("Stream") || group.starts_with("Tile") ||
                                                        group.starts_with("Volume") || group.starts_with("Patch") ||
                                                        group.starts_with("Persistent") || group.starts_with("Sums"))
                << each.test.model.substr(0, 40);
            EXPECT_EQ(emulated_launches_together() > before_together, group.starts_with("Persistent")) << each.schedule;
        }
        compare(expected, actual,
                each.test.size + each.test.mesh + ", " + each.test.boundary + ", stencil " + each.test.stencil +
                    (each.test.f64 ? ", f64, " : ", f32, ") + each.schedule + where + ", model " + each.test.model.substr(0, 40));
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_P(EmulatedCuda, GivesTheBitsOfTheReference) {
    for (const bool reversed : {false, true}) {
        expect_bits(
            emulated_cases(), GetParam(), [reversed](int processors) { return create_emulated_device(reversed, processors); },
            reversed ? ", reversed" : "");
    }
}

/// The same cases, and more, on a card.
class CudaCases : public testing::TestWithParam<std::string> {
   protected:
    void SetUp() override {
        if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    }
};

TEST_P(CudaCases, GivesTheBitsOfTheReference) {
    expect_bits(
        pretended_card() ? one_of_each_kind(emulated_cases()) : card_cases(), GetParam(),
        [](int) { return mottle::backend::cuda::open_driver_device(); }, kOnCard);
}

TEST(CudaDevice, ItsOwnScheduleGivesTheBitsOfTheReference) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    for (const char* model : {kGrayScott, kFunctions, kTables, kHeld}) {
        for (const char* boundary : {"periodic", "value(0.3)"}) {
            const Case test{model, "700x400", boundary, "5", false, {33, 31}};
            compare(run(test, {"reference", "", 1}), run(test, {"cuda", "", 1}), std::string("own schedule, ") + boundary);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Card, CudaCases, testing::ValuesIn(groups()), [](const auto& each) { return each.param; });

std::vector<std::uint32_t> edge_bits(mottle::backend::Backend& backend) {
    mottle::core::ThreadTeam team(1);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, kCache};
    return flush_edge_bits(backend, context);
}

TEST(FlushEdge, EmulatedTextsFlushAsTheReferenceDoes) {
    const std::vector<std::uint32_t> expected = edge_bits(*mottle::device::create_backend("reference"));
    // the cases hit what they are made for: zeros and smallest normal numbers, both signs
    for (std::uint32_t bits : {0x00000000u, 0x80000000u, 0x00800000u, 0x80800000u})
        EXPECT_GT(std::count(expected.begin(), expected.end(), bits), 100) << bits;
    EXPECT_EQ(expected, edge_bits(*mottle::backend::create_cuda_backend([] { return create_emulated_device(false); })));
}

TEST(FlushEdge, TheCardFlushesAsTheReferenceDoes) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    const std::vector<std::uint32_t> expected = edge_bits(*mottle::device::create_backend("reference"));
    const std::vector<std::uint32_t> actual = edge_bits(*mottle::device::create_backend("cuda"));
    for (std::size_t operation = 0, each = expected.size() / 3; operation < 3; ++operation) {
        std::size_t different = 0;
        for (std::size_t i = operation * each; i < (operation + 1) * each; ++i) different += expected[i] != actual[i] ? 1 : 0;
        EXPECT_EQ(different, 0u) << (operation == 0 ? "mul" : operation == 1 ? "fma" : "div");
    }
}

INSTANTIATE_TEST_SUITE_P(Texts, EmulatedCuda, testing::ValuesIn(groups()), [](const auto& each) { return each.param; });

/// Notes what it is asked for.
class CountingDevice final : public mottle::backend::cuda::ListeningDevice {
   public:
    std::map<std::size_t, int> allocations;  ///< by bytes
    mottle::backend::cuda::Address allocate(std::size_t bytes) override {
        ++allocations[bytes];
        return ListeningDevice::allocate(bytes);
    }
};

// A pass has two copies of u and v, one of the map, and none of the three held arrays; a launch per stage has all of these once, and
// both fields, which it stores beside what it reads of them, twice.
TEST(EmulatedCudaMemory, HoldsNoArrayThatStaysInRegisters) {
    for (const auto& [schedule, arrays] : {std::pair{"steps=2 chunk=16", 5}, {"steps=1", 8}}) {
        const auto device = std::make_shared<CountingDevice>();
        auto backend = mottle::backend::create_cuda_backend([&] { return device; });
        run_on(*backend, {kHeldTwice, "290x50", "periodic", "5", false, {3}}, {"", schedule, 1});
        EXPECT_EQ(device->allocations[320 * 50 * sizeof(float)], arrays) << schedule;
    }
}

// Launches that repeat are recorded; a recording is of one set of arrays, parameters and steps.
TEST(EmulatedCudaRecordings, GiveTheBitsOfTheReference) {
    for (const EmulatedCase& each : recorded_cases()) {
        auto backend = mottle::backend::create_cuda_backend([] { return create_emulated_device(false); });
        const int before = emulated_replays();
        compare(run(each.test, {"reference", "", 1}), run_on(*backend, each.test, {"", each.schedule, 1}),
                each.schedule + each.test.boundary);
        EXPECT_EQ(emulated_replays() > before, each.group == "Recorded") << each.schedule << each.test.boundary;
    }
}

// Some repeat: those are recorded.
TEST(CudaDevice, RecordingsGiveTheBitsOfTheReference) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    for (const EmulatedCase& each : recorded_cases()) {
        auto backend = mottle::device::create_backend("cuda");
        compare(run(each.test, {"reference", "", 1}), run_on(*backend, each.test, {"", each.schedule, 1}),
                each.schedule + each.test.boundary);
    }
}

void expect_statistics(mottle::backend::Backend& backend) {
    mottle::core::ThreadTeam team(2);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, kCache};
    auto same = [](double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); };
    for (bool f64 : {false, true}) {
        const auto expected = looks_of(*mottle::device::create_backend("reference"), context, f64),
                   actual = looks_of(backend, context, f64);
        ASSERT_EQ(expected.size(), actual.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto &range = actual[i].range, &wanted = expected[i].range;
            const auto &statistics = actual[i].statistics, &reduced = expected[i].statistics;
            EXPECT_EQ(wanted.first_bad, range.first_bad) << i;
            EXPECT_EQ(reduced.first_bad, statistics.first_bad) << i;
            EXPECT_EQ(reduced.count, statistics.count) << i;
            if (wanted.first_bad >= 0) continue;
            EXPECT_TRUE(same(wanted.min, range.min) && same(wanted.max, range.max)) << i;
            EXPECT_TRUE(same(reduced.min, statistics.min) && same(reduced.max, statistics.max)) << i;
            EXPECT_TRUE(same(reduced.sum, statistics.sum)) << i << ": " << reduced.sum << " and " << statistics.sum;
            EXPECT_TRUE(same(reduced.mean, statistics.mean)) << i << ": " << reduced.mean << " and " << statistics.mean;
            EXPECT_TRUE(same(reduced.std, statistics.std)) << i << ": " << reduced.std << " and " << statistics.std;
        }
    }
}

TEST(EmulatedCudaStatistics, AreTheHosts) {
    for (bool reversed : {false, true})
        expect_statistics(*mottle::backend::create_cuda_backend([reversed] { return create_emulated_device(reversed); }));
}

TEST(CudaDevice, StatisticsAreTheHosts) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    expect_statistics(*mottle::device::create_backend("cuda"));
}

void expect_pictures(mottle::backend::Backend& backend, const std::string& where) {
    mottle::core::ThreadTeam team(2);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, kCache};
    const std::vector<PictureCase> cases = picture_cases();
    for (bool f64 : {false, true}) {
        const auto expected = pictures_of(*mottle::device::create_backend("reference"), context, f64),
                   actual = pictures_of(backend, context, f64);
        ASSERT_EQ(expected.size(), actual.size());
        std::size_t varied = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto& picture = cases[i].picture;
            EXPECT_TRUE(expected[i] == actual[i])
                << where << ", picture " << i << ", format " << static_cast<int>(picture.format) << ", scale " << picture.scale << ", from "
                << picture.lo << " to " << picture.hi << (f64 ? ", f64" : ", f32");
            varied += std::adjacent_find(expected[i].begin(), expected[i].end(), std::not_equal_to<>()) == expected[i].end() ? 0 : 1;
        }
        EXPECT_GT(varied, expected.size() / 2);
    }
}

TEST(EmulatedCudaPictures, AreTheHosts) {
    for (bool reversed : {false, true}) {
        const int before = emulated_transfers();
        expect_pictures(*mottle::backend::create_cuda_backend([reversed] { return create_emulated_device(reversed); }),
                        reversed ? "reversed" : "forwards");
        EXPECT_GT(emulated_transfers() - before, static_cast<int>(picture_cases().size()));  // both precisions, one range aside
    }
}

void expect_surfaces(mottle::backend::Backend& backend, const std::string& where) {
    mottle::core::ThreadTeam team(2);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, kCache};
    for (bool f64 : {false, true}) {
        const SurfacePictures expected = surface_pictures_of(*mottle::device::create_backend("reference"), context, f64),
                              actual = surface_pictures_of(backend, context, f64);
        EXPECT_EQ(expected.painted, 0);
        EXPECT_EQ(actual.painted, static_cast<int>(3 * actual.pictures.size() / 4));  // one range of four begins at a subnormal number
        ASSERT_EQ(expected.pictures.size(), actual.pictures.size());
        for (std::size_t i = 0; i < expected.pictures.size(); ++i)
            EXPECT_TRUE(expected.pictures[i] == actual.pictures[i]) << where << ", picture " << i << (f64 ? ", f64" : ", f32");
    }
}

TEST(EmulatedCudaSurfaces, HaveTheHostsColours) {
    for (bool reversed : {false, true})
        expect_surfaces(*mottle::backend::create_cuda_backend([reversed] { return create_emulated_device(reversed); }),
                        reversed ? "reversed" : "forwards");
}

TEST(CudaDevice, SurfacesHaveTheHostsColours) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    expect_surfaces(*mottle::device::create_backend("cuda"), "on the device");
}

// The room of a picture that nobody waits for is used again, and that of one under way is not.
TEST(EmulatedCudaPictures, NobodyHasToWaitForThem) {
    mottle::core::ThreadTeam team(1);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, kCache};
    const PictureCase each = picture_cases()[0];
    mottle::domain::Grid grid;
    grid.size = each.size;
    auto backend = mottle::backend::create_cuda_backend([] { return create_emulated_device(false); });
    auto kernel = backend->compile(copying_program(false), grid, {}, context);
    auto state = kernel->create_state();
    std::vector<double> row(static_cast<std::size_t>(each.size[0]), 0.5);
    std::vector<std::uint8_t> expected(mottle::backend::picture_bytes(each.picture, grid)), kept(expected.size()),
        left(expected.size(), 0xEE);
    for (mottle::core::Index y = 0; y < each.size[1]; ++y) kernel->write_row(*state, 0, y, row);
    kernel->draw(*state, each.picture, expected);
    auto finish = kernel->begin_draw(*state, each.picture, kept);
    std::fill(row.begin(), row.end(), 0.8);
    for (mottle::core::Index y = 0; y < each.size[1]; ++y) kernel->write_row(*state, 0, y, row);
    for (int k = 0; k < 5; ++k) EXPECT_TRUE(kernel->begin_draw(*state, each.picture, left));
    finish();
    EXPECT_EQ(kept, expected);
    EXPECT_EQ(left, std::vector<std::uint8_t>(left.size(), 0xEE));
}

TEST(CudaDevice, PicturesAreTheHosts) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    expect_pictures(*mottle::device::create_backend("cuda"), "on the device");
}

void shuffle_kernel(int* out, int early) {
    const auto lane = static_cast<int>(emulation::here().thread % 32);
    if (lane == early) return;
    out[emulation::here().thread] = static_cast<int>(emulation::shuffle(static_cast<std::uint64_t>(lane), 1) +
                                                     100 * emulation::shuffle(static_cast<std::uint64_t>(lane), -1));
}

TEST(Emulation, ShufflesAsWarpsDo) {
    std::vector<int> cells(64);
    int* out = cells.data();
    int early = -1;
    const void* arguments[] = {&out, &early};
    for (bool reversed : {false, true}) {
        emulation::run(emulation::wrap(shuffle_kernel), arguments, {1, 64, true, reversed});
        EXPECT_EQ(cells[0], 1);  // nobody above: its own
        EXPECT_EQ(cells[33], 2 + 100 * 0);
        EXPECT_EQ(cells[63], 31 + 100 * 30);
    }
}

TEST(Emulation, SeesALaneThatEndsTooEarly) {
    std::vector<int> cells(32);
    int* out = cells.data();
    for (int early : {0, 7, 31}) {
        const void* arguments[] = {&out, &early};
        for (bool reversed : {false, true}) {
            EXPECT_THROW(emulation::run(emulation::wrap(shuffle_kernel), arguments, {1, 32, true, reversed}), std::runtime_error) << early;
        }
    }
}

constexpr unsigned kGivers = 64;

/// Each thread gives a word and takes its neighbour's; `wrong`: 1 no barrier between, 2 none before the next word is given, 3 some threads miss it.
void exchanging_kernel(int* out, int wrong) {
    const unsigned self = emulation::here().thread;
    auto* words = static_cast<int*>(emulation::shared(kGivers * sizeof(int)));
    auto give = [&](int value) {
        emulation::note_give(&words[self], sizeof(int));
        words[self] = value;
    };
    give(static_cast<int>(self));
    if (wrong != 1 && !(wrong == 3 && self < 32)) emulation::meet_block();
    const int* from = &words[(self + 1) % kGivers];
    emulation::note_take(from, sizeof(int));
    out[self] = *from;
    if (wrong == 2) give(-1);
}

TEST(Emulation, SharesMemoryBetweenBarriersOnly) {
    std::vector<int> cells(kGivers);
    int* out = cells.data();
    for (bool reversed : {false, true}) {
        for (int wrong : {0, 1, 2, 3}) {
            const void* arguments[] = {&out, &wrong};
            auto launch = [&] { emulation::run(emulation::wrap(exchanging_kernel), arguments, {2, kGivers, true, reversed}); };
            if (wrong > 0) {
                EXPECT_THROW(launch(), std::runtime_error) << wrong;
                continue;
            }
            launch();
            for (unsigned i = 0; i < kGivers; ++i) EXPECT_EQ(cells[i], static_cast<int>((i + 1) % kGivers));
        }
    }
}

void racing_kernel(int* cell) { *cell = static_cast<int>(emulation::here().thread); }

TEST(Emulation, AnotherOrderShowsARace) {
    int cell = -1;
    int* out = &cell;
    const void* arguments[] = {&out};
    emulation::run(emulation::wrap(racing_kernel), arguments, {1, 32, false, false});
    EXPECT_EQ(cell, 31);
    emulation::run(emulation::wrap(racing_kernel), arguments, {1, 32, false, true});
    EXPECT_EQ(cell, 0);
}

}  // namespace cuda_test
}  // namespace conformance
