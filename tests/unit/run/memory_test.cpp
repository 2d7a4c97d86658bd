// tests/unit/run/memory_test.cpp: what a run is expected to take, and what is said of too much
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/memory.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace memory_test {

using namespace mottle;

run::Spec read(const std::string& flags) {
    const std::string model = "equations.u = 'lap(u)'\nequations.v = '-v'\ninitial.u = 'X'\ninitial.v = '1'\n";
    return run::read_spec(core::parse_document(model, "test.toml"), "test", "", core::parse_document("force = true\n" + flags, "flags"));
}

double state(const std::string& size, std::size_t arrays, bool f64 = false) {
    return run::bytes_of_state(read("size = '" + size + "'").domain, arrays, f64);
}

std::string refusal(const run::Spec& spec, double available) {
    try {
        run::check_memory(spec, 2, available);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "none";
}

TEST(Memory, WideRowsAreDenseAndNarrowOnesFillLines) {
    EXPECT_DOUBLE_EQ(state("4000x3000", 2), 1.2 * 4000 * 3000 * 4 * 2);
    EXPECT_DOUBLE_EQ(state("4000x3000", 1, true), 1.2 * 4000 * 3000 * 8);
    EXPECT_DOUBLE_EQ(run::bytes_of_state(read("mesh = 'sphere:4'").domain, 2, false), 1.2 * 2562 * 4 * 2);
    EXPECT_GE(state("1x1000000", 1), 64e6) << "a line of the cache for each row of one cell";
    EXPECT_LE(state("1x1000000", 1), 96e6);
    EXPECT_GE(state("1x1000000", 6, true), 6 * 3 * 8e6) << "a ghost on each side of the cell";
    EXPECT_GE(state("4x1000000", 1), 64e6);
    EXPECT_GE(state("2x1000x1000", 1), 64e6);
}

TEST(Memory, ALongRowOfTheStartIsInTwiceThePrecision) {
    const double row = run::bytes_of_run(read("size = '20000000x1'\nthreads = 8"), 2);
    EXPECT_GE(row, 20e6 * (2 * 4 + 8 + 4)) << "two fields, and a row of the start with what it is rounded to";
    EXPECT_EQ(row, run::bytes_of_run(read("size = '20000000x1'\nthreads = 1"), 2)) << "one thread has a row to fill";
    EXPECT_GE(run::bytes_of_run(read("size = '10000000x2'\nthreads = 8"), 2), 20e6 * (2 * 4 + 8 + 4));
    EXPECT_LT(run::bytes_of_run(read("size = '5000x4000'\nthreads = 8"), 2), 1.01 * 1.2 * 20e6 * 2 * 4 + run::kBytesBeside);
}

TEST(Memory, OutputsAndStatesHoldFields) {
    const std::string plain = "size = '5000x4000'\nthreads = 2\n";
    const double fields = 20e6 * 4 * 2, none = run::bytes_of_run(read(plain), 2) - 0.01 * fields;
    auto more = [&](const std::string& flags) { return (run::bytes_of_run(read(plain + flags), 2) - none) / fields; };
    EXPECT_LT(more("output = [{ file = 'a.png' }]"), 0.1);
    for (const char* row_by_row :
         {"output = [{ file = 'a.npy' }, { file = 'b-%05d.npy' }]", "output = [{ file = 'a.vti' }]", "checkpoint = 'a.state'"})
        EXPECT_LT(more(row_by_row), 0.1) << row_by_row;
    EXPECT_GE(more("until = 'steady=1e-3'"), 1);
    const auto of_surface = [](const std::string& flags) { return run::bytes_of_run(read("mesh = 'sphere:7'\n" + flags), 2); };
    // put together in memory: three states each, beside which the start, whose row is as long as three and a half, is no longer the most
    EXPECT_GE(of_surface("output = [{ file = 'a.ply' }, { file = 'b.ply' }]") - of_surface(""), 2 * 163842 * 4 * 2);
}

TEST(Memory, SaysWhatIsNeededAndWhatThereIs) {
    const run::Spec spec = read("size = '5000x4000'\nprecision = 'f64'");
    EXPECT_EQ(refusal(spec, 1e9), "none");
    EXPECT_EQ(refusal(spec, 100e6),
              "a run on a 5000x4000 grid with 2 arrays of f64 needs 393 MB of memory, 100 MB are available; use a smaller --size or "
              "--precision f32");
}

}  // namespace memory_test
