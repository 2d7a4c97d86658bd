// tests/unit/run/timeline_test.cpp: the events of a run against plain lists of them
#include "mottle/run/timeline.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace timeline_test {

using namespace mottle;
using core::Index;
using run::FrameTimes;
using run::Timeline;

FrameTimes frames(Index n, bool exact = true) {
    FrameTimes times;
    times.frames = n;
    times.exact = exact;
    return times;
}

FrameTimes every(Index k) {
    FrameTimes times;
    times.every = k;
    return times;
}

FrameTimes at(const std::string& text, Index n) {
    FrameTimes times;
    times.at = {text, {"--at", 0, 1, 0}};
    times.frames = n;
    return times;
}

std::vector<Index> drawn(const Timeline& timeline, std::size_t output) {
    std::vector<Index> steps;
    Index after = -1;
    while (auto event = timeline.next(after)) {
        EXPECT_GT(event->step, after);
        if (timeline.draws(output, event->step)) steps.push_back(event->step);
        after = event->step;
    }
    return steps;
}

TEST(Timeline, FramesFallOnFloorOfShares) {
    for (Index steps : {1, 2, 7, 33, 100, 10000}) {
        for (Index n : {1, 2, 3, 7, 30}) {
            if (n > steps) continue;
            std::vector<Index> expected;
            for (Index i = 1; i <= n; ++i) expected.push_back(i * steps / n);
            EXPECT_EQ(drawn(Timeline({frames(n)}, steps, 0), 0), expected) << steps << " steps, " << n << " frames";
        }
    }
}

// What a run that goes on has drawn before: plainly counted.
TEST(Timeline, FramesUntilAStepAreThoseThatWereDrawn) {
    for (Index steps : {1, 2, 7, 33, 100, 1000}) {
        for (const FrameTimes& times : {frames(1), frames(3), frames(7), frames(30), every(1), every(4), every(99), at("n^2", 4)}) {
            if (times.every == 0 && times.frames > steps) continue;
            const Timeline timeline({times}, steps, 0);
            const std::vector<Index> all = drawn(timeline, 0);
            for (Index step = 1; step <= steps; ++step) {
                const auto count = std::count_if(all.begin(), all.end(), [step](Index each) { return each <= step; });
                EXPECT_EQ(timeline.frames_until(0, step), count) << step << " of " << steps << ", " << times.frames << " frames";
            }
            EXPECT_EQ(timeline.frames_until(0, 0), 0);
        }
    }
}

// A step that has been halved three times: all that was planned is due at eight times the step.
TEST(Timeline, AFactorMovesEveryEvent) {
    for (const Index tests : {0, 100, 1024}) {
        const Timeline planned({frames(7), every(400), at("n^2*10", 9)}, 3000, tests),
            later({frames(7), every(400), at("n^2*10", 9)}, 3000, tests, 8);
        EXPECT_EQ(later.steps(), 24000);
        Index after = -1, later_after = -1;
        while (const auto event = planned.next(after)) {
            const auto moved = later.next(later_after);
            ASSERT_TRUE(moved);
            EXPECT_EQ(moved->step, 8 * event->step);
            EXPECT_EQ(std::tuple(moved->draw, moved->test, moved->end), std::tuple(event->draw, event->test, event->end));
            for (std::size_t output = 0; output < 3; ++output) {
                EXPECT_EQ(later.draws(output, moved->step), planned.draws(output, event->step));
                EXPECT_FALSE(later.draws(output, moved->step + 1));
                EXPECT_EQ(later.frames_until(output, moved->step), planned.frames_until(output, event->step));
                EXPECT_EQ(later.frames_until(output, moved->step - 1), planned.frames_until(output, event->step - 1));
            }
            after = event->step;
            later_after = moved->step;
        }
        EXPECT_FALSE(later.next(later_after));
    }
}

TEST(Timeline, EveryDrawsMultiplesAndTheEnd) {
    EXPECT_EQ(drawn(Timeline({every(4)}, 10, 0), 0), (std::vector<Index>{4, 8, 10}));
    EXPECT_EQ(drawn(Timeline({every(5)}, 10, 0), 0), (std::vector<Index>{5, 10}));
    EXPECT_EQ(drawn(Timeline({every(99)}, 10, 0), 0), (std::vector<Index>{10}));
    EXPECT_EQ(Timeline({every(4)}, 10, 0).frame_count(0), 3);
}

TEST(Timeline, AtFollowsTheExpression) {
    EXPECT_EQ(run::frame_steps({"150*n + 0.75*n^2", {}}, 3), (std::vector<Index>{151, 303, 457}));
    EXPECT_EQ(drawn(Timeline({at("n^2", 4)}, 16, 0), 0), (std::vector<Index>{1, 4, 9, 16}));
    EXPECT_EQ(drawn(Timeline({at("n^2", 4)}, 10, 0), 0), (std::vector<Index>{1, 4, 9}));
}

TEST(Timeline, AnAtWithoutAValueIsNamed) {
    try {
        run::frame_steps({"sqrt(n - 10)", {}}, 3);
        FAIL() << "accepted";
    } catch (const core::InputError& error) {
        EXPECT_EQ(error.message(), "at = \"sqrt(n - 10)\" has no value for frame 1; steps run from 0 to 2^53");
    }
}

TEST(Timeline, OutputsMergeAndKeepTheirOwnFrames) {
    const Timeline timeline({frames(3), every(4)}, 10, 0);
    EXPECT_EQ(drawn(timeline, 0), (std::vector<Index>{3, 6, 10}));
    EXPECT_EQ(drawn(timeline, 1), (std::vector<Index>{4, 8, 10}));
    std::vector<Index> all;
    Index after = -1;
    while (auto event = timeline.next(after)) {
        all.push_back(after = event->step);
        EXPECT_EQ(event->end, event->step == 10);
        EXPECT_TRUE(event->draw);
    }
    EXPECT_EQ(all, (std::vector<Index>{3, 4, 6, 8, 10}));
}

TEST(Timeline, TestsFallOnTheirIntervalOnly) {
    const Timeline timeline({frames(2)}, 3000, 1024);
    std::vector<Index> tests, draws;
    Index after = -1;
    while (auto event = timeline.next(after)) {
        after = event->step;
        if (event->test) tests.push_back(after);
        if (event->draw) draws.push_back(after);
    }
    EXPECT_EQ(tests, (std::vector<Index>{1024, 2048}));
    EXPECT_EQ(draws, (std::vector<Index>{1500, 3000}));
}

TEST(Timeline, WithoutStepsTheStartIsDrawn) {
    const Timeline timeline({frames(300), every(7)}, 0, 0);
    const auto event = timeline.next(-1);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->step, 0);
    EXPECT_TRUE(event->draw && event->end);
    EXPECT_TRUE(timeline.draws(0, 0) && timeline.draws(1, 0));
    EXPECT_FALSE(timeline.next(0));
    EXPECT_EQ(timeline.frame_count(0), 1);
}

TEST(Timeline, TheStartIsNotDrawnOtherwise) { EXPECT_FALSE(Timeline({frames(2)}, 10, 0).draws(0, 0)); }

TEST(Timeline, WithoutOutputsTheEndIsTheOneEvent) {
    const Timeline timeline({}, 500, 0);
    const auto event = timeline.next(-1);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->step, 500);
    EXPECT_TRUE(event->end && !event->draw);
}

TEST(Timeline, MillionsOfFramesAreGeneratedNotListed) {
    const Index steps = Index{1} << 52, n = 90'000'000;
    const Timeline timeline({frames(n)}, steps, 0);
    EXPECT_EQ(timeline.next(-1)->step, steps / n);
    const Index far = steps - 5 * (steps / n);
    const Index next = timeline.next(far)->step;
    EXPECT_GT(next, far);
    EXPECT_LE(next - far, steps / n + 1);
    EXPECT_TRUE(timeline.draws(0, steps));
}

TEST(Timeline, MoreFramesThanStepsAreRefusedOrFewer) {
    EXPECT_THROW(Timeline({frames(11)}, 10, 0), core::InputError);
    EXPECT_EQ(drawn(Timeline({frames(11, 0)}, 10, 0), 0).size(), 10u);
}

TEST(Timeline, AStillIsDrawnOnceAtTheEnd) {
    FrameTimes times = frames(5);
    times.last_only = true;
    EXPECT_EQ(drawn(Timeline({times}, 10, 0), 0), (std::vector<Index>{10}));
    EXPECT_EQ(Timeline({times}, 10, 0).frame_count(0), 1);
    times = at("3*n", 5);
    times.last_only = true;
    EXPECT_EQ(drawn(Timeline({times}, 10, 0), 0), (std::vector<Index>{10})) << "also where the frames end before";
}

TEST(FrameSteps, RefusesWhatDoesNotGrow) {
    EXPECT_THROW(run::frame_steps({"10 - n", {}}, 3), core::InputError);
    EXPECT_THROW(run::frame_steps({"0*n + 5", {}}, 3), core::InputError);
    EXPECT_THROW(run::frame_steps({"n - 5", {}}, 3), core::InputError);
    EXPECT_THROW(run::frame_steps({"1/(n - 1)", {}}, 3), core::InputError);
    EXPECT_THROW(run::frame_steps({"m*2", {}}, 3), core::ModelError);
    EXPECT_THROW(run::frame_steps({"n*", {}}, 3), core::ModelError);
    EXPECT_THROW(run::frame_steps({"n", {}}, 2'000'000), core::InputError);
}

}  // namespace timeline_test
