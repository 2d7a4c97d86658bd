// tests/unit/sweep/sweep_bits_test.cpp: members become what single runs become, to the last bit
#include "unit/sweep/bench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>

namespace sweep_test {
namespace {

/// The same without a parameter that is made of others: its members are the base with other numbers.
constexpr const char* kPlainModel = R"(
equations.u = 'D*lap(u) + r*u*(1 - u) - rest*u + D*r'
parameters = { D = 0.2, r = 0.1 }
define.rest = 'r/50 + D^2'
initial.u = '0.5 + r + noise(-D, D)'
grid.size = '12x9'
boundary.left = 'value(r)'
boundary.right = 'flux(D - rest)'
time = { steps = 40, dt = 0.5 }
)";

/// What is solved or transformed between two steps is shared by the threads that advance a member, not by those that made it.
std::string split_model(const std::string& method) {
    return R"(
equations.u = 'D*lap(u) + r*u*(1 - u)'
parameters = { D = 0.2, r = 0.1 }
initial.u = '0.5 + r + noise(-D, D)'
grid.size = '12x9'
time = { steps = 40, dt = 0.5 }
method.name = ')" +
           method + "'\n";
}

struct Shape {
    std::string kind, model;
    const char* device;
    int threads;
    std::string name() const { return kind + "_" + device + std::to_string(threads); }
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name(); }

/// As many members as threads and more, and fewer.
class SweepBits : public ::testing::TestWithParam<Shape> {};

TEST_P(SweepBits, EveryMemberBecomesWhatItIsAlone) {
    const std::string device = GetParam().device, &model = GetParam().model;
    if (device == "cpu" && !MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    Bench bench(GetParam().threads);
    const std::string on = "device = '" + device + "'\n";
    auto spec = [&](const std::string& more) {
        core::Node node = core::parse_document(on + more, "flags");
        return sweep::read_spec(core::parse_document(model, "test.toml"), "test", "", node, {"r=0.1,0.3,0.2", "D=0.05,0.4"});
    };
    sweep::Sweep sweep(spec("output = [{ file = '" + bench.at("all.npy") + "' }]"), bench.context);
    EXPECT_TRUE(sweep.run_to_end());
    const std::string all = body(bench.read("all.npy"));
    std::string expected, first;
    for (const char* D : {"0.05", "0.4"}) {
        for (const char* r : {"0.1", "0.3", "0.2"}) {
            const std::string file = bench.at("one.npy");
            core::Node node =
                core::parse_document(on + "parameters = { r = " + r + ", D = " + D + " }\noutput = [{ file = '" + file + "' }]", "flags");
            run::Simulation single(run::read_spec(core::parse_document(model, "test.toml"), "test", "", node), bench.context);
            single.run_to_end();
            const std::string one = body(bench.read("one.npy"));
            if (first.empty()) first = one;
            EXPECT_EQ(one == first, expected.empty()) << "another parameter, another end";
            expected += one;
        }
    }
    ASSERT_EQ(all.size(), std::size_t{6} * 12 * 9 * 4);
    EXPECT_EQ(std::memcmp(all.data(), expected.data(), all.size()), 0);
    EXPECT_NE(bench.read("all.npy").find("'shape': (2, 3, 1, 9, 12)"), std::string::npos);
    EXPECT_EQ(sweep.cell_updates(), 6.0 * 12 * 9 * 40);
}

INSTANTIATE_TEST_SUITE_P(Devices, SweepBits,
                         ::testing::Values(Shape{"Made", kModel, "reference", 1}, Shape{"Made", kModel, "reference", 3},
                                           Shape{"Made", kModel, "cpu", 2}, Shape{"Plain", kPlainModel, "reference", 3},
                                           Shape{"Plain", kPlainModel, "cpu", 1}, Shape{"Plain", kPlainModel, "cpu", 2},
                                           Shape{"Plain", kPlainModel, "cpu", 8}, Shape{"Imex", split_model("imex"), "reference", 3},
                                           Shape{"Imex2", split_model("imex2"), "reference", 3},
                                           Shape{"Imex2", split_model("imex2"), "cpu", 2},
                                           Shape{"Etdrk4", split_model("etdrk4"), "reference", 3}),
                         [](const auto& one) { return one.param.name(); });

}  // namespace
}  // namespace sweep_test
