// tests/unit/backend/schedule_test.cpp: schedules as text
#include "mottle/backend/schedule.h"
#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace mottle::backend {
namespace schedule_test {

std::string message_of(const std::string& text) {
    try {
        parse_schedule(text);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "(no error)";
}

TEST(Schedule, EmptyTextLeavesEverythingToTheCostModel) {
    const Schedule schedule = parse_schedule("");
    EXPECT_EQ(schedule.steps, 0);
    EXPECT_EQ(schedule.rows, 0);
    EXPECT_EQ(schedule.chunk, -1);
    EXPECT_EQ(schedule.parts, 0);
    EXPECT_EQ(print(schedule), "");
}

TEST(Schedule, ReadsWhatItPrints) {
    for (const char* text :
         {"steps=32", "steps=16 rows=4", "rows=2 chunk=512", "steps=1 rows=1 chunk=0 parts=2", "parts=7", "order=rings steps=8 parts=2",
          "order=file steps=1", "order=morton", "order=rings steps=2 gather=words", "gather=vector"}) {
        EXPECT_EQ(print(parse_schedule(text)), text);
    }
    EXPECT_EQ(print(parse_schedule("  parts=2\tsteps=32 ")), "steps=32 parts=2");
}

TEST(Schedule, RefusesWhatItDoesNotKnow) {
    EXPECT_NE(message_of("step=3").find("did you mean 'steps'?"), std::string::npos);
    EXPECT_NE(message_of("fast").find("no key=number"), std::string::npos);
    EXPECT_NE(message_of("order=ring").find("did you mean 'rings'?"), std::string::npos);
    EXPECT_NE(message_of("order=").find("rings, file or morton"), std::string::npos);
    EXPECT_NE(message_of("gather=word").find("did you mean 'words'?"), std::string::npos);
    EXPECT_NE(message_of("gather=").find("vector or words"), std::string::npos);
    EXPECT_NE(message_of("order=file steps=4").find("one step per pass"), std::string::npos);
    EXPECT_NE(message_of("parts=2 order=morton").find("one step per pass"), std::string::npos);
    for (const char* text : {"steps=0", "steps=-1", "steps=1025", "steps=x", "steps=", "steps=3x", "rows=99", "chunk=-1", "parts=0",
                             "steps=1e3", "steps=99999999999999999999"}) {
        EXPECT_NE(message_of(text).find("no whole number from"), std::string::npos) << text;
    }
}

}  // namespace schedule_test
}  // namespace mottle::backend
