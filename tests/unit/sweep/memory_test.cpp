// tests/unit/sweep/memory_test.cpp: what a sweep is expected to take, and what is said of too much
#include "mottle/sweep/memory.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace memory_test {

using namespace mottle;

sweep::Spec read(const std::string& flags, const std::vector<std::string>& over = {"D=1:2:40"}) {
    const std::string model = "equations.u = 'D*lap(u)'\nequations.v = '-v'\nparameters.D = 1\ninitial.u = 'X'\ninitial.v = '1'\n";
    return sweep::read_spec(core::parse_document(model, "test.toml"), "test", "", core::parse_document(flags, "flags"), over);
}

std::string refusal(const sweep::Spec& spec, double available) {
    try {
        sweep::check_memory(spec, 2, available);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "none";
}

constexpr double kBeside = 8 << 20;  // of any run

TEST(SweepMemory, FieldsOfAllMembers) {
    EXPECT_DOUBLE_EQ(sweep::memory_need(read("size = '500x400'"), 3).total(), 1.2 * 500 * 400 * 4 * 3 * 40 + kBeside);
    EXPECT_DOUBLE_EQ(sweep::memory_need(read("size = '500x400'\nprecision = 'f64'"), 2).total(), 1.2 * 500 * 400 * 8 * 2 * 40 + kBeside);
    EXPECT_DOUBLE_EQ(sweep::memory_need(read("size = '500x400'\nuntil = 'steady=1e-3'"), 3).total(),
                     1.2 * 500 * 400 * 4 * (3 + 2) * 40 + kBeside)
        << "the fields one step before";
}

// 40 tiles of 500 cells with gaps of 8 in a row, then 8 x 5 of them.
TEST(SweepMemory, PicturesOfAllMembersAtTheirScale) {
    const double wide = 40 * 508 - 8;
    auto pictures = [](const std::string& output, const std::vector<std::string>& over = {"D=1:2:40"}) {
        return sweep::memory_need(read("size = '500x400'\n" + output, over), 2).pictures;
    };
    EXPECT_EQ(pictures(""), 0);
    EXPECT_EQ(pictures("output = [{ file = 'a.npy' }, { file = 'a.csv' }]"), 0);
    const double sheet = pictures("output = [{ file = 'a.png' }]"), video = pictures("output = [{ file = 'a.mp4' }]");
    EXPECT_GE(sheet, 4 * wide * 400) << "an index and three colours";
    EXPECT_LT(sheet, 8 * wide * 400);
    EXPECT_GE(video, 50 * wide * 400);
    EXPECT_DOUBLE_EQ(pictures("output = [{ file = 'a.png' }, { file = 'a.mp4' }]"), sheet + video);
    EXPECT_DOUBLE_EQ(pictures("scale = 3\noutput = [{ file = 'a.png' }]"), 9 * sheet);
    EXPECT_DOUBLE_EQ(pictures("chroma = '444'\noutput = [{ file = 'a.mp4' }]"), 2 * video);
    EXPECT_NEAR(pictures("output = [{ file = 'a.png' }]", {"D=1:2:8", "seed=1:5:5"}) / sheet, (8 * 508 - 8) * (5 * 408 - 8) / (wide * 400),
                1e-9);
}

TEST(SweepMemory, CopiesOfASurfaceWhereTheyAreSeenOrWritten) {
    EXPECT_EQ(sweep::memory_need(read("mesh = 'sphere:4'"), 2).copies, 0);
    EXPECT_EQ(sweep::memory_need(read("mesh = 'sphere:4'\noutput = [{ file = 'a.npy' }]"), 2).copies, 0);
    const sweep::MemoryNeed written = sweep::memory_need(read("mesh = 'sphere:4'\noutput = [{ file = 'a.ply' }]"), 2);
    EXPECT_GE(written.copies, 100.0 * 40 * 2562);
    EXPECT_EQ(written.pictures, 0);
    const sweep::MemoryNeed seen = sweep::memory_need(read("mesh = 'sphere:4'\npixels = '800x600'\noutput = [{ file = 'a.mp4' }]"), 2);
    EXPECT_EQ(seen.copies, written.copies);
    EXPECT_GE(seen.pictures, 50.0 * 800 * 600);
}

TEST(SweepMemory, SaysWhatTakesItAndWhatToDo) {
    const sweep::Spec plain = read("size = '500x400'");
    EXPECT_EQ(refusal(plain, 1e9), "none");
    EXPECT_EQ(refusal(plain, 80e6),
              "a sweep of 40 runs on a 500x400 grid needs 85.2 MB of memory, 80.0 MB are available; take fewer values, or a smaller "
              "--size");
    const std::string pictures = refusal(read("size = '500x400'\noutput = [{ file = 'a.png' }, { file = 'a.mp4' }]"), 100e6);
    EXPECT_NE(pictures.find(" for pictures, most for 'a.mp4', 20312x400 pixels), 100 MB are available; take fewer values, or write smaller "
                            "pictures, or a smaller --size"),
              std::string::npos)
        << pictures;
    const std::string copies = refusal(read("mesh = 'sphere:4'\noutput = [{ file = 'a.ply' }]"), 1e6);
    EXPECT_NE(copies.find(" for copies of the surface), 1.00 MB are available; take fewer values, or a smaller mesh"), std::string::npos)
        << copies;
}

}  // namespace memory_test
