// tests/conformance/cuda/cuda_test.cpp: the texts of the CUDA backend, run by threads emulated on the CPU, against the reference, bit for bit
#include "conformance/cuda/cases.h"
#include "conformance/cuda/emulated_device.h"
#include "conformance/cuda/emulation.h"
#include "mottle/backend/cuda/backend.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace conformance {
namespace {

class EmulatedCuda : public testing::TestWithParam<std::string> {};

std::vector<std::string> groups() {
    std::vector<std::string> names;
    for (const EmulatedCase& each : emulated_cases()) {
        if (names.empty() || names.back() != each.group) {
            if (std::find(names.begin(), names.end(), each.group) == names.end()) names.push_back(each.group);
        }
    }
    return names;
}

TEST_P(EmulatedCuda, GivesTheBitsOfTheReference) {
    for (const EmulatedCase& each : emulated_cases()) {
        if (each.group != GetParam()) continue;
        const Result expected = run(each.test, {"reference", "", 1});
        for (bool reversed : {false, true}) {
            auto backend = mottle::backend::create_cuda_backend([reversed] { return create_emulated_device(reversed); });
            const Result actual = run_on(*backend, each.test, {"", each.schedule, 1});
            compare(expected, actual,
                    each.test.size + ", " + each.test.boundary + ", stencil " + each.test.stencil +
                        (each.test.f64 ? ", f64, " : ", f32, ") + each.schedule + (reversed ? ", reversed" : "") + ", model " +
                        each.test.model.substr(0, 40));
            if (HasFatalFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Texts, EmulatedCuda, testing::ValuesIn(groups()), [](const auto& each) { return each.param; });

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
    void* arguments[] = {&out, &early};
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
        void* arguments[] = {&out, &early};
        for (bool reversed : {false, true}) {
            EXPECT_THROW(emulation::run(emulation::wrap(shuffle_kernel), arguments, {1, 32, true, reversed}), std::runtime_error) << early;
        }
    }
}

void racing_kernel(int* cell) { *cell = static_cast<int>(emulation::here().thread); }

TEST(Emulation, AnotherOrderShowsARace) {
    int cell = -1;
    int* out = &cell;
    void* arguments[] = {&out};
    emulation::run(emulation::wrap(racing_kernel), arguments, {1, 32, false, false});
    EXPECT_EQ(cell, 31);
    emulation::run(emulation::wrap(racing_kernel), arguments, {1, 32, false, true});
    EXPECT_EQ(cell, 0);
}

}  // namespace
}  // namespace conformance
