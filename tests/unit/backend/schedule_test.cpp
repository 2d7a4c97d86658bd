// tests/unit/backend/schedule_test.cpp: schedules as text, by family, and that help and docs list the keys of the table
#include "mottle/backend/schedule.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"

#include <gtest/gtest.h>

namespace mottle::backend {
namespace schedule_test {

std::string message_of(const std::string& text, Family family) {
    try {
        parse_schedule(text, family);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "(no error)";
}

bool says(const std::string& text, Family family, const std::string& part) {
    return message_of(text, family).find(part) != std::string::npos;
}

TEST(Schedule, EmptyTextLeavesEverythingToTheCostModel) {
    for (const Family family : kFamilies) {
        const Schedule schedule = parse_schedule("", family);
        EXPECT_EQ(schedule.index(), static_cast<std::size_t>(family));
        EXPECT_EQ(steps_of(schedule), std::nullopt);
        EXPECT_EQ(print(schedule), "");
    }
    EXPECT_EQ(print(Schedule()), "");
}

TEST(Schedule, ReadsWhatItPrints) {
    using enum Family;
    for (const auto& [family, text] : {std::pair(plane, "steps=32"),
                                       {plane, "steps=16 rows=4"},
                                       {plane, "rows=2 strip=512"},
                                       {plane, "steps=1 rows=1 strip=0 bands=2"},
                                       {volume, "steps=4 rows=2 tile=7 slabs=3"},
                                       {plane, "steps=4 halo=8 blocks=2x3"},
                                       {volume, "blocks=1x2x3"},
                                       {mesh, "parts=7"},
                                       {mesh, "order=rings steps=8 parts=2"},
                                       {mesh, "order=file steps=1"},
                                       {mesh, "order=morton"},
                                       {mesh, "order=rings steps=2 gather=words"},
                                       {mesh, "gather=vector"},
                                       {card_plane, "steps=4 strip=0"},
                                       {card_plane, "steps=4 tile=8 warps=12"},
                                       {card_volume, "steps=3 planes=16"},
                                       {card_mesh, "order=file steps=1 threads=128"}}) {
        EXPECT_EQ(print(parse_schedule(text, family)), text);
    }
    EXPECT_EQ(print(parse_schedule("  bands=2\tsteps=32 ", plane)), "steps=32 bands=2");
    EXPECT_EQ(print(parse_schedule("blocks=4x2x1", volume)), "blocks=4x2");
}

TEST(Schedule, ReadsTheNamesOfOlderVersions) {
    using enum Family;
    for (const auto& [family, former, now] : {std::tuple(plane, "steps=16 rows=4 chunk=0 parts=2", "steps=16 rows=4 strip=0 bands=2"),
                                              {volume, "steps=6 chunk=4 parts=2", "steps=6 tile=4 slabs=2"},
                                              {mesh, "steps=4 parts=3", "steps=4 parts=3"},
                                              {card_plane, "chunk=0", "strip=0"},
                                              {card_plane, "rows=8 parts=12", "tile=8 warps=12"},
                                              {card_volume, "steps=3 chunk=16", "steps=3 planes=16"},
                                              {card_mesh, "order=morton chunk=1000", "order=morton threads=1000"}})
        EXPECT_EQ(print(parse_schedule(former, family)), now);
}

TEST(Schedule, AKeyOfAnotherFamilyIsRefusedWithTheKeysThatThereAre) {
    using enum Family;
    EXPECT_EQ(message_of("slabs=2", plane),
              "a schedule for a plane on the CPU has no key 'slabs' (it has: steps, rows, strip, bands, halo, blocks)");
    EXPECT_EQ(message_of("rows=2", mesh), "a schedule for a mesh on the CPU has no key 'rows' (it has: order, steps, parts, gather, halo)");
    EXPECT_EQ(message_of("parts=2", card_mesh), "a schedule for a mesh on a GPU has no key 'parts' (it has: order, steps, threads, halo)");
    EXPECT_TRUE(says("gather=words", card_mesh, "no key 'gather'"));
    EXPECT_TRUE(says("rows=2", card_volume, "no key 'rows'"));
    EXPECT_EQ(message_of("steps=2", none), "the reference interpreter takes no schedule; leave 'steps' out");
}

TEST(Schedule, RefusesWhatItDoesNotKnow) {
    using enum Family;
    EXPECT_TRUE(says("step=3", plane, "did you mean 'steps'?"));
    EXPECT_TRUE(says("=3", plane, "no key ''"));
    EXPECT_TRUE(says("fast", plane, "is written key=value"));
    EXPECT_TRUE(says("order=ring", mesh, "did you mean 'rings'?"));
    EXPECT_TRUE(says("order=", mesh, "rings, file or morton"));
    EXPECT_TRUE(says("gather=word", mesh, "did you mean 'words'?"));
    EXPECT_TRUE(says("gather=", mesh, "vector or words"));
    EXPECT_TRUE(says("order=file steps=4", mesh, "one step per pass"));
    EXPECT_TRUE(says("order=file steps=4", card_mesh, "one step per pass"));
    EXPECT_TRUE(says("parts=2 order=morton", mesh, "one step per pass"));
    for (const char* text :
         {"blocks=4", "blocks=", "blocks=2x", "blocks=2x0", "blocks=2x2x", "blocks=2x2x2x1", "blocks=axb", "blocks=2x4097"})
        EXPECT_TRUE(says(text, plane, "the blocks along x, y and z")) << text;
    for (const char* text : {"steps=0", "steps=-1", "steps=1025", "steps=x", "steps=", "steps=3x", "rows=99", "chunk=-1", "parts=0",
                             "steps=1e3", "steps=99999999999999999999"}) {
        EXPECT_TRUE(says(text, plane, "it is a whole number from")) << text;
    }
}

TEST(Schedule, OfAnotherFamilyFitsNoKernel) {
    ir::Program program;
    const Schedule plane = parse_schedule("bands=3", Family::plane);
    EXPECT_EQ(print(schedule_for(plane, Family::plane, program)), "bands=3");
    EXPECT_EQ(schedule_for({}, Family::mesh, program).index(), static_cast<std::size_t>(Family::mesh));
    EXPECT_THROW(schedule_for(plane, Family::card_plane, program), core::InputError);
    const Schedule spread = parse_schedule("blocks=2x1 halo=4", Family::plane);
    EXPECT_THROW(schedule_for(spread, Family::plane, program), core::InputError);
    EXPECT_EQ(print(schedule_for(with_spread(spread, {}), Family::plane, program)), "");
    EXPECT_EQ(print(schedule_for(parse_schedule("blocks=1x1 halo=4", Family::plane), Family::plane, program)), "");
    program.phases.emplace();
    EXPECT_EQ(print(schedule_for(plane, Family::plane, program)), "steps=1 bands=3");
}

// docs/command-line.md has a table for each family, with the rows of the table of keys.
TEST(Schedule, TheManualListsTheKeys) {
    const std::string manual = core::read_file(MOTTLE_SOURCE_DIR "/docs/command-line.md").value();
    for (const Family family : kFamilies) {
        std::string table = "| " + describe(family) + " | values | meaning |\n|---|---|---|\n";
        for (const ScheduleKey& key : schedule_keys(family)) table += "| `" + key.name + "` | " + key.values + " | " + key.meaning + " |\n";
        EXPECT_NE(manual.find("\n" + table + "\n"), std::string::npos) << "docs/command-line.md lacks\n" << table;
    }
}

}  // namespace schedule_test
}  // namespace mottle::backend
