// tests/conformance/cuda/ensemble_test.cpp: small planes that advance in one launch, a block each, against the reference, bit for bit
#include "conformance/cuda/card.h"
#include "conformance/cuda/emulated_device.h"
#include "conformance/cuda/ensemble_cases.h"
#include "mottle/backend/cuda/device/api.h"
#include "mottle/backend/cuda/backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace conformance {
namespace ensemble_test {

using Open = std::function<std::shared_ptr<mottle::backend::cuda::Device>()>;

std::vector<std::string> ensemble_groups() {
    std::vector<std::string> names;
    for (const EnsembleCase& each : emulated_ensembles()) {
        if (std::find(names.begin(), names.end(), each.group) == names.end()) names.push_back(each.group);
    }
    return names;
}

/// Runs cases on a device; `counts`: it counts its launches.
void expect_ensembles(const std::vector<EnsembleCase>& cases, const Open& open, const std::string& where, bool counts) {
    for (const EnsembleCase& each : cases) {
        const std::string what = each.test.size + ", " + each.test.boundary + ", stencil " + each.test.stencil +
                                 (each.test.f64 ? ", f64, " : ", f32, ") + where + ", model " + each.test.model.substr(0, 40);
        const Way way{"", each.schedule, 1};
        const std::vector<Result> expected =
            run_together(*mottle::device::create_backend("reference"), each.test, {"", "", 1}, each.members);  // which takes no schedule
        auto backend = mottle::backend::create_cuda_backend(open);
        const int before = emulated_meetings();
        const std::vector<Result> actual = run_together(*backend, each.test, way, each.members);
        const int launches = emulated_meetings() - before, least = static_cast<int>(each.test.launches.size());
        if (counts && each.group == "Long") {
            EXPECT_GT(launches, least) << what;
        } else if (counts) {
            EXPECT_EQ(launches == least, each.together) << what;
        }
        for (std::size_t m = 0; m < expected.size(); ++m) {
            compare(expected[m], actual[m], "member " + std::to_string(m) + ", " + what);
            EXPECT_TRUE(m == 0 || expected[m].bits != expected[0].bits) << what;
        }
        if (testing::Test::HasFatalFailure()) return;
    }
}

class EmulatedEnsembles : public testing::TestWithParam<std::string> {};

TEST_P(EmulatedEnsembles, GiveTheBitsOfTheReference) {
    std::vector<EnsembleCase> cases = emulated_ensembles();
    std::erase_if(cases, [&](const EnsembleCase& each) { return each.group != GetParam(); });
    for (const bool reversed : {false, true})
        expect_ensembles(
            // a few members one after another, each in all of a card, would be faster on a card whose blocks can wait for each other
            cases, [reversed] { return create_emulated_device(reversed, 132, false); }, reversed ? "reversed" : "forwards", true);
}

INSTANTIATE_TEST_SUITE_P(Texts, EmulatedEnsembles, testing::ValuesIn(ensemble_groups()), [](const auto& each) { return each.param; });

TEST(CudaDevice, EnsemblesGiveTheBitsOfTheReference) {
    if (const std::string reason = no_card(); !reason.empty()) GTEST_SKIP() << reason;
    expect_ensembles(
        pretended_card() ? one_of_each_kind(emulated_ensembles()) : card_ensembles(),
        [] { return mottle::backend::cuda::open_driver_device(); }, "on the device", false);
}

}  // namespace ensemble_test
}  // namespace conformance
